"""A world in which sources are doubted: what is held, decided, taken back and given back, kept beside the engine.

A :class:`Doubter` goes on from :class:`World`. Of every assertion it keeps what the design says decides whether it
counts: what a person or the clock decided, whether its row is put away, and which operations that stand cover it.
Which requests there are it reads from the file; what follows from them it says itself.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal

import apsw

import karte
from tests.oracle import CUT_TRUST, UNVERIFIED_CLASSES, Said, State, class_of
from tests.properties.world import Identity, World, Written

WINDOW = timedelta(hours=1)
MOST = 5
Decision = Literal["accepted", "held", "rejected"]
OperationOf = Literal["purged", "retracted"]


@dataclass(slots=True, kw_only=True)
class Doubted(Written):
    """An assertion, and all that decides whether it counts."""

    decision: Decision = "accepted"
    is_away: bool = False
    covered: list[tuple[str, OperationOf]] = field(default_factory=list)
    cut_trust: float = CUT_TRUST
    is_released: bool = False
    is_vouched_for: bool = False
    released_at: datetime | None = None
    ingested: datetime
    id: str | None = None

    def settle(self) -> None:
        """What of all this decides: a rejection, then an operation that stands, then a hold, then the archive."""
        state: State = "live"
        if self.decision == "rejected":
            state = "rejected"
        elif self.covered:
            state = self.covered[0][1]
        elif self.decision == "held":
            state = "held"
        elif self.is_away:
            state = "archived"
        self.state = state


@dataclass(frozen=True, slots=True)
class Asked:
    """A request as the file has it."""

    id: str
    kind: str
    state: str
    expires_at: datetime
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Attempt:
    """One write that the guard counted."""

    origin: str
    subject: str
    clock: datetime
    name: str


@dataclass(slots=True)
class Doubter(World):
    """One file, and everything that decides what counts in it."""

    attempts: list[Attempt] = field(default_factory=list)
    operations: dict[str, OperationOf] = field(default_factory=dict)
    settled: set[str] = field(default_factory=set)
    order: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def next_learned(self) -> int:
        """The next place in the order of learning."""
        return next(self.order)

    def doubted(self) -> list[Doubted]:
        """Everything said."""
        return [one for one in self.written if isinstance(one, Doubted)]

    def said(self, identity: Identity) -> list[Said]:
        """What was said about one timeline, as the oracle takes it."""
        return [
            Said(
                name=one.name,
                kind=one.kind,
                value=one.value,
                start=one.start,
                until=one.until,
                origin=one.origin,
                trust=one.trust,
                learned=one.learned,
                state=one.state,
                is_cut=self.is_cut(one.name),
                cut_trust=one.cut_trust,
                is_released=one.is_released,
                is_vouched_for=one.is_vouched_for,
            )
            for one in self.doubted()
            if self.identity(one.subject, one.predicate, one.object) == identity
        ]

    # ---------------------------------------------------------------------------------------------------- the guard

    def key(self, origin: str, subject: str) -> tuple[str, str]:
        """Whose attempts are counted together."""
        return origin, self.resolve(subject)

    def in_window(self, key: tuple[str, str]) -> list[Attempt]:
        """The attempts that count now."""
        since = self.clock.now - WINDOW
        return [one for one in self.attempts if self.key(one.origin, one.subject) == key and one.clock > since]

    def is_burst(self, origin: str, subject: str, arriving: int) -> bool:
        """Whether so many more make a burst."""
        if class_of(origin) not in UNVERIFIED_CLASSES or not arriving:
            return False
        return len(self.in_window(self.key(origin, subject))) + arriving >= MOST

    def hold_earlier(self, origin: str, subject: str) -> None:
        """The earlier ones of the same burst are held with it."""
        names = {one.name for one in self.in_window(self.key(origin, subject))}
        for one in self.doubted():
            if one.name in names and one.state == "live" and not one.is_released and not one.is_vouched_for:
                one.decision = "held"
                one.settle()

    def count(self, one: Doubted) -> None:
        """Counts an attempt."""
        if class_of(one.origin) in UNVERIFIED_CLASSES:
            self.attempts.append(Attempt(one.origin, one.subject, self.clock.now, one.name))

    # --------------------------------------------------------------------------------------------------- the requests

    def requests(self) -> list[Asked]:
        """Every request, oldest first, with the names of what it is about."""
        about = (
            "SELECT a.id, a.action_kind, a.state, a.expires_at, group_concat(s.source_event, ' ') FROM approvals a"
            " LEFT JOIN approval_items i ON i.approval_id = a.id"
            " LEFT JOIN memory_assertions s ON s.learned_order = i.learned_order"
            " WHERE a.agent_id = ? GROUP BY a.id ORDER BY a.created_at, a.id"
        )
        with closing(apsw.Connection(str(self.path), flags=apsw.SQLITE_OPEN_READONLY)) as connection:
            return [
                Asked(id, kind, state, datetime.fromisoformat(expires_at), tuple((names or "").split()))
                for id, kind, state, expires_at, names in connection.execute(about, (self.agent,))
            ]

    def pending(self) -> list[Asked]:
        """The requests that wait."""
        return [one for one in self.requests() if one.state == "pending" and one.expires_at > self.clock.now]

    def pass_time(self) -> None:
        """Rejects what requests whose time is up were about; any read of the engine has settled them."""
        self.engine.now()
        self.engine.list_aliases("nobody")
        for request in self.requests():
            assert request.state != "pending" or request.expires_at > self.clock.now, "a read settles what is overdue"
            if request.state == "expired" and request.id not in self.settled:
                self.settled.add(request.id)
                is_conflict = request.kind == "knowledge_conflict"
                self.reject(request, self.contested() if is_conflict else None)

    def reject(self, request: Asked, among: set[str] | None = None) -> None:
        """Keeps out for good what waits in a request (of ``among``: time that is up rejects what is still outvoted)."""
        waiting = "held" if request.kind == "knowledge_quarantine" else "live"
        for one in self.named_ones(request.names):
            if one.state == waiting and (among is None or one.name in among or one.event in among):
                one.decision = "rejected"
                one.settle()

    def release(self, request: Asked) -> None:
        """Lets in what waits, as learned now."""
        waiting = "held" if request.kind == "knowledge_quarantine" else "live"
        for name in request.names:
            for one in self.named_ones((name,)):
                if one.state == waiting:
                    one.decision = "accepted"
                    one.is_released = True
                    one.is_vouched_for = one.is_vouched_for or waiting == "live"
                    one.learned = self.next_learned()
                    one.released_at = self.clock.now
                    one.settle()

    def learned_at(self, row: karte.TemporalRecord) -> set[datetime | None]:
        """When what a row says was learned: what was held, at its release."""
        return {row.ingested_at, *(one.released_at for one in self.named_ones((str(row.source_event),)))} - {None}

    def named_ones(self, names: Collection[str]) -> list[Doubted]:
        """What was said under these names, an expiry's ends under their event."""
        return [one for one in self.doubted() if one.name in names or (one.event and one.event in names)]

    # ------------------------------------------------------------------------------------------------- the operations

    def cover(self, operation: str, kind: OperationOf, what: Collection[Doubted]) -> None:
        """An operation takes back."""
        self.operations[operation] = kind
        for one in what:
            one.covered.append((operation, kind))
            one.settle()

    def uncover(self, operation: str) -> None:
        """An operation stands no more."""
        del self.operations[operation]
        for one in self.doubted():
            one.covered = [each for each in one.covered if each[0] != operation]
            one.settle()
        for one in self.doubted():
            if not self.is_cut(one.name):
                one.cut_trust = CUT_TRUST

    def trust_unless_fallen(self, origin: str, claim: float | None, cites: tuple[str, ...]) -> tuple[float, float]:
        """The trust of a write had nothing been taken back, and at most what it has while something is."""
        trust = self.ceiling(origin, claim)
        cut_trust = CUT_TRUST
        for one in self.named_ones(cites):
            if one.decision != "accepted" or one.is_away:
                trust = 0.0
            if one.state in {"retracted", "purged", "rejected"}:
                cut_trust = 0.0
            trust = min(trust, one.trust)
            if self.is_cut(one.name):
                cut_trust = min(cut_trust, one.cut_trust)
        return trust, cut_trust

    def ceiling(self, origin: str, claim: float | None) -> float:
        """The trust of a write that cites nothing."""
        return World.trust_for(self, origin, claim, ())

    def contested(self) -> set[str]:
        """Everything that the curated word outvotes somewhere."""
        return {name for identity in self.identities() for name in self.reading(identity).contested()}
