"""How long the context block of a reply takes, for an agent with many memories.

    scripts/bench context [--short] [--rows 100000] [--rounds 5] [--json FILE]

The rows are those of the speed benchmark (``_workload.py``), with five rules, thirty mistakes and a profile of ten
facts beside them; each of its queries is one message. Target: under 30 ms at 100,000 memories. Beside it stands what
the block contains at least, the search for the same message, and as floor the bare FTS5 query of its words in the same
file. Medians of alternating rounds; nothing is asserted.
"""

import argparse
import json
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import median
from time import perf_counter

import apsw

from benchmarks import _workload
from benchmarks._speed_reads import Source, built, opened
from benchmarks._speed_table import Line, absolute, table
from benchmarks._workload import AGENT
from benchmarks.floor import Floor
from karte import MemoryEntry, MistakeCategory, MistakeEntry, MistakeNotebook, SqliteMemoryEngine, TemporalMeta
from karte.domain.text import match_expression, parse_query

MOST_SECS = 0.030
BUDGET = 1_500
USER = "bench"


def prepared(engine: SqliteMemoryEngine) -> None:
    """Five rules, mistakes that wait, and a profile; what is there already is not made again."""
    if engine.list_rules(AGENT):
        return
    notebook = MistakeNotebook(engine)
    numbers = _workload.Numbers(99)
    for category in MistakeCategory:
        for _ in range(9):
            said = _workload.text(numbers)
            entry = MistakeEntry(what_went_wrong=said, corrective_insight=said, agent_id=AGENT, category=category)
            notebook.record(entry, consolidate_at=1_000)
        engine.maybe_consolidate(AGENT, category)
        for _ in range(6):
            said = _workload.text(numbers)
            entry = MistakeEntry(what_went_wrong=said, agent_id=AGENT, category=category)
            notebook.record(entry, consolidate_at=1_000)
    for number in range(10):
        meta = TemporalMeta(subject=f"user:{USER}", predicate=f"habit {number}", object=_workload.text(numbers, 3))
        engine.store_temporal(MemoryEntry(content=f"habit {number}", agent_id=AGENT), meta)


def measured(path: Path, rows: int, rounds: int, count: int) -> list[Line]:
    messages = Source().queries()[:count]
    with opened(path) as engine:
        prepared(engine)
        floor = Floor(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY))
        asked = [(message, match_expression(parse_query(message, foreign=False))) for message in messages]
        ways: dict[str, Callable[[str, str], object]] = {
            "context block": lambda message, _: engine.build_context(AGENT, message, BUDGET, user=USER),
            "its search": lambda message, _: engine.search(AGENT, message, 20, touch=False),
            "bare FTS5": lambda _, expression: floor.match(expression, 20),
        }
        found: dict[str, list[float]] = {name: [] for name in ways}
        for _ in range(rounds):
            for message, expression in asked:
                if expression is not None:
                    for name, way in ways.items():
                        found[name].append(_seconds(way, message, expression))
        floor.close()
    bare = median(found["bare FTS5"])
    return [
        absolute(f"{name}, p50", rows, median(found[name]), MOST_SECS, bare) for name in ("context block", "its search")
    ] + [absolute("context block, p95", rows, _p95(found["context block"]), MOST_SECS, _p95(found["bare FTS5"]))]


def _seconds(way: Callable[[str, str], object], message: str, expression: str) -> float:
    begun = perf_counter()
    way(message, expression)
    return perf_counter() - begun


def _p95(values: Sequence[float]) -> float:
    return sorted(values)[int(len(values) * 0.95)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--short", action="store_true", help="only prove that it runs")
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows, rounds, count = (2_000, 1, 20) if options.short else (options.rows, options.rounds, 100)
    with tempfile.TemporaryDirectory() as folder:
        lines = measured(built(Path(folder), rows, Source()), rows, rounds, count)
    print(table(lines))
    if options.json is not None:
        options.json.write_text(json.dumps([asdict(line) for line in lines], indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
