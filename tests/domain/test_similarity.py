"""How much two texts say the same: the measure by itself."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karte.domain.similarity import MOST_REPORTED, SIMILAR, nearest, similarity

WORDS = st.lists(st.sampled_from("the team ships its release every friday after lunch not 3 5 ёж 東京 café".split()))
TEXTS = st.one_of(st.text(max_size=60), WORDS.map(" ".join))

pytestmark = pytest.mark.requirement("plain.near-duplicates")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ada's yearly salary is 30000 euros", "Ada's yearly salary is 80000 euros"),
        ("the limit is 30,000 requests", "the limit is 30.5 requests"),
        ("Ada likes strong black coffee", "Ada dislikes strong black coffee"),
        ("the release branch is ready to ship", "the release branch is not ready to ship"),
        ("the build server does work on Monday", "the build server doesn't work on Monday"),
        ("the feature flag for search is enabled", "the feature flag for search is disabled"),
        ("the night watch starts two hours late", "the night watch starts three hours late"),
        ("der Drucker im Flur ist kaputt", "der Drucker im Flur ist nicht kaputt"),
        ("彼は東京の大学で働いている", "彼は東京の大学で働いていない"),
        ("他喜欢在北京喝咖啡", "他不喜欢在北京喝咖啡"),
    ],
)
def test_a_contradiction_is_not_similar_however_many_words_are_shared(one: str, other: str) -> None:
    assert similarity(one, other) == 0.0
    assert similarity(other, one) == 0.0


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ada's yearly salary is 30000 euros", "Ada's yearly salary is 30,000 euros"),
        ("The team ships every Friday after lunch", "the team ships every friday, after lunch!"),
        ("Ada prefers tea with milk in the morning", "In the morning Ada prefers tea with milk"),
    ],
)
def test_the_same_in_other_words_is_similar_and_not_equal(one: str, other: str) -> None:
    assert SIMILAR <= similarity(one, other) < 1.0


def test_other_texts_are_not_similar() -> None:
    assert similarity("Ada lives in Paris", "Ada lives in Rome") == 0.0
    assert similarity("", "Ada lives in Rome") == 0.0


@given(TEXTS)
def test_equal_text_but_for_unicode_form_and_white_space_is_one(text: str) -> None:
    assert similarity(text, f" {unicodedata.normalize('NFD', text)}\n") == 1.0


@given(TEXTS, TEXTS)
def test_the_measure_is_symmetric_and_zero_or_above_the_bound(one: str, other: str) -> None:
    value = similarity(one, other)
    assert value == similarity(other, one)
    assert value == 0.0 or SIMILAR <= value <= 1.0


@given(TEXTS, st.lists(TEXTS, max_size=12))
def test_the_nearest_are_reported_first_and_few(text: str, others: list[str]) -> None:
    found = nearest(text, [(str(place), other) for place, other in enumerate(others)])
    assert len(found) <= MOST_REPORTED
    assert [value for _, value in found] == sorted((value for _, value in found), reverse=True)
    assert all(round(similarity(text, others[int(id)]), 4) == value for id, value in found)
