"""A process that divides in two with a store open: both can use it, and neither harms the other."""

import json
import multiprocessing
import os
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import apsw
import pytest

import karte
from karte import MemoryEntry, TemporalMeta
from tests.reliability.health import check, config, contents, opened, query
from tests.reliability.processes import in_a_fork

AGENT = "default"

pytestmark = pytest.mark.requirement("process.fork")


def _fact(value: str) -> tuple[MemoryEntry, TemporalMeta]:
    return MemoryEntry(content=f"it is {value}"), TemporalMeta(subject="it", predicate="is", object=value)


def test_child_and_parent_both_write_and_read_after_a_fork(db_path: Path) -> None:
    with opened(db_path) as engine:
        engine.store_temporal(*_fact("from before"))

        def work() -> list[str]:
            engine.store_temporal(*_fact("from the child"))
            return contents(engine)

        assert in_a_fork(work) == ["it is from the child"]
        assert engine.store_temporal(*_fact("from the parent")).is_current
        history = engine.get_history(AGENT, "it", "is")
        assert [record.object for record in history] == ["from before", "from the child", "from the parent"]
    check(db_path)


def test_a_child_forked_before_its_parent_used_the_engine_can_use_it(db_path: Path) -> None:
    with opened(db_path) as engine:
        assert in_a_fork(lambda: engine.store(MemoryEntry(content="first")).status) == "stored"
        assert contents(engine) == ["first"]
    check(db_path)


def test_what_the_child_writes_after_its_parent_has_closed_the_file_is_kept(db_path: Path) -> None:
    engine = opened(db_path)
    engine.store(MemoryEntry(content="from before"))
    (heard, say), (told, tell) = os.pipe(), os.pipe()

    def work() -> str:
        engine.store(MemoryEntry(content="while both are open"))
        os.write(say, b"x")
        os.read(told, 1)
        return engine.store(MemoryEntry(content="after the parent closed")).status

    answers: list[Any] = []
    thread = _beside(lambda: answers.append(in_a_fork(work)))
    os.read(heard, 1)
    engine.close()
    os.write(tell, b"x")
    thread.join(30)
    assert answers == ["stored"]
    rows = query(db_path, "SELECT content FROM memories ORDER BY content")
    assert rows == [("after the parent closed",), ("from before",), ("while both are open",)]
    check(db_path)


def _beside(work: Callable[[], Any]) -> threading.Thread:
    thread = threading.Thread(target=work)
    thread.start()
    return thread


def test_what_the_parent_writes_after_its_child_has_closed_the_file_is_kept(db_path: Path) -> None:
    with opened(db_path) as engine:
        engine.store(MemoryEntry(content="from before"))

        def work() -> None:
            engine.store(MemoryEntry(content="from the child"))
            engine.close()

        in_a_fork(work)
        engine.store(MemoryEntry(content="from the parent"))
        assert contents(engine) == ["from before", "from the child", "from the parent"]
    assert len(query(db_path, "SELECT 1 FROM memories")) == 3
    check(db_path)


@pytest.mark.slow
@pytest.mark.requirement("law.8-racing-writers")
def test_parent_and_children_that_all_write_at_once_lose_nothing(db_path: Path) -> None:
    with opened(db_path) as engine:
        engine.store_temporal(*_fact("first"))

        def work(name: str) -> list[str | None]:
            return [engine.store_temporal(*_fact(f"{name}-{n}")).id for n in range(40)]

        answers: list[list[str | None]] = []

        def answers_of(name: str) -> None:
            answers.append(in_a_fork(partial(work, name)))

        threads = [_beside(partial(answers_of, f"child {n}")) for n in range(4)]
        own = work("parent")
        for thread in threads:
            thread.join(60)
        ids = {id for answer in [*answers, own] for id in answer}
        assert len(ids) == 5 * 40
        assert {record.id for record in engine.get_history(AGENT, "it", "is")} > ids
    check(db_path)


