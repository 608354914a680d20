"""Decay: what has faded goes to the archive, a batch a transaction, and comes back whole when it is restored."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Final

from karte.domain.decay import LAYER_OF_RULES, has_faded
from karte.domain.drafts import checked_name
from karte.domain.life import DecayReport
from karte.domain.time import FIRST_INSTANT, format_instant, to_datetime
from karte.service.services import Services
from karte.service.transactions import reading, writing

BATCH: Final = 500
"""So many rows are looked at in one snapshot, and put away in one transaction at most."""
SHOWN_IDS: Final = 1_000
REASON: Final = "decay"

Progress = Callable[[str, int, int], None]


def decay(
    services: Services, agent: str | None = None, *, dry_run: bool = False, on_progress: Progress | None = None
) -> DecayReport:
    """Puts away what has faded, of one agent or of all; a dry run only says what it would."""
    if agent is not None:
        checked_name(agent, "agent")
    with reading(services) as session:
        agents = [agent] if agent is not None else session.life.agents()
    examined = archived = 0
    shown: list[str] = []
    for each in agents:
        for looked_at, faded in _faded(services, each):
            gone = faded if dry_run else _put_away(services, each, faded)
            examined, archived = examined + looked_at, archived + len(gone)
            shown += gone[: SHOWN_IDS - len(shown)]
            if on_progress is not None:
                on_progress("decay", archived, examined)
    return DecayReport(examined=examined, archived=archived, ids=tuple(shown), dry_run=dry_run)


def _faded(services: Services, agent: str) -> Iterator[tuple[int, list[str]]]:
    """Batch after batch, oldest first: how many rows were looked at, and which of them have faded."""
    after = ("", 0)
    while True:
        with reading(services) as session:
            until = _horizon(session.now, services.decay_rule.after_days)
            most = services.decay_rule.up_to_importance
            page = session.life.old(agent, until, most, LAYER_OF_RULES, after, BATCH)
            ids = [id for id, *_, fades in page if fades]
            stored = session.memories.get_many(agent, ids)
            rows = (services.touches.shown(stored[id]) for id in ids)
            faded = [row.id for row in rows if has_faded(row, session.now, services.decay_rule)]
        if not page:
            return
        after = page[-1][1], page[-1][2]
        yield len(page), faded


def _horizon(now: str, days: float) -> str:
    """The instant so many days ago; what was observed later cannot have faded."""
    try:
        return format_instant(to_datetime(now) - timedelta(days=days))
    except OverflowError:
        return FIRST_INSTANT


def _put_away(services: Services, agent: str, ids: list[str]) -> list[str]:
    """Archives those that have still faded when the transaction has begun."""
    if not ids:
        return []
    gone = []
    with writing(services) as session:
        stored = session.memories.get_many(agent, ids)
        for row in (stored[id] for id in ids if id in stored):
            if has_faded(row, session.now, services.decay_rule):
                session.memories.archive(row, now=session.now, reason=REASON, operation=REASON)
                gone.append(row.id)
    return gone
