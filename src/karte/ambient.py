"""The clock, the identifiers and the randomness of this machine: the only module that asks for them.

``engine`` and ``memory`` take them from here where a caller brings none, and hand them on.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

_VARIANT: Final = 0b10 << 62
_RANDOM_BITS: Final = 74


def system_clock() -> datetime:
    """The present, by this machine's clock, in UTC."""
    return datetime.now(UTC)


def time_ordered_ids(clock: Callable[[], datetime]) -> Callable[[], str]:
    """A maker of UUIDv7 identifiers (RFC 9562): milliseconds, then 74 bits that only ever grow.

    Within one millisecond, or when the clock steps back, the last identifier is counted up by a
    random step, so the order of the text is the order of making in one process.
    """
    lock = threading.Lock()
    last = (0, 0)

    def forget_last() -> None:
        nonlocal lock  # another thread of the parent may have held it
        lock = threading.Lock()

    os.register_at_fork(after_in_child=forget_last)

    def new_id() -> str:
        nonlocal last
        millis = int(clock().timestamp() * 1000)
        fresh = int.from_bytes(os.urandom(10)) >> 6
        with lock:
            if millis <= last[0]:
                grown = last[1] + 1 + (fresh & 0xFFFFFFFF)
                millis, fresh = last[0] + (grown >> _RANDOM_BITS), grown & ((1 << _RANDOM_BITS) - 1)
            last = (millis, fresh)
        return _written(millis, fresh)

    return new_id


def _written(millis: int, random: int) -> str:
    high, low = random >> 62, _VARIANT | (random & ((1 << 62) - 1))
    time = millis & ((1 << 48) - 1)
    return f"{time >> 16:08x}-{time & 0xFFFF:04x}-7{high:03x}-{low >> 48:04x}-{low & ((1 << 48) - 1):012x}"
