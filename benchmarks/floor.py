"""The floor of the speed benchmark: the least that the same feature needs over plain SQLite.

The same driver with its cache of prepared statements, one file, the same pragmas, a log emptied at the same length, the
same columns and indexes. A write
is one INSERT and one FTS5 INSERT of text that was folded beforehand, in one transaction; a read is one SELECT of the
same columns through the best index, and its rows as they come. No checks, no timeline, no objects.

Reads go through the engine's own connection, so to the same file and the same cache of pages; writes go to a file of
their own with the engine's tables.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Self

import apsw

from karte.domain.text import index_text
from karte.storage.sqlite.indexing import searchable_text
from karte.storage.sqlite.log import CHECKPOINT_PAGES
from karte.storage.sqlite.schema import COLUMN_NAMES

Values = tuple[Any, ...]
Written = tuple[Values, str]
"""The values of a row, and its folded text."""

STATEMENTS_KEPT = 200
PRAGMAS = ("cache_size", "synchronous", "foreign_keys", "journal_size_limit", "temp_store")
PRAGMAS_OF_FILE = ("page_size", "auto_vacuum")
OPTIONS = (
    apsw.SQLITE_DBCONFIG_DEFENSIVE,
    apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA,
    apsw.SQLITE_DBCONFIG_ENABLE_QPSG,
)
TABLES = ("memories", "memory_index")

_COLUMNS = ", ".join(COLUMN_NAMES)
_ORDINAL = COLUMN_NAMES.index("ordinal")
_TEXTS = tuple(COLUMN_NAMES.index(name) for name in ("content", "subject", "predicate", "object"))
_SCHEMA = "SELECT sql FROM sqlite_schema WHERE tbl_name = ? AND sql IS NOT NULL AND type <> 'trigger' ORDER BY rowid"
_INSERT = f"INSERT INTO memories ({_COLUMNS}) VALUES ({', '.join('?' * len(COLUMN_NAMES))})"
_INDEX = "INSERT INTO memory_index (rowid, text) VALUES (?, ?)"
_END = "UPDATE memories SET valid_until = ?, superseded_by = ? WHERE id = ?"
_SINCE = f"SELECT {_COLUMNS} FROM memories WHERE ordinal > ? ORDER BY ordinal"
_AT = (
    f"SELECT {_COLUMNS} FROM memories WHERE agent_id = ? AND identity = ? AND valid_from <= ?"
    " AND (valid_until IS NULL OR valid_until > ?) ORDER BY valid_from DESC LIMIT 1"
)
_HISTORY = f"SELECT {_COLUMNS} FROM memories WHERE agent_id = ? AND identity = ? ORDER BY valid_from"
_BY_IDS = (
    f"SELECT {', '.join(f'm.{name}' for name in COLUMN_NAMES)} FROM json_each(?) j"
    " CROSS JOIN memories m ON m.id = j.value WHERE m.agent_id = ?"
)
_NEWEST = f"SELECT {_COLUMNS} FROM memories WHERE agent_id = ? ORDER BY timestamp DESC, ordinal DESC LIMIT ?"
_MATCH = "SELECT rowid, rank FROM memory_index WHERE memory_index MATCH ? ORDER BY rank LIMIT ?"
_IDENTITY = (
    "SELECT identity FROM memories WHERE agent_id = ? AND subject = ? AND predicate = ? AND valid_until IS NULL LIMIT 1"
)


class Floor:
    """Plain SQLite over one file."""

    def __init__(self, connection: apsw.Connection) -> None:
        self.connection = connection
        self._execute = connection.execute

    @classmethod
    def made(cls, path: Path, like: apsw.Connection) -> Self:
        """A new file with the tables and indexes of another connection's, and its settings."""
        connection = apsw.Connection(str(path), statementcachesize=STATEMENTS_KEPT)
        for option in OPTIONS:
            connection.config(option, like.config(option, -1))
        for name in PRAGMAS_OF_FILE:
            connection.pragma(name, like.pragma(name))
        connection.pragma("journal_mode", "wal")
        for name in PRAGMAS:
            connection.pragma(name, like.pragma(name))
        # The engine's hook stands in for SQLite's own checkpoints and so turns them off; a log has to be kept short.
        connection.pragma("wal_autocheckpoint", CHECKPOINT_PAGES)
        for table in TABLES:
            for (statement,) in like.execute(_SCHEMA, (table,)).fetchall():
                connection.execute(str(statement))
        return cls(connection)

    def store(self, written: Written) -> None:
        values, text = written
        execute = self._execute
        execute("BEGIN IMMEDIATE")
        execute(_INSERT, values)
        execute(_INDEX, (values[_ORDINAL], text))
        execute("COMMIT")

    def store_many(self, rows: Iterable[Written]) -> None:
        execute = self._execute
        execute("BEGIN IMMEDIATE")
        for values, text in rows:
            execute(_INSERT, values)
            execute(_INDEX, (values[_ORDINAL], text))
        execute("COMMIT")

    def supersede(self, written: Written, old: str, start: str) -> None:
        """A new value, and the end of the one before it."""
        values, text = written
        execute = self._execute
        execute("BEGIN IMMEDIATE")
        execute(_INSERT, values)
        execute(_INDEX, (values[_ORDINAL], text))
        execute(_END, (start, values[0], old))
        execute("COMMIT")

    def at(self, agent: str, identity: str, instant: str) -> Any:
        return self._execute(_AT, (agent, identity, instant, instant)).fetchone()

    def history(self, agent: str, identity: str) -> list[Any]:
        return self._execute(_HISTORY, (agent, identity)).fetchall()

    def by_ids(self, agent: str, ids: Sequence[str]) -> list[Any]:
        return self._execute(_BY_IDS, (json.dumps(ids), agent)).fetchall()

    def newest(self, agent: str, limit: int) -> list[Any]:
        return self._execute(_NEWEST, (agent, limit)).fetchall()

    def match(self, expression: str, limit: int) -> list[Any]:
        return self._execute(_MATCH, (expression, limit)).fetchall()

    def identity(self, agent: str, subject: str, predicate: str) -> str:
        """The key of a fact in the engine's file, looked up before the clock runs."""
        found: str = self._execute(_IDENTITY, (agent, subject, predicate)).get
        return found

    def close(self) -> None:
        self.connection.close()


def ready_made(connection: apsw.Connection, after: int) -> list[Written]:
    """The rows that the engine wrote after an ordinal, with their folded text: what a floor has to write."""
    rows: list[Values] = connection.execute(_SINCE, (after,)).fetchall()
    return [(values, _folded(values)) for values in rows]


def _folded(values: Values) -> str:
    content, subject, predicate, value = (values[place] for place in _TEXTS)
    return index_text(searchable_text(content, subject, predicate, value))


if __name__ == "__main__":
    raise SystemExit("the floor is measured beside the engine: scripts/bench speed")
