"""How English names dates: patterns, each with the stretch of time that it means."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta
from typing import Final, cast

from karte.domain.calendar import Stretch, Unit, counted, day_near, last_day, month_near, weekday_near

Reading = Callable[[re.Match[str], date | None, bool], Stretch | None]
"""What a match means on the day it was said; the last argument says whether an open date lies ahead."""

_MONTH_NAMES: Final = "january february march april may june july august september october november december".split()
_DAY_NAMES: Final = "monday tuesday wednesday thursday friday saturday sunday".split()
_NUMBERS: Final = {
    word: number
    for number, word in enumerate("zero one two three four five six seven eight nine ten eleven twelve".split())
} | {"a": 1, "an": 1, "a couple of": 2, "couple of": 2}

_MONTH: Final = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_WEEKDAY: Final = r"(?P<weekday>monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b"
_DAY: Final = r"(?<![\d:.])(?P<day>\d{1,2})(?:st|nd|rd|th)?(?![\d:%])"
_YEAR: Final = r"(?P<year>(?:1[89]|20|21)\d\d)(?![\d-])"
_COUNT: Final = r"(?P<count>\d{1,3}|a couple of|an?|" + "|".join(word for word in _NUMBERS if len(word) > 2) + ")"
_UNIT: Final = r"(?P<unit>day|week|month|year)"
# A month or a year alone is one only after a word that leads to a time.
_LEAD: Final = (
    r"(?:(?<=\bsince )|(?<=\bfrom )|(?<=\bin )|(?<=\buntil )|(?<=\btill )|(?<=\bby )|(?<=\bof )|(?<=\bthrough )"
    r"|(?<=\bto )|(?<=\bbefore )|(?<=\bis )|(?<=\bduring )|(?<=\bearly )|(?<=\blate )|(?<=\bmid ))"
)
_LEAD_DAY: Final = (
    r"(?:(?<=\bon )|(?<=\bby )|(?<=\buntil )|(?<=\btill )|(?<=\bsince )|(?<=\bfrom )|(?<=\bbefore )|(?<=\bis ))"
)


def _year(text: str) -> Stretch:
    return Stretch("year", date(int(text), 1, 1))


def _month_number(name: str) -> int:
    return next(place for place, month in enumerate(_MONTH_NAMES, 1) if month.startswith(name.lower()[:3]))


def _written_day(match: re.Match[str], _said: date | None, _ahead: bool) -> Stretch:
    return Stretch("day", date(int(match["year"]), int(match["number"]), int(match["day"])))


def _written_month(match: re.Match[str], _said: date | None, _ahead: bool) -> Stretch:
    return Stretch("month", date(int(match["year"]), int(match["number"]), 1))


def _day_of_month(match: re.Match[str], said: date | None, ahead: bool) -> Stretch | None:
    month, day = _month_number(match["month"]), int(match["day"])
    if match["year"]:
        return Stretch("day", date(int(match["year"]), month, day))
    return None if said is None else day_near(said, month, day, ahead=ahead)


def _named_month(match: re.Match[str], said: date | None, ahead: bool) -> Stretch | None:
    month = _month_number(match["month"])
    if year := match.groupdict().get("year"):
        return Stretch("month", date(int(year), month, 1))
    if said is None or match["month"][0].islower():
        return None  # to march, and what may be
    return month_near(said, month, ahead=ahead)


def _bare_year(match: re.Match[str], _said: date | None, _ahead: bool) -> Stretch:
    return _year(match["year"])


_DAYS: Final = {
    "the day before yesterday": -2,
    "yesterday": -1,
    "last night": -1,
    "today": 0,
    "tonight": 0,
    "this morning": 0,
    "this afternoon": 0,
    "this evening": 0,
    "tomorrow": 1,
    "the day after tomorrow": 2,
}


def _near_day(match: re.Match[str], said: date | None, _ahead: bool) -> Stretch | None:
    return None if said is None else counted(said, "day", _DAYS[match[0].lower()])


def _bare_weekday(match: re.Match[str], said: date | None, ahead: bool) -> Stretch | None:
    return None if said is None else weekday_near(said, _DAY_NAMES.index(match["weekday"].lower()), ahead=ahead)


_STEPS: Final = {"last": -1, "past": -1, "this": 0, "next": 1}


def _which_unit(match: re.Match[str], said: date | None, _ahead: bool) -> Stretch | None:
    if said is None:
        return None
    return counted(said, cast(Unit, match["unit"].lower()), _STEPS[match["which"].lower()])


def _which_weekend(match: re.Match[str], said: date | None, _ahead: bool) -> Stretch | None:
    """Either day of it."""
    if said is None:
        return None
    saturday = counted(said, "week", _STEPS[match["which"].lower()]).first + timedelta(days=5)
    return Stretch("day", saturday, or_day=saturday + timedelta(days=1))


def _which_weekday(match: re.Match[str], said: date | None, _ahead: bool) -> Stretch | None:
    """Last Friday is before today, next Friday after it, this Friday the first from today on."""
    if said is None:
        return None
    which, weekday = match["which"].lower(), _DAY_NAMES.index(match["weekday"].lower())
    if which == "last":
        return weekday_near(said - timedelta(days=1), weekday, ahead=False)
    return weekday_near(said + timedelta(days=_STEPS[which]), weekday, ahead=True)


def _which_month(match: re.Match[str], said: date | None, _ahead: bool) -> Stretch | None:
    """Last March is before this month, next March after it, this March in this year."""
    if said is None or match["month"][0].islower():
        return None
    which, month = match["which"].lower(), _month_number(match["month"])
    if which == "this":
        return Stretch("month", date(said.year, month, 1))
    found = month_near(counted(said, "month", _STEPS[which]).first, month, ahead=which == "next")
    return Stretch("month", found.first)  # it says which year's


def _number(text: str) -> int:
    return int(text) if text.isdecimal() else _NUMBERS[text.lower()]


def _ago(match: re.Match[str], said: date | None, _ahead: bool) -> Stretch | None:
    if said is None:
        return None
    return counted(said, cast(Unit, match["unit"].lower()), -_number(match["count"]))


def _hence(match: re.Match[str], said: date | None, _ahead: bool) -> Stretch | None:
    """In two weeks is that day; in two months, and years, any day of them."""
    if said is None:
        return None
    count, unit = _number(match["count"]), cast(Unit, match["unit"].lower())
    return counted(said, "day", 7 * count) if unit == "week" else counted(said, unit, count)


def _end_of(match: re.Match[str], said: date | None, ahead: bool) -> Stretch | None:
    if match["month"]:
        within = _named_month(match, said, ahead)
    else:
        unit = cast(Unit, match["unit"].lower())
        within = None if said is None else counted(said, unit, _STEPS.get((match["which"] or "this").lower(), 0))
    return None if within is None else last_day(within)


def _rule(pattern: str, reading: Reading) -> tuple[re.Pattern[str], Reading]:
    return re.compile(pattern, re.IGNORECASE), reading


HINT: Final = re.compile(
    r"\d|day|week|month|year|night|morning|afternoon|evening|tomorrow|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec",
    re.IGNORECASE,
)
RULES: Final[tuple[tuple[re.Pattern[str], Reading], ...]] = (
    _rule(r"(?<![\d/-])(?P<year>\d{4})-(?P<number>\d{1,2})-(?P<day>\d{1,2})(?![\d/-])", _written_day),
    _rule(r"(?<![\d/-])(?P<year>(?:1[89]|20|21)\d\d)-(?P<number>\d\d)(?![\d/-])", _written_month),
    _rule(rf"{_DAY} (?:of )?\b{_MONTH}(?:,? {_YEAR})?", _day_of_month),
    _rule(rf"\b{_MONTH} {_DAY}(?:,? {_YEAR})?", _day_of_month),
    _rule(rf"\b{_MONTH},? (?:of )?{_YEAR}", _named_month),
    _rule(rf"{_LEAD}{_MONTH}(?! \d)", _named_month),
    _rule(rf"{_LEAD}{_YEAR}", _bare_year),
    _rule(rf"\b(?:{'|'.join(_DAYS)})\b", _near_day),
    _rule(rf"{_LEAD_DAY}{_WEEKDAY}", _bare_weekday),
    _rule(r"\b(?P<which>last|this|next) (?P<unit>week|month|year)\b", _which_unit),
    _rule(r"\b(?P<which>last|past|this|next) weekend\b", _which_weekend),
    _rule(rf"\b(?P<which>last|this|next) {_WEEKDAY}", _which_weekday),
    _rule(rf"\b(?P<which>last|this|next) {_MONTH}(?! \d)", _which_month),
    _rule(rf"\b{_COUNT} {_UNIT}s? ago\b", _ago),
    _rule(rf"\bin {_COUNT} {_UNIT}s?\b(?!['’])", _hence),
    _rule(
        rf"\bend of (?:(?:the |(?P<which>this|next|last) )?(?P<unit>week|month|year)\b|{_MONTH}(?:,? {_YEAR})?)",
        _end_of,
    ),
)
