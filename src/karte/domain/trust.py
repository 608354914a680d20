"""Origins: how far a source is trusted, and that no derivation launders trust upwards."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Final

from karte.domain.entities import normalise
from karte.errors import InvalidInput

UNATTRIBUTED: Final = "unattributed"
CUT_TRUST: Final = 0.1
"""The most that a memory derived from a retracted one is trusted."""
CURATED_ABOVE: Final = 0.7
"""A curated class is curated only with a trust above this."""
UNVERIFIED_UP_TO: Final = 0.5
"""No row of an unverified class is trusted more than this (but for an older engine's of trust 1.0)."""


class Authority(StrEnum):
    """How a source stands in the rule that protects the curated word."""

    CURATED = "curated"
    PLAIN = "plain"
    UNVERIFIED = "unverified"


@dataclass(frozen=True, slots=True)
class OriginClass:
    """What a class of origins may claim: its trust ceiling, and whether it corroborates."""

    ceiling: float
    corroborates: bool
    authority: Authority


CLASSES: Final = {
    "user_direct": OriginClass(1.0, True, Authority.CURATED),
    "user_profile": OriginClass(1.0, True, Authority.CURATED),
    "operator": OriginClass(1.0, True, Authority.CURATED),
    "import": OriginClass(0.7, True, Authority.PLAIN),
    "agent_derived": OriginClass(0.6, False, Authority.PLAIN),
    UNATTRIBUTED: OriginClass(0.6, True, Authority.PLAIN),
    "tool_echo": OriginClass(0.5, False, Authority.UNVERIFIED),
    "channel": OriginClass(0.3, True, Authority.UNVERIFIED),
    "mcp_external": OriginClass(0.3, True, Authority.UNVERIFIED),
}


@lru_cache(maxsize=1024)
def class_of(origin: str | None) -> str:
    """The class of an origin: the part before the first ``:``; unknown ones are unattributed.

    A class that nobody vouches for is itself however it is spelled, so that ``Channel:x`` gains nothing.
    """
    if origin is None:
        return UNATTRIBUTED
    name = origin.partition(":")[0]
    if name in CLASSES:
        return name
    folded = normalise(origin).partition(":")[0].strip()
    is_unverified = folded in CLASSES and CLASSES[folded].authority is Authority.UNVERIFIED
    return folded if is_unverified else UNATTRIBUTED


def ceiling_of(origin: str | None) -> float:
    """The most that anything of this origin is ever trusted."""
    return CLASSES[class_of(origin)].ceiling


def corroborating_class(origin: str | None) -> str | None:
    """The class that counts as one voice when it confirms a fact; None when it never counts."""
    name = class_of(origin)
    return name if CLASSES[name].corroborates else None


def authority_of(origin: str | None, trust: float) -> Authority:
    """Whether the source is curated, unverified or neither.

    A row of an older engine without origin is neither, whatever its trust.
    """
    authority = CLASSES[class_of(origin)].authority
    if authority is Authority.CURATED and trust <= CURATED_ABOVE:
        return Authority.PLAIN
    return authority


def origin_trust(origin: str, claimed: float | None, derived_from: Iterable[float]) -> float:
    """The trust of a write: min(claim or 1.0, the class's ceiling, the least of its sources).

    ``derived_from`` are the trusts of the cited rows; a row that cannot be cited counts 0.
    Raises ``InvalidInput`` for a claim outside 0..1 or not a number.
    """
    claim = 1.0 if claimed is None else checked_share(claimed, "origin_trust")
    return min(claim, CLASSES[class_of(origin)].ceiling, *derived_from, 1.0)


def checked_share(value: float, field: str) -> float:
    """The number, if it is one within 0.0 to 1.0."""
    return checked_number(value, field, 0.0, 1.0)


def checked_number(value: object, field: str, least: float, most: float) -> float:
    """The number, if it is one within the bounds (not-a-number never is)."""
    if type(value) is float and least <= value <= most:
        return value  # what most are
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not least <= value <= most:  # type: ignore[operator]
        raise InvalidInput(
            f"not a number from {least:g} to {most:g}",
            field=field,
            value=value,
            remedy=f"give a number from {least:g} to {most:g}",
        )
    return float(value)  # type: ignore[arg-type]
