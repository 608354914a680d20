"""Replies stay under their cap, are cut at whole letters, flagged, and lose no row."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karte.errors import InvalidInput
from karte.interfaces.mcp.results import (
    KEPT_FIELDS,
    LARGEST_REPLY,
    ROOM,
    cost,
    cut,
    failure,
    fill,
    fit_list,
    fit_outcome,
    fit_outcomes,
    trimmed,
    whole_letters,
)
from karte.interfaces.mcp.schemas import RECORD

pytestmark = pytest.mark.requirement("mcp.bounded-replies")

FAMILY = "👨\u200d👩\u200d👧"
FLAGS = "🇯🇵🇩🇪"
SKIN = "👍🏽"
ACCENT = "e\u0301"


def record(content: str = "x", **more: Any) -> dict[str, Any]:
    base = {
        "id": "i",
        "content": content,
        "is_current": True,
        "layer": "semantic",
        "tags": [],
        "importance": 5.0,
        "confidence": 1.0,
        "origin": "operator",
        "origin_trust": 1.0,
        "timestamp": "t",
        "ingested_at": "t",
    }
    return {**base, **more}


def frame_of(result: Any) -> bytes:
    text = json.dumps(result, ensure_ascii=False, separators=(",", ":"))
    reply = {"content": [{"type": "text", "text": text}], "structuredContent": result, "isError": False}
    return json.dumps({"jsonrpc": "2.0", "id": 1, "result": reply}, ensure_ascii=False, separators=(",", ":")).encode()


def test_cost_is_what_a_result_takes_in_a_frame() -> None:
    for result in ({}, {"a": '"\\\n東京🔑\x01'}, {"memories": [record("ü" * 500)] * 9}):
        empty = len(frame_of({})) - cost({})
        assert len(frame_of(result)) - empty == cost(result)


@pytest.mark.parametrize("letter", [FAMILY, SKIN, ACCENT, "🇯🇵", "\r\n", "が", "か\u3099", "✌\ufe0f", "क्षि"])
def test_a_cut_never_parts_a_letter(letter: str) -> None:
    text = "ab" + letter + "cd"
    for end in range(len(text) + 1):
        kept = text[: whole_letters(text, end)]
        assert kept in {text[:n] for n in range(3)} | {"ab" + letter, "ab" + letter + "c", text}


def test_flags_are_cut_between_pairs() -> None:
    assert [whole_letters(FLAGS, end) for end in range(5)] == [0, 0, 2, 2, 4]


@given(st.text(max_size=200), st.integers(0, 900))
def test_a_cut_text_fits_and_is_a_beginning(text: str, room: int) -> None:
    kept = cut(text, room)
    assert text.startswith(kept)
    assert not kept or cost(kept) <= room


@given(st.lists(st.text(max_size=300), max_size=20), st.integers(700, 3_000))
def test_filling_pages_gives_each_element_once_and_in_order(contents: list[str], room: int) -> None:
    records = [record(content, id=str(i)) for i, content in enumerate(contents)]
    given_, start = [], 0
    while True:
        page, rest = fill(enumerate(records[start:], start + 1), room)
        assert sum(cost(each) for each in page) <= room
        given_ += [each["id"] for each in page if isinstance(each, dict)]
        if rest is None:
            break
        assert rest > start
        start = rest
    assert given_ == [each["id"] for each in records]


def test_what_fits_is_not_touched() -> None:
    page, rest = fill(enumerate([record("a"), record("b")], 1), ROOM)
    assert page == [record("a"), record("b")]
    assert rest is None


@pytest.mark.parametrize("letter", ["x", "東", "🔑", '"', "\x01"])
def test_a_record_too_large_is_cut_in_its_content_and_says_so(letter: str) -> None:
    page, rest = fill(enumerate([record(letter * 200_000, metadata={"a": 1}), record("b")], 1), ROOM)
    (first,) = page
    assert isinstance(first, dict)
    assert rest == 1
    assert first["content_truncated"] is True
    assert first["metadata"] == {"a": 1}
    assert len(frame_of({"memories": page})) < LARGEST_REPLY
    assert cost(first) > ROOM * 0.9


def test_large_optional_fields_go_before_the_content_does() -> None:
    large = record("short", metadata={"a": "x" * 90_000}, object="y" * 30_000, subject="s", reaffirmed_by=["z"])
    kept = trimmed(large, ROOM)
    assert kept["content"] == "short"
    assert kept["omitted"] == ["metadata", "object"]
    assert kept["subject"] == "s"
    assert cost(kept) <= ROOM


def test_large_tags_go_last_and_stay_a_list() -> None:
    kept = trimmed(record("short", tags=["x" * 90_000]), ROOM)
    assert kept["tags"] == []
    assert kept["omitted"] == ["tags"]


def test_a_trimmed_record_keeps_what_its_schema_requires() -> None:
    assert set(RECORD["required"]) <= KEPT_FIELDS


def outcome(index: int, **more: Any) -> dict[str, Any]:
    return {"index": index, "status": "stored", "id": f"id{index:036}", "is_current": True, "superseded": [], **more}


def test_outcomes_lose_detail_before_they_lose_an_outcome() -> None:
    similar = [{"id": "x" * 36, "similarity": 0.5}] * 20
    superseded = ["y" * 36] * 20
    results = [outcome(i, similar=similar, superseded=superseded) for i in range(100)]
    fitted = fit_outcomes({"results": results, "stored": 100}, "results")
    assert cost(fitted) <= ROOM
    assert fitted["truncated"] is True
    assert [each["id"] for each in fitted["results"]] == [each["id"] for each in results]
    assert fitted["results"][0]["superseded_total"] == 20


def test_a_hundred_refusals_say_which_and_why() -> None:
    error = {"code": "invalid_text", "message": "m" * 600, "field": "items[9].content", "remedy": "r" * 600}
    results = [{"index": i, "status": "refused", "is_current": False, "error": error} for i in range(100)]
    fitted = fit_outcomes({"results": results}, "results")
    assert cost(fitted) <= ROOM
    assert {each["error"]["code"] for each in fitted["results"]} == {"invalid_text"}
    assert {each["error"]["field"] for each in fitted["results"]} == {"items[9].content"}


def test_one_outcome_is_untouched_or_flagged() -> None:
    assert fit_outcome(outcome(0)) == outcome(0)
    fitted = fit_outcome(outcome(0, superseded=["y" * 36] * 5_000))
    assert fitted["truncated"] is True
    assert (len(fitted["superseded"]), fitted["superseded_total"]) == (5, 5_000)


def test_a_long_list_is_cut_with_its_total() -> None:
    fitted = fit_list({"ended": ["y" * 36] * 5_000, "held": False}, "ended")
    assert cost(fitted) <= ROOM
    assert (fitted["truncated"], fitted["total"], fitted["held"]) == (True, 5_000, False)
    assert fit_list({"ended": ["y"], "held": False}, "ended") == {"ended": ["y"], "held": False}


def test_a_failure_is_small_whatever_it_says() -> None:
    said = failure(InvalidInput("m" * 100_000, field="f" * 100_000, value="v" * 100_000, remedy="r" * 100_000))
    assert cost(said) < LARGEST_REPLY
    assert list(said["error"]) == ["code", "message", "field", "remedy"]
