"""How memories fade."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karte.domain.decay import (
    STABILITY_DAYS,
    DecayRule,
    days_between,
    has_faded,
    may_decay,
    retrievability,
    retrievability_of,
    seen_at,
    stability,
)
from karte.domain.stored import StoredMemory

NOW = "2026-06-01T00:00:00.000000+00:00"
LONG_AGO = "2024-01-01T00:00:00.000000+00:00"

importances = st.floats(0.0, 10.0)
counts = st.integers(0, 10_000)
days = st.floats(0.0, 40_000.0)

old = StoredMemory(id="a", agent_id="dudu", content="an old remark", timestamp=LONG_AGO)


@pytest.mark.requirement("life.retrievability")
@given(importances, counts, days)
def test_retrievability_is_a_share(importance: float, count: int, unseen: float) -> None:
    assert 0.0 <= retrievability(importance, count, unseen) <= 1.0


@pytest.mark.requirement("life.retrievability")
@given(importances, counts, days, days)
def test_it_falls_with_time(importance: float, count: int, one: float, other: float) -> None:
    sooner, later = sorted((one, other))
    assert retrievability(importance, count, sooner) >= retrievability(importance, count, later)


@pytest.mark.requirement("life.retrievability")
@given(importances, importances, counts, counts, days)
def test_what_matters_and_what_is_called_up_stays_longer(
    importance: float, more: float, count: int, further: int, unseen: float
) -> None:
    low, high = sorted((importance, more))
    assert retrievability(low, count, unseen) <= retrievability(high, count + further, unseen)


@pytest.mark.requirement("life.retrievability")
def test_the_formula_is_the_one_that_is_stated() -> None:
    assert retrievability(5.0, 0, STABILITY_DAYS) == pytest.approx(math.exp(-1))
    assert stability(10.0, 0) == pytest.approx(4 * STABILITY_DAYS)
    assert stability(0.0, 0) == pytest.approx(STABILITY_DAYS / 4)
    assert stability(5.0, 3) == pytest.approx(2 * STABILITY_DAYS)


@pytest.mark.parametrize("unseen", [0.0, -3.0])
def test_what_was_just_seen_or_will_be_is_fully_there(unseen: float) -> None:
    assert retrievability(0.0, 0, unseen) == 1.0


def test_numbers_out_of_range_count_as_the_nearest_bound() -> None:
    assert stability(-4.0, -2) == stability(0.0, 0)
    assert stability(99.0, 0) == stability(10.0, 0)


def test_days_are_counted_between_written_instants() -> None:
    assert days_between("2026-05-31T12:00:00.000000+00:00", NOW) == 0.5
    assert days_between("not a time", NOW) == 0.0
    assert days_between("2026-05-31", NOW) == 0.0  # without an offset nothing can be said


def test_the_last_reading_counts_as_seeing() -> None:
    assert seen_at(old) == LONG_AGO
    assert seen_at(old._replace(last_accessed=NOW)) == NOW
    assert seen_at(old._replace(ingested_at=NOW)) == NOW
    assert retrievability_of(old._replace(last_accessed=NOW), NOW) == 1.0


@pytest.mark.requirement("life.decay-what")
@pytest.mark.parametrize(
    ("change", "fades"),
    [
        ({}, True),
        ({"subject": "user"}, True),
        ({"origin": "channel:stranger", "origin_trust": 0.3}, True),
        ({"subject": "user", "predicate": "city", "identity": "user\x1fcity"}, False),
        ({"subject": "user", "predicate": "city"}, False),
        ({"assertion": 3}, False),
        ({"layer": "procedural"}, False),
        ({"origin": "user_direct"}, False),
        ({"origin": "operator", "origin_trust": 0.2}, False),
        ({"quarantined": 1}, False),
        ({"state": "purged"}, False),
    ],
)
def test_only_plain_memories_that_nobody_vouches_for_fade(change: dict[str, object], fades: bool) -> None:
    row = old._replace(**change)  # type: ignore[arg-type]
    assert may_decay(row) is fades
    assert has_faded(row, NOW, DecayRule()) is fades


@pytest.mark.requirement("life.decay-what")
def test_what_matters_or_is_young_or_is_still_at_hand_does_not_fade() -> None:
    assert not has_faded(old._replace(importance=5.1), NOW, DecayRule())
    assert not has_faded(old._replace(timestamp="2026-05-01T00:00:00.000000+00:00"), NOW, DecayRule(below=1.0))
    assert not has_faded(old, NOW, DecayRule(below=0.0))
