"""A store and, beside it, everything that was said to it: what the law tests ask both about.

A :class:`World` drives the engine through its public door and keeps its own list of what was said. It plans
nothing and predicts nothing by itself: what must hold it asks of the oracle.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zlib import crc32

import apsw

import karte
from karte.config import AuthoritySettings, Config
from tests.conftest import FakeClock
from tests.oracle import (
    CEILINGS,
    CUT_TRUST,
    FALLEN_STATES,
    Kind,
    Reading,
    Said,
    State,
    Value,
    class_of,
    folded,
    reaches,
    value_of,
)

AGENT = "agent"
STEP = timedelta(hours=1, seconds=1)  # longer than the burst window, and twenty steps are shorter than a day
SPAN = timedelta(hours=4)
ZERO = datetime(2026, 6, 1, tzinfo=UTC)
MARKER = "colour"


def instant(number: float) -> datetime:
    """The instants everything happens at: four hours apart, some before and some after the clock's start."""
    return ZERO + number * SPAN


@dataclass(slots=True, kw_only=True)
class Written:
    """One thing said to the engine, under the names it was said with.

    ``name`` is its ``source_event`` too, save for an expiry, which says several ends under one ``event``.
    """

    name: str
    event: str = ""
    kind: Kind = "value"
    subject: str
    predicate: str
    object: str | None
    content: str = ""
    start: datetime
    until: datetime | None = None
    origin: str
    claim: float | None = None
    trust: float
    learned: int
    state: State = "live"
    cites: tuple[str, ...] = ()
    cited_ids: tuple[str, ...] = ()

    @property
    def value(self) -> Value | None:
        """What it says, as values are compared."""
        return None if self.kind == "end" else value_of(self.object, self.content)


@dataclass(frozen=True, slots=True)
class Identity:
    """One timeline: a resolved subject, a predicate and, where that is many-valued, an object."""

    subject: str
    predicate: str
    object: str | None


