"""How SQLite answers the statements of hot calls, and how many there are.

The statements are taken from real calls as the connection runs them, so the tests follow the code.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import apsw
import pytest

from karte import MemoryEntry, TemporalMeta
from karte.engine import SqliteMemoryEngine

AGENT = "agent"
FACTS = 2_000
PLAIN = 500
LONG = 300
START = datetime(2020, 1, 1, tzinfo=UTC)

Call = Callable[[SqliteMemoryEngine], object]


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the plan of one statement."""

    statement: str
    detail: str

    @property
    def is_walk(self) -> bool:
        """Whether it reads a whole table, or all rows of an agent, of one that grows."""
        kind, name, *_ = *self.detail.split(), ""
        if name not in GROWING:
            return False
        if kind == "SCAN":
            return "VIRTUAL TABLE INDEX" not in self.detail
        _, _, asked = self.detail.rpartition("(")
        return kind == "SEARCH" and set(COLUMN.findall(asked)) <= UNSELECTIVE

    @property
    def is_sort(self) -> bool:
        return "TEMP B-TREE" in self.detail


GROWING = frozenset(
    (
        "memories m memories_archive x memory_assertions a b memory_revisions r memory_index f memory_sources s events"
    ).split()
)
"""Tables that grow with every write, and the names that our statements give them."""
UNSELECTIVE = frozenset({"agent_id", "valid_until", "timestamp", "layer", "importance", "state"})
"""What very many rows of an agent have in common."""
COLUMN = re.compile(r"(\w+)[<>=]+")


class Traced:
    """The statements that one connection runs."""

    def __init__(self, engine: SqliteMemoryEngine) -> None:
        self.connection: apsw.Connection = engine._store.connections.get()  # type: ignore[attr-defined]

    def statements(self, call: Callable[[], object]) -> list[tuple[str, Any]]:
        found: list[tuple[str, Any]] = []

        def trace(_cursor: apsw.Cursor, statement: str, bindings: Any) -> bool:
            found.append((statement.strip(), bindings))
            return True

        self.connection.exec_trace = trace
        try:
            call()
        finally:
            self.connection.exec_trace = None
        return found

    def steps(self, call: Callable[[], object]) -> list[Step]:
        return [
            Step(statement, row[3])
            for statement, bindings in self.statements(call)
            if statement.startswith(("SELECT", "WITH", "INSERT", "UPDATE", "DELETE"))
            for row in self.connection.execute(f"EXPLAIN QUERY PLAN {statement}", bindings)
        ]

    def work(self, call: Callable[[], object]) -> int:
        """How many instructions SQLite ran, in tens: like time, but the same on every machine."""
        ticks = 0

        def tick() -> bool:
            nonlocal ticks
            ticks += 1
            return False

        self.connection.set_progress_handler(tick, 10)
        try:
            call()
        finally:
            self.connection.set_progress_handler(None)
        return ticks


def value(
    subject: str,
    text: str,
    start: datetime,
    *,
    predicate: str = "status",
    until: datetime | None = None,
    origin: str = "user_direct",
    derived_from: Sequence[str] = (),
) -> Any:
    return (
        MemoryEntry(content=f"{subject} has {text} now", agent_id=AGENT, layer="semantic", tags=("green",)),
        TemporalMeta(
            subject=subject,
            predicate=predicate,
            object=text,
            valid_from=start,
            valid_until=until,
            origin=origin,
            derived_from=derived_from,
        ),
    )


def note(i: int) -> MemoryEntry:
    return MemoryEntry(content=f"note {i} about topic{i % 7} and common words", agent_id=AGENT, id=f"note-{i}")


def fill(engine: SqliteMemoryEngine) -> None:
    engine.declare_predicate(AGENT, "knows", "many")
    engine.store_many([note(i) for i in range(PLAIN)])
    engine.store_many([value(f"s{i}", f"value{i}", START) for i in range(FACTS)])
    engine.store_many([value("person", f"friend{i}", START, predicate="knows") for i in range(50)])
    engine.store_many([value("long", f"turn{i}", START + timedelta(days=i)) for i in range(LONG)])
    engine.store_many([value(f"few{i}", "said", START, origin="channel:few") for i in range(3)])
    engine.store_many(
        [
            value("spans", f"turn{i}", START + timedelta(days=9 * i), until=START + timedelta(days=9 * i + 4))
            for i in range(50)
        ]
    )


@pytest.fixture(scope="module", params=["plain", "analysed"])
def engine(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqliteMemoryEngine]:
    path: Path = tmp_path_factory.mktemp("plans") / "memory.db"
    with SqliteMemoryEngine(path) as made:
        fill(made)
        if request.param == "analysed":
            Traced(made).connection.execute("ANALYZE")
    with SqliteMemoryEngine(path) as opened:
        yield opened


