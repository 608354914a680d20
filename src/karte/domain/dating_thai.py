"""How Thai names dates: patterns, each with its time. A year is a Buddhist one (2567 is 2024) or common."""

from __future__ import annotations

import re
from datetime import date
from typing import Final

from karte.domain.calendar import Stretch, Unit, counted, day_near, month_near

_BUDDHIST: Final = 543
_COMMON_YEARS: Final = range(1800, 2201)

_MONTHS: Final = "มกราคม กุมภาพันธ์ มีนาคม เมษายน พฤษภาคม มิถุนายน กรกฎาคม สิงหาคม กันยายน ตุลาคม พฤศจิกายน ธันวาคม".split()
_SHORT_MONTHS: Final = "ม.ค. ก.พ. มี.ค. เม.ย. พ.ค. มิ.ย. ก.ค. ส.ค. ก.ย. ต.ค. พ.ย. ธ.ค.".split()
_NUMBERS: Final = {word: number for number, word in enumerate("หนึ่ง สอง สาม สี่ ห้า หก เจ็ด แปด เก้า สิบ".split(), start=1)}
_UNITS: Final[dict[str, Unit]] = {
    "วัน": "day",
    "สัปดาห์": "week",
    "อาทิตย์": "week",
    "เดือน": "month",
    "ปี": "year",
}
_DAYS: Final = {"เมื่อวานซืน": -2, "เมื่อวาน": -1, "วันนี้": 0, "พรุ่งนี้": 1, "มะรืน": 2}
_STEPS: Final = {"ที่แล้ว": -1, "ก่อน": -1, "นี้": 0, "หน้า": 1}

_YEAR: Final = r"(?P<year>\d{4})(?!\d)"
_ERA: Final = r"(?:พ\.ศ\.|ค\.ศ\.|ปี)\s?"
_OF_YEAR: Final = rf"(?:\s?(?:{_ERA})?{_YEAR})"
_DAY: Final = r"(?<![\d.:,/-])(?P<day>\d{1,2})\s?"
_LONG: Final = "|".join(_MONTHS)
_SHORT: Final = "|".join(map(re.escape, _SHORT_MONTHS))
_COUNT: Final = rf"(?<!\d)(?<!สิบ)(?P<count>\d{{1,3}}|{'|'.join(_NUMBERS)})\s?"
# Three years ago, on Sunday last and these days are not last year, last week and today.
_NOT_BEHIND: Final = "".join(rf"(?<!{word})" for word in (*_NUMBERS, "หลาย", "กี่", "วัน", r"\d", r"\d "))


def _year_of(text: str) -> int:
    year = int(text)
    for found in (year, year - _BUDDHIST):
        if found in _COMMON_YEARS:
            return found
    raise ValueError(text)


def _month_number(name: str) -> int:
    return (_MONTHS if name in _MONTHS else _SHORT_MONTHS).index(name) + 1


def _day_of_month(match: re.Match[str], said: date | None, ahead: bool) -> Stretch | None:
    month, day = _month_number(match["month"]), int(match["day"])
    if match["year"]:
        return Stretch("day", date(_year_of(match["year"]), month, day))
    return None if said is None else day_near(said, month, day, ahead=ahead)


def _month(match: re.Match[str], said: date | None, ahead: bool) -> Stretch | None:
    month = _month_number(match["month"])
    if match["year"]:
        return Stretch("month", date(_year_of(match["year"]), month, 1))
    return None if said is None else month_near(said, month, ahead=ahead)


def _bare_year(match: re.Match[str], _said: date | None, _ahead: bool) -> Stretch:
    return Stretch("year", date(_year_of(match["year"]), 1, 1))


def _near_day(match: re.Match[str], said: date | None, _ahead: bool) -> Stretch | None:
    return None if said is None else counted(said, "day", _DAYS[match["word"]])


def _near_unit(match: re.Match[str], said: date | None, _ahead: bool) -> Stretch | None:
    return None if said is None else counted(said, _UNITS[match["unit"]], _STEPS[match["which"]])


def _ago(match: re.Match[str], said: date | None, _ahead: bool) -> Stretch | None:
    if said is None:
        return None
    count = match["count"]
    return counted(said, _UNITS[match["unit"]], -(int(count) if count.isdecimal() else _NUMBERS[count]))


HINT: Final = re.compile(r"[\u0e01-\u0e4e]")
RULES: Final = (
    (re.compile(rf"{_DAY}(?P<month>{_LONG}|{_SHORT}){_OF_YEAR}?"), _day_of_month),
    (re.compile(rf"(?P<month>{_LONG}){_OF_YEAR}?"), _month),
    (re.compile(rf"(?P<month>{_SHORT}){_OF_YEAR}"), _month),
    (re.compile(rf"{_ERA}{_YEAR}"), _bare_year),
    (re.compile(rf"(?<!ทุก)(?P<word>{'|'.join(_DAYS)})"), _near_day),
    (re.compile(rf"{_NOT_BEHIND}(?P<unit>สัปดาห์|อาทิตย์|เดือน|ปี)(?P<which>{'|'.join(_STEPS)})"), _near_unit),
    (re.compile(rf"{_COUNT}(?P<unit>{'|'.join(_UNITS)})(?:ก่อน|ที่แล้ว|ที่ผ่านมา)"), _ago),
)
