"""Chains of facts from the entities that a query names, read from the graph and the rows of its memories."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final

from karte.domain.chains import MOST_JOINED, MOST_STATES, Link, chained
from karte.domain.entities import SEPARATOR, canonical_name
from karte.domain.graph import Graph
from karte.domain.linking import LONGEST_NAME, Linked, tokens_of
from karte.domain.relations import Slot, asked_as_objects, relation_of, slots_of, starts
from karte.domain.stored import Filters
from karte.storage.protocol import Session

MOST_PREDICATES: Final = 200
MOST_ASKED: Final = 8
"""Of an entity in very many memories, so many different predicates are looked at, and so many of those followed."""


def chains(
    session: Session, filters: Filters, graph: Graph, seeds: Iterable[str], query: str, *, by_trust: bool
) -> dict[int, float]:
    """What each fact is worth at the end of a chain of relations that the query names, by ordinal.

    ``by_trust`` False takes every memory as trusted. No chain goes over what is trusted less than the filters ask.
    """
    named = starts(seeds)
    if not named:
        return {}
    agent, resolve = filters.agent_id, session.names.resolve(filters.agent_id)
    slots = slots_of(query, {token for name in named for token in tokens_of(name)})

    def joined(names: Collection[str]) -> Iterator[Link]:
        for row in _rows(session, agent, graph, sorted(names), slots):
            if row.subject and row.predicate and row.trust >= filters.min_trust and row.holds_at(session.now):
                value = canonical_name(row.object, resolve) if row.object and len(row.object) <= LONGEST_NAME else None
                trust = row.trust if by_trust else 1.0
                yield Link(row.ordinal, row.predicate, trust, canonical_name(row.subject, resolve), value)

    return chained(named, slots, joined, asked_as_objects(named, query))


def _rows(session: Session, agent: str, graph: Graph, names: list[str], slots: Sequence[Slot]) -> list[Linked]:
    """The facts that join the entities; of one in very many memories only its own, as far as they are asked for."""
    known = graph.numbers(names)
    degrees = graph.degrees(list(known.values()))
    few = [name for name, degree in zip(known, degrees, strict=True) if degree <= MOST_JOINED]
    rows = session.graph.related(agent, graph.memories_with(few), session.now) if few else []
    for name in known:
        if name not in few:
            prefix = f"{name}{SEPARATOR}"
            predicates = session.graph.predicates_of(agent, prefix, MOST_PREDICATES)
            asked = [each for each in predicates if relation_of(each).taken(slots, 0, is_forward=True).slots]
            for predicate in asked[:MOST_ASKED]:
                rows += session.graph.facts_of(agent, f"{prefix}{predicate}{SEPARATOR}", MOST_STATES, session.now)
    return rows
