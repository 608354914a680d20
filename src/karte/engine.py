"""The engine: every call names its agent. ``SqliteMemoryEngine`` is its form over a file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self

from karte.ambient import system_clock, time_ordered_ids
from karte.config import Config
from karte.domain.drafts import checked_origin
from karte.domain.model import (
    Alias,
    BatchResult,
    Cardinality,
    DoctorReport,
    EndOutcome,
    Instant,
    Memory,
    MemoryEntry,
    Page,
    SearchHit,
    Status,
    StoreOutcome,
    TemporalMeta,
    TemporalRecord,
)
from karte.domain.time import format_instant
from karte.domain.trust import UNATTRIBUTED
from karte.domain.weights import RetrievalWeights, checked_weights
from karte.engine_curation import EngineCuration
from karte.engine_life import EngineLife
from karte.engine_pages import EnginePages, pages_root
from karte.engine_reflexion import EngineReflexion
from karte.errors import InvalidInput
from karte.service import aliases, batch, ends, history, maintenance, recall, remember
from karte.service import doctor as health
from karte.service.rights import Rights
from karte.service.services import Services, decay_in_force, rule_in_force, scan_in_force
from karte.service.transactions import reading, write_touches
from karte.service.vectors import Background, vectors_of
from karte.watching import EngineEvents

if TYPE_CHECKING:
    from karte.storage.page_protocol import PageFolder
    from karte.storage.protocol import Store

Progress = Callable[[str, int, int], None]


class MemoryEngine(EngineCuration, EngineEvents, EngineLife, EnginePages, EngineReflexion, Rights):
    """Memories of many agents over one store.

    Times are ``Instant`` values (see ``karte.domain.time``); ``valid_at`` and ``known_at`` name
    the two axes and default to now. Errors are those of ``karte.errors``; a call that fails
    changes nothing.
    """

    def __init__(
        self,
        store: Store,
        *,
        new_id: Callable[[], str],
        config: Config,
        default_origin: str,
        weights: RetrievalWeights | None = None,
        embedder: object | None = None,
        pages: PageFolder | None = None,
    ) -> None:
        self.config = config
        self._store = store
        self._background: Background | None = None
        self._services = Services(
            store=store,
            new_id=new_id,
            protect_curated=config.authority.protect_curated,
            default_origin=checked_origin(default_origin),
            burst_rule=rule_in_force(config.knowledge_guard),
            scan=scan_in_force(config.knowledge_guard),
            weights=checked_weights(weights),
            vectors=vectors_of(embedder, store.clock),
            decay_rule=decay_in_force(config.retrieval),
            pages=pages,
        )

    def store(
        self,
        entry: MemoryEntry,
        meta: TemporalMeta | None = None,
        *,
        on_duplicate: Literal["store", "reaffirm"] = "store",
    ) -> StoreOutcome:
        """Stores a memory; with a subject and a predicate in ``meta`` it is a fact.

        ``on_duplicate="reaffirm"`` counts a plain memory of the same text (Unicode form and outer
        white space aside) as confirmed instead of storing it again.
        """
        if on_duplicate not in ("store", "reaffirm"):
            raise InvalidInput(
                "no such choice",
                field="on_duplicate",
                value=on_duplicate,
                remedy='use "store" or "reaffirm"',
            )
        return remember.store(self._services, entry, meta, is_reaffirming=on_duplicate == "reaffirm")

    def store_temporal(self, entry: MemoryEntry, meta: TemporalMeta) -> StoreOutcome:
        """Stores a fact: from ``valid_from`` (until ``valid_until``, if said) the value is this.

        Without both a subject and a predicate it is a plain dated memory.
        """
        return remember.store(self._services, entry, meta)

    def store_many(
        self,
        items: Iterable[MemoryEntry | tuple[MemoryEntry, TemporalMeta]],
        *,
        on_progress: Callable[[int, int], None] | None = None,
    ) -> list[StoreOutcome]:
        """Stores many in one transaction, in their order.

        A bad item is refused by itself: its outcome has ``status`` ``refused`` and the error.
        """
        return remember.store_many(self._services, items, on_progress)

    def get_by_id(self, agent: str, id: str, *, known_at: Instant | None = None) -> Memory | None:
        """One memory of the agent, with what holds for its fact now; None if it is not there."""
        return batch.get_by_id(self._services, agent, id, known_at=known_at)

    def get_by_ids(self, agent: str, ids: Sequence[str]) -> BatchResult:
        """At most 100 memories in the order asked, and the ids that are not there."""
        return batch.get_by_ids(self._services, agent, ids)

    def update(
        self,
        agent: str,
        id: str,
        *,
        content: str | None = None,
        tags: Sequence[str] | None = None,
        importance: float | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> Memory:
        """Changes tags, importance, the caller's metadata, or the content of a plain memory."""
        return maintenance.update(
            self._services, agent, id, content=content, tags=tags, importance=importance, metadata=metadata
        )

    def list_recent(
        self,
        agent: str,
        limit: int = 50,
        *,
        layer: str | None = None,
        tags: Sequence[str] = (),
        valid_at: Instant | None = None,
        known_at: Instant | None = None,
        include_historical: bool = False,
        cursor: str | None = None,
    ) -> Page[Memory]:
        """The newest current memories by ``timestamp``, a page at a time."""
        return recall.list_recent(
            self._services,
            agent,
            limit,
            layer=layer,
            tags=tags,
            valid_at=valid_at,
            known_at=known_at,
            include_historical=include_historical,
            cursor=cursor,
        )

    def search(
        self,
        agent: str,
        query: str,
        limit: int = 10,
        *,
        layer: str | None = None,
        tags: Sequence[str] = (),
        metadata: Mapping[str, Any] | None = None,
        valid_at: Instant | None = None,
        known_at: Instant | None = None,
        min_trust: float = 0.0,
        include_historical: bool = False,
        touch: bool = True,
        explain: bool = False,
    ) -> list[SearchHit]:
        """The current memories that answer a query, best first.

        ``tags`` asks for all of them, ``metadata`` for equal keys. ``touch=False`` leaves the
        access counts alone; ``explain=True`` says why each hit stands where it stands.
        """
        return recall.search(
            self._services,
            agent,
            query,
            limit,
            layer=layer,
            tags=tags,
            metadata=metadata,
            valid_at=valid_at,
            known_at=known_at,
            min_trust=min_trust,
            include_historical=include_historical,
            touch=touch,
            explain=explain,
        )

    def search_layer(self, agent: str, layer: str, query: str, limit: int = 10, **same: Any) -> list[SearchHit]:
        """``search`` within one layer; takes the same other arguments."""
        return self.search(agent, query, limit, layer=layer, **same)

    def get_at(
        self,
        agent: str,
        subject: str,
        predicate: str,
        at: Instant | None = None,
        *,
        object: str | None = None,
        known_at: Instant | None = None,
    ) -> TemporalRecord | None:
        """The record that holds at an instant, or None.

        Raises ``AmbiguousValue`` where several hold (a predicate declared many-valued).
        """
        return history.get_at(self._services, agent, subject, predicate, at, object=object, known_at=known_at)

    def get_all_at(
        self,
        agent: str,
        subject: str,
        predicate: str,
        at: Instant | None = None,
        *,
        known_at: Instant | None = None,
    ) -> list[TemporalRecord]:
        """Every record that holds at an instant."""
        return history.get_all_at(self._services, agent, subject, predicate, at, known_at=known_at)

    def get_history(
        self,
        agent: str,
        subject: str,
        predicate: str,
        *,
        object: str | None = None,
        known_at: Instant | None = None,
        include_quarantined: bool = False,
    ) -> list[TemporalRecord]:
        """Every stretch of a fact, oldest to newest; retracted ones are there, marked."""
        return history.get_history(
            self._services,
            agent,
            subject,
            predicate,
            object=object,
            known_at=known_at,
            include_quarantined=include_quarantined,
        )

    def end_fact(
        self,
        agent: str,
        subject: str,
        predicate: str,
        at: Instant | None = None,
        event: str = "",
        *,
        object: str | None = None,
        origin: str | None = None,
    ) -> EndOutcome:
        """Ends a fact: nothing holds from ``at`` (default now) until the next start.

        With ``object`` only that value ends, and what lies under it shows again.
        """
        return ends.end_fact(self._services, agent, subject, predicate, at, event, object=object, origin=origin)

    def expire_by_subject(self, agent: str, subject: str, *, event: str = "", origin: str | None = None) -> int:
        """Ends every current fact of exactly this subject now; gives how many there were."""
        return ends.expire_by_subject(self._services, agent, subject, event=event, origin=origin)

    def declare_predicate(
        self,
        agent: str,
        predicate: str,
        cardinality: Cardinality,
        *,
        origin: str | None = None,
        dry_run: bool = False,
    ) -> int:
        """Says whether a predicate has one value at a time or many.

        Gives how many current facts that changes; a dry run changes none.
        """
        return aliases.declare_predicate(self._services, agent, predicate, cardinality, origin=origin, dry_run=dry_run)

    def list_predicates(self, agent: str) -> dict[str, str]:
        """The declared predicates and their cardinality."""
        return aliases.list_predicates(self._services, agent)

    def add_alias(
        self,
        agent: str,
        canonical: str,
        alias: str,
        *,
        origin: str | None = None,
        dry_run: bool = False,
    ) -> int:
        """Makes ``alias`` another name of ``canonical``; gives how many current facts change."""
        return aliases.add_alias(self._services, agent, canonical, alias, origin=origin, dry_run=dry_run)

    def remove_alias(self, agent: str, alias: str, *, origin: str | None = None, dry_run: bool = False) -> int:
        """Takes a name out of its group; gives how many current facts change."""
        return aliases.remove_alias(self._services, agent, alias, origin=origin, dry_run=dry_run)

    def list_aliases(self, agent: str) -> list[Alias]:
        """The agent's aliases, by canonical name."""
        return aliases.list_aliases(self._services, agent)

    def doctor(self, *, rebuild: bool = False, on_progress: Progress | None = None) -> DoctorReport:
        """Checks the file; ``rebuild`` mends what is derived and settles what overlaps."""
        return health.doctor(self._services, rebuild=rebuild, on_progress=on_progress)

    def status(self) -> Status:
        """What is in force, how much the file holds, and how large it is."""
        return health.status(self._services, self.config)

    def close(self) -> None:
        """Closes the file; closing again does nothing."""
        if self._background is not None:
            self._background.stop()
        write_touches(self._services)
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class SqliteMemoryEngine(MemoryEngine):
    """The engine over one SQLite file; ``":memory:"`` keeps nothing.

    ``clock`` gives an aware datetime and ``ids`` a new identifier; both have good defaults.
    ``on_progress(stage, done, total)`` hears of an upgrade of an older file. ``weights`` are
    those of ``search``; ``embedder`` (a name, a dimension, ``embed(texts)``) adds search by meaning.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        config: Config | None = None,
        clock: Callable[[], datetime] | None = None,
        ids: Callable[[], str] | None = None,
        embedder: object | None = None,
        weights: RetrievalWeights | None = None,
        read_only: bool = False,
        on_progress: Progress | None = None,
        default_origin: str = UNATTRIBUTED,
    ) -> None:
        from karte.storage.page_files import PageFiles  # noqa: PLC0415 (a store is a choice)
        from karte.storage.sqlite.store import SqliteStore  # noqa: PLC0415 (as above)

        settings = config or Config()
        tell = clock or system_clock
        file = os.fspath(path)
        root = pages_root(file, settings)
        super().__init__(
            SqliteStore(
                file,
                lambda: format_instant(tell()),
                busy_timeout_secs=settings.engine.busy_timeout_secs,
                synchronous=settings.engine.synchronous,
                is_read_only=read_only,
                on_progress=on_progress,
            ),
            new_id=ids or time_ordered_ids(tell),
            config=settings,
            default_origin=default_origin,
            weights=weights,
            embedder=embedder,
            pages=None if root is None else PageFiles(root),
        )
        if self._services.vectors is not None and not read_only and file != ":memory:":
            self._background = Background(self._store, self._services.vectors)
        with reading(self._services):  # what is overdue is settled by whoever opens the file
            pass