def test_a_child_forked_while_another_thread_writes_can_write_when_that_has_ended(db_path: Path) -> None:
    with opened(db_path, config=config(20.0)) as engine:
        engine.store(MemoryEntry(content="from before"))
        writing, go_on = threading.Event(), threading.Event()

        def report(done: int, _total: int) -> None:
            if done == 5:
                writing.set()
                assert go_on.wait(30)

        many = [_fact(f"place {n}") for n in range(20)]
        thread = _beside(lambda: engine.store_many(many, on_progress=report))
        assert writing.wait(30)
        release = threading.Timer(0.3, go_on.set)
        release.start()
        assert in_a_fork(lambda: engine.store(MemoryEntry(content="from the child")).status) == "stored"
        thread.join(30)
        assert engine.store(MemoryEntry(content="from the parent")).status == "stored"
        assert query(db_path, "SELECT count(*) FROM memories") == [(23,)]
    check(db_path)


def test_a_fork_in_the_middle_of_a_call_harms_neither_the_call_nor_the_file(db_path: Path) -> None:
    """As where a progress report starts a worker: the call goes on, and the child hears why it cannot write."""
    said: list[str] = []

    with opened(db_path) as engine:

        def work() -> str:
            try:
                return engine.store(MemoryEntry(content="from the child")).status
            except karte.StorageError as error:
                return error.code

        def report(done: int, _total: int) -> None:
            if done == 5:
                said.append(in_a_fork(work))

        outcomes = engine.store_many([_fact(f"place {n}") for n in range(20)], on_progress=report)
        assert [outcome.status for outcome in outcomes] == ["stored"] * 20
        assert said == ["storage_error"]
        assert engine.store(MemoryEntry(content="from the parent")).status == "stored"
        assert in_a_fork(lambda: engine.store(MemoryEntry(content="from a later child")).status) == "stored"
    check(db_path)


