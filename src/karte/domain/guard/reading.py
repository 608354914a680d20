"""A text as the rules read it: folded, then cut into tokens.

A token is a word of a script with spaces, *one letter* of a script without (Han, kana, Hangul, Thai), the end of a
sentence, or a mark (a private-use letter that stands for something of punctuation, such as ``<|im_start|>``). What lies
between tokens is gone, so that no amount of blanks, hyphens or line breaks keeps two words apart.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
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
_MARK: Final = re.compile(f"[{MARKS}]")
# A letter with everything that normalisation may draw into it: accents, voicing marks, the parts of a Hangul syllable.
_CLUSTER: Final = re.compile("(?s).[\u0300-\u036f\u1160-\u11ff\u3099\u309a\uff9e\uff9f]*")
_BLOCK: Final = 4096


def folded(text: str) -> str:
    """The text without case, accents, invisible characters and compatibility forms; free of marks."""
    if text.isascii():
        return text.lower()
    return fold(normalise(_MARK.sub(" ", text)))


def token_pattern(folded_text: str) -> re.Pattern[str]:
    """What finds the tokens of a folded text."""
    return _ASCII_TOKEN if folded_text.isascii() else _TOKEN


def tokens_of(folded_text: str) -> list[str]:
    """The tokens of a folded text, in order."""
    return token_pattern(folded_text).findall(folded_text)


def token_span(folded_text: str, first: int, last: int) -> tuple[int, int]:
    """Where the tokens from ``first`` to ``last`` (exclusive) begin and end in the folded text."""
    start = 0
    for number, found in enumerate(token_pattern(folded_text).finditer(folded_text)):
        if number == first:
            start = found.start()
        if number == last - 1:
            return start, found.end()
    return start, len(folded_text)


def is_wide(token: str) -> bool:
    """Whether the token is a letter of a script that puts no space between words."""
    return _WIDE.match(token) is not None


def letters_before(text: str, index: int) -> int:
    """How many letters and digits stand before an index."""
    return sum(map(str.isalnum, text[:index]))


def nth_letter(text: str, number: int) -> int:
    """The index of the letter that has ``number`` letters or digits before it, or the end of the text."""
    for index, character in enumerate(text):
        if character.isalnum():
            if number == 0:
                return index
            number -= 1
    return len(text)


def original_index(text: str, number: int) -> int:
    """Where the letter that has ``number`` letters before it *once folded* stands in the text as it was given.

    Folding keeps letters in order but not their count (``ﬁ`` gives two, a voicing mark none), so this counts what each
    letter folds to, whole blocks at a time.
    """
    at = 0
    while at < len(text):
        end = _after_cluster(text, at + _BLOCK)
        held = letters_before(*_with_length(folded(text[at:end])))
        if held > number:
            break
        number -= held
        at = end
    for cluster in _CLUSTER.finditer(text, at):
        held = letters_before(*_with_length(folded(cluster[0])))
        if held > number:
            return cluster.start()
        number -= held
    return len(text)


def original_span(text: str, first: int, count: int) -> tuple[int, int]:
    """The stretch of the original text that folds to ``count`` letters after the first ``first`` ones."""
    start = original_index(text, first)
    last = original_index(text, first + max(count, 1) - 1)
    return start, _after_cluster(text, last + 1)


def _after_cluster(text: str, index: int) -> int:
    found = _CLUSTER.match(text, max(index - 1, 0))
    return found.end() if found else len(text)


def _with_length(text: str) -> tuple[str, int]:
    return text, len(text)


def letters_in(tokens: Sequence[str]) -> int:
    """How many letters and digits the tokens hold."""
    return sum(len(token) for token in tokens if token.isalnum())
