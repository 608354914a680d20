"""The text score of a memory: bm25 as it serves short texts, and a little for words that stand together.

FTS5 finds and pre-sorts with its own bm25, whose constants it does not let go: b = 0.75 lets length weigh too much for
memories, and a word that more than half of the rows hold (a speaker, the user's name) counts nothing.  So the best few
of its answer are scored again (Robertson and Zaragoza, 2009, in the form of Kamphuis et al., 2020, "Lucene"):

    sum over the terms of  idf * tf (k1 + 1) / (tf + k1 (1 - b + b L))        idf = ln(1 + (N - n + 0.5) / (n + 0.5))

with n of N rows holding the term, tf its count in the memory, L the memory's length against the average; k1 = 0.9 and
b = 0.4 are the values the Anserini project found for passages.  Terms of the query that stand in the memory right
after the term before them are worth more than the same terms apart (Metzler and Croft, 2005): times 1 + 0.15 for each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Final

from karte.domain.text.query import Form, Term, TextQuery

BEST: Final = 30
"""How many of FTS5's best are worth scoring again to fill ten places; more changed nothing."""

_K1: Final = 0.9
_B: Final = 0.4
_TOGETHER: Final = 0.15
# In a long memory a word stands often, and its first places tell as much.
_MOST_PLACES: Final = 32


@dataclass(frozen=True, slots=True)
class Scoring:
    """How much each form of a query is worth, term by term."""

    weights: tuple[tuple[float, ...], ...]

    def score(self, places: Sequence[Sequence[int]], length: float) -> float:
        """The score of a memory: above 0 where a form of the query stands in it.

        ``places`` says for each form of the query, in order, where in the memory it stands; ``length`` is the number
        of the memory's tokens against the average.  Of the forms of one term the best counts.
        """
        shortness = _K1 * (1 - _B + _B * length)
        total, together, form = 0.0, 0, 0
        before: Sequence[int] = ()
        for weights in self.weights:
            best = 0.0
            here: Sequence[int] = ()
            for weight in weights:
                found = places[form]
                form += 1
                if found:
                    best = max(best, weight * len(found) * (_K1 + 1) / (len(found) + shortness))
                    here = here or found
            total += best
            together += _follows(before, here)
            before = here
        return total * (1 + _TOGETHER * together)


def weigh(query: TextQuery, holders: Mapping[str, int], rows: int) -> Scoring:
    """The weights of a query in an index of that many rows; ``holders`` as for ``without_absent``."""
    return Scoring(tuple(_weights(term, holders, rows) for term in query.terms))


def _weights(term: Term, holders: Mapping[str, int], rows: int) -> tuple[float, ...]:
    return tuple(_idf(_rows_with(form, term, holders), rows) for form in term.forms)


def _rows_with(form: Form, term: Term, holders: Mapping[str, int]) -> int:
    """At most how many rows hold the form; a phrase is as rare as its rarest token, a beginning as its whole name."""
    tokens = term.forms[0].tokens if form.is_prefix else form.tokens
    return min(holders.get(token, 0) for token in tokens)


def _idf(holding: int, rows: int) -> float:
    holding = max(1, holding)
    return log(1 + max(0, rows - holding) / (holding + 0.5) + 0.5 / (holding + 0.5))


def _follows(before: Sequence[int], here: Sequence[int]) -> bool:
    """Whether some place in ``here`` comes right after one in ``before``, or one word later ("red wool hat")."""
    if not before or not here:
        return False
    starts = before[:_MOST_PLACES]
    return any(place - 1 in starts or place - 2 in starts for place in here[:_MOST_PLACES])
