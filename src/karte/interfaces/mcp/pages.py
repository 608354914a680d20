"""What the tools of pages do. An agent gets live pages only: what is held or flagged waits for a person."""

from __future__ import annotations

from typing import Final

from karte.errors import NotFound
from karte.interfaces.mcp.arguments import Values
from karte.interfaces.mcp.handlers import Desk
from karte.interfaces.mcp.results import ROOM, cost, cut, fill
from karte.interfaces.page_records import page_hit, page_object
from karte.interfaces.records import JsonObject

LONGEST_PROBLEM: Final = 2_000


def page_search(desk: Desk, values: Values) -> JsonObject:
    """``memory_page_search``."""
    hits = [page_hit(hit) for hit in desk.engine.search_pages(desk.agent, values["query"], values.get("limit", 10))]
    placed = ((i, {**hit, "content": ""}) for i, hit in enumerate(hits, 1))
    taken, rest = fill(placed, ROOM)
    shown = [
        {name: value for name, value in each.items() if name != "content"} for each in taken if isinstance(each, dict)
    ]
    return {"pages": shown, "total": len(hits), "truncated": rest is not None}


def page_read(desk: Desk, values: Values) -> JsonObject:
    """``memory_page_read``: a part of the text that a reply has room for, from ``offset`` on."""
    try:
        found = desk.engine.read_page(desk.agent, values["path"])
    except NotFound:
        return {"found": False}
    if found.page.state != "live":
        return {"found": False}
    offset = values.get("offset", 0)
    head: JsonObject = {"found": True, "page": page_object(found.page), "total_characters": len(found.document)}
    part = cut(found.document[offset : offset + ROOM], ROOM - cost(head))
    end = offset + len(part)
    rest: JsonObject = {"next_offset": end} if end < len(found.document) else {}
    if not part and offset:
        rest = {"note": f"nothing stands from offset {offset} on: the page has {len(found.document)} characters"}
    return {**head, "text": part, "text_truncated": "next_offset" in rest, **rest}
