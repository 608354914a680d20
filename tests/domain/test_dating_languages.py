"""Dates in Thai, German, French, Spanish, Portuguese and Italian."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karte import Karte
from karte.domain import dating_cjk, dating_english, dating_european, dating_numeric, dating_thai
from karte.domain.dating import spans_in
from karte.domain.near_time import periods_asked, words_asked
from tests.conftest import FakeClock

WEDNESDAY = datetime(2026, 3, 11, 12, tzinfo=UTC)
NOW = "2026-03-11T12:00:00.000000+00:00"
THAI = "มกราคม กุมภาพันธ์ มีนาคม เมษายน พฤษภาคม มิถุนายน กรกฎาคม สิงหาคม กันยายน ตุลาคม พฤศจิกายน ธันวาคม".split()
EUROPEAN = {
    "{0.day}. {1} {0.year}": ("Januar Februar März April Mai Juni Juli August September Oktober November Dezember"),
    "le {0.day} {1} {0.year}": ("janvier février mars avril mai juin juillet août septembre octobre novembre décembre"),
    "{0.day} de {1} de {0.year}": (
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"
    ),
    "{0.day} de {1} del {0.year}": (
        "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro"
    ),
    "{0.day} {1} {0.year}": (
        "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre"
    ),
}
days = st.dates(min_value=date(1900, 1, 1), max_value=date(2100, 12, 31))


def dated(text: str) -> list[str]:
    return [found.span for found in spans_in(text, WEDNESDAY)]


@given(days)
def test_every_day_in_thai_is_read_in_both_ways_to_count_years(day: date) -> None:
    month = THAI[day.month - 1]
    for year in (f"{day.year + 543}", f"พ.ศ. {day.year + 543}", f"{day.year}", f"ค.ศ. {day.year}"):
        assert dated(f"วันที่ {day.day} {month} {year} ทำอะไร") == [day.isoformat()]


@given(days, st.sampled_from(sorted(EUROPEAN)))
def test_every_day_with_the_name_of_its_month_is_read_as_that_day(day: date, form: str) -> None:
    month = EUROPEAN[form].split()[day.month - 1]
    for written in (month, month.lower(), month.upper()):
        text = form.format(day, written)
        assert dated(f"({text})") == [day.isoformat()]
        assert [found.span for found in spans_in(text, None)] == [day.isoformat()]


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("๓ มีนาคม ๒๕๖๗", "2024-03-03"),
        ("3 มี.ค. 2567", "2024-03-03"),
        ("ม.ค. 2567", "2024-01"),
        ("มีนาคม 2567", "2024-03"),
        ("ในปี 2567", "2024"),
        ("พ.ศ. 2567", "2024"),
        ("3 มีนาคม", "2026-03-03"),
        ("เดือนมีนาคม", "2026-03"),
        ("เมื่อวานทำอะไร", "2026-03-10"),
        ("เมื่อวานซืน", "2026-03-09"),
        ("วันนี้", "2026-03-11"),
        ("พรุ่งนี้", "2026-03-12"),
        ("สัปดาห์ที่แล้ว", "2026-03-02"),
        ("เดือนหน้า", "2026-04"),
        ("เมื่อ ปีที่แล้ว", "2025"),
        ("สามปีก่อน", "2023"),
        ("3 วันก่อน", "2026-03-08"),
        ("im März 2024", "2024-03"),
        ("mars 2024", "2024-03"),
        ("en marzo de 2024", "2024-03"),
        ("im Jahr 2024", "2024"),
        ("depuis 2019", "2019"),
        ("le 1er janvier", "2026-01-01"),
        ("3. Mai", "2025-05-03"),
        ("el 3 de mayo", "2025-05-03"),
        ("l'8 marzo", "2026-03-08"),
        ("im März", "2026-03"),
        ("en mai", "2025-05"),
        ("in marzo", "2026-03"),
        ("Was war gestern?", "2026-03-10"),
        ("Gestern war viel los", "2026-03-10"),
        ("vorgestern", "2026-03-09"),
        ("Qu'avons-nous fait hier ?", "2026-03-10"),
        ("Hier soir", "2026-03-10"),
        ("aujourd’hui", "2026-03-11"),
        ("¿Ayer qué hicimos?", "2026-03-10"),
        ("O que fizemos ontem?", "2026-03-10"),
        ("Cosa abbiamo fatto ieri?", "2026-03-10"),
        ("hasta mañana", "2026-03-12"),
        ("letzte Woche", "2026-03-02"),
        ("la semaine dernière", "2026-03-02"),
        ("el mes pasado", "2026-02"),
        ("l'anno scorso", "2025"),
    ],
)
def test_dates_of_other_languages_are_read(text: str, span: str) -> None:
    assert dated(text) == [span]


@pytest.mark.parametrize(
    "text",
    [
        "30 กุมภาพันธ์ 2567", "3 มีนาคม 1234", "ทุกวันนี้", "หลายปีก่อน", "สิบสามปีก่อน", "วันอาทิตย์ที่แล้ว", "ปี 99",
        "31. Februar 2024", "Wer wohnt hier?", "guten Morgen", "por la mañana", "What did Ayer write?",
        "3 mayo sandwiches", "3 mars bars", "Mars 2020 rover", "in mars", "a mayo sandwich", "email 12 mai",
        "3. Mai-Demo", "Antier", "Juni",
    ],
)  # fmt: skip
def test_what_only_looks_like_a_date_gives_nothing(text: str) -> None:
    assert dated(f"is it {text}") == []


def test_of_the_mornings_only_the_day_is_read() -> None:
    assert dated("heute morgen") == ["2026-03-11"]


PIECES = """
1 3 12 2024 2567 . / - , : \' 年 月 日 号 三 十 令和 元 前 後 后 년 월 일 전 주 달 de del le im en of the st er
March may last next week month year ago in on yesterday Friday end
mars Mai marzo gestern ieri ayer ontem hier semaine dernière letzte Woche mes pasado l'anno scorso quest'anno
昨日 前天 昨夜 おととい あさって 上 个 星期 五 金曜 来週 의 어제 그저께 모레 오늘 올해 작년 글피 지난 이번 요일 월요일
มีนาคม ม.ค. ปี พ.ศ. เมื่อวาน วันนี้ เดือน ที่แล้ว ก่อน สาม
""".split()


@given(st.lists(st.sampled_from([*PIECES, " ", " "]), max_size=10).map("".join))
def test_a_text_that_the_quick_look_leaves_out_is_matched_by_no_rule(text: str) -> None:
    for may_match, rules in (
        (dating_numeric.HINT.search, dating_numeric.RULES),
        (dating_english.HINT.search, dating_english.RULES),
        (dating_european.may_match, dating_european.RULES),
        (dating_cjk.HINT.search, dating_cjk.RULES),
        (dating_thai.HINT.search, dating_thai.RULES),
    ):
        assert may_match(text) or not any(pattern.search(text) for pattern, _ in rules)


@given(st.lists(st.sampled_from([piece for piece in PIECES if not re.search("[0-9三十元]", piece)]), max_size=8))
def test_without_a_numeral_nothing_is_read_that_needs_no_time_of_saying(pieces: list[str]) -> None:
    assert spans_in(" ".join(pieces), None) == []


def test_the_numerals_of_a_day_are_no_words_in_any_language() -> None:
    assert words_asked("am 3. März 2024", NOW) == 'am  . März   "3. März 2024"'
    assert words_asked("on March 3rd, 2024", NOW) == 'on March  ,   "March 3rd, 2024"'


@pytest.mark.parametrize(
    "query", ["Was war am 3. März 2024?", "วันที่ 3 มีนาคม 2567 ทำอะไร", "¿Qué pasó el 3 de marzo de 2024?"]
)
def test_a_search_in_another_language_brings_what_was_said_on_the_day(clock: FakeClock, query: str) -> None:
    memory = Karte(":memory:", clock=clock)
    memory.store("we met in the park", timestamp="2024-03-02T10:00:00Z")
    met = memory.store("we met at the pier", timestamp="2024-03-03T10:00:00Z")
    assert memory.search(query)[0].memory.id == met.id


def test_a_word_for_yesterday_is_a_period_in_any_language() -> None:
    for query in (
        "was war gestern",
        "qu'est-ce qu'on a dit hier",
        "que hicimos ayer",
        "cosa hai detto ieri",
        "เมื่อวานทำอะไร",
    ):
        assert [period.first for period in periods_asked(query, NOW)] == [date(2026, 3, 10)]
