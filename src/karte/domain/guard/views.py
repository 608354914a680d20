"""The ways one text is read, so that a disguise costs nothing to see through.

Each view has its own tokens, and can say where in the original text they stood. The plain view always exists; the
others only where the text gives a reason: letters of another alphabet that look Latin, digits inside words, punctuation
inside words, letters set apart, words glued together, words of the rules turned round or shifted by thirteen.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from karte.domain.guard import confusables
from karte.domain.guard.placing import Letters, Original, Placed, Regrouped
from karte.domain.guard.quoting import quotations
from karte.domain.guard.reading import token_pattern, tokens_of
from karte.domain.guard.vocabulary import Vocabulary

# Words that give away a text which is shifted by thirteen or written backwards; other words are found once it is read.
TELLTALE: Final = (
    "ignore", "instructions", "instruction", "prompt", "system", "reveal", "disregard", "override", "forget",
    "previous", "password", "guidelines",
)  # fmt: skip
_SHIFTED: Final = frozenset(codecs.encode(word, "rot13") for word in TELLTALE)
_REVERSED: Final = frozenset(word[::-1] for word in TELLTALE)
_TELLS: Final = _SHIFTED | _REVERSED

_INSIDE_WORD: Final = re.compile(r"[-.*_·|/\\+~^=:,](?<=[^\W\d_].)(?=[^\W\d_])")
_APART: Final = 5
_IN_A_ROW: Final = b"\x01" * _APART
_GLUED: Final = 15
_LONGEST_GLUED: Final = 4096


class View(NamedTuple):
    """Tokens of one reading; ``span`` gives where tokens ``first`` to ``last`` stood in the original.

    ``quotations`` gives what stands between quotation marks, and is asked for only where an attack may be reported.
    ``undisguised`` are tokens that the plain view does not have.
    """

    tokens: list[str]
    span: Callable[[int, int], tuple[int, int]]
    quotations: Callable[[], list[tuple[int, int]]] = list
    undisguised: frozenset[str] = frozenset()


def views(text: str, marked: str, vocabulary: Vocabulary, opens: Callable[[list[str]], bool]) -> Iterator[View]:
    """Every view of a text that ``opens`` lets by; ``marked`` is the text folded, with marks put in.

    Most texts have none: only for those that do is it worth knowing where a token stands.
    """
    original = Original(text, marked)
    plain = tokens_of(marked)
    if opens(plain):
        yield _view(plain, Placed(marked, original))
    latin = confusables.latin(marked) if confusables.has_lookalikes(marked) else marked
    undigited = confusables.without_stand_ins(latin, vocabulary.knows) if confusables.has_stand_ins(latin) else latin
    # Letters are replaced one for one, and digits are letters here, so the text before places them both.
    tokens = plain
    if latin != marked:
        tokens = tokens_of(latin)
        if opens(tokens):
            yield _view(tokens, Placed(latin, original))._replace(undisguised=frozenset(tokens).difference(plain))
    sources = [(latin, tokens)]
    if undigited != latin:
        tokens = tokens_of(undigited)
        sources.append((undigited, tokens))
        if opens(tokens):
            span = _Overlaid(undigited, original, Letters(latin)).span
            yield View(tokens, span, undisguised=frozenset(tokens).difference(plain))
    for source, tokens in sources:
        for rejoined in _rejoined(source, tokens, vocabulary):
            if opens(rejoined):
                yield View(rejoined, Regrouped(rejoined, Letters(source), Letters(latin), original).span)
    yield from (view for view in _turned(latin, plain, original) if opens(view.tokens))


class _Overlaid(Placed):
    """A reading of the same length as another one, which counts the letters for it."""

    def __init__(self, source: str, original: Original, letters: Letters) -> None:
        super().__init__(source, original)
        self._counted = letters

    def span(self, first: int, last: int) -> tuple[int, int]:
        return self._original.span(self._counted, self._tokens[first][0], self._tokens[last - 1][1])


def _view(tokens: list[str], placed: Placed) -> View:
    source = placed.letters.text
    return View(tokens, placed.span, lambda: quotations(source, token_pattern(source)))


def _rejoined(source: str, tokens: list[str], vocabulary: Vocabulary) -> Iterator[list[str]]:
    """Tokens with split words joined and glued ones cut."""
    regrouped = _regrouped(tokens, vocabulary)
    if regrouped is not None:
        yield regrouped
    if _INSIDE_WORD.search(source):
        joined = tokens_of(_INSIDE_WORD.sub("", source))
        yield _regrouped(joined, vocabulary) or joined


def _regrouped(tokens: list[str], vocabulary: Vocabulary) -> list[str] | None:
    """The tokens with runs of single letters joined and long words cut, or None where there are none."""
    lengths = list(map(len, tokens))
    if not lengths or (max(lengths) < _GLUED and not _has_letters_apart(lengths)):
        return None
    result: list[str] = []
    run: list[str] = []
    for token in [*tokens, ""]:
        if len(token) == 1 and "a" <= token <= "ÿ":
            run.append(token)
            continue
        if run:
            result += vocabulary.cut("".join(run)) if len(run) >= _APART else run
            run = []
        if _GLUED <= len(token) <= _LONGEST_GLUED and token.isalpha():
            result += vocabulary.cut(token)
        elif token:
            result.append(token)
    return result if result != tokens else None


def _has_letters_apart(lengths: list[int]) -> bool:
    """Whether so many tokens in a row have one letter as make a word set apart; stops count as letters here."""
    return lengths.count(1) >= _APART and _IN_A_ROW in bytes([length == 1 for length in lengths])


def _turned(latin: str, plain: list[str], original: Original) -> Iterator[View]:
    told = _TELLS.intersection(plain)
    if told & _SHIFTED:
        shifted = codecs.encode(latin, "rot13")
        yield _view(tokens_of(shifted), Placed(shifted, original))
    if told & _REVERSED:
        backwards = latin[::-1]
        yield View(tokens_of(backwards), Placed(backwards, original).turned_span)
