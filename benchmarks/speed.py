"""How fast Karte is, beside the least that the same feature needs over plain SQLite (`floor.py`).

    scripts/bench speed [--short] [--rows 10000,100000] [--json FILE] [--data DIR] [--files DIR] [--cpu]

Engine and floor take turns in one process; times are means (writes) or medians (reads) of a round, and the table shows
medians over the rounds. The ratios are the result: the microseconds depend on the machine and are reported only. The
rows are those of `synthetic_workload.py` (made here from the same seed, or read from DIR/facts.jsonl and
DIR/queries.jsonl). The graph and the vectors are measured by what they add to the same search without them; the
embedder is the extra's where it is installed and the run is not short. `--rows 1000000` takes about fifteen minutes,
and `--files DIR` keeps the large files for the next run.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from time import perf_counter, thread_time
from typing import Any

import apsw

from benchmarks import _speed_processes, _speed_reads, _speed_recall, _speed_writes, _workload
from benchmarks._speed_table import Line, table
from karte.engine import SqliteMemoryEngine

DEFAULT_ROWS = (10_000, 100_000)
FEWEST_ROWS = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How much is measured."""

    rows: tuple[int, ...]
    writes: _speed_writes.Sizes
    reads: _speed_reads.Sizes
    starts: int
    is_short: bool


def main(arguments: Sequence[str] | None = None) -> int:
    wanted = _parsed(arguments)
    plan = _plan(wanted)
    with tempfile.TemporaryDirectory(prefix="karte-speed-") as temporary:
        folder = Path(temporary)
        files = Path(wanted.files) if wanted.files else folder
        files.mkdir(parents=True, exist_ok=True)
        lines = _measured(plan, folder, files, _speed_reads.Source.of(wanted.data))
    report = _report(wanted, plan, lines)
    print(f"{report['machine']}; {', '.join(f'{name} {value}' for name, value in report['versions'].items())}")
    print(table(lines))
    if wanted.json:
        Path(wanted.json).write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return 0


def _measured(plan: Plan, folder: Path, files: Path, source: _speed_reads.Source) -> list[Line]:
    lines = _speed_writes.measure(folder, plan.writes)
    by_rows: list[list[Line]] = []
    for rows in plan.rows:
        path = _speed_reads.built(files, rows, source)
        by_rows.append(_speed_reads.measure(path, rows, source, plan.reads))
        lines += by_rows[-1]
        sizes = _speed_recall.sizes(is_short=plan.is_short, rows=rows, timer=plan.reads.timer)
        lines += _speed_recall.measure(path, folder, rows, source, sizes)
        lines += _speed_processes.measure_file(path, rows, plan.starts, source.queries(), plan.reads.timer)
    lines += _speed_reads.flatness(by_rows)
    return lines + _speed_processes.measure_starts(plan.starts, plan.reads.timer)


def _parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true", help="a look in under 20 seconds; too little to judge by")
    parser.add_argument("--rows", help="sizes of the files that are read, with commas between [10000,100000]")
    parser.add_argument("--json", metavar="FILE", help="write the results here too")
    parser.add_argument("--data", metavar="DIR", help="take facts.jsonl and queries.jsonl from here")
    parser.add_argument(
        "--files", metavar="DIR", help="keep the files that are read here, and use those that are there"
    )
    parser.add_argument("--cpu", action="store_true", help="count processor time, on a machine with other work")
    wanted = parser.parse_args(arguments)
    try:
        wanted.rows = [int(size) for size in wanted.rows.split(",")] if wanted.rows else []
    except ValueError:
        parser.error("--rows: give numbers with commas between them")
    if any(size < FEWEST_ROWS for size in wanted.rows):
        parser.error(f"--rows: at least {FEWEST_ROWS}")
    return wanted


def _plan(wanted: argparse.Namespace) -> Plan:
    timer = thread_time if wanted.cpu else perf_counter
    return Plan(
        rows=tuple(wanted.rows) or ((FEWEST_ROWS,) if wanted.short else DEFAULT_ROWS),
        writes=replace(_speed_writes.SHORT if wanted.short else _speed_writes.FULL, timer=timer),
        reads=replace(_speed_reads.SHORT if wanted.short else _speed_reads.FULL, timer=timer),
        starts=3 if wanted.short else 7,
        is_short=wanted.short,
    )


def _report(wanted: argparse.Namespace, plan: Plan, lines: Sequence[Line]) -> dict[str, Any]:
    with SqliteMemoryEngine(":memory:") as engine:
        status = engine.status()
    return {
        "benchmark": "speed",
        "is_short": wanted.short,
        "timer": "cpu" if wanted.cpu else "clock",
        "seed": _workload.SEED,
        "rows": list(plan.rows),
        "machine": _machine(),
        "versions": {
            "karte": status.version,
            "python": platform.python_version(),
            "apsw": apsw.apsw_version(),
            "sqlite": status.sqlite_version,
        },
        "lines": [line.as_dict() for line in lines],
    }


def _machine() -> str:
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        named = [line.partition(":")[2].strip() for line in info.read_text().splitlines() if "model name" in line]
        model = next(islice(named, 1), model)
    return f"{platform.system()} {platform.machine()}, {model}, {os.cpu_count()} cores"


if __name__ == "__main__":
    sys.exit(main())
