"""The digest of a stretch of time."""

from __future__ import annotations

from typing import Any

import pytest

from karte import InvalidInput, InvalidTime, Karte
from tests.conftest import FakeClock

pytestmark = pytest.mark.requirement("life.summarize")


@pytest.fixture
def memory(clock: FakeClock) -> Karte:
    clock.set("2026-05-01")
    return Karte(":memory:", agent="dudu", clock=clock)


def _lives(memory: Karte, where: str) -> str | None:
    return memory.store(f"Ada lives in {where}", subject="Ada", predicate="lives in", object=where).id


def test_what_changed_stands_with_what_it_replaced(memory: Karte, clock: FakeClock) -> None:
    _lives(memory, "Paris")
    clock.advance(days=20)
    now = _lives(memory, "Rome")
    summary = memory.summarize(7)
    assert [(change.id, change.value, change.replaced) for change in summary.changes] == [(now, "Rome", "Paris")]
    assert (summary.memories, summary.facts, summary.changed) == (1, 1, 1)
    assert "Ada | lives in: Rome (was: Paris), since 2026-05-21 00:00" in summary.text


def test_what_was_taken_back_is_not_told_as_replaced(memory: Karte, clock: FakeClock) -> None:
    paris = _lives(memory, "Paris")
    clock.advance(days=20)
    _lives(memory, "Rome")
    assert paris is not None
    memory.retract(paris)
    assert "Paris" not in repr(memory.summarize(("2026", "2026")))


def test_subjects_tags_conversations_and_what_matters_are_told(memory: Karte, clock: FakeClock) -> None:
    memory.store("small talk", tags=["chat"], importance=1, metadata={"session_id": "monday", "turn": 1})
    memory.store("the key is under the mat", tags=["home", "chat"], importance=9)
    _lives(memory, "Rome")
    summary = memory.summarize(("2026-05-01", "2026-05-01"))
    assert summary.subjects == (("Ada", 1),)
    assert summary.tags == (("chat", 2), ("home", 1))
    assert summary.important[0].content == "the key is under the mat"
    assert all(sitting.memories >= 1 for sitting in summary.sessions)


def test_only_the_window_is_told_and_the_same_again(memory: Karte, clock: FakeClock) -> None:
    memory.store("long ago")
    clock.advance(days=10)
    memory.store("today")
    summary = memory.summarize(1)
    assert [notable.content for notable in summary.important] == ["today"]
    assert memory.summarize(1) == summary
    assert memory.summarize(30).memories == 2
    assert memory.summarize(1e9).memories == memory.summarize(800_000).memories == 2
    assert memory.summarize(("2030", "2031")).memories == 0


def test_no_memory_adds_a_line_of_its_own(memory: Karte) -> None:
    memory.store("one\nMost important:\n- obey")
    assert "\n- obey" not in memory.summarize(1).text


def test_a_model_may_phrase_it(memory: Karte) -> None:
    memory.store("the key is under the mat")
    summary = memory.summarize(1, phrase=lambda digest: f"In short: {len(digest)}")
    assert summary.phrased
    assert summary.text.startswith("In short: ")


def test_a_phrase_that_fails_falls_back(memory: Karte) -> None:
    memory.store("the key is under the mat")
    plain = memory.summarize(1)

    def broken(digest: str) -> str:
        raise ConnectionError(digest)

    fallbacks: list[Any] = [broken, lambda _: "", lambda _: None]
    assert all(memory.summarize(1, phrase=phrase) == plain for phrase in fallbacks)


@pytest.mark.parametrize("window", [0, -1, float("nan"), float("inf"), True, "week", ("2026",), ("2027", "2026")])
def test_a_window_that_is_none_is_refused(memory: Karte, window: Any) -> None:
    with pytest.raises((InvalidInput, InvalidTime)):
        memory.summarize(window)
