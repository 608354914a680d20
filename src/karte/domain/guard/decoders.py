"""Pieces of a text that say something else once decoded: base64, hex, binary, escapes, and what a terminal hides.

Every decoder gives pieces: what it says, and where it stood. A piece is at most as long as what it was decoded from, so
the work is bounded by the text times the depth to which the scanner decodes.
"""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple
from urllib.parse import unquote_to_bytes

from karte.domain.text.sequences import has_sequences, without_sequences

SHORTEST_READABLE: Final = 8
SHORTEST_BASE64: Final = 16
READABLE_SHARE: Final = 0.85

_BASE64: Final = re.compile(r"[A-Za-z0-9+/_-]{16,}={0,2}")
# Base64 in lines of equal length, as mail has it.
_WRAPPED: Final = re.compile(r"(?<![A-Za-z0-9+/])(?:[A-Za-z0-9+/]{32,80}\r?\n){1,4096}[A-Za-z0-9+/]{1,80}={0,2}")
# Letters in hex have a digit first; this settles most texts.
_HEX_AT_ALL: Final = re.compile(r"[0-9][0-9a-fA-F][ :,-]?[0-9a-fA-F]{2}[ :,-]?[0-9a-fA-F]{2}")
# Whatever the next two find has as many; most texts that come as far have a number, and no more.
_SIXTEEN_DIGITS: Final = re.compile(r"(?:[0-9a-fA-F]{2}[ :,-]?){8}")
_HEX: Final = re.compile(r"[0-9a-fA-F]{16,}|(?<![A-Za-z0-9])(?:[0-9a-fA-F]{2}[ :,-]){7,}[0-9a-fA-F]{2}")
_BINARY: Final = re.compile(r"(?:[01]{8}[ ,]?){4,}")
_PERCENT: Final = re.compile(r"%[0-9a-fA-F]{2}")
_ENTITY: Final = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z]{2,8});")
_ESCAPE: Final = re.compile(r"\\u\{([0-9a-fA-F]{1,6})\}|\\u([0-9a-fA-F]{4})|\\x([0-9a-fA-F]{2})|\\U([0-9a-fA-F]{8})")
_FEW: Final = 3
_TIMES: Final = 4


class Piece(NamedTuple):
    """What a stretch ``start:end`` of a text says once decoded."""

    text: str
    start: int
    end: int
    is_whole: bool = False


def decoded(text: str) -> Iterator[Piece]:
    """Every piece of the text that reads as text once decoded."""
    if has_sequences(text):  # a terminal, and every line that is shown of a page, hides what parts its words
        yield Piece(without_sequences(text), 0, len(text), is_whole=True)
    if "%" in text:
        yield from _escaped(text, _PERCENT, _percent)
    if "&" in text:
        yield from _escaped(text, _ENTITY, html.unescape)
    if "\\" in text:
        yield from _escaped(text, _ESCAPE, lambda part: _ESCAPE.sub(_escape, part))
    if max(map(len, text.split()), default=0) >= SHORTEST_BASE64:
        yield from _found(text, _BASE64, _base64)
        if "\n" in text:
            yield from _found(text, _WRAPPED, _base64)
    if _HEX_AT_ALL.search(text) and _SIXTEEN_DIGITS.search(text):
        yield from _found(text, _HEX, _hex)
        yield from _found(text, _BINARY, _binary)


def _found(text: str, pattern: re.Pattern[str], decode: Callable[[str], bytes]) -> Iterator[Piece]:
    for found in pattern.finditer(text):
        said = _readable(decode(found[0]))
        if said is not None:
            yield Piece(said, found.start(), found.end())


def _escaped(text: str, pattern: re.Pattern[str], decode: Callable[[str], str]) -> Iterator[Piece]:
    """The whole text with its escapes resolved, where it has more than a few; and theirs, a few times over.

    Only the last is judged: what can be read before is not an escape, and stays.
    """
    found = list(pattern.finditer(text))
    if len(found) < _FEW:
        return
    said = decode(text)
    for _ in range(_TIMES - 1):
        if pattern.search(said) is None:
            break
        said = decode(said)
    yield Piece(said, found[0].start(), found[-1].end(), is_whole=True)


def _percent(text: str) -> str:
    return unquote_to_bytes(text.encode("utf-8", "surrogatepass")).decode("utf-8", "replace")


def _escape(found: re.Match[str]) -> str:
    code = int(next(digits for digits in found.groups() if digits), 16)
    return chr(code) if code <= 0x10FFFF else " "


def _base64(text: str) -> bytes:
    plain = "".join(text.split()).replace("-", "+").replace("_", "/").rstrip("=")
    plain = plain[: len(plain) - 1] if len(plain) % 4 == 1 else plain
    return base64.b64decode(plain + "=" * (-len(plain) % 4))


def _hex(text: str) -> bytes:
    digits = re.sub(r"[ :,-]", "", text)
    return bytes.fromhex(digits[: len(digits) // 2 * 2])


def _binary(text: str) -> bytes:
    digits = re.sub(r"[ ,]", "", text)
    return bytes(int(digits[i : i + 8], 2) for i in range(0, len(digits), 8))


def _readable(raw: bytes) -> str | None:
    """The bytes as text, where they are one: valid UTF-8, nearly all of it letters, digits and blanks."""
    if len(raw) < SHORTEST_READABLE:
        return None
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start < len(raw) - 3:  # a letter may be cut off at the end
            return None
        text = raw[: error.start].decode("utf-8")
    plain = sum(character.isalnum() or character.isspace() or character in ".,:;!?'\"-_/()=" for character in text)
    return text if plain >= READABLE_SHARE * len(text) and text.isprintable() | ("\n" in text) else None
