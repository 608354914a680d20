"""The oracle by itself, against timelines worked out by hand."""

import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracle import CEILINGS, Kind, Reading, Said, State, class_of, folded, mark_cut, plain, value_of

ORIGIN = datetime(2026, 1, 1, tzinfo=UTC)


def day(number: float) -> datetime:
    return ORIGIN + timedelta(days=number)


class Chart:
    """Assertions in their order of learning, named by a letter of value and a number."""

    def __init__(self) -> None:
        self.said: list[Said] = []

    def __call__(
        self,
        value: str,
        start: float,
        until: float | None = None,
        *,
        origin: str = "unattributed",
        trust: float | None = None,
        kind: Kind = "value",
        state: State = "live",
        is_cut: bool = False,
        is_released: bool = False,
    ) -> "Chart":
        ceilings = {"user_direct": 1.0, "import": 0.7, "channel": 0.3, "tool_echo": 0.5}
        self.said.append(
            Said(
                name=f"{value}{len(self.said)}",
                kind=kind,
                value=None if kind == "end" else (value, value),
                start=day(start),
                until=None if until is None else day(until),
                origin=origin,
                trust=ceilings.get(class_of(origin), 0.6) if trust is None else trust,
                learned=len(self.said),
                state=state,
                is_cut=is_cut,
                is_released=is_released,
            )
        )
        return self

    def line(self, *, protect_curated: bool = True) -> list[tuple[str, float, float | None]]:
        """The stretches as (name, first day, last day)."""
        reading = Reading(self.said, protect_curated=protect_curated)
        return [
            (
                one.by.name,
                (one.start - ORIGIN) / timedelta(days=1),
                None if one.until is None else (one.until - ORIGIN) / timedelta(days=1),
            )
            for one in reading.stretches()
        ]


def test_where_nothing_was_said_nothing_holds() -> None:
    assert Chart().line() == []
    assert Reading([]).value_at(day(1)) is None


def test_a_later_start_ends_the_earlier_value_there() -> None:
    assert Chart()("A", 1)("B", 3).line() == [("A0", 1, 3), ("B1", 3, None)]


def test_an_earlier_start_learned_late_is_a_bounded_stretch() -> None:
    assert Chart()("A", 5)("B", 3)("C", 1).line() == [("C2", 1, 3), ("B1", 3, 5), ("A0", 5, None)]


def test_of_equal_starts_the_one_learned_last_holds() -> None:
    assert Chart()("A", 1)("B", 1)("C", 1).line() == [("C2", 1, None)]


def test_a_bounded_value_lets_the_longer_one_show_again() -> None:
    assert Chart()("A", 1)("B", 3, 5).line() == [("A0", 1, 3), ("B1", 3, 5), ("A0", 5, None)]


def test_an_end_is_exclusive_and_a_start_is_not() -> None:
    reading = Reading(Chart()("A", 1, 3).said)
    assert [reading.value_at(day(at)) for at in (0.9, 1, 2.9, 3)] == [None, ("A", "A"), ("A", "A"), None]


def test_the_same_value_seen_again_changes_nothing() -> None:
    assert Chart()("A", 1)("A", 3).line() == [("A0", 1, None)]


def test_the_same_value_known_to_be_true_earlier_is_believed_on_the_earlier_one_until_the_later_starts() -> None:
    assert Chart()("A", 5)("A", 1).line() == [("A1", 1, 5), ("A0", 5, None)]


def test_a_value_between_two_observations_of_another_splits_them() -> None:
    assert Chart()("A", 5)("A", 1)("B", 3).line() == [("A1", 1, 3), ("B2", 3, 5), ("A0", 5, None)]


def test_a_value_is_believed_on_its_most_trusted_observer_from_that_observers_start() -> None:
    assert Chart()("A", 1)("A", 3, origin="import:x").line() == [("A0", 1, 3), ("A1", 3, None)]
    assert Chart()("A", 1, origin="import:x")("A", 3).line() == [("A0", 1, None)]


def test_trust_below_something_else_in_the_order_lends_nothing() -> None:
    chart = Chart()("A", 1, origin="user_direct")("B", 2)("A", 3)
    assert chart.line() == [("A0", 1, 2), ("B1", 2, 3), ("A2", 3, None)]


def test_an_end_of_the_fact_brings_no_earlier_value_back() -> None:
    chart = Chart()("A", 1)("B", 3)("end", 5, kind="end")("C", 7)
    assert chart.line() == [("A0", 1, 3), ("B1", 3, 5), ("C3", 7, None)]


def test_an_end_of_the_fact_and_a_value_of_one_start_go_by_the_order_of_learning() -> None:
    assert Chart()("A", 1)("end", 1, kind="end").line() == []
    assert Chart()("end", 1, kind="end")("A", 1).line() == [("A1", 1, None)]


