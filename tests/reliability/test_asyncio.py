"""``AsyncKarte``: the loop never waits, a cancelled call is whole or absent, and closing waits for what goes on."""

import asyncio
import gc
import inspect
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import karte
from karte import AsyncKarte, Karte
from karte.config import ServerSettings
from tests.reliability.health import check, config, query
from tests.service.documents import DEPLOYING, DEPLOYING_LATER

pytestmark = pytest.mark.requirement("python.async-same-calls")

MOST_GAP_SECS = 0.2
HEARTBEAT_SECS = 0.01
RUNS = 4


def _fact(value: str, subject: str = "it") -> dict[str, str]:
    return {"content": f"{subject} is {value}", "subject": subject, "predicate": "is", "object": value}


async def _heartbeat(gaps: list[float]) -> None:
    before = time.perf_counter()
    while True:
        await asyncio.sleep(HEARTBEAT_SECS)
        now = time.perf_counter()
        gaps.append(now - before)
        before = now


@pytest.fixture
def heap_set_apart() -> Iterator[None]:
    """Takes what the other tests left in this process out of Python's garbage collection.

    One full collection stops every thread; over the heap of a whole test run it takes a quarter of a second,
    whatever is tested.
    """
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


def _public(cls: type) -> set[str]:
    return {name for name, value in inspect.getmembers(cls, callable) if not name.startswith("_")}


def test_every_call_of_karte_is_there_and_awaitable(db_path: Path) -> None:
    webhook = ServerSettings(webhook_url="http://127.0.0.1:9/", webhook_secret="x" * 16)  # no event is sent there

    async def main() -> None:
        async with AsyncKarte(db_path, config=replace(config(), server=webhook)) as memory:
            assert _public(Karte) <= set(dir(memory))
            stored = await memory.store("a note", tags=["t"])
            fact = await memory.store_temporal(**_fact("one"))
            outcomes = await memory.store_many([{**_fact(f"p{i}"), "origin": "channel:web"} for i in range(5)])
            held = outcomes[-1]
            undone = (await memory.invalidate_by_origin("channel:other")).operation_id
            await memory.record_mistake("it went wrong")
            rule = (await memory.maybe_consolidate("behavioral", 1)).id
            page = (await memory.file_page(DEPLOYING, origin="channel:other")).path
            await memory.promote_page(page, author="somebody")
            for origin, text in (("channel:a", DEPLOYING_LATER), ("channel:b", DEPLOYING.replace("ten", "six"))):
                assert (await memory.file_page(text, origin=origin)).status == "proposed"
            proposals = [each.id for each in await memory.list_page_proposals()]
            lines: list[str] = []
            calls: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
                "store_many": ((["x", _fact("two")],), {}),
                "get_by_id": ((stored.id,), {}),
                "get_by_ids": (([stored.id],), {}),
                "update": ((stored.id,), {"tags": ["u"]}),
                "forget": ((stored.id,), {}),
                "restore": ((stored.id,), {}),
                "list_recent": ((), {}),
                "search": (("note",), {}),
                "search_layer": (("episodic", "note"), {}),
                "get_at": (("it", "is"), {}),
                "get_all_at": (("it", "is"), {}),
                "get_history": (("it", "is"), {}),
                "retract": ((fact.id,), {}),
                "end_fact": (("it", "is"), {}),
                "expire_by_subject": (("it",), {}),
                "declare_predicate": (("knows", "many"), {}),
                "list_predicates": ((), {}),
                "add_alias": (("it", "that"), {}),
                "list_aliases": ((), {}),
                "remove_alias": (("that",), {}),
                "invalidate_by_origin": (("channel:web",), {"dry_run": True}),
                "undo_operation": ((undone,), {}),
                "approvals": ((), {}),
                "get_approval": ((held.approval_id,), {}),
                "decide": ((held.approval_id, "reject"), {"by": "somebody"}),
                "doctor": ((), {}),
                "decay": ((), {}),
                "stats": ((), {}),
                "reembed": ((), {}),
                "import_conversations": (("[]",), {"name": "chat"}),
                "summarize": ((7,), {}),
                "record_mistake": (("it went wrong",), {}),
                "past_mistakes_section": (("wrong",), {}),
                "maybe_consolidate": (("behavioral", 1), {}),
                "observe_outcome": ((1.0, 1.0), {}),
                "list_rules": ((), {}),
                "rule_feedback": ((rule, True), {}),
                "edit_rule": ((rule, "Take care."), {}),
                "retire_rule": ((rule,), {}),
                "restore_rule": ((rule,), {}),
                "build_context": (("wrong", 500), {}),
                "distill": ((["I live in Kyoto."],), {}),
                "file_page": ((DEPLOYING,), {}),
                "list_pages": ((), {}),
                "read_page": ((page,), {}),
                "search_pages": (("image",), {}),
                "promote_page": ((page,), {"author": "somebody"}),
                "list_page_proposals": ((), {}),
                "accept_page_proposal": ((proposals[0],), {"author": "somebody"}),
                "decline_page_proposal": ((proposals[1],), {}),
                "lint_pages": ((), {}),
                "page_links": ((page,), {}),
                "page_backlinks": ((page,), {}),
                "page_duplicates": ((), {}),
                "export_page_graph": ((), {}),
                "archive_page": ((page,), {}),
                "restore_page": ((page,), {}),
                "open_decision": (("Ship?",), {"id": "ship"}),
                "list_open_decisions": ((), {}),
                "resolve_decision": (("ship", "yes"), {}),
                "status": ((), {}),
                "events": ((), {"limit": 5}),
                "audit": ((), {}),
                "subscribe": ((print,), {}),
                "deliver_events": ((), {}),
                "export_graph": ((), {}),
                "export": ((lines.append,), {}),
                "is_stopped": (("a note",), {}),
                "erase": ((), {"everything": True}),
                "import_export": ((lines,), {}),
            }
            assert set(calls) == _public(Karte) - {"store", "store_temporal", "close"}
            for name, (arguments, settings) in calls.items():
                answer = getattr(memory, name)(*arguments, **settings)
                assert inspect.isawaitable(answer), name
                await answer
            with pytest.raises(AttributeError):
                memory.no_such_call  # noqa: B018 (asking is the test)

    asyncio.run(main())
    check(db_path)


