"""A change of owner: everything goes, nothing is lost, and the past stays whose it was."""

from __future__ import annotations

from pathlib import Path

import pytest

import karte
from karte import InvalidInput, MemoryEntry, SqliteMemoryEngine, TemporalMeta
from karte.storage.sqlite.coverage import COVERAGE
from karte.storage.sqlite.reassigning import PAGE_TABLES, TABLES
from tests.conftest import FakeClock
from tests.service.saying import CHANNEL

OLD, NEW = "old", "new"

pytestmark = pytest.mark.requirement("life.reassign")


@pytest.fixture
def engine(db_path: Path, clock: FakeClock) -> SqliteMemoryEngine:
    clock.set("2026-05-01")
    return SqliteMemoryEngine(db_path, clock=clock)


def _lives(engine: SqliteMemoryEngine, agent: str, where: str, since: str, subject: str = "Ada") -> str:
    entry = MemoryEntry(content=f"{subject} lives in {where}", agent_id=agent)
    outcome = engine.store(
        entry, TemporalMeta(subject=subject, predicate="lives in", object=where, valid_from=since, origin="user:ada")
    )
    assert outcome.id is not None
    return outcome.id


def _where(engine: SqliteMemoryEngine, agent: str, at: str | None = None, known: str | None = None) -> str | None:
    found = engine.get_at(agent, "Ada", "lives in", at, known_at=known)
    return None if found is None else found.object


def test_plain_rows_the_archive_and_facts_go(engine: SqliteMemoryEngine, clock: FakeClock) -> None:
    plain = str(engine.store(MemoryEntry(content="the key is under the mat", agent_id=OLD)).id)
    away = str(engine.store(MemoryEntry(content="small talk", agent_id=OLD)).id)
    engine.forget(OLD, away)
    _lives(engine, OLD, "Paris", "2026-01-01")
    clock.advance(days=1)
    done = engine.reassign_agent(OLD, NEW)
    assert (done.moved["memories"], done.moved["memories_archive"], done.merged) == (2, 1, 0)
    assert engine.list_recent(OLD, include_historical=True).items == ()
    assert engine.search(OLD, "key") == []
    assert [hit.id for hit in engine.search(NEW, "key")] == [plain]
    assert _where(engine, NEW) == "Paris"
    assert _where(engine, OLD) is None
    assert engine.restore(NEW, away)
    assert engine.stats(OLD).memories == 0


def test_a_fact_of_both_becomes_one_timeline(engine: SqliteMemoryEngine, clock: FakeClock) -> None:
    _lives(engine, NEW, "Rome", "2026-03-01")
    _lives(engine, OLD, "Paris", "2026-01-01")
    _lives(engine, OLD, "Oslo", "2026-04-01")
    clock.advance(days=1)
    assert engine.reassign_agent(OLD, NEW).merged == 1
    assert [_where(engine, NEW, at) for at in ("2026-02-01", "2026-03-15", "2026-04-15")] == ["Paris", "Rome", "Oslo"]
    assert [row.object for row in engine.get_history(NEW, "Ada", "lives in")] == ["Paris", "Rome", "Oslo"]


def test_the_past_stays_whose_it_was(engine: SqliteMemoryEngine, clock: FakeClock) -> None:
    _lives(engine, OLD, "Paris", "2026-01-01")
    engine.store(MemoryEntry(content="the key is under the mat", agent_id=OLD))
    before = engine.now().isoformat()
    clock.advance(days=1)
    engine.reassign_agent(OLD, NEW)
    assert _where(engine, OLD, "2026-02-01", before) == "Paris"
    assert _where(engine, NEW, "2026-02-01", before) is None
    assert len(engine.get_history(OLD, "Ada", "lives in", known_at=before)) == 1
    assert len(engine.list_recent(OLD, known_at=before).items) == 2
    assert engine.list_recent(NEW, known_at=before).items == ()
    assert len(engine.search(OLD, "key", known_at=before)) == 1
    assert engine.search(NEW, "key", known_at=before) == []


def test_what_is_held_stays_held_and_can_be_decided(engine: SqliteMemoryEngine, clock: FakeClock) -> None:
    facts = [
        (
            MemoryEntry(content=f"Ada lives in {n}", agent_id=OLD),
            TemporalMeta(subject="Ada", predicate="lives in", object=f"{n}", origin=CHANNEL),
        )
        for n in range(5)
    ]
    held = engine.store_many(facts)
    assert {outcome.status for outcome in held} == {"held"}
    clock.advance(minutes=1)
    engine.reassign_agent(OLD, NEW)
    assert _where(engine, NEW) is None
    assert engine.approvals(OLD).items == ()
    waiting = engine.approvals(NEW).items
    assert waiting
    for approval in waiting:
        engine.decide(approval.id, "approve", by="somebody")
    assert _where(engine, NEW) is not None
    assert _where(engine, OLD) is None


