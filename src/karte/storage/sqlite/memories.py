"""The rows of ``memories`` and of the archive: adding, reading, changing, putting away."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import apsw

from karte.domain.entities import value_form
from karte.domain.stored import UNCITABLE, Cited, Filters, Place, StoredMemory
from karte.domain.text import index_text, match_expression, parse_query
from karte.storage.sqlite import beliefs
from karte.storage.sqlite.connection import Execute
from karte.storage.sqlite.indexing import searchable_text
from karte.storage.sqlite.mapping import (
    ARCHIVED_COLUMNS,
    COLUMNS,
    INSERT,
    MEMORY_COLUMNS,
    from_row,
    to_row,
)
from karte.storage.sqlite.trusts import Trusts
from karte.storage.sqlite.turns import Spoken, Turns

_INDEX: Final = "INSERT INTO memory_index (rowid, text) VALUES (?, ?)"
_UNINDEX: Final = "DELETE FROM memory_index WHERE rowid = ?"
_SOURCE: Final = "INSERT OR IGNORE INTO memory_sources (source_id, memory_id) VALUES (?, ?)"
# The plus keeps the planner from walking an agent's rows where it can look an id up.
_GET: Final = f"SELECT {MEMORY_COLUMNS} FROM memories m WHERE m.id = ? AND +m.agent_id = ?"
_GET_ARCHIVED: Final = f"SELECT {ARCHIVED_COLUMNS} FROM memories_archive m WHERE m.id = ? AND +m.agent_id = ?"
_GET_MANY: Final = (
    f"SELECT {MEMORY_COLUMNS} FROM memories m WHERE m.id IN (SELECT value FROM json_each(?)) AND +m.agent_id = ?"
)
_IS_TAKEN: Final = (
    "SELECT EXISTS (SELECT 1 FROM memories WHERE id = :id) OR EXISTS (SELECT 1 FROM memories_archive WHERE id = :id)"
)
_CITED: Final = (
    "SELECT m.id, iif(m.state IS NULL, m.origin_trust, 0.0),"
    " coalesce(a.origin_trust, m.claimed_trust, m.origin_trust) FROM memories m"
    " LEFT JOIN memory_assertions a ON a.learned_order = m.assertion"
    " WHERE m.id IN (SELECT value FROM json_each(?)) AND +m.agent_id = ? AND m.quarantined = 0"
    " AND m.state IS NOT 'rejected'"
)
_HOLD: Final = "UPDATE memories SET quarantined = 1 WHERE id = ?"
_RELEASE: Final = "UPDATE memories SET quarantined = 0 WHERE id = ?"
_IS_LIVE: Final = "SELECT 1 FROM memories WHERE id = ? AND quarantined = 0 AND state IS NULL"
_IS_HELD: Final = "SELECT 1 FROM memories WHERE id = ? AND quarantined = 1 AND state IS NULL"
_OF_ORIGIN: Final = (
    "SELECT {columns} FROM {table} m WHERE m.agent_id = ? AND m.origin = ? AND m.assertion IS NULL"
    " AND coalesce(m.ingested_at, m.created_at, m.timestamp) >= ? ORDER BY m.ordinal"
)
_OF_ORIGIN_LIVE: Final = _OF_ORIGIN.format(columns=MEMORY_COLUMNS, table="memories")
_OF_ORIGIN_ARCHIVED: Final = _OF_ORIGIN.format(columns=ARCHIVED_COLUMNS, table="memories_archive")
_RETRACTABLE: Final = ("valid_until", "invalidated_by_event", "invalidated_at", "quarantined", "state")
_BELIEF: Final = (
    f"SELECT {', '.join(_RETRACTABLE)} FROM memories WHERE id = :id UNION ALL"
    f" SELECT {', '.join(_RETRACTABLE)} FROM memories_archive WHERE id = :id"
)
_IN_NO_CHAIN: Final = ", ".join(
    f"{link} = iif(:quarantined, NULL, {link})" for link in ("superseded_by", "supersedes")
)  # a held row names no other, which may be put away or erased while it waits
_GIVE_BACK: Final = f"SET {', '.join(f'{name} = :{name}' for name in _RETRACTABLE)}, {_IN_NO_CHAIN} WHERE id = :id"
_UNCUT: Final = "UPDATE memories SET origin_trust = claimed_trust, claimed_trust = NULL WHERE id = ?"
_TOUCH: Final = (
    "UPDATE memories SET access_count = access_count + 1, last_accessed = ?"
    " WHERE id IN (SELECT value FROM json_each(?))"
)
_COUNT: Final = "UPDATE memories SET access_count = access_count + 1 WHERE id = ?"
_SAME_WORDS: Final = (
    f"SELECT {MEMORY_COLUMNS} FROM memory_index f CROSS JOIN memories m ON m.ordinal = f.rowid"
    " WHERE f.memory_index MATCH :match AND m.agent_id = :agent AND m.identity IS NULL"
    " AND m.quarantined = 0 AND m.state IS NULL AND m.origin = :origin ORDER BY f.rank LIMIT 50"
)
_UPDATE: Final = "UPDATE memories SET content = ?, tags = ?, importance = ?, metadata = ? WHERE id = ?"
_FORGET_VECTOR: Final = "UPDATE memories SET embedding = NULL, embedding_model = NULL WHERE id = ?"
_ROWS_OF_ASSERTION: Final = f"SELECT {MEMORY_COLUMNS} FROM memories m WHERE m.assertion = ?"
_ARCHIVED_OF_ASSERTION: Final = f"SELECT {ARCHIVED_COLUMNS} FROM memories_archive m WHERE m.assertion = ?"
_ARCHIVE: Final = (
    f"INSERT INTO memories_archive ({COLUMNS}, archived_at, archive_reason)"
    f" SELECT {COLUMNS}, ?, ? FROM memories WHERE id = ?"
)
_DELETE: Final = "DELETE FROM memories WHERE id = ?"
_RESTORE: Final = f"INSERT INTO memories ({COLUMNS}) SELECT {COLUMNS} FROM memories_archive WHERE id = ?"
_DELETE_ARCHIVED: Final = "DELETE FROM memories_archive WHERE id = ?"
_TABLES: Final = (("memories", beliefs.KEEP), ("memories_archive", beliefs.KEEP_ARCHIVED))
_RETRACT: Final = (
    "SET state = :state, invalidated_by_event = :event, invalidated_at = :now,"
    " valid_until = iif(valid_until IS NULL OR valid_until > max(coalesce(valid_from, timestamp),"
    " :now), max(coalesce(valid_from, timestamp), :now), valid_until) WHERE id = :id"
)
_REVIVE: Final = "UPDATE memories SET state = NULL WHERE id = ?"
_CUT: Final = (
    "UPDATE memories SET claimed_trust = coalesce(claimed_trust, origin_trust),"
    " origin_trust = min(origin_trust, ?) WHERE id = ?"
)
_SIBLINGS: Final = (  # a continuation shows the same assertion as its original
    "SELECT o.id FROM {rec} d JOIN memories m ON m.id = d.id JOIN memories o ON o.assertion = m.assertion"
)
_DERIVED: Final = (
    "WITH RECURSIVE derived(id) AS (SELECT value FROM json_each(?) UNION"
    " SELECT s.memory_id FROM memory_sources s JOIN derived d ON s.source_id = d.id"
    f" UNION {_SIBLINGS.format(rec='derived')})"
    " SELECT id FROM derived"
)
_IS_WITHDRAWN_SOURCE: Final = (
    "WITH RECURSIVE source(id) AS (SELECT value FROM json_each(:ids) UNION"
    " SELECT s.source_id FROM memory_sources s JOIN source d ON s.memory_id = d.id"
    f" UNION {_SIBLINGS.format(rec='source')})"
    " SELECT EXISTS (SELECT 1 FROM source CROSS JOIN memories m ON m.id = source.id"
    " WHERE m.agent_id = :agent AND m.state IS NOT NULL) OR EXISTS (SELECT 1 FROM source"
    " CROSS JOIN memories_archive x ON x.id = source.id WHERE x.agent_id = :agent AND x.state IS NOT NULL)"
)
_ANCESTORS: Final = (
    "WITH RECURSIVE source(id) AS (SELECT value FROM json_each(?) UNION"
    " SELECT s.source_id FROM memory_sources s JOIN source d ON s.memory_id = d.id"
    f" UNION {_SIBLINGS.format(rec='source')})"
    " SELECT id FROM source"
)

LIVE: Final = "m.quarantined = 0 AND m.state IS NULL"
HOLDS_NOW: Final = (
    "(m.valid_from IS NULL OR m.valid_from <= :valid_at) AND (m.valid_until IS NULL OR m.valid_until > :valid_at)"
)
HOLDS_AT: Final = (
    "coalesce(m.valid_from, m.timestamp) <= :valid_at AND (m.valid_until IS NULL OR m.valid_until > :valid_at)"
)
SHOWN: Final = "(m.is_made = 1 OR m.valid_until IS NULL OR m.valid_until > m.valid_from)"
_HAS_TAGS: Final = (
    "CASE WHEN json_valid(m.tags) THEN NOT EXISTS (SELECT 1 FROM json_each(:tags) t WHERE t.value"
    " NOT IN (SELECT value FROM json_each(m.tags))) ELSE 0 END"
)
_BEFORE: Final = "(m.timestamp, m.ordinal) < (:before, :before_ordinal)"
_NEWEST: Final = "ORDER BY m.timestamp DESC, m.ordinal DESC LIMIT :limit"


def conditions(filters: Filters) -> list[str]:
    """What ``filters`` ask of a row ``m``; its values are bound by ``bindings``."""
    wanted = ["m.agent_id = :agent", LIVE, SHOWN]
    if not filters.include_historical:
        wanted.append(HOLDS_NOW if filters.is_now else HOLDS_AT)
    if filters.layer is not None:
        wanted.append("m.layer = :layer")
    if filters.tags:
        wanted.append(_HAS_TAGS)
    if filters.min_trust > 0.0:
        wanted.append("m.origin_trust >= :min_trust")
    return wanted


def bindings(filters: Filters) -> dict[str, Any]:
    """The values that ``conditions`` bind."""
    return {
        "agent": filters.agent_id,
        "valid_at": filters.valid_at,
        "known_at": filters.known_at,
        "layer": filters.layer,
        "tags": json.dumps(list(filters.tags)),
        "min_trust": filters.min_trust,
    }


class Memories:
    """The memories of one file."""

    def __init__(self, connection: apsw.Connection, trusts: Trusts) -> None:
        self._execute: Execute = connection.execute
        self._trusts = trusts
        self._turns = Turns(connection)

    def add(self, memory: StoredMemory) -> None:
        """Adds a row, its text to the index, and its sources."""
        if memory.assertion is None:
            self._trusts.allow(memory.agent_id, memory.origin)
        self._execute(INSERT, to_row(memory))
        text = searchable_text(memory.content, memory.subject, memory.predicate, memory.object)
        self._execute(_INDEX, (memory.ordinal, index_text(text)))
        self._turns.keep(Spoken.of(memory))
        if memory.derived_from_json is not None:
            self.add_sources(memory.id, memory.derived_from)

    def add_sources(self, memory_id: str, sources: Sequence[str]) -> None:
        """Keeps what a memory was derived from, so that both ways can be walked."""
        for source in sources:
            self._execute(_SOURCE, (source, memory_id))

    def is_taken(self, id: str) -> bool:
        """Whether an identifier is in use, by anybody."""
        return bool(self._execute(_IS_TAKEN, {"id": id}).get)

    def get(self, agent: str, id: str) -> StoredMemory | None:
        """One memory of the agent."""
        row = self._execute(_GET, (id, agent)).fetchone()
        return from_row(row) if row else None

    def get_archived(self, agent: str, id: str) -> StoredMemory | None:
        """One archived memory of the agent."""
        row = self._execute(_GET_ARCHIVED, (id, agent)).fetchone()
        return from_row(row) if row else None

    def words_of(self, agent: str, id: str) -> StoredMemory:
        """A row that is known to be there, in the archive if need be."""
        stored = self.get(agent, id) or self.get_archived(agent, id)
        if stored is None:
            raise LookupError(f"no row {id!r} of {agent!r}")
        return stored

    def same_text(self, agent: str, content: str, origin: str) -> StoredMemory | None:
        """The newest plain memory of this origin with this text, Unicode form and outer white space aside.

        Another origin's word stands by itself, so that taking one back leaves the other.
        """
        form = value_form(content)
        expression = match_expression(parse_query(content))
        if expression is None:
            return None
        found = self._execute(_SAME_WORDS, {"match": expression, "agent": agent, "origin": origin})
        for row in found.fetchall():
            if value_form(row[2]) == form:
                return from_row(row)
        return None

    def get_many(self, agent: str, ids: Sequence[str]) -> dict[str, StoredMemory]:
        """Those of the memories that are the agent's, in one query."""
        rows = self._execute(_GET_MANY, (json.dumps(ids), agent))
        return {row[0]: from_row(row) for row in rows}

    def cited(self, agent: str, ids: Sequence[str]) -> list[Cited]:
        """How far each cited memory is trusted; not at all, where it cannot be cited."""
        found = {row[0]: Cited(row[1], row[2]) for row in self._execute(_CITED, (json.dumps(ids), agent))}
        return [found.get(id, UNCITABLE) for id in ids]

    def newest(self, filters: Filters, limit: int, after: Place | None) -> list[StoredMemory]:
        """The newest memories that pass the filters, from a place on."""
        place = {
            "limit": limit,
            "before": after.timestamp if after else None,
            "before_ordinal": after.ordinal if after else None,
        }
        wanted = conditions(filters) + ([_BEFORE] if after else [])
        query = f"SELECT {MEMORY_COLUMNS} FROM memories m WHERE {' AND '.join(wanted)} {_NEWEST}"
        return [from_row(row) for row in self._execute(query, bindings(filters) | place)]

    def count(self, filters: Filters) -> int:
        """How many memories pass the filters."""
        query = f"SELECT count(*) FROM memories m WHERE {' AND '.join(conditions(filters))}"
        return int(self._execute(query, bindings(filters)).get)

    def known(self, filters: Filters, candidates: str = beliefs.OWNED) -> Iterator[StoredMemory]:
        """The memories that pass the filters as they were believed at ``known_at``."""
        query = beliefs.known_rows(candidates)
        for row in self._execute(query, bindings(filters)).fetchall():
            memory = from_row(row)
            if passes(memory, filters):
                yield memory

    def known_by_id(self, agent: str, id: str, known_at: str) -> StoredMemory | None:
        """One memory as it was believed."""
        query = beliefs.known_rows("m.id = :id")
        row = self._execute(query, {"id": id, "known_at": known_at}).fetchone()
        memory = from_row(row) if row else None
        return memory if memory is not None and memory.agent_id == agent else None

    def count_access(self, id: str) -> None:
        """Counts a memory as confirmed once more."""
        self._execute(_COUNT, (id,))

    def touch(self, ids: Sequence[str], now: str) -> None:
        """Counts memories as accessed."""
        self._execute(_TOUCH, (now, json.dumps(list(ids))))

    def update(self, memory: StoredMemory, *, now: str, is_reworded: bool) -> None:
        """Writes content, tags, importance and metadata, after keeping what they were."""
        keep = beliefs.KEEP_WITH_CONTENT if is_reworded else beliefs.KEEP
        self._keep(keep, memory.id, now, "update", "")
        self._execute(
            _UPDATE,
            (memory.content, memory.tags_json, memory.importance, memory.metadata_json, memory.id),
        )
        if is_reworded:
            text = searchable_text(memory.content, memory.subject, memory.predicate, memory.object)
            self._execute(_UNINDEX, (memory.ordinal,))
            self._execute(_INDEX, (memory.ordinal, index_text(text)))
            self._execute(_FORGET_VECTOR, (memory.id,))
        self._turns.keep(Spoken.of(memory), is_new=False)

    def rows_of(self, assertion: int) -> list[StoredMemory]:
        """The rows that show an assertion: its own, and its continuations."""
        return [from_row(row) for row in self._execute(_ROWS_OF_ASSERTION, (assertion,))]

    def archived_rows_of(self, assertion: int) -> list[StoredMemory]:
        """The same, in the archive."""
        rows = self._execute(_ARCHIVED_OF_ASSERTION, (assertion,))
        return [from_row(row) for row in rows]

    def archive(self, memory: StoredMemory, *, now: str, reason: str, operation: str = "forget") -> None:
        """Moves a row to the archive with every column, and out of the index."""
        self._keep(beliefs.KEEP, memory.id, now, operation, "")
        self._execute(_ARCHIVE, (now, reason, memory.id))
        self._execute(_DELETE, (memory.id,))
        self._execute(_UNINDEX, (memory.ordinal,))

    def restore(self, memory: StoredMemory, *, now: str) -> None:
        """Brings a row back from the archive, as it was."""
        self._keep(beliefs.KEEP_ARCHIVED, memory.id, now, "restore", "")
        self._execute(_RESTORE, (memory.id,))
        self._execute(_DELETE_ARCHIVED, (memory.id,))
        text = searchable_text(memory.content, memory.subject, memory.predicate, memory.object)
        self._execute(_INDEX, (memory.ordinal, index_text(text)))
        self._turns.keep(Spoken.of(memory))

    def retract(self, id: str, *, now: str, state: str, event: str) -> None:
        """Marks a row as taken back; it ends now if it had not ended before."""
        for table, keep in _TABLES:
            if self._execute(f"SELECT 1 FROM {table} WHERE id = ?", (id,)).get is not None:
                self._keep(keep, id, now, "retract", event)
                values = {"state": state, "event": event, "now": now, "id": id}
                self._execute(f"UPDATE {table} {_RETRACT}", values)
                return

    def cut_trust(self, id: str, most: float, *, now: str) -> None:
        """Lowers the trust of a row derived from one that was taken back."""
        self._keep(beliefs.KEEP, id, now, "cut", "")
        self._execute(_CUT, (most, id))

    def uncut_trust(self, id: str, *, now: str) -> None:
        """Gives a row the trust back that it had before it was cut."""
        self._keep(beliefs.KEEP, id, now, "uncut", "")
        self._execute(_UNCUT, (id,))

    def hold(self, id: str, *, now: str) -> bool:
        """Takes a live row out of everybody's sight until a decision; False if it was not live."""
        return self._change_if(_IS_LIVE, _HOLD, id, now, "hold")

    def release(self, id: str, *, now: str) -> bool:
        """Lets a held row be seen; False if it was not held."""
        return self._change_if(_IS_HELD, _RELEASE, id, now, "release")

    def _change_if(self, condition: str, change: str, id: str, now: str, operation: str) -> bool:
        if self._execute(condition, (id,)).get is None:
            return False
        self._keep(beliefs.KEEP, id, now, operation, "")
        self._execute(change, (id,))
        return True

    def is_held(self, ids: Sequence[str]) -> bool:
        """Whether any of the rows waits for a decision."""
        return any(self._execute(_IS_HELD, (id,)).get is not None for id in ids)

    def of_origin(self, agent: str, origin: str, since: str) -> list[StoredMemory]:
        """The plain memories of exactly this origin, the archive's too, ingested at or after an instant."""
        found = [self._execute(query, (agent, origin, since)) for query in (_OF_ORIGIN_LIVE, _OF_ORIGIN_ARCHIVED)]
        return [from_row(row) for rows in found for row in rows.fetchall()]

    def belief_of(self, id: str) -> dict[str, Any]:
        """The columns that taking a row back changes."""
        return dict(zip(_RETRACTABLE, self._execute(_BELIEF, {"id": id}).fetchone(), strict=True))

    def give_back(self, id: str, before: Mapping[str, Any], *, now: str) -> bool:
        """Writes those columns as they were; False where the row is gone."""
        for table, keep in _TABLES:
            if self._execute(f"SELECT 1 FROM {table} WHERE id = ?", (id,)).get is not None:
                self._keep(keep, id, now, "undo", "")
                self._execute(f"UPDATE {table} {_GIVE_BACK}", {**before, "id": id})
                return True
        return False

    def derived_from(self, ids: Sequence[str]) -> list[str]:
        """The memories derived from these over any number of steps, themselves left out."""
        roots = set(ids)
        found = self._execute(_DERIVED, (json.dumps(list(ids)),))
        return [row[0] for row in found if row[0] not in roots]

    def is_from_withdrawn(self, agent: str, ids: Sequence[str]) -> bool:
        """Whether any of these, or what they were derived from over any number of steps, was taken back."""
        return bool(self._execute(_IS_WITHDRAWN_SOURCE, {"ids": json.dumps(list(ids)), "agent": agent}).get)

    def ancestors(self, ids: Sequence[str]) -> set[str]:
        """These memories and all that they were derived from over any number of steps."""
        return {row[0] for row in self._execute(_ANCESTORS, (json.dumps(list(ids)),))}

    def _keep(self, query: str, id: str, now: str, operation: str, event: str) -> None:
        self._execute(query, {"now": now, "operation": operation, "event": event, "id": id})


def passes(memory: StoredMemory, filters: Filters) -> bool:
    """Whether a memory (as it was believed) passes the filters."""
    is_shown = memory.is_made or memory.starts_at < memory.ends_at
    if memory.agent_id != filters.agent_id or not memory.is_live or not is_shown:
        return False
    at = None if filters.include_historical else filters.valid_at
    if at is not None and not memory.holds_at(at, is_now=filters.is_now):
        return False
    if filters.layer is not None and memory.layer != filters.layer:
        return False
    if memory.origin_trust < filters.min_trust:
        return False
    return set(filters.tags) <= set(memory.tags)
