"""Forks: no connection is open while the process divides in two.

SQLite keeps what it knows of a file's locks and of its shared memory in the process, and a forked
child would believe its parent's. So before a fork every store waits for the calls that are under
way and closes its connections; afterwards both processes open their own when they need one.
"""

from __future__ import annotations

import os
import threading
import weakref
from typing import Final, Protocol

WAIT_SECS: Final = 10.0


class Forkable(Protocol):
    """What has to know of a fork."""

    def before_fork(self) -> None:
        """Closes what must not be open while the process divides."""

    def after_fork(self, *, is_child: bool) -> None:
        """Goes on, in the parent and in the child."""


_STORES: Final[weakref.WeakSet[Forkable]] = weakref.WeakSet()
_ABOUT_TO_FORK: Final[list[Forkable]] = []
_ONE_AT_A_TIME: Final = threading.Lock()
"""Held from before a fork until after it, in both processes: two threads may fork at the same moment."""


def watch(store: Forkable) -> None:
    """Tells a store of every fork from now on, for as long as it lives."""
    _STORES.add(store)


class Gate:
    """Counts the calls that are under way, and can be shut when there is none."""

    def __init__(self) -> None:
        self._changed = threading.Condition(threading.Lock())
        self._under_way = 0
        self._is_closing = False
        self._own = threading.local()

    def enter(self) -> None:
        """A call begins; waits while the gate is shut or closing, save inside another call of this thread."""
        own = getattr(self._own, "calls", 0)
        with self._changed:
            while self._is_closing and not own:
                self._changed.wait()
            self._under_way += 1
        self._own.calls = own + 1

    def leave(self) -> None:
        """A call has ended."""
        self._own.calls -= 1
        with self._changed:
            self._under_way -= 1
            if self._is_closing:
                self._changed.notify_all()

    def __enter__(self) -> None:
        """``with gate:`` around a call."""
        self.enter()

    def __exit__(self, *_error: object) -> None:
        self.leave()

    def shut(self) -> bool:
        """Shuts the gate; tells whether no call was under way any more.

        New calls wait at once, or busy threads would never leave a moment without one. Gives up
        after a while, and at once where the caller itself is inside a call. The lock stays held
        until ``open``, so that no other thread holds it while the process divides.
        """
        self._changed.acquire()
        self._is_closing = True
        if getattr(self._own, "calls", 0):
            return False
        return self._changed.wait_for(lambda: self._under_way == 0, WAIT_SECS)

    def open(self) -> None:
        """Lets calls in again."""
        self._is_closing = False
        self._changed.notify_all()
        self._changed.release()


class Passage:
    """Where stores come and go: none opens or closes while the process divides.

    A store that is not there yet when a fork begins cannot be told of it, and one that closes is in no call; SQLite
    would hold locks of the whole process in a thread that the child does not have.
    """

    def __init__(self) -> None:
        self.gate = Gate()


PASSAGE: Final = Passage()


def _before() -> None:
    _ONE_AT_A_TIME.acquire()
    PASSAGE.gate.shut()
    _ABOUT_TO_FORK[:] = list(_STORES)
    for store in _ABOUT_TO_FORK:
        store.before_fork()


def _after(*, is_child: bool) -> None:
    stores = list(_ABOUT_TO_FORK)
    _ABOUT_TO_FORK.clear()
    for store in stores:
        store.after_fork(is_child=is_child)
    PASSAGE.gate.open()
    if is_child:
        PASSAGE.gate = Gate()  # whoever was on the way is not there
    _ONE_AT_A_TIME.release()


os.register_at_fork(
    before=_before,
    after_in_parent=lambda: _after(is_child=False),
    after_in_child=lambda: _after(is_child=True),
)
