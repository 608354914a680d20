"""Speed of writes: one by one, many at once, over an older value, and as the ten-thousandth value of one fact."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from statistics import median
from time import perf_counter

import apsw
import click

from benchmarks import _workload
from benchmarks._speed_table import Line, Round, compared
from benchmarks._workload import AGENT, ORIGIN, Fact
from benchmarks.floor import Floor, Written, ready_made
from karte import MemoryEntry, TemporalMeta
from karte.domain.guard.verdict import CLEAN
from karte.engine import SqliteMemoryEngine

Item = tuple[MemoryEntry, TemporalMeta]
Timer = Callable[[], float]

MOST_STORE = 3.0
MOST_MANY = 6.0
MOST_GUARDED = 4 / 3
"""The scan costs at most a third of the write without it."""
AS_FAST = 1.25
"""Two operations of the same speed may differ by this much on a machine with other work."""
BATCH = 1_000
FIRST_START = datetime(2020, 1, 1, tzinfo=UTC)
LISTED = 20
"""So many confirmations of a row are listed with it."""
ORDERS = ("forwards", "backwards", "shuffled")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How much is written."""

    rounds: int
    singles: int  # writes a round, one transaction each
    subjects: int  # facts that get a new value each round
    values: int  # of one fact
    timer: Timer = perf_counter


FULL = Sizes(rounds=10, singles=200, subjects=1_000, values=10_000)
SHORT = Sizes(rounds=3, singles=40, subjects=40, values=500)


class Files:
    """A file of the engine's and one of the floor's, which gets the rows that the engine wrote before."""

    def __init__(self, folder: Path) -> None:
        self.engine = SqliteMemoryEngine(folder / "engine.db")
        self.seen = apsw.Connection(str(folder / "engine.db"))  # to look at, between the rounds
        self.floor = Floor.made(folder / "floor.db", like=connection_of(self.engine))
        self._last = 0

    def written(self) -> list[Written]:
        """What the engine wrote since this was asked before."""
        rows = ready_made(self.seen, self._last)
        self._last = self.seen.execute("SELECT max(ordinal) FROM memories").get
        return rows

    def close(self) -> None:
        self.engine.close()
        self.seen.close()
        self.floor.connection.close()


def connection_of(engine: SqliteMemoryEngine) -> apsw.Connection:
    """The engine's own connection, to read its pragmas from."""
    connection: apsw.Connection = engine._store.connections.get()  # type: ignore[attr-defined]  # noqa: SLF001
    return connection


def measure(folder: Path, sizes: Sizes) -> list[Line]:
    """Every line about writes, with a bar."""
    files = Files(folder)
    facts = _workload.facts()
    parts: Sequence[Callable[[], list[Line]]] = (
        lambda: [_store_many(files, facts, sizes)],
        lambda: [_singles(files, facts, sizes, "store_temporal", is_fact=True)],
        lambda: [_singles(files, facts, sizes, "store", is_fact=False)],
        lambda: _guard(folder, facts, sizes),
        lambda: _supersede(files, sizes),
        lambda: [_long_history(files, sizes, order) for order in ORDERS],
        lambda: [_reaffirmed(files, sizes)],
    )
    lines: list[Line] = []
    try:
        with click.progressbar(parts, label="writing".ljust(14), file=sys.stderr) as bar:
            for part in bar:
                lines += part()
    finally:
        files.close()
    return lines


def item_of(fact: Fact, *, id: str | None = None, is_fact: bool = True) -> Item:
    """What a caller hands in for a row of the workload."""
    entry = MemoryEntry(
        content=fact.content,
        agent_id=AGENT,
        id=id,
        timestamp=fact.timestamp,
        tags=(fact.tag,),
        layer=fact.layer,
        importance=fact.importance,
        source_event="bench",
    )
    if not is_fact:
        return entry, TemporalMeta(origin=ORIGIN)
    return entry, TemporalMeta(
        subject=fact.subject,
        predicate=fact.predicate,
        object=fact.object,
        valid_from=fact.timestamp,
        origin=ORIGIN,
    )


