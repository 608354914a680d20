"""The belief log: what rows said before, and how they read at an earlier instant of belief.

A revision keeps the whole belief part of a row as it was before a change. The row as it was
believed at an instant is therefore what the *first* revision after that instant keeps, or the
row itself where there is none.
"""

from __future__ import annotations

from typing import Final

from karte.domain.stored import RETRACTED_STATES
from karte.storage.sqlite.schema import BELIEF_COLUMNS, COLUMN_NAMES

_BELIEF: Final = ", ".join(BELIEF_COLUMNS)
_BELIEF_OF_ARCHIVED: Final = ", ".join("'archived'" if name == "state" else name for name in BELIEF_COLUMNS)
_INTO: Final = (
    "INSERT INTO memory_revisions"
    f" (memory_id, changed_at, operation_id, operation, event, content, {_BELIEF})"
    " SELECT id, :now, :now, :operation, :event,"
)
KEEP: Final = f"{_INTO} NULL, {_BELIEF} FROM memories WHERE id = :id"
"""Keeps a row's belief part. A transaction has one belief instant, which names the operation."""
KEEP_WITH_CONTENT: Final = f"{_INTO} content, {_BELIEF} FROM memories WHERE id = :id"
KEEP_ARCHIVED: Final = f"{_INTO} NULL, {_BELIEF_OF_ARCHIVED} FROM memories_archive WHERE id = :id"

_FIRST_AFTER: Final = (
    "LEFT JOIN memory_revisions r ON r.revision = (SELECT revision FROM memory_revisions"
    " WHERE memory_id = m.id AND changed_at > :known_at ORDER BY changed_at, revision LIMIT 1)"
)
_OLD_CONTENT: Final = (
    "(SELECT content FROM memory_revisions WHERE memory_id = m.id AND changed_at > :known_at"
    " AND content IS NOT NULL ORDER BY changed_at, revision LIMIT 1)"
)

OWNED: Final = (
    "(m.agent_id = :agent OR m.id IN (SELECT memory_id FROM memory_revisions"
    " WHERE operation = 'reassign' AND agent_id = :agent))"
)
"""The rows that are the agent's, or were before they were given away."""


def _as_known(name: str) -> str:
    if name == "content":
        return f"coalesce({_OLD_CONTENT}, m.content) AS content"
    if name == "state":
        return "nullif(iif(r.revision IS NULL, m.state, r.state), 'archived') AS state"
    if name in BELIEF_COLUMNS:
        return f"iif(r.revision IS NULL, m.{name}, r.{name}) AS {name}"
    return f"m.{name} AS {name}"


_KNOWN_COLUMNS: Final = ", ".join(_as_known(name) for name in COLUMN_NAMES)
_WITHDRAWN: Final = (
    f"CASE WHEN m.state IN {tuple(sorted(RETRACTED_STATES))} THEN m.state"
    " WHEN m.quarantined AND m.state IS NULL THEN 'quarantined' END"
)


def known_rows(candidates: str) -> str:
    """A query of rows as they were believed at ``:known_at``.

    ``candidates`` is a condition over ``m``, the row as it stands, that may let too many through.
    The columns are those of a ``StoredMemory``.
    """
    parts = (
        f"SELECT {_KNOWN_COLUMNS}, iif(r.revision IS NULL, {is_archived}, r.state IS 'archived')"
        f" AS is_archived, {_WITHDRAWN} AS withdrawn FROM {table} m {_FIRST_AFTER}"
        " WHERE coalesce(m.recorded_at, m.ingested_at, m.created_at, m.timestamp) <= :known_at"
        f" AND ({candidates})"
        for table, is_archived in (("memories", "0"), ("memories_archive", "1"))
    )
    return " UNION ALL ".join(parts)
