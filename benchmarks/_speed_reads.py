"""Speed of reads over files of several sizes, beside the floor's queries over the very same file."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter

import click

from benchmarks import _workload
from benchmarks._speed_table import Line, Round, compared
from benchmarks._speed_writes import BATCH, Item, Timer, connection_of, item_of
from benchmarks._workload import AGENT, ORIGIN, Fact
from benchmarks.floor import Floor
from karte import MemoryEntry, TemporalMeta
from karte.domain.text import match_expression, parse_query
from karte.domain.time import format_instant
from karte.engine import SqliteMemoryEngine

MOST_READ = 3.0
MOST_SEARCH = 1.5
FLAT = 1.5
HISTORIES = 100
STRETCHES = 10
AHEAD = timedelta(days=4 * 365)
"""The rows are dated a minute apart: a clock that is ahead has all of a million behind it."""

Pair = tuple[Callable[[], object], Callable[[], object]]
"""A call of ours, and the floor's for the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How much is read."""

    rounds: int
    calls: int  # of each kind a round
    queries: int
    search_rounds: int
    timer: Timer = perf_counter


FULL = Sizes(rounds=5, calls=200, queries=200, search_rounds=3)
SHORT = Sizes(rounds=3, calls=30, queries=20, search_rounds=3)


@dataclass(frozen=True, slots=True)
class Source:
    """Where rows and queries come from: our generator, or files that its model wrote."""

    folder: Path | None = None

    @classmethod
    def of(cls, folder: str | None) -> Source:
        return cls(Path(folder) if folder else None)

    def facts(self) -> Iterator[Fact]:
        if self.folder is None:
            yield from _workload.facts()
            return
        with (self.folder / "facts.jsonl").open(encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                yield Fact(
                    id=row["id"],
                    content=row["content"],
                    timestamp=row["ts"],
                    tag=row["tags"][0],
                    layer=row["layer"],
                    importance=row["importance"],
                    subject=row["subject"],
                    predicate=row["predicate"],
                    object=row["object"],
                )

    def queries(self) -> list[str]:
        if self.folder is None:
            return _workload.queries([fact.content for fact in islice(self.facts(), 10_000)])
        lines = (self.folder / "queries.jsonl").read_text(encoding="utf-8").splitlines()
        return [json.loads(line)["q"] for line in lines]


def clock() -> datetime:
    return datetime.now(UTC) + AHEAD


def opened(path: Path) -> SqliteMemoryEngine:
    return SqliteMemoryEngine(path, clock=clock)


def built(folder: Path, rows: int, source: Source) -> Path:
    """A file with so many facts, and a hundred more that have ten values each; one that is there is used again."""
    path = folder / f"speed-{rows}.db"
    with opened(path) as engine:
        there = engine.status().memories
        if there == rows + HISTORIES * STRETCHES:
            return path
        if there:
            raise SystemExit(f"{path.name} holds {there:,} memories, not those of this benchmark: remove it")
        facts = source.facts()
        with click.progressbar(length=rows, label=f"{rows:,} rows".ljust(14), file=sys.stderr) as bar:
            done = 0
            while items := [item_of(fact, id=fact.id) for fact in islice(facts, min(BATCH, rows - done))]:
                _store_all(engine, items)
                done += len(items)
                bar.update(len(items))
        if done < rows:
            raise SystemExit(f"facts.jsonl holds only {done:,} facts, and {rows:,} are asked for")
        engine.store_many(_histories())
    return path


def _store_all(engine: SqliteMemoryEngine, items: Sequence[Item]) -> None:
    """Stores every one; of a million texts of words at random the guard refuses a few, which turn their words round."""
    outcomes = engine.store_many(items)
    refused = [item for item, outcome in zip(items, outcomes, strict=True) if outcome.status == "refused"]
    turned = [(replace(entry, content=" ".join(reversed(entry.content.split()))), meta) for entry, meta in refused]
    for outcome in (*(each for each in outcomes if each.status != "refused"), *engine.store_many(turned)):
        if outcome.status != "stored":
            raise SystemExit(f"not stored: {outcome}")


def _histories() -> list[Item]:
    numbers = _workload.Numbers(_workload.SUPERSEDE)
    begin = datetime.fromtimestamp(_workload.BASE, UTC)
    return [
        (
            MemoryEntry(
                content=f"version {k} {_workload.text(numbers, 10)}",
                agent_id=AGENT,
                timestamp=begin - timedelta(days=STRETCHES - k),
            ),
            TemporalMeta(
                subject=f"history{i:03d}",
                predicate="status",
                object=f"value{k}",
                valid_from=begin + timedelta(days=k),
                origin=ORIGIN,
            ),
        )
        for k in range(STRETCHES)
        for i in range(HISTORIES)
    ]


def measure(path: Path, rows: int, source: Source, sizes: Sizes) -> list[Line]:
    """Every line about reads of one file."""
    with opened(path) as engine:
        return _lines(engine, Floor(connection_of(engine)), rows, source, sizes)


def _lines(engine: SqliteMemoryEngine, floor: Floor, rows: int, source: Source, sizes: Sizes) -> list[Line]:
    now = format_instant(clock())
    kinds: dict[str, list[Pair]] = {
        "get_at": _get_at(engine, floor, rows, now),
        "get_history of 10": _get_history(engine, floor),
        "get_by_ids of 100": _get_by_ids(engine, floor, rows, sizes.calls),
        "list_recent of 50": [(lambda: engine.list_recent(AGENT, 50), lambda: floor.newest(AGENT, 50))],
    }
    queries = source.queries()[: max(20, sizes.queries // _slowness(rows))]
    searches = {
        "search": _search(engine, floor, queries, touch=True),
        "search, no access counts": _search(engine, floor, queries, touch=False),
    }
    lines = []
    steps = len(kinds) + len(searches)
    with click.progressbar(length=steps, label=f"reading {rows:,}".ljust(14), file=sys.stderr) as bar:
        for name, pairs in kinds.items():
            calls = [pairs[i % len(pairs)] for i in range(sizes.calls)]
            _timed(sizes.timer, calls)  # a file is read into memory once
            measured = [_timed(sizes.timer, calls) for _ in range(sizes.rounds)]
            lines.append(compared(name, rows, [(median(ours), median(base)) for ours, base in measured], MOST_READ))
            bar.update(1)
        for name, pairs in searches.items():
            _timed(sizes.timer, pairs)
            measured = [_timed(sizes.timer, pairs) for _ in range(sizes.search_rounds)]
            lines += [
                compared(
                    f"{name}, {which}", rows, [_at_rank(place, each) for each in measured], MOST_SEARCH, "bare FTS5"
                )
                for which, place in (("p50", 49), ("p95", 94))
            ]
            bar.update(1)
    return lines


def _slowness(rows: int) -> int:
    """A search takes longer the more rows there are: fewer queries, then."""
    return 1 if rows < 100_000 else 4


def _timed(timer: Timer, pairs: Sequence[Pair]) -> tuple[list[float], list[float]]:
    """Microseconds of each call of ours and of the floor's; now the one goes first, now the other."""
    ours, base = [], []
    for i, (call, least) in enumerate(pairs):
        first, second = (call, least) if i % 2 == 0 else (least, call)
        began = timer()
        first()
        between = timer()
        second()
        ended = timer()
        taken = (between - began) * 1e6, (ended - between) * 1e6
        ours.append(taken[i % 2])
        base.append(taken[1 - i % 2])
    return ours, base


def _at_rank(place: int, measured: tuple[list[float], list[float]]) -> Round:
    ours, base = (quantiles(times, n=100, method="inclusive")[place] for times in measured)
    return ours, base


def _get_at(engine: SqliteMemoryEngine, floor: Floor, rows: int, now: str) -> list[Pair]:
    numbers = _workload.Numbers(_workload.READS)
    pairs: list[Pair] = []
    for _ in range(200):
        number = numbers.below(rows)
        subject, predicate = _workload.fact_name(number)
        identity = floor.identity(AGENT, subject, predicate)
        pairs.append(
            (
                lambda s=subject, p=predicate: engine.get_at(AGENT, s, p),  # type: ignore[misc]
                lambda i=identity: floor.at(AGENT, i, now),  # type: ignore[misc]
            )
        )
    return pairs


def _get_history(engine: SqliteMemoryEngine, floor: Floor) -> list[Pair]:
    pairs: list[Pair] = []
    for i in range(HISTORIES):
        subject = f"history{i:03d}"
        identity = floor.identity(AGENT, subject, "status")
        pairs.append(
            (
                lambda s=subject: engine.get_history(AGENT, s, "status"),  # type: ignore[misc]
                lambda i=identity: floor.history(AGENT, i),  # type: ignore[misc]
            )
        )
    return pairs


def _get_by_ids(engine: SqliteMemoryEngine, floor: Floor, rows: int, count: int) -> list[Pair]:
    return [
        (lambda ids=ids: engine.get_by_ids(AGENT, ids), lambda ids=ids: floor.by_ids(AGENT, ids))  # type: ignore[misc]
        for ids in _workload.batches_of_ids(rows, min(count, 50))
    ]


def _search(engine: SqliteMemoryEngine, floor: Floor, queries: Sequence[str], *, touch: bool) -> list[Pair]:
    pairs: list[Pair] = []
    for query in queries:
        expression = match_expression(parse_query(query, foreign=False))  # nothing here is in another language
        if expression is not None:
            pairs.append(
                (
                    lambda q=query: engine.search(AGENT, q, 10, touch=touch),  # type: ignore[misc]
                    lambda e=expression: floor.match(e, 10),  # type: ignore[misc]
                )
            )
    return pairs


def flatness(by_rows: Sequence[Sequence[Line]]) -> list[Line]:
    """How reads by key grow from the smallest file to the largest, beyond what the floor's queries grow."""
    if len(by_rows) < 2:
        return []
    return [
        Line(
            operation=f"{large.operation}: growth",
            rows=large.rows,
            ours_us=large.ours_us,
            base_us=small.ours_us,
            base=f"at {small.rows:,}",
            ratio=large.ratio / small.ratio,
            most=FLAT,
        )
        for small, large in zip(by_rows[0], by_rows[-1], strict=True)
        if large.most == MOST_READ and large.ratio and small.ratio
    ]
