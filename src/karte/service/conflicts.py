"""Where an unverified source contradicts the curated word: outvoted, shown, and put to a person."""

from __future__ import annotations

from karte.domain.approvals import ActionKind, ApprovalState, Waiting
from karte.domain.events import EventKind, NewEvent
from karte.service.requests import ask
from karte.service.services import Services
from karte.storage.protocol import Session


def note_conflicts(services: Services, session: Session, agent: str, orders: frozenset[int]) -> None:
    """Opens one request for all assertions that have newly been outvoted by the curated word."""
    fresh = [order for order in sorted(orders) if pending_conflict(session, order) is None]
    if not fresh:
        return
    said = [session.assertions.stated(order) for order in fresh]
    origins = {one.assertion.origin for one in said}
    first = said[0]
    subject = session.assertions.subject_of(fresh[0])
    waiting = [
        Waiting(memory_id=one.assertion.id if one.assertion.makes_row else None, order=one.assertion.order)
        for one in said
    ]
    origin = first.assertion.origin if len(origins) == 1 else None
    approval_id = ask(
        services,
        session,
        kind=ActionKind.CONFLICT.value,
        agent=agent,
        origin=origin,
        subject=subject,
        summary=f"an unverified source contradicts what is known of {first.subject}: {first.predicate}",
        payload={"subject": first.subject, "predicate": first.predicate},
        items=waiting,
    )
    session.events.emit(
        NewEvent(
            kind=EventKind.CONFLICT,
            agent_id=agent,
            level="warning",
            origin=origin,
            subject=first.subject,
            data={"ids": [item.memory_id for item in waiting if item.memory_id], "approval_id": approval_id},
        ),
        session.now,
    )


def pending_conflict(session: Session, order: int) -> str | None:
    """The open request about an outvoted assertion."""
    for approval in session.approvals.of_order(order):
        if approval.action_kind == ActionKind.CONFLICT and approval.state == ApprovalState.PENDING:
            return approval.id
    return None
