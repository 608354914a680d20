"""Events: what happened to knowledge, and what a security audit wants to know."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from hashlib import blake2b
from typing import Any, Final

from karte.domain.model import Page
from karte.domain.time import format_instant


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
    REASSIGNED = "knowledge.reassigned"
    RULE = "knowledge.rule"
    PAGE = "knowledge.page"
    REQUESTED = "approval.requested"
    APPROVED = "approval.approved"
    DENIED = "approval.rejected"
    EXPIRED = "approval.expired"
    PROMPT_INJECTION = "prompt_injection"


INFO: Final = "info"
"""The level of what is worth knowing and no cause for alarm."""

SECURITY_KINDS: Final = frozenset({EventKind.PROMPT_INJECTION})
"""What the security audit shows besides the life of knowledge; above level ``info`` they are its findings."""

AUDIT_KINDS: Final = frozenset(EventKind) - {EventKind.REQUESTED}
"""What the security audit shows; that somebody waits for a decision is no history yet."""


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

    @property
    def id(self) -> str:
        """A name that is the same whenever and wherever the event is read, and differs between files."""
        said = f"{self.sequence}\0{self.kind}\0{self.agent_id}\0{format_instant(self.happened_at)}"
        return f"evt_{self.sequence}_{blake2b(said.encode('utf-8', 'replace'), digest_size=6).hexdigest()}"


@dataclass(frozen=True, slots=True, kw_only=True)
class EventFilter:
    """Which events are meant: of one agent or all, of some kinds or all, between two sequences.

    ``kinds`` empty means all. ``above_info`` leaves out the level ``info``.
    """

    agent: str | None = None
    kinds: tuple[str, ...] = ()
    after: int = 0
    before: int | None = None
    above_info: bool = False

    def wants(self, event: Event) -> bool:
        """Whether the event is meant."""
        return (
            (self.agent is None or event.agent_id == self.agent)
            and (not self.kinds or event.kind in self.kinds)
            and event.sequence > self.after
            and (self.before is None or event.sequence < self.before)
            and not (self.above_info and event.level == INFO)
        )


class Audit(Page[Event]):
    """A page of the security audit; ``findings`` counts those of all that was asked for, shown or not."""

    __slots__ = ("findings",)

    def __init__(
        self, items: Sequence[Event], next_cursor: str | None, total: int | Callable[[], int], findings: int
    ) -> None:
        super().__init__(items, next_cursor, total)
        self.findings = findings


def event_object(event: Event) -> dict[str, Any]:
    """The event as JSON, at every door alike; what it does not have is absent."""
    said = {
        "id": event.id,
        "sequence": event.sequence,
        "kind": event.kind,
        "level": event.level,
        "agent": event.agent_id,
        "happened_at": format_instant(event.happened_at),
        "origin": event.origin,
        "subject": event.subject,
        "data": dict(event.data),
    }
    return {name: value for name, value in said.items() if value is not None}
