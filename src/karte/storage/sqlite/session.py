"""What one thread sees of the file: its aggregates, and the instants of its transaction."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Final

import apsw

from karte.domain.approvals import PENDING_FOREVER
from karte.domain.time import after
from karte.storage.sqlite.approvals import Approvals
from karte.storage.sqlite.assertions import Assertions
from karte.storage.sqlite.bursts import Bursts
from karte.storage.sqlite.connection import Execute
from karte.storage.sqlite.erasing import Erasing
from karte.storage.sqlite.events import Events
from karte.storage.sqlite.exporting import Exporting
from karte.storage.sqlite.facts import Facts
from karte.storage.sqlite.graph import GraphRows
from karte.storage.sqlite.life import Life
from karte.storage.sqlite.memories import Memories
from karte.storage.sqlite.mistakes import Mistakes, Rules
from karte.storage.sqlite.names import Names
from karte.storage.sqlite.operations import Operations
from karte.storage.sqlite.pages import Pages
from karte.storage.sqlite.reassigning import Reassigning
from karte.storage.sqlite.search import TextIndex
from karte.storage.sqlite.stops import Stops
from karte.storage.sqlite.summaries import Summaries
from karte.storage.sqlite.timelines import Timelines
from karte.storage.sqlite.trusts import Trusts
from karte.storage.sqlite.turns import Turns
from karte.storage.sqlite.vectors import Embeddings
from karte.storage.sqlite.webhooks import Webhooks

_STATE: Final = (
    "SELECT last_instant, last_order, last_ordinal, names_version, next_expiry FROM karte_state WHERE id = 1"
)
_STATE_TO_WRITE: Final = _STATE.replace(" FROM ", ", EXISTS (SELECT 1 FROM erased_key) FROM ")
_SAVE_STATE: Final = "UPDATE karte_state SET last_instant = ?, last_order = ?, last_ordinal = ? WHERE id = 1"

Clock = Callable[[], str]
"""Gives the present instant in the written form."""


class Session:
    """What one thread sees of the file."""

    def __init__(self, connection: apsw.Connection, timeout_ms: int) -> None:
        self.connection = connection
        self._execute: Execute = connection.execute
        self._trusts = Trusts(connection)
        self.memories = Memories(connection, self._trusts)
        self.facts = Facts(connection, self._trusts)
        self.assertions = Assertions(connection)
        self.names = Names(connection)
        self.timelines = Timelines(connection)
        self.index = TextIndex(connection)
        self.turns = Turns(connection)
        self.graph = GraphRows(connection)
        self.embeddings = Embeddings(connection)
        self.approvals = Approvals(connection)
        self.bursts = Bursts(connection)
        self.events = Events(connection)
        self.operations = Operations(connection)
        self.webhooks = Webhooks(connection)
        self.stops = Stops(connection)
        self.erasing = Erasing(connection)
        self.exporting = Exporting(connection)
        self.life = Life(connection)
        self.summaries = Summaries(connection)
        self.reassigning = Reassigning(connection)
        self.mistakes = Mistakes(connection)
        self.rules = Rules(connection)
        self.pages = Pages(connection)
        self.timeout_ms = timeout_ms
        self.now = ""
        self.clock = ""
        self.next_expiry = PENDING_FOREVER
        self._last = ""
        self._order = 0
        self._ordinal = 0

    def next_order(self) -> int:
        """The next place in the order of learning."""
        self._order += 1
        return self._order

    def next_ordinal(self) -> int:
        """The next number of a row in the index."""
        self._ordinal += 1
        return self._ordinal

    def begin_read(self, clock: Clock) -> None:
        """Opens a snapshot; ``now`` is never earlier than the last belief instant in it."""
        self._execute("BEGIN")
        last, _, _, version, self.next_expiry = self._execute(_STATE).fetchone()
        self.names.keep_up_with(version)
        self.index.keep_up_with(last)
        self.clock = clock()
        self.now = max(self.clock, last)

    def begin_write(self, clock: Clock) -> None:
        """Takes the write lock, then the belief instant: max(clock, last + 1 microsecond)."""
        self._execute("BEGIN IMMEDIATE")
        state = self._execute(_STATE_TO_WRITE).fetchone()
        instant, self._order, self._ordinal, version, self.next_expiry, has_stops = state
        self._trusts.begin()
        self.stops.begin(has_any=bool(has_stops))
        self.names.keep_up_with(version)
        self.clock = clock()
        self.now = self.clock if self.clock > instant else after(instant)
        self._last = instant
        self.events.take_emitted()

    @contextlib.contextmanager
    def believing_at(self, instant: str) -> Iterator[None]:
        """What is done inside is believed from an instant that passed unnoticed; ``now`` comes after it."""
        ahead = self.now
        self.now = max(instant, after(self._last) if self._last else instant)
        try:
            yield
        finally:
            self._last = self.now
            self.now = ahead if ahead > self._last else after(self._last)

    def begin_note(self, clock: Clock, *, wait: bool) -> None:
        """Takes the write lock for what changes no belief, if it is free this very moment or there is time to wait."""
        self.connection.set_busy_timeout(self.timeout_ms if wait else 0)
        try:
            self._execute("BEGIN IMMEDIATE")
        finally:
            self.connection.set_busy_timeout(self.timeout_ms)
        instant = self._execute(_STATE).fetchone()[0]
        self.clock = clock()
        self.now = max(self.clock, instant)

    def take_over(self, instant: str, order: int, ordinal: int) -> None:
        """Goes on where another file stood; for an empty file, which has nothing of its own to go on from."""
        self.now = instant or self.now
        self._order = max(self._order, order)
        self._ordinal = max(self._ordinal, ordinal)

    def commit_write(self) -> None:
        """Keeps everything of the operation."""
        self._execute(_SAVE_STATE, (self.now, self._order, self._ordinal))
        self._execute("COMMIT")

    def end_read(self) -> None:
        """Lets the snapshot go."""
        self._execute("COMMIT")

    def roll_back(self) -> None:
        """Keeps nothing of the operation."""
        self.names.forget()
        self.events.take_emitted()
        if self.connection.in_transaction:
            self._execute("ROLLBACK")
