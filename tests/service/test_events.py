"""Events are kept with what they tell of, listed in order, and told to subscribers once they are kept."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from karte import AsyncKarte, Event, EventKind, InvalidInput, Karte, MemoryEntry, SqliteMemoryEngine
from karte.domain.events import NewEvent
from tests.conftest import FakeClock


def emit(engine: SqliteMemoryEngine, *events: NewEvent) -> None:
    """One write that tells of events."""
    with engine._services.store.write() as session:
        for event in events:
            session.events.emit(event, session.now)


def happened(kind: EventKind = EventKind.PURGED, agent: str = "a", **more: Any) -> NewEvent:
    return NewEvent(kind=kind, agent_id=agent, **more)


@pytest.fixture
def engine(db_path: Path, clock: FakeClock) -> Iterator[SqliteMemoryEngine]:
    with SqliteMemoryEngine(db_path, clock=clock) as engine:
        yield engine


@pytest.mark.requirement("trust.events-listed")
def test_events_are_kept_in_the_order_of_their_sequence(engine: SqliteMemoryEngine, clock: FakeClock) -> None:
    emit(engine, happened(subject="s", origin="channel:x", level="warning", data={"ids": ["1"], "日本": None}))
    clock.advance(days=-1)  # the order is the sequence, whatever the clock does
    emit(engine, happened(EventKind.RELEASED), happened(EventKind.ERASED, "b"))
    events = engine.events()
    assert [(event.sequence, event.kind, event.agent_id) for event in events] == [
        (1, "knowledge.purged", "a"),
        (2, "knowledge.released", "a"),
        (3, "knowledge.erased", "b"),
    ]
    first = events[0]
    assert (first.subject, first.origin, first.level) == ("s", "channel:x", "warning")
    assert first.data == {"ids": ["1"], "日本": None}
    assert first.happened_at.isoformat() == "2026-06-01T00:00:00+00:00"
    assert events.total == 3
    assert len({event.id for event in events}) == 3
    assert engine.events()[0].id == first.id


@pytest.mark.requirement("trust.events-listed")
def test_pages_give_each_event_once_also_while_events_come(engine: SqliteMemoryEngine) -> None:
    emit(engine, *(happened() for _ in range(7)))
    seen: list[int] = []
    cursor: str | None = None
    while True:
        page = engine.events(limit=3, cursor=cursor)
        seen += [event.sequence for event in page]
        assert page.total >= 7
        cursor = page.next_cursor
        if cursor is None:
            break
        if len(seen) == 3:
            emit(engine, happened())
    assert seen == list(range(1, 9))

    newest = engine.events(limit=3, newest_first=True)
    assert [event.sequence for event in newest] == [8, 7, 6]
    emit(engine, happened())
    rest = engine.events(limit=9, newest_first=True, cursor=newest.next_cursor)
    assert [event.sequence for event in rest] == [5, 4, 3, 2, 1]
    assert rest.next_cursor is None
    assert [event.sequence for event in engine.events(after=3, before=6)] == [4, 5]


@pytest.mark.requirement("trust.events-listed")
def test_a_memory_lists_its_agents_events_and_the_engine_all(db_path: Path) -> None:
    with Karte(db_path, agent="a") as memory:
        emit(memory.engine, happened(), happened(agent="b"), happened(EventKind.RELEASED))
        assert [event.sequence for event in memory.events()] == [1, 3]
        assert [event.sequence for event in memory.events(kinds=["knowledge.released"], limit=1)] == [3]
        assert [event.sequence for event in memory.engine.events("b")] == [2]
        assert [event.sequence for event in memory.engine.events(kinds=[EventKind.PURGED, EventKind.RELEASED])] == [
            1,
            2,
            3,
        ]
        assert memory.audit().total == 2


@pytest.mark.requirement("trust.audit")
def test_the_audit_shows_attacks_and_the_life_of_knowledge_and_counts_attacks_beyond_the_page(
    engine: SqliteMemoryEngine,
) -> None:
    attack = happened(EventKind.PROMPT_INJECTION, level="warning")
    emit(engine, attack, happened(EventKind.REQUESTED), *(happened() for _ in range(3)))
    emit(
        engine,
        happened(EventKind.PROMPT_INJECTION, level="info"),
        happened(EventKind.PROMPT_INJECTION, "b", level="warning"),
    )
    audit = engine.audit(limit=2)
    assert [event.sequence for event in audit] == [7, 6]
    assert (audit.total, audit.findings, audit.next_cursor) == (6, 2, "6")
    assert engine.audit("a").findings == 1
    assert engine.audit(after=1, before=7).findings == 0
    assert engine.audit(kinds=["knowledge.purged"]).findings == 0
    rest = engine.audit(limit=9, cursor=audit.next_cursor)
    assert [event.sequence for event in rest] == [5, 4, 3, 1]
    assert rest.findings == 2


@pytest.mark.requirement("trust.events-listed")
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("agent", ""), ("agent", 5), ("agent", "a\x00"),
        ("kinds", "knowledge.purged"), ("kinds", ["knowledge.purgd"]), ("kinds", [None]), ("kinds", {"a": 1}),
        ("after", -1), ("after", "1"), ("after", True), ("after", 2**63), ("after", 1.0),
        ("before", -1), ("before", "9"),
        ("limit", 0), ("limit", None), ("limit", "5"), ("limit", True),
        ("newest_first", 1), ("newest_first", None),
        ("cursor", ""), ("cursor", "x"), ("cursor", "-1"), ("cursor", 5), ("cursor", "9" * 30), ("cursor", "٣"),
    ],
)  # fmt: skip
def test_a_bad_argument_is_refused_by_name(engine: SqliteMemoryEngine, field: str, value: Any) -> None:
    for call in (engine.events, engine.audit):
        with pytest.raises(InvalidInput) as refused:
            call(**{field: value})
        assert refused.value.field == field
        assert refused.value.remedy


def test_the_audit_has_no_kind_that_it_does_not_show(engine: SqliteMemoryEngine) -> None:
    with pytest.raises(InvalidInput) as refused:
        engine.audit(kinds=["approval.requested"])
    assert refused.value.field == "kinds"


@pytest.mark.requirement("trust.events-after-commit")
def test_subscribers_hear_of_what_is_kept_in_order_and_of_nothing_that_is_not(engine: SqliteMemoryEngine) -> None:
    heard: list[Event] = []
    engine.subscribe(heard.append)

    def fail() -> None:
        with engine._services.store.write() as session:
            session.events.emit(happened(), session.now)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    with engine._services.store.write() as session:
        session.events.emit(happened(), session.now)
        session.events.emit(happened(EventKind.RELEASED), session.now)
        assert heard == []
    assert [event.kind for event in heard] == ["knowledge.purged", "knowledge.released"]
    assert heard == list(engine.events())


@pytest.mark.requirement("trust.events-after-commit")
def test_a_subscriber_sees_the_write_and_may_use_the_engine(engine: SqliteMemoryEngine) -> None:
    seen: list[tuple[str, int]] = []

    def answer(event: Event) -> None:
        seen.append((event.kind, len(engine.events())))
        if event.kind == EventKind.PURGED:
            engine.store(MemoryEntry(content="noted", agent_id="a"))
            emit(engine, happened(EventKind.RELEASED))
            seen.append(("written", len(engine.events())))

    engine.subscribe(answer)
    emit(engine, happened(), happened(EventKind.REJECTED))
    assert seen == [
        ("knowledge.purged", 2), ("written", 3), ("knowledge.rejected", 3), ("knowledge.released", 3),
    ]  # fmt: skip


@pytest.mark.requirement("trust.events-after-commit")
def test_a_subscriber_that_fails_harms_nobody(engine: SqliteMemoryEngine, caplog: pytest.LogCaptureFixture) -> None:
    heard: list[int] = []

    def fail(event: Event) -> None:
        raise RuntimeError("mine")

    engine.subscribe(fail)
    engine.subscribe(lambda event: heard.append(event.sequence))
    emit(engine, happened(), happened())
    assert heard == [1, 2]
    assert "a subscriber failed at event 1" in caplog.text
    emit(engine, happened())
    assert heard == [1, 2, 3]


@pytest.mark.requirement("trust.events-after-commit")
def test_a_subscription_is_of_an_agent_and_of_kinds_and_ends(db_path: Path) -> None:
    heard: dict[str, list[int]] = {"all": [], "a": [], "kinds": []}
    with Karte(db_path, agent="a") as memory:
        end_all = memory.engine.subscribe(lambda event: heard["all"].append(event.sequence))
        memory.subscribe(lambda event: heard["a"].append(event.sequence))
        memory.subscribe(lambda event: heard["kinds"].append(event.sequence), kinds=["knowledge.erased"])
        emit(memory.engine, happened(), happened(agent="b"), happened(EventKind.ERASED))
        end_all()
        end_all()
        emit(memory.engine, happened())
    assert heard == {"all": [1, 2, 3], "a": [1, 3, 4], "kinds": [3]}


@pytest.mark.parametrize(
    ("field", "arguments"),
    [("callback", (None,)), ("agent", (print, "")), ("kinds", (print, None, "x")), ("kinds", (print, None, ["x"]))],
)
def test_a_subscription_that_cannot_be_meant_is_refused(
    engine: SqliteMemoryEngine, field: str, arguments: tuple[Any, ...]
) -> None:
    callback, agent, kinds = (*arguments, None, ())[:3] if len(arguments) < 3 else arguments
    with pytest.raises(InvalidInput) as refused:
        engine.subscribe(callback, agent=agent, kinds=kinds)
    assert refused.value.field == field


@pytest.mark.requirement("trust.events-after-commit")
def test_threads_that_write_at_once_are_told_of_in_the_order_of_their_commits(engine: SqliteMemoryEngine) -> None:
    heard: list[int] = []
    engine.subscribe(lambda event: heard.append(event.sequence))

    def write() -> None:
        for _ in range(25):
            emit(engine, happened())

    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert heard == list(range(1, 101))


@pytest.mark.requirement("python.async-same-calls")
def test_the_asynchronous_memory_has_the_calls_too() -> None:
    import asyncio

    async def story() -> list[int]:
        heard: list[int] = []
        async with AsyncKarte(":memory:", agent="a") as memory:
            end = await memory.subscribe(lambda event: heard.append(event.sequence))
            engine = memory._memory
            assert engine is not None
            await asyncio.to_thread(emit, engine.engine, happened(), happened(agent="b"))
            end()
            assert [event.sequence for event in await memory.events()] == [1]
            assert (await memory.audit()).findings == 0
        return heard

    assert asyncio.run(story()) == [1]
