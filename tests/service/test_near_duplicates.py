"""A plain write reports what says nearly the same already, and does nothing more about it."""

from __future__ import annotations

from pathlib import Path

import pytest

import karte
from karte import Karte, MemoryEntry, TemporalMeta
from karte.service.remember import MOST_LOOKED_FOR
from tests.conftest import FakeClock
from tests.service.saying import CHANNEL

SAID = "the team ships its release every Friday after lunch"
AGAIN = "The team ships its release every Friday, after lunch."

pytestmark = pytest.mark.requirement("plain.near-duplicates")


@pytest.fixture
def memory(clock: FakeClock) -> Karte:
    return Karte(":memory:", agent="dudu", clock=clock)


def test_a_near_duplicate_is_reported_and_both_are_kept(memory: Karte) -> None:
    first = memory.store(SAID)
    memory.store("the printer on the second floor is out of paper")
    second = memory.store(AGAIN)
    assert second.status == "stored"
    assert list(second.similar) == [(first.id, 0.99)]
    assert first.similar == ()
    assert len(memory.list_recent().items) == 3


def test_equal_text_is_reported_as_one(memory: Karte) -> None:
    first = memory.store(SAID)
    assert memory.store(f"  {SAID} ").similar == ((first.id, 1.0),)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ada's yearly salary is 30000 euros", "Ada's yearly salary is 80000 euros"),
        ("Ada likes strong black coffee", "Ada dislikes strong black coffee"),
    ],
)
def test_what_contradicts_is_not_reported(memory: Karte, one: str, other: str) -> None:
    memory.store(one)
    assert memory.store(other).similar == ()


def test_a_batch_reports_what_stood_and_what_it_wrote_itself(memory: Karte) -> None:
    first = memory.store(SAID)
    second, third = memory.store_many([MemoryEntry(content=AGAIN), MemoryEntry(content=SAID)])
    assert [id for id, _ in second.similar] == [first.id]
    assert [id for id, _ in third.similar] == [first.id, second.id]


def test_an_import_of_many_reports_nothing(memory: Karte) -> None:
    outcomes = memory.store_many([MemoryEntry(content=SAID) for _ in range(MOST_LOOKED_FOR + 1)])
    assert all(outcome.similar == () for outcome in outcomes)


def test_the_rows_of_others_and_what_was_put_away_are_not_reported(db_path: Path, clock: FakeClock) -> None:
    with karte.SqliteMemoryEngine(db_path, clock=clock) as engine:
        engine.store(MemoryEntry(agent_id="another", content=SAID))
        mine = engine.store(MemoryEntry(agent_id="dudu", content=SAID))
        assert mine.similar == ()
        assert mine.id is not None
        engine.forget("dudu", mine.id)
        assert engine.store(MemoryEntry(agent_id="dudu", content=SAID)).similar == ()


def test_a_held_row_reports_nothing_and_is_not_reported(db_path: Path, clock: FakeClock) -> None:
    with karte.SqliteMemoryEngine(db_path, clock=clock) as engine:
        notes = [(MemoryEntry(content=f"{SAID} {n}"), TemporalMeta(origin=CHANNEL)) for n in range(500)]
        assert engine.store_many(notes)[0].status == "held"
        one = engine.store(MemoryEntry(content=f"{AGAIN} 0"), TemporalMeta(origin=CHANNEL))
        assert (one.status, one.similar) == ("held", ())
        assert engine.store(MemoryEntry(content=f"{SAID} 0")).similar == ()


def test_a_text_without_a_word_and_a_document_are_stored_too(memory: Karte) -> None:
    assert memory.store("?!").similar == ()
    document = "a long sentence about nothing at all. " * 3_000
    first = memory.store(document)
    assert memory.store(document).similar == ((first.id, 1.0),)
