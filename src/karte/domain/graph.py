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

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from math import fsum
from typing import TYPE_CHECKING, Final, NamedTuple

from karte.domain.graph_table import Table

if TYPE_CHECKING:
    from karte.domain.graph_edges import Edges, Floats, Found, Ints, Longs, Row

DAMPING: Final = 0.5
ROUNDS: Final = 8
ABOUT: Final = 1.0
NAMED: Final = 0.3
LONGEST_PATH: Final = 4
MOST_LOOKED_AT: Final = 50
SPECIFIC: Final = 30.0

FEW_EDGES: Final = 250
PART: Final = 8
"""A walk that reaches no more than so many edges, or one in so many, looks at no others."""
EXPECTED: Final = 16
"""After a walk that looked at everything, so many changes pass before less is tried again."""
AT_A_TIME: Final = 1_000
"""Nodes whose names get their numbers together: few, as the collector of garbage looks at every one again."""
NAMING_AT_A_TIME: Final = 50_000
"""Memories that get further edges together: each time all edges are copied."""


class Node(NamedTuple):
    """A memory in the graph: what it is about and what it names, by normalised name, with how far it is trusted."""

    ordinal: int
    trust: float
    about: tuple[str, ...]
    named: tuple[str, ...] = ()

    @property
    def edges(self) -> list[tuple[str, float]]:
        """The entities it is joined with, and the base weight of each edge, by name."""
        if not self.named:
            return [(name, ABOUT) for name in sorted(set(self.about))]
        weights = dict.fromkeys(self.named, NAMED) | dict.fromkeys(self.about, ABOUT)
        return sorted(weights.items())


class Reached(NamedTuple):
    """Where a walk arrives: the masses of memories by ordinal, and how much such seeds tell (0.0 to 1.0)."""

    masses: dict[int, float]
    specificity: float


NOWHERE: Final = Reached({}, 0.0)


