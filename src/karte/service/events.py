"""Events and the security audit: listed in their order, and told to subscribers of this process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from karte.domain.drafts import checked_name
from karte.domain.events import AUDIT_KINDS, SECURITY_KINDS, Audit, Event, EventFilter, EventKind
from karte.domain.model import Page
from karte.errors import InvalidInput
from karte.service.recall import checked_limit
from karte.service.services import Services
from karte.service.transactions import reading

MOST_EVENTS: Final = 1_000
LARGEST_SEQUENCE: Final = 2**63 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """Which events a reader asks for: all of them, and those of this page."""

    whole: EventFilter
    page: EventFilter
    limit: int
    newest_first: bool


def list_events(
    services: Services,
    *,
    agent: str | None = None,
    kinds: Sequence[str] = (),
    after: int = 0,
    before: int | None = None,
    limit: int = 100,
    newest_first: bool = False,
    cursor: str | None = None,
) -> Page[Event]:
    """Events in the order of their sequence, a page at a time."""
    asked = _asked(agent, kinds, after, before, limit, newest_first, cursor, frozenset(EventKind))
    items, next_cursor = _page(services, asked)
    return Page(items, next_cursor, lambda: _count(services, asked.whole))


def audit(
    services: Services,
    *,
    agent: str | None = None,
    kinds: Sequence[str] = (),
    after: int = 0,
    before: int | None = None,
    limit: int = 100,
    newest_first: bool = True,
    cursor: str | None = None,
) -> Audit:
    """The security audit: attacks that were stopped, and the life of knowledge (holds, decisions, purges, erasures).

    ``findings`` counts attacks above level ``info`` in all that was asked for, not in this page alone.
    """
    asked = _asked(agent, kinds, after, before, limit, newest_first, cursor, AUDIT_KINDS)
    if not asked.whole.kinds:
        every = tuple(sorted(AUDIT_KINDS))
        asked = replace(asked, whole=replace(asked.whole, kinds=every), page=replace(asked.page, kinds=every))
    items, next_cursor = _page(services, asked)
    alarming = tuple(sorted(SECURITY_KINDS & set(asked.whole.kinds)))
    found = _count(services, replace(asked.whole, kinds=alarming, above_info=True)) if alarming else 0
    return Audit(items, next_cursor, lambda: _count(services, asked.whole), found)


def subscribe(
    services: Services,
    callback: Callable[[Event], object],
    *,
    agent: str | None = None,
    kinds: Sequence[str] = (),
) -> Callable[[], None]:
    """Tells ``callback`` of events of this process, each after its commit; gives what ends that."""
    if not callable(callback):
        raise InvalidInput("cannot be called", field="callback", value=callback, remedy="give a function of one event")
    wanted = EventFilter(agent=_checked_agent(agent), kinds=_checked_kinds(kinds, frozenset(EventKind)))

    def hear(event: Event) -> None:
        if wanted.wants(event):
            callback(event)

    return services.store.subscribe(hear)


def _page(services: Services, asked: _Asked) -> tuple[list[Event], str | None]:
    with reading(services) as session:
        found = session.events.listed(asked.page, limit=asked.limit + 1, newest_first=asked.newest_first)
    items = found[: asked.limit]
    return items, str(items[-1].sequence) if len(found) > asked.limit else None


def _count(services: Services, wanted: EventFilter) -> int:
    with reading(services) as session:
        return session.events.count(wanted)


def _asked(
    agent: str | None,
    kinds: Sequence[str],
    after: int,
    before: int | None,
    limit: int,
    newest_first: bool,
    cursor: str | None,
    known: Iterable[str],
) -> _Asked:
    if not isinstance(newest_first, bool):
        raise InvalidInput("not true or false", field="newest_first", value=newest_first, remedy="give True or False")
    whole = EventFilter(
        agent=_checked_agent(agent),
        kinds=_checked_kinds(kinds, known),
        after=_checked_sequence(after, "after"),
        before=None if before is None else _checked_sequence(before, "before"),
    )
    page = whole
    if cursor is not None:
        place = _read_cursor(cursor)
        if newest_first:
            page = replace(whole, before=place if whole.before is None else min(place, whole.before))
        else:
            page = replace(whole, after=max(place, whole.after))
    return _Asked(whole=whole, page=page, limit=checked_limit(limit, MOST_EVENTS), newest_first=newest_first)


def _checked_agent(agent: object) -> str | None:
    return None if agent is None else checked_name(agent, "agent")


def _checked_kinds(kinds: object, known: Iterable[str]) -> tuple[str, ...]:
    if isinstance(kinds, str) or not isinstance(kinds, Sequence):
        raise InvalidInput("not a list of kinds", field="kinds", value=kinds, remedy='use ["knowledge.purged"]')
    names = sorted(str(kind) for kind in known)
    for kind in kinds:
        if not isinstance(kind, str) or kind not in names:
            raise InvalidInput("no such kind", field="kinds", value=kind, remedy=f"use some of {', '.join(names)}")
    return tuple(dict.fromkeys(str(kind) for kind in kinds))


def _checked_sequence(sequence: object, field: str) -> int:
    if isinstance(sequence, bool) or not isinstance(sequence, int) or not 0 <= sequence <= LARGEST_SEQUENCE:
        raise InvalidInput("not the sequence of an event", field=field, value=sequence, remedy="give 0 or more")
    return sequence


def _read_cursor(cursor: object) -> int:
    if isinstance(cursor, str) and cursor.isascii() and cursor.isdigit() and len(cursor) <= 18:
        return int(cursor)
    raise InvalidInput("not a cursor of ours", field="cursor", value=cursor, remedy="pass next_cursor unchanged")
