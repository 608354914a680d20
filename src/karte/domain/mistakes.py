"""Mistakes: what an agent notes about what went wrong, in which order they are read, and which of them go.

**Severity.** ``safety`` is the most severe category, then ``hallucination``, ``factual``, ``capability``,
``behavioral``. It decides what is read first and what goes last.

**Retention.** Of an agent's unresolved mistakes ``MOST_UNRESOLVED`` are kept. Beyond that the oldest of the least
severe category goes first, so that no flood of mild ones ever pushes out a severe one: when all that is kept is about
safety and a mild one comes, it is the mild one that goes. Resolved ones stay for ``RESOLVED_DAYS``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import timedelta
from enum import StrEnum
from typing import Final, Self

from karte.domain.drafts import checked_id, checked_name, checked_origin, checked_text
from karte.domain.entities import normalise
from karte.domain.metacognition import ErrorCategory
from karte.domain.model import Instant
from karte.domain.time import format_instant, parse_instant, to_datetime
from karte.domain.trust import UNATTRIBUTED, origin_trust
from karte.errors import InvalidInput

MOST_UNRESOLVED: Final = 50
"""So many unresolved mistakes are kept of an agent."""
RESOLVED_DAYS: Final = 30
"""So long a mistake stays after a rule speaks for it."""


class MistakeCategory(StrEnum):
    """Of what kind a mistake is, the most severe first."""

    SAFETY = "safety"
    HALLUCINATION = "hallucination"
    FACTUAL = "factual"
    CAPABILITY = "capability"
    BEHAVIORAL = "behavioral"


_RANKS: Final = {category: rank for rank, category in enumerate(MistakeCategory)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What shows that it went wrong: which tool, what kind of error, and a part of what it said."""

    tool: str | None = None
    error_kind: str | None = None
    excerpt: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MistakeEntry:
    """One thing that went wrong, as it is noted and as it is read.

    ``timestamp`` is when it happened (None: now), ``input_summary`` what was asked, ``response_summary`` what was
    answered, ``ground_truth`` what would have been right and ``corrective_insight`` what to do next time. A
    ``category`` that is none of ours reads as ``behavioral``. ``origin_trust`` is a claim that can only lower the trust
    of the origin's class; read, it is the trust that counts. ``resolved``: a rule speaks for it.
    """

    what_went_wrong: str
    agent_id: str = "default"
    id: str | None = None
    timestamp: Instant | None = None
    category: MistakeCategory = MistakeCategory.BEHAVIORAL
    session_id: str | None = None
    input_summary: str = ""
    response_summary: str = ""
    ground_truth: str | None = None
    corrective_insight: str | None = None
    evidence: Evidence | None = None
    severity: ErrorCategory = ErrorCategory.SIGNIFICANT
    origin: str | None = None
    origin_trust: float | None = None
    resolved: bool = False

    def __post_init__(self) -> None:
        """Callers often have the category and the severity as text."""
        object.__setattr__(self, "category", category_of(self.category))
        object.__setattr__(self, "severity", _checked_severity(self.severity))


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Kept:
    """What of an unresolved mistake decides whether it stays; they sort in the order in which they would go."""

    gravity: int
    recorded_at: str
    id: str

    @classmethod
    def of(cls, category: MistakeCategory, recorded_at: str, id: str) -> Self:
        """The view of a mistake that was noted at a written instant."""
        return cls(gravity=-_RANKS[category], recorded_at=recorded_at, id=id)


def category_of(text: object) -> MistakeCategory:
    """The category that a text names, however it is spelled; ``behavioral`` for any other text."""
    if not isinstance(text, str):
        raise InvalidInput("not text", field="category", value=text, remedy="give the name of a category")
    try:
        return MistakeCategory(normalise(text))
    except ValueError:
        return MistakeCategory.BEHAVIORAL


