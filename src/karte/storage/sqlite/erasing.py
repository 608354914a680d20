"""Deleting all that belongs to an extent, and looking afterwards whether anything of it is left.

What survives and leans on what goes is first made to stand by itself (``detaching.py``).
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any, Final

import apsw

from karte.domain.erasure import Extent
from karte.storage.sqlite.connection import Execute
from karte.storage.sqlite.coverage import COVERAGE, INHERITED, Coverage
from karte.storage.sqlite.detaching import Detaching
from karte.storage.sqlite.scrubbing import Scrubbing
from karte.storage.sqlite.selecting import Selection, selected

_GONE: Final = "(SELECT id FROM temp.gone_row)"
_TABLES: Final = "SELECT name FROM sqlite_schema WHERE type = 'table'"
_IS_THERE: Final = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?)"
_UNINDEX: Final = f"DELETE FROM memory_index WHERE rowid IN (SELECT ordinal FROM memories WHERE id IN {_GONE})"
_UNINDEX_PAGES: Final = "DELETE FROM page_index WHERE rowid IN (SELECT ordinal FROM pages WHERE {})"
_MENTIONS: Final = (
    "SELECT (SELECT count(*) FROM memories WHERE {0}) + (SELECT count(*) FROM memories_archive WHERE {0})".format(
        f"agent_id = :agent AND is_made = 1 AND is_named(object) AND id NOT IN {_GONE}"
    )
)
_DERIVED: Final = (
    f"SELECT DISTINCT memory_id FROM memory_sources WHERE source_id IN {_GONE} AND memory_id NOT IN {_GONE} ORDER BY 1"
)
_OURS: Final = "-".join("[0-9a-f]" * width for width in (8, 4, 4, 4, 12))
_ID_OF_ITEM: Final = (
    "coalesce(memory_id, (SELECT s.id FROM temp.gone_said s WHERE s.learned_order = operation_items.learned_order))"
)
_NAME_ONLY: Final = (
    f"UPDATE operation_items SET memory_id = {_ID_OF_ITEM}, kind = 'memory', learned_order = NULL, name = NULL,"
    f" before = '{{{{}}}}' WHERE ({{of_subject}}) AND {_ID_OF_ITEM} GLOB '{_OURS}'"
)
_NEXT_EXPIRY: Final = (
    "UPDATE karte_state SET next_expiry = coalesce((SELECT min(expires_at) FROM approvals"
    " WHERE state = 'pending'), '~') WHERE id = 1"
)
_ORDER: Final = (  # what conditions of others look at goes last
    *("approvals", "approval_items", "operation_items", "operations", "guard_attempts", "events", "agent_trust"),
    *("memory_sources", "memory_revisions", "name_revisions", "entity_alias", "predicate_cardinality"),
    *("entity_embedding", "erased_content", "memory_assertions", "memories_archive", "memories", "graph_changes"),
    *("mistakes", "rule_life", "metacognition", "page_sources", "page_proposals", "pages"),
)
_DANGLING: Final = {
    "memories.superseded_by": f"memories WHERE superseded_by IN {_GONE}",
    "memories.supersedes": f"memories WHERE supersedes IN {_GONE}",
    "memories_archive.superseded_by": f"memories_archive WHERE superseded_by IN {_GONE}",
    "memories_archive.supersedes": f"memories_archive WHERE supersedes IN {_GONE}",
    "memory_assertions.row_id": f"memory_assertions WHERE row_id IN {_GONE}",
    "memory_assertions.identity": "memory_assertions WHERE agent_id = :agent AND is_identity_named(identity)",
    "memories.identity": "memories WHERE agent_id = :agent AND is_identity_named(identity)",
    "memories_archive.identity": "memories_archive WHERE agent_id = :agent AND is_identity_named(identity)",
    "memory_revisions.identity": "memory_revisions WHERE agent_id = :agent AND is_identity_named(identity)",
    "memory_revisions.superseded_by": f"memory_revisions WHERE superseded_by IN {_GONE} OR supersedes IN {_GONE}",
    "memory_index": "memory_index_docsize WHERE id NOT IN (SELECT ordinal FROM memories WHERE ordinal IS NOT NULL)",
}
_SECURE: Final = "PRAGMA secure_delete"


class Erasing:
    """Erasing in one file."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    @contextlib.contextmanager
    def of(self, extent: Extent, *, keeps_stops: bool = False) -> Iterator[Removal]:
        """The removal of an extent, in the running transaction; freed bytes are overwritten."""
        before = self._connection.execute(_SECURE).get
        self._connection.execute(f"{_SECURE} = ON")
        try:
            with selected(self._connection, extent) as selection:
                yield Removal(self._connection, selection, keeps_stops=keeps_stops)
        finally:
            self._connection.execute(f"{_SECURE} = {'ON' if before == 1 else 'OFF'}")


