"""The relations that a query names: by the words of a predicate, or by words that people say for it.

A predicate is written once (``spouse``), and asked for in many ways (wife, husband, married). Words of one kind
(``karte.domain.relation_words``) ask for each other's predicates, but not for those of another sort: who asks for the
mother asks for ``parents`` and not for ``father``. A predicate of several words is of a kind only as a whole or where
all of its words are, so that ``favorite_city`` is not where somebody lives.

A relation that is made of others (the mother-in-law is the spouse's mother) takes one word for each of them, in their
order; a predicate of that very name takes all at once.

The words are taken in the order in which the query binds them to the name: from it on in "Leon's boss's mother", back
to front in "the mother of the boss of Leon", and what is left after those.

A fact is read from its subject on. Read the other way round it answers only words that ask for its inverse (the child
of a parent), for a relation that is the same from both sides, or, for ``AGAINST`` of its worth, its own words.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Final, NamedTuple

from karte.domain.entities import normalise
from karte.domain.linking import tokens_in, tokens_of
from karte.domain.relation_words import COMPOUNDS, GRAMMAR, INVERSE, KINDS, SYMMETRIC
from karte.domain.text import content_sequence, index_text
from karte.domain.text.query import LONGEST_ASKED
from karte.domain.text.scripts import HAN, is_hiragana, is_unspaced
from karte.domain.text.tokens import BARRIER, pieces

MOST_SLOTS: Final = 24
"""Words of a query beyond these are not looked at; those of a kind come first."""
OF_A_KIND: Final = 0.95
"""What a word counts that people say for a relation, against the relation's own."""
AGAINST: Final = 0.5
"""What a fact counts that is read from its object on, where nothing says that it may be."""
PAIR: Final = 1 / 3
"""What a pair of letters of a script without spaces counts, against a word."""

_LONGEST_BEGINNING: Final = 24
_PASTED_HYPHEN: Final = re.compile("[\u2010-\u2013]")
_WITHIN_A_NAME: Final = re.compile("(?<=[a-z0-9])(?=[A-Z])")  # worksAt
_GRAMMAR: Final = re.compile("|".join(sorted(GRAMMAR.split(), key=lambda word: (-len(word), word))))
_BOUND: Final = re.compile(  # what a possessive binds to the name before it
    r"\s?\S{0,4}?[の的의].*|.*['’]s?\s+(?:(?:best|old|new|former|current|late|eld\w+|young\w+|first|second)\s+)*"
    r"[\w-]+(?:\sin\slaws?)?",
    re.DOTALL | re.IGNORECASE,
)
_OF_IT: Final = re.compile(r"\s?['’]s?(?!\w)")
_VOWEL_BEFORE, _SIGN_BEHIND = "[\u0e40-\u0e44]", "[\u0e30-\u0e3a\u0e45-\u0e4e]"  # of one Thai syllable
_AS_OBJECT: Final = re.compile(r"\b(?:to|in|at|for|by|with|from|on)(?: the)? $")

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
    size: float = 1.0
    """How many words it is."""
    said: str = ""
    """What stands in the query for it and those behind it, where that is not its token."""


class Taken(NamedTuple):
    """The slots that ask for a relation, as bits, and how well (above 0, at most 1)."""

    slots: int
    fit: float


NOTHING_TAKEN: Final = Taken(0, 1.0)


def slots_of(query: str, without: Collection[str], names: Collection[str] = ()) -> tuple[Slot, ...]:
    """The words of a query that may name relations, in the order in which a chain from the names is to take them.

    Of some tokens (of the entities named) only those of a kind; what stands in the names themselves is none.
    """
    blocks: list[tuple[Slot, ...]] = []
    for text, is_backwards in _parts(_PASTED_HYPHEN.sub("-", query[:LONGEST_ASKED]), names):
        found = [block for block in _blocks(text) if block[0].sorts or block[0].token not in without]
        blocks += reversed(found) if is_backwards else found
    kept: set[int] = set()
    left = MOST_SLOTS
    for at in sorted(range(len(blocks)), key=lambda each: not blocks[each][0].sorts):
        if len(blocks[at]) > left:
            break
        kept.add(at)
        left -= len(blocks[at])
    return tuple(slot for at, block in enumerate(blocks) if at in kept for slot in block)


