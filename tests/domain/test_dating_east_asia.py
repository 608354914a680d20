"""Dates as Japanese, Chinese and Korean write and say them."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karte import Karte
from karte.domain.dating import spans_in
from karte.domain.near_time import periods_asked
from tests.conftest import FakeClock

WEDNESDAY = datetime(2026, 3, 11, 12, tzinfo=UTC)
NOW = "2026-03-11T12:00:00.000000+00:00"
SIGNS = "〇一二三四五六七八九"
days = st.dates(min_value=date(1900, 1, 1), max_value=date(2099, 12, 31))


def dated(text: str) -> list[str]:
    return [found.span for found in spans_in(text, WEDNESDAY)]


def sign_by_sign(number: int) -> str:
    return "".join(SIGNS[int(digit)] for digit in str(number))


def spoken(number: int) -> str:
    """A number of a month or day in kanji: 三, 十, 二十五."""
    tens, ones = divmod(number, 10)
    ten = "" if tens == 0 else "十" if tens == 1 else f"{SIGNS[tens]}十"
    return ten + (SIGNS[ones] if ones else "")


@given(days, st.sampled_from(["{}", "会議は{}に", "在{}说的", "{} 회의", "on {} we met"]))
def test_every_day_in_digits_and_units_is_read_as_that_day(day: date, around: str) -> None:
    written = (
        f"{day.year}年{day.month}月{day.day}日",
        f"{day:%Y年%m月%d号}",
        f"{day.year}년 {day.month}월 {day.day}일",
        f"{day.year}년{day.month}월{day.day}일",
    )
    for form in written:
        assert dated(around.format(form)) == [day.isoformat()]


@given(days)
def test_every_day_in_kanji_is_read_as_that_day(day: date) -> None:
    for year in (sign_by_sign(day.year), sign_by_sign(day.year).replace("〇", "零")):
        for number in (spoken, lambda each: sign_by_sign(each) if each > 20 else spoken(each)):
            for sign in "日号號":
                assert dated(f"{year}年{spoken(day.month)}月{number(day.day)}{sign}に") == [day.isoformat()]


@pytest.mark.parametrize(
    ("era", "before"), [("明治", 1867), ("昭和", 1925), ("平成", 1988), ("令和", 2018), ("民國", 1911)]
)
@given(nth=st.integers(1, 64), month=st.integers(1, 12), day=st.integers(1, 28))
def test_every_day_of_an_era_is_read_as_that_day(era: str, before: int, nth: int, month: int, day: int) -> None:
    found = [date(before + nth, month, day).isoformat()]
    assert dated(f"{era}{nth}年{month}月{day}日") == found
    assert dated(f"{era}{spoken(nth)}年{spoken(month)}月{spoken(day)}日") == found


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("令和6年3月3日", "2024-03-03"),
        ("令和 6 年 3 月 3 日", "2024-03-03"),
        ("令和6年3月", "2024-03"),
        ("令和6年", "2024"),
        ("令和元年", "2019"),
        ("令和六年に", "2024"),
        ("令和6年末", "2024-12-31"),
        ("平成31年4月", "2019-04"),
        ("昭和64年", "1989"),
        ("民國一一三年", "2024"),
        ("二〇二四年", "2024"),
        ("二零二四年三月", "2024-03"),
        ("2024년", "2024"),
        ("2024년 전체", "2024"),
        ("2024년 3월에", "2024-03"),
        ("2024년 말까지", "2024-12-31"),
    ],
)
def test_an_era_a_year_or_a_month_needs_no_time_of_saying(text: str, span: str) -> None:
    assert dated(text) == [span]
    assert [found.span for found in spans_in(text, None)] == [span]


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("三月三日", "2026-03-03"),
        ("十二月二十五日", "2025-12-25"),
        ("三月二三日", "2025-03-23"),
        ("一〇月二〇日", "2025-10-20"),
        ("去年三月", "2025-03"),
        ("去年三月三号", "2025-03-03"),
        ("大前天", "2026-03-08"),
        ("前天", "2026-03-09"),
        ("昨晚", "2026-03-10"),
        ("后天", "2026-03-13"),
        ("大后天", "2026-03-14"),
        ("上个月", "2026-02"),
        ("上上个月", "2026-01"),
        ("先々週", "2026-02-23"),
        ("再来週", "2026-03-23"),
        ("3월 3일", "2026-03-03"),
        ("5월", "2025-05"),
        ("어제", "2026-03-10"),
        ("그저께는", "2026-03-09"),
        ("오늘은", "2026-03-11"),
        ("내일", "2026-03-12"),
        ("모레", "2026-03-13"),
        ("지난주", "2026-03-02"),
        ("지난 주 회의", "2026-03-02"),
        ("이번 주에", "2026-03-09"),
        ("다음주", "2026-03-16"),
        ("지난달에", "2026-02"),
        ("다음 달", "2026-04"),
        ("작년", "2025"),
        ("지난 해", "2025"),
        ("작년 4월 5일", "2025-04-05"),
        ("내년", "2027"),
        ("금요일에", "2026-03-06"),
        ("지난주 금요일", "2026-03-06"),
        ("3일 전에", "2026-03-08"),
        ("두 달 전", "2026-01"),
        ("3년 전", "2023"),
        ("2주 후", "2026-03-25"),
    ],
)
def test_a_relative_date_counts_from_when_it_was_said(text: str, span: str) -> None:
    assert dated(text) == [span]
    assert spans_in(text, None) == []


@pytest.mark.parametrize(
    "text",
    [
        "令和0年", "令和6年間", "令和6年2月30日", "R4.1.2", "二三日", "一二三四五年", "二〇二四",
        "5000년 전", "13월", "2월 30일", "국내일정", "오늘날", "그제야", "이번 주문", "이번 달리기", "매주 월요일",
        "월요일마다",
        "6월드컵", "2026월드컵", "2024년 동안", "3일", "三日", "昭和の歌", "2000年生まれ",
    ],
)  # fmt: skip
def test_what_is_no_date_gives_nothing(text: str) -> None:
    assert dated(text) == []


@given(st.text("年月日号前后後天今昨明令和元年한두년월일주달전후 가나다에의", max_size=12))
def test_without_a_numeral_no_month_and_no_year_of_the_calendar_is_read(text: str) -> None:
    assert spans_in(text.replace("元", ""), None) == []


@pytest.mark.parametrize(
    "query",
    ["令和6年3月3日に何をした？", "二〇二四年三月三号说了什么", "2024년 3월 3일에 뭐 했어?", "2024년3월3일 회의"],
)
def test_a_search_for_a_day_in_any_writing_brings_what_was_said_on_it(clock: FakeClock, query: str) -> None:
    memory = Karte(":memory:", clock=clock)
    memory.store("we met in the park", timestamp="2024-03-02T10:00:00Z")
    met = memory.store("we met at the pier", timestamp="2024-03-03T10:00:00Z")
    assert memory.search(query)[0].memory.id == met.id


def test_a_word_for_a_day_in_a_korean_query_is_a_period() -> None:
    (period,) = periods_asked("어제 뭐 했어?", NOW)
    assert (period.kind, period.first) == ("day", date(2026, 3, 10))
