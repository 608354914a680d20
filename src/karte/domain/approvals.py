"""Approvals: what waits for a person, until when, and what was decided.

A request that nobody decides in time counts as rejected (fail closed), from the instant at which
its time is up, whether or not anything has swept by then.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from karte.domain.time import format_instant
from karte.errors import AlreadyDecided, InvalidInput

TTL_SECS: Final = 24 * 3600
PENDING_FOREVER: Final = "~"
"""Sorts after every instant: nothing is going to expire."""


class ActionKind(StrEnum):
    """What a request asks a person to allow; callers of the broker may have kinds of their own."""

    QUARANTINE = "knowledge_quarantine"
    """Held memories that would be let in."""
    CONFLICT = "knowledge_conflict"
    """An unverified word against the curated one."""


class ApprovalState(StrEnum):
    """How a request stands."""

    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"
    EXPIRED = "expired"
    PURGED = "purged"
    """All that it asked about was taken back meanwhile; an undo opens it again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalItem:
    """One thing that waits: a memory that is held or contested, or an end that is held.

    ``displaces`` are the ids of the rows that it would shorten, and ``against`` is the value that
    stands against it (a conflict). ``memory_id`` is None for what has no row of its own.
    """

    memory_id: str | None
    content: str
    subject: str | None = None
    predicate: str | None = None
    object: str | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    state: str = "quarantined"
    displaces: tuple[str, ...] = ()
    against: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """A request for a person's decision, with everything that hangs on it."""

    id: str
    action_kind: str
    agent_id: str
    summary: str
    state: ApprovalState
    created_at: datetime
    expires_at: datetime
    origin: str | None = None
    subject: str | None = None
    payload: Mapping[str, Any] = field(default_factory=dict)
    items: tuple[ApprovalItem, ...] = ()
    decided_at: datetime | None = None
    decided_by: str | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredApproval:
    """A request as the file keeps it: instants as text."""

    id: str
    action_kind: str
    agent_id: str
    origin: str | None
    subject: str
    summary: str
    payload: str
    state: str
    created_at: str
    expires_at: str
    decided_at: str | None = None
    decided_by: str | None = None
    reason: str = ""

    def state_at(self, instant: str) -> ApprovalState:
        """How it stands at an instant: past its time it is expired, swept or not."""
        if self.state == ApprovalState.PENDING and self.expires_at <= instant:
            return ApprovalState.EXPIRED
        return ApprovalState(self.state)


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """What one item of a request refers to: a row, an assertion, or both."""

    memory_id: str | None
    order: int | None


NOTHING: Final = Waiting(memory_id=None, order=None)
"""What a write leaves that changes nothing."""


def check_open(approval: StoredApproval, instant: str) -> None:
    """Nothing, if the request can still be decided; else ``AlreadyDecided``, which says how it ended."""
    state = approval.state_at(instant)
    if state is not ApprovalState.PENDING:
        raise AlreadyDecided(
            f"this request is {state} already",
            field="approval_id",
            value=approval.id,
            remedy="list the pending ones; what was rejected can be written again",
        )


def cursor_after(approval: Approval | StoredApproval) -> str:
    """The cursor that asks for the requests after this one."""
    created_at = approval.created_at
    when = created_at if isinstance(created_at, str) else format_instant(created_at)
    return base64.urlsafe_b64encode(json.dumps([when, approval.id]).encode()).decode()


def read_cursor(cursor: str) -> tuple[str, str]:
    """When the request before the page was created, and its id; raises ``InvalidInput``."""
    try:
        created_at, id = json.loads(base64.urlsafe_b64decode(cursor.encode()))
    except (ValueError, TypeError, AttributeError, binascii.Error) as error:
        raise InvalidInput("not a cursor", field="cursor", value=cursor, remedy="use next_cursor as given") from error
    return str(created_at), str(id)
