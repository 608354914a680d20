"""What a conversation leaves behind: the turns that are read, and the facts that an extractor finds in them.

A distilled fact is unconfirmed whatever its source: it is trusted ``DISTILLED_TRUST``, has the event
``DISTILL_EVENT``, and comes from the origin of its conversation, ``DEFAULT_ORIGIN`` where none is named.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

DISTILL_EVENT: Final = "conversation_distill"
DISTILLED_TRUST: Final = 0.3
DISTILLED_LAYER: Final = "semantic"
DEFAULT_ORIGIN: Final = "channel"
MOST_FACTS_A_TURN: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class SpokenTurn:
    """What one speaker said once; ``speaker`` is a name or a role, ``time`` when it was said, both if known."""

    text: str
    speaker: str | None = None
    time: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractedFact:
    """A fact that a turn tells. ``turn`` is the turn's place among those that were read, from 0.

    ``valid_from`` and ``valid_until`` are instants or spans as every write takes them (``2026-03-09``, ``2026-03``,
    ``2026``), None where the text does not date the fact. ``is_many``: the predicate has many values at a time.
    """

    content: str
    subject: str
    predicate: str
    object: str | None = None
    valid_from: str | None = None
    valid_until: str | None = None
    is_many: bool = False
    turn: int = 0


def at_most_a_turn(facts: Iterable[ExtractedFact]) -> list[ExtractedFact]:
    """The facts without those beyond ``MOST_FACTS_A_TURN`` of one turn, and without what is said twice."""
    counts: dict[int, int] = {}
    kept: dict[ExtractedFact, None] = {}
    for fact in facts:
        if fact not in kept and counts.get(fact.turn, 0) < MOST_FACTS_A_TURN:
            counts[fact.turn] = counts.get(fact.turn, 0) + 1
            kept[fact] = None
    return list(kept)