def _each(timer: Timer, work: Callable[..., object], all_arguments: Sequence[tuple[object, ...]]) -> float:
    """Microseconds a call, on average: checkpoints and merges of the index count."""
    began = timer()
    for arguments in all_arguments:
        work(*arguments)
    return (timer() - began) / len(all_arguments) * 1e6


def _store_many(files: Files, facts: Iterator[Fact], sizes: Sizes) -> Line:
    rounds: list[Round] = []
    for _ in range(sizes.rounds):
        items = [item_of(fact) for fact in islice(facts, BATCH)]
        ours = _each(sizes.timer, files.engine.store_many, [(items,)])
        floor = _each(sizes.timer, files.floor.store_many, [(files.written(),)])
        rounds.append((ours / BATCH, floor / BATCH))
    return compared(f"store_many of {BATCH:,}, a row", sizes.rounds * BATCH, rounds, MOST_MANY)


def _singles(files: Files, facts: Iterator[Fact], sizes: Sizes, operation: str, *, is_fact: bool) -> Line:
    call = files.engine.store_temporal if is_fact else files.engine.store
    rounds: list[Round] = []
    for _ in range(sizes.rounds):
        items = [item_of(fact, is_fact=is_fact) for fact in islice(facts, sizes.singles)]
        ours = _each(sizes.timer, call, items)
        floor = _each(sizes.timer, files.floor.store, [(row,) for row in files.written()])
        rounds.append((ours, floor))
    return compared(operation, sizes.rounds * sizes.singles, rounds, MOST_STORE)


def _guard(folder: Path, facts: Iterator[Fact], sizes: Sizes) -> list[Line]:
    """What the scan of the guard adds to a write: the same writes with and without it, in turn."""
    guarded = SqliteMemoryEngine(folder / "guarded.db")
    trusting = SqliteMemoryEngine(folder / "unguarded.db")
    trusting._services = replace(trusting._services, scan=lambda texts: [CLEAN] * len(texts))  # noqa: SLF001 (there is no switch)
    both = (guarded, trusting)
    single: list[Round] = []
    many: list[Round] = []
    for _ in range(sizes.rounds):
        items = [item_of(fact) for fact in islice(facts, sizes.singles)]
        ours, other = (_each(sizes.timer, engine.store_temporal, items) for engine in both)
        single.append((ours, other))
        batch = [item_of(fact) for fact in islice(facts, BATCH)]
        ours, other = (_each(sizes.timer, engine.store_many, [(batch,)]) for engine in both)
        many.append((ours / BATCH, other / BATCH))
    for engine in both:
        engine.close()
    count = sizes.rounds * sizes.singles
    return [
        compared("store_temporal, with the scan", count, single, MOST_GUARDED, "without"),
        compared("store_many, with the scan", sizes.rounds * BATCH, many, None, "without"),
    ]


def _supersede(files: Files, sizes: Sizes) -> list[Line]:
    """Ten rounds over the same facts: the first gives each a value, the others a new one."""
    numbers = _workload.Numbers(_workload.SUPERSEDE)
    means: list[Round] = []
    old: list[str] = []
    for k in range(10):
        start = FIRST_START + timedelta(days=k)
        items = [
            _value(f"superseded{s:06d}", f"version {k} {_workload.text(numbers, 10)}", f"value{k}", start)
            for s in range(sizes.subjects)
        ]
        ours = _each(sizes.timer, files.engine.store_temporal, items)
        rows = files.written()
        if k == 0:
            floor = _each(sizes.timer, files.floor.store, [(row,) for row in rows])
        else:
            text = start.isoformat(timespec="microseconds")
            floor = _each(
                sizes.timer, files.floor.supersede, [(row, id, text) for row, id in zip(rows, old, strict=True)]
            )
        old = [row[0][0] for row in rows]
        means.append((ours, floor))
    first, later = means[0], means[1:]
    count = sizes.subjects * 10
    return [
        compared("supersede (floor: with an UPDATE)", count, later, MOST_STORE),
        _growth("supersede, the last three times", count, later),
        compared("supersede", count, [(ours, first[0]) for ours, _ in later], None, "first values"),
    ]


