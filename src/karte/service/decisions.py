"""Decisions: a question is opened, waits, and is answered once, or its time runs out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from karte.domain.decisions import (
    DECISION_SUBJECT,
    DEFAULT_TTL_DAYS,
    STATUS,
    Decision,
    Question,
    Said,
    answering,
    asking,
    check_may_answer,
    check_may_ask,
    decisions_of,
    question_of,
)
from karte.domain.drafts import checked_id, checked_name
from karte.domain.entities import identity_prefix
from karte.domain.model import StoreOutcome
from karte.domain.presenting import record_of
from karte.domain.reserved import OWNERS
from karte.domain.time import to_datetime
from karte.errors import NotFound
from karte.service.remember import prepared, store_prepared
from karte.service.services import Services
from karte.service.transactions import reading, writing
from karte.storage.protocol import Session

OWNER: Final = OWNERS[DECISION_SUBJECT]


def open_decision(
    services: Services,
    said: Said,
    question: str,
    *,
    options: Sequence[str] = (),
    ttl_days: float | None = DEFAULT_TTL_DAYS,
    id: str | None = None,
) -> Decision:
    """Opens a question; it expires after ``ttl_days`` unless it is answered."""
    checked_name(said.agent, "agent")
    asked = question_of(services.new_id() if id is None else id, question, options, ttl_days)
    with reading(services) as session:
        check_may_ask(_standing(session, said.agent, asked.id))
        now = session.now
    draft = prepared(services, *asking(said, asked, to_datetime(now)))
    with writing(services) as session:
        check_may_ask(_standing(session, said.agent, asked.id))
        outcome = store_prepared(services, session, draft, owner=OWNER)
        return _after(session, said.agent, _unseen(asked, draft.origin), outcome)


def resolve_decision(services: Services, said: Said, id: str, resolution: str) -> Decision:
    """Answers an open question, once; of two at the same time one is told that it came too late."""
    checked_name(said.agent, "agent")
    checked_id(id)
    with reading(services) as session:
        decision = _open(session, said.agent, id)
    draft = prepared(services, *answering(said, decision, resolution))
    with writing(services) as session:
        decision = _open(session, said.agent, id)
        outcome = store_prepared(services, session, draft, owner=OWNER)
        return _after(session, said.agent, decision, outcome)


def list_open_decisions(services: Services, agent: str) -> list[Decision]:
    """The questions that wait for an answer, oldest first."""
    checked_name(agent, "agent")
    with reading(services) as session:
        rows = session.timelines.all_at(agent, DECISION_SUBJECT, session.now)
        told = decisions_of([record_of(row, session.now) for row in rows], to_datetime(session.now))
    return [decision for decision in told if decision.state == "open"]


def _standing(session: Session, agent: str, id: str) -> Decision | None:
    """What the timeline tells of a decision."""
    prefix = identity_prefix(f"{DECISION_SUBJECT}{id}", STATUS, session.names.resolve(agent))
    rows = session.timelines.history(agent, prefix, is_prefix=True)
    told = decisions_of([record_of(row, session.now) for row in rows], to_datetime(session.now))
    return told[0] if told else None


def _open(session: Session, agent: str, id: str) -> Decision:
    """The decision that may be answered; raises for one that is not there, or may not."""
    decision = _standing(session, agent, id)
    if decision is None:
        raise NotFound("no such decision", field="id", value=id, remedy="look at the list of open decisions")
    check_may_answer(decision)
    return decision


def _after(session: Session, agent: str, before: Decision, outcome: StoreOutcome) -> Decision:
    """The decision as the write left it."""
    if outcome.status == "held":
        return replace(before, state="held", memory_id=outcome.id, approval_id=outcome.approval_id)
    now = _standing(session, agent, before.id) or before
    return replace(now, approval_id=outcome.approval_id)


def _unseen(question: Question, origin: str) -> Decision:
    """A question of which nothing can be read yet."""
    return Decision(id=question.id, question=question.text, options=question.options, origin=origin)
