"""Events: what happened to knowledge, and what a security audit wants to know."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Final


class EventKind(StrEnum):
    """What happened."""

    QUARANTINED = "knowledge.quarantined"
    RELEASED = "knowledge.released"
    REJECTED = "knowledge.rejected"
    CONFLICT = "knowledge.conflict"
    PURGED = "knowledge.purged"
    UNDONE = "knowledge.undone"
    RETRACTED = "knowledge.retracted"
    ERASED = "knowledge.erased"
    REQUESTED = "approval.requested"
    APPROVED = "approval.approved"
    DENIED = "approval.rejected"
    EXPIRED = "approval.expired"
    PROMPT_INJECTION = "prompt_injection"


SECURITY_KINDS: Final = frozenset({EventKind.PROMPT_INJECTION})
"""What the security audit shows besides the life of knowledge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewEvent:
    """An event that a transaction emits; it is told to subscribers after the commit."""

    kind: EventKind
    agent_id: str
    level: str = "notice"
    origin: str | None = None
    subject: str | None = None
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A stored event. ``sequence`` only ever grows; ``level`` is info, notice or warning."""

    sequence: int
    kind: str
    level: str
    agent_id: str
    happened_at: datetime
    origin: str | None = None
    subject: str | None = None
    data: Mapping[str, Any] = field(default_factory=dict)
