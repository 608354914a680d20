"""How much the words of a query tell."""

from karte.domain.text import TextQuery, match_expression, parse_query, rarities, tokens_to_count, without_absent

QUERY = parse_query('the gateway of "booking form" by nightly-sy', foreign=False)


def test_whole_tokens_are_counted_each_once() -> None:
    assert tokens_to_count(QUERY) == ("book", "form", "gateway", "night", "sy", "nightlysi")


def test_a_token_in_no_row_is_not_asked_for() -> None:
    left = without_absent(QUERY, {"gateway": 3, "book": 1})
    assert match_expression(left) == '"gateway" OR "nightlys" *'
    assert [term.word for term in left.terms] == ["gateway", "nightlysi"]
    assert match_expression(without_absent(QUERY, {"book": 1, "form": 2})) == '"book form" OR "nightlys" *'


def test_nothing_is_asked_where_no_row_holds_a_word() -> None:
    assert without_absent(parse_query("gateway"), {}) == TextQuery()


def test_a_rare_word_weighs_more_and_a_common_one_still_something() -> None:
    query = parse_query("gateway licence service", foreign=False)
    weights = rarities(query, {"gateway": 1, "licenc": 50, "servic": 100}, 100)
    assert weights[0] > weights[1] > weights[2]
    assert weights[2][0] > 0


def test_a_count_that_ran_ahead_of_the_rows_is_no_error() -> None:
    assert rarities(parse_query("gateway", foreign=False), {"gateway": 9}, 0)[0][0] > 0


def test_a_phrase_is_as_rare_as_its_rarest_word_and_a_beginning_as_its_whole_name() -> None:
    query = parse_query('"booking form" nightly-sync', foreign=False)
    holders = {"book": 50, "form": 2, "night": 90, "sync": 90, "nightlysync": 7}
    counts = [rarities(parse_query("x", foreign=False), {"x": n}, 100) for n in (2, 7)]
    weights = rarities(query, holders, 100)
    assert weights[0] == counts[0][0]
    assert weights[-1] == counts[1][0] * 2
