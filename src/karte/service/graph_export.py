"""The graph of an agent's facts as data, for a page or a file."""

from __future__ import annotations

from karte.domain.drafts import checked_name
from karte.domain.entities import canonical_name, normalise
from karte.domain.graph_export import MOST_EDGES, GraphEdge, GraphExport, joined
from karte.service.recall import checked_limit
from karte.service.services import Services
from karte.service.transactions import reading


def export_graph(
    services: Services, agent: str, limit: int = 1_000, *, include_quarantined: bool = False
) -> GraphExport:
    """At most ``limit`` facts that hold now, the newest first, with the entities that they join."""
    most = checked_limit(limit, MOST_EDGES)
    name = checked_name(agent, "agent")
    with reading(services) as session:
        rows = session.graph.edges(name, session.now, most + 1, with_held=include_quarantined)
        resolve = session.names.resolve(name)
        aliases = session.names.listed(name)
    edges = [
        GraphEdge(
            subject=canonical_name(subject, resolve),
            predicate=predicate,
            object=canonical_name(value, resolve),
            memory_id=id,
            trust=trust,
            quarantined=bool(held),
        )
        for subject, predicate, value, id, trust, held in rows[:most]
    ]
    others: dict[str, list[str]] = {}
    for each in aliases:
        others.setdefault(normalise(each.canonical), []).append(each.alias)
    return joined(edges, others, truncated=len(rows) > most)
