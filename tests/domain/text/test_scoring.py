"""The text score: rare words, short memories, words that stand together."""

from collections.abc import Sequence

import pytest

from karte.domain.text import Scoring, parse_query, weigh

ONE = Scoring(((1.0,),))


def test_a_memory_without_a_word_of_the_query_scores_nothing() -> None:
    assert ONE.score([()], 1.0) == 0.0
    assert Scoring(()).score([], 1.0) == 0.0


def test_one_standing_of_one_word_in_an_average_memory_scores_its_weight() -> None:
    assert Scoring(((2.5,),)).score([(4,)], 1.0) == pytest.approx(2.5)


def test_a_shorter_memory_and_more_standings_score_higher() -> None:
    assert ONE.score([(4,)], 0.5) > ONE.score([(4,)], 1.0) > ONE.score([(4,)], 2.0) > 0
    assert ONE.score([(4,)], 1.0) < ONE.score([(4, 9)], 1.0) < 1.9


def test_of_the_forms_of_one_term_the_best_counts() -> None:
    two = Scoring(((1.0, 3.0),))
    assert two.score([(4,), (30,)], 1.0) == pytest.approx(3.0)
    assert two.score([(4,), ()], 1.0) == pytest.approx(1.0)
    assert two.score([(), (30,)], 1.0) == pytest.approx(3.0)


@pytest.mark.parametrize(
    ("places", "together"),
    [
        ([(4,), (5,)], 1),
        ([(4,), (6,)], 1),
        ([(4,), (7,)], 0),
        ([(5,), (4,)], 0),
        ([(1, 9), (3, 30)], 1),
    ],
)
def test_words_that_stand_together_as_in_the_query_are_worth_more(
    places: Sequence[Sequence[int]], together: int
) -> None:
    two = Scoring(((1.0,), (1.0,)))
    apart = two.score([places[0], [1000] * len(places[1])], 1.0)
    assert two.score(places, 1.0) == pytest.approx(apart * (1 + 0.15 * together))


def test_a_word_missing_between_two_keeps_them_apart() -> None:
    assert Scoring(((1.0,), (1.0,), (1.0,))).score([(1,), (), (2,)], 1.0) == pytest.approx(2.0)


def test_a_rare_word_weighs_more_and_a_common_one_still_something() -> None:
    query = parse_query("gateway licence service", foreign=False)
    weights = weigh(query, {"gateway": 1, "licenc": 50, "servic": 100}, 100).weights
    assert weights[0] > weights[1] > weights[2]
    assert weights[2][0] > 0


def test_a_count_that_ran_ahead_of_the_rows_is_no_error() -> None:
    assert weigh(parse_query("gateway", foreign=False), {"gateway": 9}, 0).weights[0][0] > 0


def test_a_phrase_is_as_rare_as_its_rarest_word_and_a_beginning_as_its_whole_name() -> None:
    query = parse_query('"booking form" nightly-sync', foreign=False)
    holders = {"book": 50, "form": 2, "night": 90, "sync": 90, "nightlysync": 7}
    counts = [weigh(parse_query(word, foreign=False), {"x": n}, 100).weights for word, n in (("x", 2), ("x", 7))]
    weights = weigh(query, holders, 100).weights
    assert weights[0] == counts[0][0]
    assert weights[-1] == counts[1][0] * 2
