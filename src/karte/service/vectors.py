"""Search by meaning: vectors of memories, kept in matrices by agent, and rows that wait for theirs.

Nothing depends on the embedder: where it fails, writes and searches go on without vectors.
"""

from __future__ import annotations

import logging
import os
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from karte.domain.drafts import Draft
from karte.domain.time import to_datetime
from karte.embedding.breaker import Breaker
from karte.embedding.protocol import checked_embedder
from karte.errors import EmbedderError, KarteError
from karte.storage.protocol import Session, Store

if TYPE_CHECKING:
    from karte.embedding.matrix import Matrix
    from karte.embedding.protocol import Embedder
    from karte.embedding.vectors import Vectors

BATCH: Final = 64
_log: Final = logging.getLogger(__name__)
MOST_KEPT: Final = 8
"""Agents whose matrices are kept."""
MOST_ENTITIES: Final = 20_000
GRACE_SECS: Final = 1.0
"""How long an engine that closes waits for a batch that is being embedded."""

Progress = Callable[[int, int], None]
_AT_ANY_TIME: Final = nullcontext()


@dataclass(frozen=True, slots=True)
class Kept:
    """An agent's matrix as of a generation of its rows."""

    generation: int
    matrix: Matrix


@dataclass(frozen=True, slots=True)
class NewNames:
    """Vectors of entities' names that were computed for a search, as of the generation of the agent's rows."""

    agent: str
    generation: int
    vectors: Mapping[str, bytes]


