"""How memories fade: what is left of one after a time unseen, and which of them a decay puts away.

**Retrievability.** The chance that a memory is still at hand falls with the time since it was last seen,

    R = exp(-t / S)                       (Ebbinghaus, 1885, "Über das Gedächtnis", the forgetting curve)

with t in days and the stability S in days. S grows with what it mattered and with how often it was called up, the
latter ever more slowly (Cepeda, Pashler, Vul, Wixted and Rohrer, 2006, "Distributed practice in verbal recall
tasks", the spacing effect):

    S = STABILITY_DAYS * 2 ** ((importance - 5) / 2.5) * sqrt(1 + access_count)

Importance is 0 to 10 and counts as 5 where nobody said, so that S runs from a quarter of ``STABILITY_DAYS`` to four
times as much. What lies outside its range (an older file's) counts as the nearest bound; R is within 0.0 to 1.0.

**What may fade.** Plain memories, and rows with a subject but no predicate. Never facts, whose end is said and not
guessed; never rules (the layer ``procedural``); never the word of a curated origin; never a row that is held or was
taken back, whose place in its history is needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from math import exp, exp2, sqrt
from typing import Final

from karte.domain.stored import StoredMemory
from karte.domain.trust import CLASSES, Authority, class_of

STABILITY_DAYS: Final = 60.0
"""After so long unseen a memory of middling importance that nobody ever asked for is at 1/e."""
LAYER_OF_RULES: Final = "procedural"
_SECS_A_DAY: Final = 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class DecayRule:
    """What has faded: a retrievability under ``below``, unseen for ``after_days``, no more important than that."""

    below: float = 0.05
    after_days: float = 90.0
    up_to_importance: float = 5.0


def stability(importance: float, access_count: int) -> float:
    """The days after which a memory unseen is at 1/e; always above 0."""
    weight = min(10.0, max(0.0, importance))
    return STABILITY_DAYS * exp2((weight - 5.0) / 2.5) * sqrt(1 + max(0, access_count))


def retrievability(importance: float, access_count: int, last_seen_days: float) -> float:
    """How far a memory is still at hand, 1.0 (just seen) to 0.0; a time ahead of now counts as now."""
    return 1.0 if last_seen_days <= 0.0 else exp(-last_seen_days / stability(importance, access_count))


def days_between(earlier: str, later: str) -> float:
    """The days from one written instant to another; 0.0 where one of them cannot be read (an older file's)."""
    try:
        return (datetime.fromisoformat(later) - datetime.fromisoformat(earlier)).total_seconds() / _SECS_A_DAY
    except (TypeError, ValueError):
        return 0.0


def seen_at(memory: StoredMemory) -> str:
    """When a memory was last seen: read, else observed or written down, whichever came last."""
    return max(memory.timestamp, memory.last_accessed or "", memory.ingested_at or "")


def retrievability_of(memory: StoredMemory, now: str) -> float:
    """``retrievability`` of a stored row at an instant."""
    return retrievability(memory.importance, memory.access_count, days_between(seen_at(memory), now))


def may_decay(memory: StoredMemory) -> bool:
    """Whether a row is of a kind that fades at all."""
    is_fact = memory.identity is not None or memory.assertion is not None or bool(memory.subject and memory.predicate)
    is_curated = CLASSES[class_of(memory.origin)].authority is Authority.CURATED
    return memory.is_live and not is_fact and not is_curated and memory.layer != LAYER_OF_RULES


def has_faded(memory: StoredMemory, now: str, rule: DecayRule) -> bool:
    """Whether a decay puts the row away."""
    return (
        may_decay(memory)
        and memory.importance <= rule.up_to_importance
        and days_between(seen_at(memory), now) >= rule.after_days
        and retrievability_of(memory, now) < rule.below
    )
