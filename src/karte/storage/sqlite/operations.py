"""Operations that took something back, and what each covers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import apsw

from karte.domain.retraction import ItemKind, Operation, OperationItem, OperationKind
from karte.storage.sqlite.connection import Execute

_ADD: Final = "INSERT INTO operations (id, kind, agent_id, origin, since, event, done_at) VALUES (?, ?, ?, ?, ?, ?, ?)"
_GET: Final = "SELECT id, kind, agent_id, origin, since, event, done_at, undone_at FROM operations WHERE id = ?"
_UNDO: Final = "UPDATE operations SET undone_at = ? WHERE id = ?"
_ADD_ITEM: Final = (
    "INSERT INTO operation_items (operation_id, kind, memory_id, learned_order, name, before) VALUES (?, ?, ?, ?, ?, ?)"
)
_ITEM: Final = "SELECT i.kind, i.before, i.memory_id, i.learned_order, i.name FROM operation_items i"
_ITEMS: Final = f"{_ITEM} WHERE i.operation_id = ? ORDER BY i.item"
_STANDING: Final = "JOIN operations o ON o.id = i.operation_id WHERE o.undone_at IS NULL AND"
_COVERING_ORDER: Final = f"{_ITEM} {_STANDING} i.learned_order = ? ORDER BY i.item LIMIT 1"
_COVERING_MEMORY: Final = f"{_ITEM} {_STANDING} i.kind = 'memory' AND i.memory_id = ? ORDER BY i.item LIMIT 1"
_KINDS_OF_ORDER: Final = (
    f"SELECT o.kind FROM operation_items i {_STANDING} i.learned_order = ? ORDER BY o.done_at, i.item"
)
_EVENTS_OF_ORDER: Final = (
    f"SELECT o.event FROM operation_items i {_STANDING} i.learned_order = ? ORDER BY o.done_at, i.item"
)
_KINDS_OF_MEMORY: Final = (
    f"SELECT o.kind FROM operation_items i {_STANDING} i.kind = 'memory' AND i.memory_id = ? ORDER BY o.done_at, i.item"
)


class Operations:
    """The operations of one file."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._execute: Execute = connection.execute

    def add(self, operation: Operation, items: Sequence[OperationItem]) -> None:
        """Records an operation and what it covers."""
        o = operation
        self._execute(_ADD, (o.id, o.kind.value, o.agent_id, o.origin, o.since, o.event, o.done_at))
        for i in items:
            self._execute(_ADD_ITEM, (o.id, i.kind.value, i.memory_id, i.order, i.name, i.before))

    def get(self, operation_id: str) -> Operation | None:
        """One operation."""
        row = self._execute(_GET, (operation_id,)).fetchone()
        if row is None:
            return None
        id, kind, agent, origin, since, event, done_at, undone_at = row
        return Operation(
            id=id,
            kind=OperationKind(kind),
            agent_id=agent,
            origin=origin,
            since=since,
            event=event,
            done_at=done_at,
            undone_at=undone_at,
        )

    def items(self, operation_id: str) -> list[OperationItem]:
        """What an operation covers."""
        return [_item(row) for row in self._execute(_ITEMS, (operation_id,))]

    def mark_undone(self, operation_id: str, now: str) -> None:
        """From now on the operation stands no more."""
        self._execute(_UNDO, (now, operation_id))

    def covering(self, *, order: int | None = None, memory_id: str | None = None) -> OperationItem | None:
        """How the first operation that still stands found an assertion or a plain memory."""
        if order is not None:
            row = self._execute(_COVERING_ORDER, (order,)).fetchone()
        else:
            row = self._execute(_COVERING_MEMORY, (memory_id,)).fetchone()
        return _item(row) if row else None

    def standing(self, *, order: int | None = None, memory_id: str | None = None) -> list[OperationKind]:
        """The operations that stand and cover an assertion or a plain memory, oldest first."""
        query, value = (_KINDS_OF_ORDER, order) if order is not None else (_KINDS_OF_MEMORY, memory_id)
        return [OperationKind(row[0]) for row in self._execute(query, (value,))]

    def events_of(self, order: int) -> list[str]:
        """With what the operations that stand marked what an assertion made, oldest first."""
        return [str(row[0]) for row in self._execute(_EVENTS_OF_ORDER, (order,))]


def _item(row: Sequence[Any]) -> OperationItem:
    return OperationItem(kind=ItemKind(row[0]), before=row[1], memory_id=row[2], order=row[3], name=row[4])
