"""A date in a question brings what was said near it."""

from __future__ import annotations

import re
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karte import Karte, RetrievalWeights
from karte.domain.near_time import Period, closeness, nearness, periods_asked, words_asked
from karte.domain.text import index_text, matched_words, parse_query
from tests.conftest import FakeClock

NOW = "2026-12-03T10:00:00.000000+00:00"
days = st.dates(min_value=date(1900, 1, 1), max_value=date(2199, 12, 31))


@pytest.mark.parametrize(
    ("query", "period"),
    [
        ("What did Maria donate on 31 July, 2023?", Period("day", date(2023, 7, 31), date(2023, 7, 31))),
        ("What happened in May 2023?", Period("month", date(2023, 5, 1), date(2023, 5, 31))),
        ("Where was I last year?", Period("year", date(2025, 1, 1), date(2025, 12, 31))),
        ("What did we decide yesterday?", Period("day", date(2026, 12, 2), date(2026, 12, 2))),
        ("When did she camp in June?", Period("month", date(2026, 6, 1), date(2026, 6, 30), recurs=True)),
        ("2023年7月31日に何を話した？", Period("day", date(2023, 7, 31), date(2023, 7, 31))),
        ("昨天说了什么", Period("day", date(2026, 12, 2), date(2026, 12, 2))),
    ],
)
def test_a_query_names_a_day_a_month_or_a_year(query: str, period: Period) -> None:
    assert periods_asked(query, NOW) == (period,)


@pytest.mark.parametrize(
    "query", ["", "may I march?", "version 3.12", "31 of 40 tests", "30 February 2023", "今日", " 昨天 ", "9" * 5000]
)
def test_what_is_no_date_names_no_time(query: str) -> None:
    assert periods_asked(query, NOW) == ()


@given(st.text(max_size=80))
def test_no_query_is_an_error(query: str) -> None:
    for period in periods_asked(query, NOW):
        assert period.first <= period.last


@given(first=days, days_later=st.integers(0, 40), other=days)
def test_closeness_is_whole_on_the_day_and_falls_with_the_distance(first: date, days_later: int, other: date) -> None:
    period = Period("day", first, first)
    assert closeness((period,), (f"{first.isoformat()}T10:00:00",)) == 1.0
    near, far = sorted((other, other + timedelta(days=days_later)), key=lambda day: abs((day - first).days))
    assert closeness((period,), (far.isoformat(),)) <= closeness((period,), (near.isoformat(),)) <= 1.0


@given(relevance=st.floats(0, 100), best=st.floats(0, 100), day=days)
def test_time_only_adds_and_adds_nothing_where_none_is_asked_for(relevance: float, best: float, day: date) -> None:
    there = (day.isoformat(), None)
    assert nearness((), there, relevance, best) == 0.0
    assert nearness((Period("day", day, day),), there, relevance, best) >= relevance


def test_a_month_without_a_year_is_the_last_one_before_those_of_other_years() -> None:
    asked = periods_asked("in June", NOW)
    this, other, never = (closeness(asked, (f"{day}T10:00:00",)) for day in ("2026-06-10", "2023-06-10", "2023-01-10"))
    assert this > other > never


def test_times_that_nobody_can_read_are_near_to_nothing() -> None:
    assert closeness(periods_asked("on 2023-07-31", NOW), ("once", None, "2023-13-45")) == 0.0


def test_a_search_for_a_day_brings_first_what_was_said_on_it(clock: FakeClock) -> None:
    memory = Karte(":memory:", clock=clock)
    for day in ("2023-05-01", "2023-06-03", "2023-07-31"):
        memory.store("Maria talked about her work at the shelter", timestamp=f"{day}T10:00:00Z")
    silent = memory.store("The puppy learned to sit", timestamp="2023-06-03T10:05:00Z")
    hits = memory.search("What did Maria say of the shelter on 3 June, 2023?", explain=True)
    assert str(hits[0].memory.timestamp).startswith("2023-06-03")
    assert hits[0].explain is not None
    assert hits[0].explain.structure > 0.0
    assert silent.id in {hit.memory.id for hit in hits}, "what shares no word but the day is found too"


def test_a_day_brings_nothing_that_the_filters_leave_out(clock: FakeClock) -> None:
    memory = Karte(":memory:", clock=clock)
    memory.store("the puppy sits", timestamp="2023-06-03T10:00:00Z", metadata={"room": "a"})
    held = memory.store("the puppy barks", timestamp="2023-06-03T11:00:00Z", metadata={"room": "b"})
    assert [hit.memory.id for hit in memory.search("what was on 3 June 2023?", metadata={"room": "b"})] == [held.id]


