"""The words of all rules in one tree, so that one walk over a text finds every concept in it.

A *term* is a sequence of words (``from now on``); a word that ends in ``*`` stands for every word that begins so
(``ignor*``). Each term carries a bit for every concept that lists it. The walk costs one look into a table for each
token of the text, and a few more only where a term begins, so it is linear in the text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from karte.domain.guard.reading import is_wide

SHORTEST_STEM: Final = 4
"""A stem with fewer letters would begin too many words, and its first letters are the key it is found by."""

# Glued words are cut at known words of at least this length, where those are most of it; others are found in anything.
_SHORTEST_CUT: Final = 4
_LONGEST_CUT: Final = 18
_KNOWN_SHARE: Final = 0.6


class Hit(NamedTuple):
    """Tokens ``start`` to ``end`` (exclusive) are a term of the concepts in ``mask``."""

    start: int
    end: int
    mask: int
    is_wide: bool


class _Node:
    __slots__ = ("exact", "mask", "stems")

    def __init__(self) -> None:
        self.mask = 0
        self.exact: dict[str, _Node] = {}
        self.stems: dict[str, list[tuple[str, _Node]]] = {}

    def child(self, word: str) -> _Node:
        """The node after this word of a term, made where it is missing."""
        if not word.endswith("*"):
            return self.exact.setdefault(word, _Node())
        stem = word[:-1]
        bucket = self.stems.setdefault(stem[:SHORTEST_STEM], [])
        for known, node in bucket:
            if known == stem:
                return node
        bucket.append((stem, _Node()))
        return bucket[-1][1]

    def after(self, token: str) -> list[_Node]:
        """The nodes that a token of a text leads to."""
        node = self.exact.get(token)
        found = [node] if node is not None else []
        if self.stems:
            found += [node for stem, node in self.stems.get(token[:SHORTEST_STEM], ()) if token.startswith(stem)]
        return found


class Vocabulary:
    """All terms, found in tokens by one walk."""

    def __init__(self, terms: Iterable[tuple[Sequence[str], int]]) -> None:
        self._root = _Node()
        for words, mask in terms:
            node = self._root
            for word in words:
                node = node.child(word)
            node.mask |= mask
        known = (*self._root.exact, *(stem for stems in self._root.stems.values() for stem, _ in stems))
        self._beginnings = frozenset(word[:_SHORTEST_CUT] for word in known if len(word) >= _SHORTEST_CUT)

    def hits(self, tokens: Sequence[str]) -> list[Hit]:
        """Every term in the tokens, overlapping ones too, in order of their start."""
        exact, stems = self._root.exact, self._root.stems
        found: list[Hit] = []
        for start, token in enumerate(tokens):
            if token in exact or token[:SHORTEST_STEM] in stems:
                self._add_hits(tokens, start, found)
        return found

    def _add_hits(self, tokens: Sequence[str], start: int, found: list[Hit]) -> None:
        nodes = self._root.after(tokens[start])
        at = start + 1
        while nodes:
            mask = 0
            longer = []
            for node in nodes:
                mask |= node.mask
                if node.exact or node.stems:
                    longer.append(node)
            if mask:
                found.append(Hit(start, at, mask, is_wide(tokens[at - 1])))
            if at == len(tokens):
                return
            nodes = [after for node in longer for after in node.after(tokens[at])]
            at += 1

    def knows(self, word: str) -> bool:
        """Whether a term begins with this word."""
        stems = self._root.stems.get(word[:SHORTEST_STEM])
        return word in self._root.exact or (stems is not None and any(word.startswith(stem) for stem, _ in stems))

    def cut(self, glued: str) -> list[str]:
        """Words written without spaces, apart again: at each place the longest known word, else one letter more.

        A word of which little is known is left whole.
        """
        words: list[str] = []
        at = unknown = known = 0
        while at < len(glued):
            length = self._known_length(glued, at)
            known += length
            if length:
                words += [glued[unknown:at]] if unknown < at else []
                words.append(glued[at : at + length])
                unknown = at + length
            at += length or 1
        if known < _KNOWN_SHARE * len(glued):
            return [glued]
        return words + ([glued[unknown:]] if unknown < len(glued) else [])

    def _known_length(self, glued: str, at: int) -> int:
        if glued[at : at + _SHORTEST_CUT] not in self._beginnings:
            return 0
        exact = self._root.exact
        for length in range(min(_LONGEST_CUT, len(glued) - at), _SHORTEST_CUT - 1, -1):
            if glued[at : at + length] in exact:
                return length
        stems = self._root.stems.get(glued[at : at + SHORTEST_STEM], ())
        return max((len(stem) for stem, _ in stems if glued.startswith(stem, at)), default=0)
