"""Events: stored with what they tell of, in its transaction."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

import apsw

from karte.domain.events import INFO, Event, EventFilter, NewEvent
from karte.domain.time import to_datetime
from karte.storage.sqlite.connection import Execute

_COLUMNS: Final = "sequence, kind, level, agent_id, happened_at, origin, subject, data"
_ADD: Final = (
    "INSERT INTO events (kind, level, agent_id, happened_at, origin, subject, data) VALUES (?, ?, ?, ?, ?, ?, ?)"
    f" RETURNING {_COLUMNS}"
)


class Events:
    """The events of one file; those of this transaction are kept until its commit."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._execute: Execute = connection.execute
        self.emitted: list[Event] = []

    def emit(self, event: NewEvent, now: str) -> Event:
        """Stores an event; subscribers hear of it once the transaction is kept."""
        data = json.dumps(event.data, ensure_ascii=False)
        values = (event.kind.value, event.level, event.agent_id, now, event.origin, event.subject, data)
        stored = _event(self._execute(_ADD, values).fetchone())
        self.emitted.append(stored)
        return stored

    def take_emitted(self) -> list[Event]:
        """The events of the transaction that has just ended, and forgets them."""
        taken, self.emitted = self.emitted, []
        return taken

    def listed(self, wanted: EventFilter, *, limit: int, newest_first: bool = False) -> list[Event]:
        """Events in order, at most ``limit``."""
        where, values = _condition(wanted)
        order = "DESC" if newest_first else "ASC"
        query = f"SELECT {_COLUMNS} FROM events WHERE {where} ORDER BY sequence {order} LIMIT :limit"
        return [_event(row) for row in self._execute(query, values | {"limit": limit})]

    def count(self, wanted: EventFilter) -> int:
        """How many events are meant."""
        where, values = _condition(wanted)
        counted: int = self._execute(f"SELECT count(*) FROM events WHERE {where}", values).get
        return counted


def _condition(wanted: EventFilter) -> tuple[str, dict[str, Any]]:
    """Several kinds are filtered along the order (hence the ``+``), so that nothing has to be sorted."""
    names = [f":k{i}" for i in range(len(wanted.kinds))]
    parts = ["sequence > :after"]
    parts += ["sequence < :before"] if wanted.before is not None else []
    parts += ["agent_id = :agent"] if wanted.agent is not None else []
    parts += [f"{'+' if len(names) > 1 else ''}kind IN ({', '.join(names)})"] if names else []
    parts += ["level <> :info"] if wanted.above_info else []
    values: dict[str, Any] = {f"k{i}": kind for i, kind in enumerate(wanted.kinds)}
    values |= {"after": wanted.after, "before": wanted.before, "agent": wanted.agent, "info": INFO}
    return " AND ".join(parts), values


def _event(row: Sequence[Any]) -> Event:
    return Event(
        sequence=row[0],
        kind=row[1],
        level=row[2],
        agent_id=row[3],
        happened_at=to_datetime(row[4]),
        origin=row[5],
        subject=row[6],
        data=json.loads(row[7]),
    )
