"""Chains of facts from the entities that a query names, read from the graph and the rows of its memories."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache
from typing import Final

from karte.domain.chains import MOST_JOINED, MOST_STATES, End, Joined, Link, chained
from karte.domain.entities import SEPARATOR, canonical_name
from karte.domain.graph import Graph
from karte.domain.linking import LONGEST_NAME, Linked, possible_names, tokens_of
from karte.domain.relation_slots import Slot, asked_as_objects, slots_of, starts
from karte.domain.relations import relation_of
from karte.domain.stored import Filters
from karte.domain.text.scripts import is_unspaced
from karte.service.graph_building import other_names
from karte.storage.protocol import Session

MOST_PREDICATES: Final = 200
MOST_ASKED: Final = 8
"""Of an entity in very many memories, so many different predicates are looked at, and so many of those followed."""


def chains(
    session: Session, filters: Filters, graph: Graph, seeds: Iterable[str], query: str, *, by_trust: bool
) -> dict[int, End]:
    """The facts at the ends of chains of relations that the query names, by ordinal.

    ``by_trust`` False takes every memory as trusted. No chain goes over what is trusted less than the filters ask, nor
    over what does not hold at their instant.
    """
    named = starts(seeds)
    if not named:
        return {}
    own = {token for name in named for token in tokens_of(name)}
    slots = slots_of(query, own, named)
    ways = [slots]
    if any(slot.made_of for slot in slots):
        ways += [other for other in [slots_of(query, own, named, otherwise=True)] if other != slots]
    found: dict[int, End] = {}
    for way in ways:
        joined = _joined(session, filters, graph, way, by_trust=by_trust)
        for ordinal, end in chained(named, way, joined, asked_as_objects(named, query)).items():
            if ordinal not in found or end.worth > found[ordinal].worth:
                found[ordinal] = end
    return found


def _joined(session: Session, filters: Filters, graph: Graph, slots: Sequence[Slot], *, by_trust: bool) -> Joined:
    """What gives the links of some entities whose predicates the query asks for."""
    agent, resolve = filters.agent_id, session.names.resolve(filters.agent_id)
    at = filters.valid_at or session.now
    now_known = graph if filters.is_now else None  # a graph holds what is true now

    @cache
    def is_asked(predicate: str) -> bool:
        return any(relation_of(predicate).is_asked_by(slots, is_forward=way) for way in (True, False))

    def joined(names: Collection[str]) -> Iterator[Link]:
        for row in _rows(session, agent, now_known, sorted(names), slots, at):
            if not row.predicate or row.trust < filters.min_trust or not is_asked(row.predicate):
                continue
            if row.subject and row.holds_at(at):
                value = canonical_name(row.object, resolve) if row.object and len(row.object) <= LONGEST_NAME else None
                trust = row.trust if by_trust else 1.0
                yield Link(row.ordinal, row.predicate, trust, canonical_name(row.subject, resolve), value)

    return joined


def _rows(
    session: Session, agent: str, graph: Graph | None, names: list[str], slots: Sequence[Slot], at: str
) -> list[Linked]:
    """The facts that join the entities; of one in very many memories, only its own."""
    if graph is None:
        return _rows_then(session, agent, names, slots, at)
    known = graph.numbers(names)
    degrees = graph.degrees(list(known.values()))
    few = [name for name, degree in zip(known, degrees, strict=True) if degree <= MOST_JOINED]
    rows = session.graph.related(agent, graph.memories_with(few), at) if few else []
    for name in known:
        if name not in few:
            rows += _own_rows(session, agent, name, slots, at)
    return rows


def _rows_then(session: Session, agent: str, names: list[str], slots: Sequence[Slot], at: str) -> list[Linked]:
    """The facts of another instant in whose text an entity stands; of one in very many, only its own."""
    called = [*((name, tokens_of(name)) for name in names), *other_names(session, agent, frozenset(names))]
    holding: set[int] = set()
    crowded: dict[str, None] = {}
    for name, tokens in called:
        found = session.graph.holding(tokens, MOST_JOINED + 1) if tokens else []
        if tokens and len(found) <= MOST_JOINED:
            holding.update(found)
        else:
            crowded[name] = None
    rows = session.graph.related(agent, sorted(holding), at) if holding else []
    return rows + [row for name in crowded for row in _own_rows(session, agent, name, slots, at)]


def named_then(session: Session, agent: str, query: str) -> tuple[str, ...]:
    """The entities that a query names and facts are or were about, whatever is known of them today."""
    resolve = session.names.resolve(agent)
    names = dict.fromkeys(canonical_name(name, resolve) for name in possible_names(query))
    found: list[str] = []
    for name in session.graph.subjects(agent, [*names]):
        is_within = (name in longer if is_unspaced(name) else f" {name} " in f" {longer} " for longer in found)
        if not any(is_within):
            found.append(name)
    return tuple(found)


def _own_rows(session: Session, agent: str, name: str, slots: Sequence[Slot], at: str) -> Iterator[Linked]:
    """The facts of which an entity is the subject, as far as they are asked for."""
    prefix = f"{name}{SEPARATOR}"
    predicates = session.graph.predicates_of(agent, prefix, MOST_PREDICATES)
    asked = [each for each in predicates if relation_of(each).is_asked_by(slots)]
    for predicate in asked[:MOST_ASKED]:
        yield from session.graph.facts_of(agent, f"{prefix}{predicate}{SEPARATOR}", MOST_STATES, at)
