"""The facts of an older engine as assertions: what its writers said, as far as its rows tell.

A row that another superseded is an open assertion that the engine closed; every other end is the writer's. A
confirmation that the engine noted beside a row is an assertion of the same value, with no more trust than the row: so a
later plan still knows who agreed. The order of learning is that of ``ingested_at``, then of insertion.

The rows themselves keep their intervals and links; their ``support`` stays NULL, by which the first write to a fact
knows that its rows were never planned.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final
from uuid import NAMESPACE_URL, uuid5

import apsw

from karte.domain.assertions import Kind
from karte.domain.entities import value_key
from karte.domain.rows import CORROBORATION_STEP, SHOWN_REAFFIRMATIONS
from karte.domain.stored import read_list, read_object
from karte.domain.time import FIRST_INSTANT, read_stored
from karte.domain.trust import CLASSES, authority_of, class_of, corroborating_class
from karte.storage.sqlite.conversion_names import Names
from karte.storage.sqlite.indexing import Progress

BATCH: Final = 1_000

_STAGE: Final = "upgrading facts"
_CANONICAL: Final = "????-??-??T??:??:??.??????+00:00"
_LEARNED: Final = ", ".join(
    f"iif({name} GLOB '{_CANONICAL}', {name}, NULL)" for name in ("ingested_at", "created_at", "timestamp")
)
_UNLEARNED: Final = (
    f"SELECT {{flag}} AS is_archived, rowid AS place, coalesce({_LEARNED}, '') AS learned FROM {{table}}"
    " WHERE identity IS NOT NULL AND assertion IS NULL"
)
_ORDERED: Final = (
    f"{_UNLEARNED.format(flag=0, table='memories')} UNION ALL"
    f" {_UNLEARNED.format(flag=1, table='memories_archive')} ORDER BY learned, is_archived, place"
)
_COLUMNS: Final = (
    "id, agent_id, identity, subject, predicate, object, content, timestamp, created_at, ingested_at, valid_from,"
    " valid_until, superseded_by, invalidated_at, confidence, metadata, origin, origin_trust, derived_from,"
    " source_event, quarantined, state"
)
_TABLES: Final = ("memories", "memories_archive")
_GET: Final = tuple(
    f"SELECT {_COLUMNS}, {is_archived} FROM {table} WHERE rowid = ?" for is_archived, table in enumerate(_TABLES)
)
_TIE: Final = tuple(f"UPDATE {table} SET assertion = ? WHERE rowid = ?" for table in _TABLES)
_INSERT: Final = (
    "INSERT INTO memory_assertions (learned_order, agent_id, identity, kind, id, row_id, makes_row, subject,"
    " predicate, object, content, value_key, valid_from, valid_until, origin, origin_trust, authority, voice,"
    f" confidence, derived_from, source_event, learned_at, state) VALUES ({', '.join('?' * 23)})"
)
_CUT: Final = (
    "WITH RECURSIVE derived(id) AS ("
    "SELECT s.memory_id FROM memory_sources s JOIN memories m ON m.id = s.source_id"
    " WHERE m.state IN ('purged', 'rejected')"
    " UNION SELECT s.memory_id FROM memory_sources s JOIN derived d ON s.source_id = d.id)"
    " UPDATE memory_assertions SET is_cut = 1 WHERE is_cut = 0 AND row_id IN (SELECT id FROM derived)"
)
_LAST_ORDER: Final = "SELECT last_order FROM karte_state WHERE id = 1"
_SAVE_ORDER: Final = "UPDATE karte_state SET last_order = ? WHERE id = 1"


def convert_facts(connection: apsw.Connection, names: Names, report: Progress) -> None:
    """Writes the assertions of the facts that have none yet, inside the caller's transaction."""
    order = connection.execute(_LAST_ORDER).get
    places = array("q", (2 * place + is_archived for is_archived, place, _ in connection.execute(_ORDERED)))
    for start in range(0, len(places), BATCH):
        batch = places[start : start + BATCH]
        said: list[tuple[Any, ...]] = []
        tied: tuple[list[tuple[int, int]], ...] = ([], [])
        for code in batch:
            rowid, is_archived = divmod(code, 2)
            row: Any = connection.execute(_GET[is_archived], (rowid,)).fetchone()
            fact = _Fact(*row)
            tied[is_archived].append((order + 1, rowid))
            for assertion in fact.assertions(names):
                order += 1
                said.append((order, *assertion))
        connection.executemany(_INSERT, said)
        for query, pairs in zip(_TIE, tied, strict=True):
            connection.executemany(query, pairs)
        report(_STAGE, start + len(batch), len(places))
    connection.execute(_CUT)
    connection.execute(_SAVE_ORDER, (order,))


