"""What the rules of a language tell: a predicate with its object, from a clause."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from karte.domain.extraction_rules.reading import Clause

LONGEST_OBJECT: Final = 80
MANY: Final = frozenset({"likes", "dislikes", "prefers", "uses", "decided"})

_EDGES: Final = " \t\u3000.,;:!…、。，；：！~〜-–—*_"
_PAIRS: Final = ('""', "“”", "「」", "『』", "《》", "''", "‘’")
_TAIL: Final = re.compile(r"[^\w)\]}'’\"”」』》%+#\x02]{1,40}\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What a clause tells of its speaker, or, where ``due`` names it, of the thing that has a deadline."""

    predicate: str
    object: str
    said: str
    valid_from: str | None = None
    valid_until: str | None = None
    due: str | None = None


def trimmed(text: str) -> str:
    """The text without signs at its edges, emoji at its end, and quotation marks around all of it."""
    inner = _TAIL.sub("", text[:400]).strip(_EDGES)
    for pair in _PAIRS:
        if len(inner) > 2 and inner.startswith(pair[0]) and inner.endswith(pair[1]):
            inner = inner[1:-1].strip(_EDGES)
    return inner


def told(clause: Clause, predicate: str, value: str, *, dated_before: int | None = None) -> list[Told]:
    """The fact with the dates of the clause (those before a place in it); nothing where the object is none."""
    value = trimmed(value)
    if not value or len(value) > LONGEST_OBJECT or not any(sign.isalnum() for sign in value):
        return []
    since, until = clause.bounds(dated_before)
    said = clause.original().strip()
    return [Told(predicate=predicate, object=value, said=said, valid_from=since, valid_until=until)]


def has_begun(clause: Clause, said_at: datetime | None) -> bool:
    """Whether no date of the clause lies after the day it was said: what is planned is no fact yet."""
    since, _ = clause.bounds()
    return since is None or said_at is None or since <= said_at.date().isoformat()[: len(since)]


def due(clause: Clause, thing: str | None) -> list[Told]:
    """The deadline of a thing, if the clause has exactly one date."""
    if len(clause.spans) != 1 or clause.spans[0].role == "end":
        return []
    named = trimmed(thing) if thing else None
    if thing and not named:
        return []
    said = clause.original().strip()
    return [Told(predicate="deadline", object=clause.spans[0].span, said=said, due=named)]
