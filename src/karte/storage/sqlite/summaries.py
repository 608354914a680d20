"""What the digest of a stretch of time asks of the file: current rows only, in a fixed order."""

from __future__ import annotations

from typing import Any, Final

import apsw

from karte.storage.sqlite.connection import Execute
from karte.storage.sqlite.memories import HOLDS_NOW, LIVE, SHOWN

_CURRENT: Final = f"m.agent_id = :agent AND {LIVE} AND {SHOWN} AND {HOLDS_NOW.replace(':valid_at', ':now')}"
_SEEN: Final = f"{_CURRENT} AND m.timestamp >= :start AND m.timestamp < :end"
_BEGAN: Final = (
    f"{_CURRENT} AND m.identity IS NOT NULL AND coalesce(m.valid_from, m.timestamp) >= :start"
    " AND coalesce(m.valid_from, m.timestamp) < :end"
)
_COUNTS: Final = f"SELECT count(*), count(m.identity) FROM memories m WHERE {_SEEN}"
_CHANGED: Final = f"SELECT count(*) FROM memories m WHERE {_BEGAN}"
_CHANGES: Final = (
    "SELECT m.id, m.subject, m.predicate, coalesce(m.object, m.content), coalesce(m.valid_from, m.timestamp),"
    " (SELECT coalesce(o.object, o.content) FROM memories o WHERE o.agent_id = m.agent_id AND o.identity = m.identity"
    " AND o.valid_until = m.valid_from AND o.valid_from < o.valid_until AND o.quarantined = 0 AND o.state IS NULL"
    " AND m.supersedes IS NOT NULL LIMIT 1)"
    f" FROM memories m WHERE {_BEGAN} ORDER BY 5 DESC, m.ordinal DESC LIMIT :shown"
)
_SUBJECTS: Final = (
    f"SELECT min(m.subject), count(*) FROM memories m WHERE {_SEEN} AND m.subject <> ''"
    " GROUP BY lower(m.subject) ORDER BY 2 DESC, 1 LIMIT :named"
)
_TAGS: Final = (
    "SELECT t.value, count(*) FROM memories m"
    " JOIN json_each(iif(json_valid(m.tags), m.tags, '[]')) t ON t.type = 'text'"
    f" WHERE {_SEEN} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT :named"
)
_SESSIONS: Final = (
    "SELECT t.session, count(*), min(m.timestamp), max(m.timestamp) FROM memories m"
    f" JOIN memory_turns t ON t.ordinal = m.ordinal WHERE {_SEEN} GROUP BY 1 ORDER BY 4 DESC, 1 LIMIT :named"
)
_IMPORTANT: Final = (
    f"SELECT m.id, m.content, m.importance, m.timestamp FROM memories m WHERE {_SEEN}"
    " ORDER BY m.importance DESC, m.timestamp DESC, m.ordinal DESC LIMIT :shown"
)


class Summaries:
    """The numbers and rows of a window."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._execute: Execute = connection.execute

    def of(self, agent: str, now: str, window: tuple[str, str], *, named: int, shown: int) -> dict[str, Any]:
        """What ``karte.domain.summary.Summary`` is made of, times as written."""
        values = {"agent": agent, "now": now, "start": window[0], "end": window[1], "named": named, "shown": shown}
        memories, facts = self._execute(_COUNTS, values).fetchone()
        return {
            "memories": memories,
            "facts": facts,
            "changed": self._execute(_CHANGED, values).get,
            "changes": self._execute(_CHANGES, values).fetchall(),
            "subjects": self._execute(_SUBJECTS, values).fetchall(),
            "tags": self._execute(_TAGS, values).fetchall(),
            "sessions": self._execute(_SESSIONS, values).fetchall(),
            "important": self._execute(_IMPORTANT, values).fetchall(),
        }
