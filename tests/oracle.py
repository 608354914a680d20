"""What holds at an instant, read straight from the six rules of the design and nothing else.

This module is the judge of the property tests. It shares no code with ``src/``: it was written from
``design/2-time.md`` alone, it keeps no state between questions, it stores no intervals and it takes
no short cut. For each instant it looks at every assertion again. Being slow is its virtue: each rule is
one short function under a comment that says the rule in plain words.

An assertion is a :class:`Said`. A :class:`Reading` of a set of them answers what holds at an instant, on
whose word, and in which stretches.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal

Value = tuple[str | None, str]
Kind = Literal["value", "end", "value-end"]
State = Literal["live", "held", "retracted", "rejected", "purged", "archived"]

CURATED_CLASSES = frozenset({"user_direct", "user_profile", "operator"})
UNVERIFIED_CLASSES = frozenset({"channel", "mcp_external", "tool_echo"})
CORROBORATING_CLASSES = frozenset(
    {"user_direct", "user_profile", "operator", "import", "unattributed", "channel", "mcp_external"}
)
CEILINGS = {
    "user_direct": 1.0,
    "user_profile": 1.0,
    "operator": 1.0,
    "import": 0.7,
    "agent_derived": 0.6,
    "unattributed": 0.6,
    "tool_echo": 0.5,
    "channel": 0.3,
    "mcp_external": 0.3,
}
CURATED_ABOVE = 0.7
CUT_TRUST = 0.1
FALLEN_STATES = frozenset({"retracted", "rejected", "purged"})


def plain(text: str) -> str:
    """The text in NFKC with its white space collapsed and trimmed, case kept."""
    return " ".join(unicodedata.normalize("NFKC", text).split())


def folded(text: str) -> str:
    """The text as names are compared: as :func:`plain`, and case folded."""
    return plain(unicodedata.normalize("NFKC", plain(text)).casefold())


def value_of(object_: str | None, content: str) -> Value:
    """The value two assertions are compared by: object and content, both plain."""
    return (None if object_ is None else plain(object_), plain(content))


def class_of(origin: str) -> str:
    """The class of an origin: what stands before its first colon, unknown ones read unattributed."""
    head = origin.split(":", 1)[0]
    return head if head in CEILINGS else "unattributed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One assertion: "from ``start`` (until ``until``, if said) the value is ``value``".

    ``kind`` is ``value``; or ``end``: from ``start`` nothing holds, whatever it was; or ``value-end``: a
    ``valid_until`` at ``start`` said for ``value`` alone. ``learned`` is its place in the order of learning.
    """

    name: str
    kind: Kind = "value"
    value: Value | None = None
    start: datetime
    until: datetime | None = None
    origin: str = "unattributed"
    trust: float = 0.6
    learned: int
    state: State = "live"
    is_cut: bool = False
    cut_trust: float = CUT_TRUST
    is_released: bool = False
    is_vouched_for: bool = False

    @property
    def believed_trust(self) -> float:
        """Its trust as it counts now: a cut assertion is worth at most a tenth."""
        return min(self.trust, self.cut_trust) if self.is_cut else self.trust

    @property
    def is_curated(self) -> bool:
        """A curated class with a trust above 0.7, or the word of whoever approved it against the curated one."""
        if self.is_vouched_for:
            return not self.is_cut
        return class_of(self.origin) in CURATED_CLASSES and self.believed_trust > CURATED_ABOVE

    @property
    def is_unverified(self) -> bool:
        """An unverified class, unless a person released it from quarantine."""
        return class_of(self.origin) in UNVERIFIED_CLASSES and not self.is_released and not self.is_vouched_for


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidUntil:
    """A ``valid_until`` somebody said for the assertions of one value and one start."""

    value: Value
    start: datetime
    until: datetime
    by: Said


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """A longest span over which one assertion is the one the value is believed on."""

    start: datetime
    until: datetime | None
    by: Said


