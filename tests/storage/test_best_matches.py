"""The best matches are read by a sort that keeps only so many; the order is that of all matches, whatever passes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from karte import MemoryEntry, SqliteMemoryEngine
from karte.domain.stored import Filters
from karte.domain.text import parse_query
from tests.conftest import FakeClock

OWN, OTHER = "own", "other"
NOW = "2100-01-01T00:00:00.000000+00:00"
QUERY = parse_query("lantern red")


@pytest.fixture(scope="module")
def engine() -> Iterator[SqliteMemoryEngine]:
    """Three hundred matches, the best of them another agent's, and many equally good."""
    with SqliteMemoryEngine(":memory:", clock=FakeClock()) as engine:
        for i in range(150):
            text = f"a lantern {'red ' * (i % 3)}{'and more ' * (i % 7)}"
            layer = "semantic" if i % 10 == 0 else "episodic"
            engine.store(MemoryEntry(content=f"{text} {i % 5}", agent_id=OWN, layer=layer, importance=i % 11))
            engine.store(MemoryEntry(content="red red lantern", agent_id=OTHER))
        yield engine


@pytest.mark.requirement("search.filters-before-top-k")
@pytest.mark.parametrize("most", [1, 20, 200])
@pytest.mark.parametrize(("agent", "layer", "held"), [(OWN, None, 150), (OWN, "semantic", 15), (OTHER, None, 150)])
def test_filters_act_before_the_best_are_taken(
    engine: SqliteMemoryEngine, agent: str, layer: str | None, held: int, most: int
) -> None:
    filters = Filters(agent_id=agent, valid_at=NOW, is_now=True, layer=layer)
    with engine._store.read() as session:
        for _ in range(2):  # the second search knows that too few of the best pass
            found = [(memory.ordinal, text) for memory, text in session.index.found(QUERY, filters)]
            best = [(each.ordinal, each.text) for each in session.index.candidates(QUERY, filters, most)]
            assert best == found
            assert len(best) == held
