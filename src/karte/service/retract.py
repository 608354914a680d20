"""Taking one assertion back: what it displaced returns, and what was derived from it is cut."""

from __future__ import annotations

from karte.domain.drafts import checked_event, checked_name
from karte.domain.events import EventKind, NewEvent
from karte.domain.model import EndOutcome, HoldsNow
from karte.domain.reflexion import check_is_no_rule
from karte.domain.retraction import OperationKind
from karte.domain.stored import StoredMemory
from karte.domain.time import to_datetime
from karte.errors import NotFound
from karte.service.batch import is_undecided
from karte.service.scanning import guarded
from karte.service.services import Services
from karte.service.transactions import writing
from karte.service.withdrawing import Withdrawal, operation_of
from karte.storage.protocol import Session


def retract(services: Services, agent: str, id: str, *, event: str = "") -> EndOutcome:
    """Takes back the assertion that made a row; other observations stand from their own start.

    The outcome names the operation, which ``undo_operation`` undoes.
    """
    checked_name(agent, "agent")
    checked_name(id, "id")
    checked_event(event, "event")
    guarded(services, [("event", event)] if event else [], agent, None)
    with writing(services) as session:
        stored = session.memories.get(agent, id)
        if stored is None or is_undecided(stored):
            raise NotFound("no such memory", field="id", value=id, remedy="look it up by search")
        check_is_no_rule(stored.subject, stored.predicate)
        if stored.state is not None:
            return EndOutcome(holds_now=_holds_now(session, stored))
        rows = [stored] if stored.assertion is None else session.memories.rows_of(stored.assertion)
        was_current = tuple(row.id for row in rows if row.holds_at(session.now, is_now=True))
        operation = operation_of(services, session, OperationKind.RETRACT, agent, event, origin=stored.origin)
        withdrawal = Withdrawal(services, session, operation)
        if stored.assertion is not None and stored.identity is not None:
            said = session.assertions.stated(stored.assertion).assertion
            withdrawal.cover(stored.assertion, stored.identity, "live", said.id)
        else:
            withdrawal.cover_plain(stored)
        withdrawal.run()
        withdrawal.record()
        session.events.emit(
            NewEvent(
                kind=EventKind.RETRACTED,
                agent_id=agent,
                origin=stored.origin,
                subject=stored.subject,
                data={"operation_id": operation.id, "ids": withdrawal.falls},
            ),
            session.now,
        )
        return EndOutcome(ended=was_current, holds_now=_holds_now(session, stored), operation_id=operation.id)


def _holds_now(session: Session, stored: StoredMemory) -> HoldsNow | None:
    if stored.identity is None:
        return None
    holder = session.facts.holder(stored.agent_id, stored.identity, session.now)
    return None if holder is None else HoldsNow(id=holder.id, valid_from=to_datetime(holder.start))
