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
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from karte.domain.drafts import Draft
from karte.embedding.protocol import checked_embedder
from karte.errors import KarteError
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

Progress = Callable[[int, int], None]


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
    """An embedder at work over one store."""

    def __init__(self, embedder: Embedder) -> None:
        self.embedder = embedder
        self._kept: OrderedDict[str, Kept] = OrderedDict()
        self._lock = threading.Lock()
        self._is_waited_for = False
        self.on_answer: Callable[[], None] | None = None
        """Called when the embedder answers and rows wait for it."""
        _searches.add(self)

    def start_over(self) -> None:
        """In a child process: nobody there holds the lock."""
        self._lock = threading.Lock()

    def of_query(self, query: str) -> Vectors | None:
        """The vector of a query, a matrix of one row; None where the embedder fails."""
        return self._made([query])

    def left_behind(self) -> None:
        """Notes that a row waits for its vector; it gets it when the embedder answers next."""
        self._is_waited_for = True

    def _made(self, texts: Sequence[str]) -> Vectors | None:
        from karte.embedding.vectors import quietly  # noqa: PLC0415 (numpy only for who has an embedder)

        made = quietly(self.embedder, texts)
        if made is not None and len(texts) and self._is_waited_for and self.on_answer is not None:
            self._is_waited_for = False
            self.on_answer()
        return made

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
        from karte.embedding.vectors import quietly, read, written  # noqa: PLC0415

        dimension = self.embedder.dimension
        kept = session.embeddings.entities(agent, self.embedder.name)
        known = {name: kept[name] for name in names if len(kept.get(name, b"")) == 4 * dimension}
        missing = [name for name in names if name not in known][:MOST_ENTITIES]
        vectors = quietly(self.embedder, missing)
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


def vectors_of(embedder: object | None) -> VectorSearch | None:
    """An embedder at work, or None; raises ``InvalidInput`` for what is no embedder."""
    checked = checked_embedder(embedder)
    return None if checked is None else VectorSearch(checked)


class Background:
    """A thread that gives waiting rows their vectors, and ends when all have one, or the embedder fails.

    It is started when the engine opens, and again when an embedder that had failed answers.
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
        thread = threading.Thread(target=self._work, name="karte-reembed", daemon=True)
        thread.start()
        return thread

    def _work(self) -> None:
        try:
            reembed(self._store, self._vectors, is_stopped=self._stopped.is_set)
        except KarteError as error:
            self._vectors.left_behind()
            _log.warning("re-embedding stopped: %s", error)

    def stop(self) -> None:
        """Lets it finish its batch, and waits for that."""
        self._stopped.set()
        if self._thread.is_alive():
            self._thread.join()


def reembed(
    store: Store,
    vectors: VectorSearch | None,
    agent: str | None = None,
    on_progress: Progress | None = None,
    is_stopped: Callable[[], bool] = lambda: False,
) -> int:
    """Gives every row that has none a vector of today's model; how many were given.

    In batches, each of a transaction of its own that embeds nothing while it holds the file. Raises ``EmbedderError``
    where the embedder fails; what was given before stays.
    """
    if vectors is None:
        return 0
    from karte.embedding.vectors import embedded, written  # noqa: PLC0415

    model, dimension = vectors.embedder.name, vectors.embedder.dimension
    with store.read() as session:
        total = session.embeddings.count_pending(model, dimension, agent)
    after, done = 0, 0
    while not is_stopped():
        with store.read() as session:
            rows = session.embeddings.pending(model, dimension, agent, after, BATCH)
        if not rows:
            break
        made = embedded(vectors.embedder, [content for _, content in rows])
        with store.note(wait=True) as session:
            for (ordinal, content), vector in zip(rows, made, strict=True):
                session.embeddings.put(ordinal, content, model, written(vector))
        after = rows[-1][0]
        done += len(rows)
        if on_progress is not None:
            on_progress(done, total)
    return done
