"""A memory as the store keeps it: written instants as text, lists and objects already read."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, NamedTuple, cast

from karte.domain.assertions import OPEN, Assertion, Kind
from karte.domain.model import State
from karte.domain.rows import Reaffirmation, Support

RETRACTED_STATES: Final = frozenset({"retracted", "purged", "rejected"})


class StoredMemory(NamedTuple):
    """One row as it is written: instants as text, lists and objects as JSON text.

    A tuple, because rows come and go by the hundred: a store reads one from its row and writes it
    without converting anything. The fields after ``support`` are not written: ``is_archived``
    tells that the row was in the archive, ``withdrawn`` how it is retracted or held *today*, whatever it
    was at the instant of belief that was asked about.
    """

    id: str
    agent_id: str
    content: str
    timestamp: str
    tags_json: str = "[]"
    created_at: str | None = None
    layer: str = "episodic"
    importance: float = 5.0
    access_count: int = 0
    last_accessed: str | None = None
    source_event: str | None = ""
    valid_from: str | None = None
    valid_until: str | None = None
    superseded_by: str | None = None
    supersedes: str | None = None
    subject: str | None = None
    predicate: str | None = None
    object: str | None = None
    confidence: float = 1.0
    metadata_json: str = "{}"
    origin: str | None = None
    origin_trust: float = 1.0
    derived_from_json: str | None = None
    ingested_at: str | None = None
    invalidated_by_event: str | None = None
    invalidated_at: str | None = None
    embedding: bytes | None = None
    embedding_model: str | None = None
    quarantined: int = 0
    ordinal: int = 0
    identity: str | None = None
    assertion: int | None = None
    recorded_at: str | None = None
    state: str | None = None
    is_made: int = 1
    is_contested: int = 0
    support: str | None = None
    claimed_trust: float | None = None
    is_archived: int = 0
    withdrawn: str | None = None

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags."""
        return read_list(self.tags_json)

    @property
    def metadata(self) -> Mapping[str, Any]:
        """The metadata, ours included."""
        return read_object(self.metadata_json)

    @property
    def derived_from(self) -> tuple[str, ...]:
        """The ids that it was derived from."""
        return read_list(self.derived_from_json)

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
            return cast(State, self.withdrawn or self.state)  # the column holds these names only
        if self.quarantined:
            return "quarantined"
        return "archived" if self.is_archived else "live"


def read_list(text: str | None) -> tuple[str, ...]:
    """The texts of a JSON list; what is malformed (an older file's) reads as none."""
    if not text or text == "[]":
        return ()
    try:
        items = json.loads(text)
    except (ValueError, RecursionError):
        return ()
    return tuple(item for item in items if isinstance(item, str)) if isinstance(items, list) else ()


def read_object(text: str | None) -> dict[str, Any]:
    """A JSON object; what is malformed (an older file's) reads as empty."""
    if not text or text == "{}":
        return {}
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def write_list(items: tuple[str, ...]) -> str:
    """A JSON list of texts."""
    return _write_list(items) if items else "[]"


@lru_cache(maxsize=4096)
def _write_list(items: tuple[str, ...]) -> str:
    return json.dumps(items, ensure_ascii=False)


def write_support(support: Support) -> str:
    """What a row's confidence is computed from, as JSON."""
    if not support.reaffirmed and len(support.voices) <= 1:  # by far the most; a tenth of the time
        voices = f'"{support.voices[0]}"' if support.voices else ""
        return (
            f'{{"first": {support.first}, "first_order": {support.first_order},'
            f' "voices": [{voices}], "reaffirmed": []}}'
        )
    return json.dumps(
        {
            "first": support.first,
            "first_order": support.first_order,
            "voices": support.voices,
            "reaffirmed": [_written(item) for item in support.reaffirmed],
        },
        ensure_ascii=False,
    )


def write_reaffirmations(support: Support) -> str | None:
    """The JSON of ``metadata.reaffirmed_by``; None where nothing confirmed the row."""
    if not support.reaffirmed:
        return None
    return json.dumps([_written(item) for item in support.reaffirmed], ensure_ascii=False)


def read_support(text: str) -> Support:
    """What ``write_support`` wrote."""
    value = json.loads(text)
    return Support(
        first=value["first"],
        first_order=value["first_order"],
        voices=tuple(value["voices"]),
        reaffirmed=tuple(Reaffirmation(**item) for item in value["reaffirmed"]),
    )


def _written(item: Reaffirmation) -> dict[str, str | None]:
    return {"source_event": item.source_event, "origin": item.origin, "at": item.at}


class Cited(NamedTuple):
    """A memory that another is derived from: its trust now, and what it would be had nothing been taken back."""

    trust: float
    claim: float


UNCITABLE: Final = Cited(0.0, 0.0)
"""Not there, another agent's, held or rejected."""


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
