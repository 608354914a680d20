"""Erasing: an exact subject under every name it has, with all that hangs on it, down to the bytes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest

import karte
from karte import Karte, MemoryEntry, TemporalMeta
from karte.domain.approvals import StoredApproval, Waiting
from karte.domain.bursts import BurstKey
from karte.domain.erasure import content_hash
from karte.domain.events import EventFilter, EventKind, NewEvent
from karte.domain.retraction import ItemKind, Operation, OperationItem, OperationKind
from tests.conftest import FakeClock
from tests.migrations.files import older_file
from tests.properties.world import dump

AGENT = "a"
LATER = "2027-01-01T00:00:00.000000+00:00"
Tell = Callable[..., str]


@pytest.fixture
def engine(db_path: Path, clock: FakeClock) -> karte.SqliteMemoryEngine:
    return karte.SqliteMemoryEngine(db_path, clock=clock)


@pytest.fixture
def tell(engine: karte.SqliteMemoryEngine) -> Tell:
    def store(subject: str, predicate: str, object_: str, content: str = "", *, agent: str = AGENT, **meta: Any) -> str:
        entry = MemoryEntry(content=content or f"{subject} {predicate} {object_}", agent_id=agent)
        done = engine.store(entry, TemporalMeta(subject=subject, predicate=predicate, object=object_, **meta))
        assert done.id
        return done.id

    return store


def everywhere(path: Path, word: str) -> list[str]:
    """The tables in which a word is left, in whatever column."""
    return sorted(
        {
            table
            for table, rows in dump(path).items()
            for row in rows
            if any(word in str(value).lower() for value in row)
        }
    )


def in_bytes(path: Path, *words: str) -> list[str]:
    """The words that are left in the file or its log."""
    files = [Path(f"{path}{suffix}") for suffix in ("", "-wal")]
    held = b"".join(file.read_bytes().lower() for file in files if file.exists())
    return [word for word in words if word.encode() in held]


@pytest.mark.requirement("erase.exact-subject")
def test_only_the_exact_name_is_meant_whatever_its_spelling(engine: karte.SqliteMemoryEngine, tell: Tell) -> None:
    tell("Ann", "city", "Paris")
    tell("  ＡＮＮ ", "pet", "cat")
    kept = [tell("Anna", "city", "Rome"), tell("Ann Lee", "city", "Oslo"), tell("Joann", "city", "Bern")]
    engine.store(MemoryEntry(content="Ann was here", agent_id=AGENT))
    done = engine.erase(AGENT, subject="ann")
    assert done.names == ("ann",)
    assert done.removed == {"memory_assertions": 2, "memories": 2}
    assert engine.get_by_ids(AGENT, kept).total_found == 3
    found = [hit.memory.content for hit in engine.search(AGENT, "Ann was here")]
    assert "Ann was here" in found  # words in a text name nobody


@pytest.mark.requirement("erase.exact-subject")
def test_aliases_are_names_of_the_same_and_go_with_it(
    engine: karte.SqliteMemoryEngine, tell: Tell, db_path: Path
) -> None:
    tell("Anna", "city", "Paris")
    tell("Annie", "pet", "cat")
    engine.add_alias(AGENT, "Anna", "Annie")
    done = engine.erase(AGENT, subject="ANNIE")
    assert done.names == ("anna", "annie")
    assert engine.list_aliases(AGENT) == []
    assert everywhere(db_path, "ann") == []


@pytest.mark.requirement("erase.exact-subject")
def test_another_agents_subject_of_the_same_name_stays(engine: karte.SqliteMemoryEngine, tell: Tell) -> None:
    tell("Anna", "city", "Paris")
    tell("Anna", "city", "Rome", agent="b")
    engine.erase(AGENT, subject="Anna")
    assert engine.get_history(AGENT, "Anna", "city") == []
    assert len(engine.get_history("b", "Anna", "city")) == 1


@pytest.mark.requirement("erase.objects")
def test_facts_of_others_that_name_it_are_counted_and_go_on_request(
    engine: karte.SqliteMemoryEngine, tell: Tell, db_path: Path
) -> None:
    tell("Carol", "manager", "Bob", valid_from="2019")
    tell("Carol", "manager", "Anna", valid_from="2021")
    engine.end_fact(AGENT, "Carol", "manager", "2023")
    tell("Carol", "city", "Annapolis")
    done = engine.erase(AGENT, subject="Anna")
    assert (done.removed, done.mentions) == ({}, 1)
    done = engine.erase(AGENT, subject="Anna", include_objects=True)
    assert done.removed["memories"] == 1
    [bob] = engine.get_history(AGENT, "Carol", "manager")
    assert bob.object == "Bob"
    assert bob.valid_until is not None
    assert bob.valid_until.year == 2023  # the end was said of the fact and stands
    assert bob.superseded_by is None
    assert everywhere(db_path, "manager anna") == []
    assert engine.doctor().is_healthy


@pytest.mark.requirement("erase.objects")
def test_one_of_many_values_goes_with_its_whole_timeline(
    engine: karte.SqliteMemoryEngine, tell: Tell, db_path: Path
) -> None:
    engine.declare_predicate(AGENT, "knows", "many")
    tell("Carol", "knows", "Anna", valid_from="2020")
    tell("Carol", "knows", "Dan", valid_from="2020")
    engine.end_fact(AGENT, "Carol", "knows", "2022", object="Anna")
    engine.erase(AGENT, subject="Anna", include_objects=True)
    assert everywhere(db_path, "anna") == []
    assert [record.object for record in engine.get_history(AGENT, "Carol", "knows")] == ["Dan"]


@pytest.mark.requirement("erase.trust")
def test_what_trust_keeps_about_it_goes_too(engine: karte.SqliteMemoryEngine, tell: Tell, db_path: Path) -> None:
    anna = tell("Anna", "city", "Paris", "Anna zebrafish Paris")
    carol = tell("Carol", "city", "Rome")
    with engine._store.write() as session:
        for name, subject in (("r1", "anna"), ("r2", "carol"), ("r3", "carol")):
            session.approvals.add(
                _approval(name, subject, f'{{"items": [{{"id": "{anna}", "text": "zebrafish"}}, 7]}}')
            )
        session.approvals.add_items("r1", [Waiting(memory_id=anna, order=1)])
        session.approvals.add_items("r2", [Waiting(memory_id=anna, order=1), Waiting(memory_id=carol, order=2)])
        session.approvals.add_items("r3", [Waiting(memory_id=anna, order=None)])
        session.bursts.add(BurstKey(AGENT, "channel:x", "anna"), session.clock, Waiting(memory_id=anna, order=1))
        session.bursts.add(BurstKey(AGENT, "channel:x", "carol"), session.clock, Waiting(memory_id=carol, order=2))
        operation = Operation(id="o1", kind=OperationKind.PURGE, agent_id=AGENT, done_at=session.now, event="ev")
        items = [
            OperationItem(kind=ItemKind.ASSERTION, before="live", order=1),
            OperationItem(kind=ItemKind.ALIAS, before="anna", name="nan"),
            OperationItem(kind=ItemKind.ASSERTION, before="live", order=2),
        ]
        session.operations.add(operation, items)
        excerpt = {"excerpt": "zebrafish"}
        event = NewEvent(kind=EventKind.PROMPT_INJECTION, agent_id=AGENT, subject=" ANNA", data=excerpt)
        session.events.emit(event, session.now)
        about = {"ids": [anna, carol], "items": [{"id": anna, "content": "zebrafish"}]}
        session.events.emit(NewEvent(kind=EventKind.PURGED, agent_id=AGENT, data=about), session.now)
    done = engine.erase(AGENT, subject="Anna")
    assert done.leftovers == {}
    assert everywhere(db_path, "zebrafish") == []
    assert everywhere(db_path, "anna") == []
    with engine._store.read() as session:
        assert session.approvals.get("r1") is None
        assert session.approvals.get("r3") is None
        left = session.approvals.get("r2")
        assert left is not None
        assert left.payload == '{"items": [7]}'
        assert session.approvals.items("r2") == [Waiting(memory_id=carol, order=2)]
        assert [item.memory_id or item.order for item in session.operations.items("o1")] == [anna, 2]
        purged, erased = session.events.listed(EventFilter(agent=AGENT), limit=9, newest_first=False)
        assert (purged.kind, purged.data) == ("knowledge.purged", {"ids": [carol], "items": []})
        assert (erased.kind, erased.subject) == ("knowledge.erased", None)


def _approval(id: str, subject: str, payload: str) -> StoredApproval:
    return StoredApproval(
        id=id,
        action_kind="knowledge_quarantine",
        agent_id=AGENT,
        origin="channel:x",
        subject=subject,
        summary="3 held, zebrafish among them",
        payload=payload,
        state="pending",
        created_at="2026-06-01T00:00:00.000000+00:00",
        expires_at=LATER,
    )


@pytest.mark.requirement("erase.derivation")
def test_what_was_derived_from_it_stays_is_named_and_keeps_its_own_ancestors(
    engine: karte.SqliteMemoryEngine, tell: Tell
) -> None:
    first = tell("Source", "says", "x")
    anna = tell("Anna", "city", "Paris", derived_from=(first,))
    last = tell("Carol", "city", "Paris", derived_from=(anna,))
    done = engine.erase(AGENT, subject="Anna")
    assert done.derived == (last,)
    memory = engine.get_by_id(AGENT, last)
    assert memory is not None
    assert memory.derived_from == (first,)
    engine.retract(AGENT, first)
    [record] = engine.get_history(AGENT, "Carol", "city")
    assert record.origin_trust <= 0.1  # erasing launders nothing


@pytest.mark.requirement("erase.stop-list")
def test_a_stop_list_keeps_hashes_and_no_words(engine: karte.SqliteMemoryEngine, tell: Tell, db_path: Path) -> None:
    tell("Anna", "city", "Paris", "Anna zebrafish Paris")
    assert not engine.is_stopped(AGENT, "Anna zebrafish Paris")
    done = engine.erase(AGENT, subject="Anna", keep_stop_list=True)
    assert done.stopped == 1
    assert engine.is_stopped(AGENT, " anna  ZEBRAFISH paris")
    assert not engine.is_stopped("b", "Anna zebrafish Paris")
    assert not engine.is_stopped(AGENT, "Anna zebrafish")
    with engine._store.read() as session:
        assert session.stops.is_stopped(AGENT, content_hash("Anna zebrafish Paris"))
    assert everywhere(db_path, "zebrafish") == []
    engine.erase(AGENT, everything=True, keep_stop_list=True)
    assert engine.is_stopped(AGENT, "Anna zebrafish Paris")
    engine.erase(AGENT, everything=True)
    assert not engine.is_stopped(AGENT, "Anna zebrafish Paris")


@pytest.mark.requirement("erase.whole-agent")
def test_of_an_agent_that_is_erased_not_even_the_name_is_left(
    engine: karte.SqliteMemoryEngine, tell: Tell, db_path: Path
) -> None:
    gone = tell("Anna", "city", "Paris", agent="zebrafish")
    engine.add_alias("zebrafish", "Anna", "Annie")
    engine.declare_predicate("zebrafish", "knows", "many")
    engine.store(MemoryEntry(content="a note", agent_id="zebrafish"))
    engine.forget("zebrafish", gone)
    other = tell("Anna", "city", "Rome", agent="b", derived_from=(gone,))
    done = engine.erase("zebrafish", everything=True)
    assert done.leftovers == {}
    assert everywhere(db_path, "zebrafish") == []
    assert in_bytes(db_path, "zebrafish") == []
    kept = engine.get_by_id("b", other)
    assert kept is not None
    assert kept.derived_from == ()
    assert engine.doctor().is_healthy


@pytest.mark.requirement("erase.dry-run")
def test_a_dry_run_tells_the_same_and_changes_nothing(
    engine: karte.SqliteMemoryEngine, tell: Tell, db_path: Path
) -> None:
    tell("Anna", "city", "Paris")
    tell("Carol", "manager", "Anna")
    before = dump(db_path)
    tried = engine.erase(AGENT, subject="Anna", include_objects=True, keep_stop_list=True, dry_run=True)
    assert dump(db_path) == before
    done = engine.erase(AGENT, subject="Anna", include_objects=True, keep_stop_list=True)
    assert tried.dry_run
    assert (tried.removed, tried.stopped) == (done.removed, done.stopped)


@pytest.mark.requirement("erase.exact-subject")
@pytest.mark.parametrize("how", [{}, {"subject": "x", "everything": True}, {"subject": " "}, {"subject": 7}])
def test_what_is_not_one_subject_or_everything_is_refused(db_path: Path, how: dict[str, Any]) -> None:
    with Karte(db_path) as memory, pytest.raises(karte.InvalidInput):
        memory.erase(**how)


@pytest.mark.requirement("erase.bytes")
@pytest.mark.parametrize("count", [1, 400])
def test_the_bytes_are_gone_from_the_file_and_its_log(db_path: Path, count: int) -> None:
    words = ("zebrafish", "quokka", "pangolin", "zebra quokka")
    with Karte(db_path) as memory:
        for number in range(count):
            memory.store(f"somebody else has value {number}", subject=f"other {number}", predicate="has")
        memory.store("Zebrafish Quokka", subject="Pangolin", predicate="says", object="zebra quokka")
        memory.store("another zebrafish", subject="pangolin", predicate="says", object="quokka")
        assert in_bytes(db_path, *words)
        done = memory.erase(subject="pangolin")
        assert done.is_clean
        assert in_bytes(db_path, *words) == []
        assert len(memory.search("somebody", 1000)) == count
    assert in_bytes(db_path, *words) == []


READER = """
import sys, apsw
connection = apsw.Connection(sys.argv[1])
if sys.argv[2] == "reading":
    connection.execute("BEGIN")
