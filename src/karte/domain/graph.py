"""The graph of an agent's memories, and how relevance walks in it: HippoRAG without a language model.

**Nodes** are entities (normalised subjects and objects, through aliases, and the name that a plain memory begins with,
``Name: ``) and memories. **Edges** join a memory with the entities it is about (base weight 1) and with those that its
text names (``NAMED``). The predicate labels an edge and does not change the walk.

**Walk**: Personalized PageRank (Haveliwala, 2002; for memories Gutiérrez et al., 2024, "HippoRAG"), damping d = 0.5.
Of the mass of a node an edge of base weight b and trust t passes on ``d b t / sum(b)``; the rest returns to the seeds.
As what returns only adds to the seeds, the masses are those of the open walk, in proportion:

    x = s + K x      over entities, with K = d^2 B A      A: entity to memory, B: memory to entity, each b t / sum(b)
    y = d A x        the masses of memories, scaled to sum to 1

so memories need no iteration of their own, and as K leaves at most a quarter of any mass (d^2), ``ROUNDS`` rounds leave
an L1 change below ``0.25^ROUNDS``.

**Seeds** weigh 1 over the number of memories an entity is joined with (HippoRAG's node specificity), and the whole
graph counts ``min(1, SPECIFIC / n)^2`` with n that number for the most specific seed: what is said everywhere
tells nothing.

Arrays are kept in one order (by memory, then by the entity's name), whatever the order of writes, so that a graph
brought up to date gives the masses of one built anew, bit for bit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum
from typing import TYPE_CHECKING, Final, NamedTuple

from karte.domain.text.tokens import BARRIER

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Numbers = npt.NDArray[np.int64]

DAMPING: Final = 0.5
ROUNDS: Final = 8
NAMED: Final = 0.3
LONGEST_PATH: Final = 4
MOST_LOOKED_AT: Final = 50
SPECIFIC: Final = 30.0


class Node(NamedTuple):
    """A memory in the graph: what it is about and what it names, by normalised name, with how far it is trusted."""

    ordinal: int
    trust: float
    about: tuple[str, ...]
    named: tuple[str, ...] = ()

    @property
    def edges(self) -> list[tuple[str, float]]:
        """The entities it is joined with, and the base weight of each edge, by name."""
        weights = dict.fromkeys(self.named, NAMED) | dict.fromkeys(self.about, 1.0)
        return sorted(weights.items())


class Reached(NamedTuple):
    """Where a walk arrives: the masses of memories by ordinal, and how much such seeds tell (0.0 to 1.0)."""

    masses: dict[int, float]
    specificity: float


NOWHERE: Final = Reached({}, 0.0)


@dataclass(slots=True)
class Graph:
    """Edges in canonical order: ``memory`` (ordinals, ascending), ``entity`` (numbers), base weight and trust."""

    entities: dict[str, int]
    memory: Numbers
    entity: Numbers
    weight: Floats
    trust: Floats
    _walking: dict[bool, _Walk] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """The names of the entities by their numbers."""
        return list(self.entities)

    @classmethod
    def of(cls, nodes: Iterable[Node]) -> Graph:
        """The graph of these memories, which come in the order of their ordinals."""
        return cls.empty().changed((), nodes)

    @classmethod
    def empty(cls) -> Graph:
        """A graph of nothing."""
        import numpy as np  # noqa: PLC0415 (who never walks needs no numpy)

        none = np.zeros(0, dtype=np.int64)
        return cls({}, none, none, np.zeros(0), np.zeros(0))

    def changed(self, gone: Iterable[int], nodes: Iterable[Node]) -> Graph:
        """The graph without the memories that are gone or given anew, and with those given, in ascending order."""
        import numpy as np  # noqa: PLC0415

        names = dict(self.entities)
        memory: list[int] = []
        entity: list[int] = []
        weight: list[float] = []
        trust: list[float] = []
        renewed = set(gone)
        for node in nodes:
            renewed.add(node.ordinal)
            for name, base in node.edges:
                memory.append(node.ordinal)
                entity.append(names.setdefault(name, len(names)))
                weight.append(base)
                trust.append(node.trust)
        new = np.array(memory, dtype=np.int64)
        keep = ~np.isin(self.memory, np.fromiter(renewed, dtype=np.int64, count=len(renewed)))
        kept = self.memory[keep]
        places = np.searchsorted(kept, new)
        numbers = np.insert(self.entity[keep], places, np.array(entity, dtype=np.int64))
        names, numbers = _without_unused(names, numbers)
        return Graph(
            names,
            np.insert(kept, places, new),
            numbers,
            np.insert(self.weight[keep], places, np.array(weight, dtype=np.float64)),
            np.insert(self.trust[keep], places, np.array(trust, dtype=np.float64)),
        )

    def about(self, ordinals: Iterable[int]) -> list[str]:
        """What these memories are about, each name as often as a memory is."""
        import numpy as np  # noqa: PLC0415

        names = self.names
        there = np.isin(self.memory, list(ordinals)) & (self.weight == 1.0)
        return [names[number] for number in self.entity[there].tolist()]

    def path(self, seeds: Iterable[str], ordinal: int) -> tuple[str, ...]:
        """The entities on a shortest way from a seed to a memory, the seed first; none where that is too long."""
        goals = frozenset(seeds)
        came_from: dict[str, str | None] = dict.fromkeys(sorted(self._beside([ordinal])))
        edge = list(came_from)
        for _ in range(LONGEST_PATH):
            reached = next((name for name in edge if name in goals), None)
            if reached is not None:
                return _back(reached, came_from)
            further: list[str] = []
            for name in edge:
                new = [other for other in sorted(self._beside(self.memories_with([name]))) if other not in came_from]
                came_from.update(dict.fromkeys(new, name))
                further += new
            edge = further[:MOST_LOOKED_AT]
        return ()

    def _beside(self, ordinals: Sequence[int]) -> set[str]:
        import numpy as np  # noqa: PLC0415

        names = self.names
        return {names[number] for number in self.entity[np.isin(self.memory, ordinals)].tolist()}

    def memories_with(self, names: Iterable[str]) -> list[int]:
        """The memories that are joined with any of these entities."""
        import numpy as np  # noqa: PLC0415

        wanted = [self.entities[name] for name in names if name in self.entities]
        return [int(each) for each in np.unique(self.memory[np.isin(self.entity, wanted)])] if wanted else []

    def walk(self, seeds: Mapping[str, float], *, by_trust: bool = True, most: int | None = None) -> Reached:
        """The memories that the walk reaches from the seeds, the ``most`` with the greatest masses if told so.

        ``seeds`` weigh entities; those that are not in the graph count nothing. ``by_trust`` False takes every memory
        as trusted.
        """
        walk = self._walking.get(by_trust)
        if walk is None:
            walk = self._walking[by_trust] = _Walk.over(self, by_trust=by_trust)
        known = {self.entities[name]: value for name, value in sorted(seeds.items()) if name in self.entities}
        there = {number: value for number, value in known.items() if walk.degree[number] > 0 and value > 0}
        return walk.reached(there, most)


@dataclass(frozen=True, slots=True)
class _Walk:
    """A graph made ready to walk in: rows for memories, and what each edge passes on either way."""

    ordinals: Numbers
    row: Numbers
    entity: Numbers
    to_memory: Floats
    to_entity: Floats
    degree: Numbers

    @classmethod
    def over(cls, graph: Graph, *, by_trust: bool) -> _Walk:
        import numpy as np  # noqa: PLC0415

        ordinals, row = np.unique(graph.memory, return_inverse=True)
        count = len(graph.entities)
        passed = graph.weight * graph.trust if by_trust else graph.weight
        of_entity = np.bincount(graph.entity, graph.weight, count)
        of_memory = np.bincount(row, graph.weight, len(ordinals))
        return cls(
            ordinals,
            row.astype(np.int64),
            graph.entity,
            DAMPING * passed / of_entity[graph.entity] if len(passed) else passed,
            DAMPING * passed / of_memory[row] if len(passed) else passed,
            np.bincount(graph.entity, minlength=count),
        )

    def reached(self, seeds: Mapping[int, float], most: int | None) -> Reached:
        import numpy as np  # noqa: PLC0415

        if not seeds:
            return NOWHERE
        numbers = np.array(list(seeds), dtype=np.int64)
        degrees = self.degree[numbers].astype(np.float64)
        weights = np.array(list(seeds.values()), dtype=np.float64) / degrees
        mass: Floats = np.zeros(len(self.degree), dtype=np.float64)
        mass[numbers] = weights / fsum(weights.tolist())  # exact, so that numbering entities otherwise changes nothing
        passing: Floats = mass
        for _ in range(ROUNDS):
            there = _sums(self.row, passing[self.entity] * self.to_memory, len(self.ordinals))
            passing = _sums(self.entity, there[self.row] * self.to_entity, len(self.degree))
            mass = mass + passing
        reached = _sums(self.row, mass[self.entity] * self.to_memory, len(self.ordinals))
        places = _greatest(reached, most)
        masses = zip(self.ordinals[places].tolist(), (reached[places] / reached.sum()).tolist(), strict=True)
        return Reached(dict(masses), min(1.0, SPECIFIC / float(degrees.min())) ** 2)


def _greatest(values: Floats, most: int | None) -> Numbers:
    """The places of what is above 0, or of the most that are greatest; of equal ones the first."""
    import numpy as np  # noqa: PLC0415

    places = np.flatnonzero(values)
    if most is None or len(places) <= most:
        return places
    least = np.partition(values, -most)[-most]
    places = np.flatnonzero(values >= least)
    return places[np.argsort(-values[places], kind="stable")[:most]]


def _without_unused(names: dict[str, int], numbers: Numbers) -> tuple[dict[str, int], Numbers]:
    """The entities that an edge still has: what was erased is not kept by its name either."""
    import numpy as np  # noqa: PLC0415

    is_used = np.bincount(numbers, minlength=len(names)) > 0
    if bool(is_used.all()):
        return names, numbers
    renumbered = np.cumsum(is_used) - 1
    kept = {name: int(renumbered[number]) for name, number in names.items() if is_used[number]}
    return kept, np.asarray(renumbered[numbers], dtype=np.int64)


def _sums(places: Numbers, values: Floats, count: int) -> Floats:
    """The sum of the values at each of so many places."""
    import numpy as np  # noqa: PLC0415

    return np.asarray(np.bincount(places, values, count), dtype=np.float64)


def _back(name: str, came_from: Mapping[str, str | None]) -> tuple[str, ...]:
    way = [name]
    while (before := came_from[way[-1]]) is not None:
        way.append(before)
    return tuple(way)


class Vocabulary:
    """The names of entities, to be found in texts by the tokens of the index."""

    def __init__(self, names: Iterable[tuple[str, Sequence[str]]]) -> None:
        self._by_first: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        for name, tokens in names:
            self.add(name, tokens)

    def add(self, name: str, tokens: Sequence[str]) -> None:
        """Makes a name known."""
        if tokens:
            known = [*self._by_first.get(tokens[0], ()), (tuple(tokens), name)]
            self._by_first[tokens[0]] = sorted(known, key=lambda entry: (-len(entry[0]), entry[1]))

    def remove(self, name: str, tokens: Sequence[str]) -> None:
        """Forgets a name that was known by these tokens."""
        if tokens:
            known = self._by_first.get(tokens[0], [])
            self._by_first[tokens[0]] = [entry for entry in known if entry != (tuple(tokens), name)]

    def copy(self) -> Vocabulary:
        """Another one that knows the same; who reads this one is not disturbed by changes of that."""
        other = Vocabulary(())
        other._by_first = dict(self._by_first)
        return other

    def named(self, tokens: Sequence[str]) -> tuple[str, ...]:
        """Every name that stands in a text."""
        found = {name: None for place in range(len(tokens)) for name, _ in self._at(tokens, place)}
        return tuple(found)

    def longest(self, tokens: Sequence[str]) -> tuple[str, ...]:
        """The names that stand in a text and in no longer name there."""
        found: dict[str, None] = {}
        covered = 0
        letters: set[str] = set()  # of the names found; behind the barrier the letters of all pairs stand once more
        end_of_words = tokens.index(BARRIER) if BARRIER in tokens else len(tokens)
        for place in range(len(tokens)):
            is_again = place > end_of_words and tokens[place] in letters
            here = [] if is_again else self._at(tokens, place)
            if here and place + here[0][1] > covered:
                longest = here[0][1]
                found.update((name, None) for name, length in here if length == longest)
                covered = place + longest
                letters.update(letter for token in tokens[place:covered] for letter in token)
        return tuple(found)

    def _at(self, tokens: Sequence[str], place: int) -> list[tuple[str, int]]:
        known = self._by_first.get(tokens[place])
        if not known:
            return []
        return [(name, len(each)) for each, name in known if tuple(tokens[place : place + len(each)]) == each]
