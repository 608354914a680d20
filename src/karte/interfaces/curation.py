"""The JSON shapes of a curator's calls: requests for a decision, and what taking back an origin does.

As in ``records``: optional values are absent and never null, times are RFC 3339 in UTC.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from karte.domain.approvals import Approval, ApprovalItem
from karte.domain.model import Page
from karte.domain.retraction import NameChange, Rollback, Survivor, Touched
from karte.interfaces.records import JsonObject, instant, without_absent

ROLLBACK_LISTS: Final = ("falls", "returns", "survivors", "cut", "names", "pages", "approvals", "missing")
"""What a rollback lists, in the order in which one reads it."""


def approval_object(approval: Approval) -> JsonObject:
    """A request with everything that hangs on it."""
    return {
        **approval_head(approval),
        "items": [item_object(item) for item in approval.items],
        "items_total": len(approval.items),
    }


def approval_head(approval: Approval) -> JsonObject:
    """A request without its items."""
    return without_absent(
        {
            "id": approval.id,
            "action_kind": approval.action_kind,
            "state": approval.state.value,
            "summary": approval.summary,
            "origin": approval.origin,
            "subject": approval.subject,
            "created_at": instant(approval.created_at),
            "expires_at": instant(approval.expires_at),
            "decided_at": instant(approval.decided_at),
            "decided_by": approval.decided_by,
            "reason": approval.reason or None,
            "payload": dict(approval.payload) or None,
        }
    )


def item_object(item: ApprovalItem) -> JsonObject:
    """One thing that waits, what it would displace, and the value that stands against it."""
    return without_absent(
        {
            "memory_id": item.memory_id,
            "content": item.content,
            "subject": item.subject or None,
            "predicate": item.predicate or None,
            "object": item.object,
            "valid_from": instant(item.valid_from),
            "valid_until": instant(item.valid_until),
            "state": item.state,
            "displaces": list(item.displaces),
            "against": item.against,
        }
    )


def approval_page(page: Page[Approval]) -> JsonObject:
    """Some of the requests, newest first, and whether more follow."""
    return without_absent(
        {
            "approvals": [approval_object(approval) for approval in page.items],
            "total": page.total,
            "truncated": page.next_cursor is not None,
            "next_cursor": page.next_cursor,
        }
    )


def rollback_object(rollback: Rollback) -> JsonObject:
    """What taking back an origin did (a dry run: would do), or what undoing it did: every list, and its length."""
    return {**rollback_head(rollback), **rollback_lists(rollback)}


def rollback_head(rollback: Rollback) -> JsonObject:
    """The same without the lists."""
    lists = rollback_lists(rollback)
    return without_absent(
        {
            "operation_id": rollback.operation_id,
            "origin": rollback.origin,
            "since": instant(rollback.since),
            "dry_run": rollback.dry_run,
            **{f"{name}_total": len(lists[name]) for name in ROLLBACK_LISTS},
        }
    )


def rollback_lists(rollback: Rollback) -> dict[str, list[JsonObject | str]]:
    """What falls, what returns, what survives and on whose word, what is cut, and what closes with it."""
    details = {touched.id: touched for touched in rollback.details}
    return {
        "falls": [_touched(id, details) for id in rollback.falls],
        "returns": [_touched(id, details) for id in rollback.returns],
        "survivors": [_survivor(survivor) for survivor in rollback.survivors],
        "cut": [_touched(id, details) for id in rollback.cut],
        "names": [_name(change) for change in rollback.names],
        "pages": list(rollback.pages),
        "approvals": list(rollback.approvals),
        "missing": list(rollback.missing),
    }


def _touched(id: str, details: Mapping[str, Touched]) -> JsonObject:
    touched = details.get(id)
    if touched is None:
        return {"id": id, "content": ""}
    return without_absent(
        {
            "id": id,
            "content": touched.content,
            "subject": touched.subject or None,
            "predicate": touched.predicate or None,
            "object": touched.object,
            "origin": touched.origin,
            "valid_from": instant(touched.valid_from),
            "valid_until": instant(touched.valid_until),
            "state": None if touched.state == "live" else touched.state,
        }
    )


def _survivor(survivor: Survivor) -> JsonObject:
    return without_absent(
        {
            "id": survivor.id,
            "content": survivor.content,
            "origin": survivor.origin,
            "origin_trust": survivor.origin_trust,
            "valid_from": instant(survivor.valid_from),
            "valid_until": instant(survivor.valid_until),
        }
    )


def _name(change: NameChange) -> JsonObject:
    return without_absent({"kind": change.kind, "name": change.name, "said": change.said, "before": change.before})
