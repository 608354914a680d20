"""The search index of a file: what a memory puts into it, and how it is built anew.

The index keeps no text of its own (it is *contentless*): its row numbers are the ``ordinal`` of the memories. It is
derived data: whenever the folding of text changes, files notice at their next opening and build it anew.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

import apsw

from karte.domain.text import FTS5_TOKENIZE, index_text
from karte.storage.sqlite.turns import Spoken, Turns

Progress: TypeAlias = Callable[[str, int, int], None]
"""Hears what is being done, how much is done, and of how much."""

INDEX_RULES: Final = 4
"""Raised when the folding gives another text for the same memory, or another speaks: files build their index anew."""
INDEX_VERSION: Final = f"{INDEX_RULES} {FTS5_TOKENIZE}"

CREATE_INDEX: Final = (
    "CREATE VIRTUAL TABLE IF NOT EXISTS memory_index USING fts5("
    f"text, content='', contentless_delete=1, tokenize=\"{FTS5_TOKENIZE}\")"
)
FORGET_PAGES: Final = (  # their words stand in files: whoever next looks for pages reads those anew
    "DELETE FROM page_index",
    "UPDATE pages SET file_sign = ''",
)
BATCH: Final = 500

_STAGE: Final = "building the search index"
_DROP: Final = "DROP TABLE IF EXISTS memory_index"
_COUNT: Final = "SELECT count(*) FROM memories WHERE ordinal > ?"
_TEXTS: Final = (
    "SELECT ordinal, content, subject, predicate, object FROM memories WHERE ordinal > ?"
    f" ORDER BY ordinal LIMIT {BATCH}"
)
_SPOKEN: Final = (  # a continuation was said where its original was
    "SELECT ordinal, agent_id, identity, content, metadata, source_event, timestamp FROM memories"
    f" WHERE ordinal > ? AND is_made = 1 ORDER BY ordinal LIMIT {BATCH}"
)
_ADD: Final = "INSERT INTO memory_index (rowid, text) VALUES (?, ?)"
_STAMP: Final = "UPDATE karte_state SET index_version = ? WHERE id = 1"
_IS_FRESH: Final = (
    "SELECT index_version = ? AND EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'memory_index')"
    " FROM karte_state WHERE id = 1"
)


def searchable_text(content: str, subject: str | None, predicate: str | None, object: str | None) -> str:
    """The text by which a memory is found: its content and the parts of its fact, a line each."""
    return "\n".join(part for part in (content, subject, predicate, object) if part)


def is_index_fresh(connection: apsw.Connection) -> bool:
    """Whether the index is there and was built with the rules of today."""
    return bool(connection.execute(_IS_FRESH, (INDEX_VERSION,)).get)


def build_index(connection: apsw.Connection, report: Progress) -> None:
    """Builds the index anew from the memories, inside the caller's transaction."""
    connection.execute(_DROP)
    connection.execute(CREATE_INDEX)
    Turns(connection).clear()
    for step in FORGET_PAGES:
        connection.execute(step)
    extend_index(connection, 0, report)
    connection.execute(_STAMP, (INDEX_VERSION,))


def extend_index(connection: apsw.Connection, after: int, report: Progress) -> None:
    """Adds the memories beyond an ordinal to the index, inside the caller's transaction."""
    start = after
    total = connection.execute(_COUNT, (after,)).get
    done = 0
    while rows := _texts(connection, after):
        connection.executemany(_ADD, [(ordinal, index_text(searchable_text(*texts))) for ordinal, *texts in rows])
        after = rows[-1][0]
        done += len(rows)
        report(_STAGE, done, total)
    _note_turns(connection, start)


def _note_turns(connection: apsw.Connection, after: int) -> None:
    turns = Turns(connection)
    while rows := connection.execute(_SPOKEN, (after,)).fetchall():
        for row in rows:
            turns.keep(Spoken._make(row))
        after = int(str(rows[-1][0]))


def _texts(connection: apsw.Connection, after: int) -> list[Any]:
    return connection.execute(_TEXTS, (after,)).fetchall()