def _parts(query: str, names: Collection[str]) -> Iterator[tuple[str, bool]]:
    """The query without the names, in the order of reading, and whether a part is read back to front."""
    own = [name for name in names if name and not _is_of_a_kind(tokens_of(name))]
    pieces = _cut(query, own)
    if len(pieces) == 1:
        pieces = _cut(query, [end for name in own for end in {*name.split()[:1], *name.split()[-1:]}])
    before, after = ("", pieces[0]) if len(pieces) == 1 else (pieces[0], " ".join(pieces[1:]))
    bound = _BOUND.match(after)
    end = bound.end() if bound else 0
    yield _OF_IT.sub(" ", after[:end]), False
    yield before, True
    yield after[end:], False


def _cut(query: str, names: Sequence[str]) -> list[str]:
    """What of a query stands between some names; of names at one place the longest is taken."""
    plain = query.lower()
    if len(plain) != len(query):  # letters that grow when they are made small
        return [query]
    places = sorted(place for name in names for place in _places(plain, name))
    pieces, since = [], 0
    for start, _, end in places:
        if start >= since:
            pieces.append(query[since:start])
            since = end
    return [*pieces, query[since:]]


def _places(plain: str, name: str) -> Iterator[tuple[int, int, int]]:
    """Where a name stands as a whole, longer ones first at one place: its start, its length below 0, its end."""
    start = plain.find(name)
    while start >= 0:
        end = start + len(name)
        if is_unspaced(name) or not (_is_letter(plain[max(0, start - 1) : start]) or _is_letter(plain[end : end + 1])):
            yield start, -len(name), end
        start = plain.find(name, end)


def _is_letter(text: str) -> bool:
    return text.isalnum() and not is_unspaced(text)


def _blocks(text: str) -> Iterator[tuple[Slot, ...]]:
    """The words of a text in reading order, those together that stand for one relation made of others."""
    at = 0
    for named in _pattern(is_ascii=text.isascii()).finditer(text):
        yield from ((slot,) for slot in _words_in(text[at : named.start()]))
        first, *others = _slots_for(_made_of()[_name_of(named)])
        yield (first._replace(said=named[0].lower()), *others)
        at = named.end()
    yield from ((slot,) for slot in _words_in(text[at:]))


def _words_in(text: str) -> Iterator[Slot]:
    sorts = _by_token()
    for piece, is_of_a_kind in _unspaced_words(text):
        if is_of_a_kind:
            yield Slot(piece, sorts[piece])
            continue
        counted = set(content_sequence(index_text(_GRAMMAR.sub(" ", piece)))) if not piece.isascii() else ()
        identifiers = _joined_in(piece)
        for token in content_sequence(index_text(piece)):
            if not any(map(is_hiragana, token)):  # grammar
                size = 1.0 if not is_unspaced(token) else PAIR if token in counted else 0.0
                yield Slot(token, sorts.get(token, _NONE), size=identifiers.get(token, size))


def _joined_in(text: str) -> dict[str, float]:
    """For tokens of identifiers, how many words they count: ``owner_id`` is two, of which ``id`` makes no token."""
    sizes: dict[str, float] = {}
    for word in text.split() if "_" in text else ():
        tokens = content_sequence(index_text(word)) if "_" in word else ()
        sizes |= dict.fromkeys(tokens, len(word.strip("_").split("_")) / max(1, len(tokens)))
    return sizes


def _slots_for(parts: tuple[str, ...]) -> Iterator[Slot]:
    for number, part in enumerate(parts):
        [token] = _tokens(part)
        yield Slot(token, _by_token()[token], () if number else parts, is_later=number > 0)


def said(slots: Sequence[Slot], used: int) -> tuple[str, ...]:
    """The words that were taken, a relation that is made of others as the one word that it is."""
    return tuple(slot.said or slot.token for at, slot in enumerate(slots) if used >> at & 1 and not slot.is_later)


