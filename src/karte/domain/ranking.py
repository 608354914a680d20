"""The order of hits by trust: who may lead, what is said twice, and how much one source may say.

**Factor.** A candidate of text score s and trust t scores ``s * ((1 - w) + w * t)`` with w = ``w_trust``. As no factor
exceeds that of the greatest trust T there is, no candidate whose text score times ``(1 - w) + w * T`` is at most the
k-th best score can enter the best k: reading in the order of text scores may stop there, and with t = T throughout it
stops after k (Fagin, Lotem and Naor, 2003, "threshold algorithm").

The rest happens only where an *unverified* hit is among the best; a row of trust 1.0 never is one, whatever its class.

**Curated first.** When the best hit is unverified, the best curated hit that holds at least ``COVERED`` of the idf mass
of the query's words that the leader holds goes before it: one move, so that the list stays an order.

**Restatements.** What one origin says again word for word is one hit, with a count.

**Folding.** An unverified hit that says much the same as one already listed is counted there instead of listed. With
Q the query's words that a hit holds, each weighing its idf, and R its other content words, each weighing 1, two hits
share (Dice, 1945)

    2 (idf(Qa & Qb) + |Ra & Rb|) / (idf(Qa) + |Ra| + idf(Qb) + |Rb|)

of what they say, and from ``FOLDED`` on they say the same. What is asked for weighs more than what is said beside it:
paraphrases of one answer share the rare words of the question, and turns of a conversation share common ones.

**Share.** Of n places one unverified origin has at most ``SHARE n``, of fewer than ``WHOLE_SHARE_FROM`` only that
times ``(n / WHOLE_SHARE_FROM)^2`` (the shorter a list, the more a reader hangs on each hit), but one always; what it
has beyond goes behind what others have to say. Looked at are the ``LOOK_AROUND`` next best, then, so that no flood
hides it, whatever is trusted more than any unverified origin can be.

The thresholds are measured (docs/search.md): with an attacker's paraphrases of wrong answers, and what it costs on
conversations where every second speaker is an unverified origin.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import chain, count, islice
from math import fsum
from typing import Final, Protocol

from karte.domain.entities import normalise
from karte.domain.stored import StoredMemory
from karte.domain.text import TextQuery, content_tokens, index_text, matched_words, rarities, without_absent
from karte.domain.trust import Authority, authority_of
from karte.domain.weights import RetrievalWeights

COVERED: Final = 0.3
FOLDED: Final = 0.7
SHARE: Final = 0.8
WHOLE_SHARE_FROM: Final = 10
LOOK_AROUND: Final = 30
LOOK_AHEAD: Final = 1_000
"""So many candidates beyond the k-th are read at most for a factor that might bring one of them in."""
MOST_COMPARED: Final = 50
"""So many curated candidates are compared with the leader at most."""
MOST_BESIDE: Final = 50
"""A hit is compared with so many of those listed last; what says the same scores much the same."""

CURATED_FIRST: Final = "curated first"
BEHIND_CURATED: Final = "behind curated"
OVER_SHARE: Final = "over its origin's share"

Found = tuple[StoredMemory, float]
"""A candidate and its relevance (``karte.domain.fusion``)."""


class Index(Protocol):
    """What the order needs of the index; masses and trusted only where an unverified hit is among the best."""

    def most_trust(self) -> float:
        """More than this no candidate is trusted."""

    def masses(self) -> Mapping[str, float]:
        """The idf of each word of the query, by the word as ``matched_words`` gives it."""

    def trusted(self) -> Iterator[Found]:
        """The candidates that are trusted more than any unverified origin can be, by text score."""


@dataclass(slots=True, eq=False)
class Ranked:
    """A hit at its place: its score is ``text * trust``; what was folded into it, and how it moved."""

    memory: StoredMemory
    text: float
    trust: float = 1.0
    folded: list[str] = field(default_factory=list)
    moves: tuple[str, ...] = ()

    @property
    def score(self) -> float:
        """The text score, tempered by trust."""
        return self.text * self.trust


def trust_factor(w_trust: float, trust: float) -> float:
    """``(1 - w_trust) + w_trust * trust``: exactly 1.0 for a trust of 1.0."""
    return 1.0 if trust >= 1.0 else (1.0 - w_trust) + w_trust * max(0.0, trust)


def is_unverified(memory: StoredMemory) -> bool:
    """Whether nobody vouches for the memory's origin; never for a row of trust 1.0."""
    trust = memory.origin_trust
    return trust < 1.0 and authority_of(memory.origin, trust) is Authority.UNVERIFIED


