"""Bursts: many writes about one subject from one source that nobody vouches for.

The count is of attempts inside a sliding window, the batch that is being written included. A
count that reaches the limit holds the batch's items about that subject, and with an unverified
source the earlier ones of the same burst too: a poison's first drops do not stay live.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from karte.domain.time import format_instant, to_datetime
from karte.domain.trust import Authority, authority_of

PLAIN_LIMIT: Final = 500
"""How many plain memories one counted origin may write in a window; the last of them is held."""
PLAIN_SUBJECT: Final = ""
"""Stands for the subject of plain memories, which have none."""


@dataclass(frozen=True, slots=True)
class BurstKey:
    """Whose attempts are counted together."""

    agent: str
    origin: str
    subject: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BurstRule:
    """``[knowledge_guard]`` as it is in force."""

    enabled: bool = True
    window_secs: int = 3600
    max_per_subject: int = 5
    max_plain: int = PLAIN_LIMIT

    def limit(self, key: BurstKey) -> int:
        """The count at which the key's writes are held."""
        return self.max_plain if key.subject == PLAIN_SUBJECT else self.max_per_subject

    def is_tripped(self, key: BurstKey, earlier: int, arriving: int) -> bool:
        """Whether earlier attempts in the window and those arriving reach the limit."""
        return self.enabled and earlier + arriving >= self.limit(key)

    def window_start(self, clock: str) -> str:
        """The instant before which attempts no longer count."""
        try:
            return format_instant(to_datetime(clock) - timedelta(seconds=self.window_secs))
        except OverflowError:
            return ""


def is_counted(origin: str, *, is_distilled: bool = False) -> bool:
    """Whether writes of this origin are counted: nobody vouches for them.

    Those of programs and persons are scanned, never counted; what distillation and page filing
    write is counted whatever its origin.
    """
    return is_distilled or authority_of(origin, 1.0) is Authority.UNVERIFIED


def holds_earlier(origin: str) -> bool:
    """Whether a burst of this origin takes its earlier items with it."""
    return authority_of(origin, 1.0) is Authority.UNVERIFIED
