"""Which memories and assertions an extent means, as two temporary tables that conditions can use.

Everything else that belongs to the extent hangs on these two, or names the subject itself (``coverage.py``).
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any, Final

import apsw

from karte.domain.entities import normalise
from karte.domain.erasure import Extent
from karte.storage.sqlite.connection import Execute

_TABLES: Final = (
    "CREATE TEMP TABLE gone_row (id TEXT PRIMARY KEY, ordinal INTEGER, content TEXT) WITHOUT ROWID",
    "CREATE TEMP TABLE gone_said (learned_order INTEGER PRIMARY KEY, id TEXT, identity TEXT, event TEXT, at TEXT)",
)
_DROP: Final = ("DROP TABLE IF EXISTS temp.gone_row", "DROP TABLE IF EXISTS temp.gone_said")
_ROW: Final = "INSERT OR IGNORE INTO temp.gone_row SELECT id, ordinal, content FROM {table} WHERE"
_ROWS: Final = (_ROW.format(table="memories"), _ROW.format(table="memories_archive"))
_SAID: Final = (
    "INSERT OR IGNORE INTO temp.gone_said SELECT learned_order, id, identity, source_event, learned_at"
    " FROM memory_assertions WHERE"
)
_OF_AGENT: Final = "agent_id = :agent"
_ABOUT: Final = "agent_id = :agent AND (is_named(subject) OR (:with_objects AND is_named(object)))"
_SAID_ABOUT: Final = (
    "agent_id = :agent AND (is_named(subject) OR (:with_objects AND is_named(object) AND kind <> 'end'))"
)
_SAID_OF_ROWS: Final = "makes_row = 1 AND id IN (SELECT id FROM temp.gone_row)"
_ENDS_OF_NOTHING: Final = (  # ends of a value's own timeline, of which everything else goes
    "agent_id = :agent AND kind = 'end' AND :with_objects AND is_named(object) AND NOT EXISTS"
    " (SELECT 1 FROM memory_assertions o WHERE o.agent_id = memory_assertions.agent_id"
    " AND o.identity = memory_assertions.identity AND o.kind = 'value'"
    " AND o.learned_order NOT IN (SELECT learned_order FROM temp.gone_said))"
)
_ROWS_OF_SAID: Final = "assertion IN (SELECT learned_order FROM temp.gone_said)"
_IDS_OF_SAID: Final = "INSERT OR IGNORE INTO temp.gone_row SELECT s.id, NULL, NULL FROM temp.gone_said s"
_CONTENTS: Final = (
    "SELECT content FROM temp.gone_row WHERE content IS NOT NULL UNION SELECT content FROM memory_assertions"
    " WHERE content IS NOT NULL AND content <> '' AND learned_order IN (SELECT learned_order FROM temp.gone_said)"
)
_IDS: Final = "SELECT id FROM temp.gone_row"


class Selection:
    """An extent that is selected in the running transaction."""

    def __init__(self, connection: apsw.Connection, extent: Extent) -> None:
        self.extent = extent
        self._execute: Execute = connection.execute
        self.values: dict[str, Any] = {
            "agent": extent.agent,
            "with_objects": extent.with_objects,
            "whole": extent.names is None,
        }
        if extent.names is None:
            self._take_agent()
        else:
            self._take_subject()
        self._execute(_IDS_OF_SAID)

    @property
    def is_whole(self) -> bool:
        """Whether all of an agent is meant."""
        return self.extent.names is None

    def contents(self) -> list[str]:
        """The words of what is selected."""
        return [row[0] for row in self._execute(_CONTENTS)]

    def ids(self) -> frozenset[str]:
        """The ids of what is selected."""
        return frozenset(row[0] for row in self._execute(_IDS))

    def _take_agent(self) -> None:
        for query in _ROWS:
            self._execute(f"{query} {_OF_AGENT}", self.values)
        self._execute(f"{_SAID} {_OF_AGENT}", self.values)

    def _take_subject(self) -> None:
        for query in _ROWS:
            self._execute(f"{query} {_ABOUT}", self.values)
        self._execute(f"{_SAID} {_SAID_ABOUT}", self.values)
        self._execute(f"{_SAID} {_SAID_OF_ROWS}", self.values)
        self._execute(f"{_SAID} {_ENDS_OF_NOTHING}", self.values)
        for query in _ROWS:
            self._execute(f"{query} {_ROWS_OF_SAID}", self.values)


@contextlib.contextmanager
def selected(connection: apsw.Connection, extent: Extent) -> Iterator[Selection]:
    """The extent, selected while the block runs."""
    connection.create_scalar_function("is_named", lambda *of: int(extent.is_named(of[0])), 1)
    connection.create_scalar_function("is_identity_named", lambda *of: int(extent.is_identity_named(of[0])), 1)
    connection.create_scalar_function("normal_name", lambda *of: _normal(of[0]), 1)
    _drop(connection)
    try:
        for statement in _TABLES:
            connection.execute(statement)
        yield Selection(connection, extent)
    finally:
        with contextlib.suppress(apsw.Error):  # a transaction that failed has taken the tables with it
            _drop(connection)


def _drop(connection: apsw.Connection) -> None:
    for statement in _DROP:
        connection.execute(statement)


def _normal(text: object) -> str | None:
    return normalise(text) if isinstance(text, str) else None
