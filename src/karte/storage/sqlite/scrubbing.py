"""Taking out of what survives an erasure whatever it quotes of what is gone, in revisions, requests and events."""

from __future__ import annotations

import json
from typing import Any, Final

import apsw

from karte.domain.erasure import Erased
from karte.storage.sqlite.connection import Execute
from karte.storage.sqlite.detaching import UNSTAMPED
from karte.storage.sqlite.selecting import Selection

_GONE: Final = "(SELECT id FROM temp.gone_row)"
_SAID: Final = "(SELECT learned_order FROM temp.gone_said)"
_ITEMS: Final = f"WHERE memory_id IN {_GONE} OR learned_order IN {_SAID}"
_REQUESTS: Final = f"SELECT DISTINCT approval_id FROM approval_items {_ITEMS}"
_OPERATIONS: Final = f"SELECT DISTINCT operation_id FROM operation_items {_ITEMS}"
_REQUEST: Final = (
    "SELECT payload, (SELECT count(*) FROM approval_items WHERE approval_id = approvals.id) FROM approvals WHERE id = ?"
)
_REWORD: Final = "UPDATE approvals SET summary = ?, payload = ? WHERE id = ?"
_SILENCE: Final = (
    "UPDATE operations SET event = '' WHERE id = ? AND NOT EXISTS"
    " (SELECT 1 FROM operation_items WHERE operation_id = operations.id"
    f" AND (memory_id IS NULL OR memory_id NOT IN {_GONE}))"
)
_EVENTS: Final = "SELECT sequence, data FROM events WHERE agent_id = :agent AND data <> '{}'"
_SET_DATA: Final = "UPDATE events SET data = ? WHERE sequence = ?"
_REVISIONS: Final = (
    f"UPDATE memory_revisions SET superseded_by = NULL, {UNSTAMPED} WHERE superseded_by IN {_GONE}",
    f"UPDATE memory_revisions SET supersedes = NULL WHERE supersedes IN {_GONE}",
    (
        "UPDATE memory_revisions SET identity = coalesce((SELECT m.identity FROM memories m WHERE m.id = memory_id),"
        " (SELECT x.identity FROM memories_archive x WHERE x.id = memory_id))"
        " WHERE agent_id = :agent AND is_identity_named(identity)"
    ),
)
_PAIRS: Final = (
    "SELECT event, at FROM temp.gone_said WHERE event <> '' EXCEPT"
    " SELECT source_event, learned_at FROM memory_assertions WHERE agent_id = :agent"
    f" AND learned_order NOT IN {_SAID}"
)
_NAMELESS: Final = "UPDATE memory_revisions SET event = '' WHERE agent_id = ? AND event = ? AND changed_at = ?"
_QUOTING: Final = tuple(
    (
        (
            f"SELECT {key}, metadata FROM {table} WHERE agent_id = :agent AND json_valid(metadata)"
            " AND (json_type(metadata, '$.reaffirmed_by') = 'array' OR json_type(metadata, '$.continues') = 'text')"
        ),
        f"UPDATE {table} SET metadata = ? WHERE {key} = ?",
        (
            f"UPDATE {table} SET invalidated_by_event = NULL, invalidated_at = NULL WHERE agent_id = ?"
            " AND state IS NULL AND invalidated_by_event = ? AND invalidated_at = ?"
        ),
    )
    for table, key in (("memories", "id"), ("memories_archive", "id"), ("memory_revisions", "revision"))
)


class Scrubbing:
    """The quotations of one erasure."""

    def __init__(self, connection: apsw.Connection, selection: Selection) -> None:
        self._execute: Execute = connection.execute
        self._selection = selection
        self._requests: set[str] = set()
        self._operations: set[str] = set()

    def note(self) -> None:
        """To be called before rows go: which requests and operations are about some of them."""
        self._requests |= {row[0] for row in self._execute(_REQUESTS)}
        self._operations |= {row[0] for row in self._execute(_OPERATIONS)}

    def scrub(self) -> None:
        """To be called after rows have gone and timelines are settled."""
        for query in _REVISIONS:
            self._execute(query, self._selection.values)
        if self._selection.is_whole:
            return
        gone = Erased(self._selection.ids(), frozenset(self._selection.contents()), self._selection.extent)
        self._scrub_quotations(gone)
        for id in sorted(self._requests):
            self._scrub_request(id, gone)
        for id in sorted(self._operations):
            self._execute(_SILENCE, (id,))
        for sequence, data in self._execute(_EVENTS, self._selection.values).fetchall():
            found = _read(data)
            kept = gone.scrubbed(found)
            if kept != found:
                self._execute(_SET_DATA, (_write(kept), sequence))

    def _scrub_quotations(self, gone: Erased) -> None:
        """Survivors that were confirmed or ended by what is gone, while two names were one, no longer say so."""
        agent = self._selection.extent.agent
        pairs = set(self._execute(_PAIRS, self._selection.values).fetchall())
        for event, at in sorted(pairs):
            self._execute(_NAMELESS, (agent, event, at))
        for query, write, unstamp in _QUOTING:
            for key, metadata in self._execute(query, self._selection.values).fetchall():
                found = _read(metadata)
                kept = _unquoted(found, pairs, gone)
                if kept != found:
                    self._execute(write, (_write(kept), key))
            for event, at in sorted(pairs):
                self._execute(unstamp, (agent, event, at))

    def _scrub_request(self, id: str, gone: Erased) -> None:
        found = self._execute(_REQUEST, (id,)).fetchone()
        if found:
            payload, left = found
            self._execute(_REWORD, (f"{left} left; the others were erased", _write(gone.scrubbed(_read(payload))), id))


def _unquoted(metadata: Any, pairs: set[Any], gone: Erased) -> Any:
    if not isinstance(metadata, dict):
        return metadata
    kept = dict(metadata)
    said = kept.get("reaffirmed_by")
    if isinstance(said, list):
        kept["reaffirmed_by"] = [one for one in said if not (isinstance(one, dict) and _pair(one) in pairs)]
        if said and not kept["reaffirmed_by"]:
            del kept["reaffirmed_by"]
    if kept.get("continues") in gone.ids:
        del kept["continues"]
    return kept


def _pair(one: dict[str, Any]) -> tuple[Any, Any]:
    event, at = one.get("source_event"), one.get("at")
    return (event, at) if isinstance(event, str) and isinstance(at, str) else (None, None)


def _read(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _write(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
