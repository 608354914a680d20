"""Giving every row of an agent to another; what the rows were before stays in the belief log."""

from __future__ import annotations

from typing import Final

import apsw

from karte.storage.sqlite import beliefs
from karte.storage.sqlite.connection import Execute

OPERATION: Final = "reassign"
_OF_OLD: Final = ("WHERE id = :id", "WHERE agent_id = :old")
_KEEP: Final = (beliefs.KEEP.replace(*_OF_OLD), beliefs.KEEP_ARCHIVED.replace(*_OF_OLD))
TABLES: Final = ("memories", "memories_archive", "memory_assertions", "approvals", "operations", "mistakes")
PAGE_TABLES: Final = ("page_sources", "page_proposals")  # pages themselves have names and files that have to be free
_JOIN_STOPS: Final = (
    "INSERT OR IGNORE INTO erased_content (agent_id, content_hash, erased_at)"
    " SELECT :new, content_hash, erased_at FROM erased_content WHERE agent_id = :old"
)
_FORGET_NAMES: Final = "DELETE FROM entity_embedding WHERE agent_id = :old"  # computed again where they are asked for
_JOIN_TRUST: Final = (
    "INSERT INTO agent_trust (agent_id, most) SELECT :new, most FROM agent_trust WHERE agent_id = :old"
    " ON CONFLICT (agent_id) DO UPDATE SET most = max(most, excluded.most)"
)
_JOIN_RULES: Final = (
    "INSERT INTO rule_life SELECT :new, category, applied, helped, harmed, retired_at, retired_because,"
    " flagged_because FROM rule_life WHERE agent_id = :old ON CONFLICT (agent_id, category) DO UPDATE SET"
    " applied = applied + excluded.applied, helped = helped + excluded.helped, harmed = harmed + excluded.harmed"
)
_JOIN_THRESHOLDS: Final = (
    "INSERT OR IGNORE INTO metacognition SELECT :new, state FROM metacognition WHERE agent_id = :old"
)
_LEAVE: Final = ("DELETE FROM rule_life WHERE agent_id = :old", "DELETE FROM metacognition WHERE agent_id = :old")


class Reassigning:
    """The owners of one file's rows."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._execute: Execute = connection.execute

    def move(self, old: str, new: str, now: str) -> dict[str, int]:
        """Gives all that is the old owner's to the new one; the number of rows of each table."""
        kept = {"old": old, "now": now, "operation": OPERATION, "event": ""}
        for keep in _KEEP:
            self._execute(keep, kept)
        moved = {}
        for table in TABLES:
            moved[table] = int(self._execute(f"SELECT count(*) FROM {table} WHERE agent_id = ?", (old,)).get)
            self._execute(f"UPDATE {table} SET agent_id = ? WHERE agent_id = ?", (new, old))
        for table in PAGE_TABLES:
            self._execute(f"UPDATE {table} SET agent_id = ? WHERE agent_id = ?", (new, old))
        for join in (_JOIN_STOPS, _JOIN_TRUST, _JOIN_RULES, _JOIN_THRESHOLDS):
            self._execute(join, {"old": old, "new": new})
        for leave in (_FORGET_NAMES, *_LEAVE):
            self._execute(leave, {"old": old})
        return moved
