"""Approvals: deciding once, in time, with decision and effect together; and what a person is shown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import karte
from karte.domain.model import TemporalRecord
from tests.conftest import FakeClock
from tests.properties.world import changed, dump
from tests.service.saying import AGENT, CHANNEL, burst, fact, say, value

DAY = 24 * 3600


@pytest.fixture
def engine(db_path: Path, clock: FakeClock) -> Iterator[karte.SqliteMemoryEngine]:
    with karte.SqliteMemoryEngine(db_path, clock=clock) as opened:
        yield opened


def request_of(outcomes: list[karte.StoreOutcome]) -> str:
    """The one request that they all wait in."""
    (approval_id,) = {outcome.approval_id for outcome in outcomes}
    return str(approval_id)


def history(engine: karte.MemoryEngine) -> list[TemporalRecord]:
    """All there was about where Ada lives."""
    return engine.get_history(AGENT, "Ada", "lives in")


@pytest.mark.requirement("approval.decide-once", "law.9-failed-write")
@pytest.mark.parametrize("second", ["approve", "reject"])
@pytest.mark.parametrize("first", ["approve", "reject"])
def test_deciding_twice_is_an_error_that_changes_nothing(
    engine: karte.MemoryEngine, db_path: Path, first: str, second: str
) -> None:
    approval_id = request_of(burst(engine))
    engine.decide(approval_id, first, by="eve")  # type: ignore[arg-type]
    before = dump(db_path)
    with pytest.raises(karte.AlreadyDecided):
        engine.decide(approval_id, second, by="mallory")  # type: ignore[arg-type]
    assert changed(before, dump(db_path)) == []
    assert engine.get_approval(approval_id).decided_by == "eve"


@pytest.mark.requirement("approval.ttl")
def test_one_second_late_is_refused_though_nobody_swept(
    engine: karte.MemoryEngine, clock: FakeClock, db_path: Path
) -> None:
    approval_id = request_of(burst(engine))
    clock.advance(seconds=DAY)
    before = dump(db_path)
    with pytest.raises(karte.AlreadyDecided):
        engine.decide(approval_id, "approve")
    after = dump(db_path)
    assert (
        before["memory_assertions"] == after["memory_assertions"] or engine.get_approval(approval_id).state == "expired"
    )
    assert engine.get_approval(approval_id).state == "expired"
    assert value(engine) is None
    assert {row.state for row in history(engine)} == {"rejected"}


@pytest.mark.requirement("approval.ttl")
def test_a_moment_before_its_time_is_up_a_request_can_be_approved(engine: karte.MemoryEngine, clock: FakeClock) -> None:
    approval_id = request_of(burst(engine))
    clock.advance(seconds=DAY, microseconds=-1)
    assert engine.decide(approval_id, "approve").state == "approved"
    assert value(engine) == "place 4"


@pytest.mark.requirement("approval.ttl")
@pytest.mark.parametrize("how", ["another engine opens", "this one reads", "this one writes"])
def test_the_time_limit_is_applied_by_whoever_comes_by_next(
    engine: karte.MemoryEngine, clock: FakeClock, db_path: Path, how: str
) -> None:
    approval_id = request_of(burst(engine))
    clock.advance(days=2)
    if how == "another engine opens":
        karte.SqliteMemoryEngine(db_path, clock=clock).close()
    elif how == "this one reads":
        engine.list_recent(AGENT)
    else:
        say(engine, "Rome", subject="Grace", origin="operator")
    states = {row[7] for row in dump(db_path)["approvals"]}
    assert states == {"expired"}
    assert engine.approvals(AGENT).items == ()
    assert engine.approvals(AGENT, state="expired").items[0].id == approval_id


@pytest.mark.requirement("approval.ttl", "law.4-known-at")
def test_an_expiry_is_believed_from_the_instant_its_time_was_up_whoever_swept_and_when(
    engine: karte.MemoryEngine, clock: FakeClock
) -> None:
    start = clock.now
    say(engine, "London", origin="operator", valid_from="2020", valid_until="2021")
    contested = say(engine, "Rome", valid_from="2020-06")
    assert contested.approval_id is not None
    assert value(engine, "2023") == "Rome"
    clock.advance(days=9)  # nobody came by
    assert value(engine, "2023") is None
    (request,) = engine.approvals(AGENT, state="expired").items
    up = request.expires_at
    assert start + timedelta(days=1) <= up < start + timedelta(days=1, seconds=1)
    assert value(engine, "2023", known_at=up - timedelta(microseconds=1)) == "Rome"
    assert value(engine, "2023", known_at=up) is None
    assert value(engine, "2023", known_at=up + timedelta(days=3)) is None


@pytest.mark.requirement("approval.ttl")
def test_a_contradiction_that_comes_to_light_by_an_expiry_expires_in_its_turn(
    engine: karte.MemoryEngine, clock: FakeClock, db_path: Path
) -> None:
    """Each of three is outvoted only once the one above it is gone: one look after a week settles them all."""
    for number, who in enumerate(("channel:a", "channel:b", "channel:c")):
        say(engine, f"place {number}", origin=who, valid_from="2020")
    say(engine, "London", origin="operator", valid_from="2010")
    clock.advance(days=7)
    engine.list_recent(AGENT)
    assert [row[7] for row in dump(db_path)["approvals"]] == ["expired"] * 3
    assert {row.state for row in history(engine) if row.object != "London"} == {"rejected"}


@pytest.mark.requirement("approval.release")
def test_what_is_approved_counts_as_learned_at_its_release_in_the_order_of_writing(
    engine: karte.MemoryEngine, clock: FakeClock
) -> None:
    outcomes = engine.store_many([fact(f"place {n}", valid_from="2026-01-01") for n in range(5)])
    clock.advance(hours=1)
    say(engine, "Oslo", origin="agent_derived", valid_from="2026-01-01")
    held_then = clock.now
    assert value(engine) == "Oslo"
    clock.advance(hours=1)
    decided = engine.decide(request_of(outcomes), "approve", by="eve", reason="checked")
    assert (decided.state, decided.decided_by, decided.reason) == ("approved", "eve", "checked")
    assert value(engine) == "place 4", "of equal starts the one learned last"
    assert value(engine, known_at=held_then) == "Oslo"
    assert [row.state for row in history(engine)] == ["live"] * 6


@pytest.mark.requirement("approval.release")
def test_what_was_released_is_no_longer_unverified(engine: karte.MemoryEngine) -> None:
    say(engine, "London", origin="operator", valid_from="2020")
    approval_id = request_of(burst(engine))
    engine.decide(approval_id, "approve")
    assert value(engine) == "place 4"
    assert engine.approvals(AGENT).items == ()


@pytest.mark.requirement("approval.reject")
def test_what_is_rejected_is_marked_in_history_and_never_live(engine: karte.MemoryEngine, clock: FakeClock) -> None:
    outcomes = burst(engine)
    clock.advance(hours=1)
    engine.decide(request_of(outcomes), "reject")
    rows = history(engine)
    assert len(rows) == 5
    for row in rows:
        assert row.state == "rejected"
        assert row.valid_from is not None
        assert row.valid_until == max(row.valid_from, clock.now)
        assert row.invalidated_at == clock.now
        assert row.invalidated_by_event == "quarantine_reject"
        assert row.origin_trust <= 0.1
    assert value(engine) is None
    assert value(engine, known_at=clock.now - timedelta(minutes=1)) is None


@pytest.mark.requirement("approval.joins")
def test_what_belongs_to_an_open_request_joins_it_and_another_subject_has_its_own(
    engine: karte.MemoryEngine, clock: FakeClock
) -> None:
    approval_id = request_of(burst(engine))
    clock.advance(minutes=5)
    assert say(engine, "Rome").approval_id == approval_id
    assert request_of(burst(engine, subject="Grace")) != approval_id
    assert request_of(burst(engine, origin="mcp_external")) != approval_id
    assert len(engine.get_approval(approval_id).items) == 6
    engine.decide(approval_id, "reject")
    assert say(engine, "Rome").approval_id != approval_id, "a decided request is joined no more"


@pytest.mark.requirement("approval.shows")
def test_a_reviewer_sees_every_item_and_what_it_would_displace(engine: karte.MemoryEngine) -> None:
    old = say(engine, "London", origin="agent_derived", valid_from="2020")
    outcomes = burst(engine)
    (request,) = engine.approvals(AGENT).items
    assert [item.memory_id for item in request.items] == [outcome.id for outcome in outcomes]
    assert {item.state for item in request.items} == {"quarantined"}
    assert request.items[0].displaces == (old.id,)
    assert request.items[0].against == "London"
    assert request.origin == CHANNEL


@pytest.mark.requirement("approval.purged-meanwhile", "rollback.approvals")
def test_a_row_whose_origin_was_purged_cannot_be_released_and_an_undo_opens_the_request_again(
    engine: karte.MemoryEngine, clock: FakeClock, db_path: Path
) -> None:
    approval_id = request_of(burst(engine))
    expires_at = engine.get_approval(approval_id).expires_at
    clock.advance(hours=1)
    done = engine.invalidate_by_origin(AGENT, CHANNEL)
    assert done.approvals == (approval_id,)
    assert engine.get_approval(approval_id).state == "purged"
    before = dump(db_path)
    with pytest.raises(karte.AlreadyDecided):
        engine.decide(approval_id, "approve")
    assert changed(before, dump(db_path)) == []
    clock.advance(hours=2)
    undone = engine.undo_operation(str(done.operation_id))
    assert undone.approvals == (approval_id,)
    assert abs(engine.get_approval(approval_id).expires_at - expires_at - timedelta(hours=2)) < timedelta(seconds=1)
    assert history(engine) == []
    engine.decide(approval_id, "approve")
    assert value(engine) == "place 4"


@pytest.mark.requirement("approval.purged-meanwhile")
def test_a_request_of_which_a_part_was_purged_releases_the_rest(engine: karte.MemoryEngine, clock: FakeClock) -> None:
    engine.store_many([fact(f"early {n}") for n in range(4)])
    clock.advance(minutes=1)
    since = clock.now
    late = say(engine, "late")
    done = engine.invalidate_by_origin(AGENT, CHANNEL, since=since)
    assert done.falls == (late.id,)
    assert done.approvals == ()
    engine.decide(str(late.approval_id), "approve")
    assert value(engine) == "early 3"
    engine.undo_operation(str(done.operation_id))
    assert value(engine) == "early 3", "it waits again"
    (request,) = engine.approvals(AGENT).items
    assert [item.memory_id for item in request.items] == [late.id]
    engine.decide(request.id, "approve")
    assert value(engine) == "late"


@pytest.mark.requirement("approval.conflict", "timeline.curated-protected")
def test_a_contradiction_is_stored_outvoted_and_counts_once_approved(
    engine: karte.MemoryEngine, clock: FakeClock
) -> None:
    say(engine, "London", origin="operator", valid_from="2020")
    outcome = say(engine, "Rome")
    assert (outcome.status, outcome.is_current) == ("stored", False)
    (request,) = engine.approvals(AGENT).items
    assert (request.id, request.action_kind) == (outcome.approval_id, "knowledge_conflict")
    assert (request.items[0].object, request.items[0].against) == ("Rome", "London")
    assert {row.object: row.contested for row in history(engine)} == {"London": True, "Rome": True}
    clock.advance(hours=1)
    engine.decide(request.id, "approve")
    assert value(engine) == "Rome"
    assert value(engine, known_at=clock.now - timedelta(minutes=1)) == "London"


@pytest.mark.requirement("approval.conflict")
def test_a_curated_fact_learned_late_asks_once_for_all_that_it_outvotes(engine: karte.MemoryEngine) -> None:
    for n in range(3):
        say(engine, f"place {n}", origin=f"channel:{n}", valid_from=f"202{n + 1}")
    say(engine, "London", origin="operator", valid_from="2020")
    (request,) = engine.approvals(AGENT).items
    assert sorted(str(item.object) for item in request.items) == ["place 0", "place 1", "place 2"]
    engine.decide(request.id, "reject")
    assert value(engine) == "London"
    assert {row.state for row in history(engine) if row.object != "London"} == {"rejected"}


@pytest.mark.requirement("approval.ttl")
def test_a_file_that_cannot_be_written_reads_what_is_overdue_as_expired(
    engine: karte.MemoryEngine, clock: FakeClock, db_path: Path
) -> None:
    approval_id = request_of(burst(engine))
    clock.advance(days=2)
    with karte.SqliteMemoryEngine(db_path, clock=clock, read_only=True) as reader:
        assert reader.get_approval(approval_id).state == "expired"
        assert reader.approvals(AGENT).items == ()
        assert [row.state for row in reader.get_history(AGENT, "Ada", "lives in")] in ([], ["rejected"] * 5)


@pytest.mark.requirement("approval.ttl", "approval.conflict")
def test_a_conflict_that_has_gone_by_itself_is_not_rejected_when_its_time_is_up(
    db_path: Path, clock: FakeClock
) -> None:
    with karte.Karte(db_path, clock=clock) as memory:
        said: dict[str, Any] = {"subject": "Ada", "predicate": "lives in"}
        memory.store("Ada in London", **said, object="London", origin="operator", valid_from="2020")
        outcome = memory.store("Ada in Rome", **said, object="Rome", origin="channel:x", valid_from="2021")
        assert outcome.approval_id is not None
        memory.invalidate_by_origin("operator")
        clock.advance(seconds=DAY + 3600)
        found = memory.get_at("Ada", "lives in")
        assert found is not None
        assert found.object == "Rome"
        assert memory.get_approval(outcome.approval_id).state == "expired"


@pytest.mark.requirement("approval.conflict")
@pytest.mark.parametrize("how", ["reject", "time is up"])
def test_what_is_outvoted_once_another_was_rejected_is_put_to_a_person_too(
    how: str, engine: karte.MemoryEngine, clock: FakeClock
) -> None:
    entry, meta = fact("Rome", valid_from="2021")
    for event in ("one", "two"):
        engine.store_temporal(replace(entry, source_event=event), meta)
    say(engine, "London", origin="operator", valid_from="2020")
    (first,) = engine.approvals(AGENT).items
    assert len(first.items) == 1
    if how == "reject":
        engine.decide(first.id, "reject")
    else:
        clock.advance(seconds=DAY + 60)
    (second,) = engine.approvals(AGENT).items
    assert second.id != first.id
    assert [(item.object, item.against) for item in second.items] == [("Rome", "London")]
    assert len(engine.get_approval(first.id).items) == 1
    engine.decide(second.id, "approve")
    assert value(engine) == "Rome"
