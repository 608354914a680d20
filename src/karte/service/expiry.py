"""Requests whose time is up: rejected at the very instant it was, whoever comes by first."""

from __future__ import annotations

from karte.domain.approvals import ApprovalState, StoredApproval
from karte.domain.events import EventKind, NewEvent
from karte.service.release import reject_items
from karte.service.services import Services
from karte.storage.protocol import Session


def expire_due(services: Services, session: Session) -> None:
    """Rejects what every overdue request held (fail closed); each at its own instant of belief."""
    while overdue := session.approvals.due(session.clock):  # what one rejection brings to light may be overdue too
        _expire(services, session, overdue[0])


def _expire(services: Services, session: Session, approval: StoredApproval) -> None:
    with session.believing_at(approval.expires_at):
        session.approvals.close(  # first: what comes to light by the rejection is a question of its own
            approval.id,
            ApprovalState.EXPIRED.value,
            at=approval.expires_at,
            by=None,
            reason="nobody decided in time",
        )
        ids = reject_items(services, session, approval, is_expired=True)
        session.events.emit(
            NewEvent(
                kind=EventKind.EXPIRED,
                agent_id=approval.agent_id,
                origin=approval.origin,
                subject=approval.subject or None,
                data={"approval_id": approval.id, "ids": ids},
            ),
            session.now,
        )
