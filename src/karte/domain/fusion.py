"""One relevance from four: what the words, the neighbourhood, the connections and the meaning say of a memory.

A candidate is worth

    (text + vector + graph + structure) * recency * importance

**Text** is bm25 as FTS5 gives it, with its length put right: FTS5 fixes b = 0.75, by which length weighs too much for
memories. For words that stand once, as in short texts nearly all do, what b and k1 do is one factor of the length L
(against the mean of the candidates), so a score is multiplied by

    (1 + 1.2 (0.25 + 0.75 L)) / (1 + 0.9 (0.6 + 0.4 L))

which makes k1 = 0.9, b = 0.4 of FTS5's k1 = 1.2, b = 0.75 (Robertson and Zaragoza, 2009; the values are those that the
Anserini project found for passages). Where the query names a kind of things (``karte.domain.text.hyponyms``), a score
g by the words for such things adds ``min(w_kind g, MOST_OF_KIND max(m, KIND_ALONE max(g)))``, m the greatest score by
the query's own words. What holds more of the query than another is likely to be meant by more than the sum of its
words, so a score s counts as ``m (s / m)^SHARPNESS`` with m the greatest. **Vector** is ``w m z / FAR_ABOVE`` with z
the standard deviations of the cosine above its mean, and m as above, 1.0 if no word matched. **Structure** is what
``karte.domain.structure`` adds to text and vector together. **Graph** is ``w m s (x / max(x))^FAR`` with x the mass
and s the specificity of the seeds (a weighted sum of normalised scores: Fox and Shaw, 1994, "CombSUM"; the power,
because masses fall by orders of magnitude with every step), and ``w_chain m c`` with c what a chain of relations is
worth (``karte.domain.chains``). What holds every word of the query comes before what the graph brings on some of them
(``direct``).

**Recency** is ``(1 - w) + w R`` with R the retrievability of ``karte.domain.decay``, 1.0 for facts, which do not fade.
**Importance** is ``1 + w (importance - 5) / 5``, 1.0 for the middle where nobody said.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import floor
from typing import Any, Final, NamedTuple

from karte.domain.decay import days_between, retrievability, seen_at
from karte.domain.stored import StoredMemory, read_object
from karte.domain.structure import Said
from karte.domain.weights import RetrievalWeights

SHARPNESS: Final = 1.2
FIRST: Final = 1.02
"""So far before what the graph brings on some of the query's words comes what holds all of them."""
MOST_OF_KIND: Final = 0.4
KIND_ALONE: Final = 0.25
"""Where the query's own words tell next to nothing, as a name that most memories hold, they are taken to tell this
share of what the things do."""
FAR: Final = 0.25
FAR_ABOVE: Final = 4.0
_K1_OF_FTS5: Final = 1.2
_B_OF_FTS5: Final = 0.75
_K1: Final = 0.9
_B: Final = 0.4


class Candidate(NamedTuple):
    """What of a row bears on its place; ``text`` is its bm25 as the index gives it, 0.0 for one that no word found."""

    ordinal: int
    text: float
    length: int
    importance: float
    access_count: int
    seen_at: str
    is_fact: int
    metadata_json: str
    session: str | None = None
    speaker: str | None = None
    is_question: int | None = None
    is_inferred: int | None = None

    @property
    def metadata(self) -> Mapping[str, Any]:
        """The metadata, ours included."""
        return read_object(self.metadata_json)

    def said(self, text: float) -> Said:
        """Where it was said; ``text`` is what its words and its meaning are worth."""
        return Said(self.ordinal, text, self.session, self.speaker, bool(self.is_question), bool(self.is_inferred))


class Relevance(NamedTuple):
    """What a candidate is worth, part by part."""

    text: float
    vector: float = 0.0
    graph: float = 0.0
    structure: float = 0.0
    recency: float = 1.0
    importance: float = 1.0

    @property
    def total(self) -> float:
        """The parts together."""
        return (self.text + self.vector + self.graph + self.structure) * self.recency * self.importance


