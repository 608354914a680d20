"""What a search ranks: candidates by their words, with what neighbourhood, graph and vectors say of them.

Every path gives only memories that pass the filters, before any of them is counted. The number of statements is the
same whatever is found, but for the rows themselves, which are read as far as the order asks for them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from heapq import nsmallest
from itertools import islice
from math import nextafter
from typing import TYPE_CHECKING, Any, Final

from karte.domain.chains import ahead
from karte.domain.fusion import (
    FAR,
    FAR_ABOVE,
    Candidate,
    Relevance,
    candidate_of,
    direct,
    fair_texts,
    scaled,
    sharpened,
    tempered,
    with_kinds,
)
from karte.domain.json import has_metadata
from karte.domain.near_time import Period, days_asked, nearness, periods_asked
from karte.domain.ranking import Found, masses_of
from karte.domain.stored import Filters, StoredMemory
from karte.domain.structure import with_neighbours
from karte.domain.text import TextQuery, tokens_to_count
from karte.domain.text.scripts import is_lone_word
from karte.domain.trust import UNVERIFIED_UP_TO
from karte.service.graph import Walked
from karte.service.services import Services
from karte.service.vectors import NewNames
from karte.storage.protocol import Session

if TYPE_CHECKING:
    from karte.embedding.vectors import Vectors

POOL: Final = 100
"""So many candidates by words are looked at together, however many hits are wanted; more made the first ten worse.

