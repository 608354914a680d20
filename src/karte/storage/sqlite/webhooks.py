"""How far each webhook has come: one row each, under a name that gives its address away to nobody."""

from __future__ import annotations

from typing import Final

import apsw

from karte.domain.webhooks import Progress
from karte.storage.sqlite.connection import Execute

_GET: Final = "SELECT delivered, failures, next_try_at, last_error FROM webhook_progress WHERE url = ?"
_PUT: Final = (
    "INSERT INTO webhook_progress (url, delivered, failures, next_try_at, last_error) VALUES (?, ?, ?, ?, ?)"
    " ON CONFLICT (url) DO UPDATE SET delivered = excluded.delivered, failures = excluded.failures,"
    " next_try_at = excluded.next_try_at, last_error = excluded.last_error"
)


class Webhooks:
    """The progress of every webhook of one file."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._execute: Execute = connection.execute

    def get(self, webhook: str) -> Progress:
        """How far it has come; one that is new stands before the first event."""
        row = self._execute(_GET, (webhook,)).fetchone()
        if row is None:
            return Progress()
        delivered, failures, next_try_at, last_error = row
        return Progress(delivered=delivered, failures=failures, next_try_at=next_try_at, last_error=last_error)

    def put(self, webhook: str, progress: Progress) -> None:
        """Keeps how far it has come."""
        values = (progress.delivered, progress.failures, progress.next_try_at, progress.last_error)
        self._execute(_PUT, (webhook, *values))
