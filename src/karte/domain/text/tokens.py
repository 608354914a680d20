"""From a text to what the index holds, and the rule by which both a memory and a query are cut into pieces.

``index_text`` gives the folded form: tokens between single spaces,

    words and letter pairs in reading order | names as a whole, inner parts, single letters, foreign stems

so that a quoted phrase meets neighbours on the left of the bar and nothing reaches across it.  FTS5 has to cut exactly
at the spaces: ``FTS5_TOKENIZE`` is its ``ascii`` tokenizer, for which every letter beyond ASCII belongs to a token,
told that the punctuation inside our tokens does too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NamedTuple

from karte.domain.text.folding import fold, normalise
from karte.domain.text.identifiers import JOINTS, LONGEST_TOKEN, SIGNS, inner_parts, take_apart
from karte.domain.text.languages import ALL, ENGLISH_NAME, foreign_stems, recognise, votes
from karte.domain.text.scripts import (
    EMOJI,
    MARKS,
    UNSPACED,
    UNSPACED_RUN,
    is_emoji,
    is_unspaced,
    letter_pairs,
    touching_pairs,
)
from karte.domain.text.stemming import stem

FTS5_TOKENIZE: Final = "ascii tokenchars '|-_.,/:@&+#~'"
BARRIER: Final = "|"

# Longer pieces are rarely met twice: keeping them would only push words out.
WORTH_KEEPING: Final = 32

_LETTER: Final = rf"[\w{MARKS}]"
_PIECE: Final = re.compile(rf"[{UNSPACED}]+|{_LETTER}+(?:{JOINTS}{_LETTER}+)*(?:{SIGNS})?|{EMOJI}")
_ACCENTED_LATIN: Final = re.compile("[\u00c0-\u024f\u1e00-\u1eff]")
_SHORTEST_FOREIGN: Final = 3


class Analysis(NamedTuple):
    """What one written piece puts into the index (a tuple, because a text of new words makes one for each)."""

    tokens: tuple[str, ...]  # in reading order
    beside: tuple[str, ...]  # for the other side of the barrier
    words: tuple[str, ...]  # the folded words that the tokens stem from, one each
    text: str  # the tokens, joined by spaces
    ballot: tuple[str, ...]  # the languages it is a stop word of
    is_foreign: bool  # a stop word, and not of English


def pieces(text: str) -> list[str]:
    """The written pieces of a text in reading order, case kept: words with their connectors, runs, emoji."""
    return _cut(normalise(text))


def _cut(normalised: str) -> list[str]:
    if normalised.isascii():
        return _PIECE.findall(normalised)
    return _PIECE.findall(UNSPACED_RUN.sub(r" \g<0> ", normalised))


def analyse(piece: str) -> Analysis:
    """The tokens of one piece, as the index holds them."""
    return _analyse_and_keep(piece) if len(piece) <= WORTH_KEEPING else _analyse(piece)


def index_text(content: str) -> str:
    """The folded form of a memory for the index; the same for every spelling of the same letters."""
    normalised = normalise(content)
    written = _cut(normalised)
    is_kept = max(map(len, written), default=0) <= WORTH_KEEPING
    found = list(map(_analyse_and_keep if is_kept else analyse, written))
    text = " ".join([analysis.text for analysis in found if analysis.text])
    beside = dict.fromkeys([token for analysis in found if analysis.beside for token in analysis.beside])
    if not normalised.isascii():
        beside.update(dict.fromkeys(touching_tokens(normalised)))
    has_accents = not normalised.isascii() and _ACCENTED_LATIN.search(normalised) is not None
    if has_accents or True in [analysis.is_foreign for analysis in found]:
        beside.update(dict.fromkeys(_foreign(found, has_accents)))
    return f"{text} {BARRIER} {' '.join(beside)}" if beside else text


def touching_tokens(normalised: str) -> list[str]:
    """The tokens for what stands where a run touches other letters (``a社``): it is found by itself."""
    return [fold(pair) for pair in touching_pairs(normalised)]


def _foreign(found: Iterable[Analysis], has_accents: bool) -> Iterable[str]:
    """The marked stems of a text that is recognisably not English, or has accents and nothing that is English."""
    languages = recognise(analysis.ballot for analysis in found)
    if languages is None:
        languages = ALL if has_accents else ()
    words = (word for analysis in found if not analysis.ballot for word in analysis.words)
    return (marked for word in words if can_be_foreign(word) for marked in foreign_stems(word, languages))


def can_be_foreign(word: str) -> bool:
    """Whether another language could have its own stem for the folded word: Latin letters, and enough of them."""
    return len(word) >= _SHORTEST_FOREIGN and word.isascii() and word.isalpha()


def _analyse(piece: str) -> Analysis:
    if piece.isascii() and piece.isalnum():
        if piece.islower() or piece.isdigit():
            return _analyse_plain(piece[:LONGEST_TOKEN], inner_parts(piece))
        if piece.isalpha() and (piece.istitle() or piece.isupper()):  # a name, or a word that begins a sentence
            return _analyse_plain(piece.lower()[:LONGEST_TOKEN], ())
    return _analyse_any(piece)


def _analyse_plain(word: str, inner: tuple[str, ...]) -> Analysis:
    """Most pieces: small ASCII letters and digits, which need no folding. A third of the time."""
    token = _token(word)
    ballot = votes(word)
    beside = dict.fromkeys([_token(part[:LONGEST_TOKEN]) for part in inner]) if inner else ()
    apart = tuple([part for part in beside if part != token]) if beside else ()
    return Analysis((token,), apart, (word,), token, ballot, bool(ballot) and ENGLISH_NAME not in ballot)


def _analyse_any(piece: str) -> Analysis:
    if is_unspaced(piece):
        pairs = tuple(letter_pairs(piece))
        return Analysis(pairs, tuple(dict.fromkeys(piece)) if len(piece) > 1 else (), pairs, " ".join(pairs), (), False)
    if is_emoji(piece):
        return Analysis((piece,), (), (piece,), piece, (), False)
    apart = take_apart(piece)
    words = _folded(apart.words)
    tokens = tuple(map(_token, words))
    beside = dict.fromkeys(map(_token, _folded((*apart.wholes, *apart.inner))))
    known = frozenset(tokens)
    ballot = votes(words[0]) if len(words) == 1 else ()
    return Analysis(
        tokens=tokens,
        beside=tuple(token for token in beside if token not in known),
        words=words,
        text=" ".join(tokens),
        ballot=ballot,
        is_foreign=bool(ballot) and ENGLISH_NAME not in ballot,
    )


_analyse_and_keep: Final = lru_cache(maxsize=8192)(_analyse)


def _folded(words: Iterable[str]) -> tuple[str, ...]:
    folded = (fold(word)[:LONGEST_TOKEN] for word in words)
    return tuple(word for word in folded if word)  # nothing but marks leaves nothing


def _token(word: str) -> str:
    return stem(word) if word.isalpha() or not word.isascii() else word