class VectorSearch:
    """An embedder at work over one store, by whose clock it is left alone after a failure."""

    def __init__(self, embedder: Embedder, clock: Callable[[], str]) -> None:
        self.embedder = embedder
        self.breaker = Breaker(lambda: to_datetime(clock()))
        self._kept: OrderedDict[str, Kept] = OrderedDict()
        self._lock = threading.Lock()
        self._is_waited_for = False
        self.is_asked_for = False
        """Whether somebody waits for a re-embedding: the background leaves it to that."""
        self.on_answer: Callable[[], None] | None = None
        """Called when the embedder answers and rows wait for it."""
        _searches.add(self)

    def start_over(self) -> None:
        """In a child process: nobody there holds the lock."""
        self._lock = threading.Lock()
        self.breaker.start_over()

    def of_query(self, query: str) -> Vectors | None:
        """The vector of a query, a matrix of one row; None where the embedder fails, or has failed a while ago."""
        return self._made([query])

    def answered(self) -> None:
        """Notes that the embedder answers, so that what waits for it goes on."""
        self.breaker.answered()
        if self._is_waited_for and self.on_answer is not None:
            self._is_waited_for = False
            self.on_answer()

    def left_behind(self) -> None:
        """Notes that a row waits for its vector; it gets it when the embedder answers next."""
        self._is_waited_for = True

    def _made(self, texts: Sequence[str]) -> Vectors | None:
        """The vectors, soon; None where the embedder fails: nothing that is read or written may depend on it."""
        from karte.embedding.vectors import embedded  # noqa: PLC0415 (numpy only for who has an embedder)

        if texts and not self.breaker.may_ask():
            return None
        try:
            made = embedded(self.embedder, texts, is_soon=True)
        except EmbedderError as error:
            self.tell(error)
            return None
        if texts:
            self.answered()
        return made

    def tell(self, error: KarteError) -> None:
        """Warns of a failure, once until the embedder is asked again."""
        if self.breaker.failed():
            _log.warning("%s", error)

    def with_vectors(self, drafts: Sequence[Draft]) -> list[Draft]:
        """The drafts with vectors of their texts, but for those that bring one of this model's length."""
        from karte.embedding.vectors import written  # noqa: PLC0415

        bare = [draft for draft in drafts if draft.embedding is None]
        vectors = self._made([draft.content for draft in bare])
        if vectors is None:  # they get theirs when the embedder answers again
            self.left_behind()
            return list(drafts)
        made = {id(draft): written(vector) for draft, vector in zip(bare, vectors, strict=True)}
        return [self._with(draft, made.get(id(draft), draft.embedding)) for draft in drafts]

    def _with(self, draft: Draft, embedding: bytes | None) -> Draft:
        is_ours = embedding is not None and len(embedding) == 4 * self.embedder.dimension
        return draft._replace(embedding=embedding, embedding_model=self.embedder.name if is_ours else None)

    def near(
        self, session: Session, agent: str, query: Vectors, most: int | None, also: Collection[int] = ()
    ) -> dict[int, float]:
        """How near the agent's live memories are to a query, by ordinal, as ``Matrix.near`` tells it."""
        return self._current(session, agent).near(query, most, also)

    def nearest_entities(
        self, session: Session, agent: str, query: Vectors, names: Sequence[str], most: int
    ) -> tuple[list[str], NewNames | None]:
        """The entities whose names mean most nearly what the query says; and what of it is worth keeping.

        None are near where the embedder fails.
        """
        from karte.embedding.matrix import nearest  # noqa: PLC0415
        from karte.embedding.vectors import read, written  # noqa: PLC0415

        dimension = self.embedder.dimension
        kept = session.embeddings.entities(agent, self.embedder.name)
        known = {name: kept[name] for name in names if len(kept.get(name, b"")) == 4 * dimension}
        missing = [name for name in names if name not in known][:MOST_ENTITIES]
        vectors = self._made(missing)
        if vectors is None:
            return [], None
        new = {name: written(vector) for name, vector in zip(missing, vectors, strict=True)}
        there = sorted(known | new)
        if not there:
            return [], None
        blobs = known | new
        near = nearest(query, there, read([blobs[name] for name in there], dimension), most)
        return near, NewNames(agent, session.graph.generation(agent), new) if new else None

    def keep_names(self, store: Store, new: NewNames) -> None:
        """Writes the vectors of entities down, unless somebody is writing or the agent's rows have changed since.

        What was erased in the meantime must not come back by its name.
        """
        if store.is_read_only:
            return
        try:
            with store.note() as session:
                if session.graph.generation(new.agent) == new.generation:
                    session.embeddings.put_entities(new.agent, self.embedder.name, new.vectors, session.now)
        except KarteError:
            return

    def _current(self, session: Session, agent: str) -> Matrix:
        generation = session.graph.generation(agent)
        kept = self._kept.get(agent)
        if kept is not None and kept.generation == generation:
            return kept.matrix
        with self._lock:
            kept = self._kept.get(agent)
            if kept is None or kept.generation != generation:
                kept = Kept(generation, self._renewed(session, agent, kept) or self._loaded(session, agent))
                self._kept[agent] = kept
                self._kept.move_to_end(agent)
                while len(self._kept) > MOST_KEPT:
                    self._kept.popitem(last=False)
            return kept.matrix

    def _loaded(self, session: Session, agent: str) -> Matrix:
        from karte.embedding.matrix import Matrix  # noqa: PLC0415

        dimension = self.embedder.dimension
        return Matrix.of(session.embeddings.of_agent(agent, self.embedder.name, dimension), dimension)

    def _renewed(self, session: Session, agent: str, kept: Kept | None) -> Matrix | None:
        changes = None if kept is None else session.graph.changes(agent, kept.generation)
        if kept is None or changes is None:
            return None
        ordinals = [ordinal for ordinal in changes if ordinal is not None]
        found = session.embeddings.these(agent, self.embedder.name, self.embedder.dimension, ordinals)
        return kept.matrix.changed(ordinals, found)


_searches: Final[weakref.WeakSet[VectorSearch]] = weakref.WeakSet()


def _start_over() -> None:
    for search in list(_searches):
        search.start_over()


os.register_at_fork(after_in_child=_start_over)


def vectors_of(embedder: object | None, clock: Callable[[], str]) -> VectorSearch | None:
    """An embedder at work, or None; raises ``InvalidInput`` for what is no embedder."""
    checked = checked_embedder(embedder)
    return None if checked is None else VectorSearch(checked, clock)


