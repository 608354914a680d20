"""When a rule retires by itself."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karte.domain.rule_feedback import RuleFeedback, has_failed, with_judgement, with_use

pytestmark = pytest.mark.requirement("reflexion.rule-feedback")

counts = st.integers(0, 200)


def test_uses_and_judgements_are_counted() -> None:
    feedback = with_use(with_use(RuleFeedback()), 3)
    feedback = with_judgement(with_judgement(feedback, True), False)
    assert feedback == RuleFeedback(applied=4, helped=1, harmed=1)
    assert feedback.judged == 2


@pytest.mark.parametrize(
    ("helped", "harmed", "fails"),
    [
        (0, 0, False),
        (0, 2, False),
        (0, 3, True),
        (1, 3, False),
        (1, 4, True),
        (2, 3, False),
        (5, 10, True),
        (9, 9, False),
    ],
)
def test_a_rule_that_harms_more_than_it_helps_retires(helped: int, harmed: int, fails: bool) -> None:
    assert has_failed(RuleFeedback(helped=helped, harmed=harmed)) is fails


@given(counts, counts)
def test_a_rule_that_helps_at_least_as_often_never_retires(helped: int, harmed: int) -> None:
    feedback = RuleFeedback(helped=helped, harmed=harmed)
    if has_failed(feedback):
        assert harmed > helped
        assert has_failed(with_judgement(feedback, False)), "another harm does not save it"
