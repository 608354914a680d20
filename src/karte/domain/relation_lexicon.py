"""The table of ``relation_words`` ready to look up in: the sorts of a word, and what relations are made of."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from karte.domain.relation_words import COMPOUNDS, KINDS
from karte.domain.text import index_text
from karte.domain.text.scripts import HAN, is_unspaced
from karte.domain.text.tokens import BARRIER

Sort = tuple[str, int]
"""A kind by its first word, and which sort of it; 0 is the general one."""
NO_SORTS: Final[frozenset[Sort]] = frozenset()
_VOWEL_BEFORE, _SIGN_BEHIND = "[\u0e40-\u0e44]", "[\u0e30-\u0e3a\u0e45-\u0e4e]"  # of one Thai syllable


@cache
def by_token() -> dict[str, frozenset[Sort]]:
    """The sorts of each word, by its token; what is written without spaces also as it stands."""
    sorts: dict[str, frozenset[Sort]] = {}
    for sort, word in _words():
        tokens = tokens_of_words(word)
        for token in {*(tokens if len(tokens) == 1 else ()), *([word] if is_unspaced(word[0]) else ())}:
            sorts[token] = sorts.get(token, NO_SORTS) | {sort}
    return sorts


@cache
def by_predicate() -> dict[tuple[str, ...], frozenset[Sort]]:
    """The sorts of what stands in the table as a whole, by its tokens."""
    sorts: dict[tuple[str, ...], frozenset[Sort]] = {}
    for sort, word in _words():
        sorts[tokens_of_words(word)] = sorts.get(tokens_of_words(word), NO_SORTS) | {sort}
    return sorts


def _words() -> Iterator[tuple[Sort, str]]:
    for kind in KINDS.split("\n\n"):
        called = kind.split()[0]
        for number, sort in enumerate(kind.split("/")):
            yield from (((called, number), word) for word in sort.split())


def compound_name(named: re.Match[str]) -> str:
    """How ``compounds`` calls what ``compound_pattern`` found."""
    return named["spaced"].lower().replace("-", " ") if named["spaced"] else named[0]


@cache
def compounds() -> dict[str, tuple[tuple[str, ...], ...]]:
    """What relations are made of others, by their names: each way to make them."""
    return {
        name.strip(): tuple(tuple(way.split()) for way in parts.split("|"))
        for names, _, parts in (line.partition(":") for line in COMPOUNDS.strip().splitlines())
        for name in names.split(",")
    }


@cache
def compound_pattern(*, is_ascii: bool) -> re.Pattern[str]:
    """What finds their names."""
    longest_first = sorted(compounds(), key=lambda name: (-len(name), name))
    spaced = "|".join(re.escape(name).replace(r"\ ", "[ -]") for name in longest_first if not is_unspaced(name[0]))
    others = [] if is_ascii else [_edged(name) for name in longest_first if is_unspaced(name[0])]
    return re.compile("|".join([rf"\b(?P<spaced>{spaced})s?\b", *others]), re.IGNORECASE)


def _edged(name: str) -> str:
    """A name of one Chinese letter stands by itself, and a Thai one is no part of a syllable."""
    alone = rf"(?<![{HAN}]){name}(?![{HAN}])" if len(name) == 1 else name
    return rf"(?<!{_VOWEL_BEFORE}){name}(?!{_SIGN_BEHIND})" if "\u0e00" < name[0] < "\u0e7f" else alone


@cache
def longest_unspaced() -> int:
    """The letters of the longest word in a script without spaces."""
    return max(len(word) for _, word in _words() if is_unspaced(word[0]))


def tokens_of_words(name: str) -> tuple[str, ...]:
    """The tokens of a name of a relation, in reading order."""
    return tuple(index_text(name).partition(BARRIER)[0].split())
