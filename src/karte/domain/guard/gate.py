"""The look that settles most texts: does any word occur that every pattern would need one of?

Of each pattern the element is chosen whose words ordinary text has least often; the gate holds one word for each
term of those elements, or its first two where all its words are everywhere (``from now on``). A text with none of
them fulfils no pattern, and that is known after one look at each of its words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final, TypeAlias

from karte.domain.guard.pattern import Sequenced
from karte.domain.guard.reading import is_wide
from karte.domain.guard.vocabulary import SHORTEST_STEM

Key: TypeAlias = str | tuple[str, str]

# Words that are in nearly every text.
EVERYWHERE: Final = frozenset(
    """a all am an and are as at be but by can do for from get go had has have he her here him his how i if in is it
    just know let like me my no not now of on one or our out over really s she so t than that the their them then there
    they this to too up us was way we well were what when which who will with you your de la le les el en que un una
    der die das und ist je tu il""".split()
)
# Words that many texts have: a term is known by another of its words, where it has one.
FREQUENT: Final = frozenset(
    """about above act add always answer any anything back because before being best call change com could data day did
    does done don down each email end ever every everything example exactly feel first give god going good got great
    help include information into its keep learn life limits list love make may mode more most much must need never new
    next off old only open order other past people perfect plan play present re release remember respond role run said
    save say see send set share should show skip some start state stop sure take task tell text thanks these thing
    things think those time true try type until update use used user values very view want whenever why without words
    work would write own special system mind future forward been real another learn know see got which lot
    everyone anyone someone yourself keep long words true change moment specific without""".split()
)
# What one look at such a word costs, in false alarms: a word of neither list counts one.
_COST_EVERYWHERE: Final = 2_000
_COST_FREQUENT: Final = 40
_COST_PAIR: Final = 3
_NO_STEMS: Final[Mapping[str, int]] = {}


class Gate:
    """Opens for every text that may fulfil one of the first sequences, and for few others.

    ``keys[i]`` is the element of ``sequences[i]`` that ordinary text has least often; the first ``opening`` of them
    make the gate.
    """

    def __init__(self, sequences: Sequence[Sequenced], terms: Mapping[tuple[str, ...], int], *, opening: int) -> None:
        known_by: dict[int, list[Key]] = {}
        for words, mask in terms.items():
            key = _key(words)
            for bit in bits_of(mask):
                known_by.setdefault(bit, []).append(key)
        costs = {bit: sum(map(_cost, keys)) for bit, keys in known_by.items()}

        def cost(mask: int) -> int:
            return sum(costs.get(bit, 0) for bit in bits_of(mask))

        self.keys = [min(sequence.masks, key=cost) for sequence in sequences]
        gate = 0
        for mask in self.keys[:opening]:
            gate |= mask
        chosen = {key for bit in bits_of(gate) for key in known_by.get(bit, ())}
        words_or_stems = [key for key in chosen if isinstance(key, str)]
        self._pairs = frozenset(key for key in chosen if isinstance(key, tuple))
        self._words = frozenset(word for word in words_or_stems if not word.endswith("*"))
        self._stems = frozenset(word[:SHORTEST_STEM] for word in words_or_stems if word.endswith("*"))
        self._bound = _Bound(terms)

    def opens(self, tokens: Sequence[str]) -> bool:
        """Whether the tokens have something of the gate."""
        return not (
            self._words.isdisjoint(tokens)
            and self._stems.isdisjoint([token[:SHORTEST_STEM] for token in tokens])
            and self._pairs.isdisjoint(pairwise(tokens))
        )

    def at_most(self, tokens: Sequence[str]) -> int:
        """Concepts that the tokens may hold, among them all that they do: a fifth of the work of finding those."""
        return self._bound.mask(tokens)


class _Bound:
    """What each term is known by, with its concepts; where a term stands, so does that."""

    def __init__(self, terms: Mapping[tuple[str, ...], int]) -> None:
        self._by_word: dict[str, int] = {}
        self._by_pair: dict[tuple[str, str], int] = {}
        self._by_stem: dict[str, dict[str, int]] = {}
        for words, mask in terms.items():
            key = _key(words)
            if isinstance(key, tuple) and key[0].endswith("*"):
                key = key[1]
            if isinstance(key, tuple):
                self._by_pair[key] = self._by_pair.get(key, 0) | mask
            elif key.endswith("*"):
                stems = self._by_stem.setdefault(key[:SHORTEST_STEM], {})
                stems[key[:-1]] = stems.get(key[:-1], 0) | mask
            else:
                self._by_word[key] = self._by_word.get(key, 0) | mask

    def mask(self, tokens: Sequence[str]) -> int:
        """All concepts of the terms that the tokens show a sign of."""
        mask = 0
        for word in self._by_word.keys() & tokens:
            mask |= self._by_word[word]
        for pair in self._by_pair.keys() & pairwise(tokens):
            mask |= self._by_pair[pair]
        beginnings = [token[:SHORTEST_STEM] for token in tokens]
        if not self._by_stem.keys().isdisjoint(beginnings):
            for token, beginning in zip(tokens, beginnings, strict=True):
                for stem, concepts in self._by_stem.get(beginning, _NO_STEMS).items():
                    if token.startswith(stem):
                        mask |= concepts
        return mask


def _key(words: tuple[str, ...]) -> Key:
    """What a term is known by: its longest word of those that ordinary text has least often, or its first two."""
    word = max(words, key=lambda word: (-_cost_of(word), len(word)))
    is_common = word in EVERYWHERE or word in FREQUENT or is_wide(word)
    if is_common and len(words) > 1 and not words[1].endswith("*"):
        return words[0], words[1]
    return word


def bits_of(mask: int) -> Iterator[int]:
    """The single bits of a mask, the lowest first."""
    while mask:
        bit = mask & -mask
        yield bit
        mask ^= bit


def _cost(key: Key) -> int:
    return _cost_of(key) if isinstance(key, str) else _COST_PAIR


def _cost_of(word: str) -> int:
    if word in EVERYWHERE:
        return _COST_EVERYWHERE
    return _COST_FREQUENT if word in FREQUENT else 1
