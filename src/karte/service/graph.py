"""Graphs of agents, kept between queries: one builds, all read, and a small write changes what it touches."""

from __future__ import annotations

import os
import threading
import weakref
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from karte.domain.graph import NOWHERE, Graph, Node, Reached, Vocabulary
from karte.domain.linking import Linked, about, tokens_in, tokens_of
from karte.domain.stored import Filters
from karte.storage.protocol import Session

GRAPH_CACHE_MIN_TRIPLES: Final = 500
"""From so many memories on a kept graph is brought up to date after a write; a smaller one is built anew."""
MOST_KEPT: Final = 16
"""Agents whose graphs are kept; the one that was asked for longest ago goes first."""
MOST_RENEWED: Final = 2_000
"""When more memories than this change, building anew is as quick."""
NEVER: Final = "~"

_caches: Final[weakref.WeakSet[GraphCache]] = weakref.WeakSet()


@dataclass(frozen=True, slots=True)
class Kept:
    """A graph as of a generation; it holds from ``since`` until ``until``, when a fact of it begins or ends."""

    generation: int
    since: str
    until: str
    graph: Graph
    vocabulary: Vocabulary
    counts: Counter[str]
    """How many memories are about each entity."""

    @property
    def entities(self) -> list[str]:
        """The entities that memories are about, by name."""
        return sorted(self.counts)

    @property
    def size(self) -> int:
        """How many joins of a memory with what it is about there are."""
        return self.counts.total()


@dataclass(frozen=True, slots=True)
class Walked:
    """Where a walk arrived, in which graph, and from which entities."""

    reached: Reached
    graph: Callable[[], Graph]
    seeds: tuple[str, ...]

    def path(self, ordinal: int) -> tuple[str, ...]:
        """The entities on the way to a memory."""
        return self.graph().path(self.seeds, ordinal) if ordinal in self.reached.masses else ()


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
        most: int | None,
        more: Mapping[str, float] | None = None,
    ) -> Walked:
        """Where the entities lead that a query names, and ``more``; nowhere for another instant than the present."""
        if not filters.is_now or filters.include_historical or filters.known_at is not None:
            return Walked(NOWHERE, Graph.empty, ())
        kept = self.current(session, filters.agent_id)
        seeds = dict.fromkeys(kept.vocabulary.longest(tokens_in(query)), 1.0) | dict(more or {})
        reached = kept.graph.walk(seeds, by_trust=by_trust, most=most) if seeds else NOWHERE
        return Walked(reached, lambda: kept.graph, tuple(seeds))

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
    now = session.now
    resolve = session.names.resolve(agent)
    until = NEVER
    trust: dict[int, float] = {}
    own: dict[int, tuple[str, ...]] = {}
    for row in session.graph.rows(agent, now):
        until = min(until, _next_bound(row, now))
        if row.holds_at(now):
            trust[row.ordinal] = row.trust
            own[row.ordinal] = about(row, resolve)
    counts = Counter(name for names in own.values() for name in names)
    surfaces = [*((name, tokens_of(name)) for name in counts), *_other_names(session, agent, counts)]
    named: dict[int, list[str]] = {}
    for name, tokens in surfaces:
        for ordinal in session.graph.holding(tokens) if tokens else ():
            if ordinal in own and name not in own[ordinal]:
                named.setdefault(ordinal, []).append(name)
    nodes = (Node(ordinal, trust[ordinal], own[ordinal], tuple(named.get(ordinal, ()))) for ordinal in own)
    return Kept(generation, now, until, Graph.of(nodes), Vocabulary(surfaces), counts)


def _renewed(session: Session, agent: str, kept: Kept, generation: int) -> Kept | None:
    """The kept graph with what has changed since; None where it is to be built anew."""
    now = session.now
    is_small = kept.size < GRAPH_CACHE_MIN_TRIPLES
    if is_small or not kept.since <= now < kept.until:
        return None
    changes = session.graph.changes(agent, kept.generation)
    if changes is None or None in changes or len(changes) > MOST_RENEWED:
        return None
    ordinals = [ordinal for ordinal in changes if ordinal is not None]
    resolve = session.names.resolve(agent)
    rows = session.graph.these(agent, ordinals, now)
    until = min([kept.until, *(_next_bound(row, now) for row in rows)])
    before = Counter(kept.graph.about(ordinals))
    after = Counter(name for row in rows if row.holds_at(now) for name in about(row, resolve))
    counts = kept.counts.copy()
    counts.subtract(before)
    counts.update(after)
    gone = [name for name in before if counts[name] <= 0]
    new = [name for name in after if kept.counts[name] <= 0]
    vocabulary = _with_names(session, agent, kept, gone, new)
    touched = {*ordinals, *kept.graph.memories_with(gone)}
    for tokens in (tokens for _, tokens in vocabulary[1] if tokens):
        touched.update(session.graph.holding(tokens))
    if len(touched) > MOST_RENEWED:
        return None
    nodes = []
    for row in session.graph.these(agent, touched, now):
        if row.holds_at(now):
            own = about(row, resolve)
            named = (name for name in vocabulary[0].named(tokens_in(row.text)) if name not in own)
            nodes.append(Node(row.ordinal, row.trust, own, tuple(named)))
    for name in gone:
        del counts[name]
    graph = kept.graph.changed(touched, nodes)
    return Kept(generation, now, until, graph, vocabulary[0], counts)


def _with_names(
    session: Session, agent: str, kept: Kept, gone: Iterable[str], new: Iterable[str]
) -> tuple[Vocabulary, list[tuple[str, tuple[str, ...]]]]:
    """The names known now, and those of them that are new with their tokens."""
    vocabulary = kept.vocabulary.copy()
    lost = dict.fromkeys(gone, 1)
    for name, tokens in (*((name, tokens_of(name)) for name in lost), *_other_names(session, agent, lost)):
        vocabulary.remove(name, tokens)
    fresh = dict.fromkeys(new, 1)
    added = [*((name, tokens_of(name)) for name in fresh), *_other_names(session, agent, fresh)]
    for name, tokens in added:
        vocabulary.add(name, tokens)
    return vocabulary, added


def _other_names(session: Session, agent: str, known: Mapping[str, int]) -> list[tuple[str, tuple[str, ...]]]:
    """The aliases of known entities, as other names of theirs."""
    aliases = session.names.aliases(agent)
    return [(name, tokens_of(alias)) for alias, name in sorted(aliases.items()) if name in known]


def _next_bound(row: Linked, now: str) -> str:
    bounds = [bound for bound in (row.valid_from, row.valid_until) if bound is not None and bound > now]
    return min(bounds, default=NEVER)
