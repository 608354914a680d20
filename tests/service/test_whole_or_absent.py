"""One write is one transaction: stopped after any statement it leaves the file as it was."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
import pytest

from karte import MemoryEntry, SqliteMemoryEngine, TemporalMeta
from tests.conftest import FakeClock


class StoppedError(Exception):
    """The process would have died here."""


def say(value: str, start: str, **meta: Any) -> tuple[MemoryEntry, TemporalMeta]:
    return (
        MemoryEntry(content=f"the office is on {value}", agent_id="a"),
        TemporalMeta(subject="office", predicate="floor", object=value, valid_from=start, **meta),
    )


WRITES: dict[str, Callable[[SqliteMemoryEngine], object]] = {
    "superseding": lambda engine: engine.store_temporal(*say("floor-3", "2026-03")),
    "reaffirming": lambda engine: engine.store_temporal(*say("floor-2", "2026-02-15")),
    "bounded inside": lambda engine: engine.store_temporal(*say("floor-9", "2026-02-10", valid_until="2026-02-20")),
    "store_many": lambda engine: engine.store_many([say(f"floor-{i}", f"2026-0{i}") for i in range(3, 7)]),
    "plain": lambda engine: engine.store(MemoryEntry(content="lantern", agent_id="a")),
    "end_fact": lambda engine: engine.end_fact("a", "office", "floor", "2026-05"),
    "expire": lambda engine: engine.expire_by_subject("a", "office"),
    "retract": lambda engine: engine.retract("a", "r1"),
    "forget": lambda engine: engine.forget("a", "r1"),
    "update": lambda engine: engine.update("a", "plain", content="other words", tags=["t"]),
    "add_alias": lambda engine: engine.add_alias("a", "office", "bureau"),
    "declare": lambda engine: engine.declare_predicate("a", "floor", "many"),
}


@contextmanager
def stopping_after(engine: SqliteMemoryEngine, statements: int) -> Iterator[list[str]]:
    """Lets so many statements through, then stops the operation."""
    seen: list[str] = []

    def trace(_cursor: object, sql: str, _bindings: object) -> bool:
        if len(seen) == statements and sql != "ROLLBACK":
            raise StoppedError
        if sql != "ROLLBACK":
            seen.append(sql)
        return True

    connection = engine._store.connections.get()  # type: ignore[attr-defined]
    connection.exec_trace = trace
    try:
        yield seen
    finally:
        connection.exec_trace = None


def dump(path: Path) -> list[tuple[object, ...]]:
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")]
    rows = [(name, *row) for name in tables for row in connection.execute(f'SELECT * FROM "{name}"')]
    connection.close()
    return rows


@pytest.mark.requirement("file.one-write-one-transaction", "law.9-failed-write")
@pytest.mark.parametrize("name", WRITES)
def test_a_write_stopped_after_any_statement_changes_nothing(name: str, db_path: Path, clock: FakeClock) -> None:
    with SqliteMemoryEngine(db_path, clock=clock) as engine:
        engine.store(MemoryEntry(content="some words", agent_id="a", id="plain"))
        for id, value, start in (("r1", "floor-1", "2026-01"), ("r2", "floor-2", "2026-02")):
            entry, meta = say(value, start)
            engine.store_temporal(MemoryEntry(content=entry.content, agent_id="a", id=id), meta)
        before = dump(db_path)
        for statements in range(1, 10_000):
            with stopping_after(engine, statements) as seen:
                try:
                    WRITES[name](engine)
                except StoppedError:
                    done = False
                else:
                    done = True
            if done:
                break
            assert dump(db_path) == before, f"stopped after {statements}: {seen[-1]}"
        assert statements > 4
        assert dump(db_path) != before
        assert engine.doctor().findings == ()
