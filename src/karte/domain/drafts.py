"""What every door checks of a write before anything is stored.

``draft_of`` turns a caller's entry into a ``Draft``: text that can be stored, numbers in range,
times in the written form. It raises the error that names the field and the remedy.
"""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from typing import Any, Final, NamedTuple

from karte.domain.entities import normalise
from karte.domain.model import Instant, MemoryEntry, TemporalMeta
from karte.domain.time import parse_end, parse_instant
from karte.domain.trust import checked_number, checked_share
from karte.errors import InvalidInput, InvalidInterval, InvalidText, ReservedName, TooMany

LAYERS: Final = ("episodic", "semantic", "procedural")
MAX_CONTENT: Final = 1_000_000
MAX_NAME: Final = 10_000
MAX_TAGS: Final = 100
MAX_SOURCES: Final = 1_000
MAX_METADATA: Final = 100_000
OWN_METADATA: Final = ("reaffirmed_by", "continues")
OWN_EVENTS: Final = ("origin_purge", "quarantine_reject")
"""Marks of ours that a caller's ``source_event`` must not imitate."""

_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:@#+-]{0,199}", re.ASCII)


class Draft(NamedTuple):
    """A checked write (a tuple, because batches make them by the thousand).

    ``timestamp`` and ``valid_from`` None mean the instant of writing.
    """

    agent_id: str
    content: str
    id: str | None
    timestamp: str | None
    tags: tuple[str, ...]
    layer: str
    importance: float
    access_count: int
    last_accessed: str | None
    source_event: str
    subject: str | None
    predicate: str | None
    object: str | None
    valid_from: str | None
    valid_until: str | None
    confidence: float
    metadata: str
    origin: str
    claimed_trust: float | None
    derived_from: tuple[str, ...]
    embedding: bytes | None
    embedding_model: str | None = None


def draft_of(entry: MemoryEntry, meta: TemporalMeta, default_origin: str) -> Draft:
    """The write that the caller means, checked; nothing is stored yet."""
    if not isinstance(entry, MemoryEntry):
        raise InvalidInput("not a memory", field="entry", value=entry, remedy="give a MemoryEntry")
    if not isinstance(meta, TemporalMeta):
        raise InvalidInput("not what a fact is made of", field="meta", value=meta, remedy="give a TemporalMeta")
    valid_from = None if meta.valid_from is None else parse_instant(meta.valid_from, "valid_from")
    valid_until = None if meta.valid_until is None else parse_end(meta.valid_until, "valid_until")
    if valid_from is not None:
        check_interval(valid_from, valid_until)
    timestamp = _timestamp(entry.timestamp, meta.valid_from, valid_from)
    accessed = entry.last_accessed
    event = entry.source_event if meta.source_event is None else meta.source_event
    return Draft(
        agent_id=checked_name(entry.agent_id, "agent_id"),
        content=checked_text(entry.content, "content", MAX_CONTENT),
        id=None if entry.id is None else checked_id(entry.id),
        timestamp=timestamp,
        tags=checked_tags(entry.tags),
        layer=checked_layer(entry.layer),
        importance=checked_number(entry.importance, "importance", 0.0, 10.0),
        access_count=_checked_count(entry.access_count),
        last_accessed=None if accessed is None else parse_instant(accessed, "last_accessed"),
        source_event=checked_event(event, "source_event"),
        subject=_part(meta.subject, "subject"),
        predicate=_part(meta.predicate, "predicate"),
        object=None if meta.object is None else _text(meta.object, "object", MAX_NAME),
        valid_from=valid_from,
        valid_until=valid_until,
        confidence=checked_share(meta.confidence, "confidence"),
        metadata=checked_metadata(meta.metadata),
        origin=checked_origin(default_origin if meta.origin is None else meta.origin),
        claimed_trust=None if meta.origin_trust is None else checked_share(meta.origin_trust, "origin_trust"),
        derived_from=checked_sources(meta.derived_from),
        embedding=_checked_embedding(entry.embedding),
    )


def _timestamp(given: Instant | None, start: Instant | None, parsed: str | None) -> str | None:
    """When it was observed; often the very value that says since when it is true."""
    if given is None:
        return None
    if given is start:
        return parsed
    return parse_instant(given, "timestamp")


def check_interval(valid_from: str, valid_until: str | None) -> None:
    """Refuses an end that is not after the start, naming both."""
    if valid_until is not None and valid_until <= valid_from:
        raise InvalidInterval(
            f"the end is not after the start {valid_from}",
            field="valid_until",
            value=valid_until,
            remedy="give a valid_until after valid_from, or leave it out",
        )


def checked_items(items: object) -> Iterable[Any]:
    """The items, if they are several things one after another."""
    if isinstance(items, str | bytes | Mapping) or not isinstance(items, Iterable):
        raise InvalidInput("not a list of memories", field="items", value=items, remedy="give a list, even for one")
    return items


def checked_text(text: object, field: str, most: int = MAX_NAME) -> str:
    """Text with something in it that can be stored."""
    if type(text) is str and 0 < len(text) <= most and text.isascii() and "\x00" not in text and not text.isspace():
        return text  # what most texts are
    checked = _text(text, field, most)
    if not checked or checked.isspace():
        raise InvalidText("empty", field=field, value=text, remedy="write something")
    return checked


def checked_name(text: object, field: str) -> str:
    """Text with something in it, short enough for a name."""
    return checked_text(text, field, MAX_NAME)