class Graph:
    """Entities by number and the edges that join memories with them; unchanged by ``changed``, which gives another."""

    def __init__(self, names: Table, edges: Edges, wide: int = 0) -> None:
        self._names = names
        self._edges = edges
        self._wide = wide
        """For so many changes more a walk is expected to reach much, as an earlier one did, and looks at everything."""
        self._whole: dict[bool, _Walk] = {}

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and bool(self.numbers([name]))

    def __len__(self) -> int:
        return len(self._names)

    @property
    def entities(self) -> list[str]:
        """The names of the entities, sorted."""
        return sorted(name for _, name in self._names.items())

    @classmethod
    def of(cls, nodes: Iterable[Node]) -> Graph:
        """The graph of these memories, which come in the order of their ordinals."""
        from karte.domain.graph_edges import Edges  # noqa: PLC0415

        numbered = _Numbered()
        edges = Edges.of(numbered.rows(nodes))
        return cls(numbered.names(), edges)

    @classmethod
    def empty(cls) -> Graph:
        """A graph of nothing."""
        return cls.of(())

    def changed(self, gone: Iterable[int], nodes: Iterable[Node]) -> Graph:
        """The graph without the memories that are gone or given anew, and with those given, in ascending order."""
        import numpy as np  # noqa: PLC0415

        given = list(nodes)
        renewed = sorted({*gone, *(node.ordinal for node in given)})
        before = np.unique(self._edges.of_memories(renewed).entity)
        wanted = dict.fromkeys(name for node in given for name, _ in node.edges)
        known = self.numbers(list(wanted))
        new = [name for name in wanted if name not in known]
        names, numbers = self._names.changed((), [(hash(name), name) for name in new])
        known.update(zip(new, numbers, strict=True))
        edges = self._edges.changed(renewed, _rows(given, known))
        unused = before[edges.degrees(before) == 0].tolist()
        if unused:
            names, _ = names.changed([(hash(names[number]), number) for number in unused], ())
        return Graph(names, edges, max(0, self._wide - 1))

    def naming(self, nodes: Iterable[tuple[int, float]], named: Mapping[int, Sequence[int]]) -> Graph:
        """The graph with edges from memories, given with their trust, to the numbers of entities that they name."""
        graph = self
        left = ((ordinal, trust) for ordinal, trust in nodes if ordinal in named)
        while some := list(islice(left, NAMING_AT_A_TIME)):
            found = self._edges.of_memories(ordinal for ordinal, _ in some)
            pairs = zip(found.memory.tolist(), found.entity.tolist(), strict=True)
            about = {ordinal: [number for _, number in each] for ordinal, each in groupby(pairs, lambda pair: pair[0])}
            graph = graph.changed(
                (),
                [
                    Node(ordinal, trust, self._named(about.get(ordinal, ())), self._named(named[ordinal]))
                    for ordinal, trust in some
                ],
            )
        return graph

    def _named(self, numbers: Iterable[int]) -> tuple[str, ...]:
        return tuple(self._names[number] for number in numbers)

    def unknown(self, ordinals: Sequence[int], numbers: Sequence[int]) -> list[bool]:
        """Of each pair of a memory and an entity, whether no edge joins them."""
        return self._edges.unknown(ordinals, numbers)

    def degrees(self, numbers: Sequence[int]) -> list[int]:
        """How many edges each of these entities has."""
        import numpy as np  # noqa: PLC0415

        found: list[int] = self._edges.degrees(np.array(numbers, dtype=np.int32)).tolist()
        return found

    def numbered(self) -> Iterator[tuple[int, str]]:
        """The entities by number, with their names."""
        return self._names.items()

    def numbers(self, names: Sequence[str]) -> dict[str, int]:
        """The numbers of those of the names that are entities here."""
        return numbers_of(self._names, names)

    def about(self, ordinals: Iterable[int]) -> list[str]:
        """What these memories are about, each name as often as a memory is."""
        found = self._edges.of_memories(ordinals)
        return [self._names[number] for number in found.entity[found.weight == ABOUT].tolist()]

    def is_about(self, name: str, besides: Collection[int]) -> bool:
        """Whether a memory is about an entity, besides some."""
        found = self._with([name])
        return any(ordinal not in besides for ordinal in found.memory[found.weight == ABOUT].tolist())

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

    def _beside(self, ordinals: Iterable[int]) -> set[str]:
        return {self._names[number] for number in set(self._edges.of_memories(ordinals).entity.tolist())}

    def memories_with(self, names: Iterable[str]) -> list[int]:
        """The memories that are joined with any of these entities."""
        return sorted(set(self._with(names).memory.tolist()))

    def _with(self, names: Iterable[str]) -> Found:
        import numpy as np  # noqa: PLC0415

        return self._edges.of_entities(np.array(sorted(numbers_of(self._names, list(names)).values()), dtype=np.int32))

    def walk(self, seeds: Mapping[str, float], *, by_trust: bool = True, most: int | None = None) -> Reached:
        """The memories that the walk reaches from the seeds, the ``most`` with the greatest masses if told so.

        ``seeds`` weigh entities; those that are not in the graph count nothing. ``by_trust`` False takes every memory
        as trusted.
        """
        numbers = numbers_of(self._names, sorted(seeds))
        there = {number: seeds[name] for name, number in numbers.items() if seeds[name] > 0}
        return self._walk(there, by_trust=by_trust).reached(there, most) if there else NOWHERE

    def _walk(self, seeds: Iterable[int], *, by_trust: bool) -> _Walk:
        """What can be reached, or where that is much, everything: the masses are the same to the bit."""
        walk = self._whole.get(by_trust)
        if walk is None:
            around = None if self._wide else self._around(seeds)
            if around is not None:
                return _Walk.over(around, by_trust=by_trust)
            self._wide = self._wide or EXPECTED
            walk = self._whole[by_trust] = _Walk.over(self._edges.everything(), by_trust=by_trust)
        return walk

    def _around(self, seeds: Iterable[int]) -> Found | None:
        import numpy as np  # noqa: PLC0415

        start = np.array(sorted(seeds), dtype=np.int32)
        return self._edges.around(start, ROUNDS, self._names.slots, max(FEW_EDGES, self._edges.count // PART))


class _Numbered:
    """Names given numbers, some at a time: a dictionary of all would hold more than the graph."""

    def __init__(self) -> None:
        self._names = Table()
        self._recent: dict[str, int] = {}

    def rows(self, nodes: Iterable[Node]) -> Iterator[Row]:
        """The nodes as rows of edges."""
        left = iter(nodes)
        while some := list(islice(left, AT_A_TIME)):
            yield from _rows(some, self._known([name for node in some for name, _ in node.edges]))

    def _known(self, names: Iterable[str]) -> dict[str, int]:
        if len(self._recent) > self._names.room:
            self._recent = {}
        unseen = [name for name in dict.fromkeys(names) if name not in self._recent]
        self._recent.update(numbers_of(self._names, unseen))
        new = [name for name in unseen if name not in self._recent]
        numbers = self._names.extend([(hash(name), name) for name in new], is_going_on=True)
        self._recent.update(zip(new, numbers, strict=True))
        return self._recent

    def names(self) -> Table:
        """All names, with their numbers."""
        self._names.extend(())
        return self._names


def _rows(nodes: Iterable[Node], known: Mapping[str, int]) -> Iterator[Row]:
    """The nodes as rows of edges."""
    from karte.domain.graph_edges import Row  # noqa: PLC0415

    for node in nodes:
        edges = node.edges
        numbers = [known[name] for name, _ in edges]
        yield Row(node.ordinal, node.trust, numbers, [weight for _, weight in edges])


def numbers_of(names: Table, wanted: Sequence[str]) -> dict[str, int]:
    """The numbers of those of the names that are known, in the order in which they are wanted."""
    found = names.candidates([hash(name) for name in wanted])
    numbers = {wanted[place]: number for place, number in found if names[number] == wanted[place]}
    return {name: numbers[name] for name in wanted if name in numbers}


@dataclass(frozen=True, slots=True)
class _Walk:
    """Edges made ready to walk in: rows for memories, columns for entities, and what each edge passes on either way.

    Every entity that a walk comes to has all its edges here, and so has every memory that passes anything on.
    """

    ordinals: Longs
    entities: Ints
    row: Longs
    column: Longs
    to_memory: Floats
    to_entity: Floats
    degree: Longs

    @classmethod
    def over(cls, edges: Found, *, by_trust: bool) -> _Walk:
        import numpy as np  # noqa: PLC0415

        is_first = np.diff(edges.memory, prepend=-1) != 0
        ordinals, row = edges.memory[is_first], np.cumsum(is_first) - 1
        entities, column = _columns(edges.entity)
        passed = edges.weight * edges.trust if by_trust else edges.weight
        of_entity = np.bincount(column, edges.weight)
        of_memory = np.bincount(row, edges.weight)
        return cls(
            ordinals,
            entities,
            row,
            column,
            DAMPING * passed / of_entity[column],
            DAMPING * passed / of_memory[row],
            np.bincount(column),
        )

    def reached(self, seeds: Mapping[int, float], most: int | None) -> Reached:
        import numpy as np  # noqa: PLC0415

        columns = np.searchsorted(self.entities, np.array(list(seeds), dtype=np.int32))
        degrees = self.degree[columns].astype(np.float64)
        weights = np.array(list(seeds.values()), dtype=np.float64) / degrees
        mass: Floats = np.zeros(len(self.entities), dtype=np.float64)
        mass[columns] = weights / fsum(weights.tolist())  # exact, so that another order of seeds changes nothing
        passing: Floats = mass
        for _ in range(ROUNDS):
            there = _sums(self.row, passing[self.column] * self.to_memory, len(self.ordinals))
            passing = _sums(self.column, there[self.row] * self.to_entity, len(self.entities))
            mass = mass + passing
        reached = _sums(self.row, mass[self.column] * self.to_memory, len(self.ordinals))
        whole = reached[np.flatnonzero(reached)].sum()  # what is not reached would move the pairs of this sum
        places = _greatest(reached, most)
        masses = zip(self.ordinals[places].tolist(), (reached[places] / whole).tolist(), strict=True)
        return Reached(dict(masses), min(1.0, SPECIFIC / float(degrees.min())) ** 2)


def _columns(numbers: Ints) -> tuple[Ints, Longs]:
    """The different numbers, ascending, and the place of each among them; without sorting where they are many."""
    import numpy as np  # noqa: PLC0415

    slots = int(numbers.max(initial=-1)) + 1
    if len(numbers) < slots // PART:
        return np.unique(numbers, return_inverse=True)
    is_there = np.zeros(slots, dtype=np.bool_)
    is_there[numbers] = True
    return np.flatnonzero(is_there).astype(np.int32), (np.cumsum(is_there) - 1)[numbers]


def _greatest(values: Floats, most: int | None) -> Longs:
    """The places of what is above 0, or of the most that are greatest; of equal ones the first."""
    import numpy as np  # noqa: PLC0415

    places = np.flatnonzero(values)
    if most is None or len(places) <= most:
        return places
    least = np.partition(values, -most)[-most]
    places = np.flatnonzero(values >= least)
    return places[np.argsort(-values[places], kind="stable")[:most]]


def _sums(places: Longs, values: Floats, count: int) -> Floats:
    """The sum of the values at each of so many places."""
    import numpy as np  # noqa: PLC0415

    return np.asarray(np.bincount(places, values, count), dtype=np.float64)


def _back(name: str, came_from: Mapping[str, str | None]) -> tuple[str, ...]:
    way = [name]
    while (before := came_from[way[-1]]) is not None:
        way.append(before)
    return tuple(way)