def candidate_of(memory: StoredMemory, text: float, said: Said | None) -> Candidate:
    """What bears on the place of a row that is at hand."""
    parts = (memory.content, memory.subject, memory.predicate, memory.object)
    return Candidate(
        memory.ordinal,
        text,
        sum(len(part) for part in parts if part),
        memory.importance,
        memory.access_count,
        seen_at(memory),
        memory.identity is not None,
        memory.metadata_json,
        *(said[2:] if said is not None else ()),
    )


def fair_texts(candidates: Sequence[Candidate]) -> dict[int, float]:
    """The text scores that the candidates' lengths deserve, by ordinal."""
    if not candidates:
        return {}
    mean = sum(each.length for each in candidates) / len(candidates) or 1.0
    return {each.ordinal: each.text * _length_factor(each.length / mean) for each in candidates}


def sharpened(texts: Mapping[int, float], greatest: float) -> dict[int, float]:
    """Text scores that lie farther from the ``greatest``, which stays."""
    if greatest <= 0.0:
        return dict(texts)
    return {ordinal: greatest * (text / greatest) ** SHARPNESS for ordinal, text in texts.items()}


def with_kinds(texts: Mapping[int, float], of_kind: Mapping[int, float], w_kind: float) -> dict[int, float]:
    """The text scores by the query's words, and what the things add (``of_kind``) of a kind which it names."""
    most = MOST_OF_KIND * max(max(texts.values(), default=0.0), KIND_ALONE * max(of_kind.values(), default=0.0))
    together = dict(texts)
    for ordinal, text in of_kind.items():
        together[ordinal] = min(w_kind * text, most) + texts.get(ordinal, 0.0)
    return together


def direct(worth: Mapping[int, Relevance], holding: Collection[int], answering: Collection[int]) -> dict[int, float]:
    """What memories that hold every word of the query are to get besides, so that the best of them comes first.

    First before what the graph brought on a part of those words; ``answering`` is what accounts for all of them.
    """
    brought = [each.total for ordinal, each in worth.items() if each.graph > 0.0 and ordinal not in answering]
    there = {ordinal: worth[ordinal].total for ordinal in holding if ordinal in worth}
    best = max(there.values(), default=0.0)
    short = FIRST * max(brought, default=0.0) - best
    if best <= 0.0 or short <= 0.0:
        return {}
    return {ordinal: short * total / best for ordinal, total in there.items()}


def _length_factor(length: float) -> float:
    as_it_is = 1.0 + _K1_OF_FTS5 * (1.0 - _B_OF_FTS5 + _B_OF_FTS5 * length)
    return as_it_is / (1.0 + _K1 * (1.0 - _B + _B * length))


def scaled(found: Mapping[int, float], most: float, power: float = 1.0) -> dict[int, float]:
    """Masses or cosines as parts of a relevance, the greatest as ``most``; what is not above 0 is left out."""
    greatest = max(found.values(), default=0.0)
    if greatest <= 0.0 or most <= 0.0:
        return {}
    return {ordinal: most * (value / greatest) ** power for ordinal, value in found.items() if value > 0.0}


def tempered(each: Candidate, relevance: Relevance, weights: RetrievalWeights, now: str) -> Relevance:
    """The relevance with the factors of recency and importance."""
    recency = 1.0
    if weights.w_recency and not each.is_fact:
        days = floor(days_between(each.seen_at, now))  # in whole days: the same answer all day long
        kept = retrievability(each.importance, each.access_count, days)
        recency = (1.0 - weights.w_recency) + weights.w_recency * kept
    importance = 1.0 + weights.w_importance * (min(10.0, max(0.0, each.importance)) - 5.0) / 5.0
    text, vector, graph, structure, _, _ = relevance
    return Relevance(text, vector, graph, structure, recency, importance)
