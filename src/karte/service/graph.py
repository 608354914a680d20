"""Graphs of agents, kept between queries: one builds, all read, and a small write changes what it touches."""

from __future__ import annotations

import os
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from karte.domain.chains import End
from karte.domain.entities import USER
from karte.domain.graph import NOWHERE, Graph, Node, Reached
from karte.domain.graph_vocabulary import Entry, Vocabulary
from karte.domain.linking import about, bearer, parts_asked, speaks_of_self, tokens_in, tokens_of
from karte.domain.relation_slots import as_written, begins_with_relation
from karte.domain.stored import Filters
from karte.domain.structure import FEWEST_TURNS, is_speaker
from karte.service.chains import chains, named_then
from karte.service.graph_building import build, next_bound, other_names
from karte.storage.protocol import Session

GRAPH_CACHE_MIN_TRIPLES: Final = 500
"""From so many memories on a kept graph is brought up to date after a write; a smaller one is built anew."""
MOST_BEARERS: Final = 200
"""A word in more memories than this is taken for no name."""
IN_PART: Final = 0.3
"""What an entity weighs of which the query says only the first or last name."""
MOST_HEARD: Final = 16
"""Of so many memories of an entity, the newest, it is looked at whether they are what it said."""
MOST_KEPT: Final = 16
"""Agents whose graphs are kept; the one that was asked for longest ago goes first."""
MOST_RENEWED: Final = 2_000
"""When more memories than this change, building anew is as quick."""

_caches: Final[weakref.WeakSet[GraphCache]] = weakref.WeakSet()


@dataclass(frozen=True, slots=True)
class Kept:
    """A graph as of a generation; it holds from ``since`` until ``until``, when a fact of it begins or ends."""

    generation: int
    since: str
    until: str
    graph: Graph
    vocabulary: Vocabulary
    size: int
    """How many joins of a memory with what it is about there are."""

    @property
    def entities(self) -> list[str]:
        """The entities that memories are about, by name."""
        return self.graph.entities


@dataclass(frozen=True, slots=True)
class Walked:
    """Where a walk arrived, in which graph, and from which entities."""

    reached: Reached
    graph: Callable[[], Graph]
    seeds: tuple[str, ...]
    chained: Mapping[int, End]
    """The ends of chains of facts whose relations the query names, by ordinal."""

    def path(self, ordinal: int) -> tuple[str, ...]:
        """The entities on the way to a memory."""
        if ordinal in self.chained:
            return self.chained[ordinal].entities
        return self.graph().path(self.seeds, ordinal) if ordinal in self.reached.masses else ()

    def relations(self, ordinal: int) -> tuple[str, ...]:
        """The predicates that a chain went over to a memory, its own last."""
        return self.chained[ordinal].relations if ordinal in self.chained else ()

    def asked(self, ordinal: int, query: str) -> tuple[str, ...]:
        """The words of the query that the chain took for them."""
        return as_written(self.chained[ordinal].said, query) if ordinal in self.chained else ()


class GraphCache:
    """The graphs of one store, by agent."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Kept] = OrderedDict()
        self._lock = threading.Lock()
        _caches.add(self)

    def walk(
        self,
        session: Session,
        filters: Filters,
        query: str,
        *,
        by_trust: bool,
        by_chain: bool,
        most: int | None,
        more: Mapping[str, float] | None = None,
    ) -> Walked:
        """Where the entities lead that a query names, and ``more``; for another instant only chains are followed."""
        is_asked = filters.is_now or by_chain
        if not is_asked or filters.include_historical or filters.known_at is not None:
            return Walked(NOWHERE, Graph.empty, (), {})
        kept = self.current(session, filters.agent_id)
        named = kept.vocabulary.longest(tokens_in(query))
        is_of_self = not named and (speaks_of_self(query) or begins_with_relation(query))
        if is_of_self and kept.graph.numbers([USER]):
            named = (USER,)
        in_part = () if named else _named_in_part(session, filters.agent_id, kept.graph, query)
        spoke = _speakers(session, filters.agent_id, kept.graph, named) if filters.is_now else frozenset()
        if not filters.is_now:
            named = (*named, *named_then(session, filters.agent_id, query))
        seeds = dict.fromkeys(in_part, IN_PART) | dict.fromkeys(named, 1.0) | dict(more or {})
        start = {name: weight for name, weight in seeds.items() if name not in spoke}
        reached = kept.graph.walk(start, by_trust=by_trust, most=most) if start and filters.is_now else NOWHERE
        reached = reached._replace(specificity=reached.specificity * max(start.values(), default=0.0))
        ends = chains(session, filters, kept.graph, seeds, query, by_trust=by_trust) if by_chain else {}
        return Walked(reached, lambda: kept.graph, tuple(start), ends)

    def current(self, session: Session, agent: str) -> Kept:
        """The agent's graph at the instant of the session."""
        generation = session.graph.generation(agent)
        kept = self._kept.get(agent)
        if kept is not None and _is_current(kept, generation, session.now):
            return kept
        with self._lock:
            kept = self._kept.get(agent)
            if kept is not None and _is_current(kept, generation, session.now):
                return kept
            renewed = None if kept is None else _renewed(session, agent, kept, generation)
            fresh = renewed or built(session, agent, generation)
            self._kept[agent] = fresh
            self._kept.move_to_end(agent)
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
            return fresh

    def forget(self) -> None:
        """Keeps nothing; the next query builds."""
        self._kept.clear()

    def start_over(self) -> None:
        """In a child process: nobody there holds the lock."""
        self._lock = threading.Lock()


