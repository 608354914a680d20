"""The names of entities, and where they stand in texts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from karte.domain.graph_table import Table
from karte.domain.text.tokens import BARRIER

_BEHIND: Final = "\x1e"  # between the tokens of a name and the name, where those differ

Entry = tuple[str, Sequence[str]]
"""A name, and the tokens by which it is known."""


class Vocabulary:
    """The names of entities, to be found in texts by the tokens of the index."""

    def __init__(self, names: Iterable[Entry]) -> None:
        self._known = Table()
        # How many tokens the longest name has that begins with a token, by the hash of that; not of names of one token.
        # Vocabularies that come of one another share it: what it says too much costs a look at the table.
        self._longest: dict[int, int] = {}
        self.extend(names)

    def changed(self, gone: Iterable[Entry], new: Iterable[Entry]) -> Vocabulary:
        """Another one without some names and with others; who reads this one is not disturbed."""
        lost: dict[int, int] = {}
        for name, tokens in gone:
            key, entry = _entry(name, tokens)
            numbers = [number for _, number in self._known.candidates([key]) if self._known[number] == entry]
            lost.update((number, key) for number in [each for each in numbers if each not in lost][:1])
        other = Vocabulary(())
        other._longest = self._longest
        other._known, _ = self._known.changed([(key, number) for number, key in lost.items()], ())
        other.extend(new)
        return other

    def extend(self, names: Iterable[Entry], *, is_going_on: bool = False) -> None:
        """Makes names known to this very one, which nobody else may be reading; more may come."""
        new = [(name, tokens) for name, tokens in names if tokens]
        for _, tokens in new:
            if len(tokens) > 1:
                first = hash(tokens[0])
                self._longest[first] = max(self._longest.get(first, 0), len(tokens))
        self._known.extend([_entry(name, tokens) for name, tokens in new], is_going_on=is_going_on)

    def named(self, tokens: Sequence[str]) -> tuple[str, ...]:
        """Every name that stands in a text."""
        found = self._found(tokens)
        return tuple({name: None for place in sorted(found) for _, name in sorted(found[place])})

    def longest(self, tokens: Sequence[str]) -> tuple[str, ...]:
        """The names that stand in a text and in no longer name there."""
        found: dict[str, None] = {}
        covered = 0
        letters: set[str] = set()  # of the names found; behind the barrier the letters of all pairs stand once more
        end_of_words = tokens.index(BARRIER) if BARRIER in tokens else len(tokens)
        for place, here in sorted(self._found(tokens).items()):
            is_again = place > end_of_words and tokens[place] in letters
            length = max(length for length, _ in here)
            if not is_again and place + length > covered:
                found.update((name, None) for each, name in sorted(here) if each == length)
                covered = place + length
                letters.update(letter for token in tokens[place:covered] for letter in token)
        return tuple(found)

    def _found(self, tokens: Sequence[str]) -> dict[int, list[tuple[int, str]]]:
        """The names that begin at each place, with how many tokens they have."""
        parts = []
        for place, token in enumerate(tokens):
            parts.append((place, token, 1))
            most = min(self._longest.get(hash(token), 1), len(tokens) - place)
            parts += ((place, " ".join(tokens[place : place + each]), each) for each in range(2, most + 1))
        found: dict[int, list[tuple[int, str]]] = {}
        for index, number in self._known.candidates([hash(text) for _, text, _ in parts]):
            place, text, length = parts[index]
            known, _, name = self._known[number].partition(_BEHIND)
            if known == text:
                found.setdefault(place, []).append((length, name or known))
        return found


def _entry(name: str, tokens: Sequence[str]) -> tuple[int, str]:
    text = " ".join(tokens)
    return hash(text), text if text == name else f"{text}{_BEHIND}{name}"
