"""Law 9: a write that fails at any of its statements leaves the file as it was, and the next call works."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import apsw
import pytest

import karte
from karte import MemoryEngine, MemoryEntry, MistakeCategory, MistakeEntry, TemporalMeta
from tests.conftest import FakeClock
from tests.reliability.health import check, config, dump, opened, query

AGENT = "default"
OTHER = "another"
MOST = 2_000

pytestmark = pytest.mark.requirement("law.9-failed-write")


class StopError(Exception):
    """What the test raises in the middle of a call."""


def _fact(value: str, *, id: str | None = None, **meta: Any) -> tuple[MemoryEntry, TemporalMeta]:
    known = {"subject": "Ada", "predicate": "lives in", "object": value, **meta}
    return MemoryEntry(content=f"Ada lives in {value}", id=id), TemporalMeta(**known)


def _furnish(engine: MemoryEngine) -> None:
    """A file with something of every kind in it."""
    engine.store(MemoryEntry(content="a note", id="note", tags=["old"]))
    engine.store_temporal(*_fact("London", id="london", valid_from="2020"))
    engine.store_temporal(*_fact("Paris", id="paris", valid_from="2022"))
    engine.store_temporal(*_fact("Rome", id="rome", valid_from="2023", valid_until="2024-06"))
    engine.store_temporal(*_fact("Oslo", id="oslo", subject="A. L.", valid_from="2025"))
    engine.store_temporal(*_fact("tea", id="tea", predicate="drinks", valid_from="2021"))
    engine.store_temporal(*_fact("coffee", id="coffee", predicate="drinks", valid_from="2024"))
    engine.store(MemoryEntry(content="an old note", id="archived"))
    engine.forget(AGENT, "archived", reason="old")
    engine.add_alias(AGENT, "Grace", "Amazing Grace")
    engine.store_many([_fact(f"held {n}", subject="Eve", origin="channel:x", valid_from="2024") for n in range(5)])
    engine.store_many([_fact(f"drop {n}", origin="tool_echo", valid_from="2021-02") for n in range(4)])
    engine.store_temporal(*_fact("Graz", subject="Tom", origin="import:x", valid_from="2023"))
    engine.store_temporal(*_fact("Rome", subject="Tom", id="taken", origin="mcp_external", valid_from="2024"))
    engine.store_temporal(*_fact("tea", subject="Tom", predicate="drinks", derived_from=["taken"]))
    engine.store(MemoryEntry(content="a note of theirs"), TemporalMeta(origin="mcp_external"))
    engine.invalidate_by_origin(AGENT, "import:x")
    entry, meta = _fact("Nice", valid_from="2022-06")
    engine.store_temporal(replace(entry, agent_id=OTHER), meta)
    engine.add_alias(OTHER, "Ada", "Countess")
    for lesson, origin in (("one", "operator"), ("two", "mcp_external"), ("three", "operator")):
        engine.record_mistake(_mistake(lesson, MistakeCategory.SAFETY, origin))
    for lesson in ("four", "five"):
        engine.record_mistake(_mistake(lesson, MistakeCategory.CAPABILITY))
    for lesson in ("six", "seven", "eight"):
        engine.record_mistake(_mistake(lesson, MistakeCategory.FACTUAL))
    engine.retire_rule(AGENT, _rule(engine, MistakeCategory.FACTUAL))
    engine.open_decision(AGENT, "Ship?", id="ship")


def _mistake(lesson: str, category: MistakeCategory, origin: str = "operator") -> MistakeEntry:
    return MistakeEntry(what_went_wrong=lesson, category=category, origin=origin)


def _rule(engine: MemoryEngine, category: MistakeCategory) -> str:
    return next(rule.id for rule in engine.list_rules(AGENT, with_retired=True) if rule.category is category)


def _request(engine: MemoryEngine) -> str:
    return next(request.id for request in engine.approvals(AGENT).items if request.subject == "eve")


def _decide(decision: Literal["approve", "reject"]) -> Callable[[MemoryEngine], Any]:
    return lambda engine: engine.decide(_request(engine), decision, reason="looked at")


def _operation(engine: MemoryEngine) -> str:
    connection: apsw.Connection = engine._store.connections.get()  # type: ignore[attr-defined]
    return str(connection.execute("SELECT id FROM operations").get)


CALLS: dict[str, Callable[[MemoryEngine], Any]] = {
    "store": lambda engine: engine.store(MemoryEntry(content="another note", tags=["t"])),
    "store to reaffirm": lambda engine: engine.store(MemoryEntry(content="a note"), on_duplicate="reaffirm"),
    "supersede": lambda engine: engine.store_temporal(*_fact("Berlin")),
    "store about the past": lambda engine: engine.store_temporal(*_fact("Bern", valid_from="2021", valid_until="2023")),
    "reaffirm": lambda engine: engine.store_temporal(*_fact("Paris", origin="channel:x")),
    "store what is derived": lambda engine: engine.store_temporal(*_fact("Linz", derived_from=["note", "paris"])),
    "store many": lambda engine: engine.store_many(
        [_fact(f"place {n}") for n in range(3)] + [(MemoryEntry(content=""), TemporalMeta())]
    ),
    "end": lambda engine: engine.end_fact(AGENT, "Ada", "lives in", event="left"),
    "end a value": lambda engine: engine.end_fact(AGENT, "Ada", "lives in", object="Paris"),
    "expire": lambda engine: engine.expire_by_subject(AGENT, "Ada"),
    "retract": lambda engine: engine.retract(AGENT, "paris", event="wrong"),
    "forget": lambda engine: engine.forget(AGENT, "rome", reason="why not"),
    "forget a note": lambda engine: engine.forget(AGENT, "note"),
    "restore": lambda engine: engine.restore(AGENT, "archived"),
    "add an alias": lambda engine: engine.add_alias(AGENT, "Ada", "A. L."),
    "remove an alias": lambda engine: engine.remove_alias(AGENT, "Amazing Grace"),
    "declare": lambda engine: engine.declare_predicate(AGENT, "drinks", "many"),
    "update": lambda engine: engine.update(
        AGENT, "note", content="new words", tags=["new"], importance=7, metadata={"a": 1}
    ),
    "hold": lambda engine: engine.store_temporal(*_fact("Faro", subject="user:eve", origin="channel:x")),
    "hold a burst": lambda engine: engine.store_many(
        [_fact(f"burst {n}", origin="channel:x", derived_from=["note"]) for n in range(5)]
    ),
    "hold with what came before": lambda engine: engine.store_temporal(*_fact("Faro", origin="tool_echo")),
    "approve": _decide("approve"),
    "reject": _decide("reject"),
    "purge": lambda engine: engine.invalidate_by_origin(AGENT, "mcp_external"),
    "purge what is held": lambda engine: engine.invalidate_by_origin(AGENT, "channel:x"),
    "undo": lambda engine: engine.undo_operation(_operation(engine)),
    "give to another agent": lambda engine: engine.reassign_agent(AGENT, OTHER),
    "take from another agent": lambda engine: engine.reassign_agent(OTHER, AGENT),
    "note the third mistake": lambda engine: engine.record_mistake(_mistake("nine", MistakeCategory.CAPABILITY)),
    "make a rule of two": lambda engine: engine.maybe_consolidate(AGENT, "capability", 2),
    "bring a retired rule back": lambda engine: engine.restore_rule(AGENT, _rule(engine, MistakeCategory.FACTUAL)),
    "retire a rule": lambda engine: engine.retire_rule(AGENT, _rule(engine, MistakeCategory.SAFETY)),
    "judge a rule": lambda engine: engine.rule_feedback(AGENT, _rule(engine, MistakeCategory.SAFETY), helped=True),
    "word a rule anew": lambda engine: engine.edit_rule(AGENT, _rule(engine, MistakeCategory.SAFETY), "Take care."),
    "observe an outcome": lambda engine: engine.observe_outcome(AGENT, 1.0, 1.0),
    "open a decision": lambda engine: engine.open_decision(AGENT, "Rename?", id="name"),
    "resolve a decision": lambda engine: engine.resolve_decision(AGENT, "ship", "yes"),
    "update a fact": lambda engine: engine.update(AGENT, "rome", tags=["new"], metadata={"a": 1}),
}


def _stop_at(engine: karte.SqliteMemoryEngine, statement: int, error: BaseException) -> Callable[[], bool]:
    """Makes the engine's connection raise before a statement; gives whether it has come to that."""
    connection: apsw.Connection = engine._store.connections.get()  # type: ignore[attr-defined]
    count = 0

    def trace(_cursor: Any, sql: str, _values: Any) -> bool:
        nonlocal count
        if sql == "ROLLBACK":  # what undoes a failed call cannot fail too
            return True
        count += 1
        if count == statement:
            raise error
        return True

    connection.exec_trace = trace

    def was_stopped() -> bool:
        connection.exec_trace = None
        return count >= statement

    return was_stopped


