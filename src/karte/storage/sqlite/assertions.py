"""How single assertions stand: their words, their state, and learning one anew."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import apsw

from karte.domain.entities import SEPARATOR
from karte.domain.stored import StatedAssertion, read_list
from karte.domain.trust import Authority
from karte.storage.sqlite import beliefs
from karte.storage.sqlite.connection import Execute
from karte.storage.sqlite.fact_rows import ASSERTION, to_assertion

_COLUMNS: Final = (
    "agent_id, identity, kind, id, row_id, makes_row, subject, predicate, object, content, value_key,"
    " valid_from, valid_until, origin, origin_trust, voice, confidence, derived_from, source_event, is_cut, cut_trust"
)
_STATED: Final = (
    f"SELECT {ASSERTION}, a.subject, a.predicate, a.object, coalesce(a.content, m.content, x.content, ''),"
    " a.derived_from FROM memory_assertions a LEFT JOIN memories m ON m.id = a.row_id"
    " LEFT JOIN memories_archive x ON x.id = a.row_id WHERE a.learned_order = ?"
)
_STATE: Final = "SELECT state FROM memory_assertions WHERE learned_order = ?"
_IDENTITY: Final = "SELECT identity FROM memory_assertions WHERE learned_order = ?"
_RELEARN: Final = (
    f"INSERT INTO memory_assertions ({_COLUMNS}, learned_order, learned_at, authority, state, ingested_at)"
    f" SELECT {_COLUMNS}, :new_order, :now, :authority, 'live', coalesce(ingested_at, learned_at)"
    " FROM memory_assertions WHERE learned_order = :order RETURNING identity"
)
_SUPPLANT: Final = "UPDATE memory_assertions SET state = 'released' WHERE learned_order = ?"
_ROWS: Final = "SELECT id FROM memories WHERE assertion = ?"
_MOVE_ROW: Final = "UPDATE memories SET assertion = ?, quarantined = 0 WHERE id = ?"
_ROWS_AT_REST: Final = "UPDATE memories_archive SET assertion = ? WHERE assertion = ?"
# Without an index of its own, which every write would pay for: a purge is rare and may read all assertions.
_OF_ORIGIN: Final = (
    "SELECT learned_order, identity, state, id FROM memory_assertions"
    " WHERE agent_id = ? AND origin = ? AND state <> 'released' AND coalesce(ingested_at, learned_at) >= ?"
    " ORDER BY learned_order"
)
_UNCUT: Final = "UPDATE memory_assertions SET is_cut = 0, cut_trust = NULL WHERE learned_order = ?"
_SOURCES: Final = "SELECT derived_from FROM memory_assertions WHERE learned_order = ?"


class Assertions:
    """The assertions of one file, one by one."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._execute: Execute = connection.execute

    def stated(self, order: int) -> StatedAssertion:
        """An assertion with the words it was made in."""
        row: Sequence[Any] = self._execute(_STATED, (order,)).fetchone()
        subject, predicate, obj, content, derived_from = row[-5:]
        return StatedAssertion(
            assertion=to_assertion(row),
            subject=subject,
            predicate=predicate,
            object=obj,
            content=content,
            derived_from=read_list(derived_from),
        )

    def state_of(self, order: int) -> str | None:
        """Its state; None where it is gone."""
        found: str | None = self._execute(_STATE, (order,)).get
        return found

    def identity_of(self, order: int) -> str:
        """The fact that it is about."""
        return str(self._execute(_IDENTITY, (order,)).get)

    def subject_of(self, order: int) -> str:
        """The canonical name of its subject."""
        return self.identity_of(order).partition(SEPARATOR)[0]

    def relearn(self, order: int, new_order: int, *, authority: Authority, now: str) -> str:
        """Learns an assertion anew, with another authority, and moves its rows to it; gives its fact."""
        values = {"order": order, "new_order": new_order, "authority": authority.value, "now": now}
        identity: str = self._execute(_RELEARN, values).get
        self._execute(_SUPPLANT, (order,))
        for (row_id,) in self._execute(_ROWS, (order,)).fetchall():
            self._execute(beliefs.KEEP, {"now": now, "operation": "release", "event": "", "id": row_id})
            self._execute(_MOVE_ROW, (new_order, row_id))
        self._execute(_ROWS_AT_REST, (new_order, order))
        return identity

    def of_origin(self, agent: str, origin: str, since: str) -> list[tuple[int, str, str, str]]:
        """Order, fact, state and id of what exactly this origin said, learned at or after an instant."""
        return self._execute(_OF_ORIGIN, (agent, origin, since)).fetchall()  # type: ignore[no-any-return]

    def uncut(self, order: int) -> None:
        """What it was derived from stands again."""
        self._execute(_UNCUT, (order,))

    def sources(self, order: int) -> tuple[str, ...]:
        """The ids that it was derived from."""
        return read_list(self._execute(_SOURCES, (order,)).get)
