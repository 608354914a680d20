"""Plain memories through the Python door: storing, reading, changing, putting away."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import apsw
import pytest

from karte import (
    Conflict,
    DuplicateId,
    InvalidInput,
    Karte,
    MemoryEntry,
    NotFound,
    ReservedName,
    SqliteMemoryEngine,
    TemporalMeta,
)
from karte.ambient import time_ordered_ids
from tests.conftest import FakeClock

UUID7 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")


@pytest.fixture
def memory(clock: FakeClock) -> Karte:
    return Karte(":memory:", agent="dudu", clock=clock)


@pytest.mark.requirement("file.plain-always-current")
def test_a_plain_memory_from_a_machine_whose_clock_is_ahead_is_current(memory: Karte, clock: FakeClock) -> None:
    outcome = memory.store("seen tomorrow", timestamp="2030-01-01")
    assert outcome.is_current
    assert [m.content for m in memory.list_recent()] == ["seen tomorrow"]
    assert [hit.content for hit in memory.search("seen")] == ["seen tomorrow"]
    assert memory.list_recent(valid_at="2029-01-01").items == ()  # an instant that is named reads the timestamp
    clock.set("2031-01-01")
    assert len(memory.list_recent(valid_at="2030-06-01")) == 1


@pytest.mark.requirement("identity.both-parts")
@pytest.mark.parametrize(
    ("subject", "predicate"), [(None, "owner"), ("svc", None), ("", "owner"), ("svc", ""), (" \t", "owner")]
)
def test_without_both_parts_a_write_is_plain_and_supersedes_nothing(
    memory: Karte, subject: str | None, predicate: str | None
) -> None:
    for content in ("red team", "blue team"):
        outcome = memory.store(content, subject=subject, predicate=predicate, object=content)
        assert outcome.status == "stored"
        assert outcome.superseded == ()
    assert {m.content for m in memory.list_recent()} == {"red team", "blue team"}


@pytest.mark.requirement("file.ids-time-ordered")
def test_identifiers_are_uuid7_in_the_order_of_creation_also_when_the_clock_steps_back(clock: FakeClock) -> None:
    new_id = time_ordered_ids(clock)
    made = []
    for step in (0, 0, 1, -5, 0, 10):
        clock.advance(seconds=step)
        made += [new_id() for _ in range(50)]
    assert made == sorted(made)
    assert len(set(made)) == len(made)
    assert all(UUID7.fullmatch(id) for id in made)


@pytest.mark.requirement("file.ids-time-ordered")
def test_a_caller_may_bring_an_id_and_a_duplicate_changes_nothing(memory: Karte) -> None:
    memory.store("first", id="mine")
    facts: tuple[dict[str, Any], ...] = ({}, {"subject": "a", "predicate": "b"})
    for fact in facts:
        with pytest.raises(DuplicateId) as refused:
            memory.store("second", id="mine", **fact)
        assert refused.value.field == "id"
        assert refused.value.value == "mine"
    assert memory.forget("mine")
    with pytest.raises(DuplicateId):  # the archive still holds it
        memory.store("third", id="mine")
    assert memory.restore("mine")
    [kept] = memory.list_recent()
    assert kept.content == "first"


@pytest.mark.requirement("plain.update")
def test_an_update_of_a_plain_memory_is_found_by_its_new_words_alone(memory: Karte) -> None:
    memory.store("lantern cobalt nine", id="a", tags=["old"], metadata={"k": 1})
    changed = memory.update("a", content="violet harbour", tags=["new"], importance=9.0, metadata={"n": 2})
    assert (changed.content, changed.tags, changed.importance, dict(changed.metadata)) == (
        "violet harbour",
        ("new",),
        9.0,
        {"n": 2},
    )
    assert memory.search("lantern cobalt") == []
    assert [hit.id for hit in memory.search("violet")] == ["a"]


@pytest.mark.requirement("plain.update", "law.4-known-at")
def test_an_update_leaves_a_revision_that_belief_time_reads(memory: Karte, clock: FakeClock) -> None:
    memory.store("lantern", id="a", tags=["old"])
    before = clock.now
    clock.advance(seconds=10)
    memory.update("a", content="harbour", tags=["new"])
    then = memory.get_by_id("a", known_at=before)
    assert then is not None
    assert (then.content, then.tags) == ("lantern", ("old",))
    assert [hit.content for hit in memory.search("lantern", known_at=before)] == ["lantern"]
    assert memory.search("harbour", known_at=before) == []


@pytest.mark.requirement("plain.update")
def test_the_words_of_a_fact_stay_and_its_keys_of_ours_too(memory: Karte) -> None:
    for event in ("e1", "e2"):
        memory.store_temporal("red owns it", subject="svc", predicate="owner", source_event=event, id=None)
    [record] = memory.get_history("svc", "owner")
    with pytest.raises(Conflict):
        memory.update(record.id, content="blue owns it")
    changed = memory.update(record.id, metadata={"seen": True}, importance=1)
    assert changed.metadata["seen"] is True
    assert [item["source_event"] for item in changed.metadata["reaffirmed_by"]] == ["e2"]
    for key in ("reaffirmed_by", "continues"):
        with pytest.raises(ReservedName):
            memory.update(record.id, metadata={key: []})
    with pytest.raises(NotFound):
        memory.update("nowhere", importance=1)


@pytest.mark.requirement("plain.list-recent")
def test_pages_give_each_row_once_also_while_rows_arrive(memory: Karte, clock: FakeClock) -> None:
    for i in range(25):
        clock.advance(seconds=i % 3)  # several share an instant
        memory.store(f"row {i}", id=f"r{i}")
    seen: list[str] = []
    cursor = None
    while True:
        page = memory.list_recent(7, cursor=cursor)
        seen += [m.id for m in page]
        memory.store(f"arrives while paging {len(seen)}")
        cursor = page.next_cursor
        if cursor is None:
            break
    assert seen == [f"r{i}" for i in reversed(range(25))]
    assert memory.list_recent(1).total == 29
    with pytest.raises(InvalidInput) as refused:
        memory.list_recent(cursor="made up")
    assert refused.value.field == "cursor"


@pytest.mark.requirement("read.changes-no-belief")
def test_a_search_counts_access_and_touch_false_leaves_no_trace(clock: FakeClock, db_path: Path) -> None:
    with SqliteMemoryEngine(db_path, clock=clock) as engine:
        engine.store(MemoryEntry(content="lantern", agent_id="a", id="x"))
        before = _dump(db_path)
        engine.search("a", "lantern", touch=False)
        engine.get_by_id("a", "x")
        engine.get_by_ids("a", ["x"])
        engine.list_recent("a")
        engine.get_history("a", "s", "p")
        engine.get_at("a", "s", "p")
        engine.get_by_id("a", "x", known_at="2027")
        assert _dump(db_path) == before
        engine.search("a", "lantern")
        found = engine.get_by_id("a", "x")
        assert found is not None
        assert (found.access_count, found.last_accessed) == (1, clock.now)
        assert engine.list_recent("a", known_at=clock.now).items[0].id == "x"


@pytest.mark.requirement("file.assertions-append-only")
def test_what_was_said_never_changes_whatever_is_said_later(clock: FakeClock, db_path: Path) -> None:
    said = "SELECT learned_order, kind, value_key, valid_from, valid_until, origin, origin_trust, derived_from FROM"
    with SqliteMemoryEngine(db_path, clock=clock) as engine:
        kept: list[tuple[object, ...]] = []
        for i, start in enumerate(("2026-03", "2026-01", "2026-02", "2026-03")):
            engine.store_temporal(
                MemoryEntry(content=f"value {i}", agent_id="a", id=f"r{i}"),
                TemporalMeta(subject="s", predicate="p", valid_from=start, derived_from=["r0"] if i == 3 else []),
            )
            clock.advance(seconds=1)
        for change in (
            lambda: engine.end_fact("a", "s", "p", "2026-05"),
            lambda: engine.retract("a", "r0"),
            lambda: engine.forget("a", "r1"),
            lambda: engine.restore("a", "r1"),
            lambda: engine.declare_predicate("a", "p", "many"),
        ):
            connection = apsw.Connection(str(db_path), flags=apsw.SQLITE_OPEN_READONLY)
            kept = connection.execute(f"{said} memory_assertions ORDER BY 1").fetchall()
            change()
            now = connection.execute(f"{said} memory_assertions ORDER BY 1").fetchall()
            connection.close()
            assert now[: len(kept)] == kept


def _dump(path: Path) -> list[tuple[object, ...]]:
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    tables = [r[0] for r in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")]
    rows = [(name, *row) for name in tables for row in connection.execute(f'SELECT * FROM "{name}"')]
    connection.close()
    return rows