@dataclass(frozen=True, slots=True)
class _Fact:
    """One row of a fact, in the order of ``_COLUMNS``, and whether it is in the archive."""

    id: str
    agent: str
    identity: str
    subject: str
    predicate: str
    object: str | None
    content: str
    timestamp: str
    created_at: str | None
    ingested_at: str | None
    valid_from: str | None
    valid_until: str | None
    superseded_by: str | None
    invalidated_at: str | None
    confidence: float
    metadata: str
    origin: str | None
    trust: float
    derived_from: str | None
    source_event: str | None
    quarantined: int
    state: str | None
    is_archived: int

    def assertions(self, names: Names) -> Iterator[tuple[Any, ...]]:
        """What the row says, then what confirmed it."""
        value = value_key(self.object, self.content, names.resolve(self.agent))
        confirmed = list(self._confirmations())
        own = self._own_confidence([origin for _, origin in confirmed])
        sources = self.derived_from if read_list(self.derived_from) else None
        yield self._assertion(
            value, self.id, None, self._until(), self.origin, self.trust, own, sources, self.source_event or ""
        )
        for number, (event, origin) in enumerate(confirmed, 1):
            id = str(uuid5(NAMESPACE_URL, f"karte:confirmation:{self.id}:{number}"))
            trust = min(self.trust, CLASSES[class_of(origin)].ceiling)
            yield self._assertion(value, id, self.content, None, origin, trust, own, None, event)

    def _assertion(
        self,
        value: bytes,
        id: str,
        content: str | None,
        until: str | None,
        origin: str | None,
        trust: float,
        confidence: float,
        derived_from: str | None,
        event: str,
    ) -> tuple[Any, ...]:
        return (
            self.agent,
            self.identity,
            Kind.VALUE.value,
            id,
            self.id,
            int(content is None),
            self.subject,
            self.predicate,
            self.object,
            content,
            value,
            self._start(),
            until,
            origin,
            trust,
            authority_of(origin, trust).value,
            corroborating_class(origin),
            confidence,
            derived_from,
            event,
            self._learned_at(),
            self._state(),
        )

    def _start(self) -> str:
        return _first_read(self.valid_from, self.timestamp, self.ingested_at)

    def _learned_at(self) -> str:
        return _first_read(self.ingested_at, self.created_at, self.timestamp)

    def _until(self) -> str | None:
        """The end that the writer said: not the one at which the engine let go of the row."""
        if self.superseded_by or self.valid_until is None:
            return None
        if self.state is not None and self.valid_until == self.invalidated_at:
            return None
        return read_stored(self.valid_until)

    def _state(self) -> str:
        if self.is_archived:
            return "archived"
        return self.state or ("held" if self.quarantined else "live")

    def _confirmations(self) -> Iterator[tuple[str, str | None]]:
        """The events and origins that the engine noted beside the row: a list of objects, or of events alone."""
        noted = read_object(self.metadata).get("reaffirmed_by")
        for entry in noted[-SHOWN_REAFFIRMATIONS:] if isinstance(noted, list) else ():
            event = entry.get("source_event") if isinstance(entry, dict) else entry
            origin = entry.get("origin") if isinstance(entry, dict) else None
            if isinstance(event, str):
                yield event, origin if isinstance(origin, str) else None

    def _own_confidence(self, origins: list[str | None]) -> float:
        """The writer's own confidence: that of the row without what distinct voices added to it."""
        voices = {corroborating_class(origin) for origin in (self.origin, *origins)} - {None}
        if self.confidence >= 1.0 or len(voices) < 2:
            return self.confidence
        return max(0.0, round(self.confidence - CORROBORATION_STEP * (len(voices) - 1), 12))


def _first_read(*times: str | None) -> str:
    for time in times:
        text = read_stored(time) if isinstance(time, str) else None
        if text is not None:
            return text
    return FIRST_INSTANT
