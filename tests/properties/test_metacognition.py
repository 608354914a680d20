"""What holds of the thresholds on any stream of errors, and on simulated ones: calm, drifting, shocked."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from statistics import fmean, median

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karte.domain.metacognition import (
    EVERY,
    WINDOW,
    ErrorCategory,
    MetaCognitionState,
    Thresholds,
    is_ordered,
    observe,
    read_state,
)

pytestmark = pytest.mark.requirement("reflexion.tuning")

LARGEST_STATE = 3_000
SETTLED = 60
"""Outcomes after which a shock no longer tells."""

stretches = st.lists(st.tuples(st.integers(1, 120), st.floats(0.0, 1.0), st.floats(0.0, 0.3)), min_size=1, max_size=5)


def within(error: float) -> float:
    return min(1.0, max(0.0, error))


def normal(chance: random.Random, mean: float, spread: float, count: int) -> list[float]:
    return [within(chance.gauss(mean, spread)) for _ in range(count)]


def played(errors: Sequence[float]) -> tuple[MetaCognitionState, list[ErrorCategory], list[Thresholds]]:
    state, categories, thresholds = MetaCognitionState(), [], []
    for error in errors:
        state, category = observe(state, error)
        categories.append(category)
        thresholds.append(state.thresholds)
    return state, categories, thresholds


def critical_share(categories: Sequence[ErrorCategory]) -> float:
    return categories.count(ErrorCategory.CRITICAL) / len(categories)


@settings(max_examples=40)
@given(stretches, st.randoms(use_true_random=False))
def test_thresholds_keep_their_order_and_bounds_on_any_stream(
    parts: list[tuple[int, float, float]], chance: random.Random
) -> None:
    state = MetaCognitionState()
    seen = 0
    for count, mean, spread in parts:
        for error in normal(chance, mean, spread, count):
            following, category = observe(state, error)
            seen += 1
            assert (following, category) == observe(state, error), "nothing but the state and the error decides"
            assert is_ordered(following.thresholds)
            assert 0 < following.due <= EVERY
            assert len(following.window) <= WINDOW
            state = following
    assert state.outcomes == seen
    written = json.dumps(state.to_json())
    assert len(written) <= LARGEST_STATE
    assert read_state(json.loads(written)) == state


Make = Callable[[random.Random], list[float]]
STEADY: dict[str, Make] = {
    "middling": lambda chance: normal(chance, 0.5, 0.15, 2_000),
    "high": lambda chance: normal(chance, 0.75, 0.1, 2_000),
    "anything": lambda chance: [chance.random() for _ in range(2_000)],
    "skewed": lambda chance: [chance.betavariate(2, 3) for _ in range(2_000)],
    "two humps": lambda chance: [
        within(chance.gauss(0.9 if chance.random() < 0.3 else 0.1, 0.03)) for _ in range(2_000)
    ],
    "rising": lambda chance: [within(chance.gauss(0.1 + 0.6 * n / 2_000, 0.1)) for n in range(2_000)],
    "falling": lambda chance: [within(chance.gauss(0.7 - 0.6 * n / 2_000, 0.1)) for n in range(2_000)],
}


@pytest.mark.parametrize("name", STEADY)
def test_the_share_of_critical_stays_useful(name: str) -> None:
    for seed in range(6):
        _, categories, _ = played(STEADY[name](random.Random(seed)))
        assert 0.01 <= critical_share(categories[EVERY:]) <= 0.1, f"{name}, {seed}"


def test_where_all_is_well_nothing_is_critical() -> None:
    for seed in range(6):
        _, categories, thresholds = played(normal(random.Random(seed), 0.12, 0.05, 2_000))
        assert critical_share(categories) == 0.0
        assert thresholds[-1][2] == 0.6, "the lowest that a critical error may be"


@pytest.mark.parametrize("level", [0.0, 0.3, 0.6, 0.7, 0.9])
def test_what_is_always_the_same_is_not_critical_for_long(level: float) -> None:
    _, categories, _ = played([level] * 500)
    assert critical_share(categories[EVERY:]) == 0.0


def test_what_is_wholly_wrong_is_always_critical() -> None:
    _, categories, _ = played([0.97] * 1_000)
    assert critical_share(categories) == 1.0


@pytest.mark.parametrize("lasting", [5, 10, 40, 100])
@pytest.mark.parametrize(("mean", "spread"), [(0.5, 0.15), (0.6, 0.1)])
def test_a_shock_is_critical_and_passes(lasting: int, mean: float, spread: float) -> None:
    level = mean + 1.645 * spread
    """Above it lies a twentieth of what comes before and after."""
    until, came_back, shares = 500 + lasting, [], []
    for seed in range(20):
        chance = random.Random(seed)
        shock = [chance.uniform(0.85, 1.0) for _ in range(lasting)]
        errors = [*normal(chance, mean, spread, 500), *shock, *normal(chance, mean, spread, 600)]
        _, categories, thresholds = played(errors)
        assert critical_share(categories[500:504]) >= 0.5, "before the thresholds follow"
        near = (abs(high - level) <= 0.1 for _, _, high in thresholds[until:])
        came_back.append(next((after for after, is_near in enumerate(near) if is_near), len(errors)))
        shares.append(critical_share(categories[until + SETTLED :]))
    assert median(came_back) <= SETTLED / 2
    assert sum(after <= SETTLED for after in came_back) >= 0.9 * len(came_back)
    assert 0.02 <= min(shares) <= max(shares) <= 0.1
    assert 0.03 <= fmean(shares) <= 0.07


def test_a_new_level_becomes_the_usual_one() -> None:
    for seed in range(6):
        chance = random.Random(seed)
        _, categories, _ = played([*normal(chance, 0.2, 0.08, 400), *normal(chance, 0.7, 0.08, 600)])
        assert critical_share(categories[400:404]) > 0.0
        assert critical_share(categories[400 + SETTLED :]) <= 0.1
