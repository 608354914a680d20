"""The real timelines, replayed twice, in three orders of learning.

The folder ``timelines/yago11k`` of the data holds facts with the years they were true in. Every relation declared many,
the engine answers the as-of questions of ``tkg_asof.py``; every relation single-valued, it agrees with the brute-force
oracle in every year of every identity that has two or more facts.
"""

from __future__ import annotations

import importlib.util
import itertools
import random
import warnings
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import karte
from tests import needs
from tests.conftest import FakeClock
from tests.oracle import Reading, Said, Value, folded, plain, value_of

AGENT = "reader"
BATCH = 1000
ORDERS = ("forward", "backward", "shuffled")


@dataclass(frozen=True, slots=True)
class Fact:
    """What held through the years ``since`` to ``until``, both included; ``until`` may be open."""

    subject: str
    relation: str
    object: str
    since: int
    until: int | None

    @property
    def identity(self) -> tuple[str, str]:
        """The subject and the relation as the design compares names."""
        return folded(self.subject), folded(self.relation)

    @property
    def content(self) -> str:
        """What the memory says."""
        return f"{self.subject} {self.relation} {self.object}"

    @property
    def value(self) -> Value:
        """The value as the design compares values."""
        return value_of(self.object, self.content)


@pytest.fixture(scope="session")
def protocol(data_dir: Path) -> ModuleType:
    """The evaluation protocol that stands beside the data."""
    path = data_dir.parent / "eval" / "tkg_asof.py"
    if not path.is_file():
        needs.lacking("data", f"{path} is not there")
    spec = importlib.util.spec_from_file_location("tkg_asof", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.__dict__["DATA"] = str(data_dir / "timelines")
    return module


@pytest.fixture(scope="session")
def facts(protocol: ModuleType) -> list[Fact]:
    """All facts that have a first year, from year 1 on; in the order the protocol gives them."""
    return [
        Fact(one.subject, one.relation, one.object, one.since, one.until)
        for one in from_the_protocol(protocol)
        if one.since is not None and one.since >= 1
    ]


def from_the_protocol(protocol: ModuleType) -> list[Any]:
    """What the protocol reads; it leaves the closing of its files to chance."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        found: list[Any] = protocol.facts()
    return found


def in_order(facts: Sequence[Fact], order: str) -> list[Fact]:
    """The facts in one of the three orders of learning: by year, by year backwards, or shuffled."""
    by_year = sorted(facts, key=lambda one: (one.since, one.subject, one.relation, one.object))
    if order == "backward":
        by_year.reverse()
    elif order == "shuffled":
        random.Random(11).shuffle(by_year)
    return by_year


def item(fact: Fact) -> tuple[karte.MemoryEntry, karte.TemporalMeta]:
    """The fact as it is stored: a year as a span, whose upper end means the end of that year."""
    meta = karte.TemporalMeta(
        subject=fact.subject,
        predicate=fact.relation,
        object=fact.object,
        valid_from=f"{fact.since:04}",
        valid_until=None if fact.until is None else f"{fact.until:04}",
        origin="import:yago11k",
    )
    return karte.MemoryEntry(content=fact.content, agent_id=AGENT, layer="semantic"), meta


def batches(facts: Sequence[Fact]) -> Iterator[Sequence[Fact]]:
    """The facts in portions."""
    for start in range(0, len(facts), BATCH):
        yield facts[start : start + BATCH]


def learn(engine: karte.SqliteMemoryEngine, facts: Sequence[Fact]) -> None:
    """Store all facts in this order."""
    for portion in batches(facts):
        outcomes = engine.store_many([item(fact) for fact in portion])
        assert {outcome.status for outcome in outcomes} <= {"stored", "reaffirmed"}


def year(number: int) -> datetime:
    """The first instant of a year."""
    return datetime(number, 1, 1, tzinfo=UTC)


def said(facts: Iterable[Fact]) -> list[Said]:
    """Facts of one identity as the oracle takes them, learned in the order given."""
    return [
        Said(
            name=str(learned),
            value=fact.value,
            start=year(fact.since),
            until=None if fact.until is None else year(fact.until + 1),
            origin="import:yago11k",
            trust=0.7,
            learned=learned,
        )
        for learned, fact in enumerate(facts)
    ]


def groups(facts: Iterable[Fact]) -> dict[tuple[str, str], list[Fact]]:
    """The facts of each identity, in the order given."""
    found: dict[tuple[str, str], list[Fact]] = defaultdict(list)
    for fact in facts:
        found[fact.identity].append(fact)
    return found


def years_of(facts: Sequence[Fact]) -> range:
    """Every year from before the first to after the last that the facts name."""
    named = [fact.since for fact in facts] + [fact.until for fact in facts if fact.until is not None]
    return range(max(1, min(named) - 1), max(named) + 3)


@pytest.mark.slow
@pytest.mark.requirement("timeline.real-many-valued", "identity.many-valued")
@pytest.mark.parametrize("order", ORDERS)
def test_with_every_relation_many_valued_the_as_of_questions_are_answered_exactly(
    db_path: Path, clock: FakeClock, protocol: ModuleType, facts: list[Fact], order: str
) -> None:
    engine = karte.SqliteMemoryEngine(db_path, clock=clock)
    for relation in sorted({fact.relation for fact in facts}):
        engine.declare_predicate(AGENT, relation, "many")
    learn(engine, in_order(facts, order))
    questions = protocol.questions(from_the_protocol(protocol), 0)
    assert len(questions) > 500
    wrong = []
    for subject, relation, number, gold in questions:
        answer = {plain(str(one.object)) for one in engine.get_all_at(AGENT, subject, relation, f"{number:04}")}
        if answer != {plain(object_) for object_ in gold}:
            wrong.append((subject, relation, number, answer, gold))
    engine.close()
    assert not wrong


@pytest.mark.slow
@pytest.mark.requirement("timeline.real-single-valued", "law.2-order-free")
@pytest.mark.parametrize("order", ORDERS)
def test_with_every_relation_single_valued_the_engine_agrees_with_the_oracle_in_every_year(
    db_path: Path, clock: FakeClock, facts: list[Fact], order: str
) -> None:
    """Each history is read once and held against the oracle in every year; each change of value is a point read too."""
    engine = karte.SqliteMemoryEngine(db_path, clock=clock)
    several = {identity for identity, group in groups(facts).items() if len(group) > 1}
    learned = [fact for fact in in_order(facts, order) if fact.identity in several]
    learn(engine, learned)
    checked = 0
    for (subject, relation), group in groups(learned).items():
        reading = Reading(said(group))
        history = [one for one in engine.get_history(AGENT, subject, relation) if one.valid_until != one.valid_from]
        for one, following in itertools.pairwise(history):
            assert one.valid_until is not None
            assert following.valid_from is not None
            assert one.valid_until <= following.valid_from, (subject, relation)
        previous: object = ...
        for number in years_of(group):
            at = year(number)
            expected = reading.value_at(at)
            found = [
                value_of(one.object, one.content)
                for one in history
                if one.valid_from is not None
                and one.valid_from <= at
                and (one.valid_until is None or at < one.valid_until)
            ]
            assert found == ([] if expected is None else [expected]), (subject, relation, number)
            if expected != previous:
                point = engine.get_at(AGENT, subject, relation, f"{number:04}")
                assert (None if point is None else value_of(point.object, point.content)) == expected
                previous = expected
            checked += 1
    engine.close()
    assert checked > 50_000
