"""``Karte``: one agent's memory over an engine. The place where the parts are wired together."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self
from urllib.parse import unquote, urlsplit

from karte.config import Config, load
from karte.domain.drafts import checked_items, checked_name
from karte.domain.erasure import Erasure, Exported
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
from karte.domain.trust import UNATTRIBUTED
from karte.domain.weights import RetrievalWeights
from karte.embedding.configured import configured_embedder
from karte.engine import Progress, SqliteMemoryEngine
from karte.errors import ConfigError, InvalidInput, KarteError, StorageError
from karte.memory_curation import AgentCuration
from karte.memory_life import AgentLife
from karte.memory_pages import AgentPages
from karte.memory_reflexion import AgentReflexion
from karte.service.transfer import Out
from karte.watching import AgentEvents

Item = MemoryEntry | tuple[MemoryEntry, TemporalMeta] | str | Mapping[str, Any]
"""What ``Karte.store_many`` takes: an entry (with what makes it a fact), a text, or keywords."""

_ENTRY_FIELDS = frozenset(MemoryEntry.__dataclass_fields__) - {"agent_id"}
_META_FIELDS = frozenset(TemporalMeta.__dataclass_fields__)


def open_engine(
    path: str | os.PathLike[str] | None = None,
    *,
    config: Config | None = None,
    clock: Callable[[], datetime] | None = None,
    ids: Callable[[], str] | None = None,
    embedder: object | None = None,
    weights: RetrievalWeights | None = None,
    read_only: bool = False,
    on_progress: Progress | None = None,
    default_origin: str = UNATTRIBUTED,
) -> SqliteMemoryEngine:
    """An engine over the file that ``path`` (else the configuration) names.

    ``path`` may be a plain path, ``sqlite:///path`` or ``:memory:``. The folder of the file that
    the configuration names is made if need be; a folder that the caller names must exist.
    """
    settings, embedder = _with_embedder(config or load(), embedder)
    file = os.fspath(path) if path is not None else ""
    if not file:
        file = settings.engine.path
        _make_folder(file)
    return SqliteMemoryEngine(
        file_of_url(file),
        config=settings,
        clock=clock,
        ids=ids,
        embedder=embedder,
        weights=weights,
        read_only=read_only,
        on_progress=on_progress,
        default_origin=default_origin,
    )


def _with_embedder(settings: Config, given: object | None) -> tuple[Config, object | None]:
    """The embedder that was given, else the configuration's; one that cannot be made is warned of, and missed."""
    if given is not None:
        return settings, given
    try:
        return settings, configured_embedder(settings.retrieval)
    except ConfigError as error:
        warning = f"retrieval.embedder: no search by meaning: {error}"
        return replace(settings, warnings=(*settings.warnings, warning)), None


def file_of_url(url: str) -> str:
    """The path that a store's URL names; a plain path is itself."""
    if not url.startswith("sqlite:"):
        if "://" in url:
            raise InvalidInput("no such kind of store", field="url", value=url, remedy="use a path or sqlite:///path")
        return url
    path = unquote(urlsplit(url).path)
    if path in ("", "/", "/:memory:"):
        return ":memory:"
    return path[1:]  # sqlite:///name is relative, sqlite:////name is absolute


def _make_folder(file: str) -> None:
    folder = Path(file).parent
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(
            f"the folder cannot be made ({error.strerror})",
            field="path",
            value=folder,
            remedy="name another file with --db or KARTE_DB",
        ) from error


