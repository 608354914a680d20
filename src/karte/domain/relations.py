"""The relations that a query names: by the words of a predicate, or by words that people say for it.

A predicate is written once (``spouse``), and asked for in many ways (wife, husband, married). Words of one kind
(``karte.domain.relation_words``) ask for each other's predicates, but not for those of another sort: who asks for the
mother asks for ``parents`` and not for ``father``. A predicate of several words is of a kind only as a whole or where
all of its words are, so that ``favorite_city`` is not where somebody lives.

A relation that is made of others (the mother-in-law is the spouse's mother) takes one word for each of them, in their
order; a predicate of that very name takes all at once.

A fact is read from its subject on. Read the other way round it answers only words that ask for its inverse (the child
of a parent), for a relation that is the same from both sides, or, for ``AGAINST`` of its worth, its own words.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import Final, NamedTuple

from karte.domain.entities import normalise
from karte.domain.linking import tokens_of
from karte.domain.relation_words import COMPOUNDS, INVERSE, KINDS, SYMMETRIC
from karte.domain.text import content_sequence, index_text
from karte.domain.text.scripts import is_hiragana, is_unspaced
from karte.domain.text.tokens import BARRIER

MOST_SLOTS: Final = 24
"""Words of a query beyond these are not looked at; those of a kind come first."""
OF_A_KIND: Final = 0.95
"""What a word counts that people say for a relation, against the relation's own."""
AGAINST: Final = 0.5
"""What a fact counts that is read from its object on, where nothing says that it may be."""

_WITHIN_A_NAME: Final = re.compile("(?<=[a-z0-9])(?=[A-Z])")  # worksAt
_AS_OBJECT: Final = r"\b(?:to|in|at|for|by|with|from|on)(?: the)? "

Sort = tuple[str, int]
"""A kind by its first word, and which sort of it; 0 is the general one."""
_NONE: Final[frozenset[Sort]] = frozenset()


class Slot(NamedTuple):
    """A word of the query that may name a relation: its token, and the sorts that it is of."""

    token: str
    sorts: frozenset[Sort]
    made_of: tuple[str, ...] = ()
    """The relations that it and the slots behind it stand for together; only the first of them has it."""
    is_later: bool = False
    """Whether it is to be taken after the slot before it, and no end without that."""


class Taken(NamedTuple):
    """The slots that ask for a relation, as bits, and how well (above 0, at most 1)."""

    slots: int
    fit: float


NOTHING_TAKEN: Final = Taken(0, 1.0)


def slots_of(query: str, without: Collection[str]) -> tuple[Slot, ...]:
    """The words of a query that may name relations; of some tokens (of the entities named) only those of a kind."""
    sorts = _by_token()
    rest, compounds = taken_apart(query)
    tokens = [token for token in content_sequence(index_text(rest)) if not any(map(is_hiragana, token))]  # grammar
    unspaced = [word for word in _unspaced_words(rest) if word not in tokens]
    said = [Slot(word, sorts.get(word, _NONE)) for word in (*unspaced, *tokens)]
    asked = [slot for slot in said if slot.sorts or slot.token not in without]
    made = [slot for parts in compounds for slot in _slots_for(parts)]
    return tuple(sorted([*made, *asked], key=lambda slot: not slot.sorts)[:MOST_SLOTS])


def _slots_for(parts: tuple[str, ...]) -> Iterator[Slot]:
    for number, part in enumerate(parts):
        [token] = _tokens(part)
        yield Slot(token, _by_token()[token], () if number else parts, is_later=number > 0)


def is_open(slots: Sequence[Slot], used: int) -> bool:
    """Whether a relation that is made of others was gone half way."""
    return any(slot.is_later and used >> (at - 1) & 1 and not used >> at & 1 for at, slot in enumerate(slots))


def starts(names: Iterable[str]) -> list[str]:
    """The entities that a query means, sorted: not those that are called like a relation, where there are others."""
    named = sorted(names)
    return [name for name in named if not _is_of_a_kind(tokens_of(name))] or named


def asked_as_objects(names: Iterable[str], query: str) -> frozenset[str]:
    """The entities, by normalised name, of which the query asks who lives in, works at, reports to them."""
    plain = normalise(query)
    return frozenset(name for name in names if re.search(rf"{_AS_OBJECT}{re.escape(name)}(?!\w)", plain))


def _is_of_a_kind(tokens: Sequence[str]) -> bool:
    return len(tokens) == 1 and tokens[0] in _by_token()