class Background:
    """A thread that gives waiting rows their vectors, and ends when all have one, or the embedder fails.

    It is started when the engine opens, and again when an embedder that had failed answers. What it writes it writes
    in its turn, so that whoever stops it need not wait for an embedder that does not answer.
    """

    def __init__(self, store: Store, vectors: VectorSearch) -> None:
        self._stopped = threading.Event()
        self._store = store
        self._vectors = vectors
        self._thread = self._started()
        vectors.on_answer = self.resume

    def resume(self) -> None:
        """Goes on, unless it is at work already: then it comes to what waits by itself, or with the next answer."""
        if self._thread.is_alive():
            self._vectors.left_behind()
        elif not self._stopped.is_set():
            self._thread = self._started()

    def _started(self) -> threading.Thread:
        self._turn = threading.Lock()  # of this thread: a process that was forked has another
        thread = threading.Thread(target=self._work, args=(self._turn,), name="karte-reembed", daemon=True)
        thread.start()
        return thread

    def _work(self, turn: threading.Lock) -> None:
        try:
            _reembedded(self._store, self._vectors, is_stopped=self._is_over, turn=turn)
            if self._vectors.is_asked_for:
                self._vectors.left_behind()  # of other agents
        except EmbedderError as error:
            self._vectors.left_behind()
            if not self._is_over():
                self._vectors.tell(error)
        except KarteError as error:
            self._vectors.left_behind()
            _log.warning("re-embedding stopped: %s", error)

    def _is_over(self) -> bool:
        return self._stopped.is_set() or self._vectors.is_asked_for

    def stop(self) -> None:
        """Lets it finish what it writes; what it has an embedder do only for a moment, if that answers at all."""
        self._stopped.set()
        self._thread.join(0 if self._vectors.breaker.is_resting else GRACE_SECS)
        if self._thread.is_alive():
            with self._turn:
                pass  # from here on it touches no file


def reembed(
    store: Store, vectors: VectorSearch | None, agent: str | None = None, on_progress: Progress | None = None
) -> int:
    """Gives every row that has none a vector of today's model; how many were given.

    In batches, each of a transaction of its own that embeds nothing while it holds the file. Raises ``EmbedderError``
    where the embedder fails; what was given before stays.
    """
    if vectors is None:
        return 0
    vectors.is_asked_for = True
    try:
        done = _reembedded(store, vectors, agent, on_progress)
    except EmbedderError:
        vectors.breaker.failed()
        raise
    finally:
        vectors.is_asked_for = False
    if done:
        vectors.answered()
    return done


def _reembedded(
    store: Store,
    vectors: VectorSearch,
    agent: str | None = None,
    on_progress: Progress | None = None,
    *,
    is_stopped: Callable[[], bool] = lambda: False,
    turn: AbstractContextManager[object] = _AT_ANY_TIME,
) -> int:
    from karte.embedding.vectors import embedded  # noqa: PLC0415

    model, dimension = vectors.embedder.name, vectors.embedder.dimension
    after, done, total = 0, 0, 0
    while True:
        with turn:
            if is_stopped():
                break
            with store.read() as session:
                if not done:
                    total = session.embeddings.count_pending(model, dimension, agent)
                rows = session.embeddings.pending(model, dimension, agent, after, BATCH)
        if not rows:
            break
        made = embedded(vectors.embedder, [content for _, content in rows])
        with turn:
            if is_stopped():
                break
            _keep(store, model, rows, made)
        after = rows[-1][0]
        done += len(rows)
        if on_progress is not None:
            on_progress(done, total)
    return done


def _keep(store: Store, model: str, rows: Sequence[tuple[int, str]], made: Vectors) -> None:
    from karte.embedding.vectors import written  # noqa: PLC0415

    with store.note(wait=True) as session:
        for (ordinal, content), vector in zip(rows, made, strict=True):
            session.embeddings.put(ordinal, content, model, written(vector))