def test_errors_come_out_as_they_are(db_path: Path) -> None:
    async def main() -> None:
        async with AsyncKarte(db_path, config=config()) as memory:
            with pytest.raises(karte.InvalidText):
                await memory.store("")
            with pytest.raises(karte.InvalidInput):
                await memory.store("x", no_such_field=1)
            assert await memory.list_recent() is not None
        with pytest.raises(karte.StorageError):
            async with AsyncKarte(db_path.parent / "missing" / "memory.db", config=config()):
                pass

    asyncio.run(main())


@pytest.mark.slow
@pytest.mark.usefixtures("heap_set_apart")
@pytest.mark.requirement("mcp.quick-under-load")
def test_the_loop_ticks_while_searches_and_a_large_import_run(tmp_path: Path) -> None:
    """FB-23: no gap of the heartbeat is longer than 200 ms, and a small read is quick.

    A machine that is busy with something else can stop any loop for a while; a loop that we hold stands still in every
    run. So the best of a few runs counts.
    """
    longest: list[float] = []
    for number in range(RUNS):
        db_path = tmp_path / f"{number}.db"
        gaps: list[float] = []
        asyncio.run(_under_load(db_path, gaps))
        assert len(gaps) > 10
        longest.append(max(gaps))
        check(db_path)
        if longest[-1] < MOST_GAP_SECS:
            return
    pytest.fail(f"the loop stood still for {longest} s")


async def _under_load(db_path: Path, gaps: list[float]) -> None:
    async with AsyncKarte(db_path, config=config()) as memory:
        note = await memory.store("the first note")
        await memory.store_many([_fact(f"value {n}", f"thing {n}") for n in range(500)])
        beat = asyncio.create_task(_heartbeat(gaps))
        await asyncio.sleep(HEARTBEAT_SECS)
        items = [_fact(f"new value {n}", f"thing {n}") for n in range(2000)]
        work: list[Awaitable[Any]] = [memory.store_many(items)]
        work += [memory.search(f"thing value {n}", 50) for n in range(10)]
        tasks = asyncio.gather(*work)
        await asyncio.sleep(0.1)
        begun = time.perf_counter()
        found = await memory.get_by_id(note.id)
        took = time.perf_counter() - begun
        outcomes, *hits = await tasks
        beat.cancel()
        assert found.content == "the first note"
        assert took < 1.0
        assert [outcome.status for outcome in outcomes] == ["stored"] * 2000
        assert all(hits)


@pytest.mark.requirement("mcp.cancel-and-close")
@pytest.mark.parametrize("delay", [0.0, 0.001, 0.01, 0.05, 0.2])
def test_a_cancelled_write_is_whole_or_absent_and_leaves_no_lock(delay: float, db_path: Path) -> None:
    async def main() -> None:
        async with AsyncKarte(db_path, config=config()) as memory:
            await memory.store("before")
            task = asyncio.ensure_future(memory.store_many([_fact(f"value {n}", f"thing {n}") for n in range(300)]))
            await asyncio.sleep(delay)
            task.cancel()
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            begun = time.perf_counter()
            assert (await memory.store("after")).status == "stored"
            assert time.perf_counter() - begun < 1.0

    asyncio.run(main())
    ((count,),) = query(db_path, "SELECT count(*) FROM memories")
    assert count in {2, 302}
    check(db_path)


@pytest.mark.requirement("mcp.cancel-and-close")
def test_cancelled_calls_that_were_still_waiting_their_turn_take_no_lock_with_them(db_path: Path) -> None:
    async def main() -> None:
        async with AsyncKarte(db_path, config=config()) as memory:
            await memory.store("before")
            tasks = [asyncio.ensure_future(memory.store(f"number {n}")) for n in range(50)]
            tasks += [asyncio.ensure_future(memory.search("number", 5)) for n in range(50)]
            await asyncio.sleep(0.005)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            begun = time.perf_counter()
            assert (await memory.store("after")).status == "stored"
            assert time.perf_counter() - begun < 1.0

    asyncio.run(main())
    check(db_path)


