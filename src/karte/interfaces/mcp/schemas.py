"""The schemas of the tools, by hand and flat: every property has one plain type.

Strict model APIs refuse the whole request for one union, reference, ``not`` or boolean schema;
bounds are therefore said in words and checked when arguments are read. The SDK's generator makes
such schemas from annotations; these it could not make.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, TypeAlias

from karte.interfaces.mcp.arguments import Param

Schema: TypeAlias = dict[str, Any]

TEXT: Final[Schema] = {"type": "string"}
NUMBER: Final[Schema] = {"type": "number"}
WHOLE: Final[Schema] = {"type": "integer"}
TRUTH: Final[Schema] = {"type": "boolean"}
ANY_OBJECT: Final[Schema] = {"type": "object"}


def input_schema(params: Iterable[Param]) -> Schema:
    """The JSON Schema of a tool's arguments."""
    listed = tuple(params)
    schema: Schema = {"type": "object", "properties": {param.name: _property(param) for param in listed}}
    required = [param.name for param in listed if param.required]
    return {**schema, "required": required} if required else schema


def _property(param: Param) -> Schema:
    if param.kind == "array":
        items = input_schema(param.fields) if param.fields else {"type": param.items}
        return {"type": "array", "items": items, "description": param.says}
    schema: Schema = {"type": "string" if param.kind == "time" else param.kind, "description": param.says}
    return {**schema, "enum": list(param.choices)} if param.choices else schema


def obj(required: dict[str, Schema], optional: dict[str, Schema] | None = None, *, says: str = "") -> Schema:
    """An object of these members; others may come."""
    schema: Schema = {"type": "object", "properties": {**required, **(optional or {})}, "required": list(required)}
    return {**schema, "description": says} if says else schema


def array(items: Schema) -> Schema:
    """A list of these."""
    return {"type": "array", "items": items}


HOLDS_NOW: Final = obj({"id": TEXT, "valid_from": TEXT}, says="what holds now, where it is not the value just named")

EXPLANATION: Final = obj(
    {
        "text": NUMBER,
        "vector": NUMBER,
        "graph": NUMBER,
        "structure": NUMBER,
        "recency": NUMBER,
        "importance": NUMBER,
        "trust": NUMBER,
        "terms": array(TEXT),
        "path": array(TEXT),
    },
    {
        "things": array(TEXT),
        "relations": array(TEXT),
        "asked": array(TEXT),
        "moves": array(TEXT),
        "folded": array(TEXT),
        "similar": WHOLE,
    },
)

RECORD: Final = obj(
    {
        "id": TEXT,
        "content": TEXT,
        "is_current": TRUTH,
        "layer": TEXT,
        "tags": array(TEXT),
        "importance": NUMBER,
        "confidence": NUMBER,
        "origin": TEXT,
        "origin_trust": NUMBER,
        "timestamp": TEXT,
        "ingested_at": TEXT,
    },
    {
        "subject": TEXT,
        "predicate": TEXT,
        "object": TEXT,
        "valid_from": TEXT,
        "valid_until": TEXT,
        "metadata": ANY_OBJECT,
        "derived_from": array(TEXT),
        "source_event": TEXT,
        "superseded_by": TEXT,
        "supersedes": TEXT,
        "invalidated_by_event": TEXT,
        "invalidated_at": TEXT,
        "reaffirmed_by": array(TEXT),
        "contested": TRUTH,
        "state": TEXT,
        "score": NUMBER,
        "explain": EXPLANATION,
        "content_truncated": TRUTH,
        "omitted": array(TEXT),
    },
)

PAGING: Final[dict[str, Schema]] = {"total": WHOLE, "truncated": TRUTH}
NEXT_CURSOR: Final[dict[str, Schema]] = {"next_cursor": TEXT}

FAILURE: Final = obj({"code": TEXT, "message": TEXT}, {"field": TEXT, "remedy": TEXT})

_OUTCOME: Final[dict[str, Schema]] = {
    "id": TEXT,
    "is_current": TRUTH,
    "valid_from": TEXT,
    "valid_until": TEXT,
    "superseded": array(TEXT),
    "superseded_total": WHOLE,
    "holds_now": HOLDS_NOW,
    "similar": array(obj({"id": TEXT, "similarity": NUMBER})),
    "approval_id": TEXT,
    "reason": TEXT,
    "truncated": TRUTH,
}

STORED: Final = obj({"status": TEXT, "is_current": TRUTH, "superseded": array(TEXT)}, _OUTCOME)

BATCH_STORED: Final = obj(
    {
        "results": array(obj({"index": WHOLE, "status": TEXT}, {**_OUTCOME, "error": FAILURE})),
        "stored": WHOLE,
        "reaffirmed": WHOLE,
        "held": WHOLE,
        "refused": WHOLE,
    },
    {"truncated": TRUTH},
)

_PAGE_FIELDS: Final = {
    **dict.fromkeys(
        ("path", "title", "doc_type", "summary", "layer", "source_type", "state", "origin", "created", "updated"), TEXT
    ),
    "trust": NUMBER,
    "tags": array(TEXT),
}

