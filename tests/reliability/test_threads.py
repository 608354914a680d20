"""Threads that share an engine: racing writers of one fact lose nothing and leave one current row (law 8)."""

import contextlib
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import karte
from karte import MemoryEntry, TemporalMeta
from tests.reliability.health import check, config, opened

AGENT = "default"
WRITERS = 8
EACH = 30


def _fact(value: str, subject: str = "it") -> tuple[MemoryEntry, TemporalMeta]:
    return MemoryEntry(content=f"{subject} is {value}"), TemporalMeta(subject=subject, predicate="is", object=value)


def _at_once(*works: Callable[[], Any]) -> list[str]:
    """Runs each in a thread, all let go at the same moment; gives what went wrong."""
    errors: list[str] = []
    start = threading.Barrier(len(works))

    def run(work: Callable[[], Any]) -> None:
        start.wait(30)
        try:
            work()
        except BaseException as error:  # noqa: BLE001 (a thread's failure must reach the test)
            errors.append(f"{type(error).__name__}: {error}")

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
        assert not thread.is_alive(), "a thread hangs"
    return errors


def _wrong(engine: karte.MemoryEngine) -> list[str]:
    """One round of reads; gives what contradicts itself."""
    wrong = []
    history = engine.get_history(AGENT, "it", "is")
    current = [record for record in history if record.is_current]
    if len(current) != 1 or current[0] is not history[-1]:
        wrong.append(f"{len(current)} current of {len(history)}")
    if engine.get_at(AGENT, "it", "is") is None:
        wrong.append("nothing holds")
    if len(engine.list_recent(AGENT)) != 1:
        wrong.append("several are listed")
    engine.search(AGENT, "it is")
    return wrong


@pytest.mark.requirement("law.8-racing-writers")
@pytest.mark.parametrize("path", ["memory.db", ":memory:"])
def test_eight_threads_that_write_one_fact_while_others_read_lose_nothing(path: str, tmp_path: Path) -> None:
    file = path if path == ":memory:" else str(tmp_path / path)
    outcomes: list[karte.StoreOutcome] = []
    wrong: list[str] = []
    stop = threading.Event()

    with karte.SqliteMemoryEngine(file, config=config()) as engine:
        engine.store_temporal(*_fact("the first"))

        def write(name: str) -> None:
            for number in range(EACH):
                outcomes.append(engine.store_temporal(*_fact(f"{name}-{number}")))  # noqa: PERF401 (many writers, one list)

        def read() -> None:
            while not stop.is_set():
                wrong.extend(_wrong(engine))

        readers = [threading.Thread(target=read) for _ in range(2)]
        for reader in readers:
            reader.start()
        errors = _at_once(*[lambda n=n: write(f"w{n}") for n in range(WRITERS)])
        stop.set()
        for reader in readers:
            reader.join(60)
        assert errors == []
        assert wrong == []
        history = engine.get_history(AGENT, "it", "is")
        assert len(history) == 1 + WRITERS * EACH
        assert {outcome.id for outcome in outcomes} == {record.id for record in history[1:]}
        assert [record.supersedes for record in history] == [None, *(record.id for record in history[:-1])]
        assert len({record.ingested_at for record in history}) == len(history), "each write has its own instant"
        assert [record.is_current for record in history].count(True) == 1
        assert engine.doctor().findings == ()
    if path != ":memory:":
        check(Path(file))


@pytest.mark.requirement("law.8-racing-writers")
def test_threads_that_end_retract_forget_and_alias_one_fact_at_once_leave_it_in_order(db_path: Path) -> None:
    with opened(db_path) as engine:
        for number in range(20):
            entry, meta = _fact(f"v{number}", subject="it" if number % 2 else "that")
            engine.store_temporal(MemoryEntry(content=entry.content, id=f"row-{number}"), meta)

        def quietly(work: Callable[[int], Any]) -> None:
            for number in range(20):
                with contextlib.suppress(karte.NotFound, karte.InvalidInput, karte.Conflict):
                    work(number)

        errors = _at_once(
            lambda: quietly(lambda n: engine.store_temporal(*_fact(f"a{n}"))),
            lambda: quietly(lambda n: engine.store_temporal(*_fact(f"b{n}", subject="that"))),
            lambda: quietly(lambda n: engine.end_fact(AGENT, "it", "is")),
            lambda: quietly(lambda n: engine.retract(AGENT, f"row-{n}")),
            lambda: quietly(lambda n: engine.forget(AGENT, f"row-{19 - n}")),
            lambda: quietly(lambda n: engine.restore(AGENT, f"row-{19 - n}")),
            lambda: quietly(lambda n: engine.add_alias(AGENT, "it", "that")),
            lambda: quietly(lambda n: engine.remove_alias(AGENT, "that")),
            lambda: quietly(lambda n: engine.declare_predicate(AGENT, "is", "many" if n % 2 else "one")),
            lambda: quietly(lambda n: engine.update(AGENT, f"row-{n}", tags=[str(n)])),
        )
        assert errors == []
    check(db_path)


@pytest.mark.requirement("process.several-on-one-file")
def test_a_thread_that_waits_in_vain_for_another_gets_a_clear_error(db_path: Path) -> None:
    with opened(db_path, config=config(0.2)) as engine:
        inside, go_on = threading.Event(), threading.Event()

        def report(_done: int, _total: int) -> None:
            inside.set()
            assert go_on.wait(30)

        thread = threading.Thread(target=lambda: engine.store_many([_fact("slow")], on_progress=report))
        thread.start()
        assert inside.wait(30)
        with pytest.raises(karte.Busy) as caught:
            engine.store(MemoryEntry(content="x"))
        assert "busy_timeout_secs" in str(caught.value)
        assert engine.list_recent(AGENT).items == ()
        go_on.set()
        thread.join(30)
        assert engine.store(MemoryEntry(content="x")).status == "stored"
    check(db_path)


def test_a_call_that_writes_from_inside_another_of_its_thread_is_a_clear_error_not_a_dead_lock(db_path: Path) -> None:
    """As where a progress report stores what it sees."""
    caught: list[BaseException] = []

    with opened(db_path) as engine:

        def report(_done: int, _total: int) -> None:
            begun = time.monotonic()
            try:
                engine.store(MemoryEntry(content="from inside"))
            except karte.KarteError as error:
                caught.append(error)
            assert time.monotonic() - begun < 1, "it does not wait for itself"

        outcomes = engine.store_many([_fact("a")], on_progress=report)
        assert [outcome.status for outcome in outcomes] == ["stored"]
        assert len(caught) == 1
        assert engine.store(MemoryEntry(content="x")).status == "stored"
    check(db_path)


def test_a_read_from_inside_a_write_of_its_thread_harms_neither(db_path: Path) -> None:
    answers: list[Any] = []

    with opened(db_path) as engine:
        engine.store(MemoryEntry(content="before"))

        def report(_done: int, _total: int) -> None:
            try:
                answers.append(len(engine.list_recent(AGENT)))
            except karte.KarteError as error:
                answers.append(error.code)

        outcomes = engine.store_many([_fact(f"v{n}", subject=f"s{n}") for n in range(3)], on_progress=report)
        assert [outcome.status for outcome in outcomes] == ["stored"] * 3
        assert len(answers) == 3
        assert len(engine.list_recent(AGENT)) == 4
    check(db_path)
