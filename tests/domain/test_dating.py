"""Dates in what somebody says."""

from __future__ import annotations

import time
from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karte.domain.dating import Role, spans_in
from karte.domain.time import parse_end, parse_instant

pytestmark = pytest.mark.requirement("pages.dating")

WEDNESDAY = datetime(2026, 3, 11, 12, tzinfo=UTC)
WORDS = (
    "2026-03-09 March May 9 31 2019 since until by next last week month Friday in two weeks ago end of 3月 30日 2026年"
    " から まで 昨日 来週 の金曜日 去年 三年前 下周五 上个月 从 起 到 为止 之前 yesterday years".split()
)


def dated(text: str, *, plain: Role = "start") -> list[tuple[str, str]]:
    return [(found.span, found.role) for found in spans_in(text, WEDNESDAY, plain=plain)]


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("on 2026-03-09", "2026-03-09"),
        ("on 2026/3/9", "2026-03-09"),
        ("in 2025-11", "2025-11"),
        ("9 March 2026", "2026-03-09"),
        ("March 20th, 2027", "2027-03-20"),
        ("in March 2026", "2026-03"),
        ("in 2019", "2019"),
        ("2026年3月9日", "2026-03-09"),
        ("2024年4月", "2024-04"),
        ("2021年", "2021"),
        ("2021年末", "2021-12-31"),
    ],
)
def test_a_date_that_is_written_out_needs_no_time_of_saying(text: str, span: str) -> None:
    assert dated(text) == [(span, "start")]
    assert [found.span for found in spans_in(text, None)] == [span]


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("yesterday", "2026-03-10"),
        ("the day after tomorrow", "2026-03-13"),
        ("last night", "2026-03-10"),
        ("this morning", "2026-03-11"),
        ("last week", "2026-03-02"),
        ("this week", "2026-03-09"),
        ("last month", "2026-02"),
        ("last year", "2025"),
        ("next Friday", "2026-03-13"),
        ("last Friday", "2026-03-06"),
        ("on Friday", "2026-03-06"),
        ("in two weeks", "2026-03-25"),
        ("in a couple of months", "2026-05"),
        ("three years ago", "2023"),
        ("two weeks ago", "2026-02-23"),
        ("since March", "2026-03"),
        ("in May", "2025-05"),
        ("since May 5th", "2025-05-05"),
        ("last March", "2025-03"),
        ("this March", "2026-03"),
        ("next May", "2026-05"),
        ("3月から", "2026-03"),
        ("5月から", "2025-05"),
        ("去年の4月から", "2025-04"),
        ("去年4月5日", "2025-04-05"),
        ("昨日", "2026-03-10"),
        ("先週", "2026-03-02"),
        ("来月", "2026-04"),
        ("来週の金曜日", "2026-03-20"),
        ("2週間後", "2026-03-25"),
        ("3日後", "2026-03-14"),
        ("三年前", "2023"),
        ("昨天", "2026-03-10"),
        ("上周", "2026-03-02"),
        ("上星期三", "2026-03-04"),
        ("下个月", "2026-04"),
        ("下周五", "2026-03-20"),
        ("两周前", "2026-02-23"),
        ("从三月起", "2026-03"),
        ("二月二十三日", "2026-02-23"),
    ],
)
def test_a_relative_date_counts_from_when_it_was_said(text: str, span: str) -> None:
    assert dated(text) == [(span, "start")]
    assert spans_in(text, None) == []


@pytest.mark.parametrize(
    ("text", "span", "role"),
    [
        ("until May", "2026-05", "end"),
        ("until next week", "2026-03-22", "end"),
        ("until the end of May", "2026-05-31", "end"),
        ("until the end of the year", "2026-12-31", "end"),
        ("by the end of 2026-05", "2026-05", "start"),
        ("by Friday", "2026-03-13", "deadline"),
        ("before March 5", "2027-03-05", "deadline"),
        ("by the end of next month", "2026-04-30", "deadline"),
        ("until the end of next week", "2026-03-22", "end"),
        ("by the end of this year", "2026-12-31", "deadline"),
        ("来週末まで", "2026-03-22", "end"),
        ("明日末まで", "2026-03-12", "end"),
        ("5月末まで", "2026-05-31", "end"),
        ("来月末まで", "2026-04-30", "end"),
        ("金曜日までに", "2026-03-13", "deadline"),
        ("到五月为止", "2026-05", "end"),
        ("直到2027年", "2027", "end"),
        ("周五之前", "2026-03-13", "deadline"),
    ],
)
def test_words_beside_a_date_say_its_role_and_whether_it_lies_ahead(text: str, span: str, role: str) -> None:
    assert dated(text) == [(span, role)]


