"""Laws 1, 2, 3, 4, 8 and 9 of facts over time, through the public engine, judged by the brute-force oracle.

Random histories are drawn from alphabets so small that starts tie, ends meet starts, and values come back. After every
step the engine's answers are held against the oracle's reading of everything said so far.
"""

from __future__ import annotations

import itertools
import os
import random
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st

import karte
from tests.conftest import FakeClock
from tests.oracle import CORROBORATING_CLASSES, Value, class_of, value_of
from tests.properties.checks import Recollection, check, start_of
from tests.properties.histories import HISTORIES
from tests.properties.steps import (
    Bad,
    End,
    Step,
    Store,
    entry_of,
    few,
    lengths,
    meta_of,
    origins,
    steps,
    stores,
    take,
)
from tests.properties.world import AGENT, STEP, World, instant

EXAMPLES = int(os.environ.get("KARTE_LAW_EXAMPLES", "100"))
ROOT = Path(__file__).parents[2]
PACKAGE_HOME = str(Path(str(karte.__file__)).parents[1])
MOST_STEPS = 18

histories = st.one_of(
    st.lists(steps, min_size=1, max_size=6),
    st.lists(steps, min_size=MOST_STEPS // 2, max_size=MOST_STEPS),
    st.lists(few, min_size=6, max_size=MOST_STEPS),
)
laws = settings(
    max_examples=EXAMPLES,
    deadline=None,
    report_multiple_bugs=False,
    phases=[Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)


@contextmanager
def new_world(*, protect_curated: bool = True) -> Iterator[World]:
    """An empty file of its own, gone afterwards."""
    fast = Path("/dev/shm")
    with TemporaryDirectory(dir=fast if fast.is_dir() else None, prefix="karte-laws-") as folder:
        world = World(Path(folder) / "memory.db", protect_curated)
        try:
            yield world
        finally:
            world.engine.close()


def play(world: World, history: Sequence[Step]) -> Iterator[Step]:
    """Take the steps one by one, the clock moving on before each."""
    for step in history:
        world.clock.now += STEP
        take(world, step)
        yield step


# --------------------------------------------------------------------------------------- a short history for each rule


@pytest.mark.requirement(
    "timeline.end-said-for-value",
    "timeline.ends-bind-by-standing",
    "timeline.cut-yields",
    "timeline.curated-protected",
    "timeline.most-trusted-believed",
    "timeline.end-with-object",
    "law.4-known-at",
)
@pytest.mark.parametrize("history", HISTORIES.values(), ids=HISTORIES)
def test_each_rule_is_read_as_the_oracle_reads_it_now_and_with_known_at(history: list[Step]) -> None:
    recollection = Recollection()
    with new_world() as world:
        for _ in play(world, history):
            check(world)
            recollection.keep(world)
        world.clock.now += STEP
        recollection.check(world)


# ------------------------------------------------------------------------------------------- one history, every step


@pytest.mark.requirement(
    "law.1-disjoint",
    "law.2-order-free",
    "law.3-nothing-lost",
    "law.9-failed-write",
    "timeline.incremental-equals-pure",
    "timeline.exact-repeat",
    "timeline.curated-protected",
    "timeline.cut-yields",
    "timeline.most-trusted-believed",
    "timeline.ends-bind-by-standing",
    "stamp.one-chain",
    "identity.aliases-replan",
    "identity.declaration-settles",
)
@laws
@given(histories)
def test_after_every_step_of_any_history_the_store_answers_as_the_oracle_reads_it(history: list[Step]) -> None:
    with new_world() as world:
        for _ in play(world, history):
            check(world)


@pytest.mark.requirement("law.2-order-free", "timeline.incremental-equals-pure")
@settings(laws, max_examples=EXAMPLES * 4)
@given(st.lists(few, min_size=4, max_size=12), st.sampled_from((True, True, False)))
def test_after_a_dense_history_of_one_fact_the_store_answers_as_the_oracle_reads_it(
    history: list[Step], protect_curated: bool
) -> None:
    with new_world(protect_curated=protect_curated) as world:
        for _ in play(world, history):
            pass
        check(world)


@pytest.mark.requirement("law.4-known-at", "belief.known-at-every-read", "belief.both-axes")
@settings(laws, max_examples=max(1, EXAMPLES // 2))
@given(histories)
def test_what_was_answered_at_an_instant_is_answered_again_with_known_at(history: list[Step]) -> None:
    recollection = Recollection()
    with new_world() as world:
        for _ in play(world, history):
            recollection.keep(world)
        world.clock.now += STEP
        recollection.check(world)


@pytest.mark.requirement("law.9-failed-write", "file.confidence-bounds", "text.surrogates-and-nul")
@pytest.mark.parametrize("which", range(24))
def test_a_write_that_fails_changes_no_table(which: int) -> None:
    with new_world() as world:
        history: list[Step] = [Store(value=0, start=0), Store(value=1, start=2, length=2), Bad(which=which)]
        for _ in play(world, history):
            check(world)


# ----------------------------------------------------------------------------------------- sets and orders of learning


def values_at(world: World, moments: Sequence[datetime]) -> list[Value | None]:
    """The value at each moment of the one fact these tests are about."""
    found = [world.engine.get_at(AGENT, "Atlas", "office", at) for at in moments]
    return [None if one is None else value_of(one.object, one.content) for one in found]


def learn(world: World, said: Sequence[Store | End]) -> list[bool]:
    """Say all of it in this order; which of it was taken."""
    taken = []
    for step in said:
        world.clock.now += STEP
        before = len(world.written)
        take(world, step)
        taken.append(len(world.written) > before)
    return taken


@st.composite
def sayings(draw: st.DrawFn) -> list[Store | End]:
    """Values and ends about one fact, all of different starts."""
    starts = draw(st.lists(st.integers(-4, 8), min_size=2, max_size=7, unique=True))
    said: list[Store | End] = []
    for start in starts:
        if draw(st.integers(0, 4)) == 0:
            said.append(End(at=start, origin=draw(origins)))
        else:
            value, claim = draw(st.integers(0, 2)), draw(st.sampled_from((None, None, 0.2)))
            said.append(Store(value=value, start=start, length=draw(lengths), origin=draw(origins), claim=claim))
    return said


@pytest.mark.requirement("law.2-order-free")
@settings(laws, max_examples=EXAMPLES * 2)
@given(sayings(), st.randoms(use_true_random=False))
def test_with_distinct_starts_the_values_do_not_depend_on_the_order_of_learning(
    said: list[Store | End], chance: random.Random
) -> None:
    moments = [instant(number / 2) for number in range(-10, 20)]
    other = list(said)
    chance.shuffle(other)
    while True:  # an end where no value stands yet is refused: leave out what either order refuses
        with new_world() as one, new_world() as two:
            taken = dict(zip(said, learn(one, said), strict=True))
            taken_too = dict(zip(other, learn(two, other), strict=True))
            refused = {step for step in said if not (taken[step] and taken_too[step])}
            if not refused:
                assert values_at(one, moments) == values_at(two, moments)
                return
        said = [step for step in said if step not in refused]
        other = [step for step in other if step not in refused]


@pytest.mark.requirement("law.2-order-free", "timeline.retract")
@laws
@given(st.lists(stores.map(lambda step: replace(step, cites=None, subject="Atlas")), min_size=2, max_size=8), st.data())
def test_what_was_taken_back_leaves_the_values_of_what_remains(said: list[Store], data: st.DataObject) -> None:
    said = [replace(step, predicate="office", start=step.start or 0) for step in said]
    moments = [instant(number / 2) for number in range(-10, 24)]
    with new_world() as one, new_world() as two:
        learn(one, said)
        rows = one.all_live_rows()
        assume(rows)
        row = rows[data.draw(st.integers(0, len(rows) - 1))]
        gone = one.named(str(row.source_event))
        one.engine.retract(AGENT, row.id)
        for kept in one.written:
            if kept is not gone:
                two.clock.now += STEP
                two.engine.store_temporal(entry_of(two, kept), meta_of(kept))
        assert values_at(one, moments) == values_at(two, moments)


# --------------------------------------------------------------------------------------------------- reaffirmations


@pytest.mark.requirement("timeline.confidence", "timeline.reaffirmed")
@laws
@given(
    st.lists(st.tuples(origins, st.integers(0, 3)), min_size=1, max_size=12),
    st.sampled_from((0.1, 0.5, 0.85, 1.0)),
)
def test_confidence_grows_a_tenth_for_each_further_corroborating_class(
    observed: list[tuple[str, int]], first_confidence: float
) -> None:
    """All say the same, later and later, none more trusted than the first (an import that claims a tenth)."""
    with new_world() as world:
        classes: set[str] = set()
        events: list[str] = []
        start = 0
        for number, (origin, later) in enumerate([("import:x", 0), *observed]):
            world.clock.now += STEP
            start += later
            outcome = world.engine.store_temporal(
                karte.MemoryEntry(content="red", agent_id=AGENT, source_event=f"event-{number}"),
                karte.TemporalMeta(
                    subject="Atlas",
                    predicate="office",
                    valid_from=instant(start / 8),
                    origin=origin,
                    origin_trust=0.1,
                    confidence=first_confidence if number == 0 else 0.9,
                ),
            )
            assert outcome.status == ("stored" if number == 0 else "reaffirmed")
            if class_of(origin) in CORROBORATING_CLASSES:
                classes.add(class_of(origin))
            if number > 0:
                events.append(f"event-{number}")
            (row,) = world.engine.get_history(AGENT, "Atlas", "office")
            assert row.confidence == pytest.approx(min(1.0, first_confidence + 0.1 * max(0, len(classes) - 1)))
            assert sorted(row.reaffirmed_by) == sorted(events[-20:])
            assert row.access_count == number


# ------------------------------------------------------------------------------------------------------ racing writers

WRITERS = 8
WRITES = 12


def race(engine: karte.SqliteMemoryEngine, writer: int, *, same_start: bool) -> list[str]:
    """Write a number of values of one fact; the events of what was acknowledged."""
    done = []
    for number in range(WRITES):
        event = f"{writer}-{number}"
        outcome = engine.store_temporal(
            karte.MemoryEntry(content=f"value {event}", agent_id=AGENT, source_event=event),
            karte.TemporalMeta(
                subject="Atlas", predicate="office", object=event, valid_from=instant(0) if same_start else None
            ),
        )
        assert outcome.status == "stored"
        done.append(event)
    return done


def check_race(path: Path, clock: FakeClock, acknowledged: Sequence[str]) -> None:
    """One current row, no write lost, one unbroken chain."""
    engine = karte.SqliteMemoryEngine(path, clock=clock)
    try:
        rows = engine.get_history(AGENT, "Atlas", "office")
        assert sorted(str(row.source_event) for row in rows) == sorted(acknowledged)
        assert sum(row.is_current for row in rows) == 1
        assert rows[-1].is_current
        for one, following in itertools.pairwise(rows):
            assert one.valid_until == start_of(following)
            assert following.supersedes == one.id
            assert one.superseded_by == following.id or start_of(one) == start_of(following) == start_of(rows[-1])
    finally:
        engine.close()


@pytest.mark.requirement("law.8-racing-writers", "process.several-on-one-file")
@pytest.mark.parametrize("same_start", [False, True], ids=["one after another", "of one start"])
@pytest.mark.parametrize("shared", [True, False], ids=["one engine", "an engine each"])
def test_racing_threads_leave_one_current_row_and_lose_no_write(
    db_path: Path, clock: FakeClock, shared: bool, same_start: bool
) -> None:
    first = karte.SqliteMemoryEngine(db_path, clock=clock)
    engines = [first if shared else karte.SqliteMemoryEngine(db_path, clock=clock) for _ in range(WRITERS)]
    acknowledged: list[str] = []
    failures: list[BaseException] = []
    ready = threading.Barrier(WRITERS)

    def write(writer: int) -> None:
        try:
            ready.wait()
            acknowledged.extend(race(engines[writer], writer, same_start=same_start))
        except BaseException as error:  # noqa: BLE001  # reported by the main thread
            failures.append(error)

    threads = [threading.Thread(target=write, args=(writer,)) for writer in range(WRITERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for engine in {id(engine): engine for engine in [first, *engines]}.values():
        engine.close()
    assert not failures
    assert len(acknowledged) == WRITERS * WRITES
    check_race(db_path, clock, acknowledged)


RACER = """
import sys
import karte
from tests.conftest import FakeClock
from tests.properties.test_laws import race
engine = karte.SqliteMemoryEngine(sys.argv[1], clock=FakeClock())
sys.stdin.readline()
print(" ".join(race(engine, int(sys.argv[2]), same_start=sys.argv[3] == "True")))
engine.close()
"""


@pytest.mark.slow
@pytest.mark.requirement("law.8-racing-writers", "process.several-on-one-file")
@pytest.mark.parametrize("same_start", [False, True], ids=["one after another", "of one start"])
def test_racing_processes_leave_one_current_row_and_lose_no_write(
    db_path: Path, clock: FakeClock, same_start: bool
) -> None:
    karte.SqliteMemoryEngine(db_path, clock=clock).close()
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([PACKAGE_HOME, str(ROOT)])}
    racers = [
        subprocess.Popen(
            [sys.executable, "-c", RACER, str(db_path), str(writer), str(same_start)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            text=True,
        )
        for writer in range(4)
    ]
    acknowledged: list[str] = []
    for racer in racers:
        assert racer.stdin is not None
        racer.stdin.write("go\n")
        racer.stdin.flush()
    for racer in racers:
        out, err = racer.communicate(timeout=120)
        assert racer.returncode == 0, err
        acknowledged += out.split()
    assert len(acknowledged) == 4 * WRITES
    check_race(db_path, clock, acknowledged)
