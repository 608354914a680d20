"""Chains of facts from the entities that a query names, read from the graph and the rows of its memories."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from karte.domain.chains import MOST_JOINED, Link, chained
from karte.domain.graph import Graph
from karte.domain.linking import about, tokens_of
from karte.domain.relations import slots_of
from karte.storage.protocol import Session


def chains(
    session: Session, agent: str, graph: Graph, seeds: Iterable[str], query: str, *, by_trust: bool
) -> dict[int, float]:
    """What each fact is worth at the end of a chain of relations that the query names, by ordinal.

    ``by_trust`` False takes every memory as trusted.
    """
    named = sorted(seeds)
    slots = slots_of(query, {token for name in named for token in tokens_of(name)}) if named else ()
    resolve = session.names.resolve(agent)

    def joined(names: Collection[str]) -> Iterator[Link]:
        known = graph.numbers(sorted(names))
        degrees = graph.degrees(list(known.values()))
        few = [name for name, degree in zip(known, degrees, strict=True) if degree <= MOST_JOINED]
        for row in session.graph.related(agent, graph.memories_with(few), session.now) if few else ():
            if row.predicate and row.holds_at(session.now):
                yield Link(row.ordinal, row.predicate, row.trust if by_trust else 1.0, about(row, resolve))

    return chained(named, slots, joined)
