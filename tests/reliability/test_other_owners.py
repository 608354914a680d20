"""Another agent's memory looks like one that is not there, by every call, id, link and filter (FB-46, FB-47)."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import karte
from karte import MemoryEngine, MemoryEntry, TemporalMeta
from tests.conftest import FakeClock
from tests.reliability.health import Dump, check, check_says, config, dump, opened
from tests.reliability.odd import any_json, any_text

A, B = "alice", "bob"
SECRET = "the secret of alice"
MADE_UP = "01900000-0000-7000-8000-000000000000"


def _fact(agent: str, value: str, *, id: str | None = None, **meta: Any) -> tuple[MemoryEntry, TemporalMeta]:
    known = {"subject": "it", "predicate": "is", "object": value, **meta}
    return MemoryEntry(content=f"it is {value}", agent_id=agent, id=id), TemporalMeta(**known)


class Two:
    """What alice has (and bob must never see), and what bob has."""

    def __init__(self, engine: MemoryEngine) -> None:
        self.engine = engine
        self.note = str(engine.store(MemoryEntry(content=SECRET, agent_id=A, tags=["t"])).id)
        self.old = str(engine.store_temporal(*_fact(A, f"{SECRET} once", valid_from="2020")).id)
        self.new = str(engine.store_temporal(*_fact(A, f"{SECRET} now", valid_from="2022")).id)
        self.archived = str(engine.store(MemoryEntry(content=f"{SECRET} put away", agent_id=A)).id)
        engine.forget(A, self.archived)
        self.retracted = str(engine.store(MemoryEntry(content=f"{SECRET} taken back", agent_id=A)).id)
        engine.retract(A, self.retracted)
        engine.add_alias(A, "it", "nickname")
        engine.declare_predicate(A, "knows", "many")
        self.own = str(engine.store(MemoryEntry(content="bob's own", agent_id=B, tags=["t"])).id)

    @property
    def foreign(self) -> dict[str, str]:
        return {
            "a note": self.note,
            "a superseded fact": self.old,
            "a current fact": self.new,
            "an archived note": self.archived,
            "a retracted note": self.retracted,
        }


@pytest.fixture
def two(db_path: Path, clock: FakeClock) -> Any:
    with opened(db_path, clock=clock) as engine:
        yield Two(engine)
    check(db_path)


def _ended(call: Callable[[str], Any], id: str) -> str:
    """How a call about an id ends, with the id itself left out."""
    try:
        answer = repr(call(id))
    except karte.KarteError as error:
        answer = f"{error.code}: {error}"
    return answer.replace(id, "ID")


def _kept(path: Path) -> Dump:
    """All but the counters: a call that finds nothing to do may have had its instant."""
    return {table: rows for table, rows in dump(path).items() if table != "karte_state"}


BY_ID: dict[str, Callable[[MemoryEngine, str], Any]] = {
    "get_by_id": lambda engine, id: engine.get_by_id(B, id),
    "get_by_id known_at": lambda engine, id: engine.get_by_id(B, id, known_at="2030"),
    "get_by_ids": lambda engine, id: engine.get_by_ids(B, [id]),
    "update": lambda engine, id: engine.update(B, id, tags=["x"]),
    "update content": lambda engine, id: engine.update(B, id, content="mine now"),
    "forget": lambda engine, id: engine.forget(B, id),
    "restore": lambda engine, id: engine.restore(B, id),
    "retract": lambda engine, id: engine.retract(B, id),
}


@pytest.mark.requirement("read.only-own-agent", "batch.states")
@pytest.mark.parametrize("name", BY_ID)
def test_a_foreign_id_ends_like_a_made_up_one_and_changes_nothing(name: str, two: Two, db_path: Path) -> None:
    before = _kept(db_path)
    call = BY_ID[name]
    for what, id in two.foreign.items():
        expected = _ended(lambda id: call(two.engine, id), MADE_UP[: len(id)])
        assert _ended(lambda id: call(two.engine, id), id) == expected, what
    assert _kept(db_path) == before


@pytest.mark.requirement("read.only-own-agent")
def test_a_batch_finds_the_own_row_and_misses_all_that_looks_like_a_foreign_one(two: Two) -> None:
    foreign = list(two.foreign.values())
    odd = [*(id[:8] for id in foreign), *(id.upper() for id in foreign), two.own[:8], two.own.upper(), ""]
    odd += ["x" * 10_000, f"{two.own} ", f" {two.own}", f"{two.own}\x00", f"{two.own}\ud83e", "%", "*", "' OR 1=1 --"]
    asked = [two.own, *foreign, MADE_UP, *odd, two.own]
    result = two.engine.get_by_ids(B, asked)
    assert [memory.id for memory in result.memories] == [two.own]
    assert result.missing_ids == tuple(dict.fromkeys([*foreign, MADE_UP, *odd]))
    assert (result.total_found, result.total_missing) == (1, len(result.missing_ids))
    assert two.engine.get_by_ids(B, [two.own] * 100).total_found == 1
    with pytest.raises(karte.TooMany):
        two.engine.get_by_ids(B, [two.own] * 101)


@pytest.mark.requirement("read.only-own-agent")
def test_a_write_that_cites_a_foreign_id_is_as_if_the_id_were_made_up(two: Two) -> None:
    outcomes = []
    for number, id in enumerate([*two.foreign.values(), MADE_UP]):
        fact = _fact(B, "derived", derived_from=[id], subject=f"s{number}", origin="user_direct")
        outcome = two.engine.store_temporal(*fact)
        found = two.engine.get_by_id(B, str(outcome.id))
        assert found is not None
        outcomes.append((outcome.status, outcome.is_current, found.origin_trust, found.confidence, found.state))
    assert len(set(outcomes)) == 1
    assert outcomes[0][2] == 0.0
    two.engine.retract(A, two.note)
    two.engine.retract(A, two.new)
    assert len(two.engine.list_recent(B).items) == 7, "what another agent takes back changes nothing of bob's"


@pytest.mark.requirement("read.only-own-agent")
def test_a_foreign_id_cannot_be_taken_and_hardly_tells_whose_it_is(two: Two, db_path: Path) -> None:
    before = dump(db_path)
    with pytest.raises(karte.DuplicateId) as taken:
        two.engine.store(MemoryEntry(content="x", agent_id=B, id=two.note))
    with pytest.raises(karte.DuplicateId) as own:
        two.engine.store(MemoryEntry(content="x", agent_id=B, id=two.own))
    assert str(taken.value).replace(two.note, "ID") == str(own.value).replace(two.own, "ID")
    assert dump(db_path) == before


READS: dict[str, Callable[[MemoryEngine, Any], Any]] = {
    "search": lambda engine, at: engine.search(B, SECRET, 50, known_at=at, include_historical=True, touch=False),
    "search by tag": lambda engine, at: engine.search(B, SECRET, 50, known_at=at, tags=["t"], touch=False),
    "list": lambda engine, at: list(engine.list_recent(B, 50, known_at=at, include_historical=True)),
    "history": lambda engine, at: engine.get_history(B, "it", "is", known_at=at, include_quarantined=True),
    "history by alias": lambda engine, at: engine.get_history(B, "nickname", "is", known_at=at),
    "at": lambda engine, at: [engine.get_at(B, "it", "is", known_at=at)],
    "all at": lambda engine, at: engine.get_all_at(B, "it", "is", known_at=at),
    "aliases": lambda engine, _: engine.list_aliases(B),
    "predicates": lambda engine, _: engine.list_predicates(B),
}


@pytest.mark.requirement("read.only-own-agent")
@pytest.mark.parametrize("name", READS)
@pytest.mark.parametrize("known_at", [None, "2030"])
def test_no_read_shows_a_word_of_another_agent(name: str, known_at: str | None, two: Two) -> None:
    for answer in (READS[name](two.engine, known_at), READS[name](two.engine, known_at)):
        assert SECRET not in repr(answer)
        assert all(one is None or getattr(one, "agent_id", B) == B for one in answer)


@pytest.mark.requirement("read.only-own-agent")
def test_ends_aliases_and_declarations_of_one_agent_leave_the_others_facts_alone(two: Two) -> None:
    before = [repr(record) for record in two.engine.get_history(A, "it", "is")]
    for call in (
        lambda: two.engine.end_fact(B, "it", "is"),
        lambda: two.engine.expire_by_subject(B, "it"),
        lambda: two.engine.add_alias(B, "other", "it"),
        lambda: two.engine.remove_alias(B, "nickname"),
        lambda: two.engine.declare_predicate(B, "is", "many"),
        lambda: two.engine.store_temporal(*_fact(B, "another value")),
    ):
        assert SECRET not in _ended(lambda _, call=call: call(), MADE_UP)  # type: ignore[misc]
    assert [repr(record) for record in two.engine.get_history(A, "it", "is")] == before
    assert [alias.alias for alias in two.engine.list_aliases(A)] == ["nickname"]
    assert two.engine.list_predicates(A) == {"knows": "many"}


@pytest.mark.requirement("read.only-own-agent")
def test_one_agents_cursor_shows_another_only_its_own(two: Two) -> None:
    page = two.engine.list_recent(A, 1)
    assert page.next_cursor
    assert all(memory.agent_id == B for memory in two.engine.list_recent(B, 10, cursor=page.next_cursor))


@pytest.mark.requirement("read.only-own-agent")
def test_agents_whose_names_look_alike_are_different_ones(two: Two) -> None:
    for agent in ("Alice", "ALICE", "alice ", " alice", "al%", "a*", "alice\x1f", "ａｌｉｃｅ", "alic"):
        assert two.engine.list_recent(agent, 10).items == ()
        assert two.engine.search(agent, SECRET) == []
        assert two.engine.get_by_id(agent, two.note) is None
        assert two.engine.get_history(agent, "it", "is") == []


# ---------------------------------------------------------------------------------------------- filters by metadata

ODD_KEYS = (
    "a' OR '1'='1",
    "x') OR 1=1 --",
    "$.a",
    "a.b",
    "content-type",
    'a"b',
    "日本",
    "[0]",
    "",
    "$",
    "a b",
    "a\\b",
    "a\nb",
    "'; DROP TABLE memories; --",
    "%",
    "#",
    "a[0]",
    "a.b.c",
    "\ufeff",
    "k" * 5000,
)
ODD_VALUES: tuple[Any, ...] = (
    "it's",
    'say "so"',
    "%",
    "_",
    "*",
    "",
    "null",
    "true",
    "1",
    [],
    [1, 2],
    ["a", {"b": None}],
    {},
    {"nested": {"deeper": [True, None, 1.5]}},
    None,
    True,
    False,
    1,
    0,
    1.0,
    0.0,
    -1,
    10**400,
    1e300,
    "日本",
)


@pytest.mark.requirement("search.metadata-keys-are-data", "read.only-own-agent")
def test_an_odd_key_matches_exactly_the_rows_that_have_it(db_path: Path) -> None:
    with opened(db_path) as engine:
        ids = {}
        for number, key in enumerate(ODD_KEYS):
            for agent in (A, B):
                entry = MemoryEntry(content=f"a note number {number}", agent_id=agent)
                outcome = engine.store(entry, TemporalMeta(metadata={key: "v", "a": {"b": "w"}}))
                ids[agent, key] = outcome.id
        for key in ODD_KEYS:
            for known_at in (None, "2100"):
                found = engine.search(B, "note", 100, metadata={key: "v"}, known_at=known_at)
                assert [hit.id for hit in found] == [ids[B, key]], key
                assert engine.search(B, "note", 100, metadata={key: "w"}, known_at=known_at) == [], key
        assert engine.search(B, "note", 100, metadata={"no such": None}) == []
        assert len(engine.search(B, "note", 100, metadata={})) == len(ODD_KEYS)
    check(db_path)


@pytest.mark.requirement("search.metadata-keys-are-data")
def test_an_odd_value_matches_exactly_its_equal_and_true_is_not_1(db_path: Path) -> None:
    with opened(db_path) as engine:
        ids = []
        for value in ODD_VALUES:
            entry = MemoryEntry(content="a note", agent_id=B)
            ids.append(engine.store(entry, TemporalMeta(metadata={"k": value})).id)
            engine.store(MemoryEntry(content="a note", agent_id=A), TemporalMeta(metadata={"k": value}))
        engine.store(MemoryEntry(content="a note without", agent_id=B))
        for place, value in enumerate(ODD_VALUES):
            found = [hit.id for hit in engine.search(B, "note", 100, metadata={"k": value})]
            assert found == [ids[place]], value
        assert engine.search(B, "note", 100, metadata={"k": 10**401}) == []
        assert engine.search(B, "note", 100, metadata={"k": float("nan")}) == []
    check(db_path)


def _check_no_sql(sentence: str) -> None:
    assert not any(word in sentence for word in ("sql", "syntax", "select", "table"))


@pytest.mark.requirement("search.metadata-keys-are-data")
@pytest.mark.parametrize("text", [*ODD_KEYS, "1' OR '1'='1", "memories; DROP TABLE memories"])
def test_odd_words_in_any_other_place_open_no_row_and_say_nothing_of_sql(text: str, two: Two) -> None:
    engine = two.engine
    calls: list[Callable[[], Any]] = [
        lambda: engine.search(B, text, 50, touch=False),
        lambda: engine.search(B, "own", 50, tags=[text]),
        lambda: engine.search(B, "own", 50, layer=text),
        lambda: engine.search(B, "own", 50, metadata={text: {text: [text]}}),
        lambda: list(engine.list_recent(B, 50, tags=[text])),
        lambda: list(engine.list_recent(B, 50, layer=text)),
        lambda: list(engine.list_recent(B, 50, cursor=text)),
        lambda: engine.get_history(B, text, text, object=text),
        lambda: engine.get_all_at(B, text, text),
        lambda: engine.list_recent(text, 50).items,
        lambda: [engine.get_by_id(B, text)],
    ]
    for call in calls:
        try:
            answer = call()
        except karte.InvalidInput as error:
            _check_no_sql(str(error).lower().replace(text.lower(), ""))
        else:
            assert all(one is None or one.agent_id == B for one in answer)
    assert engine.get_by_id(A, two.note) is not None


metadata = st.dictionaries(any_text, any_json, max_size=3)


@settings(max_examples=80)
@given(metadata, metadata, st.booleans())
def test_whatever_is_filtered_by_only_own_rows_with_equal_metadata_are_found(
    stored: dict[str, Any], asked: dict[str, Any], is_same: bool
) -> None:
    with karte.SqliteMemoryEngine(":memory:", config=config()) as engine:
        for agent in (A, B):
            try:
                engine.store(MemoryEntry(content="a note", agent_id=agent), TemporalMeta(metadata=stored))
            except karte.InvalidInput:
                return
        try:
            found = engine.search(B, "note", metadata=stored if is_same else asked)
        except karte.InvalidInput as error:
            check_says(error, "metadata")
            return
        assert all(hit.agent_id == B for hit in found)
        if is_same:
            assert len(found) == 1