class Removal:
    """The steps of one erasure."""

    def __init__(self, connection: apsw.Connection, selection: Selection, *, keeps_stops: bool) -> None:
        self._execute: Execute = connection.execute
        self._selection = selection
        self._keeps_stops = keeps_stops
        self._values: dict[str, Any] = selection.values
        self._detaching = Detaching(connection, selection)
        self._scrubbing = Scrubbing(connection, selection)
        self.mentions = 0 if selection.is_whole else int(self._execute(_MENTIONS, self._values).get)
        self.derived: tuple[str, ...] = tuple(row[0] for row in self._execute(_DERIVED))
        self.touched: tuple[str, ...] = self._detaching.touched()
        self.contents: tuple[str, ...] = tuple(selection.contents())

    def detach(self, now: str, next_ordinal: Callable[[], int]) -> None:
        """What stays no longer leans on what goes."""
        self._detaching.detach(now, next_ordinal)

    def count(self) -> dict[str, int]:
        """The rows to go, by table."""
        return {name: count for name, where in self._conditions() if (count := self._count(f"{name} WHERE {where}"))}

    def delete(self) -> None:
        """Deletes them; doing so again deletes what came to be meanwhile."""
        self._scrubbing.note()
        self._execute(_UNINDEX)
        for name, where in self._conditions():
            if name == "operation_items" and not self._selection.is_whole:
                self._execute(_NAME_ONLY.format(of_subject=where), self._values)
            if name == "pages":
                self._execute(_UNINDEX_PAGES.format(where), self._values)
            self._execute(f"DELETE FROM {name} WHERE {where}", self._values)
        self._execute(_NEXT_EXPIRY)

    def scrub(self) -> None:
        """What stays no longer quotes what is gone."""
        self._scrubbing.scrub()

    def leftovers(self) -> dict[str, int]:
        """The rows, and links to them, that are still there: none, if all went well."""
        asked = {name: f"{name} WHERE {where}" for name, where in self._conditions()} | _DANGLING
        if self._selection.is_whole:
            asked |= {name: f"{name} WHERE agent_id = :agent" for name in ("memories", "memories_archive")}
        return {name: count for name, query in asked.items() if (count := self._count(query))}

    def unexamined(self) -> tuple[str, ...]:
        """Tables of other programs, which erasing leaves alone."""
        known = {*COVERAGE, *INHERITED}
        inner = tuple(f"{name}_" for name in INHERITED if name.endswith("_fts"))
        names = (row[0] for row in self._execute(_TABLES))
        return tuple(sorted(name for name in names if name not in known and not name.startswith(inner)))

    def _count(self, query: str) -> int:
        return int(self._execute(f"SELECT count(*) FROM {query}", self._values).get)

    def _conditions(self) -> Iterator[tuple[str, str]]:
        for name, coverage in (*self._inherited(), *((name, COVERAGE[name]) for name in _ORDER)):
            where = coverage.erased(whole=self._selection.is_whole)
            if where is not None and not (name == "erased_content" and self._keeps_stops):
                yield name, where

    def _inherited(self) -> Iterator[tuple[str, Coverage]]:
        for name, coverage in INHERITED.items():
            if self._execute(_IS_THERE, (name,)).get:
                yield name, coverage