print(connection.execute("SELECT count(*) FROM memories").get, flush=True)
sys.stdin.readline()
"""


@pytest.mark.requirement("erase.bytes")
def test_a_reader_in_another_process_is_told_of_and_erasing_again_finishes(db_path: Path) -> None:
    config = karte.Config(engine=karte.config.EngineSettings(busy_timeout_secs=0.2))
    with Karte(db_path, config=config) as memory:
        memory.store("zebrafish", subject="Anna", predicate="says")
        with _other(db_path, "reading") as reader:
            done = memory.erase(subject="Anna")
            assert done.removed["memories"] == 1
            assert not done.is_clean
            assert done.remedy is not None
            assert memory.search("zebrafish") == []
            reader.communicate("\n")
        done = memory.erase(subject="Anna")
        assert (done.removed, done.is_clean) == ({}, True)
        assert in_bytes(db_path, "zebrafish") == []


@pytest.mark.requirement("erase.bytes")
def test_another_process_that_only_has_the_file_open_is_no_hindrance(db_path: Path) -> None:
    with Karte(db_path) as memory:
        memory.store("zebrafish", subject="Anna", predicate="says")
        with _other(db_path, "open") as other:
            assert memory.erase(subject="Anna").is_clean
            assert in_bytes(db_path, "zebrafish") == []
            other.communicate("\n")


def _other(path: Path, how: str) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", READER, str(path), how], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline()
    return process


@pytest.mark.requirement("erase.every-table")
def test_an_older_engines_own_tables_forget_too_and_strange_ones_are_named(db_path: Path) -> None:
    older_file(db_path)
    connection = apsw.Connection(str(db_path))
    connection.execute("DROP TABLE IF EXISTS memories_fts")
    connection.execute("DROP TABLE IF EXISTS key_facts")
    connection.execute("CREATE VIRTUAL TABLE memories_fts USING fts5(content, agent_id UNINDEXED, memory_id UNINDEXED)")
    connection.execute("INSERT INTO memories_fts SELECT content, agent_id, id FROM memories")
    connection.execute("CREATE TABLE key_facts (id TEXT PRIMARY KEY, agent_id TEXT NOT NULL, fact TEXT NOT NULL)")
    connection.execute("INSERT INTO key_facts VALUES ('k', 'alice', 'zebrafish')")
    connection.execute("CREATE TABLE diary (line TEXT)")
    connection.close()
    with karte.SqliteMemoryEngine(db_path) as engine:
        done = engine.erase("alice", subject="Project1")
        assert done.removed["memories_fts"] >= 2
        assert done.unexamined == ("diary",)
        assert everywhere(db_path, "project1") == []
        assert in_bytes(db_path, "project1 is in phase") == []
        engine.erase("alice", everything=True)
        assert everywhere(db_path, "alice") == []
        assert everywhere(db_path, "zebrafish") == []
