"""Speed of starting: importing, the first help, opening a file; and how much memory a process comes to hold."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from statistics import median
from tempfile import gettempdir
from time import perf_counter

from benchmarks._speed_table import Line, absolute, resident
from benchmarks._speed_writes import Timer

MOST_OPEN = 0.1
MOST_HELP = 0.2
MOST_IMPORT = 0.15
MEGABYTE = 1_000_000
MOST_RESIDENT = {10_000: 60 * MEGABYTE, 1_000_000: 400 * MEGABYTE}

_OPENING = """
import sys, time
timer = getattr(time, sys.argv[2])
began = timer()
from karte.engine import SqliteMemoryEngine
imported = timer()
engine = SqliteMemoryEngine(sys.argv[1])
opened = timer()
print(opened - imported, opened - began)
"""
_OPENING_FLOOR = """
import sys, time
timer = getattr(time, sys.argv[2])
began = timer()
import apsw
imported = timer()
connection = apsw.Connection(sys.argv[1])
connection.execute("SELECT * FROM memories LIMIT 1").fetchone()
opened = timer()
print(opened - imported, opened - began)
"""
_IN_USE = """
import json, sys
from karte import MemoryEntry
from karte.engine import SqliteMemoryEngine
def resident():
    try:
        text = open("/proc/self/status").read()
        return int(text.split("VmHWM:")[1].split()[0]) * 1024
    except OSError:
        import resource
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
path, rows, queries = sys.argv[1], int(sys.argv[2]), json.loads(sys.argv[3])
with SqliteMemoryEngine(path) as engine:
    for query in queries:
        engine.search("bench", query)
    for number in range(0, rows, max(1, rows // 2_000)):
        engine.get_by_id("bench", f"00000001-0000-4000-8000-{number:012x}")
    for page in range(10):
        engine.list_recent("bench", 50)
    print(resident())
"""


def measure_file(path: Path, rows: int, starts: int, queries: Sequence[str], timer: Timer) -> list[Line]:
    """Opening a file in a new process, and the most memory that a process needs which reads it all over."""
    ours, floor = [], []
    for _ in range(starts):
        ours.append(_numbers(_run("-c", _OPENING, str(path), timer.__name__)))
        floor.append(_numbers(_run("-c", _OPENING_FLOOR, str(path), timer.__name__)))
    names = ("opening a file", MOST_OPEN), ("importing the engine, and opening", MOST_IMPORT + MOST_OPEN)
    lines = [
        absolute(name, rows, median(each[i] for each in ours), most, median(each[i] for each in floor))
        for i, (name, most) in enumerate(names)
    ]
    held = int(_run("-c", _IN_USE, str(path), str(rows), json.dumps(queries)))
    most = next((most for size, most in MOST_RESIDENT.items() if rows <= size), MOST_RESIDENT[1_000_000])
    return [*lines, resident("memory of a process", rows, held, most)]


def _numbers(printed: str) -> list[float]:
    return [float(number) for number in printed.split()]


def measure_starts(starts: int, timer: Timer) -> list[Line]:
    """What a person waits for; all of it, the start of Python included."""
    waited = _waited if timer is perf_counter else _worked
    lines = []
    for name, arguments, most in (
        ("import karte", ("-c", "import karte"), MOST_IMPORT),
        ("karte --help", ("-m", "karte", "--help"), MOST_HELP),
    ):
        rounds = [(waited(*arguments), waited("-c", "pass")) for _ in range(starts)]
        lines.append(absolute(name, 0, median(r[0] for r in rounds), most, median(r[1] for r in rounds)))
    return lines


def _waited(*arguments: str) -> float:
    began = perf_counter()
    _run(*arguments)
    return perf_counter() - began


def _worked(*arguments: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    _run(*arguments)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _run(*arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments], check=True, capture_output=True, text=True, env=_with_bytecode()
    )
    return done.stdout


@cache
def _with_bytecode() -> Mapping[str, str]:
    """An environment that keeps bytecode, as an installed package has it, also where ours is told not to write any."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    kept["PYTHONPYCACHEPREFIX"] = str(Path(gettempdir()) / f"karte-bytecode-{os.getuid()}")
    subprocess.run([sys.executable, "-c", "import karte.engine, karte.__main__, numpy"], check=True, env=kept)
    return kept
