"""Search by meaning: vectors of memories, kept in matrices by agent, and rows that wait for theirs.

Nothing depends on the embedder: where it fails, writes and searches go on without vectors.
"""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from karte.domain.drafts import Draft
from karte.embedding.protocol import checked_embedder
from karte.errors import Busy, KarteError
from karte.storage.protocol import Session, Store

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from karte.embedding.protocol import Embedder
    from karte.embedding.vectors import Vectors

BATCH: Final = 64
_log: Final = logging.getLogger(__name__)
MOST_KEPT: Final = 8
"""Agents whose matrices are kept."""
MOST_ENTITIES: Final = 20_000

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Matrix:
    """The vectors of an agent as of a generation of its rows."""

    generation: int
    ordinals: npt.NDArray[np.int64]
    vectors: Vectors


class VectorSearch:
    """An embedder at work over one store."""

    def __init__(self, embedder: Embedder) -> None:
        self.embedder = embedder
        self._kept: OrderedDict[str, Matrix] = OrderedDict()
        self._lock = threading.Lock()
        self._names: dict[str, dict[str, bytes]] = {}

    def of_query(self, query: str) -> Vectors | None:
        """The vector of a query, a matrix of one row; None where the embedder fails."""
        from karte.embedding.vectors import quietly  # noqa: PLC0415 (numpy only for who has an embedder)

        return quietly(self.embedder, [query])

    def with_vectors(self, drafts: Sequence[Draft]) -> list[Draft]:
        """The drafts with vectors of their texts, but for those that bring one of this model's length."""
        from karte.embedding.vectors import quietly, written  # noqa: PLC0415

        bare = [draft for draft in drafts if draft.embedding is None]
        vectors = quietly(self.embedder, [draft.content for draft in bare])
        if vectors is None:  # they get theirs when the embedder answers again
            return list(drafts)
        made = {id(draft): written(vector) for draft, vector in zip(bare, vectors, strict=True)}
        return [self._with(draft, made.get(id(draft), draft.embedding)) for draft in drafts]

    def _with(self, draft: Draft, embedding: bytes | None) -> Draft:
        is_ours = embedding is not None and len(embedding) == 4 * self.embedder.dimension
        return draft._replace(embedding=embedding, embedding_model=self.embedder.name if is_ours else None)

    def near(
        self, session: Session, agent: str, query: Vectors, most: int | None, also: Collection[int] = ()
    ) -> dict[int, float]:
        """How near the agent's live memories are to a query, by ordinal: the nearest, and some ``also``.

        In standard deviations of the cosine above its mean over the agent's memories, above 0 only: what is near
        everything is near nothing, and models differ in how near they put two texts at all.
        """
        import numpy as np  # noqa: PLC0415

        matrix = self._current(session, agent)
        if not len(matrix.ordinals):
            return {}
        cosines = (matrix.vectors @ query[0]).astype(np.float64)
        spread = float(cosines.std())
        if spread == 0.0:
            return {}
        above = np.maximum((cosines - cosines.mean()) / spread, 0.0)
        chosen = above > 0.0
        if most is not None and int(chosen.sum()) > most:
            chosen = above >= np.partition(above, -most)[-most]
            chosen |= (above > 0.0) & np.isin(matrix.ordinals, list(also))
        places = np.flatnonzero(chosen)
        return dict(zip(matrix.ordinals[places].tolist(), above[places].tolist(), strict=True))

    def nearest_entities(
        self, session: Session, agent: str, query: Vectors, names: Sequence[str], most: int
    ) -> list[str]:
        """The entities whose names mean most nearly what the query says; none where the embedder fails."""
        from karte.embedding.vectors import quietly, read, written  # noqa: PLC0415

        known = self._names.get(agent) or session.embeddings.entities(agent, self.embedder.name)
        missing = [name for name in names if name not in known][:MOST_ENTITIES]
        if missing:
            vectors = quietly(self.embedder, missing)
            if vectors is None:
                return []
            known = known | {name: written(vector) for name, vector in zip(missing, vectors, strict=True)}
        self._names[agent] = known
        there = [name for name in names if len(known.get(name, b"")) == 4 * self.embedder.dimension]
        if not there:
            return []
        cosines = read([known[name] for name in there], self.embedder.dimension) @ query[0]
        order = sorted(range(len(there)), key=lambda place: (-float(cosines[place]), there[place]))
        return [there[place] for place in order[:most]]

    def keep_names(self, store: Store, agent: str) -> None:
        """Writes down the vectors of entities that were computed, unless somebody else is writing."""
        known = self._names.get(agent)
        if not known or store.is_read_only:
            return
        try:
            with store.note() as session:
                there = session.embeddings.entities(agent, self.embedder.name)
                new = {name: vector for name, vector in known.items() if name not in there}
                session.embeddings.put_entities(agent, self.embedder.name, new, session.now)
        except (Busy, KarteError):
            return

    def _current(self, session: Session, agent: str) -> Matrix:
        generation = session.graph.generation(agent)
        kept = self._kept.get(agent)
        if kept is not None and kept.generation == generation:
            return kept
        with self._lock:
            kept = self._kept.get(agent)
            if kept is None or kept.generation != generation:
                kept = self._renewed(session, agent, kept, generation) or self._loaded(session, agent, generation)
                self._kept[agent] = kept
                self._kept.move_to_end(agent)
                while len(self._kept) > MOST_KEPT:
                    self._kept.popitem(last=False)
            return kept

    def _loaded(self, session: Session, agent: str, generation: int) -> Matrix:
        import numpy as np  # noqa: PLC0415

        from karte.embedding.vectors import read  # noqa: PLC0415

        found = session.embeddings.of_agent(agent, self.embedder.name, self.embedder.dimension)
        ordinals = np.array([ordinal for ordinal, _ in found], dtype=np.int64)
        return Matrix(generation, ordinals, read([blob for _, blob in found], self.embedder.dimension))

    def _renewed(self, session: Session, agent: str, kept: Matrix | None, generation: int) -> Matrix | None:
        import numpy as np  # noqa: PLC0415

        from karte.embedding.vectors import read  # noqa: PLC0415

        if kept is None or generation < kept.generation:
            return None
        changes = session.graph.changes(agent, kept.generation)
        if changes is None:
            return None
        ordinals = [ordinal for ordinal in changes if ordinal is not None]
        found = session.embeddings.these(agent, self.embedder.name, self.embedder.dimension, ordinals)
        stays = ~np.isin(kept.ordinals, ordinals)
        added = np.array([ordinal for ordinal, _ in found], dtype=np.int64)
        vectors = read([blob for _, blob in found], self.embedder.dimension)
        return Matrix(
            generation,
            np.concatenate([kept.ordinals[stays], added]),
            np.concatenate([kept.vectors[stays], vectors]),
        )


def vectors_of(embedder: object | None) -> VectorSearch | None:
    """An embedder at work, or None; raises ``InvalidInput`` for what is no embedder."""
    checked = checked_embedder(embedder)
    return None if checked is None else VectorSearch(checked)


class Background:
    """A thread that gives waiting rows their vectors, and ends when all have one, or the embedder fails."""

    def __init__(self, store: Store, vectors: VectorSearch) -> None:
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._work, args=(store, vectors), name="karte-reembed", daemon=True)
        self._thread.start()

    def _work(self, store: Store, vectors: VectorSearch) -> None:
        try:
            reembed(store, vectors, is_stopped=self._stopped.is_set)
        except KarteError as error:
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

    model = vectors.embedder.name
    with store.read() as session:
        total = session.embeddings.count_pending(model, agent)
    after, done = 0, 0
    while not is_stopped():
        with store.read() as session:
            rows = session.embeddings.pending(model, agent, after, BATCH)
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