@pytest.mark.parametrize(
    ("text", "saturday", "sunday"),
    [
        ("last weekend", date(2026, 3, 7), date(2026, 3, 8)),
        ("over the past weekend", date(2026, 3, 7), date(2026, 3, 8)),
        ("this weekend", date(2026, 3, 14), date(2026, 3, 15)),
        ("next weekend", date(2026, 3, 21), date(2026, 3, 22)),
    ],
)
def test_a_weekend_is_either_of_its_days_for_a_search_and_nothing_for_a_write(
    text: str, saturday: date, sunday: date
) -> None:
    [found] = spans_in(text, WEDNESDAY, or_days=True)
    assert (found.stretch.first, found.stretch.or_day) == (saturday, sunday)
    assert spans_in(text, WEDNESDAY) == spans_in(text, None, or_days=True) == []


def test_from_one_year_to_another_is_a_start_and_an_end() -> None:
    assert dated("from 2019 to 2021") == [("2019", "start"), ("2021", "end")]


def test_a_date_without_a_word_has_the_role_that_is_asked_for() -> None:
    assert dated("it is due on Friday", plain="deadline") == [("2026-03-13", "deadline")]
    assert dated("it is due on April 15", plain="deadline") == [("2026-04-15", "deadline")]


@pytest.mark.parametrize(
    "text",
    [
        "February 30", "2026-02-30", "2026-13", "13月", "2月30日", "三十一月", "0000年", "in 999 years' time",
        "I may march to the sea", "in march", "last may", "every Friday", "毎週金曜日", "每周五", "一周一次",
        "2019 people", "10:30 March", "9999 years ago", "一二月", "5000年前", "十十日", "一二三年前", "May Smith",
    ],
)  # fmt: skip
def test_what_is_no_day_gives_nothing(text: str) -> None:
    assert dated(text) == []


def test_no_date_is_given_outside_the_years_that_are_written() -> None:
    early, late = datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC)
    assert spans_in("last week, yesterday, 500 years ago, last year, last month", early) == []
    assert spans_in("next year, tomorrow, next month, in 3 days", late) == []


def test_a_leap_day_is_found_in_the_last_year_that_had_one() -> None:
    assert dated("since February 29") == [("2024-02-29", "start")]


def test_a_place_in_the_text_covers_the_words_that_give_the_role() -> None:
    text = "I have lived here since March 9th, honest"
    (found,) = spans_in(text, WEDNESDAY)
    assert text[found.begin : found.stop] == "since March 9th"


@given(st.one_of(st.text(max_size=200), st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)))
def test_any_text_is_read_and_every_span_is_one_that_a_write_takes(text: str) -> None:
    found = spans_in(text, WEDNESDAY)
    assert found == spans_in(text, WEDNESDAY)
    for each in found:
        assert parse_instant(each.span, "valid_from")
        parse_end(each.span, "valid_until")
        assert 0 <= each.begin < each.stop <= len(text)


@pytest.mark.parametrize(
    "unit",
    [
        "1", "since ", "三", "2026-", "from 1 to ", "Mar ", "end of ", "来", "一二", " in a ", "3.3.", "2024. ", "令和",
        "二〇",
        "지난 ", "3월 ", "le 3 ", "3 de ", "3 มีนาคม ", "สาม", "hier ", "ปี",
    ],
)  # fmt: skip
def test_a_long_text_takes_no_longer_than_its_length_asks(unit: str) -> None:
    begun = time.perf_counter()
    spans_in(unit * (100_000 // len(unit)), WEDNESDAY)
    assert time.perf_counter() - begun < 5
