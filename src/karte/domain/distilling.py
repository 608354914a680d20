"""What a conversation leaves behind: the turns that are read, and the facts that an extractor finds in them.

A distilled fact is unconfirmed whatever its source: it is trusted ``DISTILLED_TRUST``, has the event
``DISTILL_EVENT``, and comes from the origin of its conversation, ``DEFAULT_ORIGIN`` where none is named.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final, TypeAlias

from karte.domain.conversations import Unusable
from karte.domain.drafts import MAX_CONTENT, checked_text
from karte.domain.knowledge_pages import PageOutcome
from karte.domain.model import StoreOutcome
from karte.domain.page_lines import one_line
from karte.domain.time import parse_instant, to_datetime
from karte.errors import InvalidInput, KarteError, TooMany

DISTILL_EVENT: Final = "conversation_distill"
DISTILLED_TRUST: Final = 0.3
DISTILLED_LAYER: Final = "semantic"
DEFAULT_ORIGIN: Final = "channel"
MOST_FACTS_A_TURN: Final = 20
MOST_TURNS: Final = 10_000
Given: TypeAlias = Unusable | tuple[str, object]
"""A part of a file: a turn with its place, or what is none."""
MANY_VALUED: Final = frozenset({"likes", "dislikes", "prefers", "uses", "decided"})
"""Predicates of distilled facts that have many values at a time; what else an extractor calls so is not believed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpokenTurn:
    """What one speaker said once; ``speaker`` is a name or a role, ``time`` when it was said, both if known."""

    text: str
    speaker: str | None = None
    time: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractedFact:
    """A fact that a turn tells. ``turn`` is the turn's place among those that were read, from 0.

    ``valid_from`` and ``valid_until`` are instants or spans as every write takes them (``2026-03-09``, ``2026-03``,
    ``2026``), None where the text does not date the fact. ``is_many``: the predicate has many values at a time.
    """

    content: str
    subject: str
    predicate: str
    object: str | None = None
    valid_from: str | None = None
    valid_until: str | None = None
    is_many: bool = False
    turn: int = 0


def at_most_a_turn(facts: Iterable[ExtractedFact]) -> list[ExtractedFact]:
    """The facts without those beyond ``MOST_FACTS_A_TURN`` of one turn, and without what is said twice."""
    counts: dict[int, int] = {}
    kept: dict[ExtractedFact, None] = {}
    for fact in facts:
        if fact not in kept and counts.get(fact.turn, 0) < MOST_FACTS_A_TURN:
            counts[fact.turn] = counts.get(fact.turn, 0) + 1
            kept[fact] = None
    return list(kept)


def what_is_wrong(fact: object, turns: int) -> InvalidInput | None:
    """Why an extractor's fact cannot be used, for one of so many turns; None for one that a write may judge."""
    if not isinstance(fact, ExtractedFact):
        return InvalidInput("not a fact", field="fact", value=fact, remedy="give an ExtractedFact")
    if type(fact.turn) is not int or not 0 <= fact.turn < turns:
        return InvalidInput("no such turn", field="fact.turn", value=fact.turn, remedy="give the place of a turn")
    for name in ("content", "subject", "predicate"):
        text = getattr(fact, name)
        if not isinstance(text, str) or not text.strip():
            return InvalidInput("empty", field=f"fact.{name}", value=text, remedy="say it")
    for name in ("object", "valid_from", "valid_until"):
        text = getattr(fact, name)
        if not isinstance(text, str | None):
            return InvalidInput("not text", field=f"fact.{name}", value=text, remedy="give text, or nothing")
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Distilled:
    """What became of one thing that was found: a fact (``outcome``) or a document (``page``) of the turn."""

    turn: int
    fact: ExtractedFact | None = None
    outcome: StoreOutcome | None = None
    page: PageOutcome | None = None
    error: KarteError | None = None

    @property
    def status(self) -> str:
        """``stored``, ``reaffirmed``, ``held``, ``refused``, or what became of a page (``PageOutcome.status``)."""
        if self.page is not None:
            return self.page.status
        return "refused" if self.outcome is None else self.outcome.status


