"""Programs that tests run as processes of their own: ``python -m tests.reliability.programs NAME ARGUMENT...``.

Each says lines of JSON on standard output, and where it says ``ready`` it waits for a line of standard input.
"""

import json
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw

import karte
from tests.reliability.health import opened


def say(what: object) -> None:
    """One line of JSON."""
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


def ready() -> None:
    """Says so, and waits to be told to go on."""
    say("ready")
    sys.stdin.readline()


def write(path: str, name: str, count: str) -> None:
    """Stores facts, every other one about the one thing that all writers write about."""
    with opened(Path(path)) as engine:
        ready()
        for number in range(int(count)):
            subject = "the shared thing" if number % 2 else f"the thing of {name}"
            say(attempt(engine, subject, f"{name}-{number}"))


def attempt(engine: karte.MemoryEngine, subject: str, value: str) -> dict[str, Any]:
    """One store, and what its caller hears of it."""
    entry = karte.MemoryEntry(content=f"{subject} is {value}")
    meta = karte.TemporalMeta(subject=subject, predicate="state", object=value)
    try:
        outcome = engine.store_temporal(entry, meta)
    except karte.KarteError as error:
        return {"value": value, "error": error.code}
    return {"value": value, "status": outcome.status, "id": outcome.id, "shared": subject == "the shared thing"}


def read(path: str) -> None:
    """Reads in a loop until told to end; says how often, and everything that was wrong."""
    with opened(Path(path)) as engine:
        say("ready")
        reads, wrong = 0, []
        stop = Path(f"{path}.stop")
        while not stop.exists():
            try:
                wrong += look(engine)
            except karte.KarteError as error:
                wrong.append(f"{error.code}: {error}")
            reads += 1
        say({"reads": reads, "wrong": wrong[:20]})


def look(engine: karte.MemoryEngine) -> list[str]:
    """One round of reads; gives what contradicts itself."""
    wrong = []
    history = engine.get_history("default", "the shared thing", "state")
    current = [record for record in history if record.is_current]
    if history and len(current) != 1:
        wrong.append(f"{len(current)} current of {len(history)}")
    if history and engine.get_at("default", "the shared thing", "state") is None:
        wrong.append("nothing holds")
    listed = [memory.id for memory in engine.list_recent("default", limit=100)]
    if len(set(listed)) != len(listed):
        wrong.append("listed twice")
    engine.search("default", "shared thing", limit=5)
    return wrong


def hold(path: str, seconds: str) -> None:
    """Holds the file's write lock for a while (until told, where ``seconds`` is 0)."""
    with closing(apsw.Connection(path)) as connection:
        connection.set_busy_timeout(30_000)
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("UPDATE karte_state SET names_version = names_version")
        say("held")
        if float(seconds):
            time.sleep(float(seconds))
        else:
            sys.stdin.readline()
        connection.execute("COMMIT")
    say("let go")


def keep_reading(path: str) -> None:
    """Holds a read transaction open until told."""
    with closing(apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY)) as connection:
        connection.execute("BEGIN")
        connection.execute("SELECT count(*) FROM memories").fetchall()
        say("held")
        sys.stdin.readline()
    say("let go")


def checkpoint(path: str) -> None:
    """Each time it is told, tries at once to move the whole log into the file; says whether anybody was in the way."""
    with closing(apsw.Connection(path)) as connection:
        connection.set_busy_timeout(0)
        say("ready")
        for _ in sys.stdin:
            try:
                ((busy, log, moved),) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                say({"busy": busy, "log": log, "moved": moved})
            except apsw.BusyError:
                say({"busy": 1, "log": -1, "moved": -1})


def idle(path: str) -> None:
    """An engine that has answered a search and then does nothing until told."""
    with opened(Path(path)) as engine:
        engine.search("default", "anything")
        ready()
    say("closed")


PROGRAMS: dict[str, Callable[..., None]] = {
    "write": write,
    "read": read,
    "hold": hold,
    "keep_reading": keep_reading,
    "checkpoint": checkpoint,
    "idle": idle,
}

if __name__ == "__main__":
    PROGRAMS[sys.argv[1]](*sys.argv[2:])