def _start_over() -> None:
    for cache in list(_caches):
        cache.start_over()


os.register_at_fork(after_in_child=_start_over)


def _is_current(kept: Kept, generation: int, now: str) -> bool:
    return kept.generation == generation and kept.since <= now < kept.until


def built(session: Session, agent: str, generation: int) -> Kept:
    """The graph of everything that the agent holds now."""
    made = build(session, agent)
    return Kept(generation, session.now, made.until, made.graph, made.vocabulary, made.size)


def _renewed(session: Session, agent: str, kept: Kept, generation: int) -> Kept | None:
    """The kept graph with what has changed since; None where it is to be built anew."""
    now = session.now
    is_small = kept.size < GRAPH_CACHE_MIN_TRIPLES
    if is_small or not kept.since <= now < kept.until:
        return None
    changes = session.graph.changes(agent, kept.generation)
    if changes is None or None in changes or len(changes) > MOST_RENEWED:
        return None
    ordinals = frozenset(ordinal for ordinal in changes if ordinal is not None)
    resolve = session.names.resolve(agent)
    rows = session.graph.these(agent, ordinals, now)
    until = min([kept.until, *(next_bound(row, now) for row in rows)])
    before = kept.graph.about(ordinals)
    after = [name for row in rows if row.holds_at(now) for name in about(row, resolve)]
    gone = [name for name in dict.fromkeys(before) if name not in after and not kept.graph.is_about(name, ordinals)]
    known = kept.graph.numbers(before + after)
    new = _surfaces(session, agent, [name for name in dict.fromkeys(after) if name not in known])
    vocabulary = kept.vocabulary.changed(_surfaces(session, agent, gone), new)
    touched = {*ordinals, *kept.graph.memories_with(gone)}
    for _, tokens in new:
        touched.update(session.graph.holding(tokens) if tokens else ())
    if len(touched) > MOST_RENEWED:
        return None
    graph = kept.graph.changed(touched, _nodes(session, agent, vocabulary, touched))
    return Kept(generation, now, until, graph, vocabulary, kept.size - len(before) + len(after))


def _speakers(session: Session, agent: str, graph: Graph, names: Sequence[str]) -> frozenset[str]:
    """Those of the entities that are some because they speak: their names stand before turns about anything."""
    joined = {name: graph.memories_with([name])[-MOST_HEARD:] for name in names}
    several = {ordinal for ordinals in joined.values() if len(ordinals) >= FEWEST_TURNS for ordinal in ordinals}
    said = {each.ordinal: each for each in session.turns.said(sorted(several))} if several else {}
    if len(said) < FEWEST_TURNS:
        return frozenset()
    around = session.turns.around(sorted(said))
    beside = {other for others in around.values() for other in others if other is not None} - said.keys()
    said |= {each.ordinal: each for each in session.turns.said(sorted(beside))}
    resolve = session.names.resolve(agent)
    return frozenset(
        name for name, ordinals in joined.items() if is_speaker(name, frozenset(ordinals), said, around, resolve)
    )


def _named_in_part(session: Session, agent: str, graph: Graph, query: str) -> tuple[str, ...]:
    """The entities of which a query says a first or last name that only one of them has: "Curie" for Marie Curie.

    Asked only where it names none as a whole: beside a whole name a part of another did more harm than good.
    """
    resolve = session.names.resolve(agent)
    found: dict[str, None] = {}
    for token in parts_asked(query):
        ordinals = session.graph.holding([token], MOST_BEARERS + 1)
        if 0 < len(ordinals) <= MOST_BEARERS:
            rows = session.graph.these(agent, ordinals, session.now)
            name = bearer(token, {name for row in rows for name in about(row, resolve)})
            if name is not None and graph.numbers([name]):
                found[name] = None
    return tuple(found)


def _nodes(session: Session, agent: str, vocabulary: Vocabulary, ordinals: Iterable[int]) -> Iterator[Node]:
    """Some memories with what they are about and what they name, by ordinal."""
    resolve = session.names.resolve(agent)
    for row in session.graph.these(agent, ordinals, session.now):
        if row.holds_at(session.now):
            own = about(row, resolve)
            named = (name for name in vocabulary.named(tokens_in(row.text)) if name not in own)
            yield Node(row.ordinal, row.trust, own, tuple(named))


def _surfaces(session: Session, agent: str, names: Sequence[str]) -> list[Entry]:
    """Names with their tokens, their own and those of their aliases."""
    if not names:
        return []
    return [*((name, tokens_of(name)) for name in names), *other_names(session, agent, frozenset(names))]
