"""A clock that steps back, stands still or runs wild: no order breaks and no answer about the past changes."""

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import karte
from karte import MemoryEntry, TemporalMeta
from tests.conftest import FakeClock
from tests.reliability.health import check, check_file, config, opened, query

AGENT = "default"
AGAIN = "SELECT learned_at FROM memory_assertions ORDER BY learned_order"

pytestmark = pytest.mark.requirement("process.clock-steps-back", "belief.instant-monotonic")


def _fact(value: str, **meta: object) -> tuple[MemoryEntry, TemporalMeta]:
    known = {"subject": "it", "predicate": "is", "object": value, **meta}
    return MemoryEntry(content=f"it is {value}"), TemporalMeta(**known)  # type: ignore[arg-type]


def _objects(records: list[karte.TemporalRecord]) -> list[str | None]:
    return [record.object for record in records]


def test_after_a_step_back_belief_goes_on_and_the_last_word_holds(db_path: Path, clock: FakeClock) -> None:
    with opened(db_path, clock=clock) as engine:
        first = engine.store_temporal(*_fact("one"))
        clock.advance(days=-400)
        second = engine.store_temporal(*_fact("two"))
        third = engine.store_temporal(*_fact("three"))
        assert first.valid_from is not None
        assert second.valid_from is not None
        assert third.valid_from is not None
        assert first.valid_from < second.valid_from < third.valid_from
        assert second.valid_from - first.valid_from < timedelta(seconds=1)
        history = engine.get_history(AGENT, "it", "is")
        assert _objects(history) == ["one", "two", "three"]
        assert [record.is_current for record in history] == [False, False, True]
        learned = [record.ingested_at for record in history if record.ingested_at]
        assert learned == sorted(set(learned))
        found = engine.get_at(AGENT, "it", "is")
        assert found is not None
        assert found.object == "three"
        assert [memory.object for memory in engine.list_recent(AGENT)] == ["three"]
        assert [hit.object for hit in engine.search(AGENT, "it is")] == ["three"]
    check(db_path)


def test_what_was_believed_at_an_instant_stays_so_after_a_step_back(db_path: Path, clock: FakeClock) -> None:
    with opened(db_path, clock=clock) as engine:
        engine.store_temporal(*_fact("one"))
        clock.advance(hours=1)
        asked_at = engine.now()
        assert _objects(engine.get_history(AGENT, "it", "is", known_at=asked_at)) == ["one"]
        clock.advance(hours=1)
        engine.store_temporal(*_fact("two"))
        clock.advance(hours=-5)
        engine.store_temporal(*_fact("three"))
        engine.store_temporal(*_fact("zero", valid_from="2020"))
        engine.end_fact(AGENT, "it", "is")
        engine.update(AGENT, str(engine.get_history(AGENT, "it", "is")[0].id), tags=["late"])
        assert _objects(engine.get_history(AGENT, "it", "is", known_at=asked_at)) == ["one"]
        found = engine.get_at(AGENT, "it", "is", known_at=asked_at)
        assert found is None or found.object == "one"
    check(db_path)


def test_each_write_after_a_step_back_can_be_asked_for_by_its_own_instant(db_path: Path, clock: FakeClock) -> None:
    with opened(db_path, clock=clock) as engine:
        instants = []
        for number in range(6):
            engine.store_temporal(*_fact(str(number)))
            instants.append(engine.now())
            clock.advance(days=-1)
        assert instants == sorted(set(instants))
        for number, instant in enumerate(instants):
            history = engine.get_history(AGENT, "it", "is", known_at=instant)
            assert _objects(history) == [str(n) for n in range(number + 1)]
    check(db_path)


