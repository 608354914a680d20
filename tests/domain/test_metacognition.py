"""Error categories, and thresholds that tune themselves: single steps."""

from __future__ import annotations

import json
from typing import Any

import pytest

from karte.domain.change import LIMIT, Detector, detector_of, new_level, watch
from karte.domain.metacognition import (
    BOUNDS,
    EVERY,
    LEAST,
    RECORDED,
    START,
    ErrorCategory,
    MetaCognitionState,
    classify,
    is_ordered,
    observe,
    read_state,
    tuned_thresholds,
)
from karte.errors import InvalidInput


def after(*errors: float, state: MetaCognitionState | None = None) -> MetaCognitionState:
    state = state or MetaCognitionState()
    for error in errors:
        state, _ = observe(state, error)
    return state


@pytest.mark.requirement("reflexion.error")
@pytest.mark.parametrize(
    ("error", "category"),
    [
        (0.0, "negligible"),
        (0.1999, "negligible"),
        (0.2, "moderate"),
        (0.5, "significant"),
        (0.7999, "significant"),
        (0.8, "critical"),
        (1, "critical"),
    ],
)
def test_three_thresholds_part_four_categories(error: float, category: str) -> None:
    assert classify(error, START) == category
    state, found = observe(MetaCognitionState(), error)
    assert found == category
    assert (found in RECORDED) is (error >= 0.5)
    assert state.counts[list(ErrorCategory).index(found)] == state.outcomes == 1


@pytest.mark.requirement("reflexion.error")
@pytest.mark.parametrize("error", [float("nan"), float("inf"), -0.01, 1.01, True, "0.5", None])
def test_what_is_no_share_is_refused(error: Any) -> None:
    with pytest.raises(InvalidInput):
        observe(MetaCognitionState(), error)


@pytest.mark.requirement("reflexion.tuning")
def test_thresholds_are_tuned_after_every_hundred_outcomes() -> None:
    steady = [0.3 + 0.01 * (n % 10) for n in range(EVERY)]
    state = after(*steady[:-1])
    assert (state.thresholds, state.tunings, state.due) == (START, 0, 1)
    state = after(steady[-1], state=state)
    assert (state.tunings, state.changes, state.due) == (1, 0, EVERY)
    assert state.thresholds == tuned_thresholds(steady) == (0.275, 0.375, 0.6)
    assert after(*steady, state=state).tunings == 2


@pytest.mark.requirement("reflexion.tuning")
def test_an_error_is_judged_by_the_thresholds_before_it() -> None:
    state = after(*[0.7] * (EVERY - 1))
    state, category = observe(state, 0.7)
    assert category == "significant"
    assert state.thresholds == (0.4, 0.61, 0.71)


@pytest.mark.requirement("reflexion.tuning")
def test_a_change_of_level_is_told_at_once_and_what_was_before_is_forgotten() -> None:
    state = after(*[0.1] * 40)
    assert (state.changes, state.tunings) == (0, 0)
    state = after(*[0.9] * 4, state=state)
    assert (state.changes, state.tunings, state.due) == (1, 1, LEAST)
    assert state.window == (0.9,) * 4
    assert state.thresholds == (0.4, 0.7, 0.91)
    assert after(*[0.1] * 4, state=state).changes == 2


@pytest.mark.requirement("reflexion.tuning")
def test_three_outliers_are_no_change() -> None:
    assert after(*[0.1] * 40, *[1.0] * 3, *[0.1] * 20).changes == 0


@pytest.mark.requirement("reflexion.tuning")
def test_a_detector_adds_up_to_both_sides() -> None:
    detector = Detector(mean=0.5, spread=0.1)
    assert detector.changed_for is None
    risen = watch(watch(detector, 0.7), 0.7)
    assert risen.rise == pytest.approx(3.0)
    assert (risen.rising_for, risen.fall, risen.falling_for) == (2, 0.0, 0)
    assert watch(watch(watch(risen, 0.2), 0.2), 0.5).rising_for == 0
    for error in (0.0, 1.0):
        changed = detector
        while changed.changed_for is None:
            changed = watch(changed, error)
        assert changed.changed_for == 4
        assert max(changed.rise, changed.fall) > LIMIT
    assert detector_of([0.4] * 9).spread == 0.05


@pytest.mark.requirement("reflexion.tuning")
@pytest.mark.parametrize(
    ("errors", "level"),
    [
        ([0.1] * 20 + [0.9] * 5, [0.9] * 5),
        ([0.9, 0.8, 0.9] * 5 + [0.2, 0.1, 0.2, 0.1], [0.2, 0.1, 0.2, 0.1]),
        ([0.1] * 20 + [0.9], [0.1] * 3 + [0.9]),
        ([0.1, 0.9], [0.1, 0.9]),
    ],
)
def test_a_new_level_begins_where_the_parts_lie_furthest_apart(errors: list[float], level: list[float]) -> None:
    assert new_level(errors) == level


@pytest.mark.requirement("reflexion.tuning")
@pytest.mark.parametrize(
    "errors", [[0.0], [1.0], [0.5] * 200, [0.0] * 199 + [1.0], [0.95] * 50, [0.1, 0.9] * 100, [0.55, 0.56, 0.57] * 9]
)
def test_tuned_thresholds_keep_their_bounds_and_their_order(errors: list[float]) -> None:
    assert is_ordered(tuned_thresholds(errors))


@pytest.mark.requirement("reflexion.tuning")
def test_a_state_is_written_and_read_again() -> None:
    for state in (MetaCognitionState(), after(*[0.1] * 150, *[0.9] * 2)):
        assert read_state(json.loads(json.dumps(state.to_json()))) == state


@pytest.mark.requirement("reflexion.tuning")
@pytest.mark.parametrize(
    "change",
    [
        {"version": 2},
        {"thresholds": [0.2, 0.5]},
        {"thresholds": [0.2, 0.25, 0.8]},
        {"thresholds": [0.2, 0.5, 0.99]},
        {"window": [2.0]},
        {"window": None},
        {"due": -1},
        {"due": 1.5},
        {"counts": [1, 2]},
        {"counts": "abcd"},
        {"detector": {}},
        {"detector": {"mean": 0.5, "spread": 0.0, "rise": 0.0, "fall": 0.0, "rising_for": 0, "falling_for": 0}},
        {"tunings": None},
    ],
)
def test_what_cannot_be_read_is_a_new_state(change: dict[str, Any]) -> None:
    written = after(*[0.1] * 150).to_json()
    assert read_state(written) != MetaCognitionState()
    assert read_state(written | change) == MetaCognitionState()
    assert read_state(None) == read_state([]) == read_state({}) == MetaCognitionState()
    assert len(BOUNDS) == len(START)
