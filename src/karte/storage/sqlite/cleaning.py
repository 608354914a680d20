"""Getting the bytes of deleted rows out of the file and its log.

SQLite keeps deleted bytes in free pages and in the write-ahead log, and the search index keeps a deleted word until its
segments are merged. Merging, rewriting the file and emptying the log gets rid of all of them; the last step needs a
moment in which nobody reads.
"""

from __future__ import annotations

from typing import Final

import apsw

from karte.domain.erasure import Cleaning
from karte.storage.sqlite.connection import Execute

WAIT_MS: Final = 5000
"""How long it waits for readers and writers of other processes."""

_INDEXES: Final = ("memory_index", "memories_fts", "key_facts_fts")
_IS_THERE: Final = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?)"
_MERGE: Final = "INSERT INTO {0} ({0}) VALUES ('optimize')"
_REWRITE: Final = "VACUUM"
_EMPTY_LOG: Final = "PRAGMA wal_checkpoint(TRUNCATE)"
_AGAIN: Final = "let other programs let go of the file, then erase once more: nothing is left to delete, only bytes"


def clean(connection: apsw.Connection, timeout_ms: int) -> Cleaning:
    """Cleans, outside any transaction; says so if somebody or something was in the way."""
    execute: Execute = connection.execute
    connection.set_busy_timeout(min(timeout_ms, WAIT_MS))
    try:
        for name in _INDEXES:
            if execute(_IS_THERE, (name,)).get:
                execute(_MERGE.format(name))
        execute("PRAGMA temp_store = FILE")  # a copy of the whole file may not fit into memory
        execute(_REWRITE)
        is_busy = execute(_EMPTY_LOG).fetchone()[0]
    except (apsw.BusyError, apsw.LockedError):
        is_busy = 1
    except (apsw.FullError, apsw.IOError) as error:
        return Cleaning(is_clean=False, remedy=f"make room for a copy of the file, then erase once more ({error})")
    finally:
        execute("PRAGMA temp_store = MEMORY")
        connection.set_busy_timeout(timeout_ms)
    return Cleaning(is_clean=not is_busy, remedy=_AGAIN if is_busy else None)
