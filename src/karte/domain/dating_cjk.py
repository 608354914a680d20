"""How Japanese, Chinese (in both scripts) and Korean name dates: patterns, each with the time that it means."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date, timedelta
from typing import Final

from karte.domain.calendar import Stretch, Unit, counted, day_near, last_day, month_near, weekday_near
from karte.domain.dating_english import Reading

_DIGITS: Final = (
    {sign: number for number, sign in enumerate("〇一二三四五六七八九")}
    | {"零": 0, "○": 0, "两": 2, "兩": 2}
    | {"한": 1, "두": 2, "세": 3, "네": 4}
)
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
    "일": "day",
    "주일": "week",
    "주": "week",
    "개월": "month",
    "달": "month",
    "년": "year",
}
_ERAS: Final = {"令和": 2018, "平成": 1988, "昭和": 1925, "大正": 1911, "明治": 1867, "民国": 1911, "民國": 1911}
"""The year before the first of each era."""

_NEAR: Final[dict[str, tuple[Unit, int]]] = {
    **dict.fromkeys("大前天 一昨々日 一昨昨日 さきおととい".split(), ("day", -3)),
    **dict.fromkeys("一昨日 おととい 前天".split(), ("day", -2)),
    **dict.fromkeys("昨日 昨天 昨晚 昨晩 昨夜".split(), ("day", -1)),
    **dict.fromkeys("今日 今天 今晚 今晩 今朝 今早".split(), ("day", 0)),
    **dict.fromkeys("明日 明天 明晚 明晩 明早".split(), ("day", 1)),
    **dict.fromkeys("明後日 あさって 后天 後天".split(), ("day", 2)),
    **dict.fromkeys("大后天 大後天 明々後日 しあさって".split(), ("day", 3)),
    **dict.fromkeys("先々週 先先週 上上周 上上週 上上星期".split(), ("week", -2)),
    **dict.fromkeys("先週 上周 上週 上星期 上个星期 上個星期".split(), ("week", -1)),
    **dict.fromkeys("今週 本周 本週 这周 這週 这星期 這星期 这个星期 這個星期".split(), ("week", 0)),
    **dict.fromkeys("来週 下周 下週 下星期 下个星期 下個星期".split(), ("week", 1)),
    **dict.fromkeys("再来週 下下周 下下週 下下星期".split(), ("week", 2)),
    **dict.fromkeys("先々月 先先月 上上个月 上上個月 上上月".split(), ("month", -2)),
    **dict.fromkeys("先月 上个月 上個月 上月".split(), ("month", -1)),
    **dict.fromkeys("今月 本月 这个月 這個月".split(), ("month", 0)),
    **dict.fromkeys("来月 下个月 下個月 下月".split(), ("month", 1)),
    **dict.fromkeys("再来月 下下个月 下下個月 下下月".split(), ("month", 2)),
    **dict.fromkeys("一昨年 おととし 前年".split(), ("year", -2)),
    **dict.fromkeys("去年 昨年".split(), ("year", -1)),
    **dict.fromkeys("今年".split(), ("year", 0)),
    **dict.fromkeys("来年 明年".split(), ("year", 1)),
    **dict.fromkeys("后年 後年 再来年".split(), ("year", 2)),
}
_NEAR_KOREAN: Final[dict[str, tuple[Unit, int]]] = {
    **dict.fromkeys("그끄저께 그끄제".split(), ("day", -3)),
    **dict.fromkeys("그저께 그제".split(), ("day", -2)),
    **dict.fromkeys("어제 어젯밤".split(), ("day", -1)),
    **dict.fromkeys("오늘".split(), ("day", 0)),
    **dict.fromkeys("내일".split(), ("day", 1)),
    **dict.fromkeys("모레 내일모레".split(), ("day", 2)),
    **dict.fromkeys("글피".split(), ("day", 3)),
    **dict.fromkeys("지지난주 저저번주".split(), ("week", -2)),
    **dict.fromkeys("지난주 저번주".split(), ("week", -1)),
    **dict.fromkeys("이번주".split(), ("week", 0)),
    **dict.fromkeys("다음주".split(), ("week", 1)),
    **dict.fromkeys("다다음주".split(), ("week", 2)),
    **dict.fromkeys("지지난달 저저번달".split(), ("month", -2)),
    **dict.fromkeys("지난달 저번달".split(), ("month", -1)),
    **dict.fromkeys("이번달".split(), ("month", 0)),
    **dict.fromkeys("다음달".split(), ("month", 1)),
    **dict.fromkeys("다다음달".split(), ("month", 2)),
    **dict.fromkeys("재작년".split(), ("year", -2)),
    **dict.fromkeys("작년 지난해".split(), ("year", -1)),
    **dict.fromkeys("올해 금년".split(), ("year", 0)),
    **dict.fromkeys("내년".split(), ("year", 1)),
    **dict.fromkeys("내후년".split(), ("year", 2)),
}
_NEAR_ALL: Final = _NEAR | _NEAR_KOREAN
_WEEKDAYS: Final = "月火水木金土日"
_WEEKDAYS_KOREAN: Final = "월화수목금토일"
_ORDINALS: Final = "一二三四五六日"


def _either(words: Iterable[str]) -> str:
    """A pattern for any of the words, the longest first; in Korean a space may stand before the unit."""
    longest_first = sorted(words, key=len, reverse=True)
    return "|".join(re.sub("(?<=[난번음])(?=[주달])|(?<=지난)(?=해)", r"\\s?", word) for word in longest_first)


_SIGNS: Final = "〇零○一二三四五六七八九"
_COUNT: Final = r"(?P<count>\d{1,3}|[一二三四五六七八九十两兩]{1,3}|[한두세네])"
_YEAR: Final = (
    rf"(?:(?<!\d)(?P<year>\d{{4}})|(?P<signs>(?:一[八九]|二[〇零○一])[{_SIGNS}]{{2}})"
    rf"|(?P<era>{'|'.join(_ERAS)})\s?(?P<nth>元|\d{{1,3}}|[十{_SIGNS}]{{1,3}}))\s?[年년]\s?"
)
_MONTH: Final = (
    r"(?<![\d一二三四五六七八九十])(?P<month>\d{1,2}|十[一二]?|一[〇零○]|[一二三四五六七八九])\s?(?:月|월(?!드))"
)
_DAY: Final = (
    rf"\s?(?P<day>\d{{1,2}}|[一二三]?十[一二三四五六七八九]?|[一二三][{_SIGNS}]|[一二三四五六七八九])\s?[日号號일]"
)
_END: Final = r"(?P<end>の終わり|末|底|\s?말(?![가-힣])|\s?말(?=까지|에))?"
_WEEK: Final = _either(word for word, (unit, _) in _NEAR.items() if unit == "week")
_WEEK_KOREAN: Final = _either(word for word, (unit, _) in _NEAR_KOREAN.items() if unit == "week")
_WORDS: Final = _either(_NEAR)
_WORDS_KOREAN: Final = _either(_NEAR_KOREAN)
# 이번 주 is this week and 이번 주문 this order; 오늘날 is these days, 그제야 only then.
_WORD_ENDS: Final = r"(?!날|야|서야)(?:(?<![주달])|(?![가-힣])|(?=[의에은는엔부까말초중]))"


def _number(text: str) -> int:
    """A number up to 99, in digits or as Chinese and Japanese write it; raises ``ValueError`` for any other."""
    if text.isdecimal():
        return int(text)
    tens, ten, ones = text.rpartition("十")
    if len(tens) > 1 or len(ones) > 1:
        raise ValueError(text)
    return (10 * _DIGITS.get(tens, 1) if ten else 0) + _DIGITS.get(ones, 0)


def _numeral(text: str) -> int:
    """The same, or sign by sign: 二〇二四, 二五."""
    if "十" in text or text.isdecimal():
        return _number(text)
    return int("".join(str(_DIGITS[sign]) for sign in text))


def _year_of(match: re.Match[str]) -> int | None:
    """The year that stands before a month, or alone: 0 if there is no such year, None if none stands there."""
    if match["year"] or match["signs"]:
        return _numeral(match["year"] or match["signs"])
    if match["era"]:
        nth = 1 if match["nth"] == "元" else _numeral(match["nth"])
        return _ERAS[match["era"]] + nth if nth > 0 else 0
    return None


def _day(match: re.Match[str], said: date | None, ahead: bool) -> Stretch | None:
    year, month, day = _year_of(match), _numeral(match["month"]), _numeral(match["day"])
    if year is not None:
        return Stretch("day", date(year, month, day))
    return None if said is None or not 1 <= month <= 12 else day_near(said, month, day, ahead=ahead)


def _month(match: re.Match[str], said: date | None, ahead: bool) -> Stretch | None:
    year, month = _year_of(match), _numeral(match["month"])
    if year is not None:
        found = Stretch("month", date(year, month, 1))
    elif said is None:
        return None
    else:
        found = month_near(said, month, ahead=ahead)
    return last_day(found) if match["end"] else found


def _year(match: re.Match[str], _said: date | None, _ahead: bool) -> Stretch:
    found = Stretch("year", date(_year_of(match) or 0, 1, 1))
    return last_day(found) if match["end"] else found


def _steps(word: str) -> tuple[Unit, int]:
    return _NEAR_ALL[re.sub(r"\s", "", word)]


def _near(match: re.Match[str], said: date | None, _ahead: bool) -> Stretch | None:
    if said is None:
        return None
    found = counted(said, *_steps(match["word"]))
    return last_day(found) if match["end"] else found


def _month_of_near_year(match: re.Match[str], said: date | None, _ahead: bool) -> Stretch | None:
    if said is None:
        return None
    year, month = counted(said, *_steps(match["word"])).first.year, _numeral(match["month"])
    if match["day"]:
        return Stretch("day", date(year, month, _numeral(match["day"])))
    return Stretch("month", date(year, month, 1))


def _weekday(match: re.Match[str], said: date | None, ahead: bool) -> Stretch | None:
    """The weekday of the week that is named, or the nearest one."""
    if said is None:
        return None
    names = {"曜": _WEEKDAYS, "요일": _WEEKDAYS_KOREAN}.get(match["kind"], _ORDINALS)
    day = names.index(match["weekday"].replace("天", "日"))
    week = match["week"]
    if week:
        return Stretch("day", counted(said, *_steps(week)).first + timedelta(days=day))
    return weekday_near(said, day, ahead=ahead)


def _counted(match: re.Match[str], said: date | None, _ahead: bool) -> Stretch | None:
    """Two weeks from now is that day, as in English; two weeks ago is that week."""
    if said is None:
        return None
    count, unit = _number(match["count"]), _UNITS[match["unit"]]
    if match["way"] in "前전":
        return counted(said, unit, -count)
    return counted(said, "day", 7 * count) if unit == "week" else counted(said, unit, count)


HINT: Final = re.compile(r"[年月日天号號周週曜期昨今明년월일주달해늘레피밤]|さって|とい|[그어]제|저께")
RULES: Final[tuple[tuple[re.Pattern[str], Reading], ...]] = (
    (re.compile(rf"(?:{_YEAR})?{_MONTH}{_DAY}"), _day),
    (re.compile(rf"(?:{_YEAR})?{_MONTH}(?!\s?\d|間){_END}"), _month),
    (re.compile(rf"{_YEAR}(?![前後后간間间生생]|以上|\d|\s?(?:[전후뒤](?![가-힣])|[전후뒤]에|동안)){_END}"), _year),
    (re.compile(rf"(?P<word>去年|昨年|今年|来年|明年)の?{_MONTH}(?:{_DAY})?"), _month_of_near_year),
    (re.compile(rf"(?<![가-힣])(?P<word>작년|지난\s?해|올해|금년|내년)\s?{_MONTH}(?:{_DAY})?"), _month_of_near_year),
    (re.compile(rf"(?P<word>{_WORDS})(?!的?(?:周|週|星期)[一二三四五六日天]){_END}"), _near),
    (re.compile(rf"(?<![가-힣])(?P<word>{_WORDS_KOREAN}){_WORD_ENDS}{_END}"), _near),
    (
        re.compile(rf"(?:(?P<week>{_WEEK})の?)?(?<![毎每])(?<!毎週)(?P<weekday>[月火水木金土日])(?P<kind>曜)日?"),
        _weekday,
    ),
    (
        re.compile(
            rf"(?:(?P<week>{_WEEK_KOREAN})\s?|(?<![가-힣])(?<!매주 ))"
            rf"(?P<weekday>[{_WEEKDAYS_KOREAN}])(?P<kind>요일)(?!마다)"
        ),
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
    (
        re.compile(
            rf"(?<![\d가-힣]){_COUNT}\s?(?P<unit>주일|개월|[일주달년])\s(?P<way>[전후뒤])(?:(?![가-힣])|(?=에|의|부터|까지|쯤))"
        ),
        _counted,
    ),
)