def is_curated(memory: StoredMemory) -> bool:
    """Whether the memory comes from a curated origin and is trusted as one."""
    return authority_of(memory.origin, memory.origin_trust) is Authority.CURATED


def share_of(places: int) -> int:
    """How many of so many places one unverified origin may have where others answer too."""
    return max(1, int(SHARE * places * min(1.0, places / WHOLE_SHARE_FROM) ** 2))


def text_of(memory: StoredMemory) -> str:
    """The folded form of what the memory says and of the parts of its fact."""
    parts = (memory.content, memory.subject, memory.predicate, memory.object)
    return index_text("\n".join(part for part in parts if part))


def masses_of(query: TextQuery, holders: Mapping[str, int], rows: int) -> dict[str, float]:
    """The idf of each word of the query; ``holders`` as for ``rarities``. A word that is nowhere has none."""
    present = without_absent(query, holders)
    weights = rarities(present, holders, rows)
    return {term.word: max(each) for term, each in zip(present.terms, weights, strict=True)}


def rank(found: Iterable[Found], limit: int, weights: RetrievalWeights, query: TextQuery, index: Index) -> list[Ranked]:
    """The first ``limit`` hits of candidates that come in the order of their text scores."""
    if weights.w_trust == 0.0:
        return list(islice(without_restatements(Ranked(memory, text) for memory, text in found), limit))
    by_trust = by_score(islice(found, limit + LOOK_AHEAD), weights.w_trust, index.most_trust())
    ordered = without_restatements(by_trust)
    best = list(islice(ordered, limit))
    if not any(is_unverified(hit.memory) for hit in best):
        return best
    return _Listing(best, ordered, weights, query, index).made()


def by_score(found: Iterable[Found], w_trust: float, most_trust: float = 1.0) -> Iterator[Ranked]:
    """The candidates by score, earlier ones first among equals; reads no more of them than it must.

    ``most_trust`` is the trust that none of them exceeds.
    """
    best_factor = trust_factor(w_trust, most_trust)
    waiting: list[tuple[float, int, Ranked]] = []
    for place, (memory, text) in enumerate(found):
        hit = Ranked(memory, text, trust_factor(w_trust, memory.origin_trust))
        heappush(waiting, (-hit.score, place, hit))
        while waiting and -waiting[0][0] >= text * best_factor:  # nothing that comes later scores more
            yield heappop(waiting)[2]
    while waiting:
        yield heappop(waiting)[2]


def without_restatements(hits: Iterable[Ranked]) -> Iterator[Ranked]:
    """The hits without those that say again, word for word and from the same origin, what one before them says.

    They are counted there. Rows of one fact are one saying only if they are of the same fact and value.
    """
    said: dict[tuple[str | None, str | None, str], Ranked] = {}
    for hit in hits:
        memory = hit.memory
        first = said.setdefault((memory.origin, memory.identity, normalise(memory.content)), hit)
        if first is hit or memory.valid_until != first.memory.valid_until:
            yield hit
        else:
            first.folded.append(memory.id)


class _Gist:
    """What a hit says: the query's words that it holds, its other content words, and what each of them weighs."""

    __slots__ = ("_folded", "_others", "asked", "mass")

    def __init__(self, memory: StoredMemory, query: TextQuery, masses: Mapping[str, float]) -> None:
        self._folded = text_of(memory)
        self._others: frozenset[str] | None = None
        self.asked = frozenset(word for word in matched_words(query, self._folded) if word in masses)
        self.mass = _mass(self.asked, masses)

    def others(self, known: frozenset[str]) -> frozenset[str]:
        """Its content words but for the tokens of the query."""
        if self._others is None:
            self._others = content_tokens(self._folded) - known
        return self._others


def _trusted(index: Index) -> Iterator[Found]:
    yield from index.trusted()  # asked for when the first is


