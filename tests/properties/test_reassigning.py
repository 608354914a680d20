"""A change of owner: what two agents were told, as if one of them had been told all of it in the order of learning."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import apsw
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import karte
from tests.conftest import FakeClock
from tests.oracle import folded
from tests.properties.checks import Recollection, ask
from tests.properties.doubting import Finish, Purge, Say, Shelve, Step, Undo, Wait, check_doubts, steps, take
from tests.properties.steps import SUBJECTS, Alias, Declare, Store
from tests.properties.test_laws import EXAMPLES, laws
from tests.properties.trusting import Doubter
from tests.properties.world import MARKER, ZERO, Identity, changed

OLD, NEW = "old", "new"
CHANNEL, USER = "channel:y", "user_direct"

pytestmark = pytest.mark.requirement("life.reassign")


@dataclass(frozen=True, slots=True)
class Told:
    """One step, and to whom."""

    agent: str
    step: Step


@dataclass(slots=True)
class Both:
    """Two agents of one file, each with an engine of its own, told things in turn."""

    path: Path
    old: Doubter
    new: Doubter

    def tell(self, told: Told) -> None:
        """Take the step for one; the other's requests run out of time all the same."""
        one, other = (self.old, self.new) if told.agent == OLD else (self.new, self.old)
        take(one, told.step)
        one.pass_time()
        other.pass_time()

    def merged(self) -> Doubter:
        """The new owner, had it been told everything; only who wrote lately is counted for each alone."""
        joined = Doubter(self.path, agent=NEW, clock=self.new.clock, order=self.new.order)
        joined.made = 1_000_000
        joined.written = sorted([*self.old.written, *self.new.written], key=lambda one: one.learned)
        joined.operations = {**self.old.operations, **self.new.operations}
        joined.settled = self.old.settled | self.new.settled
        joined.attempts = self.new.attempts
        joined.aliases = joined_aliases(self.old.aliases, self.new.aliases)
        declared = {folded(name) for name in self.new.engine.list_predicates(NEW)}
        joined.many = self.new.many | (self.old.many - declared)
        return joined


def joined_aliases(old: dict[str, str], new: dict[str, str]) -> dict[str, str]:
    """The new owner's aliases and those of the old one whose name the new one uses for nothing else."""
    found = dict(new)
    for alias, canonical in old.items():
        target = new.get(canonical, canonical)
        if alias not in new and alias not in new.values() and target != alias:
            found[alias] = target
    return found


@contextmanager
def two_agents() -> Iterator[Both]:
    """An empty file of its own, gone afterwards."""
    fast = Path("/dev/shm")
    with TemporaryDirectory(dir=fast if fast.is_dir() else None, prefix="karte-owners-") as folder:
        path, clock, order = Path(folder) / "memory.db", FakeClock(ZERO.isoformat()), itertools.count(1)
        old = Doubter(path, agent=OLD, clock=clock, order=order)
        new = Doubter(path, agent=NEW, clock=clock, order=order)
        try:
            yield Both(path, old, new)
        finally:
            old.engine.close()
            new.engine.close()


@contextmanager
def given_over(both: Both) -> Iterator[tuple[Doubter, karte.Reassignment]]:
    """The new owner with everything."""
    both.new.clock.now += timedelta(seconds=2)
    both.old.pass_time()
    both.new.pass_time()
    joined = both.merged()
    try:
        yield joined, joined.engine.reassign_agent(OLD, NEW)
    finally:
        joined.engine.close()


any_names = st.builds(Alias, canonical=st.sampled_from((*SUBJECTS, None)), alias=st.sampled_from(SUBJECTS))
told = st.builds(Told, st.sampled_from((OLD, OLD, NEW)), st.one_of(steps, steps, steps, any_names))
histories = st.one_of(st.lists(told, min_size=2, max_size=8), st.lists(told, min_size=8, max_size=20))


def old(step: Step) -> Told:
    return Told(OLD, step)


def new(step: Step) -> Told:
    return Told(NEW, step)


def say(*items: Store) -> Say:
    return Say(items=items)


HELD = say(*(Store(value=value % 2, start=value, origin=CHANNEL) for value in range(5)))
SHORT: dict[str, list[Told]] = {
    "one fact of both": [old(say(Store(start=0))), new(say(Store(value=1, start=2))), old(say(Store(start=4)))],
    "the curated word of one, the channel's of the other": [
        *(new(say(Store(start=0, origin=USER))), old(say(Store(value=1, start=2, origin=CHANNEL)))),
    ],
    "held with one, ended with the other": [old(HELD), new(say(Store(start=0))), new(Finish(at=2))],
    "declared by the old owner only": [
        *(new(say(Store(predicate="knows", start=0))), new(say(Store(predicate="knows", value=1, start=2)))),
        *(old(Declare()), old(say(Store(predicate="knows", start=1)))),
    ],
    "declared otherwise by the new owner": [
        *(new(Declare()), new(Declare(cardinality="one")), old(Declare())),
        *(old(say(Store(predicate="knows", start=0))), old(say(Store(predicate="knows", value=1, start=2)))),
    ],
    "an alias of the old owner": [
        *(old(Alias(canonical="Atlas", alias="Borea")), new(say(Store(subject="Borea", start=0)))),
        *(old(say(Store(value=1, start=2))), new(say(Store(start=1, length=2)))),
    ],
    "aliases of both that contradict each other": [
        *(old(Alias(canonical="Atlas", alias="Borea")), new(Alias(canonical="Borea", alias="Ceres"))),
        *(old(say(Store(subject="Borea", start=0))), new(say(Store(value=1, start=2)))),
    ],
    "a name that each calls by the other's": [
        *(old(Alias(canonical="Atlas", alias="Borea")), new(Alias(canonical="Borea", alias="Atlas"))),
        *(old(say(Store(subject="Borea", start=0))), new(say(Store(value=1, start=2)))),
    ],
    "a canonical name that is the new owner's alias": [
        *(old(Alias(canonical="Atlas", alias="Borea")), new(Alias(canonical="Ceres", alias="Atlas"))),
        *(old(say(Store(subject="Borea", start=0))), new(say(Store(value=1, start=2)))),
    ],
    "purged with one, said by the same origin with the other": [
        *(old(say(Store(start=0, origin=CHANNEL))), old(Purge()), new(say(Store(value=1, start=1, origin=CHANNEL)))),
    ],
    "purged and undone": [old(say(Store(start=0, origin=CHANNEL))), old(Purge()), old(Undo(which=0))],
    "forgotten": [old(say(Store(start=0))), old(Shelve(how="forget", which=0)), new(say(Store(value=1, start=1)))],
    "derived from what was taken back": [
        *(old(say(Store(subject="Borea", start=0))), old(say(Store(start=0, cites=0)))),
        *(old(Shelve(how="retract", which=0)), new(say(Store(value=1, start=1, length=1)))),
    ],
    "held until its time was up": [old(HELD), *[old(Wait(hours=49))] * 4, new(say(Store(start=0)))],
}


