"""Mistakes: what is noted of one, in which order they are read, and which of them go."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, cast

import pytest

from karte.domain.metacognition import ErrorCategory
from karte.domain.mistakes import (
    Evidence,
    Kept,
    MistakeCategory,
    MistakeEntry,
    category_of,
    checked_mistake,
    instant_of,
    newest_first,
    plan_retention,
    resolved_horizon,
    trust_of,
)
from karte.errors import InvalidInput, InvalidText, InvalidTime, TooMany

NOW = "2026-06-01T12:00:00.000000+00:00"


def checked(**fields: object) -> MistakeEntry:
    entry = MistakeEntry(**{"what_went_wrong": "it went wrong", **fields})  # type: ignore[arg-type]
    return checked_mistake(entry, id="m-1", now=NOW, default_origin="unattributed")


@pytest.mark.requirement("reflexion.mistake")
@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("factual", MistakeCategory.FACTUAL),
        (" Safety ", MistakeCategory.SAFETY),
        ("ＳＡＦＥＴＹ", MistakeCategory.SAFETY),
        ("", MistakeCategory.BEHAVIORAL),
        ("catastrophic", MistakeCategory.BEHAVIORAL),
    ],
)
def test_an_unknown_category_reads_as_behavioral(text: object, category: MistakeCategory) -> None:
    assert category_of(text) is category
    assert MistakeEntry(what_went_wrong="x", category=cast("MistakeCategory", text)).category is category


@pytest.mark.requirement("reflexion.mistake")
def test_what_was_left_open_is_filled_in() -> None:
    noted = checked(input_summary="  ", ground_truth="\n", evidence=Evidence(tool=" "))
    assert noted.id == "m-1"
    assert noted.timestamp == datetime(2026, 6, 1, 12, tzinfo=UTC)
    assert (noted.origin, noted.origin_trust) == ("unattributed", 0.6)
    assert (noted.input_summary, noted.ground_truth, noted.evidence) == ("", None, None)
    assert noted.severity is ErrorCategory.SIGNIFICANT
    assert not noted.resolved


@pytest.mark.requirement("reflexion.mistake")
def test_what_the_caller_says_stays() -> None:
    evidence = Evidence(tool="search", error_kind="Timeout", excerpt="after 30 s")
    noted = checked(
        id="mine",
        timestamp="2026-05-01",
        category="safety",
        session_id="s-1",
        input_summary="asked",
        response_summary="answered",
        ground_truth="right",
        corrective_insight="do so",
        evidence=evidence,
        severity="critical",
        origin="channel:telegram:1",
        origin_trust=0.9,
    )
    assert (noted.id, instant_of(noted)) == ("mine", "2026-05-01T00:00:00.000000+00:00")
    assert (noted.evidence, noted.severity, noted.session_id) == (evidence, ErrorCategory.CRITICAL, "s-1")
    assert noted.origin_trust == 0.3, "a claim only lowers the trust of its class"
    assert checked_mistake(noted, id="other", now="unused", default_origin="operator") == noted


@pytest.mark.requirement("reflexion.mistake")
@pytest.mark.parametrize(
    ("fields", "error", "field"),
    [
        ({"what_went_wrong": " "}, InvalidText, "what_went_wrong"),
        ({"what_went_wrong": "half \ud83e"}, InvalidText, "what_went_wrong"),
        ({"what_went_wrong": "x" * 10_001}, TooMany, "what_went_wrong"),
        ({"agent_id": ""}, InvalidText, "agent_id"),
        ({"id": "../../up"}, InvalidInput, "id"),
        ({"timestamp": "yesterday"}, InvalidTime, "timestamp"),
        ({"ground_truth": 3}, InvalidText, "ground_truth"),
        ({"corrective_insight": "nul \x00"}, InvalidText, "corrective_insight"),
        ({"evidence": "a log"}, InvalidInput, "evidence"),
        ({"evidence": Evidence(excerpt="\x00")}, InvalidText, "evidence.excerpt"),
        ({"severity": "odd"}, InvalidInput, "severity"),
        ({"severity": 1}, InvalidInput, "severity"),
        ({"origin": ""}, InvalidText, "origin"),
        ({"origin_trust": float("nan")}, InvalidInput, "origin_trust"),
    ],
)
def test_what_cannot_be_meant_is_refused_by_name(
    fields: dict[str, object], error: type[InvalidInput], field: str
) -> None:
    with pytest.raises(error) as caught:
        checked(**fields)
    assert caught.value.field == field


def test_what_is_no_mistake_is_refused() -> None:
    with pytest.raises(InvalidInput):
        checked_mistake(cast("Any", {"what_went_wrong": "x"}), id="a", now=NOW, default_origin="operator")


def test_trust_and_time_can_be_asked_of_one_that_is_not_noted_yet() -> None:
    entry = MistakeEntry(what_went_wrong="x")
    assert (trust_of(entry), instant_of(entry)) == (0.6, "")
    assert trust_of(MistakeEntry(what_went_wrong="x", origin="channel:a")) == 0.3


@pytest.mark.requirement("reflexion.order")
def test_the_newest_day_is_read_first_and_within_it_the_most_severe() -> None:
    said = [
        ("2026-05-02T23:59:59Z", "behavioral"),
        ("2026-05-02T01:00:00Z", "safety"),
        ("2026-05-01T23:00:00Z", "safety"),
        ("2026-05-02T09:00:00+09:00", "hallucination"),
        ("2026-05-02T20:00:00Z", "capability"),
        ("2026-05-02T21:00:00Z", "factual"),
        ("2026-05-02T22:00:00Z", "factual"),
        ("2026-05-03T08:59:00+09:00", "safety"),
    ]
    entries = [
        MistakeEntry(id=str(n), what_went_wrong="x", timestamp=at, category=category_of(category))
        for n, (at, category) in enumerate(said)
    ]
    assert [entry.id for entry in newest_first(entries)] == ["7", "1", "3", "6", "5", "4", "0", "2"]


def kept(category: MistakeCategory, number: int) -> Kept:
    return Kept.of(category, f"2026-05-01T00:00:{number:02}.000000+00:00", f"{category}-{number}")


@pytest.mark.requirement("reflexion.retention")
def test_a_mild_mistake_never_pushes_out_a_severe_one() -> None:
    full = [kept(MistakeCategory.SAFETY, n) for n in range(50)]
    assert plan_retention(full) == ()
    assert plan_retention([*full, kept(MistakeCategory.BEHAVIORAL, 59)]) == ("behavioral-59",)
    assert plan_retention([*full, kept(MistakeCategory.SAFETY, 59)]) == ("safety-0",)


@pytest.mark.requirement("reflexion.retention")
def test_the_oldest_of_the_mildest_goes_first() -> None:
    unresolved = [kept(category, n) for category in MistakeCategory for n in (2, 1)]
    assert plan_retention(unresolved, keep=7) == ("behavioral-1", "behavioral-2", "capability-1")
    assert len(plan_retention(unresolved, keep=0)) == len(plan_retention(unresolved, keep=-3)) == 10


@pytest.mark.requirement("reflexion.retention")
def test_what_was_resolved_stays_thirty_days() -> None:
    assert resolved_horizon(NOW) == "2026-05-02T12:00:00.000000+00:00"
    assert resolved_horizon("0001-01-05T00:00:00.000000+00:00") == ""