def _mass(words: Iterable[str], masses: Mapping[str, float]) -> float:
    return fsum(masses[word] for word in words)  # exact: a set has another order in another process


class _Listing:
    """One list of hits in the making, from the best few by score and the ``rest`` behind them."""

    def __init__(
        self, best: list[Ranked], rest: Iterator[Ranked], weights: RetrievalWeights, query: TextQuery, index: Index
    ) -> None:
        self._read = best
        self._rest = rest
        self._query = query
        self._masses = index.masses()
        self._trusted = (
            Ranked(memory, text, trust_factor(weights.w_trust, memory.origin_trust)) for memory, text in _trusted(index)
        )
        self._behind: list[Ranked] = []
        self._known = frozenset(token for form in query.forms for token in form.tokens)
        self._limit = len(best)
        self._share = share_of(self._limit)
        self._gists: dict[int, _Gist] = {}
        self._held: Counter[str | None] = Counter()
        self._passed_over: list[Ranked] = []
        self._listed: list[Ranked] = []

    def made(self) -> list[Ranked]:
        """The list."""
        leader = self._read[0]
        first = self._curated_before(leader) if is_unverified(leader.memory) else None
        if first is not None:
            first.moves, leader.moves = (CURATED_FIRST,), (BEHIND_CURATED,)
            self._listed.append(first)
        self._fill(hit for hit in self._near_and_behind() if hit is not first)
        there = {hit.memory.ordinal for hit in self._listed}
        for hit in chain(self._passed_over, (hit for hit in self._rest if hit.memory.ordinal not in there)):
            if len(self._listed) == self._limit:
                break
            if not self._fold(hit):
                self._listed.append(hit)
        return self._listed

    def _near_and_behind(self) -> Iterator[Ranked]:
        """The best by score, then what is trusted of those behind them; each read when it is first asked for."""
        for place in range(self._limit + LOOK_AROUND):
            if place == len(self._read):
                hit = next(self._rest, None)
                if hit is None:
                    return
                self._read.append(hit)
            yield self._read[place]
        near = {hit.memory.ordinal for hit in self._read}
        for place in count():
            if place == len(self._behind):
                hit = next((hit for hit in self._trusted if hit.memory.ordinal not in near), None)
                if hit is None:
                    return
                self._behind.append(hit)
            yield self._behind[place]

    def _curated_before(self, leader: Ranked) -> Ranked | None:
        """The best curated hit that holds enough of what the leader holds of the query."""
        held = self._gist(leader).asked
        enough = COVERED * _mass(held, self._masses)
        if enough > 0.0:
            curated = (hit for hit in self._near_and_behind() if is_curated(hit.memory))
            for hit in islice(curated, MOST_COMPARED):
                if _mass(held & self._gist(hit).asked, self._masses) >= enough:
                    return hit
        return None

    def _fill(self, hits: Iterable[Ranked]) -> None:
        """Lists hits in their order, but for what folds and what an origin has beyond its share."""
        for hit in hits:
            if len(self._listed) == self._limit:
                return
            if not is_unverified(hit.memory):
                self._listed.append(hit)
            elif not self._fold(hit):
                if self._held[hit.memory.origin] < self._share:
                    self._held[hit.memory.origin] += 1
                    self._listed.append(hit)
                else:
                    hit.moves = (*hit.moves, OVER_SHARE)
                    self._passed_over.append(hit)

    def _fold(self, hit: Ranked) -> bool:
        """Whether a listed hit says much the same, and now counts this one too."""
        if not is_unverified(hit.memory):
            return False
        mine = self._gist(hit)
        for other in self._listed[-MOST_BESIDE:]:
            theirs = self._gist(other)
            words, others = mine.others(self._known), theirs.others(self._known)
            shared = _mass(mine.asked & theirs.asked, self._masses) + len(words & others)
            if 2 * shared >= FOLDED * (mine.mass + len(words) + theirs.mass + len(others)) > 0.0:
                other.folded.append(hit.memory.id)
                return True
        return False

    def _gist(self, hit: Ranked) -> _Gist:
        gist = self._gists.get(hit.memory.ordinal)
        if gist is None:
            gist = self._gists[hit.memory.ordinal] = _Gist(hit.memory, self._query, self._masses)
        return gist
