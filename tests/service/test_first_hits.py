"""Who asks for more hits gets the same first ones."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from karte import Karte
from tests.conftest import FakeClock

WORDS = "garden kettle ferry violin passport lantern orchard bicycle museum harbour pillow recipe".split()


@pytest.fixture
def memory(db_path: Path, clock: FakeClock) -> Iterator[Karte]:
    with Karte(db_path, clock=clock) as opened:
        yield opened


@pytest.mark.requirement("recall.same-first-hits")
@pytest.mark.parametrize(
    "query", ["the violin in the museum", "Did Anna take the ferry or the bicycle?", "Ben's recipe"]
)
def test_who_asks_for_more_gets_the_same_first_hits(memory: Karte, query: str) -> None:
    chance = random.Random(4)
    for number in range(600):
        said = " ".join(chance.sample(WORDS, chance.randint(2, 5)))
        speaker = "Anna" if number % 2 else "Ben"
        memory.store(
            f"{speaker}: {said}",
            origin="user_direct",
            metadata={"session": f"talk {number // 20}", "turn": number % 20},
        )
    first = [hit.memory.id for hit in memory.search(query, 10, touch=False)]
    for limit in (11, 60, 200, 1_000):
        assert [hit.memory.id for hit in memory.search(query, limit, touch=False)][:10] == first


@pytest.mark.requirement("recall.same-first-hits")
def test_who_asks_for_all_gets_all_that_hold_a_word(memory: Karte) -> None:
    for number in range(300):
        memory.store(f"lantern {number}, {WORDS[number % 12]}", origin="user_direct")
    assert len(memory.search("lantern", 1_000)) == 300