def mark_cut(said: Iterable[Said], derived_from: Mapping[str, Collection[str]], fallen: Collection[str]) -> list[Said]:
    """The assertions, those marked cut whose derivation reaches a fallen one over any number of steps.

    ``derived_from`` names, for each name, the names it cites (memories that are no assertions of this fact
    may stand between); ``fallen`` names what was retracted, rejected or purged.
    """
    return [replace(one, is_cut=one.is_cut or reaches(one.name, derived_from, fallen)) for one in said]


def reaches(name: str, derived_from: Mapping[str, Collection[str]], goals: Collection[str]) -> bool:
    """Whether a goal is reached from the name in one or more steps of derivation."""
    seen: set[str] = set()
    todo = list(derived_from.get(name, ()))
    while todo:
        cited = todo.pop()
        if cited in goals:
            return True
        if cited not in seen:
            seen.add(cited)
            todo.extend(derived_from.get(cited, ()))
    return False


# Rule 1. Only what is live speaks: not held, not rejected, not retracted by hand or by a purge, not archived.
def live_ones(said: Iterable[Said]) -> list[Said]:
    """The assertions that count at all."""
    return [one for one in said if one.state == "live"]


# Rule 2, whose word binds whom: an end said by an unverified source does not bind a curated assertion, and an
# end said by a cut assertion does not bind an uncut one.
def binds(by: Said, one: Said) -> bool:
    """Whether an end that ``by`` said can shorten ``one``."""
    if by.is_unverified and one.is_curated:
        return False
    return not (by.is_cut and not one.is_cut)


# Rule 2, when an assertion ends. Of all the ends said for one value and one start, the one learned last holds. An
# assertion that said an end itself has the one that holds for its own start. An open one lasts until the first
# of those that hold, whichever start they were said for, that lies after its own start.
def end_of(one: Said, ends: Sequence[SaidUntil]) -> datetime | None:
    """Where the assertion ends, ``None`` where no end is known."""
    if one.kind != "value":
        return None
    holding: dict[datetime, SaidUntil] = {}
    for end in ends:
        if end.value == one.value and binds(end.by, one):
            rival = holding.get(end.start)
            if rival is None or rival.by.learned < end.by.learned:
                holding[end.start] = end
    if one.until is not None:
        return holding[one.start].until
    return min((end.until for end in holding.values() if end.until > one.start), default=None)


# Rule 2, an end said for one value by `end_fact(object=...)`: each assertion of that value that covers the instant and
# started before it has its end there, exactly as if that end had been said, at this place in the order of learning,
# for its start.
def said_ends(live: Sequence[Said]) -> list[SaidUntil]:
    """Every end said for a value, those of ``end_fact(object=...)`` spelled out for the starts they meet."""
    ends = [
        SaidUntil(value=one.value, start=one.start, until=one.until, by=one)
        for one in live
        if one.kind == "value" and one.value is not None and one.until is not None
    ]
    for closing in sorted(live, key=lambda one: one.learned):
        if closing.kind == "value-end" and closing.value is not None:
            met = {
                one.start
                for one in live
                if one.kind == "value" and one.value == closing.value
                if one.start < closing.start and covers(one, end_of(one, ends), closing.start)
            }
            ends += [
                SaidUntil(value=closing.value, start=start, until=closing.start, by=closing) for start in sorted(met)
            ]
    return ends


# Rule 2, covering: start <= t < end. An end of the fact covers everything from its instant on.
def covers(one: Said, end: datetime | None, at: datetime) -> bool:
    """Whether the assertion, given where it ends, has something to say about the instant."""
    return one.kind != "value-end" and one.start <= at and (end is None or at < end)


# Rule 3. What is derived from something retracted or rejected speaks only where nothing sound does.
def without_cut(covering: Sequence[Said]) -> list[Said]:
    """The covering assertions, cut ones only when there are no others."""
    sound = [one for one in covering if not one.is_cut]
    return sound or list(covering)


