"""Odd input: any text, any JSON and any Python value, and every door that takes it, field by field."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from karte import MemoryEngine, MemoryEntry, TemporalMeta

AGENT = "default"

ODD_TEXTS = (
    "",
    " ",
    "\n\t",
    "half an emoji \ud83e",
    "\udc00 first half",
    "a NUL \x00 inside",
    "\x00",
    "\ufeffa mark before",
    "the last \uffff of the plane",
    "\U0010ffff",
    "e\u0301\u0323 and \ufb03",
    "\u202eright to left",
    "\u200b\u200d",
    "🤷🏽‍♀️",
    "日本語のテキスト",
    "' OR 1=1; --",
    '" OR "a"="a',
    "% _ * ? [a-z] \\",
    "NEAR(a b) AND NOT {c : d} ^e*",
    "\x1f\x1e\x1d",
    "\x1b[31m",
    "x" * 10_001,
    "x" * 1_000_001,
    "null",
    "[]",
    "2026-13-45",
    "2026-02-30T25:61:61Z",
    "0000",
    "10000",
    "-1",
    "1e999",
    "origin_purge",
    "2026-06-01T00:00:00+99:99",
)

ODD_VALUES: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    1,
    5,
    2**63,
    10**400,
    10**5000,
    -(10**400),
    0.5,
    -0.0,
    math.nan,
    math.inf,
    -math.inf,
    1e308,
    b"bytes",
    b"\xff",
    bytearray(b"x"),
    Decimal("1.5"),
    Fraction(1, 3),
    1j,
    object(),
    [],
    [None],
    [1e308],
    [1, "a"],
    ["a", ["b"]],
    ["half \ud83e"],
    ["a"] * 1001,
    (),
    ("a",),
    {},
    {"a": 1},
    {1: 2},
    {"a": {"b": [None, True, 1.5, "c"]}},
    {"half \ud83e": "x"},
    {"a": "half \ud83e"},
    {"a": "\x00"},
    {"continues": "x"},
    {"a": math.nan},
    {"a": 10**400},
    {"a": 10**5000},
    {"a": {1, 2}},
    {"a": object()},
    {"a", "b"},
    frozenset(),
    range(3),
    iter(()),
    datetime(2026, 1, 1),
    datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=14))),
    datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=timezone(timedelta(hours=-12))),
    datetime(2026, 1, 1, tzinfo=UTC),
    date(2026, 1, 1),
    date.max,
    time(12),
    timedelta(days=1),
    str,
    len,
)


def nested(depth: int) -> Any:
    """A list in a list in a list."""
    value: Any = "x"
    for _ in range(depth):
        value = [value]
    return value


def _deep() -> dict[str, Any]:
    return {"a": nested(2000)}


any_text = st.text(st.characters(exclude_categories=()), max_size=40)
any_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | any_text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(any_text, inner, max_size=3),
    max_leaves=6,
)
anything = st.one_of(
    any_text,
    any_json,
    st.dictionaries(any_text, any_json, max_size=3),
    st.lists(any_text, max_size=3),
    st.sampled_from(ODD_TEXTS),
    st.integers(0, len(ODD_VALUES) - 1).map(lambda place: ODD_VALUES[place]),
    st.datetimes(),
    st.datetimes(timezones=st.just(UTC)),
    st.dates(),
    st.builds(_deep),
)

ENTRY_FIELDS: dict[str, Any] = {
    "content": "a note about it",
    "agent_id": AGENT,
    "id": None,
    "timestamp": "2026-05-01",
    "tags": ("a",),
    "embedding": None,
    "layer": "semantic",
    "importance": 5.0,
    "access_count": 0,
    "last_accessed": None,
    "source_event": "event",
}
META_FIELDS: dict[str, Any] = {
    "subject": "it",
    "predicate": "is",
    "object": "good",
    "valid_from": None,
    "valid_until": None,
    "confidence": 1.0,
    "metadata": {"a": 1},
    "origin": "user_direct",
    "origin_trust": None,
    "derived_from": (),
    "source_event": None,
}


@dataclass(frozen=True)
class Door:
    """A call, with an argument of the right kind for every parameter."""

    call: Callable[..., Any]
    arguments: dict[str, Any]


def _item(given: dict[str, Any]) -> tuple[MemoryEntry, TemporalMeta]:
    entry = {name: given[name] for name in ENTRY_FIELDS}
    meta = {name: given[f"meta_{name}"] for name in META_FIELDS}
    return MemoryEntry(**entry), TemporalMeta(**meta)


WRITTEN = ENTRY_FIELDS | {f"meta_{name}": value for name, value in META_FIELDS.items()}
FILTERS = {"layer": None, "tags": (), "valid_at": None, "known_at": None, "include_historical": False}


def _plain(name: str, **arguments: Any) -> Door:
    """A call of the engine by that name."""
    return Door(lambda engine, **given: getattr(engine, name)(**given), arguments)


DOORS: dict[str, Door] = {
    "store": Door(lambda engine, **given: engine.store(*_item(given)), WRITTEN),
    "store plain": Door(lambda engine, **given: engine.store(MemoryEntry(**given)), ENTRY_FIELDS),
    "store_temporal": Door(lambda engine, **given: engine.store_temporal(*_item(given)), WRITTEN),
    "store_many": Door(lambda engine, **given: engine.store_many([_item(given), MemoryEntry(content="ok")]), WRITTEN),
    "update": _plain("update", agent=AGENT, id="note", content="new words", tags=["x"], importance=1, metadata={}),
    "update a fact": _plain("update", agent=AGENT, id="fact", tags=["x"], importance=1, metadata={"b": 2}),
    "end_fact": _plain(
        "end_fact", agent=AGENT, subject="it", predicate="is", at=None, event="e", object=None, origin=None
    ),
    "expire_by_subject": _plain("expire_by_subject", agent=AGENT, subject="it", event="e", origin=None),
    "retract": _plain("retract", agent=AGENT, id="fact", event="e"),
    "forget": _plain("forget", agent=AGENT, id="note", reason="r"),
    "restore": _plain("restore", agent=AGENT, id="archived"),
    "declare_predicate": _plain("declare_predicate", agent=AGENT, predicate="is", cardinality="many", origin=None),
    "add_alias": _plain("add_alias", agent=AGENT, canonical="it", alias="that", origin=None),
    "remove_alias": _plain("remove_alias", agent=AGENT, alias="nick", origin=None),
    "get_by_id": _plain("get_by_id", agent=AGENT, id="note", known_at=None),
    "get_by_ids": _plain("get_by_ids", agent=AGENT, ids=["note"]),
    "list_recent": _plain("list_recent", agent=AGENT, limit=5, cursor=None, **FILTERS),
    "search": _plain("search", agent=AGENT, query="note", limit=5, metadata=None, min_trust=0.0, **FILTERS),
    "search_layer": _plain("search_layer", agent=AGENT, layer="semantic", query="note", limit=5),
    "get_at": _plain("get_at", agent=AGENT, subject="it", predicate="is", at=None, object=None, known_at=None),
    "get_all_at": _plain("get_all_at", agent=AGENT, subject="it", predicate="is", at=None, known_at=None),
    "get_history": _plain("get_history", agent=AGENT, subject="it", predicate="is", object=None, known_at=None),
    "list_predicates": _plain("list_predicates", agent=AGENT),
    "list_aliases": _plain("list_aliases", agent=AGENT),
    "events": _plain("events", agent=AGENT, kinds=[], after=0, before=None, limit=5, newest_first=False, cursor=None),
    "audit": _plain("audit", agent=AGENT, kinds=[], after=0, before=None, limit=5, newest_first=True, cursor=None),
}


def furnish(engine: MemoryEngine) -> None:
    """Something for every call to be about."""
    engine.store(MemoryEntry(content="a note", id="note"))
    engine.store_temporal(
        MemoryEntry(content="it is so", id="fact"),
        TemporalMeta(subject="it", predicate="is", object="so", valid_from="2020"),
    )
    engine.store(MemoryEntry(content="put away", id="archived"))
    engine.forget(AGENT, "archived")
    engine.add_alias(AGENT, "it", "nick")
    engine.store(MemoryEntry(content="another agent's", agent_id="other", id="foreign"))


@st.composite
def odd_calls(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """A door, and arguments of which one to three are anything at all."""
    name = draw(st.sampled_from(sorted(DOORS)))
    arguments = dict(DOORS[name].arguments)
    for field in draw(st.lists(st.sampled_from(sorted(arguments)), min_size=1, max_size=3, unique=True)):
        arguments[field] = draw(anything)
    return name, arguments
