"""What decay puts away leaves the graph that is kept, in every process, and comes back to it with ``restore``."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import karte
from karte import Karte, MemoryEntry, SqliteMemoryEngine, TemporalMeta
from karte.service.graph import GRAPH_CACHE_MIN_TRIPLES
from tests.conftest import FakeClock

AGENT = "default"
QUERY = "Where is Ada?"
Hit = tuple[str, str, float, float]
Ask = Callable[[str], list[Hit]]
"""The hits at an instant: id, score to the bit, what the words and what the graph gave."""

READER = """
import datetime, json, sys
import karte
path, query = sys.argv[1:]
now = datetime.datetime(2026, 6, 1, tzinfo=datetime.UTC)
with karte.SqliteMemoryEngine(path, clock=lambda: now) as engine:
    for line in sys.stdin:
        now = datetime.datetime.fromisoformat(line.strip())
        hits = engine.search("default", query, 50, touch=False, explain=True)
        print(json.dumps([(h.id, h.score.hex(), h.explain.text, h.explain.graph) for h in hits]), flush=True)
"""


def hits_of(engine: SqliteMemoryEngine) -> list[Hit]:
    found = []
    for hit in engine.search(AGENT, QUERY, 50, touch=False, explain=True):
        assert hit.explain is not None
        found.append((hit.id, hit.score.hex(), hit.explain.text, hit.explain.graph))
    return found


@contextmanager
def another_process(path: Path) -> Iterator[Ask]:
    """A process that keeps its own engine, and thus its own graph, from one question to the next."""
    package = str(Path(str(karte.__file__)).parents[1])
    child = subprocess.Popen(
        [sys.executable, "-c", READER, str(path), QUERY],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": package},
    )
    assert child.stdin is not None
    assert child.stdout is not None
    given, said = child.stdin, child.stdout

    def ask(now: str) -> list[Hit]:
        given.write(now + "\n")
        given.flush()
        return [(id, score, text, graph) for id, score, text, graph in json.loads(said.readline())]

    try:
        yield ask
    finally:
        child.communicate(timeout=60)


def furnish(memory: Karte, *, facts: int) -> None:
    """Ada's firm, a plain memory that names it, a row about it without a predicate, and facts of others."""
    named = [("Ada", "works at", "Initech"), ("Initech", "based in", "Lyon")]
    named += [(f"person{n}", "works at", f"firm{n}") for n in range(facts)]
    memory.engine.store_many(
        [
            (
                MemoryEntry(content=f"{subject} {predicate} {value}", id=f"fact-{number}"),
                TemporalMeta(subject=subject, predicate=predicate, object=value),
            )
            for number, (subject, predicate, value) in enumerate(named)
        ]
    )
    memory.store("The people of Initech fly kites", id="plain")
    memory.store("moved twice", id="about", subject="Initech")


@pytest.mark.requirement("graph.generation", "life.decay-archives")
@pytest.mark.parametrize("facts", [0, GRAPH_CACHE_MIN_TRIPLES + 20], ids=["few facts", "many facts"])
@pytest.mark.parametrize("faded", ["plain", "about"])
def test_what_fades_leaves_the_graph_of_every_process_and_restore_brings_it_back(
    faded: str, facts: int, db_path: Path, clock: FakeClock
) -> None:
    with Karte(db_path, clock=clock) as memory, another_process(db_path) as theirs:

        def answers() -> list[Hit]:
            """The same here, there, and of an engine that has no graph yet."""
            with SqliteMemoryEngine(db_path, clock=clock) as fresh:
                anew = hits_of(fresh)
            assert hits_of(memory.engine) == anew
            assert theirs(clock.now.isoformat()) == anew
            return anew

        furnish(memory, facts=facts)
        other = {"plain": "about", "about": "plain"}[faded]
        assert {"plain", "about"} <= {id for id, *_ in answers()}
        clock.advance(days=300)
        memory.update(other, importance=9.0)
        clock.advance(days=100)
        before = answers()
        (found,) = [hit for hit in before if hit[0] == faded]
        assert found[2] == 0.0 < found[3], "only the graph leads to it"

        assert memory.decay().ids == (faded,)
        after = answers()
        assert {id for id, *_ in after} == {id for id, *_ in before} - {faded}
        (other_before,), (other_after,) = ([hit for hit in hits if hit[0] == other] for hits in (before, after))
        assert other_after[3] != other_before[3], "what walked to it walks elsewhere"

        assert memory.restore(faded)
        assert {id for id, *_ in answers()} == {id for id, *_ in before}