# Rule 4. Where a curated value covers the instant, unverified assertions do not count, unless a verified end that
# starts later than that value covers it too (then the curated word has been ended and protects no more).
def is_protected(counting: Sequence[Said]) -> bool:
    """Whether a curated value keeps unverified assertions out at this instant."""
    ends = [one for one in counting if one.kind == "end" and not one.is_unverified]
    return any(
        one.kind == "value" and one.is_curated and not any(end.start > one.start for end in ends) for one in counting
    )


# Rule 5. The latest start decides; of equal starts the one learned last. Where that is an end, nothing holds.
def by_precedence(counting: Iterable[Said]) -> list[Said]:
    """The assertions that count, the deciding one first."""
    return sorted(counting, key=lambda one: (one.start, one.learned), reverse=True)


# Rule 6. The value is believed on the most trusted of those at the head of that order that say the same, up to the
# first that says something else (an end says something else). Of equal trust, on the one learned first.
def most_trusted(ordered: Sequence[Said]) -> Said | None:
    """The assertion the value is believed on, ``None`` where nothing holds."""
    if not ordered or ordered[0].kind == "end":
        return None
    head: list[Said] = []
    for one in ordered:
        if one.kind != "value" or one.value != ordered[0].value:
            break
        head.append(one)
    return min(head, key=lambda one: (-one.believed_trust, one.learned))


@dataclass(frozen=True, slots=True)
class Reading:
    """The six rules applied to one set of assertions of one identity."""

    said: Sequence[Said]
    protect_curated: bool = True
    live: list[Said] = field(init=False)
    ends: list[SaidUntil] = field(init=False)
    lasting: list[tuple[Said, datetime | None]] = field(init=False)

    def __post_init__(self) -> None:
        """Keep the live assertions, the ends they say, and each with where it ends."""
        object.__setattr__(self, "live", live_ones(self.said))
        object.__setattr__(self, "ends", said_ends(self.live))
        object.__setattr__(self, "lasting", [(one, end_of(one, self.ends)) for one in self.live])

    def counting_at(self, at: datetime) -> list[Said]:
        """The assertions that count at the instant: rules 1 to 4."""
        counting = without_cut([one for one, end in self.lasting if covers(one, end, at)])
        if self.protect_curated and is_protected(counting):
            return [one for one in counting if not one.is_unverified]
        return counting

    def believed_at(self, at: datetime) -> Said | None:
        """The assertion on whose word a value holds at the instant."""
        return most_trusted(by_precedence(self.counting_at(at)))

    def value_at(self, at: datetime) -> Value | None:
        """The value that holds at the instant."""
        believed = self.believed_at(at)
        return None if believed is None else believed.value

    def trust_at(self, at: datetime) -> float | None:
        """The trust of what holds at the instant."""
        believed = self.believed_at(at)
        return None if believed is None else believed.believed_trust

    def contested(self) -> set[str]:
        """The unverified assertions that would decide somewhere, something else, were it not for rule 4."""
        if not self.protect_curated:
            return set()
        found: set[str] = set()
        for at in self.bounds():
            counting = without_cut([one for one, end in self.lasting if covers(one, end, at)])
            if counting and is_protected(counting):
                first = by_precedence(counting)[0]
                if first.is_unverified and (first.kind == "end" or first.value != self.value_at(at)):
                    found.add(first.name)
        return found

    def bounds(self) -> list[datetime]:
        """Every instant at which the answer can change, in order."""
        return sorted({one.start for one in self.live} | {end for _, end in self.lasting if end is not None})

    def stretches(self) -> list[Stretch]:
        """The longest spans in which something holds on one word, oldest first."""
        found: list[Stretch] = []
        bounds = self.bounds()
        for start, until in zip(bounds, [*bounds, None][1:], strict=True):
            believed = self.believed_at(start)
            if believed is None:
                continue
            if found and found[-1].until == start and found[-1].by == believed:
                found[-1] = replace(found[-1], until=until)
            else:
                found.append(Stretch(start=start, until=until, by=believed))
        return found
