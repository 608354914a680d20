"""Words brought to their stem, so that ``organised`` finds ``organise``.

The Snowball stemmers (PyStemmer, C, wheels for every platform, 0.4 microseconds a word) after folding.  Which one is
decided by the word alone where the script tells the language; a word in Latin letters gets the English one, because a
query of one word does not say what language it is in and document and query must agree.  What the other European
languages need on top is in ``languages``.
"""

from __future__ import annotations

import threading
from functools import cache, lru_cache
from typing import Final, Protocol, cast

import Stemmer  # type: ignore[import-not-found]  # C, without stubs

from karte.domain.text.irregular import REGULAR_FORM

# Longer ones are keys, hashes and noise, where cutting an ending only makes different things alike.
_LONGEST_WORD: Final = 40
_BY_FIRST_LETTER: Final = (
    (0x0370, 0x03FF, "greek"),
    (0x0400, 0x052F, "russian"),
    (0x0530, 0x058F, "armenian"),
    (0x0620, 0x06FF, "arabic"),
    (0x0900, 0x097F, "hindi"),
    (0x0B80, 0x0BFF, "tamil"),
)
# The C object keeps its buffer between calls: one caller at a time.
_ONE_AT_A_TIME: Final = threading.Lock()


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...  # noqa: N802 - the library's name


@cache
def _stemmer(language: str) -> _Stemmer:
    # Its own cache off: the callers keep theirs.
    return cast(_Stemmer, Stemmer.Stemmer(language, 0))


def _script_language(word: str) -> str | None:
    first = ord(word[0])
    if first < 0x0250:
        return "english"
    return next((language for low, high, language in _BY_FIRST_LETTER if low <= first <= high), None)


def stem_as(word: str, language: str) -> str:
    """The stem of a folded word under the rules of one language."""
    if len(word) > _LONGEST_WORD:
        return word
    with _ONE_AT_A_TIME:
        return _stemmer(language).stemWord(word) or word


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """The stem of a folded word: English for Latin letters, else by its script, else the word."""
    if len(word) < 3 or word.isdigit():
        return word
    word = REGULAR_FORM.get(word, word)
    language = _script_language(word)
    return word if language is None else stem_as(word, language)
