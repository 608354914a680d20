"""The digest of a stretch of time, which a caller's model may phrase."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

from karte.domain.drafts import checked_name
from karte.domain.model import Instant
from karte.domain.summary import MOST_NAMED, MOST_SHOWN, Change, Notable, Sitting, Summary, text_of
from karte.domain.time import (
    FIRST_INSTANT,
    LAST_INSTANT,
    after,
    format_instant,
    parse_end,
    parse_instant,
    read_stored,
    to_datetime,
)
from karte.errors import InvalidInput
from karte.service.services import Services
from karte.service.transactions import reading

Window = float | tuple[Instant, Instant]
"""So many days until now, or from an instant (inclusive) until another (exclusive)."""
_REMEDY: Final = "give a number of days above 0, or a start and a later end"


def summarize(services: Services, agent: str, window: Window, *, phrase: Callable[[str], str] | None = None) -> Summary:
    """What the agent's memory holds of a window; no failure of ``phrase`` keeps it from the caller."""
    checked_name(agent, "agent")
    asked = None if _is_number(window) else _named(window)
    with reading(services) as session:
        start, end = asked or _last_days(window, session.now)
        found = session.summaries.of(agent, session.now, (start, end), named=MOST_NAMED, shown=MOST_SHOWN)
    summary = _summary(agent, start, end, found)
    digest = text_of(summary)
    worded = None if phrase is None else _phrased(phrase, digest)
    return replace(summary, text=worded or digest, phrased=worded is not None)


def _is_number(window: object) -> bool:
    return isinstance(window, int | float) and not isinstance(window, bool)


def _named(window: Any) -> tuple[str, str]:
    if not isinstance(window, tuple | list) or len(window) != 2:
        raise InvalidInput("not a window", field="window", value=window, remedy=_REMEDY)
    start, end = parse_instant(window[0], "window"), parse_end(window[1], "window") or LAST_INSTANT
    if start >= end:
        raise InvalidInput("the window ends before it begins", field="window", value=window, remedy=_REMEDY)
    return start, end


def _last_days(window: Any, now: str) -> tuple[str, str]:
    """So many days that end with this instant, itself included."""
    if not math.isfinite(window) or window <= 0:
        raise InvalidInput("not a window", field="window", value=window, remedy=_REMEDY)
    try:
        return format_instant(to_datetime(now) - timedelta(days=window)), after(now)
    except OverflowError:
        return FIRST_INSTANT, after(now)


def _phrased(phrase: Callable[[str], str], digest: str) -> str | None:
    """The digest in the caller's words; None where none come."""
    try:
        worded: object = phrase(digest)
    except Exception:  # noqa: BLE001 (whatever a model's client raises: the digest is good without it)
        return None
    return worded if isinstance(worded, str) and worded.strip() else None


def _summary(agent: str, start: str, end: str, found: dict[str, Any]) -> Summary:
    return Summary(
        agent=agent,
        start=to_datetime(start),
        end=to_datetime(end),
        memories=found["memories"],
        facts=found["facts"],
        changed=found["changed"],
        changes=tuple(
            Change(id=id, subject=subject, predicate=predicate, value=value, since=_at(since), replaced=replaced)
            for id, subject, predicate, value, since, replaced in found["changes"]
        ),
        subjects=tuple(found["subjects"]),
        tags=tuple(found["tags"]),
        sessions=tuple(
            Sitting(session=session, memories=count, first=_at(first), last=_at(last))
            for session, count, first, last in found["sessions"]
        ),
        important=tuple(
            Notable(id=id, content=content, importance=importance, timestamp=_at(timestamp))
            for id, content, importance, timestamp in found["important"]
        ),
    )


def _at(written: str) -> datetime:
    """The instant; the first of all for one of an older file that nobody can read."""
    return to_datetime(read_stored(written) or FIRST_INSTANT)
