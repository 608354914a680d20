"""How many statements a search runs: as many for fifty hits as for five, whichever paths it takes (FB-51)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import apsw
import pytest

from karte import MemoryEntry, RetrievalWeights, SqliteMemoryEngine, TemporalMeta
from tests.conftest import FakeClock

AGENT = "agent"
SIDES = ("red", "blue", "green")
PATHS = ("w_structure", "w_graph", "w_vector")


class Colours:
    """An embedder that knows three colours."""

    name = "colours"
    dimension = len(SIDES) + 1

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [[*(float(side in text) for side in SIDES), 0.1] for text in texts]


def filled(path: Path, clock: FakeClock) -> None:
    """A talk, facts that hang together, plain memories: each says the words that are asked for."""
    with SqliteMemoryEngine(path, clock=clock, embedder=Colours()) as engine:
        engine.declare_predicate(AGENT, "knows", "many")
        for turn in range(80):
            said = {"session": f"s{turn // 20}", "turn": turn, "speaker": ("Ann", "Bob")[turn % 2]}
            entry = MemoryEntry(content=f"lantern number {turn} is {SIDES[turn % 3]}", agent_id=AGENT)
            engine.store(entry, TemporalMeta(metadata=said))
            entry = MemoryEntry(content=f"Lantern knows friend{turn}", agent_id=AGENT)
            engine.store_temporal(entry, TemporalMeta(subject="Lantern", predicate="knows", object=f"friend{turn}"))
            engine.store(MemoryEntry(content=f"a note of lantern maker {turn}", agent_id=AGENT))


def run_by(engine: SqliteMemoryEngine, limit: int) -> tuple[list[str], int]:
    """The statements of one search, and how many hits it had."""
    connection: apsw.Connection = engine._store.connections.get()  # type: ignore[attr-defined]
    seen: list[str] = []

    def trace(_cursor: apsw.Cursor, statement: str, _bindings: object) -> bool:
        seen.append(statement)
        return True

    connection.exec_trace = trace
    try:
        hits = engine.search(AGENT, "lantern red", limit, touch=False)
    finally:
        connection.exec_trace = None
    return seen, len(hits)


@pytest.mark.requirement("read.plans-use-indexes")
@pytest.mark.parametrize("paths", [(), ("w_structure",), ("w_graph",), ("w_vector",), PATHS], ids="+".join)
def test_a_search_runs_as_many_statements_for_fifty_hits_as_for_five(
    paths: tuple[str, ...], db_path: Path, clock: FakeClock
) -> None:
    filled(db_path, clock)
    known = RetrievalWeights()
    weights = replace(
        known,
        w_structure=known.w_structure * ("w_structure" in paths),
        w_graph=known.w_graph * ("w_graph" in paths),
        w_vector=known.w_vector * ("w_vector" in paths),
    )
    with SqliteMemoryEngine(db_path, clock=clock, embedder=Colours(), weights=weights) as engine:
        told = [hit.explain for hit in engine.search(AGENT, "lantern red", 50, touch=False, explain=True)]
        for name in PATHS:
            part = name.removeprefix("w_")
            assert (sum(getattr(each, part) for each in told) > 0.0) == (name in paths), part
        run_by(engine, 5)  # what does not depend on hits is looked up once after a write
        few, many = run_by(engine, 5), run_by(engine, 50)
        assert (few[1], many[1]) == (5, 50)
        assert len(many[0]) == len(few[0])
        assert len(few[0]) < 17
