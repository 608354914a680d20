"""Asserting a fact: what the timeline makes of it, and what the writer is told."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial

from karte.domain.approvals import NOTHING, Waiting
from karte.domain.assertions import OPEN, Assertion
from karte.domain.drafts import Draft, check_interval
from karte.domain.model import HoldsNow, StoreOutcome
from karte.domain.painting import NOBODY_AROUND
from karte.domain.rows import Row, RowPlan
from karte.domain.stored import write_reaffirmations, write_support
from karte.domain.time import to_datetime
from karte.domain.trust import Authority
from karte.service.conflicts import pending_conflict
from karte.service.drafted import row_of, said_of
from karte.service.planning import Fact, is_of_write, learn
from karte.service.services import Services
from karte.storage.protocol import Session


def assert_fact(
    services: Services, session: Session, draft: Draft, subject: str, predicate: str
) -> tuple[StoreOutcome, Waiting]:
    """Learns what a write says of a fact; gives its outcome, and what it has written."""
    fact, said = said_of(services, session, draft, subject, predicate)
    a = said.assertion
    check_interval(a.start, a.until)
    around = session.facts.around(fact.agent, fact.identity, a)
    holder = around.holder
    if around is not NOBODY_AROUND and session.facts.has_twin(fact.agent, fact.identity, a):
        return _fact_outcome(session, fact, a, holder, RowPlan()), NOTHING
    if holder is None or holder.assertion.value != a.value:
        plan = learn(services, session, fact, said, around, partial(_add_row, session, draft, fact))
        own = next((row for row in plan.added if row.id == a.id), None)
        return _fact_outcome(session, fact, a, own, plan), Waiting(memory_id=a.id, order=a.order)
    voice = None if _is_echo(session, fact, holder, draft.derived_from) else a.voice
    a = replace(a, makes_row=False, row_id=holder.id, voice=voice)
    plan = learn(services, session, fact, replace(said, assertion=a), around)
    session.memories.add_sources(a.id, draft.derived_from)
    standing = session.facts.holder(fact.agent, fact.identity, a.start) or holder
    session.memories.count_access(standing.id)
    return _fact_outcome(session, fact, a, standing, plan), Waiting(memory_id=None, order=a.order)


def is_repeat(services: Services, session: Session, draft: Draft, *, with_undated: bool = False) -> bool:
    """Whether a live assertion says the very same, so that this write would change nothing.

    ``with_undated``: also where it names no start and the value stands now; else it starts now, as no earlier one does.
    """
    if draft.subject is None or draft.predicate is None or (draft.valid_from is None and not with_undated):
        return False
    fact, said = said_of(services, session, draft, draft.subject, draft.predicate)
    if draft.valid_from is not None:
        return session.facts.has_twin(fact.agent, fact.identity, said.assertion)
    holder = session.facts.holder(fact.agent, fact.identity, session.now)
    return holder is not None and holder.assertion.value == said.assertion.value


def _add_row(session: Session, draft: Draft, fact: Fact, row: Row) -> None:
    """Adds the row of a fact as the timeline shows it."""
    stored = row_of(
        session,
        draft,
        id=row.id,
        identity=fact.identity,
        assertion=row.assertion.order,
        origin_trust=row.trust,
        valid_from=row.start,
        valid_until=None if row.end == OPEN else row.end,
        supersedes=row.supersedes,
        superseded_by=row.superseded_by,
        invalidated_by_event=row.event,
        invalidated_at=row.at,
        confidence=row.support.confidence,
        is_contested=int(row.is_contested),
        support=write_support(row.support),
    )
    reaffirmed = write_reaffirmations(row.support)
    if reaffirmed is not None:  # the value was said before, by somebody less trusted
        written = {**stored.metadata, "reaffirmed_by": json.loads(reaffirmed)}
        stored = stored._replace(metadata_json=json.dumps(written, ensure_ascii=False, separators=(",", ":")))
    session.memories.add(stored)


def _is_echo(session: Session, fact: Fact, holder: Row, derived_from: tuple[str, ...]) -> bool:
    """Whether the new observation goes back to the very row it would confirm."""
    if not derived_from:
        return False
    rows = session.facts.rows_of_value(fact.agent, fact.identity, holder.assertion.value)
    return not session.memories.ancestors(derived_from).isdisjoint(rows)


def _fact_outcome(session: Session, fact: Fact, said: Assertion, own: Row | None, plan: RowPlan) -> StoreOutcome:
    """What became of the write, and what holds now where that is another value."""
    now = session.now
    if own is None or own.assertion.value != said.value:  # the same was said before, and outvoted
        own = session.facts.row(session.facts.twin_of(fact.agent, fact.identity, said) or said.id)
    current = own
    if own is None or not own.start <= now < own.end:
        current = session.facts.holder(fact.agent, fact.identity, now)
    makers = {said.order} if own is None else {said.order, own.assertion.order}
    is_current = current is not None and current.assertion.order in makers  # its continuation counts too
    is_other = current is not None and current.assertion.value != said.value
    made = any(is_of_write(row) for row in plan.added)
    is_unverified = said.authority is Authority.UNVERIFIED
    return StoreOutcome(
        approval_id=pending_conflict(session, said.order) if is_unverified else None,
        status="stored" if made else "reaffirmed",
        id=own.id if own is not None else said.id,
        is_current=is_current,
        valid_from=to_datetime(own.start if own is not None else said.start),
        valid_until=None if own is None or own.end == OPEN else to_datetime(own.end),
        superseded=plan.shortened,
        holds_now=HoldsNow(id=current.id, valid_from=to_datetime(current.start))
        if current is not None and is_other
        else None,
    )
