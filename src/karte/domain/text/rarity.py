"""How much the words of a query tell: the idf of each of its forms.

    idf = ln(1 + (N - n + 0.5) / (n + 0.5))

with n of N rows holding the form (Robertson and Zaragoza, 2009, in the form of Kamphuis et al., 2020, "Lucene"). FTS5
weighs by its own; this is for what is decided beside it, such as whether two hits say the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import log

from karte.domain.text.query import Form, Term, TextQuery


def tokens_to_count(query: TextQuery) -> tuple[str, ...]:
    """The tokens of the query whose number of rows is worth asking for, each once."""
    return tuple(dict.fromkeys(token for form in query.forms if not form.is_prefix for token in form.tokens))


def without_absent(query: TextQuery, holders: Mapping[str, int]) -> TextQuery:
    """The query without what no row can hold.

    ``holders`` maps the tokens of ``tokens_to_count`` to how many rows hold them; a token left out is in none.
    """
    terms = (Term(term.word, tuple(form for form in term.forms if _may_stand(form, holders))) for term in query.terms)
    return TextQuery(tuple(term for term in terms if term.forms))


def rarities(query: TextQuery, holders: Mapping[str, int], rows: int) -> tuple[tuple[float, ...], ...]:
    """The idf of each form, term by term, in an index of that many rows; ``holders`` as for ``without_absent``."""
    return tuple(tuple(_idf(_rows_with(form, term, holders), rows) for form in term.forms) for term in query.terms)


def _may_stand(form: Form, holders: Mapping[str, int]) -> bool:
    return form.is_prefix or all(holders.get(token, 0) > 0 for token in form.tokens)


def _rows_with(form: Form, term: Term, holders: Mapping[str, int]) -> int:
    """At most how many rows hold the form; a phrase is as rare as its rarest token, a beginning as its whole name."""
    tokens = term.forms[0].tokens if form.is_prefix else form.tokens
    return min(holders.get(token, 0) for token in tokens)


def _idf(holding: int, rows: int) -> float:
    holding = max(1, holding)
    return log(1 + max(0, rows - holding) / (holding + 0.5) + 0.5 / (holding + 0.5))