def test_an_open_value_ends_with_the_first_end_said_for_it_after_its_start() -> None:
    assert Chart()("A", 1)("A", 4, 6).line() == [("A0", 1, 6)]
    assert Chart()("A", 5)("A", 1, 3).line() == [("A1", 1, 3), ("A0", 5, None)]


def test_an_open_restatement_does_not_lift_an_end() -> None:
    assert Chart()("A", 1, 5)("A", 3).line() == [("A0", 1, 5)]
    assert Chart()("A", 1, 5)("A", 5).line() == [("A0", 1, 5), ("A1", 5, None)]


def test_of_two_ends_for_one_value_and_start_the_one_learned_last_holds() -> None:
    assert Chart()("A", 1, 5)("A", 1, 8).line() == [("A0", 1, 8)]
    assert Chart()("A", 1, 8)("A", 1, 5).line() == [("A0", 1, 5)]
    assert Chart()("A", 0)("A", 1, 5)("A", 1, 8).line() == [("A0", 0, 8)]


def test_an_unverified_end_does_not_bind_a_curated_value() -> None:
    chart = Chart()("A", 1, origin="user_direct")("A", 2, 4, origin="channel:x")
    assert chart.line() == [("A0", 1, None)]
    chart = Chart()("A", 1, 5, origin="user_direct")("A", 1, 9, origin="channel:x")
    assert chart.line() == [("A0", 1, 5), ("A1", 5, 9)]


def test_a_cut_end_does_not_bind_a_sound_value() -> None:
    assert Chart()("A", 1)("A", 2, 4, is_cut=True).line() == [("A0", 1, None)]
    assert Chart()("A", 1, is_cut=True)("A", 2, 4, is_cut=True).line() == [("A0", 1, 4)]
    assert Chart()("A", 1, is_cut=True)("A", 2, 4).line() == [("A0", 1, 2), ("A1", 2, 4)]


def test_an_end_said_for_a_value_closes_each_start_of_it_that_covers_the_instant() -> None:
    chart = Chart()("A", 1, 9)("A", 2)("B", 0)("A", 5, kind="value-end")
    assert chart.line() == [("B2", 0, 1), ("A0", 1, 5), ("B2", 5, None)]
    assert chart("A", 1, 7).line() == [("B2", 0, 1), ("A0", 1, 7), ("B2", 7, None)]


def test_an_end_said_for_a_value_binds_what_is_learned_later_about_earlier() -> None:
    assert Chart()("A", 3)("A", 5, kind="value-end")("A", 1).line() == [("A2", 1, 3), ("A0", 3, 5)]


def test_an_end_said_for_a_value_leaves_other_values_and_later_starts_alone() -> None:
    chart = Chart()("A", 1)("B", 3)("A", 6)("A", 5, kind="value-end")
    assert chart.line() == [("A0", 1, 3), ("B1", 3, 6), ("A2", 6, None)]


def test_of_two_ends_said_for_a_value_an_earlier_one_learned_later_holds() -> None:
    chart = Chart()("A", 1)("A", 8, kind="value-end")("A", 4, kind="value-end")
    assert chart.line() == [("A0", 1, 4)]


def test_what_is_not_live_says_nothing() -> None:
    states: list[State] = ["held", "retracted", "rejected", "purged", "archived"]
    for state in states:
        assert Chart()("A", 1)("B", 3, state=state)("A", 2, 4, state=state).line() == [("A0", 1, None)]


def test_a_cut_assertion_yields_to_any_sound_one_that_covers() -> None:
    assert Chart()("A", 1, 5)("B", 3, is_cut=True).line() == [("A0", 1, 5), ("B1", 5, None)]
    assert Chart()("end", 1, kind="end")("B", 3, is_cut=True).line() == []


def test_a_cut_assertion_is_worth_a_tenth_and_protects_nothing() -> None:
    chart = Chart()("A", 1, origin="user_direct", is_cut=True)
    assert Reading(chart.said).trust_at(day(2)) == 0.1
    assert chart("B", 3, origin="channel:x").line() == [("A0", 1, 3), ("B1", 3, None)]


def test_what_is_derived_from_a_fallen_one_is_cut_over_any_number_of_steps() -> None:
    chart = Chart()("A", 1)("B", 2)("C", 3)("D", 4)
    derived = {"B1": ["note"], "note": ["A0"], "C2": ["B1", "other"], "D3": ["other"], "A0": ["C2"]}
    cut = {one.name for one in mark_cut(chart.said, derived, {"A0"}) if one.is_cut}
    assert cut == {"A0", "B1", "C2"}


def test_the_curated_word_outvotes_unverified_ones_where_it_covers() -> None:
    chart = Chart()("A", 1, 5, origin="user_direct")("B", 3, origin="channel:x")
    assert chart.line() == [("A0", 1, 5), ("B1", 5, None)]
    assert chart.line(protect_curated=False) == [("A0", 1, 3), ("B1", 3, None)]


