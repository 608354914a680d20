"""Leaves an embedder that failed alone for a while: not every search shall wait for what does not answer."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

SHORTEST_REST: Final = timedelta(seconds=30)
LONGEST_REST: Final = timedelta(minutes=8)


class Breaker:
    """Whether an embedder may be asked.

    After a failure it rests for 30 s, after each further one in a row twice as long as before, at most 8 minutes.
    When a rest is over, one caller tries while the others still do without; an answer ends it all.
    """

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._since: datetime | None = None
        self._rest = SHORTEST_REST
        self._is_tried = False

    def start_over(self) -> None:
        """In a child process: nobody there holds the lock."""
        self._lock = threading.Lock()

    @property
    def is_resting(self) -> bool:
        """Whether a failure was too short a while ago; a clock that was set back ends a rest."""
        since = self._since
        return since is not None and since <= self._clock() < since + self._rest

    def may_ask(self) -> bool:
        """Whether to ask now; whoever hears yes after a failure tries for all."""
        if self._since is None:
            return True
        with self._lock:
            if self.is_resting:
                return False
            if self._since is not None:
                self._since, self._is_tried = self._clock(), True
            return True

    def failed(self) -> bool:
        """Begins a rest; False where one goes on already, of which everybody has been told."""
        with self._lock:
            if self.is_resting and not self._is_tried:
                return False
            self._rest = SHORTEST_REST if self._since is None else min(2 * self._rest, LONGEST_REST)
            self._since, self._is_tried = self._clock(), False
            return True

    def answered(self) -> None:
        """Ends the rest."""
        with self._lock:
            self._since, self._rest, self._is_tried = None, SHORTEST_REST, False
