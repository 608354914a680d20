"""The words of a query that may name relations, in the order in which a chain from the entities it names takes them.

The words are taken in the order in which the query binds them to the name: from it on in "Leon's boss's mother", back
to front in "the mother of the boss of Leon", and what is left after those.

A relation that is made of others (the mother-in-law is the spouse's mother) takes one word for each of them, in their
order; a predicate of that very name takes all at once.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from karte.domain.entities import normalise
from karte.domain.linking import tokens_in, tokens_of
from karte.domain.relation_lexicon import (
    NO_SORTS,
    Sort,
    by_token,
    compound_name,
    compound_pattern,
    compounds,
    longest_unspaced,
    tokens_of_words,
)
from karte.domain.relation_words import GRAMMAR
from karte.domain.text import content_sequence, index_text
from karte.domain.text.query import LONGEST_ASKED
from karte.domain.text.scripts import is_hiragana, is_unspaced
from karte.domain.text.tokens import pieces

MOST_SLOTS: Final = 24
"""Words of a query beyond these are not looked at; those of a kind come first."""
PAIR: Final = 1 / 3
"""What a pair of letters of a script without spaces counts, against a word."""
_LONGEST_BEGINNING: Final = 24
_PASTED_HYPHEN: Final = re.compile("[\u2010-\u2013]")
# "own" alone is a stop word, and its forms have its stem.
_OWNING: Final = re.compile(r"\bown(?:s|ed|ing)\b", re.IGNORECASE)
_GRAMMAR: Final = re.compile("|".join(sorted(GRAMMAR.split(), key=lambda word: (-len(word), word))))
_BOUND: Final = re.compile(  # what a possessive binds to the name before it
    r"\s?\S{0,4}?[の的의].*|.*['’]s?\s+(?:(?:best|old|new|former|current|late|eld\w+|young\w+|first|second)\s+)*"
    r"[\w-]+(?:\sin\slaws?)?",
    re.DOTALL | re.IGNORECASE,
)
_OF_IT: Final = re.compile(r"\s?['’]s?(?!\w)")
_AS_OBJECT: Final = re.compile(r"\b(?:to|in|at|for|by|with|from|on)(?: the)? $")


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


def slots_of(
    query: str, without: Collection[str], names: Collection[str] = (), *, otherwise: bool = False
) -> tuple[Slot, ...]:
    """The words of a query that may name relations, in the order in which a chain from the names is to take them.

    Of some tokens (of the entities named) only those of a kind; what stands in the names themselves is none.
    ``otherwise`` takes the other way to make a relation of others, where it has two.
    """
    blocks: list[tuple[Slot, ...]] = []
    asked = _OWNING.sub("owner", _PASTED_HYPHEN.sub("-", query[:LONGEST_ASKED]))
    for text, is_backwards in _parts(asked, names):
        blocks_here = _blocks(text, -1 if otherwise else 0)
        found = [block for block in blocks_here if block[0].sorts or block[0].token not in without]
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


def _blocks(text: str, way: int) -> Iterator[tuple[Slot, ...]]:
    """The words of a text in reading order, those together that stand for one relation made of others."""
    at = 0
    for named in compound_pattern(is_ascii=text.isascii()).finditer(text):
        yield from ((slot,) for slot in _words_in(text[at : named.start()]))
        first, *others = _slots_for(compounds()[compound_name(named)][way])
        yield (first._replace(said=named[0].lower()), *others)
        at = named.end()
    yield from ((slot,) for slot in _words_in(text[at:]))


def _words_in(text: str) -> Iterator[Slot]:
    sorts = by_token()
    for piece, is_of_a_kind in _unspaced_words(text):
        if is_of_a_kind:
            yield Slot(piece, sorts[piece])
            continue
        counted = set(content_sequence(index_text(_GRAMMAR.sub(" ", piece)))) if not piece.isascii() else ()
        identifiers = _joined_in(piece)
        for token in content_sequence(index_text(piece)):
            if not any(map(is_hiragana, token)):  # grammar
                size = 1.0 if not is_unspaced(token) else PAIR if token in counted else 0.0
                yield Slot(token, sorts.get(token, NO_SORTS), size=identifiers.get(token, size))


def _joined_in(text: str) -> dict[str, float]:
    """For tokens of identifiers, how many words they count: ``owner_id`` is two, of which ``id`` makes no token."""
    sizes: dict[str, float] = {}
    for word in text.split() if "_" in text else ():
        tokens = content_sequence(index_text(word)) if "_" in word else ()
        sizes |= dict.fromkeys(tokens, len(word.strip("_").split("_")) / max(1, len(tokens)))
    return sizes


def _slots_for(parts: tuple[str, ...]) -> Iterator[Slot]:
    for number, part in enumerate(parts):
        [token] = tokens_of_words(part)
        yield Slot(token, by_token()[token], () if number else parts, is_later=number > 0)


def _unspaced_words(query: str) -> Iterator[tuple[str, bool]]:
    """The text in pieces: words of a kind that stand in what is written without spaces, and what is between them.

    The longest word first at each place.
    """
    at = since = 0
    while at < len(query) and not query.isascii():
        word = ""
        if is_unspaced(query[at]):
            candidates = (query[at : at + size] for size in range(longest_unspaced(), 0, -1))
            word = next((each for each in candidates if is_unspaced(each[-1]) and each in by_token()), "")
        if word:
            yield query[since:at], False
            yield word, True
            since = at + len(word)
        at += len(word) or 1
    yield query[since:], False


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
    return len(tokens) == 1 and tokens[0] in by_token()


def begins_with_relation(query: str) -> bool:
    """Whether a query, in a script without spaces, begins with a relation: whose it is goes without saying there.

    妻はどこで働いていますか means the wife of who asks.
    """
    text = query.lstrip()[:_LONGEST_BEGINNING]
    if not text or not is_unspaced(text[0]):
        return False
    word, is_of_a_kind = next(each for each in _unspaced_words(text) if each[0])
    return (is_of_a_kind and text.startswith(word)) or compound_pattern(is_ascii=False).match(text) is not None
