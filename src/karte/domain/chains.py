"""Chains of facts whose relations a query names: "the city of Mia's manager" leads over who the manager is.

A chain starts at an entity that the query names and goes from fact to fact over entities that they share, in either
direction. Each fact has to take words of the query that ask for its predicate (``karte.domain.relations``) and that no
fact before it took; so "the mother of the mother" goes two steps. What a fact at the end of a chain is worth is

    t (w / max(w))^2        with w the number of words that the chain took, and t the least trust in its facts

(the square, since most chains take some word, and the answer takes all of them). An entity that more than
``MOST_JOINED`` memories are about, or beyond ``MOST_STATES`` at one step, is not gone through: it would lead anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cache
from typing import Final, NamedTuple

from karte.domain.relations import Slot, relation_of

MOST_STEPS: Final = 4
MOST_STATES: Final = 50
MOST_JOINED: Final = 1_000


class Link(NamedTuple):
    """A memory with a predicate, and the normalised entities that it joins."""

    ordinal: int
    predicate: str
    trust: float
    names: tuple[str, ...]


Joined = Callable[[Collection[str]], Iterable[Link]]
"""The links of some entities."""
State = tuple[str, int]
"""Where a chain has come to, and the words that it took, as bits."""


def chained(seeds: Iterable[str], slots: Sequence[Slot], joined: Joined) -> dict[int, float]:
    """What each memory at the end of a chain is worth, above 0 and at most 1; by ordinal."""
    if not slots:
        return {}
    taken = cache(lambda predicate, used: relation_of(predicate).taken(slots, used))
    states: dict[State, float] = {(name, 0): 1.0 for name in seeds}
    seen = set(states)
    ends: dict[int, dict[int, float]] = {}
    for _ in range(MOST_STEPS):
        further: dict[State, float] = {}
        for state, link in _steps(states, joined):
            words = state[1] | taken(link.predicate, state[1])
            if words == state[1]:
                continue
            trust = min(states[state], link.trust)
            ended = ends.setdefault(link.ordinal, {})
            ended[words.bit_count()] = max(trust, ended.get(words.bit_count(), 0.0))
            for name in link.names:
                if name != state[0] and (name, words) not in seen:
                    further[name, words] = max(trust, further.get((name, words), 0.0))
        if not further:
            break
        seen.update(further)
        states = dict(sorted(further.items(), key=_order)[:MOST_STATES])
    most = max((words for ended in ends.values() for words in ended), default=0)
    worth = {each: max(t * (words / most) ** 2 for words, t in ended.items()) for each, ended in ends.items()}
    return {ordinal: value for ordinal, value in worth.items() if value > 0.0}


def _steps(states: Iterable[State], joined: Joined) -> Iterable[tuple[State, Link]]:
    """Every way on: a state, and a link of its entity."""
    here: dict[str, list[State]] = {}
    for state in states:
        here.setdefault(state[0], []).append(state)
    return ((state, link) for link in joined(here) for name in link.names for state in here.get(name, ()))


def _order(item: tuple[State, float]) -> tuple[int, float, State]:
    """Those first that took most, then the most trusted."""
    state, trust = item
    return -state[1].bit_count(), -trust, state
