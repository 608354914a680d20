"""Memories by id: one, or a batch in one query."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from karte.domain.drafts import checked_name
from karte.domain.model import BatchResult, HoldsNow, Instant, Memory
from karte.domain.presenting import memory_of
from karte.domain.stored import StoredMemory
from karte.domain.time import parse_known_at, to_datetime
from karte.errors import InvalidInput, TooMany
from karte.service.recall import storable
from karte.service.services import Services
from karte.service.transactions import reading
from karte.storage.protocol import Session

MOST_IDS: Final = 100


def get_by_id(services: Services, agent: str, id: str, *, known_at: Instant | None = None) -> Memory | None:
    """One memory of the agent, and what holds for its fact now.

    A held row that nobody has decided about is not there, and neither is another agent's.
    """
    checked_name(agent, "agent")
    known = None if known_at is None else parse_known_at(known_at)
    _check_id(id, "id")
    with reading(services) as session:
        if known is None:
            stored = session.memories.get(agent, storable(id))
            stored = None if stored is None else services.touches.shown(stored)
        else:
            stored = session.memories.known_by_id(agent, storable(id), known)
        if stored is None or is_undecided(stored) or stored.is_archived:
            return None
        holds_now, continued_by = _present_of(session, stored)
        return memory_of(stored, session.now, holds_now, continued_by)


def get_by_ids(services: Services, agent: str, ids: Sequence[str]) -> BatchResult:
    """At most 100 memories, in the order asked, and the ids that are not there, each once."""
    checked_name(agent, "agent")
    wanted = list(dict.fromkeys(_checked_ids(ids)))
    if not wanted:
        return BatchResult(memories=(), missing_ids=(), total_found=0, total_missing=0)
    with reading(services) as session:
        found = session.memories.get_many(agent, [storable(id) for id in wanted])
        now = session.now
    shown = {id: found[id] for id in wanted if id in found and not is_undecided(found[id])}
    missing = tuple(id for id in wanted if id not in shown)
    return BatchResult(
        memories=tuple(memory_of(services.touches.shown(stored), now) for stored in shown.values()),
        missing_ids=missing,
        total_found=len(shown),
        total_missing=len(missing),
    )


def is_undecided(stored: StoredMemory) -> bool:
    """Whether the row waits for a decision: it is as good as not there."""
    return bool(stored.quarantined) and stored.state is None


def _checked_ids(ids: Sequence[str]) -> Sequence[str]:
    if isinstance(ids, str) or not isinstance(ids, Sequence):
        raise InvalidInput("not a list of ids", field="ids", value=ids, remedy='use ["id", "id"]')
    if len(ids) > MOST_IDS:
        raise TooMany("too many ids", field="ids", value=len(ids), remedy=f"ask for at most {MOST_IDS}")
    for id in ids:
        _check_id(id, "ids")
    return ids


def _check_id(id: object, field: str) -> None:
    if not isinstance(id, str):
        raise InvalidInput("an id is not text", field=field, value=id, remedy="give the id as text")


def _present_of(session: Session, stored: StoredMemory) -> tuple[HoldsNow | None, str | None]:
    """What holds for the row's fact now, and the id under which its value goes on."""
    if stored.identity is None or stored.assertion is None:
        return None, None
    facts = session.facts
    holder = facts.holder(stored.agent_id, stored.identity, session.now)
    if holder is None:
        return None, facts.continuation_of(stored)
    holds_now = HoldsNow(id=holder.id, valid_from=to_datetime(holder.start))
    if holder.id == stored.id:
        return holds_now, None
    if holder.assertion.value == facts.value_of(stored.assertion):
        return holds_now, holder.id
    return holds_now, facts.continuation_of(stored)
