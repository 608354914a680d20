"""Laws 3 to 7 and 9 through the doors: histories with doubted sources, held, decided, taken back and given back."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.properties.checks import Recollection, ask
from tests.properties.doubting import PURGEABLE, Say, Step, check_doubts, steps, take
from tests.properties.steps import Store
from tests.properties.test_laws import EXAMPLES, laws
from tests.properties.trusting import Doubter
from tests.properties.world import MARKER

histories = st.one_of(st.lists(steps, min_size=1, max_size=8), st.lists(steps, min_size=8, max_size=20))


@contextmanager
def new_doubter(*, protect_curated: bool = True) -> Iterator[Doubter]:
    """An empty file of its own, gone afterwards."""
    fast = Path("/dev/shm")
    with TemporaryDirectory(dir=fast if fast.is_dir() else None, prefix="karte-trust-") as folder:
        world = Doubter(Path(folder) / "memory.db", protect_curated)
        try:
            yield world
        finally:
            world.engine.close()


@pytest.mark.requirement(
    "law.3-nothing-lost",
    "law.5-purge",
    "law.6-undo",
    "law.7-held",
    "law.9-failed-write",
    "rollback.dry-run",
    "guard.burst",
    "approval.decide-once",
)
@settings(laws, max_examples=EXAMPLES)
@given(histories)
def test_after_every_step_the_store_answers_from_what_still_counts(history: Sequence[Step]) -> None:
    with new_doubter() as world:
        for step in history:
            take(world, step)
            check_doubts(world)
        assert world.engine.doctor().findings == ()


@pytest.mark.requirement("law.4-known-at")
@settings(laws, max_examples=max(1, EXAMPLES // 2))
@given(histories)
def test_what_was_answered_at_an_instant_is_answered_again_with_known_at_through_holds_and_purges(
    history: Sequence[Step],
) -> None:
    recollection = Recollection()
    with new_doubter() as world:
        for step in history:
            take(world, step)
            recollection.keep(world)
        world.clock.now += timedelta(hours=30)
        for known_at, question, answer in recollection.kept:
            again = ask(world, question, known_at)
            assert _in_any_order(again) == _in_any_order(answer), f"known_at {known_at}: {question}"


def _in_any_order(answer: object) -> object:
    """Rows of one start stand in the order in which they were learned, which a release changes."""
    return sorted(map(repr, answer)) if isinstance(answer, list) else answer


def _beliefs(world: Doubter) -> dict[str, dict[str, object]]:
    """The belief columns of every row."""
    with closing(apsw.Connection(str(world.path), flags=apsw.SQLITE_OPEN_READONLY)) as connection:
        names = [str(column[1]) for column in connection.execute("PRAGMA table_info(memories)")]
        rows = [dict(zip(names, row, strict=True)) for row in connection.execute("SELECT * FROM memories")]
    return {str(row["id"]): row for row in rows}


@pytest.mark.requirement("law.6-undo", "rollback.undo")
@settings(laws, max_examples=EXAMPLES)
@given(histories, st.lists(st.sampled_from(PURGEABLE), min_size=1, max_size=3), st.randoms(use_true_random=False))
def test_undoing_every_purge_in_any_order_gives_every_row_back_to_the_bit(
    history: Sequence[Step], origins: list[str], chance: random.Random
) -> None:
    with new_doubter() as world:
        for step in history:
            take(world, step)
        world.pass_time()
        before, assertions = _beliefs(world), world.dump()["memory_assertions"]
        operations = []
        for origin in origins:
            done = world.engine.invalidate_by_origin(world.agent, origin)
            operations.append(str(done.operation_id))
        chance.shuffle(operations)
        for operation in operations:
            assert world.engine.undo_operation(operation).missing == ()
        after = _beliefs(world)
        for id, row in before.items():
            assert after[id] == row
        for id in after.keys() - before.keys():
            row = after[id]
            assert row["is_made"] == 0, "what the purge asked for is hidden"
            assert row["valid_from"] == row["valid_until"]
        assert world.dump()["memory_assertions"] == assertions
        check_doubts(world)


# ---------------------------------------------------------------------------------------------- held rows are not there


@pytest.mark.requirement("law.7-held", "quarantine.inert")
@laws
@given(st.lists(steps, min_size=1, max_size=10), st.data())
def test_clean_writes_behave_as_if_what_is_held_were_not_there(history: Sequence[Step], data: st.DataObject) -> None:
    """The same clean writes to a file with held rows and to one without give the same answers."""
    clean = [step for step in history if isinstance(step, Say) and all(_is_clean(item) for item in step.items)]
    with new_doubter() as one, new_doubter() as other:
        values = st.lists(st.tuples(st.integers(0, 1), st.integers(-2, 4)), min_size=5, max_size=5)
        poison = [Store(value=value, start=start, origin="channel:z") for value, start in data.draw(values)]
        before = data.draw(st.integers(0, len(clean)))
        for number, step in enumerate([*clean[:before], None, *clean[before:]]):
            for world in (one, other):
                world.clock.now += timedelta(seconds=2)
                if step is None:
                    if world is one:
                        take(world, Say(items=tuple(poison)))
                    else:
                        world.clock.now += timedelta(seconds=2)
                elif step is not None:
                    take(world, replace(step, items=tuple(replace(item, cites=None) for item in step.items)))
            assert _shown(one) == _shown(other), f"after step {number}"


def _is_clean(item: Store) -> bool:
    return not item.origin.startswith(("channel", "mcp_external"))


def _shown(world: Doubter) -> list[object]:
    """What every read of the past and the present says, ids aside."""
    engine = world.engine
    histories = [
        [(r.object, r.valid_from, r.valid_until, r.origin, r.origin_trust, r.confidence, r.is_current) for r in found]
        for subject in ("Atlas", "Borea")
        for predicate in ("office", "knows")
        for found in [engine.get_history(world.agent, subject, predicate)]
    ]
    listed = [memory.content for memory in engine.list_recent(world.agent, include_historical=True).items]
    hits = [hit.memory.content for hit in engine.search(world.agent, MARKER, touch=False)]
    return [histories, listed, sorted(hits)]
