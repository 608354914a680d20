"""The sliding window of the burst guard, shared by all processes of a file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

import apsw

from karte.domain.approvals import Waiting
from karte.domain.bursts import BurstKey
from karte.storage.sqlite.connection import Execute

_OF_ORIGIN: Final = "agent_id = ? AND origin = ?"
_OF_KEY: Final = f"{_OF_ORIGIN} AND subject IN (SELECT value FROM json_each(?))"
_RESTAMP: Final = f"UPDATE guard_attempts SET clock = ? WHERE {_OF_KEY} AND clock > ?"
_SUBJECTS: Final = f"SELECT DISTINCT subject FROM guard_attempts WHERE {_OF_ORIGIN} AND clock > ?"
_PRUNE: Final = "DELETE FROM guard_attempts WHERE clock <= ?"
_COUNT: Final = f"SELECT count(*) FROM guard_attempts WHERE {_OF_KEY} AND clock > ?"
_EARLIER: Final = (
    f"SELECT memory_id, learned_order FROM guard_attempts WHERE {_OF_KEY} AND clock > ?"
    " AND (memory_id IS NOT NULL OR learned_order IS NOT NULL) ORDER BY attempt"
)
_ADD: Final = (
    "INSERT INTO guard_attempts (agent_id, origin, subject, clock, memory_id, learned_order) VALUES (?, ?, ?, ?, ?, ?)"
)
_LET_GO: Final = "UPDATE guard_attempts SET memory_id = NULL WHERE memory_id = ?"


class Bursts:
    """Attempts of counted origins."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._execute: Execute = connection.execute

    def subjects(self, key: BurstKey, window_start: str) -> list[str]:
        """The names that the key's origin wrote about in the window, as they were written (normalised)."""
        return [row[0] for row in self._execute(_SUBJECTS, (key.agent, key.origin, window_start))]

    def count(self, key: BurstKey, names: Sequence[str], window_start: str, clock: str) -> int:
        """How many attempts stand in the window that ends now.

        Attempts of a clock that was ahead count as made now, so that a clock that stepped back
        neither freezes the window nor empties it. What is older is deleted, whoever made it.
        """
        of_key = (key.agent, key.origin, json.dumps(names))
        self._execute(_PRUNE, (window_start,))
        self._execute(_RESTAMP, (clock, *of_key, clock))
        return int(self._execute(_COUNT, (*of_key, window_start)).get)

    def earlier(self, key: BurstKey, names: Sequence[str], window_start: str) -> list[Waiting]:
        """What the attempts in the window wrote, in the order of writing."""
        rows = self._execute(_EARLIER, (key.agent, key.origin, json.dumps(names), window_start))
        return [Waiting(memory_id=row[0], order=row[1]) for row in rows]

    def add(self, key: BurstKey, clock: str, written: Waiting) -> None:
        """Counts one attempt, and what it wrote."""
        self._execute(_ADD, (key.agent, key.origin, key.subject, clock, written.memory_id, written.order))

    def let_go(self, memory_id: str) -> None:
        """Forgets what an attempt wrote, not the attempt: a person let it in, and no later burst takes it along."""
        self._execute(_LET_GO, (memory_id,))
