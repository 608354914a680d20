r"""Stored text as data inside Markdown that a model reads: nothing in it can end its place or begin anything.

``as_data`` gives one line, whatever came in:

1. escape sequences, invisible and control characters go, white space of any kind becomes a single space, and
   full-width forms of the signs below become the signs;
2. every sign that Markdown, HTML or a chat template could read is escaped: ``< > &`` as entities; ``\ ` * [ ] ~ | " #``
   and an underscore at the edge of a word by a backslash, as is what would make a bare address a link and, at the
   beginning, what would start a bullet, a numbered item or an underline;
3. at most ``most`` characters are given, never half an escape, and ``…`` says that more was there.

So what is put between straight quotes cannot leave them, and a line that holds such text stays one line.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from karte.domain.text.sequences import without_sequences

CUT: Final = "…"

_SIGNS: Final = frozenset('\\`*_[]~|"#<>&:/-+=.)')
_ENTITIES: Final = {"<": "&lt;", ">": "&gt;", "&": "&amp;"}
_LONGEST_NUMBER: Final = 9
"""Digits; Markdown numbers no item with more."""
_SPECIAL: Final = re.compile(
    "|".join(
        [
            r"[<>&\\`*\[\]~|\"#]",
            r"(?<![^\W_])_|_(?![^\W_])",  # inside a word it is a letter
            r":(?=//)|(?<=\bwww)\.",  # a link without brackets
            r"\A[-+=]",
            *(rf"(?<=\A\d{{{digits}}})[.)]" for digits in range(1, _LONGEST_NUMBER + 1)),
        ]
    ),
    re.IGNORECASE,
)
_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
_SELECTORS: Final = re.compile("[\u034f\u180b-\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_LONGEST_READ: Final = 4
"""Times the room: more than that is not looked at."""


def as_data(text: str, most: int) -> str:
    """The text on one line of at most ``most`` characters, escaped: data, wherever in a Markdown text it stands."""
    joined = " ".join(text.split())
    seen = _seen(joined[: _LONGEST_READ * most])
    pieces = list(_escaped(seen))
    whole = "".join(pieces)
    if len(whole) <= most and len(joined) <= _LONGEST_READ * most:
        return whole
    return _beginning(pieces, most - len(CUT)) + CUT


def _seen(text: str) -> str:
    """What a reader sees of the text: white space collapsed again, for what stood between may have gone."""
    if text.isascii() and text.isprintable():
        return text
    shown = "".join(_sign(letter) for letter in without_sequences(text) if unicodedata.category(letter) not in _UNSEEN)
    return " ".join(_SELECTORS.sub("", shown).split())


def _sign(letter: str) -> str:
    """The sign that the letter looks like, or the letter."""
    if letter.isascii():
        return letter
    plain = unicodedata.normalize("NFKC", letter)
    return plain if plain in _SIGNS else letter


def _escaped(text: str) -> Iterator[str]:
    """The text in pieces of which none can be taken apart: single letters, and escapes."""
    at = 0
    for found in _SPECIAL.finditer(text):
        yield from text[at : found.start()]
        sign = found.group()
        yield _ENTITIES.get(sign, f"\\{sign}")
        at = found.end()
    yield from text[at:]


def _beginning(pieces: list[str], room: int) -> str:
    kept: list[str] = []
    for piece in pieces:
        room -= len(piece)
        if room < 0:
            break
        kept.append(piece)
    return "".join(kept)
