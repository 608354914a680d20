"""What a decision does: held rows become assertions, or never do."""

from __future__ import annotations

from karte.domain.approvals import ActionKind, StoredApproval, Waiting
from karte.domain.retraction import REJECT_EVENT
from karte.domain.trust import CUT_TRUST, Authority
from karte.service.cutting import cut_derived
from karte.service.planning import Fact, outvoted, settle
from karte.service.services import Services
from karte.storage.protocol import Session

WAITING_STATES = {ActionKind.QUARANTINE.value: "held", ActionKind.CONFLICT.value: "live"}
"""The state in which an assertion still waits for the decision of such a request."""


def release_items(services: Services, session: Session, approval: StoredApproval) -> list[str]:
    """Lets in what waits, in the order of writing; gives the ids. What was purged meanwhile stays out.

    A held assertion counts as learned now, and its source is no longer unverified; an outvoted one
    counts with the authority of the person who approved it.
    """
    is_conflict = approval.action_kind == ActionKind.CONFLICT
    authority = Authority.CURATED if is_conflict else Authority.PLAIN
    touched: dict[Fact, None] = {}
    released: list[str] = []
    for item in session.approvals.items(approval.id):
        if item.order is None:
            if item.memory_id is not None and session.memories.release(item.memory_id, now=session.now):
                session.bursts.let_go(item.memory_id)
                released.append(item.memory_id)
        elif (fact := _relearn(session, approval, item, authority)) is not None:
            touched[fact] = None
            released += [item.memory_id] if item.memory_id is not None else []
    for fact in touched:
        settle(services, session, fact, operation="release")
    return released


def _relearn(session: Session, approval: StoredApproval, item: Waiting, authority: Authority) -> Fact | None:
    order = item.order
    if order is None or session.assertions.state_of(order) != WAITING_STATES[approval.action_kind]:
        return None
    new_order = session.next_order()
    identity = session.assertions.relearn(order, new_order, authority=authority, now=session.now)
    session.approvals.move_item(approval.id, order, new_order)
    return Fact(approval.agent_id, identity)


def reject_items(
    services: Services, session: Session, approval: StoredApproval, *, is_expired: bool = False
) -> list[str]:
    """Keeps out for good what waits, and cuts what was derived from it; gives the ids.

    Time that is up rejects only what is still outvoted: a conflict that has gone needs no decision.
    """
    agent = approval.agent_id
    is_conflict = approval.action_kind == ActionKind.CONFLICT
    rejected: list[str] = []
    touched: dict[Fact, None] = {}
    for item in session.approvals.items(approval.id):
        rows = [item.memory_id] if item.memory_id is not None else []
        if item.order is not None:
            if session.assertions.state_of(item.order) != WAITING_STATES.get(approval.action_kind):
                continue
            fact = Fact(agent, session.assertions.identity_of(item.order))
            if is_expired and is_conflict and item.order not in outvoted(services, session, fact):
                continue
            session.facts.set_state([item.order], "rejected")
            touched[fact] = None
            rows = [row.id for row in session.memories.rows_of(item.order)]
        elif not session.memories.is_held(rows):
            continue
        for id in rows:
            session.memories.retract(id, now=session.now, state="rejected", event=REJECT_EVENT)
            session.memories.cut_trust(id, CUT_TRUST, now=session.now)
        rejected += rows
    touched |= dict.fromkeys(cut_derived(session, agent, rejected))
    for fact in touched:
        settle(services, session, fact, operation="reject", event=REJECT_EVENT)
    return rejected
