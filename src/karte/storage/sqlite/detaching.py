"""Making what survives an erasure independent of what goes.

A surviving assertion may lean on an erased row: it confirmed or ended that row while two names were one. A surviving
row may be linked to one, or be derived from it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import apsw

from karte.domain.assertions import Assertion, Kind
from karte.domain.drafts import OWN_METADATA
from karte.domain.rows import Row, support_of
from karte.domain.stored import RETRACTED_STATES, read_list, read_object, write_list
from karte.storage.sqlite.connection import Execute
from karte.storage.sqlite.fact_rows import ASSERTION, to_assertion
from karte.storage.sqlite.facts import Facts
from karte.storage.sqlite.selecting import Selection
from karte.storage.sqlite.trusts import Trusts

_GONE: Final = "(SELECT id FROM temp.gone_row)"
_SAID: Final = "(SELECT learned_order FROM temp.gone_said)"
_TOUCHED: Final = (
    "SELECT DISTINCT identity FROM memory_assertions WHERE agent_id = :agent AND state = 'live'"
    f" AND learned_order NOT IN {_SAID}"
    f" AND (identity IN (SELECT identity FROM temp.gone_said) OR row_id IN {_GONE}) ORDER BY identity"
)
_LEANING: Final = (
    f"SELECT {ASSERTION}, a.identity, a.state, a.agent_id FROM memory_assertions a WHERE a.row_id IN {_GONE}"
    f" AND a.learned_order NOT IN {_SAID} ORDER BY a.kind = 'value' DESC, a.learned_order"
)
_OWN: Final = 16
_IS_ROW: Final = (
    "SELECT EXISTS (SELECT 1 FROM memories WHERE id = :id) OR EXISTS (SELECT 1 FROM memories_archive WHERE id = :id)"
)
_SEAT: Final = "UPDATE memory_assertions SET row_id = ? WHERE learned_order = ?"
_SET_STATE: Final = "UPDATE memories SET state = ?, quarantined = ? WHERE id = ?"
_TEMPLATE: Final = (
    "SELECT tags, metadata FROM memories WHERE id = :id UNION ALL SELECT tags, metadata FROM memories_archive"
    " WHERE id = :id"
)
_COPIES: Final = tuple(
    (
        f"SELECT {key}, tags, metadata FROM {table} WHERE {where}",
        f"UPDATE {table} SET tags = ?, metadata = ? WHERE {key} = ?",
    )
    for table, key, where in (
        ("memories", "id", "assertion = ?"),
        ("memories_archive", "id", "assertion = ?"),
        ("memory_revisions", "revision", "memory_id IN (SELECT id FROM memories WHERE assertion = ?)"),
    )
)
_SAME_VALUE: Final = (
    "SELECT a.row_id, a.object, coalesce(a.content, m.content, x.content) FROM memory_assertions a"
    " LEFT JOIN memories m ON m.id = a.row_id LEFT JOIN memories_archive x ON x.id = a.row_id"
    " WHERE a.agent_id = ? AND a.identity = ? AND a.value_key = ? AND a.kind = 'value'"
    f" AND a.learned_order NOT IN {_SAID} ORDER BY a.state <> 'live', a.learned_order LIMIT 1"
)
_ANY_ROW: Final = (
    f"SELECT id FROM memories WHERE agent_id = :agent AND identity = :identity AND id NOT IN {_GONE} UNION ALL"
    f" SELECT id FROM memories_archive WHERE agent_id = :agent AND identity = :identity AND id NOT IN {_GONE} LIMIT 1"
)
_REWORD: Final = "UPDATE memory_assertions SET row_id = ?, object = ?, content = ? WHERE learned_order = ?"
_END_OF: Final = "UPDATE memory_assertions SET row_id = ? WHERE learned_order = ?"
_WORDLESS: Final = "UPDATE memory_assertions SET row_id = ?, object = NULL, content = '' WHERE learned_order = ?"
_DROP: Final = (
    "INSERT OR IGNORE INTO temp.gone_said SELECT learned_order, id, identity, source_event, learned_at"
    " FROM memory_assertions WHERE learned_order = ?"
)
_DROP_ID: Final = (
    "INSERT OR IGNORE INTO temp.gone_row SELECT id, NULL, NULL FROM memory_assertions WHERE learned_order = ?"
)
_ENDS_NAMING: Final = (
    "UPDATE memory_assertions SET object = NULL, content = '' WHERE :with_objects AND agent_id = :agent"
    f" AND kind = 'end' AND is_named(object) AND learned_order NOT IN {_SAID}"
)
UNSTAMPED: Final = (  # how a row was taken back is its own; what took over is not
    "invalidated_by_event = iif(state IS NULL, NULL, invalidated_by_event),"
    " invalidated_at = iif(state IS NULL, NULL, invalidated_at)"
)
_UNLINK: Final = tuple(
    query.format(table=table)
    for table in ("memories", "memories_archive")
    for query in (
        (
            f"UPDATE {{table}} SET superseded_by = NULL, {UNSTAMPED}"
            f" WHERE superseded_by IN {_GONE} AND id NOT IN {_GONE}"
        ),
        f"UPDATE {{table}} SET supersedes = NULL WHERE supersedes IN {_GONE} AND id NOT IN {_GONE}",
        (
            "UPDATE {table} SET metadata = json_set(metadata, '$.continues', (SELECT a.id FROM memory_assertions a"
            " WHERE a.learned_order = {table}.assertion)) WHERE is_made = 0 AND json_valid(metadata)"
            f" AND json_extract(metadata, '$.continues') IN {_GONE} AND id NOT IN {_GONE}"
        ),
    )
)
_UNSTAMP: Final = (
    "UPDATE memories SET invalidated_by_event = NULL, invalidated_at = NULL WHERE agent_id = ? AND identity = ?"
    " AND state IS NULL AND (invalidated_by_event, invalidated_at) IN (SELECT event, at FROM temp.gone_said)"
)
_LINEAGE: Final = f"SELECT memory_id, source_id FROM memory_sources WHERE memory_id IN {_GONE}"
_CITING: Final = (
    f"SELECT memory_id, source_id FROM memory_sources WHERE source_id IN {_GONE} AND memory_id NOT IN {_GONE}"
)
_SOURCE: Final = "INSERT OR IGNORE INTO memory_sources (source_id, memory_id) VALUES (?, ?)"
_CITATIONS: Final = tuple(
    (
        (
            f"SELECT {key}, derived_from FROM {table} WHERE iif(json_valid(derived_from), EXISTS"
            f" (SELECT 1 FROM json_each(derived_from) WHERE value IN {_GONE}), 0)"
        ),
        f"UPDATE {table} SET derived_from = ? WHERE {key} = ?",
    )
    for table, key in (("memories", "id"), ("memories_archive", "id"), ("memory_assertions", "learned_order"))
)


class Detaching:
    """What survives one erasure."""

    def __init__(self, connection: apsw.Connection, selection: Selection) -> None:
        self._execute: Execute = connection.execute
        self._facts = Facts(connection, Trusts(connection))
        self._selection = selection
        self._touched: tuple[str, ...] = ()

    def touched(self) -> tuple[str, ...]:
        """The facts of others whose timelines change: what else was said of them goes, or what they lean on."""
        self._touched = tuple(row[0] for row in self._execute(_TOUCHED, self._selection.values))
        return self._touched

    def detach(self, now: str, next_ordinal: Callable[[], int]) -> None:
        """Survivors stand by themselves."""
        for row in self._execute(_LEANING).fetchall():
            said = to_assertion(row[:_OWN])
            identity, state, agent = row[_OWN:]
            if said.kind is Kind.VALUE:
                self._seat(said, state, now, next_ordinal)
            else:
                self._reword(said, agent, identity)
        self._execute(_ENDS_NAMING, self._selection.values)
        for query in _UNLINK:
            self._execute(query)
        for identity in self._touched:
            self._execute(_UNSTAMP, (self._selection.extent.agent, identity))
        self._bridge()

    def _seat(self, said: Assertion, state: str, now: str, next_ordinal: Callable[[], int]) -> None:
        """An observation that confirmed an erased row gets a row of its own, with its own words."""
        if not self._execute(_IS_ROW, {"id": said.id}).get:
            own = Row(
                id=said.id,
                assertion=said,
                start=said.start,
                end=said.start,
                is_made=False,
                trust=said.trust,
                support=support_of(said, ()),
            )
            self._facts.add_computed_row(own, now=now, ordinal=next_ordinal())
            if state != "live":
                is_held = state not in RETRACTED_STATES
                self._execute(_SET_STATE, (None if is_held else state, int(is_held), said.id))
        self._execute(_SEAT, (said.id, said.order))
        template = self._execute(_TEMPLATE, {"id": said.row_id}).fetchone()
        if template:
            self._lose_copies(said.order, *template)

    def _lose_copies(self, order: int, tags: str, metadata: str) -> None:
        """Rows that the timeline made from an erased one lose its tags and metadata."""
        theirs = read_object(metadata)
        for query, write in _COPIES:
            for key, own_tags, own in self._execute(query, (order,)).fetchall():
                mine = read_object(own)
                kept = {k: v for k, v in mine.items() if k in OWN_METADATA or k not in theirs or theirs[k] != v}
                new = ("[]" if own_tags == tags else own_tags, _json(kept, own) if kept != mine else own)
                if new != (own_tags, own):
                    self._execute(write, (*new, key))

    def _reword(self, said: Assertion, agent: str, identity: str) -> None:
        """An end that was said of an erased row keeps no words of it."""
        if said.kind is Kind.VALUE_END:
            same = self._execute(_SAME_VALUE, (agent, identity, said.value)).fetchone()
            if same:
                self._execute(_REWORD, (*same, said.order))
            else:  # it ends nothing that is left
                self._execute(_DROP, (said.order,))
                self._execute(_DROP_ID, (said.order,))
            return
        row = self._execute(_ANY_ROW, {"agent": agent, "identity": identity}).get or ""
        is_single = identity.endswith("\x1f")
        self._execute(_WORDLESS if is_single else _END_OF, (row, said.order))

    def _bridge(self) -> None:
        """What was derived from something erased is now derived from what that was derived from."""
        lineage: dict[str, list[str]] = {}
        for memory, source in self._execute(_LINEAGE):
            lineage.setdefault(memory, []).append(source)
        gone = self._selection.ids()
        for memory, source in self._execute(_CITING).fetchall():
            for older in _beyond([source], lineage, gone):
                self._execute(_SOURCE, (older, memory))
        for query, write in _CITATIONS:
            for key, cited in self._execute(query).fetchall():
                sources = _beyond(read_list(cited), lineage, gone)
                self._execute(write, (write_list(tuple(sources)) if sources else None, key))


def _beyond(ids: Iterable[str], lineage: dict[str, list[str]], gone: frozenset[str]) -> Sequence[str]:
    """The ids, with the sources of an erased one in its place, over any number of steps."""
    found: dict[str, None] = {}
    seen: set[str] = set()
    waiting = list(ids)[::-1]
    while waiting:
        id = waiting.pop()
        if id in seen:
            continue
        seen.add(id)
        if id in gone:
            waiting += lineage.get(id, [])[::-1]
        else:
            found[id] = None
    return tuple(found)


def _json(value: dict[str, Any], before: str) -> str:
    return json.dumps(value, ensure_ascii=False) if value or before != "{}" else before
