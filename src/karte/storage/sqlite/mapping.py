"""Between a row of ``memories`` and a ``StoredMemory``: the one place that knows the columns."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from karte.domain.rows import Reaffirmation, Support
from karte.domain.stored import StoredMemory
from karte.storage.sqlite.schema import COLUMN_NAMES

COLUMNS: Final = ", ".join(COLUMN_NAMES)
MEMORY_COLUMNS: Final = ", ".join(f"m.{name}" for name in COLUMN_NAMES)
INSERT: Final = (
    f"INSERT INTO memories ({COLUMNS}) VALUES ({', '.join('?' * len(COLUMN_NAMES))})"
)
EXTRA: Final = len(COLUMN_NAMES)
"""Where a query's own columns begin, after those of the row."""


def to_row(memory: StoredMemory, metadata: str) -> tuple[Any, ...]:
    """The values of one row in the order of the columns; ``metadata`` as written JSON."""
    return (
        memory.id,
        memory.agent_id,
        memory.content,
        memory.timestamp,
        write_list(memory.tags),
        memory.created_at,
        memory.layer,
        memory.importance,
        memory.access_count,
        memory.last_accessed,
        memory.source_event,
        memory.valid_from,
        memory.valid_until,
        memory.superseded_by,
        memory.supersedes,
        memory.subject,
        memory.predicate,
        memory.object,
        memory.confidence,
        metadata,
        memory.origin,
        memory.origin_trust,
        write_list(memory.derived_from) if memory.derived_from else None,
        memory.ingested_at,
        memory.invalidated_by_event,
        memory.invalidated_at,
        memory.embedding,
        memory.embedding_model,
        int(memory.quarantined),
        memory.ordinal,
        memory.identity,
        memory.assertion,
        memory.recorded_at,
        memory.state,
        int(memory.is_made),
        int(memory.is_contested),
        write_support(memory.support) if memory.support else None,
    )


def from_row(row: Sequence[Any], *, is_archived: bool = False) -> StoredMemory:
    """A stored memory from a row whose first columns are ours, in order."""
    return StoredMemory(
        id=row[0],
        agent_id=row[1],
        content=row[2],
        timestamp=row[3],
        tags=read_list(row[4]),
        created_at=row[5],
        layer=row[6],
        importance=row[7],
        access_count=row[8],
        last_accessed=row[9],
        source_event=row[10] or "",
        valid_from=row[11],
        valid_until=row[12],
        superseded_by=row[13],
        supersedes=row[14],
        subject=row[15],
        predicate=row[16],
        object=row[17],
        confidence=row[18],
        metadata=read_object(row[19]),
        origin=row[20],
        origin_trust=row[21],
        derived_from=read_list(row[22]),
        ingested_at=row[23],
        invalidated_by_event=row[24],
        invalidated_at=row[25],
        embedding=row[26],
        embedding_model=row[27],
        quarantined=bool(row[28]),
        ordinal=row[29],
        identity=row[30],
        assertion=row[31],
        recorded_at=row[32],
        state=row[33],
        is_made=bool(row[34]),
        is_contested=bool(row[35]),
        is_archived=is_archived,
    )


def write_list(items: Sequence[str]) -> str:
    """A JSON list of texts."""
    return json.dumps(list(items), ensure_ascii=False) if items else "[]"


def read_list(text: str | None) -> tuple[str, ...]:
    """The texts of a JSON list; what is malformed (an older file's) reads as none."""
    if not text or text == "[]":
        return ()
    try:
        items = json.loads(text)
    except ValueError:
        return ()
    return tuple(item for item in items if isinstance(item, str)) if isinstance(items, list) else ()


def read_object(text: str | None) -> dict[str, Any]:
    """A JSON object; what is malformed (an older file's) reads as empty."""
    if not text or text == "{}":
        return {}
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def write_support(support: Support) -> str:
    """What a row's confidence is computed from, as JSON."""
    if not support.reaffirmed and len(support.voices) <= 1:  # by far the most; a tenth of the time
        voices = f'"{support.voices[0]}"' if support.voices else ""
        return (
            f'{{"first": {support.first}, "first_order": {support.first_order},'
            f' "voices": [{voices}], "reaffirmed": []}}'
        )
    return json.dumps(
        {
            "first": support.first,
            "first_order": support.first_order,
            "voices": support.voices,
            "reaffirmed": [written_reaffirmation(item) for item in support.reaffirmed],
        },
        ensure_ascii=False,
    )


def written_reaffirmation(item: Reaffirmation) -> dict[str, str | None]:
    """One entry of ``metadata.reaffirmed_by``."""
    return {"source_event": item.source_event, "origin": item.origin, "at": item.at}


def write_reaffirmations(support: Support) -> str | None:
    """The JSON of ``metadata.reaffirmed_by``; None where nothing confirmed the row."""
    if not support.reaffirmed:
        return None
    return json.dumps(
        [written_reaffirmation(item) for item in support.reaffirmed], ensure_ascii=False
    )


def read_support(text: str) -> Support:
    """What ``write_support`` wrote."""
    value = json.loads(text)
    return Support(
        first=value["first"],
        first_order=value["first_order"],
        voices=tuple(value["voices"]),
        reaffirmed=tuple(Reaffirmation(**item) for item in value["reaffirmed"]),
    )
