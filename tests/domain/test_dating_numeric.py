"""Days in numerals are read, and what only looks like one is not."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karte import Karte
from karte.domain.dating import spans_in
from karte.domain.near_time import periods_asked
from tests.conftest import FakeClock

NOW = "2026-12-03T10:00:00.000000+00:00"
FORMS = (
    "{0.day}.{0.month}.{0.year}", "{0:%d.%m.%Y}", "{0.day}. {0.month}. {0.year}", "{0:%Y.%m.%d}",
    "{0.year}. {0.month}. {0.day}.", "{0:%Y/%m/%d}", "{0.year}/{0.month}/{0.day}", "{0:%Y-%m-%d}",
    "{0.year}-{0.month}-{0.day}",
)  # fmt: skip
days = st.dates(min_value=date(1900, 1, 1), max_value=date(2100, 12, 31))


def asked(query: str) -> list[date]:
    periods = periods_asked(query, NOW)
    assert all(period.kind == "day" for period in periods)
    return [period.first for period in periods]


@given(
    days, st.sampled_from(FORMS), st.sampled_from(["{}", "what was on {}?", "({})", "am {}.", "会議は{}に", "{} 10:30"])
)
def test_every_day_that_numerals_write_in_one_order_is_read_as_that_day(day: date, form: str, around: str) -> None:
    text = around.format(form.format(day))
    assert asked(text) == [day]
    assert [span.span for span in spans_in(text, None)] == [day.isoformat()]


@given(days, st.sampled_from("/-"), st.booleans())
def test_a_day_between_slashes_is_read_in_either_order_and_as_nothing_else(day: date, sign: str, us: bool) -> None:
    first, second = (day.month, day.day) if us else (day.day, day.month)
    found = asked(f"{first}{sign}{second}{sign}{day.year}")
    assert day in found
    assert len(found) == (2 if day.day <= 12 and day.day != day.month else 1)
    assert all({each.day, each.month} == {day.day, day.month} for each in found)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("5/5/2023", [date(2023, 5, 5)]),
        ("5/13/2023", [date(2023, 5, 13)]),
        ("13/5/2023", [date(2023, 5, 13)]),
        ("3/4/2024", [date(2024, 3, 4), date(2024, 4, 3)]),
        ("1.3.2024-5.3.2024", [date(2024, 3, 1), date(2024, 3, 5)]),
        ("2024-03-03T10:00", [date(2024, 3, 3)]),
    ],
)
def test_numerals_name_the_days_that_they_may_mean(query: str, found: list[date]) -> None:
    assert asked(query) == found


def test_numerals_that_may_mean_either_of_two_days_are_given_only_to_a_search() -> None:
    assert spans_in("since 3/4/2024", None) == []
    assert len(spans_in("since 3/4/2024", None, or_days=True)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "version 1.2.2024", "v1.2.2024", "1.2.2024.1", "1.2.2024-rc1", "==2024.3.3", "3.11.7", "10.0.0.1",
        "10.1.2024.7", "3/4", "1/2/2024/7", "a/2024/3/3/b", "31.02.2024", "13/13/2023", "0.3.2024", "3.3.1899",
        "3.3.2101", "2101/1/1", "3.3.20245", "13.3.2024,5", "33.3.2024", "pages 10-12", "3-2", "12.2024", "1/2024",
        "3.3-2024",
        "$3.3.2024", "tel 555-12-2024", "1.2.2024%", "12:3.3.2024",
    ],
)  # fmt: skip
def test_versions_addresses_fractions_and_pages_are_no_days(text: str) -> None:
    assert periods_asked(f"what about {text}?", NOW) == ()


@given(st.lists(st.integers(0, 255), min_size=4, max_size=4), st.lists(st.integers(0, 1899), min_size=3, max_size=3))
def test_no_address_and_no_version_without_a_year_is_read_as_a_day(address: list[int], version: list[int]) -> None:
    assert periods_asked(f"{'.'.join(map(str, address))} or {'.'.join(map(str, version))}", NOW) == ()


def test_a_search_for_a_day_in_numerals_brings_what_was_said_on_it(clock: FakeClock) -> None:
    memory = Karte(":memory:", clock=clock)
    for number in range(20):
        memory.store(f"ticket {number % 5} is about printer {number}", timestamp="2026-01-01")
    met = memory.store("we met at the pier", timestamp="2024-03-04T10:00:00Z")
    for day in ("04.03.2024", "2024/3/4", "3/4/2024", "4/3/2024"):
        assert memory.search(f"what happened on {day}?")[0].memory.id == met.id
