"""Taking things back in one operation that can be undone, and giving them back.

What falls is marked, never deleted; the facts it was about are settled from what still counts, so
that what it displaced returns by itself.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from karte.domain.assertions import OPEN
from karte.domain.retraction import (
    ItemKind,
    Operation,
    OperationItem,
    OperationKind,
    Survivor,
    Touched,
)
from karte.domain.rows import Row
from karte.domain.stored import RETRACTED_STATES, StoredMemory
from karte.domain.time import read_stored, to_datetime
from karte.service.cutting import cut_derived
from karte.service.planning import Fact, settle
from karte.service.services import Services
from karte.storage.protocol import Session

Holding = dict[Fact, list[Row]]
"""The rows of facts that hold at some instant."""


class Withdrawal:
    """One operation that takes back assertions and plain memories of one agent."""

    def __init__(self, services: Services, session: Session, operation: Operation) -> None:
        self._services = services
        self._session = session
        self._operation = operation
        self._orders: list[int] = []
        self._facts: dict[Fact, None] = {}
        self._sources: list[str] = []
        self.rows: list[StoredMemory] = []
        self.items: list[OperationItem] = []
        self.falls: list[str] = []
        self.cut: list[str] = []
        self.returns: list[str] = []
        self.survivors: list[Survivor] = []

    def cover(self, order: int, identity: str, state: str, id: str) -> None:
        """Takes an assertion back, whatever its state; a state that another operation made is looked through."""
        session, operation = self._session, self._operation
        covering = session.operations.covering(order=order) if state in RETRACTED_STATES else None
        before = state if covering is None else covering.before
        self.items.append(OperationItem(kind=ItemKind.ASSERTION, before=before, memory_id=id, order=order))
        if state in RETRACTED_STATES:
            return
        self._orders.append(order)
        self._facts[Fact(operation.agent_id, identity)] = None
        rows = [*session.memories.rows_of(order), *session.memories.archived_rows_of(order)]
        self.rows += [row for row in rows if row.state is None]
        self._sources += [id, *(row.id for row in rows)]

    def cover_plain(self, memory: StoredMemory) -> None:
        """Takes a plain memory back."""
        session = self._session
        covering = session.operations.covering(memory_id=memory.id) if memory.state is not None else None
        before = json.dumps(session.memories.belief_of(memory.id)) if covering is None else covering.before
        self.items.append(OperationItem(kind=ItemKind.MEMORY, before=before, memory_id=memory.id))
        if memory.state is None:
            self.rows.append(memory)
            self._sources.append(memory.id)

    def run(self) -> None:
        """Marks what falls, cuts what was derived from it, and settles every fact that is touched."""
        session, operation = self._session, self._operation
        sources = list(dict.fromkeys(self._sources))
        derived = session.memories.derived_from(sources)
        for id in derived:
            placed = session.facts.placed(operation.agent_id, id)
            if placed is not None:
                self._facts[Fact(operation.agent_id, placed[1])] = None
        before = holding(session, self._facts)
        session.facts.set_state(self._orders, operation.kind.value)
        for row in self.rows:
            session.memories.retract(row.id, now=operation.done_at, state=operation.kind.value, event=operation.event)
        self.falls = [row.id for row in self.rows]
        fallen = set(sources)
        cut_derived(session, operation.agent_id, sources)
        for fact in self._facts:
            settle(self._services, session, fact, operation=operation.kind.value, event=operation.event)
        self.cut = [id for id in derived if id not in fallen and self._is_row(id)]
        self._compare(before, holding(session, self._facts))

    def record(self) -> None:
        """Keeps the operation, so that it can be undone."""
        self._session.operations.add(self._operation, self.items)

    def _is_row(self, id: str) -> bool:
        return self._session.memories.get(self._operation.agent_id, id) is not None

    def _compare(self, before: Holding, after: Holding) -> None:
        """What holds where it did not before, and what stands on another's word."""
        fallen = set(self._orders)
        for fact, rows in after.items():
            old = {row.id: row for row in before[fact]}
            lost = [row for row in before[fact] if row.assertion.order in fallen]
            for row in rows:
                if row.assertion.is_cut:
                    continue  # an echo confirms nothing
                if any(_says_as(row, gone) for gone in lost):
                    self.survivors.append(self._survivor(row))
                elif row.id not in old or row.start < old[row.id].start or row.end > old[row.id].end:
                    self.returns.append(row.id)

    def _survivor(self, row: Row) -> Survivor:
        words = self._session.memories.words_of(self._operation.agent_id, row.id)
        return Survivor(
            id=row.id,
            content=words.content,
            origin=row.assertion.origin,
            origin_trust=row.trust,
            valid_from=_moment(words.starts_at),
            valid_until=_moment(words.valid_until),
        )


def holding(session: Session, facts: Iterable[Fact]) -> Holding:
    """The rows of these facts that hold at some instant."""
    return {fact: [row for row in session.facts.rows(fact.agent, fact.identity) if not row.is_empty] for fact in facts}


def in_words(session: Session, agent: str, ids: Iterable[str]) -> tuple[Touched, ...]:
    """What each id is, as a person can read it."""
    said = []
    for id in ids:
        stored = session.memories.get(agent, id) or session.memories.get_archived(agent, id)
        if stored is not None:
            said.append(
                Touched(
                    id=id,
                    content=stored.content,
                    subject=stored.subject,
                    predicate=stored.predicate,
                    object=stored.object,
                    origin=stored.origin,
                    valid_from=_moment(stored.starts_at),
                    valid_until=_moment(stored.valid_until),
                    state=stored.public_state,
                )
            )
    return tuple(said)


def as_asserted(row: StoredMemory, until: str | None, *, is_held: bool) -> dict[str, Any]:
    """A row's belief as its writer said it, and no stretch that the timeline asked for; settling says the rest."""
    return {
        "valid_until": until if row.is_made else row.starts_at,
        "invalidated_by_event": None,
        "invalidated_at": None,
        "quarantined": int(is_held),
        "state": None,
    }


def operation_of(
    services: Services,
    session: Session,
    kind: OperationKind,
    agent: str,
    event: str,
    *,
    origin: str | None = None,
    since: str | None = None,
) -> Operation:
    """A new operation that is done now."""
    return Operation(
        id=services.new_id(),
        kind=kind,
        agent_id=agent,
        origin=origin,
        since=since,
        event=event,
        done_at=session.now,
    )


def _says_as(row: Row, gone: Row) -> bool:
    """Whether a row has the value of one that fell, somewhere in the time that was said for it."""
    said_until = gone.assertion.until or OPEN
    return row.assertion.value == gone.assertion.value and row.start < said_until and gone.start < row.end


def _moment(text: str | None) -> datetime | None:
    written = None if text is None else read_stored(text)
    return None if written is None else to_datetime(written)