@pytest.mark.slow
def test_threads_that_fork_at_the_same_moment_do_not_wait_for_each_other_for_ever(db_path: Path) -> None:
    with opened(db_path) as engine:
        engine.store(MemoryEntry(content="first"))
        errors: list[str] = []

        def fork_often() -> None:
            try:
                for _ in range(15):
                    assert in_a_fork(lambda: engine.store(MemoryEntry(content="from a child")).status) == "stored"
                    engine.store(MemoryEntry(content="from a thread"))
            except AssertionError as error:
                errors.append(str(error))

        threads = [threading.Thread(target=fork_often, daemon=True) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
            assert not thread.is_alive(), "a thread hangs"
        assert errors == []
        assert query(db_path, "SELECT count(*) FROM memories") == [(1 + 3 * 30,)]
    check(db_path)


@pytest.mark.slow
def test_forks_at_any_moment_of_other_threads_calls_break_none_of_them(db_path: Path) -> None:
    """Readers, a writer and the doctor go on in threads while the process forks again and again."""
    errors: list[str] = []
    stop = threading.Event()

    with opened(db_path) as engine:
        engine.store_many([_fact(f"place {n}") for n in range(200)])

        def again(call: Callable[[], Any]) -> None:
            while not stop.is_set():
                try:
                    call()
                except Exception as error:  # noqa: BLE001 (a thread's failure must reach the test)
                    errors.append(f"{type(error).__name__}: {error}")
                    return

        calls: list[Callable[[], Any]] = [
            lambda: engine.store_temporal(*_fact(str(time.monotonic_ns()))),
            lambda: engine.search(AGENT, "place it", 50),
            lambda: list(engine.list_recent(AGENT, 100)),
            lambda: engine.list_recent(AGENT, 10).total,
            lambda: engine.get_history(AGENT, "it", "is"),
            engine.doctor,
            engine.status,
        ]
        threads = [_beside(partial(again, call)) for call in calls]
        try:
            for _ in range(15):
                assert in_a_fork(lambda: engine.store(MemoryEntry(content="from a child")).status) == "stored"
        finally:
            stop.set()
            for thread in threads:
                thread.join(60)
        assert errors == []
    assert query(db_path, "SELECT count(*) FROM memories WHERE content = 'from a child'") == [(15,)]
    check(db_path)


def test_opening_an_engine_in_one_thread_while_another_forks_works(db_path: Path, tmp_path: Path) -> None:
    errors: list[str] = []

    def open_some() -> None:
        try:
            for number in range(10):
                with opened(tmp_path / f"{number}.db") as engine:
                    engine.store(MemoryEntry(content="x"))
        except Exception as error:  # noqa: BLE001 (a thread's failure must reach the test)
            errors.append(f"{type(error).__name__}: {error}")

    with opened(db_path) as engine:
        thread = _beside(open_some)
        while thread.is_alive():
            assert in_a_fork(lambda: engine.store(MemoryEntry(content="x")).status) == "stored"
        thread.join()
    assert errors == []
    for number in range(10):
        check(tmp_path / f"{number}.db")


def _pooled(name: str) -> str:
    """Work in a process of a pool: the engine is inherited, not passed."""
    engine = SHARED[0]
    return str(engine.store_temporal(*_fact(name)).id)


SHARED: list[karte.MemoryEngine] = []


@pytest.mark.slow
def test_a_pool_of_forked_processes_uses_the_engine_it_inherits(db_path: Path) -> None:
    with opened(db_path) as engine:
        engine.store_temporal(*_fact("first"))
        SHARED[:] = [engine]
        try:
            with multiprocessing.get_context("fork").Pool(3) as pool:
                ids = pool.map(_pooled, [f"value {n}" for n in range(60)], chunksize=5)
        finally:
            SHARED.clear()
        assert len(set(ids)) == 60
        assert {record.id for record in engine.get_history(AGENT, "it", "is")} > set(ids)
        assert engine.store_temporal(*_fact("last")).is_current
    check(db_path)


def test_ids_made_in_parent_and_child_never_meet(db_path: Path) -> None:
    with opened(db_path) as engine:
        engine.store(MemoryEntry(content="x"))

        def work() -> list[str | None]:
            return [engine.store(MemoryEntry(content="x")).id for _ in range(20)]

        first, second = in_a_fork(work), in_a_fork(work)
        own = work()
        assert len({*first, *second, *own}) == 60
    check(db_path)


def test_a_grandchild_can_use_the_engine_too(db_path: Path) -> None:
    with opened(db_path) as engine:
        engine.store(MemoryEntry(content="parent"))

        def child() -> list[str]:
            engine.store(MemoryEntry(content="child"))
            in_a_fork(lambda: engine.store(MemoryEntry(content="grandchild")).status)
            return contents(engine)

        assert in_a_fork(child) == ["child", "grandchild", "parent"]
        assert contents(engine) == ["child", "grandchild", "parent"]
    check(db_path)


def test_an_engine_in_memory_goes_its_own_way_in_the_child(db_path: Path) -> None:
    with karte.SqliteMemoryEngine(":memory:", config=config()) as engine:
        engine.store(MemoryEntry(content="from before"))

        def work() -> list[str]:
            engine.store(MemoryEntry(content="from the child"))
            return contents(engine)

        assert in_a_fork(work) == ["from before", "from the child"]
        assert contents(engine) == ["from before"]


def test_a_child_holds_its_own_locks_on_the_file(db_path: Path) -> None:
    """Without them a third process could tidy the log away under it."""
    with opened(db_path) as engine:
        engine.store(MemoryEntry(content="x"))

        def work() -> bool:
            engine.store(MemoryEntry(content="y"))
            return any(str(os.getpid()) in line.split() for line in Path("/proc/locks").read_text().splitlines())

        if not Path("/proc/locks").exists():
            pytest.skip("no list of locks to look at")
        assert in_a_fork(work)


def test_the_connection_of_an_ended_thread_is_closed(db_path: Path) -> None:
    with opened(db_path) as engine:
        for number in range(30):
            thread = _beside(lambda: engine.store(MemoryEntry(content="x")))
            thread.join()
            assert number < 30
        connections = engine._store.connections  # type: ignore[attr-defined]
        assert len(connections._opened) <= 3
        assert all(isinstance(connection, apsw.Connection) for connection in connections._opened)
    assert json.dumps(sorted(file.name for file in db_path.parent.iterdir())) == '["memory.db"]'
