"""Taking an origin back: what falls and what returns, stacked, undone in any order, with writes between."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

import karte
from tests.conftest import FakeClock
from tests.service.saying import AGENT, CHANNEL, say, value


@pytest.fixture
def engine(db_path: Path, clock: FakeClock) -> Iterator[karte.SqliteMemoryEngine]:
    with karte.SqliteMemoryEngine(db_path, clock=clock) as opened:
        yield opened


@pytest.mark.requirement("rollback.exact-origin")
def test_only_exactly_this_origin_falls(engine: karte.MemoryEngine) -> None:
    for n, origin in enumerate(("channel:a", "channel:a:b", "channel:A", "channel", "unattributed")):
        say(engine, "Rome", subject=f"person {n}", origin=origin)
    done = engine.invalidate_by_origin(AGENT, "channel:a")
    assert len(done.falls) == 1
    assert engine.get_at(AGENT, "person 0", "lives in") is None
    assert all(engine.get_at(AGENT, f"person {n}", "lives in") for n in range(1, 5))


@pytest.mark.requirement("rollback.heals", "law.5-purge")
def test_what_it_displaced_returns_and_what_was_derived_from_it_is_cut(
    engine: karte.MemoryEngine, clock: FakeClock
) -> None:
    old = say(engine, "London", origin="agent_derived", valid_from="2020")
    poison = say(engine, "Rome", valid_from="2022")
    derived = say(engine, "Rome", subject="Grace", origin="agent_derived", derived_from=[str(poison.id)])
    clock.advance(hours=1)
    foreseen = engine.invalidate_by_origin(AGENT, CHANNEL, dry_run=True)
    done = engine.invalidate_by_origin(AGENT, CHANNEL)
    for answer in (foreseen, done):
        assert answer.falls == (poison.id,)
        assert answer.returns == (old.id,)
        assert answer.cut == (derived.id,)
    assert value(engine) == "London"
    cut = engine.get_by_id(AGENT, str(derived.id))
    assert cut is not None
    assert cut.origin_trust <= 0.1
    fallen = engine.get_by_id(AGENT, str(poison.id))
    assert fallen is not None
    assert (fallen.state, fallen.invalidated_by_event, fallen.valid_until) == ("purged", "origin_purge", clock.now)
    assert value(engine, known_at=clock.now - timedelta(minutes=30)) == "Rome"


@pytest.mark.requirement("rollback.stacked", "rollback.undo")
@pytest.mark.parametrize("first", ["purge", "retract"])
@pytest.mark.parametrize("undone_first", [0, 1])
def test_a_row_stays_taken_back_while_any_operation_that_covers_it_stands(
    engine: karte.MemoryEngine, clock: FakeClock, first: str, undone_first: int
) -> None:
    id = str(say(engine, "Rome").id)
    operations = []
    for how in (first, "purge"):
        clock.advance(hours=1)
        if how == "retract":
            operations.append(engine.retract(AGENT, id, event="wrong").operation_id)
        else:
            operations.append(engine.invalidate_by_origin(AGENT, CHANNEL).operation_id)
    clock.advance(hours=1)
    engine.undo_operation(str(operations[undone_first]))
    assert value(engine) is None
    fallen = engine.get_by_id(AGENT, id)
    assert fallen is not None
    left = ("retracted", "wrong") if (first, undone_first) == ("retract", 1) else ("purged", "origin_purge")
    assert (fallen.state, fallen.invalidated_by_event) == left
    assert fallen.valid_until is not None
    engine.undo_operation(str(operations[1 - undone_first]))
    assert value(engine) == "Rome"


@pytest.mark.requirement("rollback.undo", "law.6-undo")
@pytest.mark.parametrize("order", ["forget, purge", "purge, forget"])
def test_what_was_put_away_or_brought_back_meanwhile_stands_where_it_was_left(
    engine: karte.MemoryEngine, order: str
) -> None:
    id = str(say(engine, "Rome").id)
    if order == "forget, purge":
        engine.forget(AGENT, id)
    done = engine.invalidate_by_origin(AGENT, CHANNEL)
    assert engine.restore(AGENT, id) == (order == "forget, purge")
    assert value(engine) is None, "it is purged"
    if order == "purge, forget":
        engine.forget(AGENT, id)
    engine.undo_operation(str(done.operation_id))
    if order == "purge, forget":
        assert value(engine) is None
        assert engine.restore(AGENT, id)
    assert value(engine) == "Rome"
    assert [row.state for row in engine.get_history(AGENT, "Ada", "lives in")] == ["live"]


@pytest.mark.requirement("rollback.names")
def test_names_of_the_origin_fall_with_it_and_return(engine: karte.MemoryEngine) -> None:
    say(engine, "Rome", subject="Countess", origin="operator")
    engine.add_alias(AGENT, "Ada", "Countess", origin=CHANNEL)
    engine.declare_predicate(AGENT, "knows", "many", origin=CHANNEL)
    done = engine.invalidate_by_origin(AGENT, CHANNEL)
    assert value(engine) is None
    assert engine.list_aliases(AGENT) == []
    assert engine.list_predicates(AGENT).get("knows", "one") == "one"
    engine.undo_operation(str(done.operation_id))
    assert value(engine) == "Rome"
    assert engine.list_predicates(AGENT) == {"knows": "many"}


@pytest.mark.requirement("rollback.undo")
def test_no_such_operation_is_an_error(engine: karte.MemoryEngine) -> None:
    with pytest.raises(karte.NotFound):
        engine.undo_operation("no such operation")


@pytest.mark.requirement("rollback.dry-run")
def test_a_dry_run_of_an_origin_that_said_nothing_answers_nothing(engine: karte.MemoryEngine) -> None:
    answer = engine.invalidate_by_origin(AGENT, "channel:nobody", dry_run=True)
    assert (answer.operation_id, answer.falls, answer.returns, answer.cut, answer.survivors) == (None, (), (), (), ())


@pytest.mark.requirement("rollback.heals")
def test_the_dry_run_names_who_the_value_stands_on_afterwards(engine: karte.MemoryEngine) -> None:
    say(engine, "Rome", valid_from="2020")
    say(engine, "Rome", origin="mcp_external", valid_from="2021")
    (survivor,) = engine.invalidate_by_origin(AGENT, CHANNEL, dry_run=True).survivors
    assert survivor.origin == "mcp_external"
    assert survivor.valid_from is not None
    assert survivor.valid_from.year == 2021


@pytest.mark.requirement("rollback.stacked", "law.6-undo")
@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_trust_returns_whole_where_one_purged_row_rests_on_another(
    engine: karte.MemoryEngine, order: tuple[int, int]
) -> None:
    first = say(engine, "Rome")
    second = say(engine, "Oslo", subject="Grace", origin="agent_derived", derived_from=[str(first.id)])
    third = say(engine, "Bern", subject="Tom", origin="agent_derived", derived_from=[str(second.id)])
    purged = [engine.invalidate_by_origin(AGENT, origin).operation_id for origin in (CHANNEL, "agent_derived")]
    for which in order:
        engine.undo_operation(str(purged[which]))
    for outcome in (second, third):
        row = engine.get_by_id(AGENT, str(outcome.id))
        assert row is not None
        assert row.origin_trust == 0.3
