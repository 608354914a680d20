"""What a write answers, and what a reader can name: facts by their content, ends by their value."""

from pathlib import Path

import pytest

import karte
from karte import Karte
from tests.conftest import FakeClock


def _store(memory: Karte, value: str, start: str, until: str | None = None) -> karte.StoreOutcome:
    return memory.store_temporal(
        f"it is {value}", subject="it", predicate="is", object=value, valid_from=start, valid_until=until
    )


def test_a_write_whose_continuation_holds_now_is_current(db_path: Path, clock: FakeClock) -> None:
    with Karte(db_path, clock=clock) as memory:
        _store(memory, "B", "2026-02-01", "2026-03-01")
        outcome = _store(memory, "A", "2026-01-01")
        assert outcome.is_current
        assert outcome.holds_now is None
        current = memory.get_at("it", "is")
        assert current is not None
        assert current.metadata["continues"] == outcome.id


def test_of_a_value_said_twice_around_a_bounded_one_the_newest_row_goes_on(db_path: Path, clock: FakeClock) -> None:
    with Karte(db_path, clock=clock) as memory:
        _store(memory, "B", "2026-01-04")
        _store(memory, "A", "2026-01-06", "2026-01-12")
        newest = _store(memory, "B", "2026-01-07")
        current = memory.get_at("it", "is")
        assert current is not None
        assert newest.id in (current.id, current.metadata.get("continues"))
        at = {day: memory.get_at("it", "is", f"2026-01-{day:02}") for day in (5, 6, 8, 13)}
        assert {day: found and found.object for day, found in at.items()} == {5: "B", 6: "A", 8: "B", 13: "B"}


def test_a_bounded_correction_among_past_stretches_leaves_the_current_row_untouched(
    db_path: Path, clock: FakeClock
) -> None:
    with Karte(db_path, clock=clock) as memory:
        _store(memory, "A", "2026-01-01")
        _store(memory, "C", "2026-01-02")
        current = _store(memory, "A", "2026-01-04")
        before = memory.get_at("it", "is")
        clock.advance(days=1)
        _store(memory, "C", "2026-01-03", "2026-01-04")
        after = memory.get_at("it", "is")
        assert before is not None
        assert after is not None
        assert (after.id, after.valid_from, after.valid_until) == (current.id, before.valid_from, None)


def test_a_many_valued_fact_without_object_is_named_by_its_content(db_path: Path, clock: FakeClock) -> None:
    with Karte(db_path, clock=clock) as memory:
        memory.declare_predicate("likes", "many")
        memory.store_temporal("Green tea", subject="Ann", predicate="likes")
        memory.store_temporal("Ann likes cake", subject="Ann", predicate="likes", object="cake")
        found = memory.get_at("Ann", "likes", object="green  tea")
        assert found is not None
        assert found.content == "Green tea"
        assert [record.content for record in memory.get_history("Ann", "likes", object="Green tea")] == ["Green tea"]
        memory.end_fact("Ann", "likes", object="green tea")
        assert [record.content for record in memory.get_all_at("Ann", "likes")] == ["Ann likes cake"]


def test_ending_another_value_than_the_one_that_stands_names_what_stands(db_path: Path, clock: FakeClock) -> None:
    with Karte(db_path, clock=clock) as memory:
        _store(memory, "A", "2026-01-01")
        with pytest.raises(karte.InvalidInterval) as caught:
            memory.end_fact("it", "is", object="B")
        assert caught.value.field == "object"
        assert "another value stands then: A" in str(caught.value)


def test_ending_a_fact_that_only_begins_later_says_from_when_it_holds(db_path: Path, clock: FakeClock) -> None:
    with Karte(db_path, clock=clock) as memory:
        _store(memory, "A", "2027-01-01")
        with pytest.raises(karte.InvalidInterval) as caught:
            memory.end_fact("it", "is")
        assert "from 2027-01-01T00:00:00.000000+00:00 on, with no end known" in str(caught.value)