READS: dict[str, Call] = {
    "get_at": lambda e: e.get_at(AGENT, "s7", "status"),
    "get_at in a long history": lambda e: e.get_at(AGENT, "long", "status", START + timedelta(days=40)),
    "get_at of one of many values": lambda e: e.get_at(AGENT, "person", "knows", object="friend3"),
    "get_all_at of many values": lambda e: e.get_all_at(AGENT, "person", "knows"),
    "get_history": lambda e: e.get_history(AGENT, "long", "status"),
    "get_history of many values": lambda e: e.get_history(AGENT, "person", "knows"),
    "get_by_id": lambda e: e.get_by_id(AGENT, "note-3"),
    "get_by_ids": lambda e: e.get_by_ids(AGENT, [f"note-{i}" for i in range(100)]),
    "list_recent": lambda e: e.list_recent(AGENT, 50),
    "list_recent, a later page": lambda e: e.list_recent(AGENT, 50, cursor=e.list_recent(AGENT, 50).next_cursor),
    "list_recent of a layer": lambda e: e.list_recent(AGENT, 50, layer="semantic", tags=("green",)),
    "search": lambda e: e.search(AGENT, "common topic3", 10),
    "search with filters": lambda e: e.search(
        AGENT, "value7 green", 10, layer="semantic", tags=("green",), min_trust=0.2
    ),
    "search in the past": lambda e: e.search(AGENT, "turn8", 10, valid_at=START + timedelta(days=8)),
    "events": lambda e: e.events(after=3),
    "events of an agent": lambda e: e.events(AGENT, kinds=["knowledge.purged", "knowledge.erased"], newest_first=True),
    "events of a kind": lambda e: e.events(kinds=["prompt_injection"], newest_first=True),
    "events, the audit": lambda e: e.audit(),
}
BEST = "ORDER BY +rank, rowid LIMIT :most)"
"""The one sort of a search: matches come in no order, and FTS5's own sort of them keeps them all."""
IN_ORDER = [name for name in READS if name.startswith(("get_at", "get_by", "list_recent", "search", "events"))]


def write_calls() -> dict[str, Call]:
    return {
        "store": lambda e: e.store(MemoryEntry(content="one more", agent_id=AGENT)),
        "store_temporal, a new fact": lambda e: e.store_temporal(*value("fresh", "first", START)),
        "store_temporal, the next value": lambda e: e.store_temporal(
            *value("long", "last", datetime(2026, 1, 1, tzinfo=UTC))
        ),
        "store_temporal, an earlier value": lambda e: e.store_temporal(
            *value("long", "between", START + timedelta(days=40, hours=3))
        ),
        "store_temporal, a stretch": lambda e: e.store_temporal(
            *value("spans", "within", START + timedelta(days=20), until=START + timedelta(days=30))
        ),
        "store_temporal, confirmed": lambda e: e.store_temporal(*value("s9", "value9", START + timedelta(days=3))),
        "store_temporal, derived": lambda e: e.store_temporal(
            *value("s17", "derived", START + timedelta(days=1), derived_from=("note-5",))
        ),
        "end_fact": lambda e: e.end_fact(AGENT, "s11", "status"),
        "expire_by_subject": lambda e: e.expire_by_subject(AGENT, "s13"),
        "retract": lambda e: e.retract(AGENT, e.get_history(AGENT, "s15", "status")[0].id),
        "update": lambda e: e.update(AGENT, "note-9", content="another text"),
        "forget": lambda e: e.forget(AGENT, "note-11"),
        "restore": lambda e: e.restore(AGENT, "note-11"),
    }


@pytest.mark.requirement("read.plans-use-indexes")
@pytest.mark.parametrize("name", READS)
def test_a_read_walks_over_no_whole_table(engine: SqliteMemoryEngine, name: str) -> None:
    READS[name](engine)  # the graph is built once after a write, from all rows
    steps = Traced(engine).steps(lambda: READS[name](engine))
    assert steps
    walks = [step for step in steps if step.is_walk and not is_newest_first(step, steps)]
    assert not walks


def is_newest_first(step: Step, steps: Sequence[Step]) -> bool:
    """Whether it walks along an agent's rows in their order, and stops when the page is full."""
    sorts = [other for other in steps if other.statement == step.statement and other.is_sort]
    return "idx_memories_agent " in step.detail and "LIMIT :limit" in step.statement and not sorts


@pytest.mark.requirement("read.plans-use-indexes")
@pytest.mark.parametrize("name", IN_ORDER)
def test_an_index_gives_the_order(engine: SqliteMemoryEngine, name: str) -> None:
    READS[name](engine)  # the graph is built once after a write
    steps = Traced(engine).steps(lambda: READS[name](engine))
    assert not [step for step in steps if step.is_sort and BEST not in step.statement]


@pytest.mark.requirement("read.plans-use-indexes")
@pytest.mark.parametrize("name", write_calls())
def test_a_write_walks_over_no_whole_table(engine: SqliteMemoryEngine, name: str) -> None:
    steps = Traced(engine).steps(lambda: write_calls()[name](engine))
    assert not [step for step in steps if step.is_walk]


