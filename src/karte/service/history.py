"""Facts over time, read on both axes: what holds at an instant, and every stretch there was."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from karte.domain.drafts import checked_name
from karte.domain.entities import (
    Resolve,
    canonical_name,
    identity_of,
    identity_prefix,
    normalise,
)
from karte.domain.model import Instant, TemporalRecord
from karte.domain.presenting import record_of
from karte.domain.stored import StoredMemory
from karte.domain.time import parse_instant, parse_known_at
from karte.errors import AmbiguousValue
from karte.service.services import Services
from karte.service.transactions import reading
from karte.storage.protocol import Session


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Which timelines a reader asks for: one identity, or all that begin with it."""

    agent: str
    identity: str
    is_prefix: bool
    wants: Callable[[StoredMemory], bool]


def get_at(
    services: Services,
    agent: str,
    subject: str,
    predicate: str,
    at: Instant | None = None,
    *,
    object: str | None = None,
    known_at: Instant | None = None,
) -> TemporalRecord | None:
    """The one record that holds at an instant, as it was believed at another."""
    records = get_all_at(services, agent, subject, predicate, at, object=object, known_at=known_at)
    if len(records) > 1:
        raise AmbiguousValue(
            f"{len(records)} values hold",
            field="object",
            remedy="name the object, or ask for all of them (get_all_at)",
        )
    return records[0] if records else None


def get_all_at(
    services: Services,
    agent: str,
    subject: str,
    predicate: str,
    at: Instant | None = None,
    *,
    object: str | None = None,
    known_at: Instant | None = None,
) -> list[TemporalRecord]:
    """Every record that holds at an instant; one at the most where the predicate has one value."""
    instant = None if at is None else parse_instant(at, "at")
    known = None if known_at is None else parse_known_at(known_at)
    check_names(agent, subject, predicate, object)
    with reading(services) as session:
        asked = asked_for(session, agent, subject, predicate, object, known)
        found = _holding(session, asked, instant or session.now, known)
        return [_shown(services, stored, session.now, known) for stored in found if asked.wants(stored)]


def _shown(services: Services, stored: StoredMemory, now: str, known: str | None) -> TemporalRecord:
    """The record, with what was read of it and is not written yet."""
    return record_of(stored if known is not None else services.touches.shown(stored), now)


def _holding(session: Session, asked: Asked, instant: str, known: str | None) -> list[StoredMemory]:
    timelines = session.timelines
    if known is not None:
        return timelines.known_at(asked.agent, asked.identity, known, instant, is_prefix=asked.is_prefix)
    if asked.is_prefix:
        return timelines.all_at(asked.agent, asked.identity, instant)
    found = timelines.at(asked.agent, asked.identity, instant)
    return [] if found is None else [found]


def get_history(
    services: Services,
    agent: str,
    subject: str,
    predicate: str,
    *,
    object: str | None = None,
    known_at: Instant | None = None,
    include_quarantined: bool = False,
) -> list[TemporalRecord]:
    """Every stretch of a fact, oldest to newest; retracted ones are there, marked."""
    known = None if known_at is None else parse_known_at(known_at)
    check_names(agent, subject, predicate, object)
    with reading(services) as session:
        asked = asked_for(session, agent, subject, predicate, object, known)
        if known is None:
            rows = session.timelines.history(
                agent, asked.identity, is_prefix=asked.is_prefix, with_held=include_quarantined
            )
        else:
            rows = session.timelines.known_history(
                agent,
                asked.identity,
                known,
                is_prefix=asked.is_prefix,
                with_held=include_quarantined,
            )
        return [_shown(services, stored, session.now, known) for stored in rows if asked.wants(stored)]


def check_names(agent: str, subject: str, predicate: str, object: str | None) -> None:
    """Refuses names that no fact can have."""
    checked_name(agent, "agent")
    checked_name(subject, "subject")
    checked_name(predicate, "predicate")
    if object is not None:
        checked_name(object, "object")


def asked_for(
    session: Session,
    agent: str,
    subject: str,
    predicate: str,
    object: str | None,
    known: str | None = None,
) -> Asked:
    """The timelines of a subject and predicate, by the names and declarations of that belief."""
    resolve = session.names.resolve(agent, known)
    if not session.names.is_many(agent, normalise(predicate), known):
        identity = identity_prefix(subject, predicate, resolve)
        wants = _anything if object is None else _with_object(object, resolve)
        return Asked(agent=agent, identity=identity, is_prefix=False, wants=wants)
    if object is None:
        prefix = identity_prefix(subject, predicate, resolve)
        return Asked(agent=agent, identity=prefix, is_prefix=True, wants=_anything)
    identity = identity_of(subject, predicate, object=object, content="", is_many=True, resolve=resolve)
    if not session.timelines.is_known(agent, identity):  # a fact without object is named by its content
        by_content = identity_of(subject, predicate, object=None, content=object, is_many=True, resolve=resolve)
        identity = by_content if session.timelines.is_known(agent, by_content) else identity
    return Asked(agent=agent, identity=identity, is_prefix=False, wants=_anything)


def _anything(_stored: StoredMemory) -> bool:
    return True


def _with_object(object: str, resolve: Resolve) -> Callable[[StoredMemory], bool]:
    """Rows of this object, or of this content where they have none; like identities, compared case folded."""
    wanted, content = canonical_name(object, resolve), normalise(object)

    def wants(stored: StoredMemory) -> bool:
        if stored.object is None:
            return normalise(stored.content) == content
        return canonical_name(stored.object, resolve) == wanted

    return wants
