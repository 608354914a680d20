"""What a reviewer sees of a request: every held item, what it would displace, and what stands against it."""

from __future__ import annotations

import json
from dataclasses import replace

from karte.domain.approvals import ActionKind, Approval, ApprovalItem, ApprovalState, StoredApproval, Waiting
from karte.domain.assertions import Kind
from karte.domain.rows import plan_rows
from karte.domain.stored import StatedAssertion
from karte.domain.time import to_datetime
from karte.domain.trust import Authority
from karte.service.services import Services
from karte.storage.protocol import Session


def shown(services: Services, session: Session, approval: StoredApproval) -> Approval:
    """A request with everything that hangs on it."""
    is_pending = approval.state_at(session.clock) is ApprovalState.PENDING
    items = [
        item
        for waiting in session.approvals.items(approval.id)
        if (item := _item(services, session, approval, waiting, is_pending=is_pending)) is not None
    ]
    return Approval(
        id=approval.id,
        action_kind=approval.action_kind,
        agent_id=approval.agent_id,
        summary=approval.summary,
        state=approval.state_at(session.clock),
        created_at=to_datetime(approval.created_at),
        expires_at=to_datetime(approval.expires_at),
        origin=approval.origin,
        subject=approval.subject or None,
        payload=json.loads(approval.payload),
        items=tuple(items),
        decided_at=to_datetime(approval.decided_at) if approval.decided_at else None,
        decided_by=approval.decided_by,
        reason=approval.reason,
    )


def _item(
    services: Services, session: Session, approval: StoredApproval, waiting: Waiting, *, is_pending: bool
) -> ApprovalItem | None:
    if waiting.order is not None:
        if session.assertions.state_of(waiting.order) is None:
            return None  # erased
        return _of_assertion(services, session, approval, waiting, is_pending=is_pending)
    stored = session.memories.get(approval.agent_id, waiting.memory_id or "")
    if stored is None:
        return None
    return ApprovalItem(
        memory_id=stored.id,
        content=stored.content,
        valid_from=to_datetime(stored.valid_from) if stored.valid_from else None,
        valid_until=to_datetime(stored.valid_until) if stored.valid_until else None,
        state=stored.public_state,
    )


def _of_assertion(
    services: Services, session: Session, approval: StoredApproval, waiting: Waiting, *, is_pending: bool
) -> ApprovalItem:
    order = waiting.order or 0
    said = session.assertions.stated(order)
    a = said.assertion
    displaces, against = _effect(services, session, approval, said) if is_pending else ((), None)
    state = session.assertions.state_of(order) or ""
    return ApprovalItem(
        memory_id=waiting.memory_id,
        content=said.content if a.kind is Kind.VALUE else f"an end of {said.subject}: {said.predicate}",
        subject=said.subject,
        predicate=said.predicate,
        object=said.object,
        valid_from=to_datetime(a.start),
        valid_until=to_datetime(a.until) if a.until else None,
        state="quarantined" if state == "held" else state,
        displaces=displaces,
        against=against,
    )


def _effect(
    services: Services, session: Session, approval: StoredApproval, said: StatedAssertion
) -> tuple[tuple[str, ...], str | None]:
    """Which rows an approval would shorten, and the value that stands against it now."""
    agent, a = approval.agent_id, said.assertion
    identity = session.assertions.identity_of(a.order)
    holder = session.facts.holder(agent, identity, a.start)
    against = None
    if holder is not None and holder.assertion.value != a.value:
        words = session.memories.words_of(agent, holder.id)
        against = words.content if words.object is None else words.object
    others = [other for other in session.facts.assertions(agent, identity) if other.order != a.order]
    authority = Authority.CURATED if approval.action_kind == ActionKind.CONFLICT else Authority.PLAIN
    latest = max((other.order for other in others), default=0) + 1
    released = replace(a, order=max(latest, a.order + 1), authority=authority)
    rows = [row for row in session.facts.rows(agent, identity) if row.assertion.order != a.order]
    plan, _ = plan_rows([*others, released], rows, services.new_id, protect_curated=services.protect_curated)
    return plan.shortened, against