@pytest.mark.parametrize("name", CALLS)
def test_a_write_that_stops_at_any_of_its_statements_leaves_the_file_as_it_was(
    name: str, db_path: Path, clock: FakeClock
) -> None:
    with opened(db_path, clock=clock) as engine:
        _furnish(engine)
        clock.advance(hours=1)
        before = dump(db_path)
        statement = 1
        while True:
            was_stopped = _stop_at(engine, statement, StopError())
            try:
                CALLS[name](engine)
            except StopError:
                assert was_stopped()
                assert dump(db_path) == before, f"stopped at statement {statement}"
            else:
                assert not was_stopped(), f"statement {statement} failed and nobody heard of it"
                break
            statement += 1
            assert statement < MOST
        assert statement > 3
        assert dump(db_path) != before
        assert engine.store_temporal(*_fact("Vienna")).is_current
    check(db_path)


@pytest.mark.parametrize("error", [KeyboardInterrupt(), MemoryError(), SystemExit()], ids=repr)
def test_a_write_that_is_broken_off_from_outside_leaves_no_lock(
    error: BaseException, db_path: Path, clock: FakeClock
) -> None:
    with opened(db_path, clock=clock) as engine, opened(db_path, clock=clock, config=config(0.5)) as other:
        _furnish(engine)
        before = dump(db_path)
        for statement in range(1, MOST):
            was_stopped = _stop_at(engine, statement, error)
            try:
                CALLS["supersede"](engine)
            except type(error):
                assert was_stopped()
                assert dump(db_path) == before, f"stopped at statement {statement}"
                assert other.update(AGENT, "note", tags=["old"]).tags == ("old",), f"stopped at statement {statement}"
                before = dump(db_path)
            else:
                assert not was_stopped()
                break
        assert engine.get_at(AGENT, "Ada", "lives in", None) is not None
    check(db_path)


