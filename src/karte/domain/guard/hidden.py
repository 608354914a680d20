"""What a text holds that no reader sees: tag characters, variation selectors, invisible runs, turned direction.

Invisible characters have honest uses (joiners in Persian and in emoji, soft hyphens, marks around right-to-left names,
flags of regions written with tags); none of those makes a signal.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from karte.domain.guard.decoders import Piece

_FLAG: Final = "\U0001f3f4[\U000e0030-\U000e007a]{1,7}\U000e007f"
_TAGS: Final = re.compile(f"{_FLAG}|(?P<tags>[\U000e0000-\U000e007f]+)")
_FEWEST_TAGS: Final = 4
_SELECTORS: Final = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{6,}")
_INVISIBLE_RUN: Final = re.compile("[\u200b-\u200f\u2060-\u2064\u206a-\u206f\u180e\ufeff\u00ad\u034f\u3164\uffa0]{16,}")
_SPLIT_WORD: Final = re.compile("(?:[A-Za-z][\u200b\u200c\u200d\u2060-\u2064\ufeff\u00ad\u180e\u034f]+){3,}[A-Za-z]")
_TURNED: Final = re.compile("[\u202d\u202e]([^\u202a-\u202e\u2066-\u2069\n]*)")
_ANY: Final = re.compile(
    "[\u00ad\u034f\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e01ef]"
)


def has_hidden(text: str) -> bool:
    """Whether any such character is there."""
    return not text.isascii() and _ANY.search(text) is not None


def signals(text: str) -> Iterator[tuple[str, int, int]]:
    """The signals of hidden characters, each with where it stands."""
    if not has_hidden(text):
        return
    for found in _TAGS.finditer(text):
        if len(found["tags"] or "") >= _FEWEST_TAGS:
            yield "tag-characters", found.start(), found.end()
    for name, pattern in (
        ("variation-selectors", _SELECTORS),
        ("invisible-run", _INVISIBLE_RUN),
        ("split-by-invisible", _SPLIT_WORD),
    ):
        for found in pattern.finditer(text):
            yield name, found.start(), found.end()
    for found in _TURNED.finditer(text):
        if found[1]:
            yield "bidi-override", found.start(), found.end()


def revealed(text: str) -> Iterator[Piece]:
    """What the hidden characters say: tags as letters, selectors as bytes, turned text turned back."""
    if not has_hidden(text):
        return
    tagged = [found for found in _TAGS.finditer(text) if found["tags"]]
    if tagged:
        # All of them as one: what stands between may be there only to part them.
        said = " ".join("".join(map(_untagged, found["tags"])) for found in tagged)
        yield Piece(said, tagged[0].start(), tagged[-1].end())
    for found in _SELECTORS.finditer(text):
        raw = bytes(_selected(character) for character in found[0])
        yield Piece(raw.decode("utf-8", "replace"), found.start(), found.end())
    for found in _TURNED.finditer(text):
        if found[1]:
            yield Piece(found[1][::-1], found.start(), found.end())


def _untagged(tag: str) -> str:
    return chr(ord(tag) - 0xE0000) if 0xE0020 <= ord(tag) < 0xE007F else ""


def _selected(selector: str) -> int:
    code = ord(selector)
    return code - 0xFE00 if code <= 0xFE0F else code - 0xE0100 + 16
