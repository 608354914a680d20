"""What is asked: Karte in its ablations, and the floor that SQLite gives by itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any

import apsw

from benchmarks._recall_sets import Corpus, Item
from karte import MemoryEntry, RetrievalWeights, TemporalMeta
from karte.memory import open_engine

Search = Callable[[str, int], list[str]]
Build = Callable[[Corpus], Search]

ABLATIONS: Mapping[str, Mapping[str, float]] = {
    "text": {"w_structure": 0.0, "w_graph": 0.0, "w_vector": 0.0},
    "+structure": {"w_graph": 0.0, "w_vector": 0.0},
    "+graph": {"w_vector": 0.0},
    "+vectors": {},
}
"""Each has what the one before it has, and one path more; all at their defaults in the end."""

ANY_WORD = re.compile(r"\w+")


def weights(switched_off: Mapping[str, float]) -> RetrievalWeights:
    """The defaults with these paths off; a path that this version has not is off anyway."""
    known = {field.name for field in fields(RetrievalWeights)}
    values: dict[str, Any] = {name: value for name, value in switched_off.items() if name in known}
    return RetrievalWeights(**values)


def ablations(*, with_vectors: bool) -> dict[str, RetrievalWeights]:
    """The ablations that differ in this version, in order."""
    found: dict[str, RetrievalWeights] = {}
    for name, switched_off in ABLATIONS.items():
        made = weights(switched_off)
        if (name != "+vectors" or with_vectors) and made not in found.values():
            found[name] = made
    return found


def fts5(corpus: Corpus) -> Search:
    """FTS5 with its own tokenizer, the words of the question joined by OR."""
    db = apsw.Connection(":memory:")
    db.execute("CREATE VIRTUAL TABLE floor USING fts5(text)")
    with db:
        db.executemany("INSERT INTO floor(rowid, text) VALUES (?, ?)", enumerate(item.text for item in corpus.items))

    def search(query: str, k: int) -> list[str]:
        expression = " OR ".join(f'"{word}"' for word in ANY_WORD.findall(query))
        found = db.execute("SELECT rowid FROM floor WHERE floor MATCH ? ORDER BY rank LIMIT ?", (expression, k))
        return [corpus.items[int(str(row))].id for (row,) in found]

    return search


class Stored:
    """Corpora in one file, each an agent, to be searched with different weights."""

    def __init__(self, path: Path, corpora: Sequence[Corpus], *, with_metadata: bool, embedder: object | None) -> None:
        self._path = str(path)
        self._embedder = embedder
        self._names: dict[str, dict[str, str]] = {}
        with open_engine(self._path, embedder=embedder) as engine:
            for corpus in corpora:
                predicates = sorted({item.fact[1] for item in corpus.items if item.fact})
                for predicate in predicates:  # the sets give several values for one relation
                    engine.declare_predicate(corpus.name, predicate, "many")
                drafts = [_draft(corpus.name, item, with_metadata=with_metadata) for item in corpus.items]
                outcomes = engine.store_many(drafts)
                pairs = zip(outcomes, corpus.items, strict=True)
                self._names[corpus.name] = {outcome.id: item.id for outcome, item in pairs if outcome.id}
                self.refused = [outcome.reason for outcome in outcomes if outcome.status in ("refused", "held")]

    @contextmanager
    def searched(self, chosen: RetrievalWeights) -> Iterator[Build]:
        """Builds searches over what is stored, ranked by these weights."""
        with open_engine(self._path, weights=chosen, embedder=self._embedder) as engine:

            def build(corpus: Corpus) -> Search:
                name = self._names[corpus.name]

                def search(query: str, k: int) -> list[str]:
                    return [name[hit.memory.id] for hit in engine.search(corpus.name, query, k, touch=False)]

                return search

            yield build


def _draft(agent: str, item: Item, *, with_metadata: bool) -> tuple[MemoryEntry, TemporalMeta]:
    known = {"session": item.session, "turn": item.turn, "speaker": item.speaker}
    metadata = {name: value for name, value in known.items() if value is not None} if with_metadata else {}
    entry = MemoryEntry(content=item.text, agent_id=agent, timestamp=item.timestamp)
    if item.fact is None:
        return entry, TemporalMeta(metadata=metadata)
    subject, predicate, value = item.fact
    return entry, TemporalMeta(subject=subject, predicate=predicate, object=value, metadata=metadata)
