"""The write-ahead log stays short, whoever reads.

After a commit SQLite copies the log's pages into the file by itself, but the log starts anew only
in a moment without readers, which a permanent stream of short reads never leaves.
"""

from __future__ import annotations

import contextlib
from typing import Final

import apsw

CHECKPOINT_PAGES: Final = 1000
LONG_LOG_PAGES: Final = 3000
READERS_TIMEOUT_MS: Final = 100


class KeepShort:
    """What one connection does with the log after each of its commits (a ``wal_hook``).

    Holds no connection, or a dropped one would never be collected and closed.
    """

    def __init__(self, timeout_ms: int) -> None:
        self._timeout_ms = timeout_ms
        self._tried_at = 0

    def __call__(self, connection: apsw.Connection, database: str, pages: int) -> int:
        """Empties the log into the file; a long one is started anew.

        For that, new readers read the file alone and those there are waited for, a little; one
        that reads on for longer is let be until the log has grown by as much again.
        """
        if pages < CHECKPOINT_PAGES:
            return apsw.SQLITE_OK
        is_due = pages >= LONG_LOG_PAGES and not self._tried_at <= pages < self._tried_at + CHECKPOINT_PAGES
        with contextlib.suppress(apsw.Error):  # the commit itself has succeeded; the next one tries again
            if is_due:
                self._start_anew(connection, database, pages)
            else:
                connection.wal_checkpoint(database, apsw.SQLITE_CHECKPOINT_PASSIVE)
        return apsw.SQLITE_OK

    def _start_anew(self, connection: apsw.Connection, database: str, pages: int) -> None:
        self._tried_at = pages
        connection.set_busy_timeout(READERS_TIMEOUT_MS)
        try:
            connection.wal_checkpoint(database, apsw.SQLITE_CHECKPOINT_RESTART)
        finally:
            connection.set_busy_timeout(self._timeout_ms)
