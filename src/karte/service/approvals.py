"""Approvals: asking, listing, and deciding with decision and effect in one transaction."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from karte.domain.approvals import (
    TTL_SECS,
    ActionKind,
    Approval,
    ApprovalState,
    StoredApproval,
    check_open,
    cursor_after,
    read_cursor,
)
from karte.domain.drafts import checked_event, checked_name, checked_object, checked_text
from karte.domain.events import EventKind, NewEvent
from karte.domain.model import Page
from karte.domain.trust import checked_number
from karte.errors import InvalidInput, NotFound
from karte.service.recall import checked_limit
from karte.service.release import reject_items, release_items
from karte.service.requests import ask
from karte.service.reviewing import shown
from karte.service.scanning import guarded, strings_of
from karte.service.services import Services
from karte.service.transactions import reading, writing
from karte.storage.protocol import Session

MOST_LISTED: Final = 1_000
MAX_SUMMARY: Final = 10_000
LONGEST_TTL_SECS: Final = 366 * 86_400
DECISIONS: Final = ("approve", "reject")


def request(
    services: Services,
    agent: str,
    action_kind: str,
    summary: str,
    payload: Mapping[str, Any] | None = None,
    *,
    ttl_secs: float = TTL_SECS,
) -> Approval:
    """Asks a person to allow something of the caller's own; nothing of ours hangs on it."""
    checked_name(agent, "agent")
    checked_name(action_kind, "action_kind")
    if action_kind in set(ActionKind):
        raise InvalidInput("this kind is Karte's own", field="action_kind", value=action_kind, remedy="use another")
    checked_text(summary, "summary", MAX_SUMMARY)
    checked_number(ttl_secs, "ttl_secs", 1, LONGEST_TTL_SECS)
    guarded(services, [("summary", summary), *(("payload", text) for text in strings_of(payload))], agent, None)
    said = json.loads(checked_object({} if payload is None else payload, "payload"))
    with writing(services) as session:
        approval_id = ask(
            services,
            session,
            kind=action_kind,
            agent=agent,
            origin=services.default_origin,
            subject="",
            summary=summary,
            payload=said,
            ttl_secs=ttl_secs,
            joins=False,
        )
        return shown(services, session, _existing(session, approval_id, None))


def approvals(
    services: Services,
    agent: str | None = None,
    *,
    state: str | Sequence[str] | None = "pending",
    limit: int = 50,
    cursor: str | None = None,
) -> Page[Approval]:
    """Requests, newest first, with every held item; ``state`` None means all of them."""
    if agent is not None:
        checked_name(agent, "agent")
    states = _checked_states(state)
    most = checked_limit(limit, MOST_LISTED)
    place = None if cursor is None else read_cursor(cursor)
    with reading(services) as session:
        found = session.approvals.listed(agent, states, session.clock, most + 1, place)
        items = [shown(services, session, approval) for approval in found[:most]]
    following = cursor_after(found[most - 1]) if len(found) > most else None
    return Page(items, following, partial(_count, services, agent, states))


def _count(services: Services, agent: str | None, states: tuple[str, ...]) -> int:
    with reading(services) as session:
        return len(session.approvals.listed(agent, states, session.clock, -1, None))


def get_approval(services: Services, approval_id: str, *, agent: str | None = None) -> Approval:
    """One request; ``NotFound`` where there is none (of that agent)."""
    checked_name(approval_id, "approval_id")
    with reading(services) as session:
        return shown(services, session, _existing(session, approval_id, agent))


def decide(
    services: Services,
    approval_id: str,
    decision: str,
    *,
    by: str = "operator",
    reason: str = "",
    agent: str | None = None,
) -> Approval:
    """Approves or rejects a request, once; a request whose time is up is rejected already.

    Raises ``AlreadyDecided`` for a second decision, which changes nothing.
    """
    checked_name(approval_id, "approval_id")
    if decision not in DECISIONS:
        raise InvalidInput("no such decision", field="decision", value=decision, remedy='use "approve" or "reject"')
    checked_name(by, "by")
    checked_event(reason, "reason")
    with writing(services) as session:
        approval = _existing(session, approval_id, agent)
        check_open(approval, session.clock)
        is_approved = decision == "approve"
        state = ApprovalState.APPROVED if is_approved else ApprovalState.REJECTED
        session.approvals.close(approval.id, state.value, at=session.now, by=by, reason=reason)
        effect = release_items if is_approved else reject_items
        ids = effect(services, session, approval) if approval.action_kind in set(ActionKind) else []
        _announce(session, approval, is_approved=is_approved, by=by, ids=ids)
        return shown(services, session, _existing(session, approval_id, agent))


def _announce(session: Session, approval: StoredApproval, *, is_approved: bool, by: str, ids: list[str]) -> None:
    kinds = [EventKind.APPROVED if is_approved else EventKind.DENIED]
    if approval.action_kind in set(ActionKind):
        kinds.append(EventKind.RELEASED if is_approved else EventKind.REJECTED)
    for kind in kinds:
        session.events.emit(
            NewEvent(
                kind=kind,
                agent_id=approval.agent_id,
                origin=approval.origin,
                subject=approval.subject or None,
                data={"approval_id": approval.id, "by": by, "ids": ids},
            ),
            session.now,
        )


def _existing(session: Session, approval_id: str, agent: str | None) -> StoredApproval:
    approval = session.approvals.get(approval_id)
    if approval is None or (agent is not None and approval.agent_id != agent):
        raise NotFound("no such request", field="approval_id", value=approval_id, remedy="list the approvals")
    return approval


def _checked_states(state: str | Sequence[str] | None) -> tuple[str, ...]:
    if state is None:
        return ()
    states = (state,) if isinstance(state, str) else tuple(state)
    for name in states:
        if name not in set(ApprovalState):
            raise InvalidInput(
                "no such state", field="state", value=name, remedy=f"use {', '.join(ApprovalState)}, or None for all"
            )
    return states