def test_a_call_with_a_time_out_gives_up_in_time(db_path: Path) -> None:
    async def main() -> None:
        async with AsyncKarte(db_path, config=config()) as memory:
            await memory.store("before")
            begun = time.perf_counter()
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.05):
                    await memory.store_many([_fact(f"value {n}", f"thing {n}") for n in range(2000)])
            assert time.perf_counter() - begun < 0.05 + MOST_GAP_SECS
            assert len(await memory.list_recent(limit=1)) == 1

    asyncio.run(main())
    ((count,),) = query(db_path, "SELECT count(*) FROM memories")
    assert count in {1, 2001}
    check(db_path)


def test_cancelling_while_the_file_is_being_opened_leaves_an_engine_that_opens(db_path: Path) -> None:
    async def main() -> None:
        memory = AsyncKarte(db_path, config=config())
        task = asyncio.ensure_future(memory.store("cancelled"))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        assert (await memory.store("after")).status == "stored"
        await memory.close()

    asyncio.run(main())
    check(db_path)


def test_closing_waits_for_what_is_under_way(db_path: Path) -> None:
    async def main() -> None:
        memory = AsyncKarte(db_path, config=config())
        await memory.store("before")
        many = asyncio.ensure_future(memory.store_many([_fact(f"value {n}", f"thing {n}") for n in range(500)]))
        reads = [asyncio.ensure_future(memory.search("value", 20)) for _ in range(5)]
        more = [asyncio.ensure_future(memory.store(f"number {n}")) for n in range(20)]
        await asyncio.sleep(0.02)
        await memory.close()
        outcomes = await many
        assert [outcome.status for outcome in outcomes] == ["stored"] * 500
        await asyncio.gather(*reads)
        assert [outcome.status for outcome in await asyncio.gather(*more)] == ["stored"] * 20

    asyncio.run(main())
    assert [file.name for file in db_path.parent.iterdir()] == [db_path.name], "the log was tidied away"
    assert query(db_path, "SELECT count(*) FROM memories") == [(521,)]
    check(db_path)


def test_closing_twice_does_nothing_and_a_call_after_it_is_a_clear_error(db_path: Path) -> None:
    async def main() -> None:
        memory = AsyncKarte(db_path, config=config())
        await memory.close()
        await memory.close()
        with pytest.raises(karte.KarteError):
            await memory.store("x")
        async with AsyncKarte(db_path, config=config()) as other:
            await other.store("x")
        with pytest.raises(karte.KarteError):
            await other.store("y")

    asyncio.run(main())


def test_one_memory_is_used_from_one_loop_after_another(db_path: Path) -> None:
    memory = AsyncKarte(db_path, config=config())

    async def use(name: str) -> int:
        await asyncio.gather(*[memory.store(f"{name} {n}") for n in range(10)])
        return len(await memory.list_recent(limit=100))

    assert asyncio.run(use("first")) == 10
    assert asyncio.run(use("second")) == 20

    async def cancelled() -> None:
        task = asyncio.ensure_future(memory.store_many([_fact(f"value {n}", f"thing {n}") for n in range(200)]))
        await asyncio.sleep(0.01)
        task.cancel()

    asyncio.run(cancelled())
    assert asyncio.run(use("third")) in {30, 100}
    asyncio.run(memory.close())
    check(db_path)


def test_a_cancelled_write_that_fails_later_is_not_reported_as_never_heard(
    db_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def main() -> None:
        async with AsyncKarte(db_path, config=config()) as memory:
            await memory.store("x")
            task = asyncio.ensure_future(memory.store_many(_breaks_after(0.05)))
            await asyncio.sleep(0.01)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            assert (await memory.store("y")).status == "stored"

    asyncio.run(main())
    assert [record for record in caplog.records if "never retrieved" in record.getMessage()] == []


def _breaks_after(seconds: float) -> Any:
    yield "a note"
    time.sleep(seconds)
    raise karte.InvalidInput("no more", field="items")


@pytest.mark.parametrize("work", ["search", "list_recent", "get_history"])
def test_answers_are_matched_to_their_questions(work: str, db_path: Path) -> None:
    questions: dict[str, Callable[[AsyncKarte, int], Awaitable[Any]]] = {
        "search": lambda memory, n: memory.search(f"number{n}", 1),
        "list_recent": lambda memory, n: memory.list_recent(1, tags=[f"t{n}"]),
        "get_history": lambda memory, n: memory.get_history(f"thing {n}", "is"),
    }

    async def main() -> None:
        async with AsyncKarte(db_path, config=config()) as memory:
            items = [{**_fact(f"number{n}", f"thing {n}"), "tags": [f"t{n}"]} for n in range(40)]
            await memory.store_many(items)
            answers = await asyncio.gather(*[questions[work](memory, n) for n in range(40)])
            assert [answer[0].object for answer in answers] == [f"number{n}" for n in range(40)]

    asyncio.run(main())
