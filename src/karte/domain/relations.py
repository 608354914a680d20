"""The relations that a query names: by the words of a predicate, or by words that people say for it.

A predicate is written once (``spouse``), and asked for in many ways (wife, husband, married). Words of one kind
(``karte.domain.relation_words``) ask for each other's predicates. A predicate of several words is of a kind only as a
whole or where all of its words are, so that ``favorite_city`` is not where somebody lives.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from typing import Final, NamedTuple

from karte.domain.relation_words import KINDS
from karte.domain.text import content_sequence, index_text
from karte.domain.text.scripts import is_unspaced

_WITHIN_A_NAME: Final = re.compile("(?<=[a-z0-9])(?=[A-Z])")  # worksAt
MOST_SLOTS: Final = 24
"""Words of a query beyond these are not looked at."""


class Slot(NamedTuple):
    """A word of the query that may name a relation: its token, and the kinds that it is of."""

    token: str
    kinds: frozenset[int]


def slots_of(query: str, without: Collection[str]) -> tuple[Slot, ...]:
    """The words of a query that may name relations, in reading order, without some tokens (of the entities named)."""
    tokens = [token for token in content_sequence(index_text(query)) if token not in without]
    unspaced = [word for word in _unspaced_words(query) if word not in tokens]
    return tuple(Slot(word, _by_token().get(word, _NONE)) for word in (*unspaced, *tokens)[:MOST_SLOTS])


class Relation(NamedTuple):
    """What a predicate is asked for by."""

    tokens: tuple[str, ...]
    kinds: frozenset[int]

    def taken(self, slots: Sequence[Slot], used: int) -> int:
        """Which of the slots that are not used ask for it, as bits: one for each of its words, or one of its kind."""
        taken = 0
        kinds = self.kinds
        for token in self.tokens:
            place = next((at for at, slot in enumerate(slots) if slot.token == token and not used >> at & 1), None)
            if place is not None:
                taken |= 1 << place
                kinds -= slots[place].kinds if slots[place].kinds & self.kinds else _NONE
        if kinds == self.kinds:
            place = next((at for at, slot in enumerate(slots) if slot.kinds & kinds and not used >> at & 1), None)
            taken |= 0 if place is None else 1 << place
        return taken


def relation_of(predicate: str) -> Relation:
    """The words and the kinds of a predicate."""
    apart = _WITHIN_A_NAME.sub(" ", predicate)
    tokens = tuple(dict.fromkeys(content_sequence(index_text(apart))))
    whole = _by_predicate().get(tokens)
    if whole is None and tokens:
        whole = frozenset.intersection(*(_by_token().get(token, _NONE) for token in tokens))
    return Relation(tokens, whole or _NONE)


def _unspaced_words(query: str) -> Iterator[str]:
    """The words of a kind that stand in what is written without spaces, the longest first at each place."""
    at = 0
    while at < len(query):
        if is_unspaced(query[at]):
            word = next(
                (query[at : at + size] for size in range(_longest(), 0, -1) if _is_known(query[at : at + size])), ""
            )
            if word:
                yield word
            at += len(word) or 1
        else:
            at += 1


def _is_known(word: str) -> bool:
    return is_unspaced(word[-1:] or " ") and word in _by_token()


_NONE: Final[frozenset[int]] = frozenset()


@cache
def _by_token() -> dict[str, frozenset[int]]:
    """The kinds of each word, by its token; what is written without spaces also as it stands."""
    kinds: dict[str, frozenset[int]] = {}
    for number, word in _words():
        tokens = content_sequence(index_text(word))
        for token in (*(tokens if len(tokens) == 1 else ()), *([word] if is_unspaced(word[0]) else ())):
            kinds[token] = kinds.get(token, _NONE) | {number}
    return kinds


@cache
def _by_predicate() -> dict[tuple[str, ...], frozenset[int]]:
    kinds: dict[tuple[str, ...], frozenset[int]] = {}
    for number, word in _words():
        tokens = tuple(dict.fromkeys(content_sequence(index_text(word))))
        kinds[tokens] = kinds.get(tokens, _NONE) | {number}
    return kinds


def _words() -> Iterator[tuple[int, str]]:
    return ((number, word) for number, kind in enumerate(KINDS.split("\n\n")) for word in kind.split())


@cache
def _longest() -> int:
    return max(len(word) for _, word in _words() if is_unspaced(word[0]))
