"""The look that settles most texts: does any word occur that every pattern would need one of?

Of each pattern the element is chosen whose words ordinary text has least often; the gate is the words of those
elements, one for each term. A text with none of them fulfils no pattern, and that is known after one look at each of
its words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from karte.domain.guard.pattern import Sequenced
from karte.domain.guard.reading import is_wide
from karte.domain.guard.vocabulary import SHORTEST_STEM

# Words that ordinary text is full of: a term is known by another of its words, where it has one.
FREQUENT: Final = frozenset(
    """a about above act add all always am an and answer any anything are as ask at be because before being best but by
    call can change com could data day did do does don done down each email end ever every everything example exactly
    feel first for from get give go god going good got great had has have he help her him his how i if in include
    information into is it its just keep know learn let life like limits list love make may me mode more most much must
    my need never new next no not now of off old on one only open or order other our out over past people perfect plan
    play present re really release remember respond role run s said save say see send set share she should show skip so
    some start state stop sure t take task tell text than thanks that the their them then these they thing things think
    this those time to too true try type until up update us use used user values very view want was way we well were
    what when whenever which who why will with without words work would write you your""".split()
)


class Gate:
    """Opens for every text that may fulfil one of the sequences, and for few others."""

    def __init__(self, sequences: Iterable[Sequenced], terms: Mapping[tuple[str, ...], int]) -> None:
        keys: dict[int, list[str]] = {}
        for words, mask in terms.items():
            key = _key(words)
            while mask:
                bit = mask & -mask
                keys.setdefault(bit, []).append(key)
                mask ^= bit
        chosen: set[str] = set()
        for sequence in sequences:
            chosen.update(min((_words(mask, keys) for mask in sequence.masks), key=_cost))
        self._exact = frozenset(word for word in chosen if not word.endswith("*"))
        self._stems = frozenset(word[:SHORTEST_STEM] for word in chosen if word.endswith("*"))

    def opens(self, tokens: Sequence[str]) -> bool:
        """Whether the tokens have a word of the gate."""
        if not self._exact.isdisjoint(tokens):
            return True
        return not self._stems.isdisjoint([token[:SHORTEST_STEM] for token in tokens])


def _key(words: tuple[str, ...]) -> str:
    """The word of a term that ordinary text has least often; of those, the longest."""
    return max(words, key=lambda word: (word not in FREQUENT, len(word)))


def _words(mask: int, keys: Mapping[int, Sequence[str]]) -> list[str]:
    found: list[str] = []
    while mask:
        bit = mask & -mask
        found += keys.get(bit, ())
        mask ^= bit
    return found


def _cost(words: Sequence[str]) -> tuple[int, int]:
    return sum(word in FREQUENT and not is_wide(word) for word in words), len(words)
