"""Ranking only the rows that hold a rare word."""

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from karte.domain.text import (
    TextQuery,
    match_expression,
    parse_query,
    pruned_expression,
    tokens_to_count,
    without_absent,
)
from karte.domain.text.pruning import WORTH_PRUNING

if TYPE_CHECKING:
    from tests.domain.text.conftest import Index

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
    assert pruned_expression(TextQuery(), {}) is None


def test_common_words_count_but_do_not_choose() -> None:
    query = parse_query("gateway licence service", foreign=False)
    holders = {"gateway": 400, "licenc": 200, "servic": WORTH_PRUNING}
    assert pruned_expression(query, holders) == '("licenc" OR "gateway") AND ("gateway" OR "licenc" OR "servic")'


def test_words_that_are_all_needed_are_all_asked_for() -> None:
    query = parse_query("gateway licence", foreign=False)
    plain = match_expression(query)
    assert pruned_expression(query, {"gateway": 10, "licenc": WORTH_PRUNING - 11}) == plain
    assert pruned_expression(query, {"gateway": 400, "licenc": WORTH_PRUNING}) == plain


def test_the_pruned_expression_finds_the_best_row(make_index: "type[Index]") -> None:
    index = make_index([*(f"service number {i}" for i in range(30)), "the licence of the service"])
    query = parse_query("service licence", foreign=False)
    expression = pruned_expression(query, {"servic": WORTH_PRUNING, "licenc": 1}, enough=1)
    assert expression is not None
    assert index.match(expression) == ["the licence of the service"]


@given(st.text(), st.integers(min_value=0, max_value=10_000))
def test_every_pruned_expression_is_one_that_fts5_accepts(text: str, rows: int) -> None:
    from tests.domain.text.conftest import Index

    query = parse_query(text)
    holders = dict.fromkeys(tokens_to_count(query)[::2], rows)
    expression = pruned_expression(without_absent(query, holders), holders)
    if expression is not None:
        Index(["some row"]).match(expression)
