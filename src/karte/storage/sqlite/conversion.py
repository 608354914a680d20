"""Bringing what an older engine wrote under our rules: times, numbers, states, sources; then facts and names.

A row that has no ``ordinal`` yet is one that an older engine wrote, before the upgrade or since. Nothing is planned
anew: intervals, links, trust and origins stand as they were found, and so does whatever cannot be read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import apsw

from karte.domain.entities import Resolve, identity_of, normalise
from karte.domain.stored import read_list
from karte.domain.time import read_stored, to_datetime
from karte.storage.sqlite import conversion_facts, conversion_names
from karte.storage.sqlite.indexing import Progress

BATCH: Final = 1_000
RETRACTIONS: Final = {"origin_purge": "purged", "human_reject": "rejected", "quarantine_reject": "rejected"}
"""What older engines wrote into ``invalidated_by_event`` of a row that they took back, and its state with us."""
TIMES: Final = (
    "timestamp",
    "created_at",
    "last_accessed",
    "valid_from",
    "valid_until",
    "ingested_at",
    "invalidated_at",
)

_STAGE: Final = "upgrading memories"
_HAS_STRANGERS: Final = "SELECT EXISTS (SELECT 1 FROM memories WHERE ordinal IS NULL)"
_LAST_INSTANT: Final = "SELECT last_instant FROM karte_state WHERE id = 1"
_LAST_ORDINAL: Final = "SELECT last_ordinal FROM karte_state WHERE id = 1"
_SAVE_STATE: Final = "UPDATE karte_state SET last_instant = ?, last_ordinal = ? WHERE id = 1"
_COUNT: Final = (
    "SELECT (SELECT count(*) FROM memories WHERE ordinal IS NULL)"
    " + (SELECT count(*) FROM memories_archive WHERE ordinal IS NULL)"
)
_FOUND: Final = (
    "SELECT rowid, id, agent_id, subject, predicate, invalidated_by_event, superseded_by, derived_from,"
    f" {', '.join(TIMES)}, {{archived_at}} FROM {{table}} WHERE rowid > ? AND ordinal IS NULL"
    f" ORDER BY rowid LIMIT {BATCH}"
)
_FOUND_IN: Final = {
    "memories": _FOUND.format(table="memories", archived_at="NULL"),
    "memories_archive": _FOUND.format(table="memories_archive", archived_at="archived_at"),
}
_CHANGED: Final = f"{' = ?, '.join(TIMES)} = ?, ordinal = ?, identity = ?, state = ?"
_CHANGE_IN: Final = {
    "memories": f"UPDATE memories SET {_CHANGED} WHERE rowid = ?",
    "memories_archive": f"UPDATE memories_archive SET {_CHANGED}, archived_at = ? WHERE rowid = ?",
}
_VALUE: Final = "SELECT object, content FROM {table} WHERE rowid = ?"
_EVENT_OF: Final = "SELECT source_event FROM memories WHERE id = ?"
_SOURCE: Final = "INSERT OR IGNORE INTO memory_sources (source_id, memory_id) VALUES (?, ?)"


def has_strangers(connection: apsw.Connection) -> bool:
    """Whether an older engine wrote memories that we have not taken in: a look at the end of an index."""
    return bool(connection.execute(_HAS_STRANGERS).get)


def last_ordinal(connection: apsw.Connection) -> int:
    """The highest number that a row of the file ever had in the index."""
    return int(connection.execute(_LAST_ORDINAL).get)


def convert(connection: apsw.Connection, now: str, report: Progress) -> None:
    """Takes in every row of an older engine, inside the caller's transaction."""
    names = conversion_names.convert_names(connection)
    instant = connection.execute(_LAST_INSTANT).get
    rows = _Rows(connection, names, now=now, latest=instant, ordinal=last_ordinal(connection))
    total = connection.execute(_COUNT).get
    done = 0
    for count in (*rows.convert("memories"), *rows.convert("memories_archive")):
        done += count
        report(_STAGE, done, total)
    connection.execute(_SAVE_STATE, (rows.latest, rows.ordinal))
    conversion_facts.convert_facts(connection, names, report)


