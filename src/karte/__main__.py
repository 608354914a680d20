"""``python -m karte``: the command line."""

from karte.interfaces.cli.main import main

if __name__ == "__main__":
    main()
