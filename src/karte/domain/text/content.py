"""What a text says: its tokens without the words that carry no subject, in reading order or as a set."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Final

from karte.domain.text.stemming import stem
from karte.domain.text.stopwords import ENGLISH, OTHER_SCRIPTS
from karte.domain.text.tokens import BARRIER, WORTH_KEEPING, index_text


def content_sequence(folded: str) -> list[str]:
    """The tokens of a folded form in reading order, as often as they stand there, but for stop words."""
    stop_tokens = _stop_tokens()
    return [token for token in folded.partition(BARRIER)[0].split() if token not in stop_tokens]


def content_tokens(folded: str) -> frozenset[str]:
    """The tokens of a folded form as a set, but for stop words."""
    return frozenset(folded.partition(BARRIER)[0].split()) - _stop_tokens()


def content_tokens_of(text: str) -> frozenset[str]:
    """The same of a text that is not folded yet.

    In ASCII no piece reaches over white space, so each word between it is folded by itself, and once.
    """
    words = text.split() if text.isascii() else [text]
    return _NONE.union(*[_of_kept(word) if len(word) <= WORTH_KEEPING else _of(word) for word in words])


def _of(word: str) -> frozenset[str]:
    return content_tokens(index_text(word))


_of_kept: Final = lru_cache(maxsize=4096)(_of)
_NONE: Final[frozenset[str]] = frozenset()


@cache
def _stop_tokens() -> frozenset[str]:
    return frozenset(stem(word) for word in ENGLISH | OTHER_SCRIPTS)
