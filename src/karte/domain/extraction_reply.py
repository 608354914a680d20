r"""What a model is shown of a conversation, and what is taken from its reply.

The turns go to the model as data: one JSON object a line between two marks. Nothing that a turn says can end its
line, let alone the marks, for angle brackets, line ends and characters that nobody sees are written as ``\u`` escapes.

The reply is taken for nothing but a list of facts. Each item is valid by itself or left out by itself; what is not such
a list says nothing at all, and no text of a model becomes a fact as it stands. A reply states neither where a fact
comes from nor how far it is trusted.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final

from karte.domain.distilling import ExtractedFact, SpokenTurn
from karte.domain.drafts import MAX_CONTENT, MAX_NAME, check_interval, checked_name, checked_text
from karte.domain.entities import normalise
from karte.domain.time import parse_end, parse_instant
from karte.errors import InvalidInput

MOST_TURNS: Final = 20
MOST_CHARACTERS: Final = 24_000
LONGEST_SPEAKER: Final = 200
CUT_MARK: Final = " … (cut here)"

_OPTIONAL_TEXT: Final = {"type": ["string", "null"]}
_FACT: Final[Mapping[str, Any]] = {
    "turn": {"type": "integer"},
    "content": {"type": "string"},
    "subject": {"type": "string"},
    "predicate": {"type": "string"},
    "object": _OPTIONAL_TEXT,
    "valid_from": _OPTIONAL_TEXT,
    "valid_until": _OPTIONAL_TEXT,
    "many": {"type": "boolean"},
}


def _strict(properties: Mapping[str, Any]) -> dict[str, Any]:
    """An object with exactly these properties: structured output wants each of them required and no other."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


FACTS_SCHEMA: Final[Mapping[str, Any]] = _strict({"facts": {"type": "array", "items": _strict(_FACT)}})
"""The JSON schema of a reply that tells facts."""

DOCUMENT_SCHEMA: Final[Mapping[str, Any]] = _strict({"is_document": {"type": "boolean"}})
"""The JSON schema of a reply that tells whether a text is a document."""

_FENCE: Final = re.compile(r"\s*```(?:json)?[ \t]*\r?\n(.*?)\s*```\s*", re.DOTALL | re.IGNORECASE)
_DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_ESCAPED_SIGNS: Final = frozenset("<>[")  # of marks such as ours, and of the chat templates
_ESCAPED_KINDS: Final = frozenset({"Cc", "Cf", "Co", "Cn", "Zl", "Zp"})


# --- what the model is shown -----------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Turns that are asked about at once; ``first`` is the place of the first of them in the conversation, from 0."""

    first: int
    turns: tuple[SpokenTurn, ...]


def batches_of(
    turns: Sequence[SpokenTurn], most_turns: int = MOST_TURNS, most_characters: int = MOST_CHARACTERS
) -> Iterator[Batch]:
    """All turns in their order, in batches of at most so many turns and characters of text; a longer turn is cut."""
    first, room = 0, most_characters
    waiting: list[SpokenTurn] = []
    for turn in turns:
        short = replace(turn, text=cut(turn.text, most_characters))
        if waiting and (len(waiting) == most_turns or len(short.text) > room):
            yield Batch(first=first, turns=tuple(waiting))
            first, room, waiting = first + len(waiting), most_characters, []
        waiting.append(short)
        room -= len(short.text)
    if waiting:
        yield Batch(first=first, turns=tuple(waiting))


def cut(text: str, most: int) -> str:
    """The text in at most ``most`` characters; a mark at the end says that more was there."""
    return text if len(text) <= most else (text[: max(0, most - len(CUT_MARK))] + CUT_MARK)[:most]


def fenced(turns: Sequence[SpokenTurn]) -> str:
    """The turns as data: a JSON object a line with ``turn`` (from 0), ``speaker``, ``time`` and ``text``."""
    lines = [
        _line(
            turn=place,
            speaker=None if turn.speaker is None else cut(turn.speaker, LONGEST_SPEAKER),
            time=None if turn.time is None else _told(turn.time),
            text=turn.text,
        )
        for place, turn in enumerate(turns)
    ]
    return "\n".join(["<turns>", *lines, "</turns>"])


