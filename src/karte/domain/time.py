"""Instants and spans: what is accepted, and the one form that is written.

Written: RFC 3339 in UTC with ``+00:00`` and always six fraction digits, so that the order of the
text is the order of time. Inside the engine an instant *is* that text; ``None`` as an end means
that no end is known.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Final

from karte.domain.model import Instant
from karte.errors import InvalidTime

FIRST_INSTANT: Final = "0001-01-01T00:00:00.000000+00:00"
LAST_INSTANT: Final = "9999-12-31T23:59:59.999999+00:00"
SMALLEST_EPOCH_SECONDS: Final = 100_000_000
MICROSECOND: Final = timedelta(microseconds=1)

_ACCEPTED: Final = (
    "give a datetime, RFC 3339 text such as 2026-05-11T14:05:00Z, a date 2026-05-11, "
    "a month 2026-05, a year 2026, or epoch seconds of at least 100000000"
)
_STAMP: Final = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?"
    r"\s?([Zz]|[+-]\d\d:?\d\d|[+-]\d\d)?",
    re.ASCII,
)
_DATE: Final = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?", re.ASCII)
_CANONICAL: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00", re.ASCII)


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of calendar time: ``start`` inclusive, ``end`` exclusive, None past 9999.

    A full instant is a span with ``end`` equal to ``start``.
    """

    start: str
    end: str | None

    @property
    def is_instant(self) -> bool:
        """Whether it was written as a full instant, not as a year, month or day."""
        return self.start == self.end


def format_instant(moment: datetime) -> str:
    """The written form of an aware datetime."""
    if moment.tzinfo is not UTC:
        moment = moment.astimezone(UTC)
    return moment.isoformat(timespec="microseconds")


def to_datetime(text: str) -> datetime:
    """The aware datetime of a written instant."""
    return datetime.fromisoformat(text)


def after(text: str, step: timedelta = MICROSECOND) -> str:
    """The instant one ``step`` later than a written one; the last instant stays itself."""
    try:
        return format_instant(to_datetime(text) + step)
    except OverflowError:
        return LAST_INSTANT


def parse_span(value: Instant, field: str) -> Span:
    """The span that a caller means by ``value``.

    Raises ``InvalidTime``, naming ``field``, for anything that is not one of the accepted forms.
    """
    if isinstance(value, str):
        return _span_of_text(value, field)
    if isinstance(value, datetime):
        return _exactly(_utc(value, value, field))
    if isinstance(value, date):
        return _span_of_calendar(value.year, value.month, value.day, value, field)
    if not isinstance(value, bool) and isinstance(value, int | float):
        return _exactly(_of_epoch(value, field))
    raise InvalidTime("not a time", field=field, value=value, remedy=_ACCEPTED)


def parse_instant(value: Instant, field: str) -> str:
    """The instant that starts what the caller wrote (``valid_from``, ``at``, ``since`` ...)."""
    if isinstance(value, datetime):
        return _utc(value, value, field)  # what most are, and needs no span
    return parse_span(value, field).start


def parse_end(value: Instant, field: str) -> str | None:
    """The exclusive end that the caller wrote (``valid_until``, ``until``); None means open."""
    return parse_span(value, field).end


def parse_known_at(value: Instant, field: str = "known_at") -> str:
    """The last instant of belief that the caller wrote: a span means all of it, inclusive."""
    span = parse_span(value, field)
    if span.is_instant:
        return span.start
    if span.end is None:
        return LAST_INSTANT
    return format_instant(to_datetime(span.end) - MICROSECOND)


def read_stored(text: str) -> str | None:
    """The written form of a time found in an older file; None when it cannot be read.

    Tolerates ``Z``, other offsets, zero to nine fraction digits (cut to microseconds) and
    ``YYYY-MM-DD HH:MM:SS``.
    """
    try:
        if _CANONICAL.fullmatch(text):
            to_datetime(text)  # the shape alone would let a thirteenth month pass
            return text
        return parse_span(text.strip(), "time").start
    except ValueError:
        return None


def _span_of_text(text: str, field: str) -> Span:
    stripped = text.strip()
    match = _STAMP.fullmatch(stripped)
    if match:
        return _exactly(_of_stamp(match, text, field))
    match = _DATE.fullmatch(stripped)
    if match:
        year, month, day = (int(part) if part else 0 for part in match.groups())
        return _span_of_calendar(year, month, day, text, field)
    raise InvalidTime("not a time", field=field, value=text, remedy=_ACCEPTED)


def _of_stamp(match: re.Match[str], text: str, field: str) -> str:
    year, month, day, hour, minute, second, fraction, offset = match.groups()
    micro = int((fraction or "0")[:6].ljust(6, "0"))
    try:
        moment = datetime(  # noqa: DTZ001 (the offset is applied below)
            int(year), int(month), int(day), int(hour), int(minute), int(second or 0), micro
        )
        moment = moment.replace(tzinfo=UTC) - _offset(offset)
    except (ValueError, OverflowError) as error:
        raise _unusable(text, field) from error
    return format_instant(moment)


def _offset(text: str | None) -> timedelta:
    if text is None or text in "Zz":
        return timedelta(0)
    digits = text[1:].replace(":", "")
    hours, minutes = int(digits[:2]), int(digits[2:] or 0)
    if hours > 23 or minutes > 59:
        raise ValueError("offset out of range")
    size = timedelta(hours=hours, minutes=minutes)
    return -size if text[0] == "-" else size


def _span_of_calendar(year: int, month: int, day: int, value: object, field: str) -> Span:
    try:
        start = datetime(year, month or 1, day or 1, tzinfo=UTC)
    except ValueError as error:
        raise _unusable(value, field) from error
    try:
        if day:
            end = start + timedelta(days=1)
        elif month:
            end = start.replace(year=year + month // 12, month=month % 12 + 1)
        else:
            end = start.replace(year=year + 1)
    except (ValueError, OverflowError):
        return Span(format_instant(start), None)  # it ends after 9999: open
    return Span(format_instant(start), format_instant(end))


def _of_epoch(value: float, field: str) -> str:
    if not isinstance(value, int) and not math.isfinite(value):
        raise InvalidTime("not a time", field=field, value=value, remedy=_ACCEPTED)
    if value < SMALLEST_EPOCH_SECONDS:
        raise InvalidTime(
            "too small for epoch seconds",
            field=field,
            value=value,
            remedy='write a year as text, such as "2026"',
        )
    try:
        seconds = int(value)
        moment = datetime.fromtimestamp(seconds, UTC)
        if seconds != value:
            moment += timedelta(microseconds=int((value - seconds) * 1_000_000))
    except (ValueError, OverflowError, OSError) as error:
        raise _unusable(value, field) from error
    return format_instant(moment)


def _utc(moment: datetime, value: object, field: str) -> str:
    if moment.tzinfo is None:  # naive means UTC, whatever the process's time zone
        return format_instant(moment.replace(tzinfo=UTC))
    try:
        return format_instant(moment)
    except (ValueError, OverflowError) as error:
        raise _unusable(value, field) from error


def _exactly(instant: str) -> Span:
    return Span(instant, instant)


def _unusable(value: object, field: str) -> InvalidTime:
    return InvalidTime("no such time, or outside the years 1 to 9999", field=field, value=value, remedy=_ACCEPTED)
