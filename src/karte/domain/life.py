"""What the calls about the life of memories answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class DecayReport:
    """What a decay put away, or would: of ``examined`` rows so many; ``ids`` are the first 1,000 of them."""

    examined: int = 0
    archived: int = 0
    ids: tuple[str, ...] = ()
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """How much an agent's memory holds. ``current`` and what is counted by layer, origin and predicate are live.

    ``origins`` and ``predicates`` are the most frequent (20 at most); ``oldest`` and ``newest`` are observation times.
    """

    agent: str
    memories: int = 0
    plain: int = 0
    facts: int = 0
    current: int = 0
    superseded: int = 0
    withdrawn: int = 0
    quarantined: int = 0
    archived: int = 0
    embedded: int = 0
    layers: Mapping[str, int] = field(default_factory=dict)
    origins: Mapping[str, int] = field(default_factory=dict)
    predicates: Mapping[str, int] = field(default_factory=dict)
    aliases: int = 0
    approvals: int = 0
    oldest: datetime | None = None
    newest: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reassignment:
    """What went from one agent to another: rows of each table, and the facts that both had something to say about."""

    old: str
    new: str
    moved: Mapping[str, int] = field(default_factory=dict)
    merged: int = 0
    dry_run: bool = False
