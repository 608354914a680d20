"""European languages other than English, found without knowing which one is spoken.

A word in Latin letters has its English stem in the index, whoever wrote it; that finds ``Vertrag`` by ``Vertrag`` but
not ``Katze`` by ``Katzen``.  So a memory that is recognisably not English also carries the stems of its own language,
marked with ``~`` so that they meet only each other, and a query that is not recognisably English looks for them too.
An English memory has none and an English question asks for none: English is untouched.

Recognised by the stop words alone: the language with the most of them, if it has more than English has.  A text without
any of these words, but with accents, may be any of the languages, as may a query of bare content words.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from karte.domain.text.stemming import stem_as
from karte.domain.text.stopwords import ENGLISH, LATIN_LANGUAGES

MARK: Final = "~"
ENGLISH_NAME: Final = "english"
ALL: Final = tuple(LATIN_LANGUAGES)
LEAST_SHARE: Final = 5


def _voters() -> dict[str, tuple[str, ...]]:
    lists = {ENGLISH_NAME: ENGLISH, **LATIN_LANGUAGES}
    words = frozenset().union(*lists.values())
    return {word: tuple(name for name, stops in lists.items() if word in stops) for word in words}


_VOTERS: Final = _voters()


def votes(word: str) -> tuple[str, ...]:
    """The languages whose stop word the folded word is."""
    return _VOTERS.get(word, ()) if len(word) > 1 else ()


def recognise(ballots: Iterable[tuple[str, ...]]) -> tuple[str, ...] | None:
    """The languages the text may be in, from the votes of each of its words: ``()`` is English, None is no telling.

    Where stop words are fewer than one word in ``LEAST_SHARE`` there is no telling: ``door`` alone, an English noun,
    does not make a dozen words Dutch.
    """
    counts: dict[str, int] = {}
    words = 0
    for ballot in ballots:
        words += 1
        for language in ballot:
            counts[language] = counts.get(language, 0) + 1
    if not counts:
        return None
    most = max(counts.values())
    # A tie with English is English: "in" and "an" are German too.
    if counts.get(ENGLISH_NAME, 0) == most:
        return ()
    if most * LEAST_SHARE < words:
        return None
    return tuple(language for language in ALL if counts.get(language) == most)


@lru_cache(maxsize=8192)
def foreign_stems(word: str, languages: tuple[str, ...]) -> tuple[str, ...]:
    """The marked stems of a folded word under the rules of these languages, each once."""
    return tuple(dict.fromkeys(MARK + stem_as(word, language) for language in languages))
