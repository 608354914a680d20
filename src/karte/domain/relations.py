"""The relations that a query names: by the words of a predicate, or by words that people say for it.

A predicate is written once (``spouse``), and asked for in many ways (wife, husband, married). Words of one kind
(``karte.domain.relation_words``) ask for each other's predicates, but not for those of another sort: who asks for the
mother asks for ``parents`` and not for ``father``. A predicate of several words is of a kind only as a whole or where
all of its words are, so that ``favorite_city`` is not where somebody lives.

What of a query may ask for one is in ``karte.domain.relation_slots``.

A fact is read from its subject on. Read the other way round it answers only words that ask for its inverse (the child
of a parent), for a relation that is the same from both sides, or, for ``AGAINST`` of its worth, its own words.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from karte.domain.relation_lexicon import (
    NO_SORTS,
    Sort,
    by_predicate,
    by_token,
    compound_name,
    compound_pattern,
    compounds,
    tokens_of_words,
)
from karte.domain.relation_slots import Slot
from karte.domain.relation_words import INVERSE, SYMMETRIC
from karte.domain.text import content_sequence

OF_A_KIND: Final = 0.95
"""What a word counts that people say for a relation, against the relation's own."""
AGAINST: Final = 0.5
"""What a fact counts that is read from its object on, where nothing says that it may be."""
_WITHIN_A_NAME: Final = re.compile("(?<=[a-z0-9])(?=[A-Z])")  # worksAt


class Taken(NamedTuple):
    """The slots that ask for a relation, as bits, and how well (above 0, at most 1)."""

    slots: int
    fit: float


NOTHING_TAKEN: Final = Taken(0, 1.0)


class Relation(NamedTuple):
    """What a predicate is asked for by."""

    tokens: tuple[str, ...]
    sorts: frozenset[Sort]
    made_of: tuple[tuple[str, ...], ...] = ()
    """The ways to make it of others."""

    def taken(self, slots: Sequence[Slot], used: int, *, is_forward: bool) -> Taken:
        """Which of the slots that are not used ask for it: one for each of its words, or one of its kind."""
        free = [(at, slot) for at, slot in enumerate(slots) if _is_free(slot, at, used)]
        if self.made_of:
            same = next(((at, len(slot.made_of)) for at, slot in free if slot.made_of in self.made_of), None)
            if same is None:
                return NOTHING_TAKEN
            return Taken(((1 << same[1]) - 1) << same[0], 1.0 if is_forward else AGAINST)
        own = {token: at for at, slot in reversed(free) if (token := slot.token) in self.tokens}
        if is_forward and len(own) < len(self.tokens) > 1:
            whole = _of_kinds(self.tokens, own, free)
            if whole:
                return Taken(whole, OF_A_KIND)
        asked = self.sorts if is_forward else self._turned()
        kin = next((at for at, slot in free if _is_asked(slot, asked)), None)
        if own:
            may_be_read = is_forward or any(kind in SYMMETRIC for kind, _ in self.sorts)
            taken = Taken(sum(1 << at for at in own.values()), 1.0 if may_be_read else AGAINST)
            return taken if may_be_read or kin is None else Taken(1 << kin, OF_A_KIND)
        return NOTHING_TAKEN if kin is None else Taken(1 << kin, OF_A_KIND)

    def is_asked_by(self, slots: Sequence[Slot], *, is_forward: bool = True) -> bool:
        """Whether any of the slots asks for it, whatever was taken before."""
        given = [1 << (at - 1) for at, slot in enumerate(slots) if slot.is_later]
        return any(self.taken(slots, used, is_forward=is_forward).slots for used in (0, *given))

    def _turned(self) -> frozenset[Sort]:
        """The sorts of what a fact says the other way round."""
        same = {(kind, 0) for kind, _ in self.sorts if kind in SYMMETRIC}
        return frozenset(same | {(INVERSE[kind], 0) for kind, _ in self.sorts if kind in INVERSE})


def _of_kinds(tokens: Sequence[str], own: Mapping[str, int], free: Sequence[tuple[int, Slot]]) -> int:
    """A slot for every word of a predicate, its own or one of its kind, as bits; 0 where one is missing.

    "What do I like to eat" asks for ``favorite_food``.
    """
    taken = sum(1 << at for at in own.values())
    for token in tokens:
        if token not in own:
            asked = by_token().get(token, NO_SORTS)
            kin = next((at for at, slot in free if not taken >> at & 1 and _is_asked(slot, asked)), None)
            if kin is None:
                return 0
            taken |= 1 << kin
    return taken


def _is_free(slot: Slot, at: int, used: int) -> bool:
    return not used >> at & 1 and (not slot.is_later or bool(used >> (at - 1) & 1))


def _is_asked(slot: Slot, asked: Collection[Sort]) -> bool:
    return any(
        kind == other and (sort == another or not sort or not another)
        for kind, sort in slot.sorts
        for other, another in asked
    )


@lru_cache(maxsize=1024)
def relation_of(predicate: str) -> Relation:
    """The words and the sorts of a predicate."""
    spaced = _WITHIN_A_NAME.sub(" ", predicate).replace("_", " ")
    pattern = compound_pattern(is_ascii=spaced.isascii())
    named = pattern.fullmatch(spaced.strip())
    if named:
        return Relation((), NO_SORTS, compounds()[compound_name(named)])
    rest = pattern.sub(" ", spaced)
    written = tokens_of_words(rest if rest != spaced else _WITHIN_A_NAME.sub(" ", predicate))
    tokens = tuple(dict.fromkeys(content_sequence(" ".join(written)))) or written
    sorts = by_predicate().get(written)
    if sorts is None and tokens:
        sorts = frozenset.intersection(*(by_token().get(token, NO_SORTS) for token in tokens))
    return Relation(tokens, sorts or NO_SORTS)
