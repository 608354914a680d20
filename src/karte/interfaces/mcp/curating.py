"""What a curator's tools do: list what waits, decide, and take an origin back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from karte.domain.approvals import Approval, cursor_after
from karte.errors import InvalidInput
from karte.interfaces import curation
from karte.interfaces.mcp.arguments import Values
from karte.interfaces.mcp.cursors import fingerprint, make_cursor, not_a_cursor, read_cursor
from karte.interfaces.mcp.results import ROOM, cost, cut, fill
from karte.interfaces.records import JsonObject

if TYPE_CHECKING:
    from karte.interfaces.mcp.handlers import Desk

ALL: Final = "all"
SHOWN_AT_ONCE: Final = 20
LONGEST_SAID: Final = 10_000  # bytes of a text in the head of a request
_NUMBERS: Final = 200  # bytes for the counts of one request

Rest = tuple[int, int]
"""The request, and its item, at which the next page begins."""


def approvals(desk: Desk, values: Values) -> JsonObject:
    """``memory_approvals``: newest first; a request with many items goes on in the next page."""
    state = values.get("state", "pending")
    asked = {"tool": "memory_approvals", "agent": desk.agent, "state": state}
    before, offset, of = _position(asked, values["cursor"], 3) if "cursor" in values else ("", 0, "")
    page = desk.engine.approvals(
        desk.agent,
        state=None if state == ALL else state,
        limit=values.get("limit", SHOWN_AT_ONCE),
        cursor=before or None,
    )
    taken, rest = _filled(page.items, offset, of, ROOM)
    result: JsonObject = {"approvals": taken, "total": page.total}
    if rest is not None:
        i, item = rest
        last = cursor_after(page.items[i - 1]) if i else before
        following = make_cursor(asked, (last, item, fingerprint(page.items[i].id)))
    elif page.next_cursor is not None:
        following = make_cursor(asked, (page.next_cursor, 0, ""))
    else:
        return {**result, "truncated": False}
    return {**result, "truncated": True, "next_cursor": following}


def decide(desk: Desk, values: Values) -> JsonObject:
    """``memory_decide``: once; the request as it stands afterwards."""
    client = desk.principal.client
    decided = desk.engine.decide(
        values["approval_id"],
        values["decision"],
        by=f"mcp:{client}" if client else "mcp",
        reason=values.get("reason", ""),
        agent=desk.agent,
    )
    (shown,), rest = _filled([decided], 0, "", ROOM)
    return {"approval": shown, "truncated": rest is not None}


def invalidate_by_origin(desk: Desk, values: Values) -> JsonObject:
    """``memory_invalidate_by_origin``: every list with its whole length; a dry run has pages."""
    origin, is_dry = values["origin"], values.get("dry_run", False)
    asked = {"tool": "memory_invalidate_by_origin", "agent": desk.agent, "origin": origin, "since": values.get("since")}
    start = 0
    if "cursor" in values:
        if not is_dry:
            raise InvalidInput("only a dry run has pages", field="cursor", remedy="leave cursor out, or set dry_run")
        (start,) = _position(asked, values["cursor"], 1)
    rollback = desk.engine.invalidate_by_origin(desk.agent, origin, since=values.get("since"), dry_run=is_dry)
    head = {**curation.rollback_head(rollback), "origin": cut(origin, LONGEST_SAID)}
    lists = curation.rollback_lists(rollback)
    every = [(name, element) for name, elements in lists.items() for element in elements]
    shown: dict[str, list[Any]] = {name: [] for name in lists}
    placed = ((i, element) for i, (_, element) in enumerate(every[start:], start + 1))
    taken, rest = fill(placed, ROOM - cost({**head, **shown}))
    for (name, _), element in zip(every[start:], taken, strict=False):
        shown[name].append(element)
    result = {**head, **shown, "truncated": rest is not None}
    return {**result, "next_cursor": make_cursor(asked, (rest,))} if is_dry and rest is not None else result


def _filled(found: Sequence[Approval], offset: int, of: str, room: int) -> tuple[list[JsonObject], Rest | None]:
    """As many requests as the room holds; the one whose id has the fingerprint ``of`` from that item on."""
    taken: list[JsonObject] = []
    for i, approval in enumerate(found):
        start = offset if fingerprint(approval.id) == of else 0
        head = _head(approval)
        items = [curation.item_object(item) for item in approval.items[start:]]
        left = room - cost(head) - _NUMBERS
        if taken and left < cost(items[0] if items else {}):
            return taken, (i, start)
        some, rest = fill(enumerate(items, start + 1), left)
        shown: JsonObject = {**head, "items": some, "items_total": len(approval.items)}
        if start:
            shown["items_offset"] = start
        taken.append(shown)
        if rest is not None:
            return taken, (i, rest)
        room -= cost(shown)
    return taken, None


def _head(approval: Approval) -> JsonObject:
    """A request without its items, with no text longer than the room of several."""
    head = {
        name: cut(value, LONGEST_SAID) if isinstance(value, str) else value
        for name, value in curation.approval_head(approval).items()
    }
    if cost(head.get("payload", {})) > LONGEST_SAID:
        del head["payload"]
        head["omitted"] = ["payload"]
    return head


def _position(asked: Mapping[str, Any], cursor: str, parts: int) -> list[Any]:
    position = read_cursor(asked, cursor)
    if len(position) != parts:
        raise not_a_cursor()
    return position