def test_the_weight_nothing_leaves_time_out_of_the_order(clock: FakeClock) -> None:
    memory = Karte(":memory:", clock=clock, weights=RetrievalWeights(w_time=0.0))
    memory.store("the puppy sits", timestamp="2023-06-03T10:00:00Z")
    assert memory.search("3 June 2023") == []


def test_the_numerals_of_a_day_find_no_tickets_and_no_rooms(clock: FakeClock) -> None:
    memory = Karte(":memory:", clock=clock)
    for number in range(40):
        memory.store(f"ticket {number % 5} is about printer {number}", timestamp="2026-01-01")
    memory.store("Room 2023 is booked by Kim", timestamp="2026-01-02")
    memory.store("we met at the pier", timestamp="2024-03-03T10:00:00Z")
    memory.store("Lee booked the lake house", timestamp="2023-05-05")
    assert memory.search("What happened on 3 March 2024?")[0].content == "we met at the pier"
    assert memory.search("Who booked on 5 May 2023?")[0].content == "Lee booked the lake house"
    memory.store("the invoice of 3 March 2024 is open", timestamp="2026-01-02")
    assert memory.search("the invoice of 3 March 2024")[0].content == "the invoice of 3 March 2024 is open"


@given(st.text(max_size=60), st.sampled_from(["", "on 3 March 2024", "2024年3月3日", "2024-03-03", '"4 May" 2023']))
def test_whatever_a_query_holds_its_words_are_asked_for(text: str, date: str) -> None:
    query = f"{text} {date} {text}"
    kept, before = (re.sub(r'[年月日\d\s"]', "", each) for each in (words_asked(query, NOW), query))
    assert kept.startswith(before)


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("2024年3月3日に何を話した", {"2024年3月3日", "に何を話した", "話"}),
        ("2024年3月3日の Maria", {"2024年3月3日", "maria"}),
        ("三月三日的会议", {"三月三日", "的会议", "的会", "会议"}),
        ("令和6年3月3日までに届く荷物", {"令和6年3月3日", "までに届く荷物", "届く荷物", "届く", "く荷", "荷物"}),
        ("2024년 3월 3일에 뭐 했어?", {"2024년 3월 3일", "했어"}),
        ("meeting on 3.3.2024", {"meeting", "3.3.2024"}),
        ("since 3 March 2024", {"march", "3 March 2024"}),
    ],
)
def test_numerals_and_unit_letters_of_a_day_are_no_words_but_the_date_is_a_phrase(query: str, words: set[str]) -> None:
    assert {term.word for term in parse_query(words_asked(query, NOW), foreign=False).terms} == words


@given(days, st.sampled_from(["{0.year}年{0.month}月{0.day}日", "{0.year}년 {0.month}월 {0.day}일", "{0:%Y-%m-%d}"]))
def test_a_day_alone_asks_for_nothing_but_the_date_as_it_is_written(day: date, form: str) -> None:
    query = form.format(day)
    asked = parse_query(words_asked(query, NOW), foreign=False)
    assert [term.word for term in asked.terms] == [query]
    assert matched_words(asked, index_text(f"会議は{query}に。 we meet on {query}")) == (query,)


@pytest.mark.parametrize(
    "query", ["2024年3月3日に何があった？", "二〇二四年三月三日に何があった？", "2024년 3월 3일에 뭐 했어?"]
)
def test_unit_letters_of_a_day_find_no_other_dates(clock: FakeClock, query: str) -> None:
    memory = Karte(":memory:", clock=clock)
    for number in range(1, 9):
        memory.store(f"チケット{number}は2026年3月{number}日、三月{number}日", timestamp="2026-01-01")
        memory.store(f"티켓 {number}는 2026년 3월 {number}일에 열린다", timestamp="2026-01-01")
    met = memory.store("we met at the pier", timestamp="2024-03-03T10:00:00Z")
    assert memory.search(query)[0].memory.id == met.id


def test_the_year_beside_a_month_is_no_word_of_its_own(clock: FakeClock) -> None:
    memory = Karte(":memory:", clock=clock)
    for day in range(1, 11):
        memory.store(f"Bought bread number {day}", timestamp=f"2024-05-{day:02d}")
    memory.store("Library foo 2024.3.3 breaks pandas", timestamp="2024-09-01")
    memory.store("CVE-2024-3094 hits xz", timestamp="2024-09-01")
    assert all("bread" in hit.content for hit in memory.search("bread in May 2024", 5))
    assert memory.search("CVE-2024-3094", 1)[0].content == "CVE-2024-3094 hits xz"
