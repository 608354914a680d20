"""What the older engine answered from its own files holds after the upgrade, save what the design wants otherwise."""

import json
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from karte import Memory, MemoryEntry, SqliteMemoryEngine, TemporalMeta
from karte.domain.time import parse_instant
from tests.conftest import FakeClock
from tests.migrations.files import REAL_FILES, real_file

pytestmark = pytest.mark.requirement("upgrade.answers-survive")

ID = "5eed0000-0000-4000-8000-0000000000"
HELD = "held rows are inert until somebody decides (1-data.md, 3-trust.md)"
CURRENT = "a list holds only what is current (2-time.md, Reading)"
SPELLING = "spellings of one name are one identity (2-time.md, Identity)"

# File, call and leading arguments of every answer that the design wants otherwise, and why.
DIFFERENT: Mapping[tuple[object, ...], str] = {
    ("engine_1_62.db", "get_history", "alice", "Project0", "status"): HELD,
    ("engine_1_62.db", "get_history", "alice", "Project1", "status"): HELD,
    ("engine_1_62.db", "get_at", "alice", "Project2", "status", "2027-01-01T00:00:00+00:00"): HELD,
    ("engine_1_62.db", "get_origin_trust", "alice", f"{ID}9e"): HELD,
    ("engine_1_62.db", "get_by_id", "alice", f"{ID}9f"): HELD,
    ("engine_1_62.db", "is_quarantined", "alice", f"{ID}9f"): HELD,
    ("engine_1_62.db", "get_origin", "alice", f"{ID}a0"): HELD,
    ("engine_1_62.db", "get_by_ids", "alice"): HELD,
    ("engine_1_62.db", "list_recent", "alice", 1): CURRENT,
    ("engine_1_62.db", "list_recent", "bob", 10): CURRENT,
    ("engine_1_62.db", "list_recent", "bob", 500): CURRENT,
    ("engine_1_62.db", "get_history", "alice", "project0", "status"): SPELLING,
}

# The older engine showed no stored vector in any answer; ours does, so ``embedding`` is not compared.
MEMORY_FIELDS = (
    "id",
    "agent_id",
    "content",
    "timestamp",
    "tags",
    "layer",
    "importance",
    "access_count",
    "last_accessed",
    "source_event",
)
RECORD_FIELDS = (
    "id",
    "content",
    "valid_from",
    "valid_until",
    "superseded_by",
    "supersedes",
    "confidence",
    "ingested_at",
    "invalidated_by_event",
    "invalidated_at",
    "reaffirmed_by",
)
TIMES = {"timestamp", "last_accessed", "valid_from", "valid_until", "ingested_at", "invalidated_at"}

Fields = tuple[str, ...]


def _instant(text: str) -> datetime:
    return datetime.fromisoformat(parse_instant(text, "time"))


def _given(record: Mapping[str, Any] | None, fields: Fields) -> dict[str, Any] | None:
    if record is None:
        return None
    return {name: _instant(record[name]) if name in TIMES and record[name] else record[name] for name in fields}


def _got(memory: Memory | None, fields: Fields) -> dict[str, Any] | None:
    if memory is None:
        return None
    values = {name: getattr(memory, name) for name in fields}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def _all_given(records: Iterable[Mapping[str, Any]], fields: Fields) -> list[dict[str, Any] | None]:
    return [_given(record, fields) for record in records]


def _all_got(memories: Iterable[Memory], fields: Fields) -> list[dict[str, Any] | None]:
    return [_got(memory, fields) for memory in memories]


def _attribute(name: str) -> Callable[[SqliteMemoryEngine, list[Any], Any], tuple[object, object]]:
    def answer(engine: SqliteMemoryEngine, args: list[Any], result: Any) -> tuple[object, object]:
        memory = engine.get_by_id(*args)
        return (None if memory is None else getattr(memory, name)), result

    return answer


# For each call of the older engine: ours and its answer, in one form.
CALLS: Mapping[str, Callable[[SqliteMemoryEngine, list[Any], Any], tuple[object, object]]] = {
    "get_at": lambda e, args, r: (_got(e.get_at(*args), RECORD_FIELDS), _given(r, RECORD_FIELDS)),
    "get_history": lambda e, args, r: (_all_got(e.get_history(*args), RECORD_FIELDS), _all_given(r, RECORD_FIELDS)),
    "get_by_id": lambda e, args, r: (_got(e.get_by_id(*args), MEMORY_FIELDS), _given(r, MEMORY_FIELDS)),
    "get_by_ids": lambda e, args, r: (
        _all_got(e.get_by_ids(*args).memories, MEMORY_FIELDS),
        _all_given(r, MEMORY_FIELDS),
    ),
    "list_recent": lambda e, args, r: (_all_got(e.list_recent(*args), MEMORY_FIELDS), _all_given(r, MEMORY_FIELDS)),
    "list_entity_aliases": lambda e, args, r: ([[a.canonical, a.alias] for a in e.list_aliases(*args)], r),
    "get_origin": _attribute("origin"),
    "get_origin_trust": _attribute("origin_trust"),
    "is_quarantined": _attribute("quarantined"),
}


def _key(name: str, answer: Mapping[str, Any]) -> tuple[object, ...]:
    return (name, answer["op"], *(argument for argument in answer["args"] if not isinstance(argument, list)))


