"""Days, weeks, months and years counted from a day, for what people say of them."""

from __future__ import annotations

from calendar import monthrange
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final, Literal, assert_never

Unit = Literal["day", "week", "month", "year"]

_MONTHS: Final = 12


@dataclass(frozen=True, slots=True)
class Stretch:
    """A day, or the week, month or year that begins with ``first``; ``recurs`` where its year was left open.

    ``or_day`` is another day that the same words may mean: 3/4/2024, or a weekend.
    """

    kind: Unit
    first: date
    recurs: bool = False
    or_day: date | None = None


def counted(said: date, unit: Unit, steps: int) -> Stretch:
    """The day, week, month or year that is so many after the one of ``said``; raises outside the years 1 to 9999."""
    match unit:
        case "day":
            return Stretch("day", said + timedelta(days=steps))
        case "week":
            return Stretch("week", said - timedelta(days=said.weekday()) + timedelta(weeks=steps))
        case "month":
            months = said.year * _MONTHS + said.month - 1 + steps
            return Stretch("month", date(months // _MONTHS, months % _MONTHS + 1, 1))
        case "year":
            return Stretch("year", date(said.year + steps, 1, 1))
        case _:
            assert_never(unit)


def last_day(stretch: Stretch) -> Stretch:
    """The last day of a stretch, as a day."""
    day = stretch.first
    match stretch.kind:
        case "day":
            return stretch
        case "week":
            return Stretch("day", day + timedelta(days=6))
        case "month":
            return Stretch("day", day.replace(day=monthrange(day.year, day.month)[1]))
        case "year":
            return Stretch("day", date(day.year, 12, 31))
        case _:
            assert_never(stretch.kind)


def month_near(said: date, month: int, *, ahead: bool) -> Stretch:
    """The month of that number: the first not before the day's own, or else the last not after it."""
    step = (1 if month < said.month else 0) if ahead else (-1 if month > said.month else 0)
    return Stretch("month", date(said.year + step, month, 1), recurs=True)


def day_near(said: date, month: int, day: int, *, ahead: bool) -> Stretch | None:
    """The day of that month: the first not before ``said``, or else the last not after it; None where none is near."""
    years = range(said.year, said.year + 5) if ahead else range(said.year, said.year - 5, -1)
    for year in years:
        if 1 <= day <= monthrange(year, month)[1]:
            found = date(year, month, day)
            if (found >= said) if ahead else (found <= said):
                return Stretch("day", found, recurs=True)
    return None


def weekday_near(said: date, weekday: int, *, ahead: bool) -> Stretch:
    """The weekday (Monday is 0): the first not before ``said``, or else the last not after it."""
    step = (weekday - said.weekday()) % 7 if ahead else -((said.weekday() - weekday) % 7)
    return Stretch("day", said + timedelta(days=step))
