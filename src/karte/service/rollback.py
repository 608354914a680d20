"""Rollback that heals: one origin is taken back, and what it displaced returns by itself."""

from __future__ import annotations

import contextlib
import json

from karte.domain.approvals import ApprovalState, StoredApproval
from karte.domain.drafts import checked_name, checked_origin
from karte.domain.events import EventKind, NewEvent
from karte.domain.model import Instant
from karte.domain.retraction import PURGE_EVENT, ItemKind, OperationItem, OperationKind, Rollback
from karte.domain.stored import RETRACTED_STATES
from karte.domain.time import parse_instant, to_datetime
from karte.service.names_of_origin import names_in, withdraw_names
from karte.service.page_files import finish, refresh
from karte.service.page_rollback import settle_pointers, withdraw_pages
from karte.service.rules import settle_rules, withdraw_mistakes
from karte.service.services import Services
from karte.service.transactions import DryRun, writing
from karte.service.withdrawing import Withdrawal, in_words, operation_of
from karte.storage.protocol import Session


def invalidate_by_origin(
    services: Services,
    agent: str,
    origin: str,
    *,
    since: Instant | None = None,
    dry_run: bool = False,
) -> Rollback:
    """Takes back every memory of exactly this origin (learned at or after ``since``).

    Nothing is deleted. ``dry_run`` does the same and keeps nothing: its answer is the blast radius.
    """
    checked_name(agent, "agent")
    checked_origin(origin)
    start = "" if since is None else parse_instant(since, "since")
    refresh(services, agent)
    with contextlib.suppress(DryRun), writing(services) as session:
        answer = _purge(services, session, agent, origin, start, dry_run=dry_run)
        if dry_run:
            raise DryRun
    if answer.pages and not dry_run:
        finish(services)
    return answer


def _purge(services: Services, session: Session, agent: str, origin: str, since: str, *, dry_run: bool) -> Rollback:
    operation = operation_of(
        services, session, OperationKind.PURGE, agent, PURGE_EVENT, origin=origin, since=since or None
    )
    withdrawal = Withdrawal(services, session, operation)
    withdrawal.items += withdraw_names(services, session, agent, origin, since)
    for order, identity, state, id in session.assertions.of_origin(agent, origin, since):
        withdrawal.cover(order, identity, state, id)
    for memory in session.memories.of_origin(agent, origin, since):
        withdrawal.cover_plain(memory)
    fallen = in_words(session, agent, [row.id for row in withdrawal.rows])
    touched = withdraw_mistakes(session, withdrawal, agent, origin, since)
    pages, touched_pages = withdraw_pages(services, session, withdrawal, agent, origin, since, operation.id)
    withdrawal.run()
    settle_pointers(services, session, touched_pages)
    closed = _close_requests(session, withdrawal.items)
    withdrawal.items += closed
    withdrawal.record()
    settle_rules(services, session, agent, touched)
    approvals = tuple(item.name or "" for item in closed)
    session.events.emit(
        NewEvent(
            kind=EventKind.PURGED,
            agent_id=agent,
            level="warning",
            origin=origin,
            data={
                "operation_id": operation.id,
                "falls": len(withdrawal.falls),
                "returns": len(withdrawal.returns),
                "cut": len(withdrawal.cut),
            },
        ),
        session.now,
    )
    return Rollback(
        operation_id=None if dry_run else operation.id,
        origin=origin,
        since=to_datetime(since) if since else None,
        dry_run=dry_run,
        falls=tuple(withdrawal.falls),
        returns=tuple(withdrawal.returns),
        cut=tuple(withdrawal.cut),
        survivors=tuple(withdrawal.survivors),
        approvals=approvals,
        names=names_in(withdrawal.items),
        pages=pages,
        details=fallen + in_words(session, agent, [*withdrawal.returns, *withdrawal.cut]),
    )


def _close_requests(session: Session, items: list[OperationItem]) -> list[OperationItem]:
    """Closes the open requests about nothing but what has been taken back; an undo opens them again."""
    asked: dict[str, StoredApproval] = {}
    for item in items:
        if item.kind is ItemKind.ASSERTION and item.order is not None:
            found = session.approvals.of_order(item.order)
        elif item.kind is ItemKind.MEMORY and item.memory_id is not None:
            found = session.approvals.of_memory(item.memory_id)
        else:
            continue
        asked |= {approval.id: approval for approval in found if approval.state == ApprovalState.PENDING}
    closed = []
    for approval in asked.values():
        if any(_still_waits(session, approval.agent_id, each) for each in session.approvals.items(approval.id)):
            continue
        session.approvals.close(
            approval.id, ApprovalState.PURGED.value, at=session.now, by=None, reason="its origin was purged"
        )
        before = json.dumps({"expires_at": approval.expires_at, "closed_at": session.now})
        closed.append(OperationItem(kind=ItemKind.APPROVAL, before=before, name=approval.id))
    return closed


def _still_waits(session: Session, agent: str, item: object) -> bool:
    order, memory_id = getattr(item, "order", None), getattr(item, "memory_id", None)
    if order is not None:
        return session.assertions.state_of(order) in ("held", "live")
    stored = session.memories.get(agent, memory_id or "")
    return stored is not None and stored.state not in RETRACTED_STATES
