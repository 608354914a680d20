"""Short ways to say facts, for the tests of the guard and of what a curator does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import karte
from tests.conftest import FakeClock

AGENT = "default"
CHANNEL = "channel:telegram:1"


def fact(
    value: str, *, subject: str = "Ada", origin: str = CHANNEL, **meta: Any
) -> tuple[karte.MemoryEntry, karte.TemporalMeta]:
    """One fact about where somebody lives."""
    known = {"subject": subject, "predicate": "lives in", "object": value, "origin": origin, **meta}
    return karte.MemoryEntry(content=f"{subject} lives in {value}"), karte.TemporalMeta(**known)


def say(engine: karte.MemoryEngine, value: str, **how: Any) -> karte.StoreOutcome:
    """Stores one fact."""
    return engine.store_temporal(*fact(value, **how))


def burst(engine: karte.MemoryEngine, *, size: int = 5, **how: Any) -> list[karte.StoreOutcome]:
    """A batch that is held."""
    outcomes = engine.store_many([fact(f"place {n}", **how) for n in range(size)])
    assert {outcome.status for outcome in outcomes} == {"held"}
    return outcomes


def value(engine: karte.MemoryEngine, at: str | None = None, **how: Any) -> str | None:
    """What is believed."""
    found = engine.get_at(AGENT, "Ada", "lives in", at, **how)
    return None if found is None else found.object


def opened(path: Path, clock: FakeClock, **guard: Any) -> karte.SqliteMemoryEngine:
    """An engine with settings of the guard."""
    config = karte.config.Config(knowledge_guard=karte.config.KnowledgeGuardSettings(**guard))
    return karte.SqliteMemoryEngine(path, clock=clock, config=config)
