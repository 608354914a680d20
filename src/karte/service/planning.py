"""Between a rule and the store: learn one assertion, or settle a whole fact anew."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from karte.domain.painting import Neighbourhood, paint
from karte.domain.rows import Row, RowPlan, plan_rows
from karte.domain.stored import StatedAssertion
from karte.domain.timeline import timeline
from karte.service.conflicts import note_conflicts
from karte.service.services import Services
from karte.storage.protocol import Session


@dataclass(frozen=True, slots=True)
class Fact:
    """Whose fact, and which."""

    agent: str
    identity: str


AddRow = Callable[[Row], None]
"""Adds the row that a write makes, once the timeline has said how long it holds."""


def learn(
    services: Services,
    session: Session,
    fact: Fact,
    said: StatedAssertion,
    around: Neighbourhood,
    add_row: AddRow | None = None,
) -> RowPlan:
    """Keeps a new assertion and writes what the timeline makes of it."""
    new = said.assertion
    facts = session.facts
    plan = paint(new, around, services.new_id)
    contested: frozenset[int] = frozenset()
    if plan is None:
        assertions = [*facts.assertions(fact.agent, fact.identity), new]
        rows = facts.rows(fact.agent, fact.identity)
        plan, line = plan_rows(assertions, rows, services.new_id, protect_curated=services.protect_curated)
        contested = line.contested
    facts.add(fact.agent, fact.identity, said)
    apply_plan(session, plan, operation="store", event=new.source_event, add_row=add_row)
    if contested:
        note_conflicts(services, session, fact.agent, contested)
    return plan


def settle(services: Services, session: Session, fact: Fact, *, operation: str, event: str = "") -> RowPlan:
    """Makes the rows of a fact say what its live assertions say."""
    facts = session.facts
    plan, line = plan_rows(
        facts.assertions(fact.agent, fact.identity),
        facts.rows(fact.agent, fact.identity),
        services.new_id,
        protect_curated=services.protect_curated,
    )
    apply_plan(session, plan, operation=operation, event=event)
    if line.contested:
        note_conflicts(services, session, fact.agent, line.contested)
    return plan


def outvoted(services: Services, session: Session, fact: Fact) -> frozenset[int]:
    """The assertions of a fact that the curated word outvotes now."""
    said = session.facts.assertions(fact.agent, fact.identity)
    return timeline(said, protect_curated=services.protect_curated).contested


def apply_plan(
    session: Session,
    plan: RowPlan,
    *,
    operation: str,
    event: str,
    add_row: AddRow | None = None,
) -> None:
    """Writes a plan's rows: first those that change, then those that are new."""
    for row in plan.changed:
        session.facts.change_row(row, now=session.now, operation=operation, event=event)
    for row in plan.added:
        if is_of_write(row) and add_row is not None:
            add_row(row)
    for row in plan.added:
        if not is_of_write(row):
            ordinal = session.next_ordinal()
            session.facts.add_computed_row(row, now=session.now, ordinal=ordinal)


def is_of_write(row: Row) -> bool:
    """Whether a row that is new is the one that the write itself makes."""
    return row.assertion.makes_row and row.continues is None
