"""Undoing an operation: what it took back counts again, unless another that stands covers it too."""

from __future__ import annotations

import json
from typing import Any

from karte.domain.approvals import ActionKind, ApprovalState, Waiting
from karte.domain.drafts import checked_name
from karte.domain.events import EventKind, NewEvent
from karte.domain.retraction import REJECT_EVENT, ItemKind, Operation, OperationItem, Rollback, state_after_undo
from karte.domain.stored import RETRACTED_STATES
from karte.domain.time import to_datetime
from karte.domain.trust import CUT_TRUST
from karte.errors import AlreadyDecided, NotFound
from karte.service.names_of_origin import restore_names
from karte.service.page_files import finish
from karte.service.page_rollback import reinstate_pages
from karte.service.planning import Fact, settle
from karte.service.requests import ask, seconds_later
from karte.service.rules import settle_rules, versions_of
from karte.service.services import Services
from karte.service.transactions import writing
from karte.service.withdrawing import as_asserted, in_words
from karte.storage.protocol import Session


def undo_operation(services: Services, operation_id: str, *, agent: str | None = None) -> Rollback:
    """Lets what an operation took back count again; what was erased meanwhile is named in ``missing``.

    Raises ``NotFound`` for no such operation (of that agent) and ``AlreadyDecided`` for one that is undone already.
    """
    checked_name(operation_id, "operation_id")
    with writing(services) as session:
        operation = session.operations.get(operation_id)
        if operation is None or (agent is not None and operation.agent_id != agent):
            raise NotFound(
                "no such operation", field="operation_id", value=operation_id, remedy="the purge's answer names it"
            )
        if operation.undone_at is not None:
            raise AlreadyDecided("this operation is undone already", field="operation_id", value=operation_id)
        undo = _Undo(services, session, operation)
        answer = undo.run()
    if undo.has_pages:
        finish(services)
    return answer


