"""Days in numerals: ``3.3.2024``, ``2024.03.03``, ``2024/3/3``, ``5/13/2023``, ``13-5-2023``.

With dots the day stands before the month, as in most of Europe. With slashes and hyphens both orders are in use: where
one of them is a day it is that day, where both are it may be either (``Stretch.or_day``). The year is one of 1900 to
2100, and nothing stands beside the date that makes it a version, an address or a part of a longer number.
"""

from __future__ import annotations

import re
from datetime import date
from typing import Final

from karte.domain.calendar import Stretch

_BEFORE: Final = (
    r"(?<![A-Za-z\d_./\\=@~^+#$€£])(?<!\d[,:])(?:(?<!-)|(?<=[./]\d{4}-))"  # 1.3.2024-5.3.2024 is two days
    r"(?<!\bversion )(?<!\bversions )(?<!\brelease )(?<!\bbuild )(?<!\bv )"
)
_AFTER: Final = r"(?!(?!T\d)[A-Za-z\d_%/\\])(?![.,:]\d)(?!-(?!\d{1,4}[./]\d{1,2}[./]\d)[A-Za-z\d])"
_YEAR: Final = r"(?P<year>19\d\d|20\d\d|2100)"
_FIRST: Final = r"(?P<first>\d{1,2})"
_SECOND: Final = r"(?P<second>\d{1,2})"


def _day_or_none(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _year_month_day(match: re.Match[str], _said: date | None, _ahead: bool) -> Stretch:
    return Stretch("day", date(int(match["year"]), int(match["first"]), int(match["second"])))


def _day_month_year(match: re.Match[str], _said: date | None, _ahead: bool) -> Stretch:
    return Stretch("day", date(int(match["year"]), int(match["second"]), int(match["first"])))


def _either_order(match: re.Match[str], _said: date | None, _ahead: bool) -> Stretch | None:
    year, first, second = int(match["year"]), int(match["first"]), int(match["second"])
    found = sorted({day for order in ((first, second), (second, first)) if (day := _day_or_none(year, *order))})
    if not found:
        return None
    return Stretch("day", found[0], or_day=found[1] if len(found) > 1 else None)


def _pattern(written: str) -> re.Pattern[str]:
    return re.compile(f"{_BEFORE}{written}{_AFTER}", re.IGNORECASE)


HINT: Final = re.compile(r"\d[./-]")
RULES: Final = (
    (_pattern(rf"{_YEAR}(?P<sign>/|\. ?){_FIRST}(?P=sign){_SECOND}"), _year_month_day),
    (_pattern(rf"{_FIRST}(?P<sign>\. ?){_SECOND}(?P=sign){_YEAR}"), _day_month_year),
    (_pattern(rf"{_FIRST}(?P<sign>[/-]){_SECOND}(?P=sign){_YEAR}"), _either_order),
)
