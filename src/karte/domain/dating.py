"""Dates in what somebody says: in numerals or words, written out or relative to when it was said.

``spans_in`` gives each as a span that every write takes (``2026-03-09``, ``2026-03``, ``2026``) with its role. A date
that leaves its year or week open is the last one not after the day it was said, or, for a deadline and for ``until``,
the first one not before it. A week is its Monday as a start and its Sunday as an end.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final, Literal, assert_never

from karte.domain import dating_cjk, dating_english, dating_european, dating_numeric, dating_thai
from karte.domain.calendar import Stretch
from karte.domain.dating_english import Reading

Role = Literal["start", "end", "deadline"]

_LANGUAGES: Final[tuple[tuple[Callable[[str], object], tuple[tuple[re.Pattern[str], Reading], ...]], ...]] = (
    (dating_numeric.HINT.search, dating_numeric.RULES),
    (dating_english.HINT.search, dating_english.RULES),
    (dating_european.may_match, dating_european.RULES),
    (dating_cjk.HINT.search, dating_cjk.RULES),
    (dating_thai.HINT.search, dating_thai.RULES),
)
"""The rules of each, behind a quick look whether any of them can match: few texts need more than one."""

_BEFORE: Final = 48
"""Characters before a date, and after it, in which the words stand that say its role."""

_START_BEFORE: Final = re.compile(
    r"(?:\b(?:since|from|starting|beginning|as of)(?: (?:in|on|the|about|around)){0,2} |(?:自从|自從|从|從|自))\Z",
    re.IGNORECASE,
)
_END_BEFORE: Final = re.compile(
    r"(?:\b(?:until|till|through|up to)(?: (?:on|in|the)){0,2} |(?:一直到|直到|到|至))\Z", re.IGNORECASE
)
_TO_BEFORE: Final = re.compile(r"\bfrom\b[^.;,\n]{1,32} to \Z", re.IGNORECASE)
_DEADLINE_BEFORE: Final = re.compile(r"\b(?:by|before|no later than)(?: (?:on|in|the)){0,2} \Z", re.IGNORECASE)
_START_AFTER: Final = re.compile(r"\s?(?:から|以来|以來|以降|より|起|开始|開始)")
_END_AFTER: Final = re.compile(r"\s?(?:まで(?!に)|为止|為止)")
_DEADLINE_AFTER: Final = re.compile(r"\s?(?:までに|之前|以前|前|截止|締め?切)")


@dataclass(frozen=True, slots=True, kw_only=True)
class DatedSpan:
    """A date in a text: ``span`` as every write takes it, and ``begin`` to ``stop``, where it stands with its words.

    ``date_begin`` to ``date_stop`` is where it stands without them; ``stretch`` is all of the day, week, month or year.
    """

    span: str
    stretch: Stretch
    role: Role
    begin: int
    stop: int
    date_begin: int
    date_stop: int


def spans_in(text: str, said_at: datetime | None, *, plain: Role = "start", or_days: bool = False) -> list[DatedSpan]:
    """The dates of the text, in its order; ``plain`` is the role of those that no word gives one.

    Relative ones need ``said_at``; without it, and where there is no such day, nothing is given. What means
    either of two days (3/4/2024, last weekend) is given only to those who ask for ``or_days``: a write must not guess.
    """
    said = said_at.date() if said_at is not None else None
    found: list[DatedSpan] = []
    stop = 0
    for reading, match in _matches(text):
        if match.start() < stop:
            continue
        stop = match.end()
        role, begin, end = _role(text, match.start(), match.end(), plain)
        try:
            stretch = reading(match, said, role != "start")
        except (ValueError, OverflowError):
            continue  # no such day
        if stretch is not None and (or_days or stretch.or_day is None):
            found.append(
                DatedSpan(
                    span=_written(stretch, role),
                    stretch=stretch,
                    role=role,
                    begin=begin,
                    stop=end,
                    date_begin=match.start(),
                    date_stop=match.end(),
                )
            )
    return found


def _matches(text: str) -> Iterator[tuple[Reading, re.Match[str]]]:
    """Every date that a rule sees, the first and longest of those that overlap before the others."""
    rules = [rule for may_match, rules in _LANGUAGES if may_match(text) for rule in rules]
    seen = [(reading, match) for pattern, reading in rules for match in pattern.finditer(text)]
    yield from sorted(seen, key=lambda each: (each[1].start(), -each[1].end()))


def _role(text: str, begin: int, stop: int, plain: Role) -> tuple[Role, int, int]:
    before, after = text[max(0, begin - _BEFORE) : begin], text[stop : stop + _BEFORE]
    told: tuple[tuple[Role, re.Pattern[str], re.Pattern[str] | None], ...] = (
        ("deadline", _DEADLINE_BEFORE, _DEADLINE_AFTER),
        ("end", _END_BEFORE, _END_AFTER),
        ("start", _START_BEFORE, _START_AFTER),
        ("end", _TO_BEFORE, None),
    )
    for role, ahead, behind in told:
        left = ahead.search(before)
        right = behind.match(after) if behind is not None else None
        if left is not None or right is not None:
            words = left.end() - left.start() if left is not None and ahead is not _TO_BEFORE else 0
            return role, begin - words, stop + (right.end() if right is not None else 0)
    return plain, begin, stop


def _written(stretch: Stretch, role: Role) -> str:
    day: date = stretch.first
    match stretch.kind:
        case "day":
            return day.isoformat()
        case "week":
            return (day if role == "start" else day + timedelta(days=6)).isoformat()
        case "month":
            return day.isoformat()[:7]
        case "year":
            return day.isoformat()[:4]
        case _:
            assert_never(stretch.kind)