def test_names_of_the_old_owner_join_and_facts_meet_under_them(engine: SqliteMemoryEngine, clock: FakeClock) -> None:
    engine.add_alias(OLD, "Ada", "A. Lovelace")
    engine.add_alias(OLD, "Bob", "Robert")
    engine.add_alias(NEW, "Robert Smith", "Robert")
    _lives(engine, NEW, "Rome", "2026-03-01", subject="A. Lovelace")
    _lives(engine, OLD, "Paris", "2026-01-01")
    before = engine.now().isoformat()
    clock.advance(days=1)
    assert engine.reassign_agent(OLD, NEW).merged == 1
    assert {alias.alias: alias.canonical for alias in engine.list_aliases(NEW)} == {
        "a. lovelace": "ada",
        "robert": "robert smith",
    }
    assert [_where(engine, NEW, at) for at in ("2026-02-01", "2026-04-01")] == ["Paris", "Rome"]
    assert _where(engine, NEW, "2026-04-01", before) is None
    then = engine.get_at(NEW, "A. Lovelace", "lives in", "2026-04-01", known_at=before)
    assert then is not None
    assert then.object == "Rome"
    assert _where(engine, OLD, "2026-04-01", before) == "Paris"


def test_what_goes_on_and_comes_back_is_whole(engine: SqliteMemoryEngine, clock: FakeClock) -> None:
    _lives(engine, OLD, "Paris", "2026-01-01")
    _lives(engine, OLD, "Rome", "2026-03-01")
    history = [(row.id, row.valid_from, row.valid_until) for row in engine.get_history(OLD, "Ada", "lives in")]
    instants = []
    for source, target in ((OLD, NEW), (NEW, "third"), ("third", OLD)):
        instants.append((source, engine.now().isoformat()))
        clock.advance(days=1)
        engine.reassign_agent(source, target)
    assert [(row.id, row.valid_from, row.valid_until) for row in engine.get_history(OLD, "Ada", "lives in")] == history
    for owner, known in instants:
        for agent in (OLD, NEW, "third"):
            assert _where(engine, agent, "2026-04-01", known) == ("Rome" if agent == owner else None)
    assert engine.doctor().is_healthy


def test_a_purge_from_before_is_undone_by_the_new_owner(engine: SqliteMemoryEngine, clock: FakeClock) -> None:
    _lives(engine, OLD, "Paris", "2026-01-01")
    clock.advance(minutes=1)
    operation = engine.invalidate_by_origin(OLD, "user:ada").operation_id
    assert operation is not None
    clock.advance(minutes=1)
    engine.reassign_agent(OLD, NEW)
    clock.advance(minutes=1)
    assert _where(engine, NEW) is None
    engine.undo_operation(operation)
    assert _where(engine, NEW) == "Paris"
    assert _where(engine, OLD) is None


def test_a_dry_run_changes_nothing_and_both_are_told_of_the_real_one(
    engine: SqliteMemoryEngine, clock: FakeClock
) -> None:
    _lives(engine, OLD, "Paris", "2026-01-01")
    dry = engine.reassign_agent(OLD, NEW, dry_run=True)
    assert dry.dry_run
    assert _where(engine, OLD) == "Paris"
    done = engine.reassign_agent(OLD, NEW)
    assert done.moved == dry.moved
    for agent in (OLD, NEW):
        assert engine.events(agent, kinds=["knowledge.reassigned"])


def test_an_agent_is_not_given_to_itself(engine: SqliteMemoryEngine) -> None:
    with pytest.raises(InvalidInput):
        engine.reassign_agent(OLD, OLD)
    assert engine.reassign_agent("nobody", NEW).moved == dict.fromkeys(engine.reassign_agent("nobody", NEW).moved, 0)
    assert isinstance(engine, karte.MemoryEngine)


def test_every_table_that_says_so_is_moved() -> None:
    said = {name for name, each in COVERAGE.items() if each.reassign.startswith("agent_id")}
    by_trigger = {name for name in said if "trigger" in COVERAGE[name].reassign}
    assert said - by_trigger - {"pages"} == {*TABLES, *PAGE_TABLES}  # pages move one by one, with their files