@lru_cache(maxsize=4_096)  # one row repeats its instants, and one second has many rows
def written(value: object) -> str | None:
    """The written form of a time that was found; None where it cannot be read."""
    text = read_stored(value) if isinstance(value, str) else None
    if text is None:
        return None
    try:
        to_datetime(text)
    except ValueError:
        return None
    return text


@dataclass(frozen=True, slots=True)
class _Found:
    """One row as it was found; ``times`` in the order of the columns, already rewritten where they can be read."""

    rowid: int
    id: str
    agent: str
    subject: str | None
    predicate: str | None
    event: str | None
    superseded_by: str | None
    derived_from: str | None
    times: list[Any]
    archived_at: Any

    @property
    def is_fact(self) -> bool:
        return bool(_part(self.subject) and _part(self.predicate))


def _part(name: object) -> str:
    return normalise(name) if isinstance(name, str) else ""


def _found(row: Sequence[Any]) -> _Found:
    times = [written(value) or value for value in row[8:15]]
    return _Found(*(*row[:8], times, written(row[15]) or row[15]))


class _Rows:
    """The pass over the rows: one after the other, in the order in which they were inserted."""

    def __init__(
        self, connection: apsw.Connection, names: conversion_names.Names, *, now: str, latest: str, ordinal: int
    ) -> None:
        self._connection = connection
        self._names = names
        self._now = now
        self.latest = latest
        self.ordinal = ordinal

    def convert(self, table: str) -> Iterator[int]:
        """Converts the rows of a table; yields how many after each batch."""
        last = -(2**63)
        while rows := self._batch(table, last):
            found = [_found(row) for row in rows]
            changes = [self._change(row, table) for row in found]
            self._connection.executemany(_CHANGE_IN[table], changes)
            sources = [(source, row.id) for row in found for source in read_list(row.derived_from)]
            self._connection.executemany(_SOURCE, sources)
            last = rows[-1][0]
            yield len(rows)

    def _batch(self, table: str, after: int) -> list[Any]:
        return self._connection.execute(_FOUND_IN[table], (after,)).fetchall()

    def _change(self, row: _Found, table: str) -> tuple[Any, ...]:
        self.ordinal += 1
        timestamp, created_at, accessed, valid_from, valid_until, ingested_at, invalidated_at = row.times
        if created_at is None:  # the archive of an older engine did not keep it
            created_at = ingested_at or timestamp
        learned = written(ingested_at) or written(created_at) or written(timestamp)
        self._note(learned, written(invalidated_at), written(row.archived_at))
        identity = None
        if row.is_fact:
            identity = self._identity(row, table)
            if valid_from is None:  # it reads as the timestamp; said so, an index can find it
                valid_from = written(timestamp)
        times = (timestamp, created_at, accessed, valid_from, valid_until, ingested_at, invalidated_at)
        change = (*times, self.ordinal, identity, self._state(row))
        return (*change, row.rowid) if table == "memories" else (*change, row.archived_at or self._now, row.rowid)

    def _note(self, *instants: str | None) -> None:
        """Belief goes on after the last thing that is known; what claims to come from the future is not waited for."""
        known = [instant for instant in instants if instant is not None and instant <= self._now]
        self.latest = max((self.latest, *known))

    def _identity(self, row: _Found, table: str) -> str:
        resolve: Resolve = self._names.resolve(row.agent)
        predicate = row.predicate or ""
        is_many = self._names.is_many(row.agent, normalise(predicate))
        object, content = None, ""
        if is_many:
            value: Any = self._connection.execute(_VALUE.format(table=table), (row.rowid,)).fetchone()
            object, content = value
        return identity_of(
            row.subject or "", predicate, object=object, content=content, is_many=is_many, resolve=resolve
        )

    def _state(self, row: _Found) -> str | None:
        """How the row was taken back, if it was.

        The event of a row that was superseded is its successor's, which any caller could have named like a retraction.
        """
        state = RETRACTIONS.get(row.event) if isinstance(row.event, str) else None
        if state is not None and row.superseded_by:
            by = self._connection.execute(_EVENT_OF, (row.superseded_by,)).get
            return None if by == row.event else state
        return state