_PAGE_OPTIONS: Final = {"author": TEXT, "promoted_at": TEXT, "problem": TEXT, "omitted": array(TEXT)}

_PAGE_HIT: Final = obj({**_PAGE_FIELDS, "score": NUMBER, "excerpt": TEXT}, _PAGE_OPTIONS)

PAGES_FOUND: Final = obj(
    {
        "pages": array(_PAGE_HIT),
        "total": WHOLE,
        "truncated": TRUTH,
    }
)

PAGE: Final = obj(
    {"found": TRUTH},
    {
        "page": obj(_PAGE_FIELDS, _PAGE_OPTIONS),
        "text": TEXT,
        "text_truncated": TRUTH,
        "next_offset": WHOLE,
        "total_characters": WHOLE,
        "note": TEXT,
    },
)

FOUND_MEMORIES: Final = obj({"memories": array(RECORD), **PAGING}, {**NEXT_CURSOR, "pages": array(_PAGE_HIT)})

READ: Final = obj(
    {"found": TRUTH},
    {
        "memory": RECORD,
        "holds_now": HOLDS_NOW,
        "continued_by": TEXT,
        "content_offset": WHOLE,
        "content_length": WHOLE,
        **NEXT_CURSOR,
    },
)

FETCHED: Final = obj(
    {
        "memories": array(RECORD),
        "missing_ids": array(TEXT),
        "total_found": WHOLE,
        "total_missing": WHOLE,
        "truncated": TRUTH,
    },
    NEXT_CURSOR,
)

HISTORY: Final = obj({"subject": TEXT, "predicate": TEXT, "records": array(RECORD), **PAGING}, NEXT_CURSOR)

AT: Final = obj(
    {"subject": TEXT, "predicate": TEXT, "at": TEXT, "found": TRUTH},
    {"record": RECORD, "records": array(RECORD), **PAGING, **NEXT_CURSOR},
)

ENDED: Final = obj(
    {"ended": array(TEXT), "held": TRUTH},
    {"holds_now": HOLDS_NOW, "approval_id": TEXT, **PAGING},
)

MISTAKE_NOTED: Final = obj(
    {
        "id": TEXT,
        "kept": TRUTH,
        "rule": obj({"status": TEXT, "category": TEXT, "waiting": WHOLE, "resolved": array(TEXT)}, {"id": TEXT}),
    }
)

CONTEXT: Final = obj({"context": TEXT, "tokens": WHOLE})

ALIAS: Final = obj({"canonical": TEXT, "alias": TEXT})

ALIASES: Final = obj({"aliases": array(ALIAS), "total": WHOLE}, {"truncated": TRUTH})

_HELD: Final = obj(
    {"content": TEXT, "state": TEXT},
    {
        "memory_id": TEXT,
        "subject": TEXT,
        "predicate": TEXT,
        "object": TEXT,
        "valid_from": TEXT,
        "valid_until": TEXT,
        "displaces": array(TEXT),
        "against": TEXT,
        "content_truncated": TRUTH,
        "omitted": array(TEXT),
    },
)

_APPROVAL: Final = obj(
    {
        "id": TEXT,
        "action_kind": TEXT,
        "state": TEXT,
        "summary": TEXT,
        "created_at": TEXT,
        "expires_at": TEXT,
        "items": array(_HELD),
        "items_total": WHOLE,
    },
    {
        "origin": TEXT,
        "subject": TEXT,
        "decided_at": TEXT,
        "decided_by": TEXT,
        "reason": TEXT,
        "payload": ANY_OBJECT,
        "items_offset": WHOLE,
        "omitted": array(TEXT),
    },
)

APPROVALS: Final = obj({"approvals": array(_APPROVAL), **PAGING}, NEXT_CURSOR)

DECIDED: Final = obj({"approval": _APPROVAL, "truncated": TRUTH})

_TOUCHED: Final = obj(
    {"id": TEXT, "content": TEXT},
    {
        "subject": TEXT,
        "predicate": TEXT,
        "object": TEXT,
        "origin": TEXT,
        "origin_trust": NUMBER,
        "valid_from": TEXT,
        "valid_until": TEXT,
        "state": TEXT,
        "content_truncated": TRUTH,
        "omitted": array(TEXT),
    },
)

ROLLED_BACK: Final = obj(
    {
        "origin": TEXT,
        "dry_run": TRUTH,
        "falls": array(_TOUCHED),
        "falls_total": WHOLE,
        "returns": array(_TOUCHED),
        "returns_total": WHOLE,
        "survivors": array(_TOUCHED),
        "survivors_total": WHOLE,
        "cut": array(_TOUCHED),
        "cut_total": WHOLE,
        "names": array(obj({"kind": TEXT}, {"name": TEXT, "said": TEXT, "before": TEXT, "omitted": array(TEXT)})),
        "names_total": WHOLE,
        "pages": array(TEXT),
        "pages_total": WHOLE,
        "approvals": array(TEXT),
        "approvals_total": WHOLE,
        "truncated": TRUTH,
    },
    {"operation_id": TEXT, "since": TEXT, "missing": array(TEXT), "missing_total": WHOLE, **NEXT_CURSOR},
)