def test_now_in_reads_is_never_before_the_last_write(db_path: Path, clock: FakeClock) -> None:
    with opened(db_path, clock=clock) as engine:
        written = engine.store_temporal(*_fact("one")).valid_from
        clock.advance(days=-30)
        assert engine.now() == written
        found = engine.get_at(AGENT, "it", "is")
        assert found is not None
        assert found.is_current
        ended = engine.end_fact(AGENT, "it", "is")
        assert len(ended.ended) == 1
        assert engine.get_at(AGENT, "it", "is") is None


def test_another_process_whose_clock_is_behind_keeps_the_order(db_path: Path, clock: FakeClock) -> None:
    behind = FakeClock("2001-01-01T00:00:00")
    with opened(db_path, clock=clock) as one, opened(db_path, clock=behind) as two:
        one.store_temporal(*_fact("one"))
        two.store_temporal(*_fact("two"))
        one.store_temporal(*_fact("three"))
        two.store_temporal(*_fact("four"))
        for engine in (one, two):
            assert _objects(engine.get_history(AGENT, "it", "is")) == ["one", "two", "three", "four"]
            found = engine.get_at(AGENT, "it", "is")
            assert found is not None
            assert found.object == "four"
    check(db_path)


def test_ids_made_on_a_clock_that_steps_back_are_all_different(db_path: Path, clock: FakeClock) -> None:
    with opened(db_path, clock=clock) as engine:
        ids = []
        for number in range(50):
            ids.append(engine.store(MemoryEntry(content=f"note {number}")).id)
            clock.advance(seconds=-1 if number % 2 else 0)
        assert len(set(ids)) == 50
        assert ids == sorted(str(id) for id in ids)
        page = engine.list_recent(AGENT, 20)
        seen = list(page)
        while page.next_cursor:
            page = engine.list_recent(AGENT, 20, cursor=page.next_cursor)
            seen += page
        assert sorted(memory.id for memory in seen) == ids
    check(db_path)


def test_a_clock_in_another_zone_or_at_the_edge_of_time_is_read_or_refused_by_name(db_path: Path) -> None:
    zones = [UTC, timezone(timedelta(hours=14)), timezone(timedelta(hours=-12))]
    instant = datetime(2026, 6, 1, 12, tzinfo=UTC)
    for zone in zones:
        with opened(db_path, clock=lambda zone=zone: instant.astimezone(zone)) as engine:
            assert engine.store_temporal(*_fact(str(zone))).is_current
    edge = datetime.max.replace(tzinfo=UTC)
    with opened(db_path, clock=lambda: edge) as engine:
        for number in range(3):
            try:
                engine.store_temporal(*_fact(f"last {number}"))
            except karte.KarteError as error:
                assert error.field  # noqa: PT017 (either is right)
    check_file(db_path)


steps = st.lists(st.tuples(st.integers(-(10**9), 10**9), st.booleans()), min_size=1, max_size=12)


@given(steps)
def test_whatever_the_clock_does_belief_only_grows(moves: list[tuple[int, bool]]) -> None:
    clock = FakeClock()
    with karte.SqliteMemoryEngine(":memory:", clock=clock, config=config()) as engine:
        instants = []
        for number, (seconds, is_end) in enumerate(moves):
            clock.advance(seconds=seconds)
            if is_end and engine.get_at(AGENT, "it", "is") is not None:
                engine.end_fact(AGENT, "it", "is")
            else:
                assert engine.store_temporal(*_fact(str(number))).is_current
            instants.append(engine.now())
        assert instants == sorted(set(instants))
        assert engine.doctor().findings == ()
        learned = [record.ingested_at for record in engine.get_history(AGENT, "it", "is") if record.ingested_at]
        assert learned == sorted(learned)


def test_the_order_of_learning_is_the_order_of_the_instants(db_path: Path, clock: FakeClock) -> None:
    with opened(db_path, clock=clock) as engine:
        for number in range(10):
            clock.advance(seconds=-number)
            engine.store_temporal(*_fact(str(number)))
    learned = [instant for (instant,) in query(db_path, AGAIN)]
    assert learned == sorted(set(learned))
