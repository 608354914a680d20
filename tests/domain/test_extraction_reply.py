"""What is taken from a model's reply, and what the model is shown: whatever either side writes."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karte.domain.distilling import ExtractedFact, SpokenTurn
from karte.domain.drafts import MAX_CONTENT, MAX_NAME, draft_of
from karte.domain.extraction_reply import (
    CUT_MARK,
    DOCUMENT_SCHEMA,
    FACTS_SCHEMA,
    LONGEST_SPEAKER,
    batches_of,
    cut,
    facts_of,
    fenced,
    fenced_text,
    is_document_of,
)
from karte.domain.model import MemoryEntry, TemporalMeta

pytestmark = pytest.mark.requirement("pages.reply")

GOOD: dict[str, Any] = {
    "turn": 0,
    "content": "Mia lives in Kyoto",
    "subject": "Mia",
    "predicate": "lives_in",
    "object": "Kyoto",
    "valid_from": "2026-03",
    "valid_until": None,
    "many": False,
}

ANY_TEXT = st.text(st.characters(codec=None), max_size=40)  # halves of surrogate pairs too
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ANY_TEXT, inner, max_size=4),
    max_leaves=12,
)
ANY_TIME = st.sampled_from(["2026", "2026-03", "2026-13", "2026-03-09T10:00:00Z", "9999", "yesterday", ""])
ANY_ITEM = st.fixed_dictionaries(
    {},
    optional={
        "turn": st.integers(-1, 4) | ANY_JSON,
        "content": ANY_TEXT | ANY_JSON,
        "subject": ANY_TEXT | ANY_JSON,
        "predicate": ANY_TEXT | ANY_JSON,
        "object": ANY_TEXT | ANY_JSON,
        "valid_from": ANY_TIME | ANY_JSON,
        "valid_until": ANY_TIME | ANY_JSON,
        "many": st.booleans() | ANY_JSON,
        "origin": ANY_JSON,
    },
)
NEARLY_GOOD = st.builds(lambda changes: GOOD | changes, ANY_ITEM)


def reply_of(*items: object) -> str:
    return json.dumps({"facts": items})


def check(facts: list[ExtractedFact] | None, turns_count: int, first_turn: int) -> None:
    """Every fact can be written as it is, and is of a turn that was shown; the turns are in order."""
    for fact in facts or ():
        assert first_turn <= fact.turn < first_turn + turns_count
        assert isinstance(fact.is_many, bool)
        draft = draft_of(
            MemoryEntry(agent_id="dudu", content=fact.content),
            TemporalMeta(
                subject=fact.subject,
                predicate=fact.predicate,
                object=fact.object,
                valid_from=fact.valid_from,
                valid_until=fact.valid_until,
            ),
            "channel",
        )
        assert draft.subject
        assert draft.predicate
        assert draft.object != ""
    assert [fact.turn for fact in facts or ()] == sorted(fact.turn for fact in facts or ())


# --- whatever a model writes -----------------------------------------------------------------


@given(ANY_TEXT, st.integers(0, 3), st.integers(0, 50))
def test_no_text_breaks_the_reading_or_becomes_a_fact(text: str, turns_count: int, first_turn: int) -> None:
    assert not facts_of(text, turns_count, first_turn)
    assert is_document_of(text) is None


@given(ANY_JSON)
def test_no_json_breaks_the_reading(value: object) -> None:
    check(facts_of(json.dumps(value), 3), 3, 0)
    assert is_document_of(json.dumps(value)) in {None, True, False}


@given(st.lists(ANY_ITEM | NEARLY_GOOD | ANY_JSON, max_size=5), st.integers(0, 4), st.integers(0, 50))
def test_whatever_the_items_hold_every_fact_is_valid(items: list[object], turns_count: int, first_turn: int) -> None:
    check(facts_of(reply_of(*items), turns_count, first_turn), turns_count, first_turn)


@given(st.lists(ANY_ITEM | ANY_JSON, max_size=3), st.lists(ANY_ITEM | ANY_JSON, max_size=3))
def test_a_good_item_is_kept_whatever_stands_beside_it(before: list[object], after: list[object]) -> None:
    reply = reply_of(*before, GOOD, *after)
    try:
        json.loads(reply, parse_constant=lambda name: 1 / 0)
    except ZeroDivisionError:
        assert facts_of(reply, 1) is None  # NaN is no JSON
        return
    kept = facts_of(reply, 1)
    assert kept is not None
    assert "Mia lives in Kyoto" in [fact.content for fact in kept]


# --- the whole reply -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "Mia lives in Kyoto",
        "[]",
        "null",
        "{}",
        '{"facts": null}',
        '{"facts": {}}',
        '{"facts": "Mia lives in Kyoto"}',
        '{"facts": [NaN]}',
        '{"facts": [',
        '{"facts": []} and more',
        '```json\n{"facts": []}\n``` and more',
        '```\n{"facts": []}\n```\n```\n{"facts": []}\n```',
        "[" * 200_000,
        f'{{"facts": [{"9" * 5000}]}}',
    ],
)
def test_what_is_no_list_of_facts_is_no_reply(reply: str) -> None:
    assert facts_of(reply, 1) is None


@pytest.mark.parametrize(
    "reply",
    [
        reply_of(GOOD),
        f" \n{reply_of(GOOD)}\n",
        f"```json\n{reply_of(GOOD)}\n```",
        f"\n```JSON  \r\n{json.dumps({'facts': [GOOD]}, indent=2)}\r\n```\n",
        f"```\n{reply_of(GOOD)}```",
        json.dumps({"facts": [GOOD], "thoughts": "none"}),
    ],
)
def test_a_list_of_facts_is_read_as_it_stands_or_in_one_fence(reply: str) -> None:
    fact = ExtractedFact(
        content="Mia lives in Kyoto",
        subject="Mia",
        predicate="lives_in",
        object="Kyoto",
        valid_from="2026-03",
        turn=7,
    )
    assert facts_of(reply, 1, first_turn=7) == [fact]


def test_no_facts_are_a_valid_reply() -> None:
    assert facts_of(reply_of(), 1) == []


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ('{"is_document": true}', True),
        ('```json\n{"is_document": false}\n```', False),
        ('{"is_document": 1}', None),
        ('{"is_document": "true"}', None),
        ("true", None),
        ("{}", None),
    ],
)
def test_a_document_is_one_only_by_a_boolean(reply: str, answer: bool | None) -> None:
    assert is_document_of(reply) is answer


# --- one item --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        {"turn": -1},
        {"turn": 2},
        {"turn": "0"},
        {"turn": 0.0},
        {"turn": False},
        {"turn": None},
        {"content": ""},
        {"content": " \n\u3000"},
        {"content": None},
        {"content": ["Mia"]},
        {"content": "x" * (MAX_CONTENT + 1)},
        {"content": "a\x00b"},
        {"content": "a\ud800"},
        {"subject": ""},
        {"subject": 5},
        {"subject": "x" * (MAX_NAME + 1)},
        {"subject": "a\udc00"},
        {"predicate": "  "},
        {"predicate": None},
        {"object": 5},
        {"object": "x" * (MAX_NAME + 1)},
        {"object": " " * (MAX_NAME + 1)},
        {"object": "\x00"},
        {"valid_from": "last March"},
        {"valid_from": "2026-13"},
        {"valid_from": 1_770_000_000},
        {"valid_until": "0000"},
        {"valid_until": True},
        {"valid_until": "2026-02"},  # before the start
        {"many": None},
        {"many": "true"},
        {"many": 0},
    ],
)
def test_an_item_that_is_not_valid_is_left_out_alone(change: dict[str, object]) -> None:
    kept = facts_of(reply_of(GOOD | change, GOOD | {"turn": 1}), 2)
    assert kept is not None
    assert [fact.turn for fact in kept] == [1]


@pytest.mark.parametrize("missing", ["turn", "content", "subject", "predicate"])
def test_an_item_without_what_makes_a_fact_is_left_out(missing: str) -> None:
    assert facts_of(reply_of({name: value for name, value in GOOD.items() if name != missing}), 1) == []


def test_what_an_item_leaves_open_is_none() -> None:
    fact = ExtractedFact(content="c", subject="s", predicate="p")
    bare = {"turn": 0, "content": " c ", "subject": "s\n", "predicate": "p"}
    empty = bare | {"object": "", "valid_from": " ", "valid_until": "", "many": False}
    assert facts_of(reply_of(bare, empty), 1) == [fact, fact]


def test_an_end_may_be_of_the_span_in_which_the_fact_began() -> None:
    assert facts_of(reply_of(GOOD | {"valid_until": "2026-03"}, GOOD | {"valid_until": "9999"}), 1) != []


def test_what_an_item_says_beyond_a_fact_counts_for_nothing() -> None:
    assert facts_of(reply_of(GOOD | {"origin": "human", "trust": 1, "id": "x"}), 1) == facts_of(reply_of(GOOD), 1)


def test_the_schemas_are_strict_at_every_level() -> None:
    fact = FACTS_SCHEMA["properties"]["facts"]["items"]
    for schema in (FACTS_SCHEMA, DOCUMENT_SCHEMA, fact):
        assert schema["required"] == list(schema["properties"])
        assert schema["additionalProperties"] is False
    assert list(fact["properties"]) == list(GOOD)


# --- what the model is shown -----------------------------------------------------------------


@given(st.lists(st.builds(SpokenTurn, text=ANY_TEXT, speaker=st.none() | ANY_TEXT), max_size=4))
def test_whatever_turns_say_they_stay_on_their_lines_and_can_be_read_back(turns: list[SpokenTurn]) -> None:
    shown = fenced(turns)
    first, *lines, last = shown.splitlines()  # by every line end there is
    assert (first, last, len(lines)) == ("<turns>", "</turns>", len(turns))
    assert not set("<>[") & set("".join(lines))
    for place, (line, turn) in enumerate(zip(lines, turns, strict=True)):
        told = json.loads(line)
        assert (told["turn"], told["text"]) == (place, whole(turn.text))
        assert told["speaker"] == (None if turn.speaker is None else whole(turn.speaker))


@given(ANY_TEXT)
def test_whatever_a_document_says_it_stays_on_its_line(text: str) -> None:
    first, line, last = fenced_text(text).splitlines()
    assert (first, last) == ("<document>", "</document>")
    assert json.loads(line) == {"text": whole(text)}


def whole(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


def test_a_time_is_told_in_its_own_zone_with_the_day_of_the_week() -> None:
    tokyo = datetime(2026, 3, 1, 8, tzinfo=timezone(timedelta(hours=9)))
    shown = fenced([SpokenTurn(text="a", time=tokyo), SpokenTurn(text="b", time=tokyo.replace(tzinfo=None))])
    assert "2026-03-01T08:00:00+09:00 (Sunday)" in shown
    assert "2026-03-01T08:00:00+00:00 (Sunday)" in shown
    assert "2026-02-28T23:00:00+00:00 (Saturday)" in fenced([SpokenTurn(text="a", time=tokyo.astimezone(UTC))])


def test_a_long_name_of_a_speaker_is_cut() -> None:
    told = json.loads(fenced([SpokenTurn(text="a", speaker="x" * 10_000)]).splitlines()[1])
    assert len(told["speaker"]) == LONGEST_SPEAKER


@given(st.lists(st.text("ab", max_size=12), max_size=12), st.integers(1, 4), st.integers(1, 10))
def test_batches_are_bounded_and_hold_every_turn_once_in_its_place(texts: list[str], most: int, room: int) -> None:
    turns = [SpokenTurn(text=text) for text in texts]
    batches = list(batches_of(turns, most, room))
    shown = [(batch.first + place, turn.text) for batch in batches for place, turn in enumerate(batch.turns)]
    assert shown == [(place, cut(text, room)) for place, text in enumerate(texts)]
    for batch in batches:
        assert 1 <= len(batch.turns) <= most
        assert sum(len(turn.text) for turn in batch.turns) <= room


def test_a_cut_text_says_so() -> None:
    assert cut("x" * 100, 100) == "x" * 100
    assert cut("x" * 101, 100) == "x" * (100 - len(CUT_MARK)) + CUT_MARK
