"""From what a person or a model asks to an expression that FTS5 accepts.

Any text is a query.  It is cut and folded like a memory, so nothing in it can be FTS5 syntax: every token stands
between double quotes and no token holds one.  What is left after the stop words is joined by OR, and bm25 puts the
memory first that holds the most and the rarest of it.  A part between double quotes is a phrase; a quote without its
partner is punctuation.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from math import log2
from typing import Final

from karte.domain.text.folding import fold, normalise
from karte.domain.text.languages import ALL, foreign_stems, recognise
from karte.domain.text.particles import subject_runs
from karte.domain.text.scripts import is_hiragana, is_short_word, is_unspaced, katakana_threes, letter_pairs
from karte.domain.text.stopwords import ENGLISH, LATIN_LANGUAGES, OTHER_SCRIPTS
from karte.domain.text.tokens import WORTH_KEEPING, Analysis, analyse, can_be_foreign, pieces, touching_tokens

# More than these make an answer slower, not better (docs/search.md has the measurement).
MOST_FORMS: Final = 32
LONGEST_PHRASE: Final = 32
LONGEST_ASKED: Final = 2_000
"""In the first so many characters of a query dates, kinds and relations are looked for; words are in all of it."""
# A query of more words than this has stop words of its language if it has a language.
_MOST_GUESSED: Final = 8
# A shorter beginning of a name would match half the index.
_SHORTEST_PREFIX: Final = 4

# Beyond this a longer word is no rarer.
_LONGEST_THAT_TELLS: Final = 12
_FEWEST_TOGETHER: Final = 2
# The pieces of 3月3日.
_SHORTEST_DATE: Final = 4
_NONE: Final[frozenset[str]] = frozenset()
_VERSION_END: Final = re.compile(r"\d\.\d+$")
_QUOTED: Final = re.compile('["“„]([^"“”„]*)["”]')


@dataclass(frozen=True, slots=True)
class Form:
    """One thing to look for: a token, neighbouring tokens, or the beginning of a name."""

    tokens: tuple[str, ...]
    is_prefix: bool = False

    @property
    def is_single(self) -> bool:
        """Whether it is one whole token."""
        return len(self.tokens) == 1 and not self.is_prefix

    def stands_in(self, padded: str) -> bool:
        """Whether a memory, given in its folded form between two spaces, holds it."""
        return f" {' '.join(self.tokens)}{'' if self.is_prefix else ' '}" in padded

    def __str__(self) -> str:
        return f'"{" ".join(self.tokens)}"{" *" if self.is_prefix else ""}'


@dataclass(frozen=True, slots=True)
class Term:
    """One word of the query, as it was written but for case and accents, and the forms that find it."""

    word: str
    forms: tuple[Form, ...]


@dataclass(frozen=True, slots=True)
class TextQuery:
    """What a query asks of the index; no terms, when it holds no letter, digit or emoji."""

    terms: tuple[Term, ...] = ()

    @property
    def forms(self) -> tuple[Form, ...]:
        """Everything it looks for, in the order of its words."""
        return tuple(form for term in self.terms for form in term.forms)


def parse_query(query: str, *, foreign: bool = True) -> TextQuery:
    """What is worth looking for in the query, each thing once, at most ``MOST_FORMS`` forms of it.

    ``foreign`` False says that no memory is in another European language (no token of the index begins with ``~``),
    and spares the looking.
    """
    phrases, rest = split_quoted(normalise(query))
    touching = {} if rest.isascii() else dict.fromkeys(touching_tokens(rest))
    counts = _counted(pieces(rest), touching)
    languages = recognise(analyse(piece).ballot for piece in counts)
    guessed = languages if languages is not None else ALL if len(counts) <= _MOST_GUESSED else ()
    shouts = query.isupper()
    weighed = [(term, 1) for term in phrases]
    for piece, count in counts.items():
        # US, IT and WHO are names where the rest is not in capitals; I is not, nor is the A that begins a query.
        is_name = (
            piece.isupper() and not shouts and piece != "I" and (piece != "A" or not rest.lstrip().startswith("A "))
        )
        stops_of = None if is_name else languages or ()
        weighed += [(term, count) for term in _terms(piece, stops_of, guessed if foreign else ())]
    weighed += [(Term(pair, (Form((pair,)),)), 1) for pair in touching]
    if not weighed:
        weighed = [(term, 1) for piece in counts for term in _stop_terms(piece, analyse(piece))]
    return TextQuery(_most_telling(weighed))


def match_expression(query: TextQuery) -> str | None:
    """The FTS5 MATCH expression for the query, or None when it asks for nothing."""
    return " OR ".join(map(str, query.forms)) or None


def all_expression(query: TextQuery) -> str | None:
    """The FTS5 MATCH expression for what holds every word of a query, or None where that is one alone."""
    if len(query.terms) < _FEWEST_TOGETHER and all(form.is_single for form in query.forms):
        return None
    return " AND ".join(f"({' OR '.join(map(str, term.forms))})" for term in query.terms)


def matched_words(query: TextQuery, folded: str) -> tuple[str, ...]:
    """The words of the query that a memory, given in its folded form, answers."""
    padded = f" {folded} "
    return tuple(term.word for term in query.terms if any(form.stands_in(padded) for form in term.forms))


def _counted(found: Iterable[str], touching: Collection[str]) -> Mapping[str, int]:
    """How often each piece stands, but for single letters that touch another script.

    ``A社`` asks for neither ``A`` nor ``社``.
    """
    if not touching:
        return Counter(found)
    parts = frozenset("".join(touching))
    return Counter(piece for piece in found if len(piece) > 1 or fold(piece) not in parts)


def split_quoted(query: str) -> tuple[list[Term], str]:
    """The phrases, and the query without them."""
    if '"' not in query and "“" not in query and "„" not in query:
        return [], query
    phrases = []

    def take(quoted: re.Match[str]) -> str:
        inside = quoted[1]
        found = _without_last_unit(pieces(inside))
        if len(found) > 1 and any(map(_may_stand_in_pairs, ("", *found), found, (*found[1:], ""))):
            return inside
        tokens = tuple(token for piece in found for token in analyse(piece).tokens)
        if tokens:
            phrases.append(Term(" ".join(inside.split()), (Form(tokens[:LONGEST_PHRASE]),)))
        return " "

    return phrases, _QUOTED.sub(take, query)


def _may_stand_in_pairs(before: str, piece: str, after: str) -> bool:
    """Whether a letter between these may be in a memory a part of a run, whose pairs leave it no place of its own.

    The letters between numerals (the 年 and 月 of 2024年3月3) are none.
    """
    return len(piece) == 1 and is_unspaced(piece) and not (before.isdecimal() and after.isdecimal())


def _without_last_unit(found: list[str]) -> list[str]:
    """The pieces without the letter behind the last numeral of several, which a memory may run on from: 3月3日に."""
    if len(found) < _SHORTEST_DATE or not is_unspaced(found[-1]) or len(found[-1]) > 1:
        return found
    return found[:-1] if found[-2].isdecimal() and found[-4].isdecimal() else found


@cache
def _stops(languages: tuple[str, ...]) -> frozenset[str]:
    return ENGLISH.union(*(LATIN_LANGUAGES[language] for language in languages))


def _terms(piece: str, stops_of: tuple[str, ...] | None, guessed: tuple[str, ...]) -> tuple[Term, ...]:
    """The terms of one written piece, without the stop words of the languages (and English), if any are dropped."""
    make = _terms_and_keep if len(piece) <= WORTH_KEEPING else _make_terms
    return make(piece, stops_of, guessed)


def _make_terms(piece: str, stops_of: tuple[str, ...] | None, guessed: tuple[str, ...]) -> tuple[Term, ...]:
    stops = _NONE if stops_of is None else _stops(stops_of)
    return tuple(_each_term(piece, analyse(piece), stops, guessed))


_terms_and_keep: Final = lru_cache(maxsize=4096)(_make_terms)


def _each_term(piece: str, analysis: Analysis, stops: frozenset[str], languages: tuple[str, ...]) -> Iterator[Term]:
    if is_unspaced(piece):
        yield from _run_terms(piece, subject_runs(piece))
        return
    has_parts = len(analysis.tokens) > 1
    for word, token in zip(analysis.words, analysis.tokens, strict=True):
        if word in stops or word in OTHER_SCRIPTS or (has_parts and len(word) == 1):
            continue
        is_plain = not has_parts and not analysis.beside and can_be_foreign(word)
        foreign = foreign_stems(word, languages) if is_plain and languages else ()
        yield Term(word, (Form((token,)), *(Form((stem,)) for stem in foreign)))
    for token in analysis.beside:
        if token not in stops and len(token) > 1:
            yield Term(token, (Form((token,)), *_beginnings(token if has_parts else "")))


def _beginnings(name: str) -> tuple[Form, ...]:
    """What finds ``nightly-sync`` by ``nightly-sy``."""
    if _VERSION_END.search(name):  # "1.2.3" begins "1.2.3.4", not "1.2.34"
        beginning = f"{name}."
    else:
        # The stem of a name of letters may end in another letter than the name: "sy" became "si".
        beginning = name[:-1] if name.isalpha() else name
    return (Form((beginning,), is_prefix=True),) if len(beginning) >= _SHORTEST_PREFIX else ()


def _run_terms(run: str, subjects: list[str]) -> Iterator[Term]:
    """The pairs of what a run is about, and the run as it stands, so that the memory that holds it is first."""
    if not subjects:
        return
    whole = [run, *subjects] if len(run) <= LONGEST_PHRASE else subjects
    for part in dict.fromkeys(whole):
        if 2 < len(part) <= LONGEST_PHRASE:
            yield Term(part, (Form(tuple(letter_pairs(part))),))
    for part in subjects:
        if len(part) > 2 and is_short_word(part):
            continue  # as a whole or not at all
        threes = katakana_threes(part)
        for three in threes:
            yield Term(three, (Form(tuple(letter_pairs(three))),))
        pairs = [pair for pair in letter_pairs(part) if not any(pair in three for three in threes)]
        # Pairs of hiragana only are mostly grammar: looked for where there is nothing else.
        for pair in [pair for pair in pairs if not is_hiragana(pair)] or ([] if threes else pairs):
            yield Term(pair, (Form((pair,)),))


def _stop_terms(piece: str, analysis: Analysis) -> Iterator[Term]:
    """The terms of a piece of a query that is nothing but stop words: then they are meant."""
    if is_unspaced(piece):
        yield from _run_terms(piece, [piece])
    else:
        for word, token in zip(analysis.words, analysis.tokens, strict=True):
            yield Term(word, (Form((token,)),))


def _most_telling(weighed: list[tuple[Term, int]]) -> tuple[Term, ...]:
    """Each form once; when there are too many, those of the long and the repeated words, which say most."""
    if sum(len(term.forms) for term, _ in weighed) > MOST_FORMS:
        weighed = sorted(weighed, key=_tells_less)
    seen: set[Form] = set()
    chosen = []
    for term, _ in weighed:
        fresh = tuple(form for form in term.forms if form not in seen)
        if fresh and len(seen) + len(fresh) <= MOST_FORMS:
            seen.update(fresh)
            chosen.append(Term(term.word, fresh))
    return tuple(chosen)


def _tells_less(weighed: tuple[Term, int]) -> float:
    term, count = weighed
    return -min(len(term.word), _LONGEST_THAT_TELLS) * (1 + log2(count))