def check_given_over(both: Both, joined: Doubter, done: karte.Reassignment) -> None:
    """The new owner answers from everything, the old one has nothing."""
    check_doubts(joined)
    assert done.merged == len(identities(joined, both.old) & identities(joined, both.new))
    engine = joined.engine
    assert engine.doctor().is_healthy
    for name in ("Atlas", "Borea"):
        for predicate in ("office", "knows"):
            assert engine.get_history(OLD, name, predicate, include_quarantined=True) == []
            assert engine.get_all_at(OLD, name, predicate) == []
    for one in both.old.doubted():
        if one.id is not None:
            assert engine.get_by_id(OLD, one.id) is None
            assert not engine.restore(OLD, one.id)
    assert engine.list_recent(OLD, include_historical=True).items == ()
    assert engine.search(OLD, MARKER, include_historical=True, touch=False) == []
    assert engine.approvals(OLD).items == ()
    left = engine.stats(OLD)
    assert (left.memories, left.archived, left.quarantined) == (0, 0, 0)
    assert (
        done.moved["memories"] >= len({one.id for one in both.old.doubted()} - {None}) - done.moved["memories_archive"]
    )


def identities(joined: Doubter, of: Doubter) -> set[Identity]:
    """The timelines of the new owner that something said to one of the two belongs to."""
    return {joined.identity(one.subject, one.predicate, one.object) for one in of.written}


def examples(test: Any) -> Any:
    """Runs the test with every short history first."""
    for history in SHORT.values():
        test = example(history, [])(test)
    return test


@settings(laws, max_examples=EXAMPLES)
@given(histories, st.lists(steps, max_size=4))
@examples
def test_a_new_owner_answers_as_if_it_had_been_told_everything_in_the_order_of_learning(
    history: Sequence[Told], more: Sequence[Step]
) -> None:
    with two_agents() as both:
        for each in history:
            both.tell(each)
        with given_over(both) as (joined, done):
            check_given_over(both, joined, done)
            for step in more:
                take(joined, step)
                check_doubts(joined)


@pytest.mark.requirement("law.4-known-at")
@settings(laws, max_examples=max(1, EXAMPLES // 4))
@given(histories)
def test_the_past_is_answered_to_each_owner_as_it_was_then(history: Sequence[Told]) -> None:
    recollections = Recollection(), Recollection()
    with two_agents() as both:
        for number, each in enumerate(history):
            both.tell(each)
            if number % 4 == 0 or number == len(history) - 1:
                recollections[0].keep(both.old)
                recollections[1].keep(both.new)
        with given_over(both) as (joined, _):
            joined.clock.now += timedelta(hours=1)
            for world, kept in zip((both.old, both.new), recollections, strict=True):
                for known_at, question, answer in kept.kept:
                    again = ask(world, question, known_at)
                    assert in_any_order(again) == in_any_order(answer), f"{world.agent}, {known_at}: {question}"


def in_any_order(answer: object) -> object:
    """Rows of one start stand in the order in which they were learned, which a release changes."""
    return sorted(map(repr, answer)) if isinstance(answer, list) else answer


class StopError(Exception):
    """What the test raises in the middle of a call."""


@pytest.mark.requirement("law.9-failed-write")
@settings(laws, max_examples=max(1, EXAMPLES // 4))
@given(histories, st.integers(1, 60))
def test_a_change_of_owner_that_fails_half_way_leaves_all_as_it_was(history: Sequence[Told], statements: int) -> None:
    with two_agents() as both:
        for each in history:
            both.tell(each)
        both.new.clock.now += timedelta(seconds=2)
        both.new.pass_time()
        engine = both.new.engine
        before = both.new.dump()
        left = statements

        def trace(_cursor: object, sql: str, _bindings: object) -> bool:
            nonlocal left
            left -= 1
            if left < 0 and sql != "ROLLBACK":
                raise StopError
            return True

        connection: apsw.Connection = engine._store.connections.get()  # type: ignore[attr-defined]
        connection.exec_trace = trace
        try:
            engine.reassign_agent(OLD, NEW)
        except StopError:
            connection.exec_trace = None
            assert changed(before, both.new.dump()) == []
            with given_over(both) as (joined, done):
                check_given_over(both, joined, done)
        finally:
            connection.exec_trace = None
