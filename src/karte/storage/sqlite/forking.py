"""Forks: no connection is open while the process divides in two.

SQLite keeps what it knows of a file's locks and of its shared memory in the process, and a forked
child would believe its parent's. So before a fork every store waits for the calls that are under
way and closes its connections; afterwards both processes open their own when they need one.
"""

from __future__ import annotations

import os
import threading
import time
import weakref
from typing import Final, Protocol

WAIT_SECS: Final = 10.0
PAUSE_SECS: Final = 0.001


class Forkable(Protocol):
    """What has to know of a fork."""

    def before_fork(self) -> None:
        """Closes what must not be open while the process divides."""

    def after_fork(self, *, is_child: bool) -> None:
        """Goes on, in the parent and in the child."""


_STORES: Final[weakref.WeakSet[Forkable]] = weakref.WeakSet()
_ABOUT_TO_FORK: Final[list[Forkable]] = []


def watch(store: Forkable) -> None:
    """Tells a store of every fork from now on, for as long as it lives."""
    _STORES.add(store)


def _before() -> None:
    _ABOUT_TO_FORK[:] = list(_STORES)
    for store in _ABOUT_TO_FORK:
        store.before_fork()


def _after(*, is_child: bool) -> None:
    stores = list(_ABOUT_TO_FORK)
    _ABOUT_TO_FORK.clear()
    for store in stores:
        store.after_fork(is_child=is_child)


os.register_at_fork(
    before=_before,
    after_in_parent=lambda: _after(is_child=False),
    after_in_child=lambda: _after(is_child=True),
)


class Gate:
    """Counts the calls that are under way, and can be shut when there is none."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._under_way = 0
        self._own = threading.local()

    def enter(self) -> None:
        """A call begins; waits while the gate is shut."""
        with self._lock:
            self._under_way += 1
        self._own.calls = getattr(self._own, "calls", 0) + 1

    def leave(self) -> None:
        """A call has ended."""
        self._own.calls -= 1
        with self._lock:
            self._under_way -= 1

    def shut(self) -> bool:
        """Shuts the gate; tells whether no call was under way any more.

        Gives up after a while, and at once where the caller itself is inside one.
        """
        deadline = time.monotonic() + WAIT_SECS
        while True:
            self._lock.acquire()
            if self._under_way == 0:
                return True
            if getattr(self._own, "calls", 0) or time.monotonic() > deadline:
                return False
            self._lock.release()
            time.sleep(PAUSE_SECS)

    def open(self) -> None:
        """Lets calls in again."""
        self._lock.release()