@dataclass(slots=True)
class World:
    """One file, its engine and clock, and all that was said."""

    path: Path
    protect_curated: bool = True
    agent: str = AGENT
    clock: FakeClock = field(default_factory=lambda: FakeClock(ZERO.isoformat()))
    written: list[Written] = field(default_factory=list)
    aliases: dict[str, str] = field(default_factory=dict)
    many: set[str] = field(default_factory=set)
    forgotten: list[tuple[str, str]] = field(default_factory=list)
    made: int = 0
    engine: karte.SqliteMemoryEngine = field(init=False)

    def __post_init__(self) -> None:
        """Open the file."""
        config = Config(authority=AuthoritySettings(protect_curated=self.protect_curated))
        self.engine = karte.SqliteMemoryEngine(self.path, config=config, clock=self.clock, ids=self.new_id)

    def new_id(self) -> str:
        """Identifiers in order, the same in every run, and others for another agent."""
        self.made += 1
        return f"01990000-{crc32(self.agent.encode()) % 0xFFFF:04x}-7000-8000-{self.made:012x}"

    def next_learned(self) -> int:
        """The next place in the order of learning."""
        return len(self.written)

    # ------------------------------------------------------------------------------------------------ what was said

    def resolve(self, subject: str) -> str:
        """The name the subject goes by now."""
        return self.aliases.get(folded(subject), folded(subject))

    def identity(self, subject: str, predicate: str, object_: str | None) -> Identity:
        """The timeline that what is said under these names belongs to now."""
        key = folded(object_) if folded(predicate) in self.many and object_ is not None else None
        return Identity(self.resolve(subject), folded(predicate), key)

    def identities(self) -> list[Identity]:
        """Every timeline that anything was said about."""
        return sorted(
            {self.identity(one.subject, one.predicate, one.object) for one in self.written},
            key=lambda one: (one.subject, one.predicate, one.object or ""),
        )

    def names_of(self, identity: Identity) -> list[str]:
        """Every subject name under which the timeline can be asked for."""
        spelled = {one.subject for one in self.written if self.resolve(one.subject) == identity.subject}
        return sorted({identity.subject, *spelled, *(a for a, c in self.aliases.items() if c == identity.subject)})

    def is_cut(self, name: str) -> bool:
        """Whether the named assertion is derived from a fallen one."""
        fallen = {one.name for one in self.written if one.state in FALLEN_STATES}
        return reaches(name, {one.name: one.cites for one in self.written}, fallen)

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
            )
            for one in self.written
            if self.identity(one.subject, one.predicate, one.object) == identity
        ]

    def reading(self, identity: Identity) -> Reading:
        """The oracle's reading of one timeline."""
        return Reading(self.said(identity), protect_curated=self.protect_curated)

    def named(self, name: str) -> Written:
        """What was said under this ``source_event``."""
        return next(one for one in self.written if one.name == name)

    def trust_for(self, origin: str, claim: float | None, cites: tuple[str, ...]) -> float:
        """The trust a write has: what it claims, at most its class's ceiling and the least of what it cites."""
        trust = min(1.0 if claim is None else claim, CEILINGS[class_of(origin)])
        for name in cites:
            cited = self.named(name)
            if cited.state in FALLEN_STATES:
                return 0.0
            trust = min(trust, cited.trust, CUT_TRUST if self.is_cut(name) else 1.0)
        return trust

    # ------------------------------------------------------------------------------------------------ what is asked

    def history(self, identity: Identity, *, known_at: datetime | None = None) -> list[karte.TemporalRecord]:
        """Every stretch of a timeline."""
        return self.engine.get_history(
            self.agent, identity.subject, identity.predicate, object=identity.object, known_at=known_at
        )

    def live_rows(self, identity: Identity) -> list[karte.TemporalRecord]:
        """The stretches of a timeline that are live."""
        return [row for row in self.history(identity) if row.state == "live"]

    def learned_at(self, row: karte.TemporalRecord) -> set[datetime | None]:
        """When what a row says was learned."""
        return {row.ingested_at}

    def all_live_rows(self) -> list[karte.TemporalRecord]:
        """The live stretches of every timeline."""
        return [row for identity in self.identities() for row in self.live_rows(identity)]

    def grid(self, identity: Identity) -> list[datetime]:
        """Each instant at which the oracle's answer or the engine's may change, some between, before and after all."""
        found = {ZERO, self.clock.now, *self.reading(identity).bounds()}
        for row in self.live_rows(identity):
            found |= {bound for bound in (row.valid_from, row.valid_until) if bound is not None}
        bounds = sorted(found)
        between = [start + (end - start) / 2 for start, end in itertools.pairwise(bounds)]
        return sorted([bounds[0] - SPAN, *bounds, *between, bounds[-1] + SPAN])

    def dump(self) -> dict[str, list[tuple[object, ...]]]:
        """Every row of every table of the file, as another connection sees them."""
        return dump(self.path)


def dump(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """Every row of every table of the file."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return {name: list(_rows(connection, name)) for name in _tables(connection)}
    finally:
        connection.close()


def changed(before: dict[str, list[tuple[object, ...]]], after: dict[str, list[tuple[object, ...]]]) -> list[str]:
    """What differs between two dumps, a line a row."""
    found = []
    for table in sorted(before.keys() | after.keys()):
        old, new = before.get(table, []), after.get(table, [])
        found += [f"{table}: - {row}" for row in old if row not in new]
        found += [f"{table}: + {row}" for row in new if row not in old]
    return found


def _tables(connection: apsw.Connection) -> list[str]:
    found = connection.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name"
    )
    return [str(name) for (name,) in found]


def _rows(connection: apsw.Connection, table: str) -> Iterator[tuple[object, ...]]:
    yield from connection.execute(f'SELECT * FROM "{table}"')


def stored(text: str | None) -> datetime | None:
    """A time as the file keeps it, which has one form only."""
    if text is None:
        return None
    read = datetime.fromisoformat(text)
    assert text == read.astimezone(UTC).isoformat(timespec="microseconds"), text
    return read
