"""A purge, its undo and an erasure of more rows than SQLite takes variables: whole, and as on a small file (FB-51)."""

from __future__ import annotations

from pathlib import Path

import pytest

from karte import MemoryEntry, SqliteMemoryEngine, TemporalMeta
from tests.conftest import FakeClock
from tests.reliability.health import check, opened

AGENT = "agent"
MOST_VARIABLES = 32_766
SUBJECT = "Archive"
ORIGIN = "import:bulk"


def _subject(number: int) -> str:
    """Nine of ten shelves are of one subject."""
    return SUBJECT if number % 10 else f"room {number}"


def _fill(engine: SqliteMemoryEngine, rows: int) -> None:
    """What one origin said, most of it about one subject, and what somebody else said of a few of these shelves."""
    facts = [
        (
            MemoryEntry(content=f"shelf {n} holds box{n}", agent_id=AGENT),
            TemporalMeta(
                subject=_subject(n),
                predicate=f"shelf {n}",
                object=f"box{n}",
                valid_from="2026-02",
                origin=ORIGIN,
            ),
        )
        for n in range(rows)
    ]
    others = [
        (
            MemoryEntry(content=f"shelf {n} is empty", agent_id=AGENT),
            TemporalMeta(
                subject=SUBJECT, predicate=f"shelf {n}", object="nothing", valid_from="2026-01", origin="agent_derived"
            ),
        )
        for n in range(1, rows, rows // 5)
        if _subject(n) == SUBJECT
    ]
    for begin in range(0, rows, 5_000):
        engine.store_many(facts[begin : begin + 5_000])
    engine.store_many(others)


def _shelf(engine: SqliteMemoryEngine, number: int) -> str | None:
    found = engine.get_at(AGENT, _subject(number), f"shelf {number}")
    return None if found is None else found.object


@pytest.mark.slow
@pytest.mark.requirement("rollback.heals", "rollback.undo", "erase.exact-subject")
@pytest.mark.parametrize("rows", [40, MOST_VARIABLES * 10 // 9 + 20])
def test_a_purge_its_undo_and_an_erasure_of_very_many_rows_work(rows: int, db_path: Path, clock: FakeClock) -> None:
    with opened(db_path, clock=clock) as engine:
        _fill(engine, rows)
        clock.advance(hours=1)
        assert (_shelf(engine, 0), _shelf(engine, 1)) == ("box0", "box1")
        before = engine.stats(AGENT)

        foreseen = engine.invalidate_by_origin(AGENT, ORIGIN, dry_run=True)
        done = engine.invalidate_by_origin(AGENT, ORIGIN)
        assert done.operation_id is not None
        assert len(done.falls) == len(foreseen.falls) == rows
        assert (_shelf(engine, 0), _shelf(engine, 1)) == (None, "nothing")
        assert engine.search(AGENT, "shelf box1 box2", touch=False, min_trust=0.65) == []

        clock.advance(hours=1)
        engine.undo_operation(done.operation_id)
        assert (_shelf(engine, 0), _shelf(engine, 1)) == ("box0", "box1")
        assert (engine.stats(AGENT).current, engine.stats(AGENT).withdrawn) == (before.current, before.withdrawn)

        erased = engine.erase(AGENT, subject=SUBJECT)
        assert erased.removed["memories"] > rows * 9 // 10
        assert (_shelf(engine, 0), _shelf(engine, 1)) == ("box0", None)
        assert engine.stats(AGENT).memories == len(range(0, rows, 10))
    check(db_path)
