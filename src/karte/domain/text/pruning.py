"""Common words cost most of a search and decide least of it.

FTS5 ranks every row that holds any word of the query.  Once it is known how many rows hold each token (an
``fts5vocab`` table of type ``row`` tells, at a small part of the cost of ranking them), it is enough to rank the rows
that hold one of the rare ones; the common words still count in their score:

    (rare OR rare) AND (rare OR rare OR common OR common)

That a rare word stands twice in it, and so weighs double in FTS5's order, is one more reason to score the best again
(``scoring``).  Recall on the conversations and passages at hand is the same; at 100,000 rows it takes a quarter of the
time.  The caller falls back to ``match_expression`` when too few of the rows found pass its filters.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from karte.domain.text.query import Form, Term, TextQuery, join_forms

# Rows that the rare words must have between them: a few hundred leave room for filters and for the common words.
ENOUGH_ROWS: Final = 500
# Below this many rows to rank there is nothing to win.
WORTH_PRUNING: Final = 2_000


def tokens_to_count(query: TextQuery) -> tuple[str, ...]:
    """The tokens of the query whose number of rows is worth asking for, each once."""
    return tuple(dict.fromkeys(token for form in query.forms if not form.is_prefix for token in form.tokens))


def without_absent(query: TextQuery, holders: Mapping[str, int]) -> TextQuery:
    """The query without what no row can hold.

    ``holders`` maps the tokens of ``tokens_to_count`` to how many rows hold them; a token left out is in none.
    """
    terms = (Term(term.word, tuple(form for form in term.forms if _may_stand(form, holders))) for term in query.terms)
    return TextQuery(tuple(term for term in terms if term.forms))


def pruned_expression(query: TextQuery, holders: Mapping[str, int], enough: int = ENOUGH_ROWS) -> str | None:
    """The MATCH expression for the rows that hold a rare word of the query, or None when it asks for nothing.

    Its last phrases are the forms of the query in their order.  Phrases and beginnings of names count as rare.
    """
    forms = query.forms
    counts = {form: holders.get(form.tokens[0], 0) if form.is_single else 0 for form in forms}
    if sum(counts.values()) >= WORTH_PRUNING:
        rare = _rarest(counts, enough)
        if len(rare) < len(forms):
            return f"({join_forms(rare)}) AND ({join_forms(forms)})"
    return join_forms(forms) or None


def _may_stand(form: Form, holders: Mapping[str, int]) -> bool:
    return form.is_prefix or all(holders.get(token, 0) > 0 for token in form.tokens)


def _rarest(counts: Mapping[Form, int], enough: int) -> list[Form]:
    """The rarest forms that have enough rows between them."""
    rare: list[Form] = []
    rows = 0
    for form in sorted(counts, key=counts.__getitem__):
        if rows >= enough:
            break
        rare.append(form)
        rows += counts[form]
    return rare
