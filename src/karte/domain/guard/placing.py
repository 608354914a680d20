"""Where in the original text something stood that was found in a reading of it.

Every reading keeps the letters and digits of the original in their order (or turns them all round), so places are
found by counting letters. What is counted is kept, so that many places in a long text cost one count.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from functools import cached_property
from itertools import accumulate
from typing import Final

from karte.domain.guard.reading import folded, token_pattern

# A letter with everything that normalisation may draw into it: accents, voicing marks, the parts of a Hangul syllable.
_CLUSTER: Final = re.compile("(?s).[\u0300-\u036f\u1160-\u11ff\u3099\u309a\uff9e\uff9f]*")
_BLOCK: Final = 1024

Span = tuple[int, int]


class Letters:
    """The letters and digits of a text, by number."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def _before(self) -> array[int]:
        return array("L", accumulate(map(str.isalnum, self.text), initial=0))

    def before(self, index: int) -> int:
        """How many letters stand before an index."""
        return self._before[index]

    def index(self, number: int) -> int:
        """Where the letter stands that has ``number`` others before it."""
        return bisect_right(self._before, number) - 1


class Original:
    """A text as it was given; ``marked`` is the same folded, with marks put in."""

    def __init__(self, text: str, marked: str) -> None:
        self._text = text
        self._is_same = text.isascii() and len(text) == len(marked)

    def span(self, source: Letters, start: int, end: int) -> Span:
        """Where a stretch of a reading stood that has the letters of the original in their order."""
        if self._is_same and len(source.text) == len(self._text):
            return start, end
        first, last = source.before(start), max(source.before(end) - 1, 0)
        begin = self._index(first)
        return begin, self._after(max(self._index(max(first, last)), begin))

    @cached_property
    def _blocks(self) -> tuple[list[int], list[int]]:
        """Where blocks begin, and how many letters of the folded text stand before each."""
        starts, counts = [0], [0]
        while starts[-1] < len(self._text):
            end = self._after(min(starts[-1] + _BLOCK, len(self._text)) - 1)
            counts.append(counts[-1] + _letters(self._text[starts[-1] : end]))
            starts.append(end)
        return starts, counts

    def _index(self, number: int) -> int:
        starts, counts = self._blocks
        block = min(bisect_right(counts, number) - 1, len(starts) - 1)
        left = number - counts[block]
        for cluster in _CLUSTER.finditer(self._text, starts[block]):
            held = _letters(cluster[0])
            if held > left:
                return cluster.start()
            left -= held
        return len(self._text)

    def _after(self, index: int) -> int:
        found = _CLUSTER.match(self._text, index)
        return found.end() if found else len(self._text)


def _letters(text: str) -> int:
    return sum(map(str.isalnum, folded(text)))


class Placed:
    """A reading whose tokens can be placed."""

    def __init__(self, source: str, original: Original) -> None:
        self.letters = Letters(source)
        self._original = original

    @cached_property
    def _tokens(self) -> list[Span]:
        source = self.letters.text
        return [found.span() for found in token_pattern(source).finditer(source)]

    def span(self, first: int, last: int) -> Span:
        """Where the tokens from ``first`` to ``last`` (exclusive) stood in the original."""
        return self._original.span(self.letters, self._tokens[first][0], self._tokens[last - 1][1])

    def turned_span(self, first: int, last: int) -> Span:
        """The same, where this reading is the original backwards."""
        length = len(self.letters.text)
        start, end = self._tokens[first][0], self._tokens[last - 1][1]
        forwards = Letters(self.letters.text[::-1])
        return self._original.span(forwards, length - end, length - start)


class Regrouped:
    """Tokens that hold the letters of another reading, divided otherwise.

    ``counted`` is a reading of the same length as that one, with the letters of the original and no others.
    """

    def __init__(self, tokens: list[str], of: Letters, counted: Letters, original: Original) -> None:
        self._tokens = tokens
        self._of = of
        self._counted = counted
        self._original = original

    @cached_property
    def _before(self) -> array[int]:
        lengths = (len(token) if token.isalnum() else 0 for token in self._tokens)
        return array("L", accumulate(lengths, initial=0))

    def span(self, first: int, last: int) -> Span:
        """Where the tokens from ``first`` to ``last`` (exclusive) stood in the original."""
        start, end = self._of.index(self._before[first]), self._of.index(max(self._before[last], 1) - 1) + 1
        return self._original.span(self._counted, start, end)
