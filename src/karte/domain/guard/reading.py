"""A text as the rules read it: folded, then cut into tokens.

A token is a word of a script with spaces, *one letter* of a script without (Han, kana, Hangul, Thai), the end of a
sentence, or a mark (a private-use letter that stands for something of punctuation, such as ``<|im_start|>``). What lies
between tokens is gone, so that no amount of blanks, hyphens or line breaks keeps two words apart.
"""

from __future__ import annotations

import re
from typing import Final

from karte.domain.text.folding import fold, normalise
from karte.domain.text.scripts import UNSPACED

MARKS: Final = "\ue000-\uf8ff"
FIRST_MARK: Final = 0xE000
STOPS: Final = frozenset(".!?。")

_STOP: Final = r"[.!?。](?=\s|$)|(?<=[^\W_])[。](?=[^\W_])"
_ASCII_TOKEN: Final = re.compile(r"[a-z0-9]+|[.!?](?=\s|$)")
_TOKEN: Final = re.compile(f"[{UNSPACED}{MARKS}]|[^\\W_{UNSPACED}]+|{_STOP}")
_WIDE: Final = re.compile(f"[{UNSPACED}]")
# Letters on dark ground and those that flags are made of; NFKC knows only the ones on light ground.
_LETTER_OF_PICTURE: Final = {
    first + i: chr(ord("a") + i) for first in (0x1F150, 0x1F170, 0x1F1E6) for i in range(26)
}  # fmt: skip
_PICTURED: Final = re.compile("[\U0001f150-\U0001f169\U0001f170-\U0001f189\U0001f1e6-\U0001f1ff]")
_MARK: Final = re.compile(f"[{MARKS}]")


def folded(text: str) -> str:
    """The text without case, accents, invisible characters and compatibility forms; free of marks."""
    if text.isascii():
        return text.lower()
    if _PICTURED.search(text):
        text = text.translate(_LETTER_OF_PICTURE)
    return fold(normalise(_MARK.sub(" ", text)))


def token_pattern(folded_text: str) -> re.Pattern[str]:
    """What finds the tokens of a folded text."""
    return _ASCII_TOKEN if folded_text.isascii() else _TOKEN


def tokens_of(folded_text: str) -> list[str]:
    """The tokens of a folded text, in order."""
    return token_pattern(folded_text).findall(folded_text)


def is_wide(token: str) -> bool:
    """Whether the token is a letter of a script that puts no space between words."""
    return not token.isascii() and _WIDE.match(token) is not None
