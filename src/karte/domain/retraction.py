"""Taking back what a source said, and letting it count again.

An operation (a purge of one origin, or the retraction of one assertion) covers items and keeps how
each stood before. An item stays taken back while any operation that covers it stands, so undoing
one of several gives back only what no other covers.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

PURGE_EVENT: Final = "origin_purge"
REJECT_EVENT: Final = "quarantine_reject"


class OperationKind(StrEnum):
    """What took something back; the state that its items are in."""

    PURGE = "purged"
    RETRACT = "retracted"


class ItemKind(StrEnum):
    """What an operation covers."""

    ASSERTION = "assertion"
    MEMORY = "memory"
    """A plain memory."""
    MISTAKE = "mistake"
    """A mistake of the notebook, or one that only a rule still knows."""
    PAGE = "page"
    """What an origin filed of a page; ``name`` is the page's id."""
    ALIAS = "alias"
    CARDINALITY = "cardinality"
    APPROVAL = "approval"


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """Something that took back what was said, and can be undone."""

    id: str
    kind: OperationKind
    agent_id: str
    done_at: str
    origin: str | None = None
    since: str | None = None
    event: str = ""
    undone_at: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationItem:
    """One thing that an operation covers, and how it stood before any operation covered it.

    ``before`` is the state of an assertion, the JSON of a plain memory's belief columns, or the
    former value of a name.
    """

    kind: ItemKind
    before: str
    memory_id: str | None = None
    order: int | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Survivor:
    """A value that a purged row also had, and that stands on somebody else's word."""

    id: str
    content: str
    origin: str | None
    origin_trust: float
    valid_from: datetime | None
    valid_until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Touched:
    """In words, one thing that an operation takes back, brings back or cuts, and its state before."""

    id: str
    content: str
    subject: str | None = None
    predicate: str | None = None
    object: str | None = None
    origin: str | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    state: str = "live"


@dataclass(frozen=True, slots=True, kw_only=True)
class NameChange:
    """A name that an origin gave a meaning (``said``), which it loses again; ``kind`` is alias or cardinality.

    ``before`` is what it means then; None: nothing of its own.
    """

    kind: str
    name: str
    said: str | None = None
    before: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rollback:
    """What taking back an origin does (a dry run: would do), or what undoing it did.

    ``falls`` are the memories taken back, ``returns`` those that hold where they did not before,
    ``cut`` those whose trust is cut because they were derived from what fell, ``survivors`` the
    values that stand on another's word, ``missing`` what was erased meanwhile and cannot return.
    ``approvals`` are the requests closed with it (or opened again), ``names`` the aliases and
    declarations that fall, ``pages`` the paths of those that nobody vouches for any more. ``details`` says in words
    what each id is, also of rows that a dry run has made and undone.
    """

    operation_id: str | None
    origin: str | None = None
    since: datetime | None = None
    dry_run: bool = False
    falls: tuple[str, ...] = ()
    returns: tuple[str, ...] = ()
    cut: tuple[str, ...] = ()
    survivors: tuple[Survivor, ...] = ()
    missing: tuple[str, ...] = ()
    approvals: tuple[str, ...] = ()
    names: tuple[NameChange, ...] = ()
    pages: tuple[str, ...] = ()
    details: tuple[Touched, ...] = ()


def state_after_undo(before: str, standing: Iterable[OperationKind]) -> str:
    """The state of an assertion once an operation is undone: the first that still stands decides."""
    for kind in standing:
        return kind.value
    return before
