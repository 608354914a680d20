"""Requests for a person's decision, and when the first of them expires."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

import apsw

from karte.domain.approvals import StoredApproval, Waiting
from karte.storage.sqlite.connection import Execute

_COLUMNS: Final = (
    "id, action_kind, agent_id, origin, subject, summary, payload, state, created_at, expires_at,"
    " decided_at, decided_by, reason"
)
_SELECT: Final = f"SELECT {_COLUMNS} FROM approvals"
_ADD: Final = f"INSERT INTO approvals ({_COLUMNS}) VALUES ({', '.join('?' * 13)})"
_ADD_ITEM: Final = "INSERT INTO approval_items (approval_id, memory_id, learned_order) VALUES (?, ?, ?)"
_ITEMS: Final = "SELECT memory_id, learned_order FROM approval_items WHERE approval_id = ? ORDER BY item"
_OPEN: Final = (
    f"{_SELECT} WHERE state = 'pending' AND agent_id = ? AND action_kind = ? AND subject = ? AND origin IS ?"
    " ORDER BY created_at LIMIT 1"
)
_DUE: Final = f"{_SELECT} WHERE state = 'pending' AND expires_at <= ? ORDER BY expires_at, id"
_ABOUT: Final = f"{_SELECT} WHERE id IN (SELECT approval_id FROM approval_items WHERE"
_NEWEST: Final = "ORDER BY created_at DESC, id DESC"
_OF_ORDER: Final = f"{_ABOUT} learned_order = ?) {_NEWEST}"
_OF_MEMORY: Final = f"{_ABOUT} memory_id = ?) {_NEWEST}"
_CLOSE: Final = "UPDATE approvals SET state = ?, decided_at = ?, decided_by = ?, reason = ? WHERE id = ?"
_REOPEN: Final = (
    "UPDATE approvals SET state = 'pending', expires_at = ?, decided_at = NULL, decided_by = NULL,"
    " reason = '' WHERE id = ?"
)
_REWORD: Final = "UPDATE approvals SET summary = ?, payload = ? WHERE id = ?"
_MOVE_ITEM: Final = "UPDATE approval_items SET learned_order = ? WHERE approval_id = ? AND learned_order = ?"
_NEXT_EXPIRY: Final = (
    "UPDATE karte_state SET next_expiry = coalesce((SELECT min(expires_at) FROM approvals"
    " WHERE state = 'pending'), '~') WHERE id = 1"
)


class Approvals:
    """The requests of one file."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._execute: Execute = connection.execute

    def add(self, approval: StoredApproval) -> None:
        """Opens a request."""
        values = [getattr(approval, name.strip()) for name in _COLUMNS.split(",")]
        self._execute(_ADD, values)
        self._execute(_NEXT_EXPIRY)

    def add_items(self, approval_id: str, items: Iterable[Waiting]) -> None:
        """What a request is about, one after another."""
        for item in items:
            self._execute(_ADD_ITEM, (approval_id, item.memory_id, item.order))

    def items(self, approval_id: str) -> list[Waiting]:
        """What a request is about, in the order of writing."""
        return [Waiting(memory_id=row[0], order=row[1]) for row in self._execute(_ITEMS, (approval_id,))]

    def get(self, approval_id: str) -> StoredApproval | None:
        """One request."""
        row = self._execute(f"{_SELECT} WHERE id = ?", (approval_id,)).fetchone()
        return _approval(row) if row else None

    def open_for(self, agent: str, kind: str, subject: str, origin: str | None) -> StoredApproval | None:
        """The pending request that more of the same joins."""
        row = self._execute(_OPEN, (agent, kind, subject, origin)).fetchone()
        return _approval(row) if row else None

    def of_order(self, order: int) -> list[StoredApproval]:
        """The requests about an assertion, newest first."""
        return [_approval(row) for row in self._execute(_OF_ORDER, (order,))]

    def of_memory(self, memory_id: str) -> list[StoredApproval]:
        """The requests about a row, newest first."""
        return [_approval(row) for row in self._execute(_OF_MEMORY, (memory_id,))]

    def due(self, instant: str) -> list[StoredApproval]:
        """The pending requests whose time is up, in the order in which it was."""
        return [_approval(row) for row in self._execute(_DUE, (instant,))]

    def listed(
        self, agent: str | None, states: Sequence[str], instant: str, limit: int, before: tuple[str, str] | None
    ) -> list[StoredApproval]:
        """Requests, newest first; a pending one whose time is up is expired."""
        state = f"iif(state = 'pending' AND expires_at <= :instant, 'expired', state) IN ({_quoted(states)})"
        wanted = [state] if states else ["1"]
        wanted += ["agent_id = :agent"] if agent is not None else []
        wanted += ["(created_at, id) < (:created_at, :id)"] if before else []
        values: dict[str, Any] = {f"s{i}": name for i, name in enumerate(states)}
        values |= {"instant": instant, "agent": agent, "limit": limit}
        values |= {"created_at": before[0], "id": before[1]} if before else {}
        query = f"{_SELECT} WHERE {' AND '.join(wanted)} ORDER BY created_at DESC, id DESC LIMIT :limit"
        return [_approval(row) for row in self._execute(query, values)]

    def close(self, approval_id: str, state: str, *, at: str, by: str | None, reason: str) -> None:
        """Ends a request."""
        self._execute(_CLOSE, (state, at, by, reason, approval_id))
        self._execute(_NEXT_EXPIRY)

    def reopen(self, approval_id: str, expires_at: str) -> None:
        """Makes a request pending again."""
        self._execute(_REOPEN, (expires_at, approval_id))
        self._execute(_NEXT_EXPIRY)

    def reword(self, approval_id: str, summary: str, payload: str) -> None:
        """Says anew what a request is about."""
        self._execute(_REWORD, (summary, payload, approval_id))

    def move_item(self, approval_id: str, order: int, new_order: int) -> None:
        """An item's assertion was learned anew."""
        self._execute(_MOVE_ITEM, (new_order, approval_id, order))


def _quoted(states: Sequence[str]) -> str:
    return ", ".join(f":s{i}" for i in range(len(states)))


def _approval(row: Sequence[Any]) -> StoredApproval:
    names = [name.strip() for name in _COLUMNS.split(",")]
    return StoredApproval(**dict(zip(names, row, strict=True)))
