"""Held rows (an upgraded file may bring some) are inert in every read and every write."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from karte import MemoryEntry, SqliteMemoryEngine, TemporalMeta

HELD = "held-row"
STARTS = ["2026-03-01", "2026-01-01", "2026-02-01"]


def say(engine: SqliteMemoryEngine, value: str, start: str, until: str | None = None) -> str:
    outcome = engine.store_temporal(
        MemoryEntry(content=f"the office is on {value}", agent_id="a"),
        TemporalMeta(subject="office", predicate="floor", object=value, valid_from=start, valid_until=until),
    )
    assert outcome.id is not None
    return outcome.id


def hold(path: Path, row_id: str) -> None:
    """Makes a stored fact a held one, as an older engine left them."""
    connection = apsw.Connection(str(path))
    connection.execute("UPDATE memories SET quarantined = 1 WHERE id = ?", (row_id,))
    connection.execute("UPDATE memory_assertions SET state = 'held' WHERE id = ?", (row_id,))
    connection.close()


@pytest.fixture
def engine(db_path: Path) -> SqliteMemoryEngine:
    with SqliteMemoryEngine(db_path) as first:
        held = first.store_temporal(
            MemoryEntry(content="the office is on floor-9", agent_id="a", id=HELD),
            TemporalMeta(subject="office", predicate="floor", object="floor-9", valid_from="2026-02-15"),
        )
        assert held.id == HELD
    hold(db_path, HELD)
    return SqliteMemoryEngine(db_path)


@pytest.mark.requirement("upgrade.quarantined-stay-inert")
def test_no_default_read_returns_a_held_row(engine: SqliteMemoryEngine) -> None:
    assert engine.get_by_id("a", HELD) is None
    assert engine.get_by_ids("a", [HELD]).missing_ids == (HELD,)
    assert engine.search("a", "office floor-9") == []
    assert engine.search_layer("a", "episodic", "office") == []
    assert list(engine.list_recent("a", include_historical=True)) == []
    assert engine.get_at("a", "office", "floor") is None
    assert engine.get_all_at("a", "office", "floor") == []
    assert engine.get_history("a", "office", "floor") == []
    assert engine.get_at("a", "office", "floor", known_at="2099") is None
    assert list(engine.list_recent("a", known_at="2099")) == []
    assert engine.search("a", "office", known_at="2099", include_historical=True) == []


@pytest.mark.requirement("upgrade.quarantined-stay-inert")
def test_history_shows_a_held_row_on_request_and_says_so(engine: SqliteMemoryEngine) -> None:
    [record] = engine.get_history("a", "office", "floor", include_quarantined=True)
    assert record.id == HELD
    assert record.state == "quarantined"
    assert not record.is_current


@pytest.mark.requirement("upgrade.quarantined-stay-inert", "law.7-held")
def test_clean_writes_behave_as_if_the_held_row_were_not_there(engine: SqliteMemoryEngine, tmp_path: Path) -> None:
    with SqliteMemoryEngine(tmp_path / "clean.db") as clean, engine:
        for each in (clean, engine):
            for start, value in zip(STARTS, ("floor-3", "floor-1", "floor-9"), strict=True):
                say(each, value, start)
        shapes = [
            [
                (r.object, r.valid_from, r.valid_until, r.supersedes is None, r.superseded_by is None)
                for r in each.get_history("a", "office", "floor")
            ]
            for each in (clean, engine)
        ]
    assert shapes[0] == shapes[1]
    assert len(shapes[0]) == 3


@pytest.mark.requirement("upgrade.quarantined-stay-inert")
def test_a_held_row_can_neither_be_ended_nor_retracted_nor_forgotten(engine: SqliteMemoryEngine) -> None:
    from karte import NotFound

    with pytest.raises(NotFound):
        engine.end_fact("a", "office", "floor")
    with pytest.raises(NotFound):
        engine.retract("a", HELD)
    with pytest.raises(NotFound):
        engine.update("a", HELD, importance=9.0)
    assert engine.forget("a", HELD) is False
    assert engine.expire_by_subject("a", "office") == 0
