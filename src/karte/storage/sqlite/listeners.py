"""Who hears of events in this process: each event once, in the order of the commits, one at a time."""

from __future__ import annotations

import logging
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable

from karte.domain.events import Event

logger = logging.getLogger(__name__)


class Listeners:
    """A line of events that were kept, and those who are told of them.

    Whoever finds nobody telling tells all that stand in the line; so no call waits for another's
    listeners, and a listener that writes is told of its own events after this one.
    """

    def __init__(self) -> None:
        self._line: deque[Event] = deque()
        self._heard_by: dict[object, Callable[[Event], None]] = {}
        self._lock = threading.Lock()
        self._telling = threading.Lock()
        self._process = os.getpid()

    def add(self, listener: Callable[[Event], None]) -> Callable[[], None]:
        """Tells a listener from now on; gives what ends that (ending it again does nothing)."""
        ticket = object()
        self._after_a_fork()
        with self._lock:
            self._heard_by = {**self._heard_by, ticket: listener}

        def remove() -> None:
            self._after_a_fork()
            with self._lock:
                self._heard_by = {key: each for key, each in self._heard_by.items() if key is not ticket}

        return remove

    def line_up(self, events: Iterable[Event]) -> None:
        """Puts events in the line, while the write lock still keeps the order."""
        self._line.extend(events)

    def tell(self) -> None:
        """Tells of everything in the line, unless somebody is at it already."""
        self._after_a_fork()
        while self._line and self._telling.acquire(blocking=False):
            try:
                while self._line:
                    self._tell(self._line.popleft())
            finally:
                self._telling.release()

    def _tell(self, event: Event) -> None:
        for ticket, listener in self._heard_by.items():
            if ticket not in self._heard_by:  # it left while others were told
                continue
            try:
                listener(event)
            except Exception:  # whatever a program's own code does, what was written stands
                logger.exception("a subscriber failed at event %d (%s)", event.sequence, event.kind)

    def _after_a_fork(self) -> None:
        """A child has the listeners, but not the thread that may have been telling them."""
        if self._process != os.getpid():
            self._lock, self._telling, self._process = threading.Lock(), threading.Lock(), os.getpid()
