"""Lines of JSON, and what a command says, as memories to write: the writable fields of ``record``."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from karte.domain.model import MemoryEntry, TemporalMeta
from karte.domain.trust import CLASSES, class_of
from karte.errors import InvalidInput, InvalidText, Refused

Fields = dict[str, Any]
Item = tuple[MemoryEntry, TemporalMeta]

COMPUTED: Final = frozenset(
    "is_current ingested_at superseded_by supersedes invalidated_by_event invalidated_at reaffirmed_by contested "
    "state score explain content_truncated".split()
)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_time(value: object) -> bool:
    return _is_text(value) or _is_number(value)


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _is_object(value: object) -> bool:
    return isinstance(value, dict)


WRITABLE: Final[Mapping[str, tuple[str, Callable[[object], bool]]]] = {
    "id": ("text", _is_text),
    "content": ("text", _is_text),
    "subject": ("text", _is_text),
    "predicate": ("text", _is_text),
    "object": ("text", _is_text),
    "valid_from": ("a time", _is_time),
    "valid_until": ("a time", _is_time),
    "layer": ("text", _is_text),
    "tags": ("a list of texts", _is_texts),
    "importance": ("a number", _is_number),
    "metadata": ("an object", _is_object),
    "derived_from": ("a list of ids", _is_texts),
    "confidence": ("a number", _is_number),
    "origin": ("text", _is_text),
    "origin_trust": ("a number", _is_number),
    "source_event": ("text", _is_text),
    "timestamp": ("a time", _is_time),
}


def read_line(line: bytes) -> Fields | None:
    """The fields that a line says, or None for a blank one; raises ``InvalidInput`` naming what is wrong."""
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidText("not UTF-8", value=line[:40], remedy="save the file as UTF-8") from error
    if not text.strip():
        return None
    try:
        said = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"not JSON ({error})", remedy="write one JSON object a line") from error
    if not isinstance(said, dict):
        raise InvalidInput("not a JSON object", value=text.strip(), remedy="write one JSON object a line")
    return checked({name: value for name, value in said.items() if value is not None})


def checked(fields: Fields) -> Fields:
    """The same fields, if each may be written and is of its kind."""
    for name, value in fields.items():
        if name in COMPUTED:
            raise InvalidInput("computed by Karte, not written", field=name, remedy="leave it out")
        if name not in WRITABLE:
            remedy = f"the writable ones are {', '.join(WRITABLE)}"
            raise InvalidInput("no such field", field=name, remedy=remedy)
        kind, fits = WRITABLE[name]
        if not fits(value):
            raise InvalidInput(f"not {kind}", field=name, value=value, remedy=f"give {kind}")
    if "content" not in fields:
        raise InvalidText("missing", field="content", remedy="say what is to be remembered")
    return fields


def to_item(fields: Fields, *, agent: str, origin: str) -> Item:
    """The entry and its meta; a fact is semantic and a plain memory episodic unless it says otherwise.

    ``origin`` is on whose word it is written. Fields may name another, but never one that is
    trusted more: a file cannot vouch for itself.
    """
    is_fact = bool(fields.get("subject")) and bool(fields.get("predicate"))
    entry = MemoryEntry(
        content=fields["content"],
        agent_id=agent,
        id=fields.get("id"),
        timestamp=fields.get("timestamp"),
        tags=fields.get("tags", ()),
        layer=fields.get("layer", "semantic" if is_fact else "episodic"),
        importance=fields.get("importance", 5.0),
    )
    meta = TemporalMeta(
        subject=fields.get("subject"),
        predicate=fields.get("predicate"),
        object=fields.get("object"),
        valid_from=fields.get("valid_from"),
        valid_until=fields.get("valid_until"),
        confidence=fields.get("confidence", 1.0),
        metadata=fields.get("metadata", {}),
        origin=_origin(fields.get("origin"), origin),
        origin_trust=fields.get("origin_trust"),
        derived_from=fields.get("derived_from", ()),
        source_event=fields.get("source_event"),
    )
    return entry, meta


def _origin(named: str | None, vouched: str) -> str:
    if named is None:
        return vouched
    if CLASSES[class_of(named)].ceiling > CLASSES[class_of(vouched)].ceiling:
        raise Refused(
            f"more trusted than {vouched}, on whose word it is written",
            field="origin",
            value=named,
            remedy=f"give --origin {named} if you vouch for it",
        )
    return named
