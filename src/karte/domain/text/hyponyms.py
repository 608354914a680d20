"""Things of a kind that a query names: who asks for sports may mean the memory that says "basketball".

Query expansion by hyponyms (Voorhees, 1994, "Query expansion using lexical-semantic relations"), from a table of the
kinds that people ask for. A query that is a single word looks for that word alone, and so does what stands in quotation
marks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from itertools import chain, groupby, islice, zip_longest
from typing import Final

from karte.domain.text.folding import normalise
from karte.domain.text.hyponym_words import ENGLISH
from karte.domain.text.hyponym_words_chinese import CHINESE
from karte.domain.text.hyponym_words_japanese import JAPANESE
from karte.domain.text.hyponym_words_korean import KOREAN
from karte.domain.text.hyponym_words_thai import THAI
from karte.domain.text.particles import lone_noun, subject_runs
from karte.domain.text.query import LONGEST_ASKED, Form, Term, TextQuery, split_quoted
from karte.domain.text.scripts import is_unspaced
from karte.domain.text.tokens import analyse, pieces

MOST_THINGS: Final = 64
"""So many things are looked for at most, the first of each kind by turns."""
_LONGEST_NAME: Final = 2
"""Words; or letters, at least two, in a script without spaces:"""
_LONGEST_UNSPACED: Final = 12
_SHORTEST_PLURAL: Final = 3


def things_asked(query: str, asked: TextQuery) -> TextQuery:
    """Terms for things of the kinds that the query names, without those that it asks for anyway; often none."""
    _, rest = split_quoted(normalise(query[:LONGEST_ASKED]))
    found = pieces(rest)
    if len(found) == 1 and not is_unspaced(found[0]):
        return TextQuery()
    listed = [_things(line) for line in dict.fromkeys(_kinds_in(found))]
    by_turns = chain.from_iterable(zip_longest(*listed))
    there = set(asked.forms)
    terms = {term.forms[0]: term for term in by_turns if term is not None and term.forms[0] not in there}
    return TextQuery(tuple(islice(terms.values(), MOST_THINGS)))


def _kinds_in(found: list[str]) -> Iterator[str]:
    """The things, as they are written, of each kind that is named; of two names the longer one."""
    names = _names()
    tokens: list[str] = []
    for unspaced, pieces_of_it in groupby(found, is_unspaced):
        if unspaced:  # Korean has spaces, and they come and go: 무슨 일
            words = list(pieces_of_it)
            yield from _kinds_in_run("".join(words), found, names)
            yield from chain.from_iterable(names.get(lone_noun(word), ()) for word in words)
        else:
            tokens += map(_noun, pieces_of_it)
    at = 0
    while at < len(tokens):
        longest = min(_LONGEST_NAME, len(tokens) - at)
        length = next((n for n in range(longest, 0, -1) if " ".join(tokens[at : at + n]) in names), 0)
        if length:
            yield from names[" ".join(tokens[at : at + length])]
        at += length or 1


def _kinds_in_run(run: str, found: list[str], names: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    at = 0
    while at < len(run):
        longest = min(_LONGEST_UNSPACED, len(run) - at)
        length = next((n for n in range(longest, 1, -1) if run[at : at + n] in names), 0)
        if length and (length < len(run) or len(found) > 1):
            yield from names[run[at : at + length]]
        at += length or 1
    # A name of one letter stands in other words too, and counts only between particles: the 妻 of 健太の妻の趣味.
    yield from chain.from_iterable(names.get(part, ()) for part in subject_runs(run) if len(part) == 1 != len(run))


@cache
def _names() -> Mapping[str, tuple[str, ...]]:
    """The lists of things by each name of their kind: its tokens, or as it is written without spaces."""
    names: dict[str, tuple[str, ...]] = {}
    for line in f"{ENGLISH}{JAPANESE}{CHINESE}{KOREAN}{THAI}".replace("\n  ", " ").split("\n"):
        called, _, things = line.partition(":")
        for name in filter(None, called.split(",")):
            key = normalise(name.strip())
            key = key.replace(" ", "") if is_unspaced(key[0]) else " ".join(map(_noun, pieces(key)))
            names[key] = (*names.get(key, ()), things)
    return names


def _noun(word: str) -> str:
    """As a kind is named: in any number, but not as a verb. Who operates the crane asks for no operating system."""
    noun = word.lower().removesuffix("'s")
    if noun.endswith("ies"):
        return f"{noun[:-3]}y"
    return noun[:-1] if len(noun) > _SHORTEST_PLURAL and noun.endswith("s") and not noun.endswith("ss") else noun


@lru_cache(maxsize=32)
def _things(written: str) -> tuple[Term, ...]:
    said = (thing.strip() for thing in written.split(","))
    return tuple(Term(thing, (Form(_tokens(thing)),)) for thing in said)


def _tokens(text: str) -> tuple[str, ...]:
    return tuple(token for piece in pieces(text) for token in analyse(piece).tokens)
