"""Taking an assertion back: what it displaced returns, and what was derived from it is cut."""

from __future__ import annotations

from karte.domain.drafts import checked_event, checked_name
from karte.domain.model import EndOutcome, HoldsNow
from karte.domain.stored import StoredMemory
from karte.domain.time import to_datetime
from karte.errors import NotFound
from karte.service.batch import is_undecided
from karte.service.cutting import cut_derived
from karte.service.planning import Fact, settle
from karte.service.services import Services
from karte.service.transactions import writing
from karte.storage.protocol import Session


def retract(services: Services, agent: str, id: str, *, event: str = "") -> EndOutcome:
    """Takes back the assertion that made a row; other observations stand from their own start."""
    checked_name(agent, "agent")
    checked_name(id, "id")
    checked_event(event, "event")
    with writing(services) as session:
        stored = session.memories.get(agent, id)
        if stored is None or is_undecided(stored):
            raise NotFound("no such memory", field="id", value=id, remedy="look it up by search")
        if stored.state is not None:
            return EndOutcome(holds_now=_holds_now(session, stored))
        rows = _family(session, stored)
        was_current = [row.id for row in rows if row.holds_at(session.now, is_now=True)]
        for row in rows:
            session.memories.retract(row.id, now=session.now, state="retracted", event=event)
        touched = {Fact(agent, stored.identity)} if stored.identity is not None else set()
        if stored.assertion is not None:
            session.facts.set_state([stored.assertion], "retracted")
        touched |= cut_derived(session, agent, [row.id for row in rows])
        for fact in sorted(touched, key=lambda fact: fact.identity):
            settle(services, session, fact, operation="retract", event=event)
        return EndOutcome(ended=tuple(was_current), holds_now=_holds_now(session, stored))


def _family(session: Session, stored: StoredMemory) -> list[StoredMemory]:
    """The row and the others that show the same assertion."""
    if stored.assertion is None:
        return [stored]
    return session.memories.rows_of(stored.assertion)


def _holds_now(session: Session, stored: StoredMemory) -> HoldsNow | None:
    if stored.identity is None:
        return None
    holder = session.facts.holder(stored.agent_id, stored.identity, session.now)
    return None if holder is None else HoldsNow(id=holder.id, valid_from=to_datetime(holder.start))