class Relation(NamedTuple):
    """What a predicate is asked for by."""

    tokens: tuple[str, ...]
    sorts: frozenset[Sort]
    made_of: tuple[str, ...] = ()

    def taken(self, slots: Sequence[Slot], used: int, *, is_forward: bool) -> Taken:
        """Which of the slots that are not used ask for it: one for each of its words, or one of its kind."""
        free = [(at, slot) for at, slot in enumerate(slots) if _is_free(slot, at, used)]
        if self.made_of:
            same = next((at for at, slot in free if slot.made_of == self.made_of), None)
            if same is None:
                return NOTHING_TAKEN
            return Taken(((1 << len(self.made_of)) - 1) << same, 1.0 if is_forward else AGAINST)
        own = {token: at for at, slot in reversed(free) if (token := slot.token) in self.tokens}
        asked = self.sorts if is_forward else self._turned()
        kin = next((at for at, slot in free if _is_asked(slot, asked)), None)
        if own:
            may_be_read = is_forward or any(kind in SYMMETRIC for kind, _ in self.sorts)
            taken = Taken(sum(1 << at for at in own.values()), 1.0 if may_be_read else AGAINST)
            return taken if may_be_read or kin is None else Taken(1 << kin, OF_A_KIND)
        return NOTHING_TAKEN if kin is None else Taken(1 << kin, OF_A_KIND)

    def is_asked_by(self, slots: Sequence[Slot]) -> bool:
        """Whether any of the slots asks for it, whatever was taken before."""
        given = sum(1 << (at - 1) for at, slot in enumerate(slots) if slot.is_later)
        return any(self.taken(slots, used, is_forward=True).slots for used in (0, given))

    def _turned(self) -> frozenset[Sort]:
        """The sorts of what a fact says the other way round."""
        same = {(kind, 0) for kind, _ in self.sorts if kind in SYMMETRIC}
        return frozenset(same | {(INVERSE[kind], 0) for kind, _ in self.sorts if kind in INVERSE})


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
    _, compounds = taken_apart(_WITHIN_A_NAME.sub(" ", predicate).replace("_", " "))
    if compounds:
        return Relation((), _NONE, compounds[0])
    written = _tokens(_WITHIN_A_NAME.sub(" ", predicate))
    tokens = tuple(dict.fromkeys(content_sequence(" ".join(written)))) or written
    sorts = _by_predicate().get(written)
    if sorts is None and tokens:
        sorts = frozenset.intersection(*(_by_token().get(token, _NONE) for token in tokens))
    return Relation(tokens, sorts or _NONE)


def _tokens(name: str) -> tuple[str, ...]:
    return tuple(index_text(name).partition(BARRIER)[0].split())


def _unspaced_words(query: str) -> Iterator[str]:
    """The words of a kind that stand in what is written without spaces, the longest first at each place."""
    at = 0
    while at < len(query):
        word = ""
        if is_unspaced(query[at]):
            candidates = (query[at : at + size] for size in range(_longest(), 0, -1))
            word = next((each for each in candidates if is_unspaced(each[-1]) and each in _by_token()), "")
        if word:
            yield word
        at += len(word) or 1


@cache
def _by_token() -> dict[str, frozenset[Sort]]:
    """The sorts of each word, by its token; what is written without spaces also as it stands."""
    sorts: dict[str, frozenset[Sort]] = {}
    for sort, word in _words():
        tokens = _tokens(word)
        for token in {*(tokens if len(tokens) == 1 else ()), *([word] if is_unspaced(word[0]) else ())}:
            sorts[token] = sorts.get(token, _NONE) | {sort}
    return sorts


@cache
def _by_predicate() -> dict[tuple[str, ...], frozenset[Sort]]:
    sorts: dict[tuple[str, ...], frozenset[Sort]] = {}
    for sort, word in _words():
        sorts[_tokens(word)] = sorts.get(_tokens(word), _NONE) | {sort}
    return sorts


def _words() -> Iterator[tuple[Sort, str]]:
    for kind in KINDS.split("\n\n"):
        called = kind.split()[0]
        for number, sort in enumerate(kind.split("/")):
            yield from (((called, number), word) for word in sort.split())


def taken_apart(text: str) -> tuple[str, list[tuple[str, ...]]]:
    """The text without the words for relations that are made of others, and what those are made of."""
    pattern, made_of = _compounds()
    found: list[tuple[str, ...]] = []

    def take(named: re.Match[str]) -> str:
        found.append(made_of[(named[1] or named[2]).lower().replace("-", " ")])
        return " "

    return pattern.sub(take, text), found


@cache
def _compounds() -> tuple[re.Pattern[str], dict[str, tuple[str, ...]]]:
    made_of = {
        name.strip(): tuple(parts.split())
        for names, _, parts in (line.partition(":") for line in COMPOUNDS.strip().splitlines())
        for name in names.split(",")
    }
    longest_first = sorted(made_of, key=lambda name: (-len(name), name))
    spaced = "|".join(re.escape(name).replace(r"\ ", "[ -]") for name in longest_first if not is_unspaced(name[0]))
    unspaced = "|".join(name for name in longest_first if is_unspaced(name[0]))
    return re.compile(rf"(?:\b({spaced})s?\b|({unspaced}))", re.IGNORECASE), made_of


@cache
def _longest() -> int:
    return max(len(word) for _, word in _words() if is_unspaced(word[0]))
