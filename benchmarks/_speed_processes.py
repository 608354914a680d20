"""Speed of starting: importing, the first help, opening a file; and how much memory a process comes to hold."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from time import perf_counter

from benchmarks._speed_table import Line, absolute, resident

MOST_OPEN = 0.1
MOST_HELP = 0.2
MOST_IMPORT = 0.15
MEGABYTE = 1_000_000
MOST_RESIDENT = {10_000: 60 * MEGABYTE, 1_000_000: 400 * MEGABYTE}

_OPENING = """
import sys, time
import karte
began = time.perf_counter()
from karte.engine import SqliteMemoryEngine
engine = SqliteMemoryEngine(sys.argv[1])
print(time.perf_counter() - began)
"""
_OPENING_FLOOR = """
import sys, time
began = time.perf_counter()
import apsw
connection = apsw.Connection(sys.argv[1])
connection.execute("SELECT * FROM memories LIMIT 1").fetchone()
print(time.perf_counter() - began)
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


def measure_file(path: Path, rows: int, starts: int, queries: Sequence[str]) -> list[Line]:
    """Opening a file in a new process, and the most memory that a process needs which reads it all over."""
    ours, floor = _in_turn(_OPENING, _OPENING_FLOOR, starts, str(path))
    lines = [absolute("opening a file", rows, ours, MOST_OPEN, floor)]
    held = int(_answer(_IN_USE, str(path), str(rows), json.dumps(queries)))
    most = next((most for size, most in MOST_RESIDENT.items() if rows <= size), MOST_RESIDENT[1_000_000])
    lines.append(resident("memory of a process", rows, held, most))
    return lines


def measure_starts(starts: int) -> list[Line]:
    """What a person waits for; all of it, the start of Python included."""
    empty = ("-c", "pass")
    lines = []
    for name, arguments, most in (
        ("import karte", ("-c", "import karte"), MOST_IMPORT),
        ("karte --help", ("-m", "karte", "--help"), MOST_HELP),
    ):
        ours, floor = [], []
        for _ in range(starts):
            ours.append(_waited(arguments))
            floor.append(_waited(empty))
        lines.append(absolute(name, 0, median(ours), most, median(floor)))
    return lines


def _waited(arguments: Sequence[str]) -> float:
    began = perf_counter()
    _run(*arguments)
    return perf_counter() - began


def _in_turn(ours: str, floor: str, times: int, *arguments: str) -> tuple[float, float]:
    pairs = [(float(_answer(ours, *arguments)), float(_answer(floor, *arguments))) for _ in range(times)]
    return median(pair[0] for pair in pairs), median(pair[1] for pair in pairs)


def _answer(program: str, *arguments: str) -> str:
    return _run("-c", program, *arguments)


def _run(*arguments: str) -> str:
    done = subprocess.run([sys.executable, *arguments], check=True, capture_output=True, text=True)
    return done.stdout