def checked_id(text: object) -> str:
    """An identifier that a caller brings."""
    if not isinstance(text, str) or not _ID.fullmatch(text):
        raise InvalidInput(
            "not an identifier",
            field="id",
            value=text,
            remedy="use up to 200 of A-Z a-z 0-9 . _ : @ # + - beginning with a letter or digit",
        )
    return text


def checked_layer(layer: object) -> str:
    """One of the three layers."""
    if layer not in LAYERS:
        raise InvalidInput("no such layer", field="layer", value=layer, remedy=f"use one of {', '.join(LAYERS)}")
    return str(layer)


def checked_event(text: object, field: str) -> str:
    """A caller's event, which must not imitate a mark of ours."""
    event = _text(text, field, MAX_NAME)
    if event in OWN_EVENTS:
        raise ReservedName("this event is written by Karte alone", field=field, value=event, remedy="use another")
    return event


def checked_origin(text: object) -> str:
    """Where a write comes from: ``class`` or ``class:detail``."""
    return checked_text(text, "origin", MAX_NAME)


def checked_tags(tags: object) -> tuple[str, ...]:
    """A list of tags, each once, in the order given."""
    if not tags and type(tags) is tuple:
        return ()
    if isinstance(tags, str) or not isinstance(tags, Sequence):
        raise InvalidInput("not a list of texts", field="tags", value=tags, remedy='use ["a", "b"]')
    if not tags:
        return ()
    if len(tags) > MAX_TAGS:
        raise TooMany("too many tags", field="tags", value=len(tags), remedy=f"at most {MAX_TAGS}")
    return tuple(dict.fromkeys(checked_name(tag, "tags") for tag in tags))


def checked_sources(ids: object) -> tuple[str, ...]:
    """The ids that a write says it was derived from, each once."""
    if not ids and type(ids) is tuple:
        return ()
    if isinstance(ids, str) or not isinstance(ids, Sequence):
        raise InvalidInput("not a list of ids", field="derived_from", value=ids, remedy='use ["id", "id"]')
    if len(ids) > MAX_SOURCES:
        raise TooMany("too many ids", field="derived_from", value=len(ids), remedy=f"at most {MAX_SOURCES}")
    return tuple(dict.fromkeys(checked_name(source, "derived_from") for source in ids))


def checked_metadata(metadata: object) -> str:
    """The caller's metadata as JSON text."""
    if not metadata and (type(metadata) is dict or isinstance(metadata, Mapping)):
        return "{}"
    for key in OWN_METADATA:
        if isinstance(metadata, Mapping) and key in metadata:
            raise ReservedName(
                "this key is written by Karte alone",
                field="metadata",
                value=key,
                remedy="use another key",
            )
    return checked_object(metadata, "metadata")


def checked_object(value: object, field: str) -> str:
    """A JSON object as text."""
    if not isinstance(value, Mapping):
        raise InvalidInput("not a JSON object", field=field, value=value, remedy='use {"key": "value"}')
    _check_json(value, field)
    try:
        written = json.dumps(dict(value), ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(
            f"cannot be written as JSON ({error})",
            field=field,
            value=value,
            remedy="use texts, finite numbers, true, false, null, lists and objects",
        ) from error
    if len(written) > MAX_METADATA:
        raise InvalidInput(
            "too large",
            field=field,
            value=len(written),
            remedy=f"at most {MAX_METADATA} characters of JSON",
        )
    return written


def _check_json(value: Any, field: str, depth: int = 0) -> None:
    """Keys are texts, and every text can be stored."""
    if depth > 50:
        raise InvalidInput("nested too deeply", field=field, remedy="at most 50 levels")
    if isinstance(value, str):
        _text(value, field, MAX_METADATA)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            if not isinstance(key, str):
                raise InvalidInput("a key is not text", field=field, value=key, remedy="use text keys")
            _text(key, field, MAX_NAME)
            _check_json(item, field, depth + 1)
    elif isinstance(value, list | tuple):
        for item in value:
            _check_json(item, field, depth + 1)


def _part(text: object, field: str) -> str | None:
    """A part of an identity; one that is empty makes no fact."""
    if text is None:
        return None
    part = _text(text, field, MAX_NAME)
    is_there = bool(part) and not part.isspace() if part.isascii() else bool(normalise(part))
    return part if is_there else None


def _text(text: object, field: str, most: int) -> str:
    if type(text) is str and len(text) <= most and text.isascii() and "\x00" not in text:
        return text  # what most texts are
    if not isinstance(text, str):
        raise InvalidText("not text", field=field, value=text, remedy="give text")
    if len(text) > most:
        raise TooMany("too long", field=field, value=len(text), remedy=f"at most {most} characters")
    if "\x00" in text or not _is_whole(text):
        raise InvalidText(
            "holds half a surrogate pair or a NUL character",
            field=field,
            value=text,
            remedy="send whole Unicode characters without NUL",
        )
    return text


def _is_whole(text: str) -> bool:
    """Whether it holds no half of a surrogate pair."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _checked_count(count: object) -> int:
    if isinstance(count, bool) or not isinstance(count, int) or not 0 <= count < 2**53:
        raise InvalidInput("not a count", field="access_count", value=count, remedy="give 0 or more")
    return count


def _checked_embedding(vector: Sequence[float] | None) -> bytes | None:
    if vector is None:
        return None
    try:
        numbers = [] if isinstance(vector, str | bytes | Mapping) else [float(number) for number in vector]
        if numbers and all(isfinite(number) for number in numbers):
            return struct.pack(f"<{len(numbers)}f", *numbers)
    except (TypeError, ValueError, OverflowError):
        pass
    raise InvalidInput(
        "not a vector of finite numbers", field="embedding", value=vector, remedy="give finite numbers of 32 bits"
    )