@dataclass(frozen=True, slots=True, kw_only=True)
class DistillReport:
    """What a conversation left behind: ``turns`` were read, and ``items`` were found in them, in their order."""

    origin: str
    turns: int
    items: tuple[Distilled, ...] = ()

    @property
    def stored(self) -> tuple[Distilled, ...]:
        """The facts that are new."""
        return self._of("stored")

    @property
    def reaffirmed(self) -> tuple[Distilled, ...]:
        """The facts that were known already, and are confirmed."""
        return self._of("reaffirmed")

    @property
    def held(self) -> tuple[Distilled, ...]:
        """What waits for a curator."""
        return self._of("held")

    @property
    def refused(self) -> tuple[Distilled, ...]:
        """What was not let in, each with its error."""
        return self._of("refused")

    @property
    def pages(self) -> tuple[Distilled, ...]:
        """The documents."""
        return tuple(item for item in self.items if item.page is not None)

    def _of(self, status: str) -> tuple[Distilled, ...]:
        return tuple(item for item in self.items if item.status == status)


def turns_of(given: object) -> list[SpokenTurn]:
    """The turns that a caller gives: texts, ``SpokenTurn`` values, or mappings with a text, and maybe who and when.

    A mapping has ``text`` or ``content``, and maybe ``speaker``, ``name`` or ``role``, and ``time`` or ``timestamp``.
    Raises ``InvalidInput`` that names the turn.
    """
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        raise InvalidInput("not a list of turns", field="turns", value=given, remedy="give a list, even for one turn")
    turns = [_turn(each, f"turns[{place}]") for place, each in enumerate(given)]
    if len(turns) > MOST_TURNS:
        raise TooMany(f"more than {MOST_TURNS:,} turns", field="turns", value=len(turns), remedy="give fewer at a time")
    return turns


def usable_turns(given: Iterable[Given]) -> tuple[list[SpokenTurn], list[Unusable]]:
    """The turns of a file that can be read, and what cannot be used, each with its place: one bad turn loses no other.

    What is given is a turn as ``turns_of`` takes it, behind its place, or what is known as unusable already.
    """
    turns: list[SpokenTurn] = []
    unusable: list[Unusable] = []
    for each in given:
        if isinstance(each, Unusable):
            unusable.append(each)
            continue
        where, turn = each
        try:
            turns.append(_turn(turn, "turn"))
        except InvalidInput as error:
            error.field = (error.field or "").removeprefix("turn.")
            unusable.append(Unusable(where=where, why=str(error)))
    return turns, unusable


def _turn(given: object, field: str) -> SpokenTurn:
    if isinstance(given, str):
        given = SpokenTurn(text=given)
    if isinstance(given, SpokenTurn):
        return SpokenTurn(text=_said(given.text, field), speaker=_speaker(given.speaker, field), time=given.time)
    if not isinstance(given, Mapping):
        raise InvalidInput("not a turn", field=field, value=given, remedy="give a text, or a mapping with one")
    text = next((given[key] for key in ("text", "content") if given.get(key) is not None), None)
    speaker = next((given[key] for key in ("speaker", "name", "role") if given.get(key) is not None), None)
    time = next((given[key] for key in ("time", "timestamp") if given.get(key) is not None), None)
    said_at = None if time is None else to_datetime(parse_instant(time, f"{field}.time"))
    return SpokenTurn(text=_said(text, field), speaker=_speaker(speaker, field), time=said_at)


def _said(text: object, field: str) -> str:
    if isinstance(text, str) and not text.strip():
        return ""  # a turn in which nothing was said
    return checked_text(text, f"{field}.text", MAX_CONTENT)


def _speaker(name: object, field: str) -> str | None:
    """The name on one line, as it can stand in a subject; a number is a name, and one that shows nothing is none."""
    if isinstance(name, int | float) and not isinstance(name, bool):
        name = str(name)
    return None if name is None else one_line(checked_text(name, f"{field}.speaker")) or None
