"""A memory as the store keeps it: written instants as text, lists and objects already read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from karte.domain.model import State
from karte.domain.rows import Support
from karte.domain.timeline import OPEN, Assertion, Kind

RETRACTED_STATES: Final = frozenset({"retracted", "purged", "rejected"})


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredMemory:
    """One row, every column; ``state`` None is live, ``valid_until`` None is still true.

    ``is_archived``: it was read from the archive. ``withdrawn`` is how the row is retracted
    *today*, whatever it was at the instant of belief that was asked about.
    """

    id: str
    agent_id: str
    content: str
    timestamp: str
    tags: tuple[str, ...] = ()
    created_at: str | None = None
    layer: str = "episodic"
    importance: float = 5.0
    access_count: int = 0
    last_accessed: str | None = None
    source_event: str = ""
    valid_from: str | None = None
    valid_until: str | None = None
    superseded_by: str | None = None
    supersedes: str | None = None
    subject: str | None = None
    predicate: str | None = None
    object: str | None = None
    confidence: float = 1.0
    metadata: Mapping[str, Any]
    origin: str | None = None
    origin_trust: float = 1.0
    derived_from: tuple[str, ...] = ()
    ingested_at: str | None = None
    invalidated_by_event: str | None = None
    invalidated_at: str | None = None
    embedding: bytes | None = None
    embedding_model: str | None = None
    quarantined: bool = False
    ordinal: int = 0
    identity: str | None = None
    assertion: int | None = None
    recorded_at: str | None = None
    state: str | None = None
    is_made: bool = True
    is_contested: bool = False
    support: Support | None = None
    is_archived: bool = False
    withdrawn: str | None = None

    @property
    def starts_at(self) -> str:
        """World time from which it holds: ``valid_from``, else when it was observed."""
        return self.valid_from if self.valid_from is not None else self.timestamp

    @property
    def ends_at(self) -> str:
        """World time at which it ends; ``OPEN`` while no end is known."""
        return self.valid_until if self.valid_until is not None else OPEN

    @property
    def is_live(self) -> bool:
        """Not quarantined, not retracted, not archived."""
        return self.state is None and not self.quarantined and not self.is_archived

    def holds_at(self, instant: str, *, is_now: bool = False) -> bool:
        """Whether world time at the instant is within it.

        A plain memory without ``valid_from`` holds *now* whatever its ``timestamp``: another
        machine's clock may be ahead.
        """
        has_begun = (is_now and self.valid_from is None) or self.starts_at <= instant
        return has_begun and instant < self.ends_at

    @property
    def public_state(self) -> State:
        """The state that a reader is shown."""
        if self.withdrawn is not None or self.state is not None:
            name = self.withdrawn or self.state
            return name  # type: ignore[return-value]  # the column holds these names only
        if self.quarantined:
            return "quarantined"
        return "archived" if self.is_archived else "live"


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedAssertion:
    """An assertion with the words it was made in."""

    assertion: Assertion
    subject: str
    predicate: str
    object: str | None
    content: str
    derived_from: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What a reader asks for besides the words; all of it acts before the first hits are taken.

    ``valid_at`` None with ``include_historical`` lifts the world-time filter; ``is_now`` tells
    the default instant from one that the caller named.
    """

    agent_id: str
    valid_at: str | None
    is_now: bool
    known_at: str | None = None
    layer: str | None = None
    tags: Sequence[str] = ()
    metadata: Mapping[str, Any] | None = None
    min_trust: float = 0.0
    include_historical: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """Where a page of the newest memories ended."""

    timestamp: str
    ordinal: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Naming:
    """How one assertion is named and valued, to tell when an alias or declaration moves it."""

    order: int
    identity: str
    kind: Kind
    subject: str
    predicate: str
    object: str | None
    content: str
    value: bytes
