"""Assertions and the rows they make: loading what a plan needs, and applying it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import apsw

from karte.domain.assertions import OPEN, Assertion, Kind
from karte.domain.rows import Row
from karte.domain.stored import (
    Naming,
    StatedAssertion,
    StoredMemory,
    write_list,
    write_reaffirmations,
    write_support,
)
from karte.domain.text import index_text
from karte.storage.sqlite import beliefs
from karte.storage.sqlite.connection import Execute
from karte.storage.sqlite.fact_rows import ASSERTION, LIVE_ROW, OF_IDENTITY, ROW, to_assertion, to_row
from karte.storage.sqlite.indexing import searchable_text
from karte.storage.sqlite.neighbours import Neighbours
from karte.storage.sqlite.schema import COLUMN_NAMES
from karte.storage.sqlite.trusts import Trusts

_LIVE: Final = f"SELECT {ASSERTION} FROM memory_assertions a WHERE {OF_IDENTITY}"
_ALL_ROWS: Final = f"{ROW} WHERE {LIVE_ROW}"
_TWIN: Final = (
    "SELECT a.row_id FROM memory_assertions a INDEXED BY memory_assertions_{which}"
    f" WHERE {OF_IDENTITY} AND a.value_key = ? AND a.valid_from = ? AND a.valid_until IS ?"
    " AND a.valid_until IS {null} AND a.kind = ? AND a.origin IS ? AND a.source_event = ? LIMIT 1"
)
_TWIN_OPEN: Final = _TWIN.format(which="open", null="NULL")
_TWIN_BOUNDED: Final = _TWIN.format(which="bounded", null="NOT NULL")
_INSERT: Final = (
    "INSERT INTO memory_assertions (learned_order, agent_id, identity, kind, id, row_id,"
    " makes_row, subject, predicate, object, content, value_key, valid_from, valid_until, origin,"
    " origin_trust, authority, voice, confidence, derived_from, source_event, learned_at,"
    f" is_cut, cut_trust) VALUES ({', '.join('?' * 24)})"
)
_UPDATE_ROW: Final = (  # without OR FAIL, which would reach into a trigger that a file may have from before
    "UPDATE memories SET valid_until = :end, superseded_by = :superseded_by,"
    " supersedes = :supersedes, confidence = :confidence, origin_trust = :trust,"
    " invalidated_by_event = :event, invalidated_at = :at, is_contested = :is_contested, is_made = :is_made,"
    " support = :support, metadata = CASE WHEN NOT json_valid(metadata) THEN metadata"
    " WHEN :reaffirmed IS NULL THEN json_remove(metadata, '$.reaffirmed_by')"
    " ELSE json_set(metadata, '$.reaffirmed_by', json(:reaffirmed)) END WHERE id = :id"
)
_SET_CONTINUES: Final = "UPDATE memories SET metadata = json_set(metadata, '$.continues', ?) WHERE id = ?"
_COMPUTED: Final = {
    "id": ":id",
    "content": "coalesce((SELECT content FROM memory_assertions WHERE learned_order = :assertion), content)",
    "subject": "(SELECT subject FROM memory_assertions WHERE learned_order = :assertion)",
    "predicate": "(SELECT predicate FROM memory_assertions WHERE learned_order = :assertion)",
    "object": "(SELECT object FROM memory_assertions WHERE learned_order = :assertion)",
    "identity": "(SELECT identity FROM memory_assertions WHERE learned_order = :assertion)",
    "access_count": "0",
    "last_accessed": "NULL",
    "source_event": ":source_event",
    "valid_from": ":start",
    "valid_until": ":end",
    "superseded_by": ":superseded_by",
    "supersedes": ":supersedes",
    "confidence": ":confidence",
    "metadata": "json_patch(json_remove(iif(json_valid(metadata), metadata, '{}'), '$.reaffirmed_by', '$.continues'),"
    " json_object('continues', :continues, 'reaffirmed_by', json(:reaffirmed)))",
    "origin": ":origin",
    "origin_trust": ":trust",
    "derived_from": "(SELECT derived_from FROM memory_assertions WHERE learned_order = :assertion)",
    "ingested_at": ":learned_at",
    "invalidated_by_event": ":event",
    "invalidated_at": ":at",
    "quarantined": "0",
    "ordinal": ":ordinal",
    "assertion": ":assertion",
    "recorded_at": ":now",
    "state": "NULL",
    "is_made": ":is_made",
    "is_contested": ":is_contested",
    "support": ":support",
    "claimed_trust": "NULL",
}
_INSERT_COMPUTED: Final = (
    f"INSERT INTO memories ({', '.join(COLUMN_NAMES)})"
    f" SELECT {', '.join(_COMPUTED.get(name, name) for name in COLUMN_NAMES)} FROM"
)
_COMPUTED_FROM_LIVE: Final = f"{_INSERT_COMPUTED} memories WHERE id = :template"
_COMPUTED_FROM_ARCHIVE: Final = f"{_INSERT_COMPUTED} memories_archive WHERE id = :template"
_TEXT_OF: Final = "SELECT content, subject, predicate, object FROM memories WHERE id = ?"
_INDEX: Final = "INSERT INTO memory_index (rowid, text) VALUES (?, ?)"
_IDENTITIES: Final = (
    "SELECT DISTINCT identity FROM memory_assertions WHERE agent_id = ? AND identity >= ?"
    " AND identity < ? AND state = 'live' ORDER BY identity"
)
_NAMES: Final = (
    "SELECT a.learned_order, a.identity, a.kind, a.subject, a.predicate, a.object,"
    " coalesce(a.content, m.content, x.content, ''), a.value_key FROM memory_assertions a"
    " LEFT JOIN memories m ON m.id = a.row_id LEFT JOIN memories_archive x ON x.id = a.row_id"
    " WHERE a.agent_id = ?"
)
_RENAME: Final = "UPDATE memory_assertions SET identity = ?, value_key = ? WHERE learned_order = ?"
_ROWS_OF_ASSERTION: Final = "SELECT id FROM memories WHERE assertion = ?"
_RENAME_ROW: Final = "UPDATE memories SET identity = ? WHERE id = ?"
_ARCHIVED_OF_ASSERTION: Final = "SELECT id FROM memories_archive WHERE assertion = ?"
_RENAME_ARCHIVED: Final = "UPDATE memories_archive SET identity = ? WHERE id = ?"
_SET_STATE: Final = "UPDATE memory_assertions SET state = ? WHERE learned_order = ?"
_CUT: Final = "UPDATE memory_assertions SET is_cut = 1 WHERE learned_order = ?"
_ROW_BY_ID: Final = f"{ROW} WHERE m.id = ?"
_VALUE: Final = "SELECT value_key FROM memory_assertions WHERE learned_order = ?"
_IDS_OF_VALUE: Final = (
    "SELECT m.id FROM memories m JOIN memory_assertions a ON a.learned_order = m.assertion"
    " WHERE m.agent_id = ? AND m.identity = ? AND a.value_key = ? UNION"
    " SELECT a.id FROM memory_assertions a WHERE a.agent_id = ? AND a.identity = ?"
    " AND a.value_key = ? AND a.state = 'live'"
)
_CONTINUATION: Final = (
    "SELECT m.id FROM memories m WHERE m.agent_id = ? AND m.identity = ? AND m.assertion = ?"
    " AND m.valid_from > ? AND m.is_made = 0 AND m.state IS NULL"
    " AND (m.valid_until IS NULL OR m.valid_until > m.valid_from) ORDER BY m.valid_from LIMIT 1"
)
_PLACED: Final = (
    "SELECT a.learned_order, a.identity FROM memory_assertions a WHERE a.agent_id = :agent"
    " AND (a.learned_order = (SELECT assertion FROM memories WHERE id = :id)"
    " OR a.learned_order = (SELECT assertion FROM memories_archive WHERE id = :id)"
    " OR a.learned_order = (SELECT learned_order FROM memory_assertions"
    " INDEXED BY memory_assertions_confirming WHERE id = :id AND makes_row = 0 AND state <> 'released'))"
)


class Facts:
    """The timelines of one file."""

    def __init__(self, connection: apsw.Connection, trusts: Trusts) -> None:
        self._execute: Execute = connection.execute
        self._trusts = trusts
        neighbours = Neighbours(connection)
        self.holder = neighbours.holder
        self.around = neighbours.around

    def assertions(self, agent: str, identity: str) -> list[Assertion]:
        """All live assertions of a fact."""
        return [to_assertion(row) for row in self._execute(_LIVE, (agent, identity))]

    def rows(self, agent: str, identity: str) -> list[Row]:
        """All rows of a fact's live assertions, hidden ones included."""
        return [to_row(row) for row in self._execute(_ALL_ROWS, (agent, identity))]

    def has_twin(self, agent: str, identity: str, said: Assertion) -> bool:
        """Whether a live assertion is equal in value, start, end, origin and event."""
        return self.twin_of(agent, identity, said) is not None

    def twin_of(self, agent: str, identity: str, said: Assertion) -> str | None:
        """The row of a live assertion that is equal in value, start, end, origin and event."""
        query = _TWIN_OPEN if said.until is None else _TWIN_BOUNDED
        bindings = (
            agent,
            identity,
            said.value,
            said.start,
            said.until,
            said.kind.value,
            said.origin,
            said.source_event,
        )
        found: str | None = self._execute(query, bindings).get
        return found

    def row(self, id: str) -> Row | None:
        """The row of a fact, by its id."""
        found = self._execute(_ROW_BY_ID, (id,)).fetchone()
        return to_row(found) if found else None

    def rows_of_value(self, agent: str, identity: str, value: bytes) -> set[str]:
        """The ids under which a value was said: of its rows and of what confirmed them."""
        return {row[0] for row in self._execute(_IDS_OF_VALUE, (agent, identity, value) * 2)}

    def value_of(self, order: int) -> bytes:
        """The value that an assertion says."""
        return bytes(self._execute(_VALUE, (order,)).get)

    def continuation_of(self, stored: StoredMemory) -> str | None:
        """The next row that carries on the value of a row, if it shows."""
        after = (stored.agent_id, stored.identity, stored.assertion, stored.starts_at)
        found: str | None = self._execute(_CONTINUATION, after).get
        return found

    def placed(self, agent: str, id: str) -> tuple[int, str] | None:
        """The order and the identity of the assertion that made a row or confirmed one."""
        found = self._execute(_PLACED, {"id": id, "agent": agent}).fetchone()
        return (found[0], found[1]) if found else None

    def current_ids(self, agent: str, identities: Iterable[str], now: str) -> set[str]:
        """The rows that hold now, of these facts."""
        holders = (self.holder(agent, identity, now) for identity in identities)
        return {row.id for row in holders if row is not None}

    def add(self, agent: str, identity: str, said: StatedAssertion) -> None:
        """Keeps an assertion."""
        a = said.assertion
        self._trusts.allow(agent, a.origin)
        self._execute(
            _INSERT,
            (
                a.order,
                agent,
                identity,
                a.kind.value,
                a.id,
                a.row_id,
                int(a.makes_row),
                said.subject,
                said.predicate,
                said.object,
                None if a.makes_row else said.content,
                a.value,
                a.start,
                a.until,
                a.origin,
                a.trust if a.claim is None else a.claim,
                a.authority.value,
                a.voice,
                a.confidence,
                write_list(said.derived_from) if said.derived_from else None,
                a.source_event,
                a.learned_at,
                int(a.is_cut),
                a.trust if a.is_cut else None,
            ),
        )

    def change_row(self, row: Row, *, now: str, operation: str, event: str) -> None:
        """Writes a row's belief part, after keeping what it said before."""
        self._execute(beliefs.KEEP, {"now": now, "operation": operation, "event": event, "id": row.id})
        self._execute(_UPDATE_ROW, _bindings(row))
        if row.continues is not None:
            self._execute(_SET_CONTINUES, (row.continues, row.id))

    def add_computed_row(self, row: Row, *, now: str, ordinal: int) -> None:
        """Adds a row that the timeline asks for, with the words of the row it goes on from."""
        a = row.assertion
        bindings = _bindings(row) | {
            "start": row.start,
            "source_event": a.source_event,
            "origin": a.origin,
            "learned_at": a.learned_at,
            "assertion": a.order,
            "ordinal": ordinal,
            "now": now,
            "continues": row.continues,
            "template": a.row_id,
        }
        self._execute(_COMPUTED_FROM_LIVE, bindings)
        text = self._execute(_TEXT_OF, (row.id,)).fetchone()
        if text is None:
            self._execute(_COMPUTED_FROM_ARCHIVE, bindings)
            text = self._execute(_TEXT_OF, (row.id,)).fetchone()
        self._execute(_INDEX, (ordinal, index_text(searchable_text(*text))))

    def identities(self, agent: str, prefix: str) -> list[str]:
        """The identities that begin with a prefix (of a subject, or of a subject and predicate)."""
        return [row[0] for row in self._execute(_IDENTITIES, (agent, prefix, _past(prefix)))]

    def namings(self, agent: str) -> Iterable[Naming]:
        """How every assertion of the agent is named and valued."""
        for order, identity, kind, subject, predicate, obj, content, value in self._execute(
            _NAMES, (agent,)
        ).fetchall():
            yield Naming(
                order=order,
                identity=identity,
                kind=Kind(kind),
                subject=subject,
                predicate=predicate,
                object=obj,
                content=content,
                value=value,
            )

    def rename(self, order: int, identity: str, value: bytes, *, now: str, operation: str) -> None:
        """Moves an assertion, and the rows it made, to another identity."""
        self._execute(_RENAME, (identity, value, order))
        for (row_id,) in self._execute(_ROWS_OF_ASSERTION, (order,)).fetchall():
            self._execute(beliefs.KEEP, {"now": now, "operation": operation, "event": "", "id": row_id})
            self._execute(_RENAME_ROW, (identity, row_id))
        for (row_id,) in self._execute(_ARCHIVED_OF_ASSERTION, (order,)).fetchall():
            self._execute(beliefs.KEEP_ARCHIVED, {"now": now, "operation": operation, "event": "", "id": row_id})
            self._execute(_RENAME_ARCHIVED, (identity, row_id))

    def set_state(self, orders: Iterable[int], state: str) -> None:
        """Changes whether assertions count."""
        for order in orders:
            self._execute(_SET_STATE, (state, order))

    def cut(self, order: int) -> None:
        """Marks an assertion as derived from one that no longer stands; its claim is kept."""
        self._execute(_CUT, (order,))


def _past(prefix: str) -> str:
    """The first text after all that begin with a prefix (which ends with our separator)."""
    return prefix[:-1] + chr(ord(prefix[-1]) + 1)


def _bindings(row: Row) -> dict[str, Any]:
    return {
        "id": row.id,
        "end": None if row.end == OPEN else row.end,
        "superseded_by": row.superseded_by,
        "supersedes": row.supersedes,
        "confidence": row.support.confidence,
        "trust": row.trust,
        "event": row.event,
        "at": row.at,
        "is_contested": int(row.is_contested),
        "is_made": int(row.is_made),
        "support": write_support(row.support),
        "reaffirmed": write_reaffirmations(row.support),
    }
