"""How much a memory holds: numbers, in one snapshot."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from karte.domain.drafts import checked_name
from karte.domain.life import Stats
from karte.domain.time import read_stored, to_datetime
from karte.service.services import Services
from karte.service.transactions import reading

MOST_NAMED: Final = 20


def stats(services: Services, agent: str) -> Stats:
    """How much an agent's memory holds; with an embedder only what has a vector of its model is embedded."""
    checked_name(agent, "agent")
    vectors = services.vectors
    model = None if vectors is None else (vectors.embedder.name, vectors.embedder.dimension)
    with reading(services) as session:
        found = session.life.counts(agent, session.now, MOST_NAMED, model)
    oldest, newest = _instant(found.pop("oldest")), _instant(found.pop("newest"))
    return Stats(agent=agent, plain=found["memories"] - found["facts"], oldest=oldest, newest=newest, **found)


def _instant(text: str | None) -> datetime | None:
    written = None if text is None else read_stored(text)
    return None if written is None else to_datetime(written)