What the words find beyond them keeps their order behind, so that who asks for more hits gets the same first ones.
"""
LOOKED_AT_FIRST: Final = 30
"""So many more than are wanted, where none of them belongs to a conversation."""
AT_ONCE: Final = 10
"""The rows of so many more than are wanted are read first, for what trust moves; the others, if the order asks."""


@dataclass(slots=True, kw_only=True)
class Gathering:
    """The candidates of one search.

    ``query`` is what was asked, ``asked`` what of it the index is asked for, ``things`` what else: the things of a kind
    that it names.
    """

    services: Services
    session: Session
    query: str
    asked: TextQuery
    things: TextQuery
    filters: Filters
    wanted: Mapping[str, Any]
    limit: int
    relevance: dict[int, Relevance] = field(default_factory=dict)
    """What each candidate that was looked at is worth, by ordinal."""

    meaning: Vectors | None = None
    """The vector of the query, where an embedder gave one."""
    walked: Walked | None = None
    of_trusted: Gathering | None = None
    """The same search among what is trusted, where it was made."""
    new_names: NewNames | None = None
    """Vectors of entities that the search computed, to be kept once its snapshot is closed."""

    def found(self) -> Iterator[Found]:
        """The memories with their relevance, best first."""
        self.walked = self._walk()
        pool, rows = self._pool()
        candidates, texts = self._with_things(pool)
        order = self._ordered(candidates, texts)
        first = self.limit + AT_ONCE
        for part in (order[:first], order[first:]):
            for memory in self._rows(part, rows):
                yield memory, self.relevance[memory.ordinal].total
        if len(pool) >= self._few:
            yield from self._behind(frozenset(order))

    def most_trust(self) -> float:
        """More than this none is trusted."""
        return self.session.index.most_trust(self.filters.agent_id)

    def trusted(self) -> Iterator[Found]:
        """Those that are trusted more than any unverified origin can be."""
        if self.most_trust() <= UNVERIFIED_UP_TO:
            return iter(())
        least = max(self.filters.min_trust, nextafter(UNVERIFIED_UP_TO, 1.0))
        self.of_trusted = replace(self, filters=replace(self.filters, min_trust=least), relevance={})
        return self.of_trusted.found()

    def that_found(self, ordinal: int, total: float) -> Gathering:
        """Where a hit of this relevance comes from: here, or from what is trusted."""
        mine, other = self.relevance.get(ordinal), self.of_trusted
        is_mine = mine is not None and mine.total == total
        return self if is_mine or other is None or ordinal not in other.relevance else other

    def masses(self) -> dict[str, float]:
        """The idf of each word of the query."""
        index = self.session.index
        return masses_of(self.asked, index.holders(tokens_to_count(self.asked)), index.rows())

    @property
    def _reach(self) -> int:
        """So many are taken of what the graph, vectors, neighbours and days bring."""
        return max(POOL, 2 * self.limit)

    @property
    def _few(self) -> int:
        return min(POOL, self.limit + LOOKED_AT_FIRST)

    def _pool(self) -> tuple[list[Candidate], dict[int, StoredMemory]]:
        """The candidates by words; for an earlier belief also their rows as they were believed."""
        if self.filters.known_at is None:
            most = POOL if self._has_walked or self.session.index.has_turns() else self._few
            found = iter(self._with_metadata(self.session.index.candidates(self.asked, self.filters, most)))
            pool = list(islice(found, self._few))
            # Neighbours are worth looking further for, and what the graph found may hold words of the query as well.
            if any(each.session is not None for each in pool) or self._has_walked:
                pool += islice(found, POOL - self._few)
            return pool, {}
        believed = list(islice(self._by_words(), POOL))
        turns = {each.ordinal: each for each in self.session.turns.said(memory.ordinal for memory, _ in believed)}
        pool = [candidate_of(memory, text, turns.get(memory.ordinal)) for memory, text in believed]
        return pool, {memory.ordinal: memory for memory, _ in believed}

    def _with_things(self, pool: Sequence[Candidate]) -> tuple[dict[int, Candidate], dict[int, float]]:
        """The pool by ordinal, with what holds things of a kind that the query names, and their text scores."""
        there = {each.ordinal: each for each in pool}
        texts = fair_texts(pool)
        if not self.things.terms:
            return there, texts
        found = self._with_metadata(self.session.index.candidates(self.things, self.filters, POOL))
        of_kind = list(islice(found, POOL))
        there |= {each.ordinal: each for each in of_kind}
        return there, with_kinds(texts, fair_texts(of_kind), self.services.weights.w_kind)

    def _rows(self, ordinals: Sequence[int], believed: Mapping[int, StoredMemory]) -> list[StoredMemory]:
        if believed:
            return [believed[ordinal] for ordinal in ordinals]
        return self.session.index.rows_of(ordinals) if ordinals else []

    def _ordered(self, candidates: dict[int, Candidate], texts: Mapping[int, float]) -> list[int]:
        """The ordinals of the best, by relevance; what they are worth is noted."""
        weights = self.services.weights
        best = max(texts.values(), default=0.0) or 1.0
        text = sharpened(texts, best)
        vector = self._vector(candidates, best)
        near = self._beside(vector.keys() - candidates.keys())
        nearest = self._greatest(vector, POOL)
        lending = [*candidates.values(), *(each for ordinal, each in near.items() if ordinal in nearest)]
        structure = self._structure(lending, text, vector)
        candidates |= near
        graph = self._graph(best)
        periods = self._periods()
        then = self._said_then(periods)
        candidates = {each.ordinal: each for each in then} | candidates
        text = sharpened(fair_texts(then), best) | text
        worth = {
            ordinal: Relevance(
                text.get(ordinal, 0.0),
                vector.get(ordinal, 0.0),
                graph.get(ordinal, 0.0),
                structure.get(ordinal, 0.0),
            )
            for ordinal in candidates.keys() | structure.keys() | graph.keys()
        }
        worth |= self._near(periods, worth, best)
        worth |= self._ahead(worth)
        worth |= self._direct(worth)
        others = {ordinal: each.total for ordinal, each in worth.items() if ordinal not in candidates}
        candidates |= self._beside(self._greatest(others))
        now = self.session.now
        tempering = {ordinal: tempered(each, worth[ordinal], weights, now) for ordinal, each in candidates.items()}
        self.relevance |= tempering
        return [ordinal for _, ordinal in sorted((-each.total, ordinal) for ordinal, each in tempering.items())]

    def _beside(self, ordinals: Collection[int]) -> dict[int, Candidate]:
        """Those of the rows that pass the filters; what an earlier belief holds beside its hits is not looked for."""
        if not ordinals or self.filters.known_at is not None:
            return {}
        return {each.ordinal: each for each in self._with_metadata(self.session.index.these(ordinals, self.filters))}

    def _structure(
        self, candidates: Collection[Candidate], text: Mapping[int, float], vector: Mapping[int, float]
    ) -> dict[int, float]:
        spoken = [each.ordinal for each in candidates if each.session is not None]
        if not spoken or self.services.weights.w_structure == 0.0:
            return {}
        around = self.session.turns.around(spoken)
        there = {each.ordinal for each in candidates}
        beside = {other for others in around.values() for other in others if other is not None} - there
        said = [each.said(text.get(each.ordinal, 0.0) + vector.get(each.ordinal, 0.0)) for each in candidates]
        return with_neighbours(said, self.session.turns.said(beside), around, self.services.weights, self.query)

    def _periods(self) -> tuple[Period, ...]:
        """The days, months and years that the query names, seen from the instant that is asked about."""
        if self.services.weights.w_time == 0.0:
            return ()
        return periods_asked(self.query, self.filters.valid_at or self.session.now)

    def _said_then(self, periods: Sequence[Period]) -> list[Candidate]:
        """What was said on the days that the query names, with its words or without; the newest of it."""
        days = days_asked(periods)
        if not days or self.filters.known_at is not None:
            return []
        return [*self._with_metadata(self.session.index.said_on(days, self.asked, self.filters, self._reach))]

    def _near(self, periods: Sequence[Period], worth: Mapping[int, Relevance], best: float) -> dict[int, Relevance]:
        """The same with what the time adds that the query names; it is a part of the structure."""
        if not periods:
            return {}
        weight = self.services.weights.w_time
        nearer = {}
        for ordinal, times in self.session.index.times_of(worth).items():
            before = worth[ordinal]
            more = weight * nearness(periods, times, before.total, best)
            nearer[ordinal] = before._replace(structure=before.structure + more)
        return nearer

    def _walk(self) -> Walked | None:
        weights = self.services.weights
        if weights.w_graph == 0.0 or not self.asked.terms or is_lone_word(self.query):
            return None
        return self.services.graphs.walk(
            self.session,
            self.filters,
            self.query,
            by_trust=weights.w_trust > 0.0,
            by_chain=weights.w_chain > 0.0,
            most=None if self._is_narrow() else self._reach,
            more=self._near_entities(),
        )

    @property
    def _has_walked(self) -> bool:
        return self.walked is not None and bool(self.walked.reached.masses or self.walked.chained)

    def _is_narrow(self) -> bool:
        return not _is_broad(self.filters) or bool(self.wanted)

    def _graph(self, best: float) -> dict[int, float]:
        if self.walked is None:
            return {}
        weights, found = self.services.weights, self.walked.reached
        masses = self._passing(found.masses) if self._is_narrow() else found.masses
        near = scaled(masses, weights.w_graph * best * found.specificity, FAR)
        for ordinal, end in self.walked.chained.items():
            near[ordinal] = near.get(ordinal, 0.0) + weights.w_chain * best * end.worth
        return near

    def _ahead(self, worth: Mapping[int, Relevance]) -> dict[int, Relevance]:
        """The ends of the longest chains, where something that answers a part would come before them."""
        if self.walked is None:
            return {}
        totals = {ordinal: worth[ordinal].total for ordinal in self.walked.chained}
        more = ahead(self.walked.chained, totals)
        return {each: worth[each]._replace(graph=worth[each].graph + value) for each, value in more.items()}

    def _direct(self, worth: Mapping[int, Relevance]) -> dict[int, Relevance]:
        """What holds every word of the query, where something that the graph brought on a part would come before it."""
        if self.walked is None or not self._has_walked:
            return {}
        holding = self.session.index.holding_all(self.asked, worth)
        whole = {ordinal for ordinal, end in self.walked.chained.items() if end.is_whole}
        more = direct(worth, set(holding), whole)
        return {each: worth[each]._replace(text=worth[each].text + value) for each, value in more.items()}

    def _near_entities(self) -> dict[str, float]:
        """Further seeds, where they are wanted: the entities whose names mean most nearly what is asked."""
        weights, vectors = self.services.weights, self.services.vectors
        if not weights.graph_embed_seed or vectors is None or self.meaning is None or not self.filters.is_now:
            return {}
        names = self.services.graphs.current(self.session, self.filters.agent_id).entities
        near, self.new_names = vectors.nearest_entities(
            self.session, self.filters.agent_id, self.meaning, names, weights.graph_embed_seed_top_k
        )
        return dict.fromkeys(near, 1.0)

    def _vector(self, there: Collection[int], best: float) -> dict[int, float]:
        vectors, weight = self.services.vectors, self.services.weights.w_vector
        is_asked = self.meaning is not None and self.asked.terms and weight > 0.0
        if vectors is None or self.meaning is None or not is_asked or self.filters.known_at is not None:
            return {}
        for most in (2 * self._reach, None):  # all of them, where too few of the nearest pass the filters
            near = vectors.near(self.session, self.filters.agent_id, self.meaning, most, there)
            passing = self._passing(near)
            if len(passing) >= self._reach or len(near) < 2 * self._reach:
                break
        passing |= {each: near[each] for each in there if each in near}
        return {ordinal: weight * best * above / FAR_ABOVE for ordinal, above in passing.items()}

    def _passing(self, values: Mapping[int, float]) -> dict[int, float]:
        """The greatest of them, as many as the pool holds, of memories that pass the filters."""
        there = self._with_metadata(self.session.index.these(values, self.filters))
        return self._greatest({each.ordinal: values[each.ordinal] for each in there})

    def _greatest(self, values: Mapping[int, float], most: int | None = None) -> dict[int, float]:
        return dict(nsmallest(most or self._reach, values.items(), key=lambda item: (-item[1], item[0])))

    def _by_words(self) -> Iterator[Found]:
        found = self.session.index.found(self.asked, self.filters)
        return (each for each in found if has_metadata(each[0].metadata, self.wanted)) if self.wanted else found

    def _behind(self, seen: frozenset[int]) -> Iterator[Found]:
        """What the words find beyond the pool, in the order of the words; none of it is worth more than the pool."""
        least = min((self.relevance[ordinal].total for ordinal in seen), default=0.0)
        for memory, text in self._by_words():
            if memory.ordinal not in seen:
                worth = min(text, least)
                self.relevance[memory.ordinal] = Relevance(text=worth)
                yield memory, worth

    def _with_metadata(self, candidates: Iterable[Candidate]) -> Iterable[Candidate]:
        if not self.wanted:
            return candidates
        return (each for each in candidates if has_metadata(each.metadata, self.wanted))


def _is_broad(filters: Filters) -> bool:
    return filters.layer is None and not filters.tags and filters.min_trust == 0.0
