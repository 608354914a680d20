"""From a stored memory to what a reader is shown."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any

from karte.domain.model import HoldsNow, Memory, TemporalRecord
from karte.domain.stored import StoredMemory
from karte.domain.time import read_stored, to_datetime


def memory_of(
    stored: StoredMemory,
    now: str,
    *,
    holds_now: HoldsNow | None = None,
    continued_by: str | None = None,
) -> Memory:
    """The memory as it reads at an instant of world time."""
    return Memory(**_shown(stored, now), holds_now=holds_now, continued_by=continued_by)


def record_of(stored: StoredMemory, now: str) -> TemporalRecord:
    """The stretch of a timeline that the row shows."""
    confirmed = stored.metadata.get("reaffirmed_by", ())
    events = tuple(
        str(item.get("source_event", "")) if isinstance(item, dict) else str(item)
        for item in (confirmed if isinstance(confirmed, list | tuple) else ())
    )
    return TemporalRecord(**_shown(stored, now), reaffirmed_by=events)


def _shown(stored: StoredMemory, now: str) -> Mapping[str, Any]:
    timestamp = _time(stored.timestamp)
    return {
        "id": stored.id,
        "agent_id": stored.agent_id,
        "content": stored.content,
        "timestamp": timestamp if timestamp is not None else to_datetime(now),
        "tags": stored.tags,
        "created_at": _time(stored.created_at),
        "layer": stored.layer,
        "importance": stored.importance,
        "access_count": stored.access_count,
        "last_accessed": _time(stored.last_accessed),
        "source_event": stored.source_event,
        "valid_from": _time(stored.valid_from),
        "valid_until": _time(stored.valid_until),
        "superseded_by": stored.superseded_by,
        "supersedes": stored.supersedes,
        "subject": stored.subject,
        "predicate": stored.predicate,
        "object": stored.object,
        "confidence": stored.confidence,
        "metadata": stored.metadata,
        "origin": stored.origin,
        "origin_trust": stored.origin_trust,
        "derived_from": stored.derived_from,
        "ingested_at": _time(stored.ingested_at),
        "invalidated_by_event": stored.invalidated_by_event,
        "invalidated_at": _time(stored.invalidated_at),
        "quarantined": stored.quarantined,
        "embedding": _vector(stored.embedding),
        "embedding_model": stored.embedding_model,
        "is_current": stored.is_live and stored.holds_at(now, is_now=True),
        "contested": stored.is_contested,
        "state": stored.public_state,
    }


def _time(text: str | None) -> Any:
    if text is None:
        return None
    readable = read_stored(text)
    return None if readable is None else to_datetime(readable)


def _vector(packed: bytes | None) -> tuple[float, ...] | None:
    if packed is None or len(packed) % 4:
        return None
    return struct.unpack(f"<{len(packed) // 4}f", packed)
