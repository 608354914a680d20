"""Chains of facts whose relations a query names: "the city of Mia's manager" leads over who the manager is.

A chain starts at an entity that the query names and goes from fact to fact over entities that they share. Each fact has
to take words of the query that ask for its predicate (``karte.domain.relations``) and that no fact before it took; so
"the mother of the mother" goes two steps. What a fact at the end of a chain is worth is

    t f (w / max(w))^2 (max(w) / n)^(1 / 2 max(w)) o^(b - min(b))

with w the number of words that the chain took, of n that might name relations, f how well they fit, and t the least
trust in its facts (the square, since most chains take some word and the answer takes all of them; the root, since one
word of a long question tells less, and each further one more). b is how often the chain took a word before one that
the query binds nearer to the name ("Leon's boss's mother" is not his mother's boss), or came back to where it had been.

The end of the longest chain comes before those that answer a part and are trusted no more, whatever words and walk
give them (``ahead``).

A fact is read from its subject on, and from its object on where its words allow; where the query says who works *at*,
lives *in*, reports *to* an entity, the other way round. More than ``MOST_STATES`` places at one step are not gone on
from, and of an entity that more than ``MOST_JOINED`` memories are about only what is asked of itself: all that others
say of it would lead anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache
from typing import Final, NamedTuple

from karte.domain.relation_slots import Slot, is_open, said
from karte.domain.relations import AGAINST, Taken, relation_of

MOST_STEPS: Final = 4
MOST_STATES: Final = 50
MOST_JOINED: Final = 1_000
OUT_OF_TURN: Final = 0.5
"""What a chain counts that takes a word out of turn, against one that does not."""
AHEAD: Final = 1.05
"""So far before whatever answers a part comes the end of the longest chain."""


class Link(NamedTuple):
    """A memory with a predicate, and the normalised entities that it joins; ``value`` is None for a sentence."""

    ordinal: int
    predicate: str
    trust: float
    subject: str
    value: str | None

    @property
    def said(self) -> tuple[str, str, str | None]:
        """What it says, whoever says it."""
        return self.subject, self.predicate, self.value


class Worth(NamedTuple):
    """How good a chain is so far; and which way it went: by which entities, predicates and facts."""

    fit: float
    trust: float
    turns: int = 0
    """How often it took a word before one that was to be taken first, or came back to where it had been."""
    entities: tuple[str, ...] = ()
    relations: tuple[str, ...] = ()
    said: tuple[tuple[str, str, str | None], ...] = ()
    used: int = 0

    @property
    def whole(self) -> float:
        """All together."""
        return float(self.fit * self.trust * OUT_OF_TURN**self.turns)


class End(NamedTuple):
    """What a fact at the end of a chain is worth, above 0 and at most 1, and the way that led there."""

    worth: float
    entities: tuple[str, ...]
    relations: tuple[str, ...]
    words: int
    trust: float
    said: tuple[str, ...] = ()
    """The words that it took."""
    is_whole: bool = False
    """Whether no word of the query that might name a relation is left."""


Joined = Callable[[Collection[str]], Iterable[Link]]
"""The links of some entities."""
State = tuple[str, int]
"""Where a chain has come to, and the words that it took, as bits."""


def chained(
    seeds: Iterable[str], slots: Sequence[Slot], joined: Joined, turned: Collection[str] = ()
) -> dict[int, End]:
    """The memories at the ends of chains, by ordinal.

    ``turned`` are the seeds of which the query asks who is related to them, not to whom they are.
    """
    if not slots:
        return {}
    states: dict[State, Worth] = {(name, 0): Worth(1.0, 1.0) for name in seeds}
    seen = set(states)
    ends: dict[int, dict[int, Worth]] = {}
    taken = cache(lambda predicate, used, forward: relation_of(predicate).taken(slots, used, is_forward=forward))
    for step in range(MOST_STEPS):
        further: dict[State, Worth] = {}
        for (name, used), link, other, is_forward in _steps(states, joined):
            found: Taken = taken(link.predicate, used, is_forward)
            if not found.slots:
                continue
            fit = _turned_fit(found.fit, is_forward=is_forward) if step == 0 and name in turned else found.fit
            before = states[name, used]
            if link.said in before.said:  # there and back again is no step
                continue
            way = ((*before.entities, name), (*before.relations, link.predicate), (*before.said, link.said))
            turns = before.turns + _out_of_turn(used, found.slots) + (other in (*before.entities, name))
            words = used | found.slots
            worth = Worth(before.fit * fit, min(before.trust, link.trust), turns, *way, words)
            if not is_open(slots, words):
                ended = ends.setdefault(link.ordinal, {})
                ended[words.bit_count()] = _better(worth, ended.get(words.bit_count()))
            if other and (other, words) not in seen:
                further[other, words] = _better(worth, further.get((other, words)))
        if not further:
            break
        seen.update(further)
        states = dict(sorted(further.items(), key=_order)[:MOST_STATES])
    return _worth(ends, slots)


def _turned_fit(fit: float, *, is_forward: bool) -> float:
    return fit * AGAINST if is_forward else min(1.0, fit / AGAINST)


def _better(one: Worth, other: Worth | None) -> Worth:
    """The one that is worth more; of equals the one whose way comes first by letters, whatever order they came in."""
    return one if other is None else min(one, other, key=lambda each: (-each.whole, each.entities, each.relations))


def _out_of_turn(used: int, taken: int) -> int:
    """How many of the used slots stand behind the first of those taken now."""
    first = (taken & -taken).bit_length()
    return (used >> first).bit_count()


def _worth(ends: dict[int, dict[int, Worth]], slots: Sequence[Slot]) -> dict[int, End]:
    most = max((words for ended in ends.values() for words in ended), default=0)
    fewest = min((ended[most].turns for ended in ends.values() if most in ended), default=0)
    all_words = max(float(most), sum(slot.size for slot in slots))
    told = (most / all_words) ** (1 / (2 * most)) if most else 0.0
    found: dict[int, End] = {}
    for ordinal, ended in ends.items():
        words, best = max(ended.items(), key=lambda item: item[1].whole * (item[0] / most) ** 2)
        turned = OUT_OF_TURN ** max(0, best.turns - fewest)
        value = told * best.fit * best.trust * turned * (words / most) ** 2
        if value > 0.0:
            is_whole = all_words - words < 1.0
            way = best.entities, best.relations
            found[ordinal] = End(value, *way, words, best.trust, said(slots, best.used), is_whole)
    return found


def ahead(ends: Mapping[int, End], worth: Mapping[int, float]) -> dict[int, float]:
    """What the ends of the longest chains are to get besides, so that the best of them leads over those of a part.

    ``worth`` is what each memory is worth otherwise. Nothing is led over that is trusted more than the whole chain.
    """
    most = max((end.words for end in ends.values()), default=0)
    longest = {ordinal: end for ordinal, end in ends.items() if end.words == most}
    if len(longest) == len(ends):
        return {}
    first = max(longest, key=lambda ordinal: (longest[ordinal].worth, -ordinal))
    best = longest[first]
    parts = [worth[each] for each, end in ends.items() if end.words < most and end.trust <= best.trust]
    short = AHEAD * max(parts, default=0.0) - worth[first]
    if short <= 0.0:
        return {}
    return {ordinal: short * end.worth / best.worth for ordinal, end in longest.items()}


def _steps(states: Iterable[State], joined: Joined) -> Iterable[tuple[State, Link, str | None, bool]]:
    """Every way on: a state, a link of its entity, the link's other end, and whether it is read from its subject."""
    here: dict[str, list[State]] = {}
    for state in states:
        here.setdefault(state[0], []).append(state)
    for link in joined(here):
        yield from ((state, link, link.value, True) for state in here.get(link.subject, ()))
        yield from ((state, link, link.subject, False) for state in here.get(link.value or "", ()))


def _order(item: tuple[State, Worth]) -> tuple[int, float, State]:
    """Those first that took most, then the best."""
    state, worth = item
    return -state[1].bit_count(), -worth.whole, state
