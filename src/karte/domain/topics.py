"""Which mistakes bear on a message: its keywords, and how much each mistake has to say about them.

Keywords are cut and folded as a query is (``karte.domain.text``), and each mistake as a memory is, so that what search
would find by a word a topic finds too, whatever the script. With the terms *t* of the query, each with its forms *f*,

    score(mistake) = sum over t of  max over the f that stand in the mistake of  idf(f)

where idf is that of ``karte.domain.text.rarity`` among the given mistakes: a word that stands in all of them tells
little, one that stands in a single one tells most. A mistake that shares no term is no hit. Equal scores are in the
order of ``newest_first``: the answer does not depend on the order of what was given.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from operator import itemgetter
from typing import Final

from karte.domain.mistakes import MistakeEntry, urgency
from karte.domain.text import TextQuery, index_text, parse_query, rarities, tokens_to_count
from karte.domain.text.particles import subject_runs
from karte.domain.text.query import Form
from karte.domain.text.scripts import UNSPACED_RUN, is_unspaced
from karte.domain.text.tokens import pieces

MOST_KEYWORDS: Final = 12
SHORTEST_KEYWORD: Final = 3
"""Of a script with spaces; a word of Chinese, Japanese or Korean may have fewer letters."""
_LONGEST_MESSAGE: Final = 20_000
"""Twelve words stand in the beginning; a longer message is not read to its end for them."""


def keywords_of(message: str) -> tuple[str, ...]:
    """The first ``MOST_KEYWORDS`` keywords: words of 3 letters or more, and the subjects of runs without spaces."""
    words = message[:_LONGEST_MESSAGE].split()
    return tuple(islice((keyword for word in words for keyword in _keywords(word)), MOST_KEYWORDS))


def topic_text(mistake: MistakeEntry) -> str:
    """The folded form of all that a mistake says, for ``by_topic``."""
    evidence = mistake.evidence
    parts = (
        mistake.input_summary,
        mistake.response_summary,
        mistake.what_went_wrong,
        mistake.ground_truth,
        mistake.corrective_insight,
        *(() if evidence is None else (evidence.tool, evidence.error_kind, evidence.excerpt)),
    )
    return index_text("\n".join(part for part in parts if part))


def by_topic(
    keywords: Iterable[str], mistakes: Iterable[tuple[MistakeEntry, str]], limit: int
) -> tuple[MistakeEntry, ...]:
    """The mistakes (each with its ``topic_text``) that say the most about the keywords, best first."""
    given = tuple(mistakes)
    query = parse_query(" ".join(keywords))
    scores = _scores(query, [folded for _, folded in given])
    hits = [
        (score, urgency(mistake), mistake) for score, (mistake, _) in zip(scores, given, strict=True) if score > 0.0
    ]
    hits.sort(key=itemgetter(0, 1), reverse=True)
    return tuple(mistake for _, _, mistake in hits[: max(0, limit)])


def _keywords(word: str) -> Iterator[str]:
    if UNSPACED_RUN.search(word) is None:
        if len(word) >= SHORTEST_KEYWORD:
            yield word
        return
    for piece in pieces(word):
        if is_unspaced(piece):
            yield from subject_runs(piece)
        elif len(piece) >= SHORTEST_KEYWORD:
            yield piece


def _scores(query: TextQuery, texts: Sequence[str]) -> list[float]:
    padded = [f" {folded} " for folded in texts]
    tokens = tokens_to_count(query)
    holders = Counter(token for text in padded for token in tokens if f" {token} " in text)
    weights = rarities(query, holders, len(padded))
    terms = [tuple(zip(term.forms, idfs, strict=True)) for term, idfs in zip(query.terms, weights, strict=True)]
    return [sum(_told_by(term, text) for term in terms) for text in padded]


def _told_by(term: tuple[tuple[Form, float], ...], padded: str) -> float:
    """How much a text says about one term."""
    return max((idf for form, idf in term if form.stands_in(padded)), default=0.0)