def test_a_curated_class_that_claims_little_is_not_curated() -> None:
    chart = Chart()("A", 1, origin="user_direct", trust=0.7)("B", 3, origin="channel:x")
    assert chart.line() == [("A0", 1, 3), ("B1", 3, None)]


def test_the_curated_word_does_not_outvote_a_verified_one() -> None:
    chart = Chart()("A", 1, origin="user_direct")("B", 3, origin="import:x")("C", 4, origin="channel:x")
    assert chart.line() == [("A0", 1, 3), ("B1", 3, None)]


def test_an_unverified_end_does_not_end_the_curated_word() -> None:
    chart = Chart()("A", 1, origin="user_direct")("end", 3, kind="end", origin="tool_echo")
    assert chart.line() == [("A0", 1, None)]


def test_a_verified_end_that_starts_later_lifts_the_protection() -> None:
    chart = Chart()("A", 1, origin="user_direct")("end", 3, kind="end")("B", 5, origin="channel:x")
    assert chart.line() == [("A0", 1, 3), ("B2", 5, None)]


def test_an_end_of_the_same_start_does_not_lift_the_protection() -> None:
    chart = Chart()("A", 3, origin="user_direct")("end", 3, kind="end")("B", 5, origin="channel:x")
    assert chart.line() == []


def test_what_a_person_released_is_no_longer_unverified() -> None:
    chart = Chart()("A", 1, origin="user_direct")("B", 3, origin="channel:x", is_released=True)
    assert chart.line() == [("A0", 1, 3), ("B1", 3, None)]


@pytest.mark.parametrize(
    ("one", "other"),
    [("a  b", "a b"), (" a\u00a0b\n", "a b"), ("Ａ", "A"), ("Cafe\u0301", "Café")],
)
def test_values_are_equal_but_for_form_and_white_space(one: str, other: str) -> None:
    assert value_of(one, one) == value_of(other, other)


def test_values_keep_case_and_names_do_not() -> None:
    assert plain("Red") != plain("red")
    assert folded(" STRASSE  5") == folded("Straße 5")
    assert len({folded(name) for name in ("C", "C++", "C#")}) == 3


# The oracle keeps the laws itself: where it did not, the rules or this reading of them would be at odds with the laws.

MOMENTS = [day(number / 2) for number in range(-2, 26)]


@st.composite
def assertions(draw: st.DrawFn, *, distinct_starts: bool) -> list[Said]:
    starts = draw(st.lists(st.integers(0, 9), min_size=1, max_size=8, unique=distinct_starts))
    found = []
    for learned, start in enumerate(starts):
        origin = draw(st.sampled_from([*CEILINGS]))
        kinds: list[Kind] = ["value", "value", "value", "end"]
        kind = draw(st.sampled_from(kinds if distinct_starts else [*kinds, "value-end"]))
        length = draw(st.sampled_from([None, None, 1, 3])) if kind == "value" else None
        letter = draw(st.sampled_from("AB"))
        found.append(
            Said(
                name=f"{letter}{learned}",
                kind=kind,
                value=None if kind == "end" else (letter, letter),
                start=day(start),
                until=None if length is None else day(start + length),
                origin=origin,
                trust=CEILINGS[origin],
                learned=learned,
                is_cut=kind == "value" and draw(st.integers(0, 4)) == 0,
            )
        )
    return found


@settings(max_examples=500)
@given(assertions(distinct_starts=True), st.randoms(use_true_random=False))
def test_with_distinct_starts_the_oracle_gives_one_value_in_every_order_of_learning(
    said: list[Said], chance: random.Random
) -> None:
    order = list(range(len(said)))
    chance.shuffle(order)
    reordered = [replace(one, learned=learned) for one, learned in zip(said, order, strict=True)]
    one, other = Reading(said), Reading(reordered)
    assert [one.value_at(at) for at in MOMENTS] == [other.value_at(at) for at in MOMENTS]


@settings(max_examples=500)
@given(assertions(distinct_starts=False), st.sampled_from([*CEILINGS]), st.integers(0, 9))
def test_no_instant_loses_its_value_to_an_open_assertion(said: list[Said], origin: str, start: int) -> None:
    added = Said(name="C", value=("B", "B"), start=day(start), origin=origin, trust=CEILINGS[origin], learned=len(said))
    before, after = Reading(said), Reading([*said, added])
    assert not [at for at in MOMENTS if before.value_at(at) is not None and after.value_at(at) is None]


@settings(max_examples=500)
@given(assertions(distinct_starts=False))
def test_the_stretches_of_the_oracle_are_its_point_reads(said: list[Said]) -> None:
    reading = Reading(said)
    for at in MOMENTS:
        covering = [one.by for one in reading.stretches() if one.start <= at and (one.until is None or at < one.until)]
        believed = reading.believed_at(at)
        assert covering == ([] if believed is None else [believed])
