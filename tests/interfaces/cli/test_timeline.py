"""How a history is drawn, without a file or a terminal."""

from __future__ import annotations

from typing import Any

import pytest

from karte.interfaces.cli.text import one_line, short_time, visible
from karte.interfaces.cli.timeline import draw, interval, summary

pytestmark = pytest.mark.requirement("cli.commands")


def day(text: str) -> str:
    return f"{text}T00:00:00.000000+00:00"


def stretch(id: str, value: str, start: str, end: str | None = None, **more: Any) -> dict[str, Any]:
    record = {
        "id": id, "content": value, "object": value, "subject": "s", "predicate": "p", "valid_from": day(start),
        "is_current": False, "tags": [], "origin": "operator", "origin_trust": 1.0, "timestamp": day(start),
        "ingested_at": day("2024-01-01"), **more,
    }  # fmt: skip
    return record if end is None else {**record, "valid_until": day(end)}


def drawn(*records: dict[str, Any]) -> list[str]:
    lines = ["".join(text for text, _ in line) for line in draw(records, has_ids=False)]
    return [" ".join(line.split()) for line in lines if "trust" not in line]


def test_stretches_that_follow_each_other_say_what_took_over() -> None:
    assert drawn(
        stretch("1", "A", "2024-01-01", "2024-02-01", superseded_by="2"),
        stretch("2", "B", "2024-02-01", is_current=True),
    ) == ["2024-01-01 ├─ A", "2024-02-01 ├─ B ◀ now, took over from A", "▼ no end is known"]


def test_a_gap_and_an_end_are_shown_with_their_event() -> None:
    assert drawn(
        stretch("1", "A", "2024-01-01", "2024-02-01", invalidated_by_event="chat:9"),
        stretch("2", "B", "2024-03-01", "2024-04-01"),
    ) == ["2024-01-01 ├─ A", "2024-02-01 ┴ ended (chat:9)", "┆ nothing holds", "2024-03-01 ├─ B", "2024-04-01 ┴ ended"]


def test_what_was_corrected_or_taken_back_stands_beside_the_line() -> None:
    assert drawn(
        stretch("1", "A", "2024-01-01", "2024-01-01", superseded_by="3"),
        stretch("2", "evil", "2024-01-01", "2024-02-01", state="purged", invalidated_by_event="origin_purge"),
        stretch("4", "held", "2024-01-01", state="quarantined"),
        stretch("3", "B", "2024-01-01", contested=True),
    ) == [
        "2024-01-01 × A corrected, never held",
        "2024-01-01 × evil purged: origin_purge",
        "2024-01-01 × held held for a decision",
        "2024-01-01 ├─ B contested",
        "▼ no end is known",
    ]


def test_values_that_hold_side_by_side_get_a_thread_each() -> None:
    both = stretch("1", "A", "2024-01-01", is_current=True), stretch("2", "B", "2024-02-01", is_current=True)
    assert drawn(*both) == [
        "2024-01-01 ├─ A ◀ now", "▼ no end is known", "", "2024-02-01 ├─ B ◀ now", "▼ no end is known",
    ]  # fmt: skip


def test_who_confirmed_is_shown() -> None:
    view = [{"origin": "channel:x", "source_event": "e7", "at": day("2024-01-09")}, {"origin": "import:y", "at": "odd"}]
    told = drawn(stretch("1", "A", "2024-01-01", metadata={"reaffirmed_by": view}))
    assert "│ confirmed by channel:x on 2024-01-09 (e7)" in told
    assert "│ confirmed by import:y on odd" in told
    assert "│ confirmed by e8" in drawn(stretch("1", "A", "2024-01-01", reaffirmed_by=["e8"]))


def test_an_interval_in_words() -> None:
    assert interval(stretch("1", "A", "2024-01-01")) == "since 2024-01-01"
    assert interval(stretch("1", "A", "2024-01-01", "2024-02-01")) == "2024-01-01 to 2024-02-01"
    assert interval(stretch("1", "A", "2024-01-01", "2024-01-01")).startswith("never")
    assert summary([stretch("1", "A", "2024-01-01")]) == "1 stretch, nothing holds now; times in UTC"


def test_a_time_is_as_precise_as_it_is() -> None:
    assert short_time("0033-04-03T00:00:00.000000+00:00") == "0033-04-03"
    assert short_time("2024-01-01T12:30:00.000000+00:00") == "2024-01-01 12:30"
    assert short_time("0033-01-01T12:30:05.5+00:00") == "0033-01-01 12:30:05"


def test_control_characters_and_direction_marks_are_seen_and_do_nothing() -> None:
    assert visible("a\x1b[31mb\x07\x7f\x9b\u202ec\r\nd\te") == "a␛[31mb␇␡��c\nd\te"
    assert one_line(" a\n\n b ") == "a b"