def _answers(data_dir: Path, name: str) -> list[dict[str, Any]]:
    everything = json.loads((data_dir / "legacy" / "answers.json").read_text(encoding="utf-8"))
    answers: list[dict[str, Any]] = everything.get(name, {}).get("answers", [])
    return answers


@pytest.mark.parametrize("name", REAL_FILES)
def test_older_answers_hold_and_every_listed_difference_is_real(
    data_dir: Path, tmp_path: Path, clock: FakeClock, name: str
) -> None:
    answers = _answers(data_dir, name)
    clock.now = _instant(answers[0]["asked_at"] if answers else "2026-12-02")
    unlisted, agreeing, listed = [], [], set()
    with SqliteMemoryEngine(real_file(data_dir, name, tmp_path), clock=clock) as engine:
        for answer in answers:
            clock.now = _instant(answer["asked_at"])
            ours, theirs = CALLS[answer["op"]](engine, answer["args"], answer["result"])
            key = _key(name, answer)
            if key in DIFFERENT:
                listed.add(key)
                if ours == theirs:
                    agreeing.append(key)
            elif ours != theirs:
                unlisted.append((key, ours, theirs))
    assert unlisted == []
    assert agreeing == []
    assert listed == {key for key in DIFFERENT if key[0] == name}


@pytest.mark.requirement("upgrade.quarantined-stay-inert")
def test_held_rows_of_an_older_file_are_shown_only_on_request(data_dir: Path, tmp_path: Path, clock: FakeClock) -> None:
    clock.set("2026-12-02")
    with SqliteMemoryEngine(real_file(data_dir, "engine_1_62.db", tmp_path), clock=clock) as engine:
        assert [record.state for record in engine.get_history("alice", "Project0", "status")] == ["live"]
        shown = engine.get_history("alice", "Project0", "status", include_quarantined=True)
        assert sorted((record.state, record.origin, record.origin_trust) for record in shown) == [
            ("live", "user_direct", 1.0),
            ("quarantined", "channel", 0.3),
        ]
        assert engine.get_by_ids("alice", [f"{ID}9e", f"{ID}9f", f"{ID}a0"]).total_found == 0
        assert not [hit for hit in engine.search("alice", "hacked") if hit.quarantined]


@pytest.mark.requirement("upgrade.retractions-converted")
def test_purged_and_rejected_rows_of_an_older_file_are_marked_and_never_current(
    data_dir: Path, tmp_path: Path, clock: FakeClock
) -> None:
    clock.set("2026-12-02")
    with SqliteMemoryEngine(real_file(data_dir, "engine_1_62.db", tmp_path), clock=clock) as engine:
        for number in range(6):
            (record,) = engine.get_history("alice", f"merger{number}", "rumour")
            assert (record.state, record.is_current) == ("purged", False)
            assert engine.get_at("alice", f"merger{number}", "rumour") is None
        (rejected,) = engine.get_history("alice", "visitor6", "status")
        assert (rejected.state, rejected.is_current, rejected.origin_trust) == ("rejected", False, 0.1)


@pytest.mark.requirement("upgrade.replans-nothing", "file.revisions")
def test_the_first_write_to_a_fact_plans_it_anew_and_the_old_reading_stays_known(
    data_dir: Path, tmp_path: Path, clock: FakeClock
) -> None:
    clock.set("2026-12-02")
    with SqliteMemoryEngine(real_file(data_dir, "engine_1_62.db", tmp_path), clock=clock) as engine:
        before = engine.get_history("alice", "person0", "lives_in")
        assert before[0].valid_until == _instant("2026-12-01T23:59:01.215564+00:00")
        other = engine.get_history("alice", "person1", "lives_in")
        clock.set("2026-12-03")
        entry = MemoryEntry(content="person0 moved to Lyon", agent_id="alice")
        meta = TemporalMeta(subject="person0", predicate="lives_in", object="Lyon", valid_from="2026-12-01")
        engine.store_temporal(entry, meta)
        after = engine.get_history("alice", "person0", "lives_in")
        assert [(r.object, r.valid_until) for r in after] == [
            ("Taipei", _instant("2026-06-01")),
            ("Berlin", _instant("2026-12-01")),
            ("Lyon", None),
        ]
        assert engine.get_history("alice", "person0", "lives_in", known_at="2026-12-02") == before
        assert engine.get_history("alice", "person1", "lives_in") == other


@pytest.mark.requirement("upgrade.replans-nothing")
def test_a_later_plan_still_knows_who_confirmed_a_fact(data_dir: Path, tmp_path: Path, clock: FakeClock) -> None:
    clock.set("2026-12-02")
    with SqliteMemoryEngine(real_file(data_dir, "engine_1_62.db", tmp_path), clock=clock) as engine:
        (before,) = engine.get_history("alice", "cafe5", "opens_at")
        entry = MemoryEntry(content="cafe5 opens at nine", agent_id="alice")
        meta = TemporalMeta(subject="cafe5", predicate="opens_at", object="09:00", valid_from="2027-01-01")
        engine.store_temporal(entry, meta)
        after = engine.get_history("alice", "cafe5", "opens_at")[0]
        assert len(before.reaffirmed_by) == 5
        assert (after.reaffirmed_by, after.confidence) == (before.reaffirmed_by, before.confidence)
        assert after.origin_trust == before.origin_trust
