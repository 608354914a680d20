"""The ways one text is read, so that a disguise costs nothing to see through.

Each view has its own tokens, and can say where in the original text they stood. The plain view always exists; the
others only where the text gives a reason: letters of another alphabet that look Latin, digits inside words, punctuation
inside words, letters set apart, words glued together, words of the rules turned round or shifted by thirteen.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from karte.domain.guard import confusables
from karte.domain.guard.quoting import quotations
from karte.domain.guard.reading import (
    letters_before,
    letters_in,
    nth_letter,
    original_span,
    token_pattern,
    token_span,
    tokens_of,
)
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
_GLUED: Final = 15
_LONGEST_GLUED: Final = 4096


@dataclass(frozen=True, slots=True)
class View:
    """Tokens of one reading; ``span`` gives where tokens ``first`` to ``last`` stood in the original.

    ``quotations`` gives what stands between quotation marks, and is asked for only where an attack may be reported.
    ``undisguised`` are tokens that the plain view does not have.
    """

    tokens: list[str]
    span: Callable[[int, int], tuple[int, int]]
    quotations: Callable[[], list[tuple[int, int]]] = list
    undisguised: frozenset[str] = frozenset()


def views(text: str, marked: str, vocabulary: Vocabulary) -> Iterator[View]:
    """Every view of a text; ``marked`` is the text folded, with marks put in."""

    def to_original(source: str) -> Callable[[int, int], tuple[int, int]]:
        def span(start: int, end: int) -> tuple[int, int]:
            if marked == source and len(marked) == len(text) and text.isascii():
                return start, end
            first = letters_before(source, start)
            return original_span(text, first, letters_before(source, end) - first)

        return span

    plain = tokens_of(marked)
    yield _view(marked, plain, to_original(marked))
    latin = confusables.latin(marked) if confusables.has_lookalikes(marked) else marked
    undigited = confusables.without_stand_ins(latin, vocabulary.knows) if confusables.has_stand_ins(latin) else latin
    # Letters are replaced one for one, so both are placed like the text before.
    for source in dict.fromkeys((latin, undigited)):
        if source != marked:
            tokens = tokens_of(source)
            placed = to_original(marked if source is latin else latin)
            yield replace(_view(source, tokens, placed), undisguised=frozenset(tokens).difference(plain))
    yield from _rejoined(latin, undigited, vocabulary, to_original)
    yield from _turned(latin, plain, to_original)


def _view(source: str, tokens: list[str], to_original: Callable[[int, int], tuple[int, int]]) -> View:
    return View(
        tokens,
        lambda first, last: to_original(*token_span(source, first, last)),
        lambda: quotations(source, token_pattern(source)),
    )


def _rejoined(
    latin: str,
    undigited: str,
    vocabulary: Vocabulary,
    to_original: Callable[[str], Callable[[int, int], tuple[int, int]]],
) -> Iterator[View]:
    """Views with split words joined and glued ones cut; letters keep their order, so they are placed by counting."""
    for source in (latin,) if undigited == latin else (latin, undigited):
        tokens = _regrouped(tokens_of(source), vocabulary)
        if tokens is not None:
            yield View(tokens, _by_letters(tokens, latin, to_original(latin)))
        if _INSIDE_WORD.search(source):
            joined = tokens_of(_INSIDE_WORD.sub("", source))
            joined = _regrouped(joined, vocabulary) or joined
            yield View(joined, _by_letters(joined, latin, to_original(latin)))


def _by_letters(
    tokens: list[str], source: str, to_original: Callable[[int, int], tuple[int, int]]
) -> Callable[[int, int], tuple[int, int]]:
    def span(first: int, last: int) -> tuple[int, int]:
        before, inside = letters_in(tokens[:first]), letters_in(tokens[first:last])
        return to_original(nth_letter(source, before), nth_letter(source, before + max(inside, 1) - 1) + 1)

    return span


def _regrouped(tokens: list[str], vocabulary: Vocabulary) -> list[str] | None:
    """The tokens with runs of single letters joined and long words cut, or None where there are none."""
    lengths = list(map(len, tokens))
    if not lengths or (max(lengths) < _GLUED and lengths.count(1) < _APART):
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
        if _GLUED <= len(token) <= _LONGEST_GLUED:
            result += vocabulary.cut(token)
        elif token:
            result.append(token)
    return result if result != tokens else None


def _turned(
    latin: str, plain: list[str], to_original: Callable[[str], Callable[[int, int], tuple[int, int]]]
) -> Iterator[View]:
    told = _TELLS.intersection(plain)
    if told & _SHIFTED:
        shifted = codecs.encode(latin, "rot13")
        yield _view(shifted, tokens_of(shifted), to_original(latin))
    if told & _REVERSED:
        backwards, whole = latin[::-1], to_original(latin)
        yield _view(backwards, tokens_of(backwards), lambda a, b: whole(len(latin) - b, len(latin) - a))
