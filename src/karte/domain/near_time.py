"""Time in a question: what was said, or began, near a day that the query names lies near the answer.

With t the whole relevance of a memory so far and m the best text score of the query, a memory adds

    w_time (c t + ON_THE_DAY m d)

with c how close it is to the nearest period that the query names,

    c = WORTH exp(-days outside the period / REACH_DAYS)

and d the same for days alone, 0.0 for longer periods: on a day that somebody names little else was said, in a year
much. A period that leaves its year open means the last such, and with ``ANOTHER_YEAR`` those of other years. (Decay
from an anchor of time as in Li and Croft, 2003, "Time-based language models"; the values are measured,
docs/decisions/0010.)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date, datetime, timedelta
from functools import lru_cache
from math import exp
from typing import Final, NamedTuple

from karte.domain.calendar import Stretch, Unit, last_day
from karte.domain.dating import DatedSpan, spans_in
from karte.domain.text.query import LONGEST_ASKED
from karte.domain.text.scripts import UNSPACED
from karte.domain.time import to_datetime

WORTH: Final[dict[Unit, float]] = {"day": 1.0, "week": 0.8, "month": 0.6, "year": 0.2}
REACH_DAYS: Final[dict[Unit, float]] = {"day": 3.0, "week": 3.0, "month": 7.0, "year": 30.0}
ANOTHER_YEAR: Final = 0.6
ON_THE_DAY: Final = 0.5
_FAR_OFF: Final = 20.0
"""Beyond so many reaches nothing is near: what is left would be an echo in a score, and no more."""
SHORTEST_ASKED: Final = 3
"""Who asks for less, `今日`, looks for the word: every hit of so short a query holds it."""

_NUMERAL: Final = re.compile(r"\d+(?:(?:st|nd|rd|th|er)\b)?", re.IGNORECASE)
_HAS_NUMERALS: Final = re.compile(r"[\d一二三四五六七八九十]")
_IN_UNITS: Final = re.compile(r"[\d〇零○一二三四五六七八九十元]\s?[年月日天号號년월일]")
"""Numerals with unit letters between them, as East Asia writes dates; neither are words by themselves."""
_PARTICLE: Final = re.compile(
    rf"(?:に|の|は|も|で|と|から|まで|には|では|的|에|의|은|는|이|까지|부터|에는|에도)(?![{UNSPACED}])"
)
"""What stands behind such a date alone, and would find whatever holds this letter."""


class Period(NamedTuple):
    """A day, week, month or year that a query names; ``recurs`` where it leaves open which year's."""

    kind: Unit
    first: date
    last: date
    recurs: bool = False


def periods_asked(query: str, now: str) -> tuple[Period, ...]:
    """The periods that the query names, seen from the instant ``now``."""
    asked = query[:LONGEST_ASKED]
    if len(asked.strip()) < SHORTEST_ASKED:
        return ()
    return tuple(period for span in _spans_asked(asked, _noon_of(now)) for period in _periods(span.stretch))


def words_asked(query: str, now: str) -> str:
    """The query without the numerals of the days and months that it names, and with each such date as a phrase.

    The 3 of 3 March is no word: it stands in tickets and rooms; the 2024 of May 2024 stands in versions. Nor are the
    numerals and the unit letters of 3月3日.
    """
    asked = query[:LONGEST_ASKED]
    if '"' in query or len(asked.strip()) < SHORTEST_ASKED or _HAS_NUMERALS.search(asked) is None:
        return query
    phrases = []
    for span in reversed(_spans_asked(asked, _noon_of(now))):
        written = query[span.date_begin : span.date_stop]
        if span.stretch.kind in {"day", "month"} and _HAS_NUMERALS.search(written) is not None:
            query = query[: span.date_begin] + _without_numerals(written, query[span.date_stop :])
            phrases.append(f' "{written.strip()}"')
    return query + "".join(phrases)


@lru_cache(maxsize=64)
def _spans_asked(asked: str, noon: datetime) -> tuple[DatedSpan, ...]:
    """The dates of a query; a search asks twice, for its words and for its periods."""
    return tuple(spans_in(asked, noon, or_days=True))


def _noon_of(now: str) -> datetime:
    return to_datetime(now).replace(hour=12, minute=0, second=0, microsecond=0)


def _without_numerals(written: str, behind: str) -> str:
    """What is left of a date as words, with what stands behind it."""
    if _IN_UNITS.search(written) is None:
        return _NUMERAL.sub(" ", written) + behind
    particle = _PARTICLE.match(behind)
    return " " + behind[particle.end() if particle is not None else 0 :]


def _periods(stretch: Stretch) -> Iterator[Period]:
    """The period, or both days where the numerals may mean either."""
    yield Period(stretch.kind, stretch.first, last_day(stretch).first, stretch.recurs)
    if stretch.or_day is not None:
        yield Period("day", stretch.or_day, stretch.or_day)


def days_asked(periods: Iterable[Period]) -> list[tuple[str, str]]:
    """Of the days among them the first instant, as stored, and the first after it."""
    return [
        (day.first.isoformat(), (day.first + timedelta(days=1)).isoformat())
        for day in periods
        if day.kind == "day" and day.first < date.max
    ]


def closeness(periods: Iterable[Period], times: Iterable[str | None]) -> float:
    """How close the nearest of the stored instants is to the nearest period: 0.0 (far off) to 1.0 (on that day)."""
    days = [day for time in times if time is not None and (day := _day_of(time)) is not None]
    return max((_close(period, day) for period in periods for day in days), default=0.0)


def nearness(periods: Iterable[Period], times: Iterable[str | None], relevance: float, best: float) -> float:
    """What time adds to a memory of these instants, as the formula above says, with ``w_time`` 1.0."""
    there = tuple(times)
    asked = tuple(periods)
    on_the_day = closeness((period for period in asked if period.kind == "day"), there)
    return closeness(asked, there) * relevance + ON_THE_DAY * best * on_the_day


def _close(period: Period, day: date) -> float:
    reaches = _days_outside(period, day) / REACH_DAYS[period.kind]
    own = WORTH[period.kind] * exp(-reaches) if reaches < _FAR_OFF else 0.0
    if not period.recurs or day.year == period.first.year:
        return own
    try:
        moved = Period(period.kind, period.first.replace(year=day.year), period.last.replace(year=day.year))
    except ValueError:  # the 29th of February, of a year that has none
        return own
    return max(own, ANOTHER_YEAR * _close(moved, day))


def _days_outside(period: Period, day: date) -> int:
    return max(0, (period.first - day).days, (day - period.last).days)


def _day_of(stored: str) -> date | None:
    try:
        return date.fromisoformat(stored[:10])
    except ValueError:  # a time of an older file that nobody can read, or before the year 1
        return None
