"""Making the tables of an older engine's file as wide as ours.

Every step looks before it acts and may be repeated: whatever prefix of the columns a file has, and wherever an earlier
attempt stopped, it ends with the same tables and indexes as a new file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

import apsw

from karte.storage.sqlite import schema

_COLUMNS: Final = "SELECT name FROM pragma_table_xinfo(?)"
_INDEXES: Final = "SELECT name FROM sqlite_schema WHERE type = 'index'"
_HAS_ROWS: Final = "SELECT EXISTS (SELECT 1 FROM memories_archive)"
_INDEX_NAME: Final = re.compile(r"INDEX IF NOT EXISTS (\w+)")
_THEN: Final = "DEFAULT (datetime('now'))"
_NEVER: Final = "DEFAULT ''"


def column_names(connection: apsw.Connection, table: str) -> frozenset[str]:
    """The columns of a table in lower case; none where there is no such table."""
    return frozenset(name.lower() for (name,) in connection.execute(_COLUMNS, (table,)))


def is_adoptable(connection: apsw.Connection) -> bool:
    """Whether there is a table ``memories`` with the six columns that every engine before us had."""
    return column_names(connection, "memories").issuperset(name for name, _ in schema.ORIGINAL_COLUMNS)


def widen(connection: apsw.Connection) -> None:
    """Gives ``memories`` and its archive every column of ours; both may be missing."""
    connection.execute(schema.CREATE_MEMORIES)
    connection.execute(schema.CREATE_ARCHIVE)
    _add_columns(connection, "memories", schema.COLUMNS)
    archive: tuple[tuple[str, str], ...] = schema.ARCHIVE_TABLE_COLUMNS
    if connection.execute(_HAS_ROWS).get:  # a default that is computed can only be given to an empty table
        archive = tuple((name, kind.replace(_THEN, _NEVER)) for name, kind in archive)
    _add_columns(connection, "memories_archive", archive)


def _add_columns(connection: apsw.Connection, table: str, columns: Iterable[tuple[str, str]]) -> None:
    found = column_names(connection, table)
    for name, kind in columns:
        if name not in found:
            connection.execute(f"ALTER TABLE {table} ADD COLUMN {name} {kind}")


def drop_indexes(connection: apsw.Connection) -> None:
    """Drops every index that bears a name of ours: an older one may be another index under that name."""
    for name in _index_names():
        connection.execute(f"DROP INDEX IF EXISTS {name}")


def create_indexes(connection: apsw.Connection) -> None:
    """Creates those of our indexes of ``memories`` and its archive that are not there."""
    for statement in schema.INDEXES:
        connection.execute(statement)


def missing_indexes(connection: apsw.Connection) -> list[str]:
    """The names of our indexes that are not there."""
    found = {name for (name,) in connection.execute(_INDEXES)}
    return [name for name in _index_names() if name not in found]


def _index_names() -> list[str]:
    return [match[1] for statement in schema.INDEXES if (match := _INDEX_NAME.search(statement))]
