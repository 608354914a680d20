"""What was derived from a memory that no longer stands: its trust is cut, and it yields to all else."""

from __future__ import annotations

from karte.domain.trust import CUT_TRUST
from karte.service.planning import Fact
from karte.storage.protocol import Session


def cut_derived(session: Session, agent: str, ids: list[str]) -> set[Fact]:
    """Cuts everything derived from these rows over any number of steps; gives the facts touched."""
    touched: set[Fact] = set()
    for id in session.memories.derived_from(ids):
        placed = session.facts.placed(agent, id)
        if placed is not None:
            order, identity = placed
            session.facts.cut(order)
            touched.add(Fact(agent, identity))
            continue
        plain = session.memories.get(agent, id)
        if plain is not None and plain.origin_trust > CUT_TRUST:
            session.memories.cut_trust(id, CUT_TRUST, now=session.now)
    return touched
