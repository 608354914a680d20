"""What is derived from something taken back yields to whatever else is known, whenever it is said."""

from __future__ import annotations

import pytest

from karte import MemoryEntry, SqliteMemoryEngine, TemporalMeta
from tests.conftest import FakeClock


@pytest.fixture
def engine(clock: FakeClock) -> SqliteMemoryEngine:
    return SqliteMemoryEngine(":memory:", clock=clock)


def say(engine: SqliteMemoryEngine, id: str, value: str, start: str, *sources: str) -> None:
    engine.store_temporal(
        MemoryEntry(content=f"the office is {value}", agent_id="a", id=id),
        TemporalMeta(
            subject="office", predicate="colour", object=value, valid_from=start, derived_from=sources,
            origin="agent_derived",
        ),
    )  # fmt: skip


@pytest.mark.requirement("timeline.cut-yields")
def test_a_write_that_cites_what_was_taken_back_counts_only_where_nothing_else_does(engine: SqliteMemoryEngine) -> None:
    say(engine, "poison", "black", "2026-01")
    say(engine, "honest", "white", "2026-02")
    engine.retract("a", "poison")
    say(engine, "late", "grey", "2026-03", "poison")
    say(engine, "later", "dark", "2026-04", "late")
    say(engine, "before", "pale", "2025-01", "late")
    shown = {month: engine.get_at("a", "office", "colour", month) for month in ("2025-06", "2026-03", "2026-05")}
    assert {month: record and record.object for month, record in shown.items()} == {
        "2025-06": "pale",
        "2026-03": "white",
        "2026-05": "white",
    }
    assert all(record is not None and record.origin_trust <= 0.6 for record in shown.values())