class _Undo:
    def __init__(self, services: Services, session: Session, operation: Operation) -> None:
        self._services = services
        self._session = session
        self._operation = operation
        self._agent = operation.agent_id
        self._facts: dict[Fact, None] = {}
        self._given_back: list[str] = []
        self._sources: list[str] = []
        self._missing: list[str] = []
        self.has_pages = False

    def run(self) -> Rollback:
        session, operation = self._session, self._operation
        session.operations.mark_undone(operation.id, session.now)
        items = session.operations.items(operation.id)
        reopened = self._reopen([item for item in items if item.kind is ItemKind.APPROVAL])
        for item in items:
            if item.kind is ItemKind.ASSERTION:
                self._assertion(item)
            elif item.kind is ItemKind.MEMORY:
                self._plain(item)
        self._uncut()
        restore_names(self._services, session, self._agent, items)
        for fact in self._facts:
            settle(self._services, session, fact, operation="undo")
        if any(item.kind is ItemKind.MISTAKE for item in items):
            settle_rules(self._services, session, self._agent, versions_of(session, self._agent))
        self.has_pages = reinstate_pages(self._services, session, operation.id)
        session.events.emit(
            NewEvent(
                kind=EventKind.UNDONE,
                agent_id=self._agent,
                origin=operation.origin,
                data={"operation_id": operation.id, "returns": len(self._given_back), "missing": self._missing},
            ),
            session.now,
        )
        return Rollback(
            operation_id=operation.id,
            origin=operation.origin,
            since=to_datetime(operation.since) if operation.since else None,
            returns=tuple(self._given_back),
            missing=tuple(self._missing),
            approvals=tuple(reopened),
            details=in_words(session, self._agent, self._given_back),
        )

    def _assertion(self, item: OperationItem) -> None:
        session, order = self._session, item.order
        state = None if order is None else session.assertions.state_of(order)
        if order is None or state is None:
            self._missing.append(item.memory_id or "")
            return
        wanted = state_after_undo(item.before, session.operations.standing(order=order))
        if state not in RETRACTED_STATES or wanted == state or item.before in RETRACTED_STATES:
            return  # what was rejected before stays so, whatever took it back besides
        rows, archived = session.memories.rows_of(order), session.memories.archived_rows_of(order)
        if wanted in ("live", "archived"):  # it may have been put away, or brought back, meanwhile
            wanted = "archived" if archived and not rows else "live"
        wanted = self._waiting_still(item, order) if wanted == "held" else wanted
        session.facts.set_state([order], wanted)
        is_back = wanted not in RETRACTED_STATES
        until = session.assertions.stated(order).assertion.until
        for row in [*rows, *archived]:
            if is_back:
                session.memories.give_back(row.id, as_asserted(row, until, is_held=wanted == "held"), now=session.now)
            else:
                session.memories.retract(row.id, now=session.now, state=wanted, event=self._event(wanted, order))
                if wanted == "rejected":
                    session.memories.cut_trust(row.id, CUT_TRUST, now=session.now)
        if is_back:
            self._facts[Fact(self._agent, session.assertions.identity_of(order))] = None
            self._given_back += [row.id for row in rows]
            self._sources += [item.memory_id or "", *(row.id for row in [*rows, *archived])]

    def _event(self, wanted: str, order: int) -> str:
        """What marks a row that stays taken back on another account."""
        if wanted == "rejected":
            return REJECT_EVENT
        return next(iter(self._session.operations.events_of(order)), "")

    def _waiting_still(self, item: OperationItem, order: int) -> str:
        """A held assertion waits on, in its request or in a new one; what was rejected meanwhile stays so."""
        asked = self._session.approvals.of_order(order)
        states = [approval.state for approval in asked]
        if ApprovalState.PENDING in states:
            return "held"
        if states and states[0] in (ApprovalState.REJECTED, ApprovalState.EXPIRED):
            return "rejected"
        self._ask_again(Waiting(memory_id=item.memory_id, order=order), self._session.assertions.subject_of(order))
        return "held"

    def _ask_again(self, waiting: Waiting, subject: str) -> None:
        ask(
            self._services,
            self._session,
            kind=ActionKind.QUARANTINE.value,
            agent=self._agent,
            origin=self._operation.origin,
            subject=subject,
            summary=f"held from {self._operation.origin}: about {subject or 'plain memories'} (again, after an undo)",
            payload={"subject": subject, "reason": "held before a purge that was undone"},
            items=[waiting],
        )

    def _plain(self, item: OperationItem) -> None:
        session, id = self._session, item.memory_id or ""
        stored = session.memories.get(self._agent, id) or session.memories.get_archived(self._agent, id)
        if stored is None:
            self._missing.append(id)
            return
        standing = session.operations.standing(memory_id=id)
        before: dict[str, Any] = json.loads(item.before)
        if stored.state is None or before["state"] is not None:
            return
        if standing:
            return
        session.memories.give_back(id, before, now=session.now)
        self._given_back.append(id)
        self._sources.append(id)

    def _uncut(self) -> None:
        """Gives what was derived its trust back, where none of its sources is still taken back."""
        session = self._session
        sources = list(dict.fromkeys(source for source in self._sources if source))
        for id in [*sources, *session.memories.derived_from(sources)]:  # one source may rest on another
            placed = session.facts.placed(self._agent, id)
            if placed is not None:
                order, identity = placed
                if not session.memories.is_from_withdrawn(self._agent, session.assertions.sources(order)):
                    session.assertions.uncut(order)
                    self._facts[Fact(self._agent, identity)] = None
                continue
            plain = session.memories.get(self._agent, id)
            if plain is None or plain.claimed_trust is None:
                continue
            if not session.memories.is_from_withdrawn(self._agent, plain.derived_from):
                session.memories.uncut_trust(id, now=session.now)

    def _reopen(self, items: list[OperationItem]) -> list[str]:
        """Opens requests again, with the time that they had left."""
        reopened = []
        for item in items:
            approval = self._session.approvals.get(item.name or "")
            if approval is None or approval.state != ApprovalState.PURGED:
                continue
            then = json.loads(item.before)
            left = to_datetime(then["expires_at"]) - to_datetime(then["closed_at"])
            self._session.approvals.reopen(approval.id, seconds_later(self._session.now, left.total_seconds()))
            reopened.append(approval.id)
        return reopened