def checked_mistake(entry: MistakeEntry, *, id: str, now: str, default_origin: str) -> MistakeEntry:
    """The mistake as it is noted: texts that can be stored, and nothing left open but what is not known.

    ``id`` and ``now`` (a written instant) stand where the caller gave none. Raises the error that names the field.
    """
    if not isinstance(entry, MistakeEntry):
        raise InvalidInput("not a mistake", field="entry", value=entry, remedy="give a MistakeEntry")
    origin = checked_origin(default_origin if entry.origin is None else entry.origin)
    at = now if entry.timestamp is None else parse_instant(entry.timestamp, "timestamp")
    return replace(
        entry,
        what_went_wrong=checked_text(entry.what_went_wrong, "what_went_wrong"),
        agent_id=checked_name(entry.agent_id, "agent_id"),
        id=checked_id(id if entry.id is None else entry.id),
        timestamp=to_datetime(at),
        session_id=_optional(entry.session_id, "session_id"),
        input_summary=_optional(entry.input_summary, "input_summary") or "",
        response_summary=_optional(entry.response_summary, "response_summary") or "",
        ground_truth=_optional(entry.ground_truth, "ground_truth"),
        corrective_insight=_optional(entry.corrective_insight, "corrective_insight"),
        evidence=None if entry.evidence is None else _checked_evidence(entry.evidence),
        origin=origin,
        origin_trust=origin_trust(origin, entry.origin_trust, ()),
    )


def instant_of(mistake: MistakeEntry) -> str:
    """When it happened, in the written form; nothing where that is not known yet."""
    return "" if mistake.timestamp is None else parse_instant(mistake.timestamp, "timestamp")


def trust_of(mistake: MistakeEntry) -> float:
    """How far the mistake is trusted: never more than its origin's class may be."""
    return origin_trust(mistake.origin or UNATTRIBUTED, mistake.origin_trust, ())


def newest_first(mistakes: Iterable[MistakeEntry]) -> list[MistakeEntry]:
    """The latest day (UTC) first; within a day the more severe first, and of these the latest."""
    return sorted(mistakes, key=urgency, reverse=True)


def urgency(mistake: MistakeEntry) -> tuple[str, int, str, str]:
    """Sorts by day, by severity within it, and by instant; the greatest is read first."""
    at = instant_of(mistake)
    return at[: len("2026-06-01")], -_RANKS[mistake.category], at, mistake.id or ""


def plan_retention(unresolved: Iterable[Kept], keep: int = MOST_UNRESOLVED) -> tuple[str, ...]:
    """The ids of the mistakes that go so that ``keep`` stay: the oldest of the least severe category first."""
    going = sorted(unresolved)
    return tuple(kept.id for kept in going[: max(0, len(going) - max(0, keep))])


def resolved_horizon(now: str) -> str:
    """The instant up to which (inclusive) a mistake was resolved that goes now; nothing, where time begins later."""
    try:
        return format_instant(to_datetime(now) - timedelta(days=RESOLVED_DAYS))
    except OverflowError:
        return ""


def _checked_evidence(evidence: Evidence) -> Evidence | None:
    if not isinstance(evidence, Evidence):
        raise InvalidInput("not evidence", field="evidence", value=evidence, remedy="give an Evidence")
    checked = Evidence(
        tool=_optional(evidence.tool, "evidence.tool"),
        error_kind=_optional(evidence.error_kind, "evidence.error_kind"),
        excerpt=_optional(evidence.excerpt, "evidence.excerpt"),
    )
    return None if checked == Evidence() else checked


def _optional(text: object, field: str) -> str | None:
    """Text that can be stored; None where there is nothing in it."""
    if text is None or (isinstance(text, str) and not text.strip()):
        return None
    return checked_text(text, field)


def _checked_severity(severity: object) -> ErrorCategory:
    try:
        return ErrorCategory(normalise(severity) if isinstance(severity, str) else "")
    except ValueError:
        known = ", ".join(ErrorCategory)
        raise InvalidInput("no such severity", field="severity", value=severity, remedy=f"use one of {known}") from None
