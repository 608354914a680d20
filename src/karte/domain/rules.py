"""A rule as its readers see it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from karte.domain.mistakes import MistakeCategory


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """The rule of a category: what it says, on how many mistakes' account, and what became of it.

    ``id`` is the memory that holds it, of the version that stands or stood last; ``applied``, ``helped`` and ``harmed``
    are what ``rule_feedback`` was told. ``flagged_because``: a person should look at it, for a source was taken back.
    """

    id: str
    category: MistakeCategory
    content: str
    origin_trust: float
    sources: int
    state: Literal["standing", "retired"] = "standing"
    since: datetime | None = None
    applied: int = 0
    helped: int = 0
    harmed: int = 0
    retired_at: datetime | None = None
    retired_because: str | None = None
    flagged_because: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleOutcome:
    """What became of unresolved mistakes: ``new``, ``extended``, ``known`` (the rule says so already) or ``waiting``.

    ``refused``: all of them together read like an instruction to the agent, so they wait. ``id`` is the rule's.
    """

    status: Literal["new", "extended", "known", "waiting", "refused"]
    category: MistakeCategory
    id: str | None = None
    resolved: tuple[str, ...] = ()
    waiting: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class MistakeOutcome:
    """What became of a recorded mistake, and of those of its category.

    ``kept`` is false where the notebook is full of more severe ones, and it went at once.
    """

    id: str
    rule: RuleOutcome
    kept: bool = True
