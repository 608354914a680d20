"""What an apostrophe does to a word: ``team's``, ``l'école``, ``rock'n'roll``, ``İstanbul'da``, ``don't``, ``м'який``.

The possessive goes, and an article before a word is a word of its own.  Any other word with apostrophes stays whole,
written without them, and its parts are found by themselves.  What is no such part: one or two letters (``'ll``,
``n'``), a word that carries no subject (``they're``), and what is left of a negated one (``don`` of ``don't``).
"""

from __future__ import annotations

import re
from typing import Final

from karte.domain.text.stopwords import ENGLISH

_ONE: Final = "['’]"
_ANY: Final = re.compile(_ONE)
_POSSESSIVE: Final = re.compile(rf"{_ONE}[sS]$")
# l'école, d'accord, dell'arte: the article is a word of its own.
_ELISION: Final = re.compile(
    rf"^(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|un|gl|(?:d|n|s)?(?:all|ell)|quell|sull|coll){_ONE}(?=\w)", re.IGNORECASE
)
# 1'000'000, ג'ירפה, п'ять: the sign belongs to the number or to the letter beside it, and nothing ends there.
_WITHIN: Final = re.compile(
    rf"(?<=\d){_ONE}(?=\d)|(?<=[\u05d0-\u05ea]){_ONE}(?=[\u05d0-\u05ea])"
    rf"|(?<=[\u0400-\u052f]){_ONE}(?=[яюєїеёіЯЮЄЇЕЁІ])"
)
_SHORTEST_PART: Final = 3


def without_ending(piece: str) -> str:
    """The piece without the possessive ``'s``."""
    return _POSSESSIVE.sub("", piece)


def split_article(piece: str) -> tuple[tuple[str, ...], str]:
    """The article that leans on the word, if there is one, and the rest."""
    article = _ELISION.match(piece)
    return ((article.group()[:-1],), piece[article.end() :]) if article else ((), piece)


def joined(piece: str) -> str:
    """The piece written without apostrophes."""
    return _ANY.sub("", piece)


def parts_between(word: str) -> tuple[str, ...] | None:
    """What is found by itself of a word with apostrophes; None for a word without."""
    if not _ANY.search(word):
        return None
    parts = _ANY.split(_WITHIN.sub("", word))
    if len(parts) == 1:
        return None
    return tuple(part for part, after in zip(parts, [*parts[1:], ""], strict=True) if _stands_alone(part, after))


def _stands_alone(part: str, after: str) -> bool:
    if part.isdigit():  # 5'te, 90'lar
        return True
    is_negated = after.lower() == "t" and part[-1:].lower() == "n"
    return len(part) >= _SHORTEST_PART and not is_negated and part.lower() not in ENGLISH
