"""Between a row of ``memories`` and a ``StoredMemory``: the one place that knows the columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from karte.domain.stored import StoredMemory
from karte.storage.sqlite.schema import COLUMN_NAMES

COLUMNS: Final = ", ".join(COLUMN_NAMES)
MEMORY_COLUMNS: Final = ", ".join((*(f"m.{name}" for name in COLUMN_NAMES), "0", "NULL"))
"""The columns of a live row ``m``, then what a ``StoredMemory`` has besides them."""
ARCHIVED_COLUMNS: Final = ", ".join((*(f"m.{name}" for name in COLUMN_NAMES), "1", "NULL"))
# OR FAIL, as one row is written or none: for an ABORT SQLite would copy every page that the triggers of the row touch.
INSERT: Final = f"INSERT OR FAIL INTO memories ({COLUMNS}) VALUES ({', '.join('?' * len(COLUMN_NAMES))})"
WIDTH: Final = len(StoredMemory._fields)
"""How many columns make a ``StoredMemory``; a query's own columns follow them."""
_WRITTEN: Final = len(COLUMN_NAMES)


def to_row(memory: StoredMemory) -> tuple[Any, ...]:
    """The values of one row in the order of the columns."""
    return memory[:_WRITTEN]


def from_row(row: Sequence[Any]) -> StoredMemory:
    """A stored memory from a row of exactly its columns."""
    return StoredMemory._make(row)
