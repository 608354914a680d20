"""What goes in and what comes out: the public forms of a memory and of an answer.

Times that a caller gives are ``Instant`` (see ``karte.domain.time``); times that Karte gives are
aware ``datetime`` values in UTC.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Literal, Protocol, Self, TypeAlias, TypeVar, overload

from karte.errors import KarteError

Instant: TypeAlias = datetime | date | str | int | float
"""A point in time as a caller may write it."""

Layer = Literal["episodic", "semantic", "procedural"]
WriteStatus = Literal["stored", "reaffirmed", "held", "refused"]
State = Literal["live", "quarantined", "retracted", "purged", "rejected", "archived"]
Cardinality = Literal["one", "many"]

NO_METADATA: Mapping[str, Any] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryEntry:
    """One thing to remember.

    ``timestamp`` is when it was observed (None: now), ``importance`` 0 to 10, ``layer`` one of
    ``episodic``, ``semantic``, ``procedural``; ``id`` None asks for a new UUIDv7.
    """

    content: str
    agent_id: str = "default"
    id: str | None = None
    timestamp: Instant | None = None
    tags: Sequence[str] = ()
    embedding: Sequence[float] | None = None
    layer: str = "episodic"
    importance: float = 5.0
    access_count: int = 0
    last_accessed: Instant | None = None
    source_event: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TemporalMeta:
    """What makes a memory a fact, and where it came from.

    With a ``subject`` and a ``predicate`` the memory is a fact with a timeline.
    ``valid_from`` None means the instant of writing, ``valid_until`` None means *still true*.
    ``confidence`` is 0 to 1. ``origin`` None is the door's default; ``origin_trust`` is a claim
    that can only lower the trust of the origin's class.
    """

    subject: str | None = None
    predicate: str | None = None
    object: str | None = None
    valid_from: Instant | None = None
    valid_until: Instant | None = None
    confidence: float = 1.0
    metadata: Mapping[str, Any] = field(default_factory=dict)
    origin: str | None = None
    origin_trust: float | None = None
    derived_from: Sequence[str] = ()
    source_event: str | None = None


class FieldSource(Protocol):
    """Gives the fields of a memory by name."""

    def read(self, name: str) -> Any:
        """The value of one field; ``AttributeError`` for a name that is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldsNow:
    """What holds for a fact at the instant of the answer: its row and its start."""

    id: str
    valid_from: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """A stored memory as it reads now (or as it read at ``known_at``).

    ``is_current``: live, and world time includes the instant asked about. ``contested``: curated
    and unverified sources disagree about it. Read by id, ``holds_now`` is what holds for its fact
    now and ``continued_by`` the id under which its own value goes on.
    """

    id: str
    agent_id: str
    content: str
    timestamp: datetime
    tags: tuple[str, ...] = ()
    created_at: datetime | None = None
    layer: str = "episodic"
    importance: float = 5.0
    access_count: int = 0
    last_accessed: datetime | None = None
    source_event: str = ""
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    superseded_by: str | None = None
    supersedes: str | None = None
    subject: str | None = None
    predicate: str | None = None
    object: str | None = None
    confidence: float = 1.0
    metadata: Mapping[str, Any] = field(default_factory=dict)
    origin: str | None = None
    origin_trust: float = 1.0
    derived_from: tuple[str, ...] = ()
    ingested_at: datetime | None = None
    invalidated_by_event: str | None = None
    invalidated_at: datetime | None = None
    quarantined: bool = False
    embedding: tuple[float, ...] | None = None
    embedding_model: str | None = None
    is_current: bool = True
    contested: bool = False
    state: State = "live"
    holds_now: HoldsNow | None = None
    continued_by: str | None = None
    _source: FieldSource | None = field(default=None, init=False, repr=False, compare=False)

    def __getattr__(self, name: str) -> Any:
        """A field of a memory that was read from a store is converted when it is first asked for."""
        if name.startswith("_"):
            raise AttributeError(name)
        source = self._source
        if source is None:
            raise AttributeError(name)
        value = source.read(name)
        object.__setattr__(self, name, value)
        return value

    @classmethod
    def from_source(cls, source: FieldSource) -> Self:
        """A memory whose fields are read from a source when they are asked for."""
        memory = object.__new__(cls)
        object.__setattr__(memory, "_source", source)
        return memory


