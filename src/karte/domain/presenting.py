"""From a stored memory to what a reader is shown; each field is converted when it is asked for."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final

from karte.domain.model import HoldsNow, Memory, TemporalRecord
from karte.domain.stored import StoredMemory
from karte.domain.time import read_stored, to_datetime


class Shown:
    """A stored memory as it reads at an instant of world time."""

    __slots__ = ("continued_by", "holds_now", "now", "stored")

    def __init__(
        self,
        stored: StoredMemory,
        now: str,
        holds_now: HoldsNow | None = None,
        continued_by: str | None = None,
    ) -> None:
        self.stored = stored
        self.now = now
        self.holds_now = holds_now
        self.continued_by = continued_by

    def read(self, name: str) -> Any:
        """The value of one field."""
        convert = _CONVERTED.get(name)
        if convert is not None:
            return convert(self)
        return getattr(self.stored, name)


def memory_of(
    stored: StoredMemory,
    now: str,
    holds_now: HoldsNow | None = None,
    continued_by: str | None = None,
) -> Memory:
    """The memory as it reads at an instant of world time."""
    return Memory.from_source(Shown(stored, now, holds_now, continued_by))


def record_of(stored: StoredMemory, now: str) -> TemporalRecord:
    """The stretch of a timeline that the row shows."""
    return TemporalRecord.from_source(Shown(stored, now))


def _time(name: str) -> Callable[[Shown], datetime | None]:
    def read(shown: Shown) -> datetime | None:
        text = getattr(shown.stored, name)
        if text is None:
            return None
        try:
            return to_datetime(text)  # ours, nearly always
        except ValueError:
            written = read_stored(text)
            return None if written is None else to_datetime(written)

    return read


def _timestamp(shown: Shown) -> datetime:
    return to_datetime(read_stored(shown.stored.timestamp) or shown.now)


def _reaffirmed_by(shown: Shown) -> tuple[str, ...]:
    confirmed = shown.stored.metadata.get("reaffirmed_by", ())
    return tuple(
        str(item.get("source_event", "")) if isinstance(item, dict) else str(item)
        for item in (confirmed if isinstance(confirmed, list) else ())
    )


def _vector(shown: Shown) -> tuple[float, ...] | None:
    packed = shown.stored.embedding
    if packed is None or len(packed) % 4:
        return None
    return struct.unpack(f"<{len(packed) // 4}f", packed)


def _is_current(shown: Shown) -> bool:
    return shown.stored.is_live and shown.stored.holds_at(shown.now, is_now=True)


_CONVERTED: Final[Mapping[str, Callable[[Shown], Any]]] = {
    "timestamp": _timestamp,
    "created_at": _time("created_at"),
    "last_accessed": _time("last_accessed"),
    "valid_from": _time("valid_from"),
    "valid_until": _time("valid_until"),
    "ingested_at": _time("ingested_at"),
    "invalidated_at": _time("invalidated_at"),
    "source_event": lambda shown: shown.stored.source_event or "",
    "quarantined": lambda shown: bool(shown.stored.quarantined),
    "embedding": _vector,
    "is_current": _is_current,
    "contested": lambda shown: bool(shown.stored.is_contested),
    "state": lambda shown: shown.stored.public_state,
    "holds_now": lambda shown: shown.holds_now,
    "continued_by": lambda shown: shown.continued_by,
    "reaffirmed_by": _reaffirmed_by,
}
