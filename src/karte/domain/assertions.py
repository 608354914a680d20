"""What was said about a fact: assertions, and until when each of them covers (rule 2)."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from karte.domain.trust import Authority

OPEN: Final = "~"
"""Sorts after every instant: the end of what has no known end."""


class Kind(StrEnum):
    """What an assertion says."""

    VALUE = "value"
    """From ``start`` the value is this."""
    END = "end"
    """From ``start`` nothing holds, whatever the value was."""
    VALUE_END = "value_end"
    """The value that started at ``start`` ends at ``until``; it asserts nothing itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assertion:
    """What one writer said about one fact.

    ``order`` is the place in the order of learning; ``value`` the value's key (empty for an end);
    ``until`` the end the writer said, None if none. ``voice`` is the class that corroborates,
    None where it never does. ``id`` names the row that it makes or would make, ``row_id`` the row
    that stood for it when it was said; ``makes_row`` tells a new row from a reaffirmation.
    ``claim`` is the trust it would have had nothing been taken back, None where that is ``trust``.
    """

    order: int
    kind: Kind
    value: bytes
    start: str
    until: str | None = None
    trust: float = 1.0
    claim: float | None = None
    authority: Authority = Authority.PLAIN
    is_cut: bool = False
    confidence: float = 1.0
    voice: str | None = None
    id: str = ""
    row_id: str = ""
    makes_row: bool = True
    origin: str | None = None
    source_event: str = ""
    learned_at: str = ""


@dataclass(frozen=True, slots=True)
class EffectiveEnd:
    """Where an assertion's cover ends, and the assertion that said so (None: open)."""

    at: str
    said_by: Assertion | None


_NEVER: Final = EffectiveEnd(OPEN, None)


def effective_ends(assertions: Sequence[Assertion]) -> dict[int, EffectiveEnd]:
    """Rule 2: the end of each assertion's cover, by its place in the order of learning."""
    by_value: dict[bytes, list[Assertion]] = defaultdict(list)
    for a in assertions:
        if a.kind is not Kind.END:
            by_value[a.value].append(a)
    ends = {a.order: _NEVER for a in assertions}
    for same in by_value.values():
        bounded = [a for a in same if a.until is not None]
        if bounded:
            ends.update(_ends_of_one_value(same, bounded))
    return ends


def _ends_of_one_value(same: Sequence[Assertion], bounded: Sequence[Assertion]) -> dict[int, EffectiveEnd]:
    """The ends for one value; who binds whom depends on two properties, so four tables do."""
    tables: dict[tuple[bool, bool], tuple[dict[str, Assertion], list[Assertion]]] = {}
    ends: dict[int, EffectiveEnd] = {}
    for a in same:
        curated = a.authority is Authority.CURATED and not a.is_cut
        key = (curated, a.is_cut)
        if key not in tables:
            last = _last_said(bounded, curated=curated, is_cut=a.is_cut)
            tables[key] = last, sorted(last.values(), key=lambda b: b.until or OPEN)
        by_start, by_end = tables[key]
        if a.until is not None:
            said = by_start[a.start]
        else:
            i = bisect_right(by_end, a.start, key=lambda b: b.until or OPEN)
            if i == len(by_end):
                continue
            said = by_end[i]
        ends[a.order] = EffectiveEnd(said.until or OPEN, said)
    return ends


def _last_said(bounded: Iterable[Assertion], *, curated: bool, is_cut: bool) -> dict[str, Assertion]:
    """By start, the end learned last among those that bind such an assertion."""
    last: dict[str, Assertion] = {}
    for b in bounded:
        if (curated and b.authority is Authority.UNVERIFIED) or (b.is_cut and not is_cut):
            continue
        if b.start not in last or last[b.start].order < b.order:
            last[b.start] = b
    return last