READS: dict[str, Callable[[MemoryEngine], Any]] = {
    "get_by_id": lambda engine: engine.get_by_id(AGENT, "paris"),
    "get_by_ids": lambda engine: engine.get_by_ids(AGENT, ["paris", "rome"]),
    "list_recent": lambda engine: engine.list_recent(AGENT),
    "search": lambda engine: engine.search(AGENT, "Paris"),
    "search known_at": lambda engine: engine.search(AGENT, "Paris", known_at="2026-05"),
    "get_at": lambda engine: engine.get_at(AGENT, "Ada", "lives in"),
    "get_all_at": lambda engine: engine.get_all_at(AGENT, "Ada", "lives in"),
    "get_history": lambda engine: engine.get_history(AGENT, "Ada", "lives in"),
    "status": lambda engine: engine.status(),
    "doctor": lambda engine: engine.doctor(),
}


@pytest.mark.parametrize("name", READS)
@pytest.mark.requirement("process.wal-bounded")
def test_a_read_that_stops_at_any_of_its_statements_leaves_no_transaction_open(
    name: str, db_path: Path, clock: FakeClock
) -> None:
    with opened(db_path, clock=clock) as engine:
        _furnish(engine)
        connection: apsw.Connection = engine._store.connections.get()  # type: ignore[attr-defined]
        for statement in range(1, MOST):
            was_stopped = _stop_at(engine, statement, StopError())
            try:
                READS[name](engine)
            except StopError:
                pass
            else:
                if not was_stopped():
                    break
            connection.exec_trace = None
            assert not connection.in_transaction, f"stopped at statement {statement}"
        assert engine.store_temporal(*_fact("Vienna")).is_current
    check(db_path)


def test_a_clock_that_fails_leaves_no_lock_and_no_snapshot(db_path: Path, clock: FakeClock) -> None:
    broken = False

    def tell() -> Any:
        if broken:
            raise StopError
        return clock()

    with opened(db_path, clock=tell) as engine, opened(db_path, clock=clock, config=config(0.5)) as other:
        _furnish(engine)
        broken = True
        for call in (*CALLS.values(), *READS.values()):
            try:
                call(engine)
            except StopError:
                connection: apsw.Connection = engine._store.connections.get()  # type: ignore[attr-defined]
                assert not connection.in_transaction
            assert other.store(MemoryEntry(content="meanwhile")).status == "stored"
        broken = False
        assert engine.store_temporal(*_fact("Vienna")).is_current
    check(db_path)


def test_a_progress_report_that_fails_undoes_the_whole_import(db_path: Path, clock: FakeClock) -> None:
    def report(done: int, _total: int) -> None:
        if done == 30:
            raise StopError

    with opened(db_path, clock=clock) as engine:
        _furnish(engine)
        before = dump(db_path)
        with pytest.raises(StopError):
            engine.store_many([_fact(f"place {n}") for n in range(50)], on_progress=report)
        assert dump(db_path) == before
        assert len(engine.store_many([_fact(f"place {n}") for n in range(50)])) == 50
    check(db_path)


def test_what_fails_in_one_item_of_many_undoes_nothing_of_the_others(db_path: Path, clock: FakeClock) -> None:
    """The file refuses one row for a reason that no check can foresee: either all is undone, or that item alone."""
    with opened(db_path, clock=clock) as engine:
        _furnish(engine)
        connection: apsw.Connection = engine._store.connections.get()  # type: ignore[attr-defined]
        connection.execute("CREATE TEMP TABLE refused (id TEXT)")
        connection.execute(
            "CREATE TEMP TRIGGER refuse BEFORE INSERT ON memories WHEN new.object = 'nowhere'"
            " BEGIN SELECT raise(ABORT, 'no'); END"
        )
        before = dump(db_path)
        places = ["Bern", "nowhere", "Graz"]
        try:
            outcomes = engine.store_many([_fact(place) for place in places])
        except (karte.KarteError, apsw.Error):
            assert dump(db_path) == before
        else:
            assert [outcome.status for outcome in outcomes] == ["stored", "refused", "stored"]
            assert query(db_path, "SELECT count(*) FROM memory_assertions WHERE object = 'nowhere'") == [(0,)]
    check(db_path)