class Karte(AgentCuration, AgentEvents, AgentLife, AgentPages, AgentReflexion):
    """One agent's memory.

    ``url`` is a path, ``sqlite:///path`` or ``:memory:``; empty means the configured file.
    ``origin`` is where its writes come from unless a call says otherwise; ``weights`` are those of
    ``search``. The calls are those of
    ``MemoryEngine`` without ``agent``; ``engine`` is the engine itself.
    """

    def __init__(
        self,
        url: str | os.PathLike[str] = "",
        *,
        agent: str = "default",
        origin: str = UNATTRIBUTED,
        clock: Callable[[], datetime] | None = None,
        ids: Callable[[], str] | None = None,
        embedder: object | None = None,
        weights: RetrievalWeights | None = None,
        config: Config | None = None,
        read_only: bool = False,
    ) -> None:
        self.agent = checked_name(agent, "agent")
        self.engine: SqliteMemoryEngine = open_engine(
            url or None,
            config=config,
            clock=clock,
            ids=ids,
            embedder=embedder,
            weights=weights,
            read_only=read_only,
            default_origin=origin,
        )

    def store(
        self,
        content: str,
        *,
        on_duplicate: Literal["store", "reaffirm"] = "store",
        **fields: Any,
    ) -> StoreOutcome:
        """Stores a memory; takes the fields of ``MemoryEntry`` and ``TemporalMeta``."""
        entry, meta = self._item(content, fields)
        return self.engine.store(entry, meta, on_duplicate=on_duplicate)

    def store_temporal(
        self,
        content: str,
        *,
        subject: str,
        predicate: str,
        object: str | None = None,
        layer: str = "semantic",
        **fields: Any,
    ) -> StoreOutcome:
        """Stores a fact: from ``valid_from`` the ``predicate`` of ``subject`` is this."""
        fact = {"subject": subject, "predicate": predicate, "object": object, "layer": layer}
        entry, meta = self._item(content, fields | fact)
        return self.engine.store_temporal(entry, meta)

    def store_many(
        self, items: Iterable[Item], *, on_progress: Callable[[int, int], None] | None = None
    ) -> list[StoreOutcome]:
        """Stores many in one transaction; a bad item is refused by itself.

        An item is a text, a mapping of the fields of ``store``, or what the engine takes (whose
        ``agent_id`` gives way to this memory's agent).
        """
        drafts: list[Any] = [self._item_or_error(item) for item in checked_items(items)]
        return self.engine.store_many(drafts, on_progress=on_progress)

    def _item_or_error(self, item: Any) -> object:
        """What the engine takes, or what it refuses by itself: an error of ours, or a thing that is no memory."""
        try:
            if isinstance(item, str):
                return self._item(item, {})
            if isinstance(item, Mapping):
                return self._item(item.get("content", ""), {name: item[name] for name in item if name != "content"})
        except KarteError as error:
            return error
        entry, *meta = item if isinstance(item, tuple) and item else (item,)
        if not isinstance(entry, MemoryEntry):
            return item
        return (replace(entry, agent_id=self.agent), *(meta or (TemporalMeta(),)))

    def _item(self, content: str, fields: Mapping[str, Any]) -> tuple[MemoryEntry, TemporalMeta]:
        unknown = fields.keys() - _ENTRY_FIELDS - _META_FIELDS
        if unknown:
            raise InvalidInput(
                "no such field",
                field=min(map(str, unknown)),
                remedy=f"use {', '.join(sorted(_ENTRY_FIELDS | _META_FIELDS))}",
            )
        given = {name: fields[name] for name in _ENTRY_FIELDS & fields.keys()}
        said = {name: fields[name] for name in _META_FIELDS & fields.keys()}
        given.pop("content", None)
        return (
            MemoryEntry(content=content, agent_id=self.agent, **given),
            TemporalMeta(**said),
        )

    def get_by_id(self, id: str, *, known_at: Instant | None = None) -> Memory | None:
        """One memory, with what holds for its fact now; None if it is not there."""
        return self.engine.get_by_id(self.agent, id, known_at=known_at)

    def get_by_ids(self, ids: Sequence[str]) -> BatchResult:
        """At most 100 memories in the order asked, and the ids that are not there."""
        return self.engine.get_by_ids(self.agent, ids)

    def update(
        self,
        id: str,
        *,
        content: str | None = None,
        tags: Sequence[str] | None = None,
        importance: float | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> Memory:
        """Changes tags, importance, metadata, or the content of a plain memory."""
        return self.engine.update(self.agent, id, content=content, tags=tags, importance=importance, metadata=metadata)

    def list_recent(self, limit: int = 50, **filters: Any) -> Page[Memory]:
        """The newest current memories; takes the filters of ``MemoryEngine.list_recent``."""
        return self.engine.list_recent(self.agent, limit, **filters)

    def search(self, query: str, limit: int = 10, **filters: Any) -> list[SearchHit]:
        """The current memories that answer a query; filters as in ``MemoryEngine.search``."""
        return self.engine.search(self.agent, query, limit, **filters)

    def search_layer(self, layer: str, query: str, limit: int = 10, **filters: Any) -> list[SearchHit]:
        """``search`` within one layer."""
        return self.engine.search_layer(self.agent, layer, query, limit, **filters)

    def get_at(
        self,
        subject: str,
        predicate: str,
        at: Instant | None = None,
        *,
        object: str | None = None,
        known_at: Instant | None = None,
    ) -> TemporalRecord | None:
        """The record that holds at an instant, or None."""
        return self.engine.get_at(self.agent, subject, predicate, at, object=object, known_at=known_at)

    def get_all_at(
        self,
        subject: str,
        predicate: str,
        at: Instant | None = None,
        *,
        known_at: Instant | None = None,
    ) -> list[TemporalRecord]:
        """Every record that holds at an instant."""
        return self.engine.get_all_at(self.agent, subject, predicate, at, known_at=known_at)

    def get_history(
        self,
        subject: str,
        predicate: str,
        *,
        object: str | None = None,
        known_at: Instant | None = None,
        include_quarantined: bool = False,
    ) -> list[TemporalRecord]:
        """Every stretch of a fact, oldest to newest."""
        return self.engine.get_history(
            self.agent,
            subject,
            predicate,
            object=object,
            known_at=known_at,
            include_quarantined=include_quarantined,
        )

    def retract(self, id: str, *, event: str = "") -> EndOutcome:
        """Takes back the assertion that made a row; what it displaced returns."""
        return self.engine.retract(self.agent, id, event=event)

    def end_fact(
        self,
        subject: str,
        predicate: str,
        at: Instant | None = None,
        event: str = "",
        *,
        object: str | None = None,
        origin: str | None = None,
    ) -> EndOutcome:
        """Ends a fact (with ``object``: that value alone) from ``at``, default now."""
        return self.engine.end_fact(self.agent, subject, predicate, at, event, object=object, origin=origin)

    def expire_by_subject(self, subject: str, *, event: str = "", origin: str | None = None) -> int:
        """Ends every current fact of exactly this subject now; gives how many there were."""
        return self.engine.expire_by_subject(self.agent, subject, event=event, origin=origin)

    def declare_predicate(
        self,
        predicate: str,
        cardinality: Cardinality,
        *,
        origin: str | None = None,
        dry_run: bool = False,
    ) -> int:
        """Says whether a predicate has one value at a time or many."""
        return self.engine.declare_predicate(self.agent, predicate, cardinality, origin=origin, dry_run=dry_run)

    def list_predicates(self) -> dict[str, str]:
        """The declared predicates and their cardinality."""
        return self.engine.list_predicates(self.agent)

    def add_alias(self, canonical: str, alias: str, *, origin: str | None = None, dry_run: bool = False) -> int:
        """Makes ``alias`` another name of ``canonical``; gives how many current facts change."""
        return self.engine.add_alias(self.agent, canonical, alias, origin=origin, dry_run=dry_run)

    def remove_alias(self, alias: str, *, origin: str | None = None, dry_run: bool = False) -> int:
        """Takes a name out of its group; gives how many current facts change."""
        return self.engine.remove_alias(self.agent, alias, origin=origin, dry_run=dry_run)

    def list_aliases(self) -> list[Alias]:
        """The aliases, by canonical name."""
        return self.engine.list_aliases(self.agent)

    def erase(
        self,
        *,
        subject: str | None = None,
        everything: bool = False,
        include_objects: bool = False,
        keep_stop_list: bool = False,
        dry_run: bool = False,
    ) -> Erasure:
        """Removes everything about an exact subject, or all of the agent, for good (``MemoryEngine.erase``)."""
        return self.engine.erase(
            self.agent,
            subject=subject,
            everything=everything,
            include_objects=include_objects,
            keep_stop_list=keep_stop_list,
            dry_run=dry_run,
        )

    def is_stopped(self, content: str) -> bool:
        """Whether a text was erased with ``keep_stop_list``."""
        return self.engine.is_stopped(self.agent, content)

    def export(self, out: Out, *, subject: str | None = None, include_objects: bool = False) -> Exported:
        """Writes all that is held of the agent, or about a subject, as JSONL to a path or a ``file.write``."""
        return self.engine.export(out, agent=self.agent, subject=subject, include_objects=include_objects)

    def import_export(self, lines: Iterable[str]) -> Exported:
        """Takes the lines that ``export`` wrote into this file, which must be empty."""
        return self.engine.import_export(lines)

    def doctor(self, *, rebuild: bool = False, on_progress: Progress | None = None) -> DoctorReport:
        """Checks the file; ``rebuild`` mends what is derived."""
        return self.engine.doctor(rebuild=rebuild, on_progress=on_progress)

    def status(self) -> Status:
        """What is in force, and how much the file holds."""
        return self.engine.status()

    def close(self) -> None:
        """Closes the file; closing again does nothing."""
        self.engine.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
