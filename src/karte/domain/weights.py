"""What the order of search results is weighed by."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Final

from karte.domain.trust import checked_number
from karte.errors import InvalidInput

MOST_SEEDS: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalWeights:
    """The weights of a search, set per engine in code; there is no configuration key for them.

    A hit scores ``(text + vector + graph + structure) * recency * importance * trust``. The defaults are measured
    (docs/recall.md), save ``w_trust`` and ``graph_embed_seed``.

    **Parts.** ``w_structure``, ``w_graph`` and ``w_vector`` (0.0 to 10.0) are what neighbourhood, connection and
    meaning weigh against the words, which weigh 1; 0.0 switches a part off, and nothing is read for it. What they
    add is measured against the best text score of the query (``karte.domain.fusion``).

    **Kinds** (0.0 to 10.0). ``w_kind`` is what things add of their text score that are of a kind which the query names:
    "basketball", where it asks for sports (``karte.domain.text.hyponyms``, formula in ``karte.domain.fusion``).

    **Conversations** (0.0 to 10.0; formulas in ``karte.domain.structure``). Of its text score a turn lends ``w_next``
    to the turn before it and ``w_previous`` to the turn after it, ``w_second_next`` and ``w_second_previous`` over
    two turns; ``w_question`` is how much more a question lends to what follows; ``w_session`` is what the best
    conversation adds to its turns, against the best text score; ``w_speaker`` multiplies what a speaker whom the
    query names has said by ``1 + w_speaker``. ``w_alone`` is what a memory of no conversation adds of its own score,
    where others belong to one: it says by itself what a conversation says over several turns. ``w_asks`` (0.0 to
    1.0) is what a turn loses that asks, as it tells little by itself.

    **Chains** (0.0 to 10.0). ``w_chain`` is what a fact adds, against the best text score, at the end of a chain of
    facts whose relations the query names (``karte.domain.chains``); a part of the graph, and off where that is.

    **Time.** ``w_time`` (0.0 to 10.0) is what a memory adds of its relevance that was said or began on the very day
    that the query names; less for a month, a year, and farther away (formula in ``karte.domain.near_time``).

    **Factors** (0.0 to 1.0). ``w_recency`` is how much of a score hangs on how well the memory is retained
    (Ebbinghaus): times ``(1 - w_recency) + w_recency * retrievability``; ``w_trust`` likewise with ``origin_trust``,
    and 0.0 switches off every effect of trust on the order. ``w_importance`` multiplies by ``1 - w_importance`` (for
    an importance of 0) to ``1 + w_importance`` (10).

    **Seeds.** ``graph_embed_seed`` lets the graph also start from the ``graph_embed_seed_top_k`` (1 to 100) entities
    whose names mean most nearly what the query says; it needs an embedder.

    Raises ``InvalidInput`` naming the weight that is not a number within its range.
    """

    w_kind: float = 0.4
    w_structure: float = 1.0
    w_previous: float = 0.4
    w_next: float = 0.25
    w_second_previous: float = 0.25
    w_second_next: float = 0.15
    w_question: float = 0.7
    w_session: float = 0.5
    w_alone: float = 0.25
    w_speaker: float = 0.7
    w_asks: float = 0.15
    w_time: float = 1.0
    w_graph: float = 2.0
    w_chain: float = 5.0
    w_vector: float = 0.3
    w_recency: float = 0.02
    w_importance: float = 0.02
    w_trust: float = 0.10
    graph_embed_seed: bool = False
    graph_embed_seed_top_k: int = 5

    def __post_init__(self) -> None:
        for field in fields(self):
            if field.name.startswith("w_"):
                most = 1.0 if field.name in _FACTORS else 10.0
                object.__setattr__(self, field.name, checked_number(getattr(self, field.name), field.name, 0.0, most))
        if not isinstance(self.graph_embed_seed, bool):
            raise InvalidInput(
                "neither on nor off", field="graph_embed_seed", value=self.graph_embed_seed, remedy="give True or False"
            )
        seeds: object = self.graph_embed_seed_top_k
        if isinstance(seeds, bool) or not isinstance(seeds, int) or not 1 <= seeds <= MOST_SEEDS:
            raise InvalidInput(
                "not a number of entities",
                field="graph_embed_seed_top_k",
                value=seeds,
                remedy=f"give 1 to {MOST_SEEDS}",
            )


_FACTORS: Final = frozenset({"w_recency", "w_importance", "w_trust", "w_asks"})


def checked_weights(weights: object) -> RetrievalWeights:
    """The weights given, or the defaults for None."""
    if weights is None:
        return RetrievalWeights()
    if not isinstance(weights, RetrievalWeights):
        raise InvalidInput("not weights", field="weights", value=weights, remedy="give karte.RetrievalWeights(...)")
    return weights
