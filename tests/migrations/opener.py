"""A program: waits for a file to appear, then opens (and so upgrades) another, as the engine does.

Run as ``python -m tests.migrations.opener FILE GATE``.
"""

import sys
import time
from pathlib import Path

from karte.storage.migrate import prepare, refuse_foreign
from karte.storage.sqlite.connection import Connections
from tests.migrations.files import NOW


def main(path: str, gate: str) -> None:
    print("ready", flush=True)
    while not Path(gate).exists():
        time.sleep(0.001)
    refuse_foreign(path)
    connections = Connections(path)
    prepare(connections.get(), path=path, now=NOW, is_read_only=False)
    print("opened", connections.get().pragma("journal_mode"), flush=True)
    connections.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