def _growth(operation: str, rows: int, rounds: Sequence[Round]) -> Line:
    """The last three rounds against the first three, each as so many times its floor."""
    early, late = rounds[:3], rounds[-3:]
    return Line(
        operation=operation,
        rows=rows,
        ours_us=median(ours for ours, _ in late),
        base_us=median(ours for ours, _ in early),
        base="first three",
        ratio=median(ours / floor for ours, floor in late) / median(ours / floor for ours, floor in early),
        most=AS_FAST,
    )


def _long_history(files: Files, sizes: Sizes, order: str) -> Line:
    """The last of very many values of one fact, in turn with such a value of new facts that have few.

    Forwards and backwards that is a second value; shuffled, one among six others.
    """
    starts = _starts(order, sizes.values)
    few = {"forwards": (-1,), "backwards": (1,), "shuffled": (-1, 1, 2, 3, 4, 5)}[order]

    def value(subject: str, i: int) -> Item:
        return _value(subject, f"value number {i}", f"object{i}", starts[i])

    def others(i: int) -> list[Item]:
        return [_value(f"{order} {i}", f"value {n} of {i}", f"other{n}", starts[i] + timedelta(seconds=n)) for n in few]

    base = "2nd value" if len(few) == 1 else f"one among {len(few) + 1}"
    return _last_ones(files, sizes, f"value, {order}", base, value, others)


def _reaffirmed(files: Files, sizes: Sizes) -> Line:
    """The last of very many confirmations of one value, in turn with the first that a row no longer lists all of."""
    starts = _starts("forwards", sizes.values)

    def confirmation(subject: str, i: int) -> Item:
        return _value(subject, "the same", "object", starts[i], event=f"e{i}")

    def earlier(i: int) -> list[Item]:
        return [
            _value(f"reaffirmation {i}", "the same", "object", starts[i] - timedelta(hours=n), event=f"e-{n}")
            for n in range(LISTED + 1, 0, -1)
        ]

    return _last_ones(files, sizes, "reaffirmation", f"{LISTED + 1}st one", confirmation, earlier)


def _last_ones(
    files: Files,
    sizes: Sizes,
    kind: str,
    base: str,
    item: Callable[[str, int], Item],
    before: Callable[[int], list[Item]],
) -> Line:
    """One fact gets all its values but the last; then its last ones take turns with those of new facts."""
    engine, order = files.engine, kind.rpartition(" ")[2]
    measured = min(sizes.singles * sizes.rounds // 2, sizes.values // 5)
    grown, size = sizes.values - measured, measured // sizes.rounds
    for begin in range(0, grown, BATCH):
        engine.store_many([item(f"much {kind}", i) for i in range(begin, min(begin + BATCH, grown))])
    rounds: list[Round] = []
    for begin in range(grown, grown + size * sizes.rounds, size):
        numbered = range(begin, begin + size)
        engine.store_many([earlier for i in numbered for earlier in before(i)])
        fresh = _each(sizes.timer, engine.store_temporal, [item(f"{order} {i}", i) for i in numbered])
        much = _each(sizes.timer, engine.store_temporal, [item(f"much {kind}", i) for i in numbered])
        rounds.append((much, fresh))
    return compared(f"the {sizes.values:,}th {kind}", sizes.values, rounds, AS_FAST, base)


def _starts(order: str, count: int) -> list[datetime]:
    starts = [FIRST_START + timedelta(minutes=i) for i in range(count)]
    if order == "backwards":
        starts.reverse()
    elif order == "shuffled":
        random.Random(_workload.SEED).shuffle(starts)
    return starts


def _value(subject: str, content: str, value: str, start: datetime, *, event: str = "bench") -> Item:
    return (
        MemoryEntry(content=content, agent_id=AGENT, layer="semantic", source_event=event),
        TemporalMeta(subject=subject, predicate="status", object=value, valid_from=start, origin=ORIGIN),
    )