def as_written(words: Iterable[str], query: str) -> tuple[str, ...]:
    """The words as the query writes them, in small letters."""
    spaced = [piece for piece in pieces(query) if not is_unspaced(piece)]
    written = {token: _OF_IT.sub("", piece).lower() for piece in reversed(spaced) for token in tokens_in(piece)}
    return tuple(written.get(word, word) for word in words)


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
    return frozenset(
        name for name in names if any(_AS_OBJECT.search(plain, 0, start) for start, *_ in _places(plain, name))
    )


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
            asked = _by_token().get(token, _NONE)
            kin = next((at for at, slot in free if not taken >> at & 1 and _is_asked(slot, asked)), None)
            if kin is None:
                return 0
            taken |= 1 << kin
    return taken


def begins_with_relation(query: str) -> bool:
    """Whether a query, in a script without spaces, begins with a relation: whose it is goes without saying there.

    妻はどこで働いていますか means the wife of who asks.
    """
    text = query.lstrip()[:_LONGEST_BEGINNING]
    if not text or not is_unspaced(text[0]):
        return False
    word, is_of_a_kind = next(each for each in _unspaced_words(text) if each[0])
    return (is_of_a_kind and text.startswith(word)) or _pattern(is_ascii=False).match(text) is not None


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
    pattern = _pattern(is_ascii=spaced.isascii())
    named = pattern.fullmatch(spaced.strip())
    if named:
        return Relation((), _NONE, _made_of()[_name_of(named)])
    rest = pattern.sub(" ", spaced)
    written = _tokens(rest if rest != spaced else _WITHIN_A_NAME.sub(" ", predicate))
    tokens = tuple(dict.fromkeys(content_sequence(" ".join(written)))) or written
    sorts = _by_predicate().get(written)
    if sorts is None and tokens:
        sorts = frozenset.intersection(*(_by_token().get(token, _NONE) for token in tokens))
    return Relation(tokens, sorts or _NONE)


def _tokens(name: str) -> tuple[str, ...]:
    return tuple(index_text(name).partition(BARRIER)[0].split())


def _unspaced_words(query: str) -> Iterator[tuple[str, bool]]:
    """The text in pieces: words of a kind that stand in what is written without spaces, and what is between them.

    The longest word first at each place.
    """
    at = since = 0
    while at < len(query) and not query.isascii():
        word = ""
        if is_unspaced(query[at]):
            candidates = (query[at : at + size] for size in range(_longest(), 0, -1))
            word = next((each for each in candidates if is_unspaced(each[-1]) and each in _by_token()), "")
        if word:
            yield query[since:at], False
            yield word, True
            since = at + len(word)
        at += len(word) or 1
    yield query[since:], False


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


def _name_of(named: re.Match[str]) -> str:
    return named["spaced"].lower().replace("-", " ") if named["spaced"] else named[0]


@cache
def _made_of() -> dict[str, tuple[str, ...]]:
    """What relations are made of others, by their names."""
    return {
        name.strip(): tuple(parts.split())
        for names, _, parts in (line.partition(":") for line in COMPOUNDS.strip().splitlines())
        for name in names.split(",")
    }


@cache
def _pattern(*, is_ascii: bool) -> re.Pattern[str]:
    """What finds their names."""
    longest_first = sorted(_made_of(), key=lambda name: (-len(name), name))
    spaced = "|".join(re.escape(name).replace(r"\ ", "[ -]") for name in longest_first if not is_unspaced(name[0]))
    others = [] if is_ascii else [_edged(name) for name in longest_first if is_unspaced(name[0])]
    return re.compile("|".join([rf"\b(?P<spaced>{spaced})s?\b", *others]), re.IGNORECASE)


def _edged(name: str) -> str:
    """A name of one Chinese letter stands by itself, and a Thai one is no part of a syllable."""
    alone = rf"(?<![{HAN}]){name}(?![{HAN}])" if len(name) == 1 else name
    return rf"(?<!{_VOWEL_BEFORE}){name}(?!{_SIGN_BEHIND})" if "\u0e00" < name[0] < "\u0e7f" else alone


@cache
def _longest() -> int:
    return max(len(word) for _, word in _words() if is_unspaced(word[0]))
