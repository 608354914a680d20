"""Which memories were read, kept until a write takes them along.

A search waits for nobody and writes nothing: it leaves a note here. The next write of the engine takes the notes into
its own transaction; without one they are written when there are many, or when a search finds the first of them old,
in a write that never waits; and when the engine is closed. What is lost by a kill is a count, never a belief.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable
from typing import Final

from karte.domain.decay import days_between
from karte.domain.stored import StoredMemory

MANY: Final = 256
"""So many noted memories are worth a write of their own."""
OLD_DAYS: Final = 60 / 86_400
"""As is a note of a minute ago."""
MOST: Final = 10_000
"""So many are kept while nobody can write; what comes then is forgotten."""

Seen = dict[str, tuple[int, str]]
"""By id how often, and when last."""


class Touches:
    """What was read of one store and is not written yet; for all threads of one process."""

    def __init__(self) -> None:
        self._start_over()

    def _start_over(self) -> None:
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._seen: Seen = {}
        self._first = ""

    def _here(self) -> threading.Lock:
        """The lock; a forked child begins with nothing, for its parent writes what both know."""
        if self._process != os.getpid():
            self._start_over()
        return self._lock

    def note(self, ids: Iterable[str], now: str) -> bool:
        """Notes memories as read; says whether the notes are due to be written."""
        with self._here():
            if not self._seen:
                self._first = now
            _add(self._seen, dict.fromkeys(ids, (1, now)))
            return len(self._seen) >= MANY or days_between(self._first, now) >= OLD_DAYS

    def take(self) -> Seen:
        """All that is noted; whoever takes it writes it, or gives it back."""
        with self._here():
            taken, self._seen = self._seen, {}
            return taken

    def give_back(self, taken: Seen) -> None:
        """Notes again what could not be written."""
        if taken:
            with self._here():
                self._first = self._first if self._seen else min(at for _, at in taken.values())
                _add(self._seen, taken)

    def shown(self, stored: StoredMemory) -> StoredMemory:
        """The row with what is noted of it."""
        noted = self._seen.get(stored.id)
        if noted is None or self._process != os.getpid():
            return stored
        count, at = noted
        return stored._replace(
            access_count=stored.access_count + count, last_accessed=max(stored.last_accessed or at, at)
        )


def _add(seen: Seen, more: Seen) -> None:
    for id, (count, at) in more.items():
        before = seen.get(id)
        if before is not None:
            seen[id] = (before[0] + count, max(before[1], at))
        elif len(seen) < MOST:
            seen[id] = (count, at)
