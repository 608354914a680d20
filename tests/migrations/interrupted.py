"""A program: upgrades copies of a file, each killed (SIGKILL) after one statement more than the last.

Run as ``python -m tests.migrations.interrupted FILE FOLDER``. Prints, as JSON, how many statements there are, and after
which of them the next opening did not end with the file that an undisturbed upgrade gives. Every opening happens in a
process of its own, so that no lock or cache of one is seen by another.
"""

import json
import os
import shutil
import signal
import sys
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from karte.storage.migrate import prepare
from karte.storage.sqlite.connection import Connections
from tests.migrations.files import NOW, dump

MOST = 10_000


def upgrade(path: Path, statements: int) -> None:
    """Upgrades; dies where it is about to begin the statement after this many."""
    connections = Connections(str(path))
    connection = connections.get()
    connection.execute("PRAGMA synchronous=OFF")  # a killed process loses nothing that it has written
    done = 0

    def count(_cursor: Any, _sql: str, _values: Any) -> bool:
        nonlocal done
        if done == statements:
            os.kill(os.getpid(), signal.SIGKILL)
        done += 1
        return True

    connection.exec_trace = count
    prepare(connection, path=str(path), now=NOW, is_read_only=False)
    connection.exec_trace = None
    connections.close()


def in_a_process(work: Callable[[], None]) -> int:
    """The wait status of a child that did the work."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            work()
            status = 0
        except Exception:  # noqa: BLE001 (the parent hears of it by the status)
            traceback.print_exc()
        finally:
            os._exit(status)
    return os.waitpid(child, 0)[1]


def write_dump(path: Path, out: Path) -> None:
    """Opens the file as if nothing had happened, and writes what it then holds."""
    upgrade(path, MOST)
    out.write_text(json.dumps(dump(path)), encoding="utf-8")


def main(source: Path, folder: Path) -> None:
    copy, out = folder / "copy.db", folder / "dump.json"
    expected, wrong = None, []
    for statements in range(MOST):
        for left in folder.glob("copy.db*"):
            left.unlink()
        shutil.copyfile(source, copy)
        limit = MOST if expected is None else statements - 1
        status = in_a_process(partial(upgrade, copy, limit))
        out.unlink(missing_ok=True)
        reopened = in_a_process(partial(write_dump, copy, out))
        found = json.loads(out.read_text(encoding="utf-8")) if reopened == 0 else None
        if expected is None:
            expected = found
        elif found != expected:
            wrong.append(statements - 1)
        elif status == 0:
            print(json.dumps({"statements": statements - 1, "wrong": wrong}))
            return


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
