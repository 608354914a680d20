"""Forked processes, and a write-ahead log that stays small."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import apsw
import pytest

from karte import MemoryEntry, SqliteMemoryEngine, TemporalMeta
from tests.conftest import FakeClock

LIMIT = 16 * 1024 * 1024

READER = """
import sys, apsw
connection = apsw.Connection(sys.argv[1])
connection.execute("BEGIN")
connection.execute("SELECT count(*) FROM memories").fetchall()
print("reading", flush=True)
sys.stdin.readline()
"""


def fact(i: int) -> tuple[MemoryEntry, TemporalMeta]:
    return (
        MemoryEntry(content=f"value {i} " + "x" * 2000, agent_id="a"),
        TemporalMeta(subject=f"s{i % 50}", predicate="p", object=str(i)),
    )


@pytest.mark.requirement("process.fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # forking with a thread is what is tried
def test_a_forked_child_and_its_parent_use_one_open_store(db_path: Path) -> None:
    """Also when another thread was in the middle of a write: the fork waits for it."""
    with SqliteMemoryEngine(db_path) as engine:
        engine.store_temporal(*fact(0))
        held, release = threading.Event(), threading.Event()

        def hold_the_lock() -> None:
            with engine._store.write():
                held.set()
                release.wait(0.5)

        writer = threading.Thread(target=hold_the_lock)
        writer.start()
        assert held.wait(20)
        child = os.fork()
        if child == 0:
            status = 1
            try:
                found = engine.search("a", "value", touch=False)
                for i in range(1, 20):
                    engine.store_temporal(*fact(i))
                status = 0 if found else 2
            finally:
                os._exit(status)
        release.set()
        writer.join(20)
        for i in range(20, 40):
            engine.store_temporal(*fact(i))
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == 0
        assert {m.object for m in engine.list_recent("a")} == {str(i) for i in range(40)}
        assert engine.doctor().findings == ()


@pytest.mark.requirement("process.fork")
def test_a_child_goes_on_when_its_parent_has_closed_the_store(db_path: Path) -> None:
    engine = SqliteMemoryEngine(db_path)
    engine.store_temporal(*fact(0))
    ready, go = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            engine.store_temporal(*fact(1))
            os.write(ready[1], b"x")
            os.read(go[0], 1)
            engine.store_temporal(*fact(2))
            status = 0
        finally:
            os._exit(status)
    os.read(ready[0], 1)
    engine.close()
    os.write(go[1], b"x")
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    with SqliteMemoryEngine(db_path) as again:
        assert {m.object for m in again.list_recent("a")} == {"0", "1", "2"}
        assert again.doctor().findings == ()


@pytest.mark.requirement("process.fork")
def test_a_store_in_memory_is_copied_by_a_fork() -> None:
    with SqliteMemoryEngine(":memory:") as engine:
        engine.store_temporal(*fact(0))
        child = os.fork()
        if child == 0:
            status = 1
            try:
                engine.store_temporal(*fact(1))
                status = 0 if len(engine.list_recent("a")) == 2 else 2
            finally:
                os._exit(status)
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == 0
        assert len(engine.list_recent("a")) == 1


@pytest.mark.requirement("process.wal-bounded")
def test_the_log_returns_below_its_bound_once_a_reader_lets_go(db_path: Path) -> None:
    log = Path(f"{db_path}-wal")
    with SqliteMemoryEngine(db_path) as engine:
        engine.store_temporal(*fact(0))
        reader = subprocess.Popen(
            [sys.executable, "-c", READER, str(db_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert reader.stdout is not None
        assert reader.stdout.readline() == "reading\n"
        for start in range(0, 6000, 500):
            engine.store_many([fact(i) for i in range(start, start + 500)])
        assert log.stat().st_size > LIMIT
        reader.communicate("\n", timeout=20)
        for i in range(3):
            engine.store_many([fact(i) for i in range(100 * i, 100 * i + 100)])
        assert log.stat().st_size <= LIMIT
        assert engine.status().wal_bytes == log.stat().st_size
    assert not log.exists()


@pytest.mark.requirement("process.wal-bounded")
def test_no_call_leaves_a_read_transaction_open(db_path: Path, clock: FakeClock) -> None:
    with SqliteMemoryEngine(db_path, clock=clock) as engine:
        for i in range(30):
            engine.store_temporal(*fact(i))
        calls = (
            lambda: engine.search("a", "value", 1),
            lambda: engine.search("a", "value", 1, known_at="2027", explain=True),
            lambda: engine.list_recent("a", 2),
            lambda: engine.get_at("a", "s1", "p"),
            lambda: engine.get_history("a", "s1", "p", known_at="2027"),
            lambda: engine.get_by_ids("a", ["x"]),
            lambda: engine.list_aliases("a"),
            engine.status,
            engine.doctor,
        )
        other = apsw.Connection(str(db_path))
        other.execute("SELECT count(*) FROM memories").fetchall()
        for call in calls:
            engine.store(MemoryEntry(content="moves the log", agent_id="a"))
            call()
            assert other.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE) == (0, 0)
        other.close()
