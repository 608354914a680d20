"""How Japanese and Chinese (in both scripts) name dates: patterns, each with the stretch of time that it means."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Final

from karte.domain.calendar import Stretch, Unit, counted, day_near, last_day, month_near, weekday_near
from karte.domain.dating_english import Reading

_DIGITS: Final = {sign: number for number, sign in enumerate("〇一二三四五六七八九")} | {"两": 2, "兩": 2}
_UNITS: Final[dict[str, Unit]] = {
    "日": "day",
    "天": "day",
    "週間": "week",
    "周": "week",
    "週": "week",
    "星期": "week",
    "か月": "month",
    "ヶ月": "month",
    "カ月": "month",
    "个月": "month",
    "個月": "month",
    "年": "year",
}
_NEAR: Final[dict[str, tuple[Unit, int]]] = {
    **dict.fromkeys("一昨日 おととい 前天".split(), ("day", -2)),
    **dict.fromkeys("昨日 昨天".split(), ("day", -1)),
    **dict.fromkeys("今日 今天".split(), ("day", 0)),
    **dict.fromkeys("明日 明天".split(), ("day", 1)),
    **dict.fromkeys("明後日 あさって 后天 後天".split(), ("day", 2)),
    **dict.fromkeys("先週 上周 上週 上星期 上个星期 上個星期".split(), ("week", -1)),
    **dict.fromkeys("今週 本周 本週 这周 這週 这星期 這星期 这个星期 這個星期".split(), ("week", 0)),
    **dict.fromkeys("来週 下周 下週 下星期 下个星期 下個星期".split(), ("week", 1)),
    **dict.fromkeys("先月 上个月 上個月 上月".split(), ("month", -1)),
    **dict.fromkeys("今月 本月 这个月 這個月".split(), ("month", 0)),
    **dict.fromkeys("来月 下个月 下個月 下月".split(), ("month", 1)),
    **dict.fromkeys("一昨年 おととし 前年".split(), ("year", -2)),
    **dict.fromkeys("去年 昨年".split(), ("year", -1)),
    **dict.fromkeys("今年".split(), ("year", 0)),
    **dict.fromkeys("来年 明年".split(), ("year", 1)),
    **dict.fromkeys("后年 後年 再来年".split(), ("year", 2)),
}
_WEEKDAYS: Final = "月火水木金土日"
_ORDINALS: Final = "一二三四五六日"

_COUNT: Final = r"(?P<count>\d{1,3}|[一二三四五六七八九十两兩]{1,3})"
_YEAR: Final = r"(?<!\d)(?P<year>\d{4})\s?年\s?"
_MONTH: Final = r"(?<![\d一二三四五六七八九十])(?P<month>\d{1,2}|十[一二]?|[一二三四五六七八九])\s?月"
_DAY: Final = r"\s?(?P<day>\d{1,2}|[一二三]?十[一二三四五六七八九]?|[一二三四五六七八九])\s?[日号號]"
_END: Final = r"(?P<end>の終わり|末|底)?"
_WEEK: Final = "|".join(sorted((word for word, (unit, _) in _NEAR.items() if unit == "week"), key=len, reverse=True))
_WORDS: Final = "|".join(sorted(_NEAR, key=len, reverse=True))


def _number(text: str) -> int:
    """A number up to 99, in digits or as Chinese and Japanese write it; raises ``ValueError`` for any other."""
    if text.isdecimal():
        return int(text)
    tens, ten, ones = text.rpartition("十")
    if len(tens) > 1 or len(ones) > 1:
        raise ValueError(text)
    return (10 * _DIGITS.get(tens, 1) if ten else 0) + _DIGITS.get(ones, 0)


def _day(match: re.Match[str], said: date | None, ahead: bool) -> Stretch | None:
    month, day = _number(match["month"]), _number(match["day"])
    if match["year"]:
        return Stretch("day", date(int(match["year"]), month, day))
    return None if said is None or not 1 <= month <= 12 else day_near(said, month, day, ahead=ahead)


def _month(match: re.Match[str], said: date | None, ahead: bool) -> Stretch | None:
    month = _number(match["month"])
    if match["year"]:
        found = Stretch("month", date(int(match["year"]), month, 1))
    elif said is None:
        return None
    else:
        found = month_near(said, month, ahead=ahead)
    return last_day(found) if match["end"] else found


def _year(match: re.Match[str], _said: date | None, _ahead: bool) -> Stretch:
    found = Stretch("year", date(int(match["year"]), 1, 1))
    return last_day(found) if match["end"] else found


def _near(match: re.Match[str], said: date | None, _ahead: bool) -> Stretch | None:
    if said is None:
        return None
    found = counted(said, *_NEAR[match["word"]])
    return last_day(found) if match["end"] else found


def _month_of_near_year(match: re.Match[str], said: date | None, _ahead: bool) -> Stretch | None:
    if said is None:
        return None
    year, month = counted(said, *_NEAR[match["word"]]).first.year, _number(match["month"])
    if match["day"]:
        return Stretch("day", date(year, month, _number(match["day"])))
    return Stretch("month", date(year, month, 1))


def _weekday(match: re.Match[str], said: date | None, ahead: bool) -> Stretch | None:
    """The weekday of the week that is named, or the nearest one."""
    if said is None:
        return None
    name = match["weekday"].replace("天", "日")
    day = (_WEEKDAYS if match["kind"] == "曜" else _ORDINALS).index(name)
    week = match["week"]
    if week:
        return Stretch("day", counted(said, *_NEAR[week]).first + timedelta(days=day))
    return weekday_near(said, day, ahead=ahead)


def _counted(match: re.Match[str], said: date | None, _ahead: bool) -> Stretch | None:
    """Two weeks from now is that day, as in English; two weeks ago is that week."""
    if said is None:
        return None
    count, unit = _number(match["count"]), _UNITS[match["unit"]]
    if match["way"] == "前":
        return counted(said, unit, -count)
    return counted(said, "day", 7 * count) if unit == "week" else counted(said, unit, count)


RULES: Final[tuple[tuple[re.Pattern[str], Reading], ...]] = (
    (re.compile(rf"(?:{_YEAR})?{_MONTH}{_DAY}"), _day),
    (re.compile(rf"(?:{_YEAR})?{_MONTH}(?!\s?\d|間){_END}"), _month),
    (re.compile(rf"{_YEAR}(?![前後后間间]|以上|\d){_END}"), _year),
    (re.compile(rf"(?P<word>去年|昨年|今年|来年|明年)の?{_MONTH}(?:{_DAY})?"), _month_of_near_year),
    (re.compile(rf"(?P<word>{_WORDS})(?!的?(?:周|週|星期)[一二三四五六日天]){_END}"), _near),
    (
        re.compile(rf"(?:(?P<week>{_WEEK})の?)?(?<![毎每])(?<!毎週)(?P<weekday>[月火水木金土日])(?P<kind>曜)日?"),
        _weekday,
    ),
    (
        # 下周五 names the week and the day with one word for both: the week is what stands before the day.
        re.compile(r"(?P<week>(?:上|下|这|這|本)个?個?(?P<kind>周|週|星期))(?P<weekday>[一二三四五六日天])(?!个|個)"),
        _weekday,
    ),
    # Every Friday, and once a week, are no dates.
    (
        re.compile(
            r"(?P<week>)(?<![每一两兩三四五几\d])(?P<kind>周|週|星期|礼拜|禮拜)(?P<weekday>[一二三四五六日天])(?!个|個|[年月次天])"
        ),
        _weekday,
    ),
    (
        re.compile(rf"(?<![\d年月]){_COUNT}\s?(?P<unit>{'|'.join(_UNITS)})の?(?:之|以)?(?P<way>前|後|后)"),
        _counted,
    ),
)