@pytest.mark.requirement("read.plans-use-indexes", "rollback.undo")
def test_an_undo_walks_over_no_whole_table(engine: SqliteMemoryEngine) -> None:
    operation = engine.invalidate_by_origin(AGENT, "channel:few").operation_id
    assert operation is not None
    steps = Traced(engine).steps(lambda: engine.undo_operation(operation))
    assert steps
    assert not [step for step in steps if step.is_walk]


@pytest.mark.requirement("read.plans-use-indexes")
def test_facts_are_found_through_their_identity(engine: SqliteMemoryEngine) -> None:
    traced = Traced(engine)
    for name in ("get_at", "get_at in a long history", "get_history", "get_all_at of many values"):
        details = [step.detail for step in traced.steps(lambda name=name: READS[name](engine))]  # type: ignore[misc]
        assert any("idx_memories_identity (agent_id=? AND identity" in detail for detail in details), name


def test_the_trace_sees_a_walk(engine: SqliteMemoryEngine) -> None:
    """The tests above can fail."""
    traced = Traced(engine)
    execute = traced.connection.execute
    walk = traced.steps(lambda: execute("SELECT id FROM memories WHERE content = 'x'").fetchall())
    assert [step.is_walk for step in walk] == [True]
    of_agent = traced.steps(lambda: execute("SELECT tags FROM memories WHERE agent_id = 'x'").fetchall())
    assert [step.is_walk for step in of_agent] == [True]
    sort = traced.steps(lambda: execute("SELECT id FROM memories ORDER BY content").fetchall())
    assert [step.is_sort for step in sort] == [False, True]


@pytest.mark.requirement("read.plans-use-indexes")
def test_a_search_runs_no_more_statements_for_many_hits(engine: SqliteMemoryEngine) -> None:
    traced = Traced(engine)
    engine.search(AGENT, "common words", 10)  # what does not depend on hits is looked up once after a write
    few = traced.statements(lambda: engine.search(AGENT, "common words", 10))
    many = traced.statements(lambda: engine.search(AGENT, "common words", 100))
    assert len(engine.search(AGENT, "common words", 100)) == 100
    assert len(many) <= len(few)


@pytest.mark.requirement("read.plans-use-indexes")
def test_a_batch_runs_as_many_statements_for_many_ids(engine: SqliteMemoryEngine) -> None:
    traced = Traced(engine)
    one = traced.statements(lambda: engine.get_by_ids(AGENT, ["note-1"]))
    many = traced.statements(lambda: engine.get_by_ids(AGENT, [f"note-{i}" for i in range(100)]))
    assert len(many) == len(one)


@pytest.mark.requirement("read.plans-use-indexes")
def test_a_point_read_takes_no_more_work_in_a_long_history(engine: SqliteMemoryEngine) -> None:
    traced = Traced(engine)
    short = traced.work(lambda: engine.get_at(AGENT, "s7", "status"))
    slack = LONG // 30  # the steps are tens of instructions, and a row that is passed over takes several
    for day in (0, 10, LONG // 2, LONG - 1):
        at = START + timedelta(days=day, hours=1)
        assert traced.work(lambda at=at: engine.get_at(AGENT, "long", "status", at)) <= short + slack  # type: ignore[misc]


@pytest.mark.slow
@pytest.mark.requirement("speed.appending-stays-constant")
@pytest.mark.parametrize("order", ["forwards", "backwards"])
def test_the_ten_thousandth_value_is_as_much_work_as_the_second(db_path: Path, order: str) -> None:
    many, sample = 10_000, 15
    starts = [START + timedelta(hours=i) for i in range(many + sample)]
    if order == "backwards":
        starts.reverse()
    with SqliteMemoryEngine(db_path) as engine:
        traced = Traced(engine)
        for begin in range(0, many, 1_000):
            engine.store_many([value("long", f"turn{i}", starts[i]) for i in range(begin, begin + 1_000)])
        late = [written(traced, engine, "long", i, starts) for i in range(many, many + sample)]
        for i in range(sample):
            engine.store_temporal(*value(f"fresh{i}", "turn0", starts[0]))
        early = [written(traced, engine, f"fresh{i}", 1, starts) for i in range(sample)]
    assert {statements for statements, _, _ in late} == {statements for statements, _, _ in early}
    assert min(changes for _, changes, _ in late) <= min(changes for _, changes, _ in early)
    assert min(work for _, _, work in late) <= 1.25 * min(work for _, _, work in early)


def written(
    traced: Traced, engine: SqliteMemoryEngine, subject: str, i: int, starts: Sequence[datetime]
) -> tuple[int, int, int]:
    """How many statements, changed rows and instructions the next value takes; merges of the index come on top."""
    before = traced.connection.total_changes()
    work = 0

    def store() -> None:
        nonlocal work
        work = traced.work(lambda: engine.store_temporal(*value(subject, f"turn{i}", starts[i])))

    statements = len(traced.statements(store))
    return statements, traced.connection.total_changes() - before, work
