"""Replies that stay small: counted as they go out, cut at whole letters, flagged and pageable.

A result travels twice in one frame, as structured content and as the same JSON in a text, where
every quote is escaped once more. ``cost`` counts both.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable
from typing import Any, Final, TypeAlias

from karte.errors import KarteError
from karte.interfaces.records import JsonObject, error_object, to_json

LARGEST_REPLY: Final = 100_000
ENVELOPE: Final = 6_000  # the frame around a result: id, server info, content and error flags, counts, cursor
ROOM: Final = LARGEST_REPLY - ENVELOPE
LONGEST_MESSAGE: Final = 2_000

KEPT_FIELDS: Final = frozenset(
    {
        "id",
        "content",
        "is_current",
        "layer",
        "tags",
        "importance",
        "confidence",
        "origin",
        "origin_trust",
        "timestamp",
        "ingested_at",
        "state",
        "content_truncated",
    }
)
"""What a record keeps however small it must be; the output schema requires it."""

Element: TypeAlias = JsonObject | str
Placed: TypeAlias = tuple[int, Element]
"""An element of a list and the position after it."""


def cost(value: object) -> int:
    """The bytes that a value takes in a reply: its JSON, and its JSON within a JSON text."""
    text = to_json(value)
    return len(text.encode()) + len(json.dumps(text, ensure_ascii=False).encode())


def fill(elements: Iterable[Placed], room: int) -> tuple[list[Element], int | None]:
    """As many elements from the front as the room holds, and where the rest begins (None: no rest).

    At least one is given: where the first alone is too large, it is cut.
    """
    taken: list[Element] = []
    end = 0
    for position, element in elements:
        size = cost(element)
        if size <= room:
            taken.append(element)
        elif taken:
            return taken, end
        else:
            taken.append(trimmed(element, room) if isinstance(element, dict) else cut(element, room))
        room -= size
        end = position
    return taken, None


def trimmed(record: JsonObject, room: int) -> JsonObject:
    """The record cut to the room: what is optional first if it is large, then the content.

    ``content_truncated`` says that content is missing, ``omitted`` which other fields are.
    """
    kept, omitted = dict(record), []
    optional = sorted((name for name in record if name not in KEPT_FIELDS), key=lambda name: -cost(record[name]))
    while optional and cost({**kept, "content": ""}) > room // 2:
        omitted.append(optional.pop(0))
        del kept[omitted[-1]]
    if "tags" in kept and cost({**kept, "content": ""}) > room // 2:
        kept["tags"], omitted = [], [*omitted, "tags"]
    if omitted:
        kept["omitted"] = sorted(omitted)
    if cost(kept) <= room:
        return kept
    kept["content_truncated"] = True
    left = room - cost({**kept, "content": ""})
    return {**kept, "content": cut(record["content"], left)}


def cut(text: str, room: int) -> str:
    """The longest beginning of the text that fits the room and ends with a whole letter."""
    least, most = 0, min(len(text), max(room, 0))
    while least < most:
        middle = (least + most + 1) // 2
        if cost(text[:middle]) <= room:
            least = middle
        else:
            most = middle - 1
    return text[: whole_letters(text, least)]


_JOINER: Final = "\u200d"
_VIRAMA: Final = 9  # the combining class of signs that join two consonants
_LOOK_BACK: Final = 64


def whole_letters(text: str, end: int) -> int:
    """The last position at or before ``end`` that parts no letter from its marks, joins or tones."""
    if end >= len(text):
        return len(text)
    for position in range(end, max(end - _LOOK_BACK, 0) - 1, -1):
        if position == 0 or not _continues(text, position):
            return position
    return end  # marks without end


def _continues(text: str, position: int) -> bool:
    letter, before = text[position], text[position - 1]
    if _JOINER in (before, letter) or unicodedata.category(letter).startswith("M"):
        return True
    if unicodedata.combining(before) == _VIRAMA or (before == "\r" and letter == "\n"):
        return True
    if "\U0001f3fb" <= letter <= "\U0001f3ff" or "\U000e0020" <= letter <= "\U000e007f":
        return True  # skin tones; tags of flags
    flags = 0
    while position - flags > 0 and "\U0001f1e6" <= text[position - flags - 1] <= "\U0001f1ff":
        flags += 1
    return "\U0001f1e6" <= letter <= "\U0001f1ff" and flags % 2 == 1


def fit_outcomes(result: JsonObject, key: str) -> JsonObject:
    """The outcome of writes with less detail where it would not fit: what became of each stays."""
    for reduce in (_without_similar, _without_detail):
        if cost(result) <= ROOM:
            return result
        result = {**result, key: [reduce(each) for each in result[key]], "truncated": True}
    return result


def fit_outcome(outcome: JsonObject) -> JsonObject:
    """One outcome, with less detail where it would not fit."""
    result = fit_outcomes({"results": [outcome]}, "results")
    reduced: JsonObject = result["results"][0]
    return {**reduced, "truncated": True} if "truncated" in result else reduced


def fit_list(result: JsonObject, key: str) -> JsonObject:
    """The result with the list under ``key`` cut to fit, ``truncated`` and ``total`` saying so."""
    if cost(result) <= ROOM:
        return result
    listed = result[key]
    taken, _ = fill(enumerate(listed, 1), ROOM - cost({**result, key: [], "truncated": True, "total": len(listed)}))
    return {**result, key: taken, "truncated": True, "total": len(listed)}


def _without_similar(outcome: JsonObject) -> JsonObject:
    kept = {name: value for name, value in outcome.items() if name != "similar"}
    if len(kept.get("superseded", ())) > 5:
        kept["superseded"] = kept["superseded"][:5]
        kept["superseded_total"] = len(outcome["superseded"])
    return kept


def _without_detail(outcome: JsonObject) -> JsonObject:
    kept: JsonObject = {name: outcome[name] for name in ("index", "status", "id", "is_current") if name in outcome}
    if "error" in outcome:
        error = outcome["error"]
        kept["error"] = {name: error[name] for name in ("code", "field") if name in error}
        kept["error"]["message"] = str(error.get("message", ""))[:80]
    return kept if "superseded" not in outcome else {**kept, "superseded": []}


def failure(error: KarteError) -> JsonObject:
    """The body of a failed call: code, message, field, remedy, each bounded."""
    return {"error": {name: _short(value) for name, value in error_object(error).items()}}


def fault() -> JsonObject:
    """The body of a call that failed for a reason of ours; the log has the rest."""
    return {
        "error": {
            "code": "internal_error",
            "message": "the call failed for a reason inside Karte",
            "remedy": "try again; the server's standard error says more",
        }
    }


def _short(value: Any) -> Any:
    return value if not isinstance(value, str) else value[: whole_letters(value, LONGEST_MESSAGE)]