def fenced_text(text: str) -> str:
    """One text as data, cut to ``MOST_CHARACTERS``: a JSON object on one line between marks."""
    return "\n".join(["<document>", _line(text=cut(text, MOST_CHARACTERS)), "</document>"])


def _told(moment: datetime) -> str:
    """With the day of the week, which relative dates go by; a time without a zone is one in UTC."""
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return f"{aware.isoformat(timespec='seconds')} ({_DAYS[aware.weekday()]})"


def _line(**values: object) -> str:
    written = json.dumps(values, ensure_ascii=False)
    whole = written.encode("utf-8", "replace").decode("utf-8")  # half a surrogate pair cannot be sent
    return "".join(_escaped(letter) for letter in whole)


def _escaped(letter: str) -> str:
    """What stands in JSON text may be written as an escape wherever it is no sign of JSON itself."""
    if letter in _ESCAPED_SIGNS:
        return f"\\u{ord(letter):04x}"
    if letter.isascii() and letter.isprintable():
        return letter
    return json.dumps(letter)[1:-1] if unicodedata.category(letter) in _ESCAPED_KINDS else letter


# --- what is taken from the reply ------------------------------------------------------------


def facts_of(reply_text: str, turns_count: int, first_turn: int = 0) -> list[ExtractedFact] | None:
    """The valid facts of a reply in the order of the turns, bad items left out; None for a reply that is no such list.

    A reply counts the ``turns_count`` turns it was shown from 0; the facts count them from ``first_turn``.
    """
    items = _object_of(reply_text).get("facts")
    if not isinstance(items, list):
        return None
    found = (_fact_of(item, turns_count, first_turn) for item in items)
    return sorted((fact for fact in found if fact is not None), key=lambda fact: fact.turn)


def is_document_of(reply_text: str) -> bool | None:
    """What a reply says of a text; None for a reply that does not say it."""
    answer = _object_of(reply_text).get("is_document")
    return answer if isinstance(answer, bool) else None


def _object_of(reply_text: str) -> Mapping[str, Any]:
    """The JSON object that the reply is, perhaps in one fence; an empty one where it is none."""
    fence = _FENCE.fullmatch(reply_text)
    try:
        found = json.loads(fence.group(1) if fence else reply_text, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _fact_of(item: object, turns_count: int, first_turn: int) -> ExtractedFact | None:
    if not isinstance(item, dict):
        return None
    turn, is_many = item.get("turn"), item.get("many", False)
    if type(turn) is not int or not 0 <= turn < turns_count or not isinstance(is_many, bool):
        return None
    try:
        fact = ExtractedFact(
            turn=first_turn + turn,
            content=checked_text(item.get("content"), "content", MAX_CONTENT).strip(),
            subject=_part(item, "subject"),
            predicate=_part(item, "predicate"),
            object=_optional(item, "object"),
            valid_from=_optional(item, "valid_from"),
            valid_until=_optional(item, "valid_until"),
            is_many=is_many,
        )
        _check_times(fact)
    except InvalidInput:
        return None
    return fact


def _part(item: Mapping[str, Any], name: str) -> str:
    part = checked_name(item.get(name), name).strip()
    return checked_name(part if normalise(part) else "", name)  # a name that identity compares as nothing is none


def _optional(item: Mapping[str, Any], name: str) -> str | None:
    """The text, None where there is none; models write an empty one for that, too."""
    value = item.get(name)
    if value is None or (isinstance(value, str) and len(value) <= MAX_NAME and not value.strip()):
        return None
    return checked_name(value, name).strip()


def _check_times(fact: ExtractedFact) -> None:
    start = None if fact.valid_from is None else parse_instant(fact.valid_from, "valid_from")
    end = None if fact.valid_until is None else parse_end(fact.valid_until, "valid_until")
    if start is not None:
        check_interval(start, end)
