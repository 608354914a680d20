"""Asking a person: opening a request, or joining the one that is open already."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from karte.domain.approvals import TTL_SECS, ApprovalState, StoredApproval, Waiting
from karte.domain.events import EventKind, NewEvent
from karte.domain.time import LAST_INSTANT, format_instant, to_datetime
from karte.service.services import Services
from karte.storage.protocol import Session


def ask(
    services: Services,
    session: Session,
    *,
    kind: str,
    agent: str,
    origin: str | None,
    subject: str,
    summary: str,
    payload: Mapping[str, Any],
    items: Sequence[Waiting] = (),
    ttl_secs: float = TTL_SECS,
    joins: bool = True,
) -> str:
    """The id of the request that now covers the items: one an agent, origin and subject."""
    found = session.approvals.open_for(agent, kind, subject, origin) if joins else None
    written = json.dumps(payload, ensure_ascii=False)
    if found is not None:
        session.approvals.reword(found.id, summary, written)
        session.approvals.add_items(found.id, items)
        return found.id
    approval = StoredApproval(
        id=services.new_id(),
        action_kind=kind,
        agent_id=agent,
        origin=origin,
        subject=subject,
        summary=summary,
        payload=written,
        state=ApprovalState.PENDING.value,
        created_at=session.now,
        expires_at=seconds_later(session.now, ttl_secs),
    )
    session.approvals.add(approval)
    session.approvals.add_items(approval.id, items)
    session.events.emit(
        NewEvent(
            kind=EventKind.REQUESTED,
            agent_id=agent,
            origin=origin,
            subject=subject or None,
            data={"approval_id": approval.id, "action_kind": kind, "expires_at": approval.expires_at},
        ),
        session.now,
    )
    return approval.id


def seconds_later(instant: str, seconds: float) -> str:
    """The instant some seconds after another, within the years that a time can have."""
    try:
        return format_instant(to_datetime(instant) + timedelta(seconds=seconds))
    except OverflowError:
        return LAST_INSTANT