@dataclass(frozen=True, slots=True, kw_only=True)
class TemporalRecord(Memory):
    """One stretch of a fact's timeline: all of ``Memory``, and who else said so.

    ``reaffirmed_by`` holds the newest 20 ``source_event`` values that confirmed it.
    """

    reaffirmed_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Why a hit stands where it stands.

    The score is ``(text + vector + graph + structure) * recency * importance * trust``, to 1e-9.
    ``terms`` are the folded query terms that it holds, ``things`` its words for things of a kind that
    the query names (basketball, for sports); ``path`` names entities the graph walked, ``relations``
    the predicates that a chain of facts went over, the hit's own last, and ``asked`` the words of
    the query that it took for them.
    ``moves`` says where trust moved it: ``curated first`` (before a better hit that nobody vouches
    for), ``behind curated`` (that hit), ``over its origin's share`` (behind what others say);
    ``folded`` are the ids of the hits that say much the same and are counted in ``similar``.
    """

    text: float = 0.0
    vector: float = 0.0
    graph: float = 0.0
    structure: float = 0.0
    recency: float = 1.0
    importance: float = 1.0
    trust: float = 1.0
    terms: tuple[str, ...] = ()
    things: tuple[str, ...] = ()
    path: tuple[str, ...] = ()
    relations: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    moves: tuple[str, ...] = ()
    folded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchHit:
    """A memory that answers a query; the memory's own attributes can be read from the hit.

    ``similar`` counts the hits that say the same and were folded into this one.
    """

    memory: Memory
    score: float
    similar: int = 0
    explain: Explanation | None = None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # copy and pickle ask before the slots are filled
            raise AttributeError(name)
        return getattr(self.memory, name)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreOutcome:
    """What became of one write.

    ``status``: ``stored``, ``reaffirmed`` (the value stood already), ``held`` (waits for a
    decision) or ``refused`` (inside ``store_many``, with ``error``). ``id`` is the row that now
    stands for it. ``superseded`` are the rows that this write shortened. ``holds_now`` is what
    holds now, when that is not the value just written. ``similar`` are the rows that a plain
    write says nearly again, with how nearly (0.8 to 1): a report and nothing more.
    """

    status: WriteStatus
    id: str | None = None
    is_current: bool = False
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    superseded: tuple[str, ...] = ()
    holds_now: HoldsNow | None = None
    similar: tuple[tuple[str, float], ...] = ()
    approval_id: str | None = None
    reason: str | None = None
    error: KarteError | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EndOutcome:
    """What an end (or a retraction) closed: row ids, and what holds now instead.

    ``held``: the end waits for a decision. ``operation_id`` names a retraction, which can be undone.
    """

    ended: tuple[str, ...] = ()
    holds_now: HoldsNow | None = None
    held: bool = False
    approval_id: str | None = None
    operation_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchResult:
    """The memories found, in the order asked, and the ids that are not there (each once)."""

    memories: tuple[Memory, ...]
    missing_ids: tuple[str, ...]
    total_found: int
    total_missing: int


T = TypeVar("T")


class Page(Sequence[T]):
    """Some of a list: ``items``; ``next_cursor`` asks for the rest; ``total`` counts all of it.

    Counting may cost more than the page, so it is done when ``total`` is first read.
    """

    __slots__ = ("_total", "items", "next_cursor")

    def __init__(self, items: Sequence[T], next_cursor: str | None, total: int | Callable[[], int]) -> None:
        self.items = tuple(items)
        self.next_cursor = next_cursor
        self._total = total

    @property
    def total(self) -> int:
        """How many the whole list has."""
        if not isinstance(self._total, int):
            self._total = self._total()
        return self._total

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[T, ...]: ...
    def __getitem__(self, index: int | slice) -> T | tuple[T, ...]:
        return self.items[index]

    def __len__(self) -> int:
        return len(self.items)

    def __repr__(self) -> str:
        return f"Page({len(self.items)} items, next_cursor={self.next_cursor!r})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Alias:
    """``alias`` is another name of ``canonical``."""

    canonical: str
    alias: str
    created_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that ``doctor`` found: what kind, which row, and what helps."""

    kind: str
    detail: str
    id: str | None = None
    repaired: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DoctorReport:
    """The health of a file: no findings is good health."""

    findings: tuple[Finding, ...]
    checked: Mapping[str, int]
    rebuilt: tuple[str, ...] = ()

    @property
    def is_healthy(self) -> bool:
        """Whether nothing is left to mend."""
        return all(finding.repaired for finding in self.findings)


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """What is in force: the file, its size, counts and settings (with where each came from)."""

    path: str
    version: str
    schema_version: int
    sqlite_version: str
    read_only: bool
    file_bytes: int
    wal_bytes: int
    memories: int
    facts: int
    current: int
    archived: int
    quarantined: int
    agents: int
    settings: Mapping[str, Any]
    settings_from: Mapping[str, str]
    warnings: tuple[str, ...] = ()
