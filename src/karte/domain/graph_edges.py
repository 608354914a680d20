"""The edges of a graph, found from either side: one large layer that nobody changes, and a small one of what changed.

A change copies the small layer only. When that has grown it is laid into the large one, which needs no sorting.

Edges are given in one order (by memory, then by the entity's name), whatever the order of writes and however entities
are numbered; so sums over them are the same to the bit in every graph of the same memories.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Longs = npt.NDArray[np.int64]
Ints = npt.NDArray[np.int32]
Flags = npt.NDArray[np.bool_]

MOST_BESIDE: Final = 256
"""With more, a small layer is laid into the large one: until then every write copies it."""


class Row(NamedTuple):
    """A memory with its edges, by the order of the entities' names: the numbers of those and the base weights."""

    memory: int
    trust: float
    entities: Sequence[int]
    weights: Sequence[float]


class Found(NamedTuple):
    """Edges in order, with the trust of their memories."""

    memory: Longs
    entity: Ints
    weight: Floats
    trust: Floats


@dataclass(frozen=True)
class Layer:
    """The edges of memories, each memory's together, and the places of each entity's edges."""

    memories: Longs
    trust: Floats
    starts: Ints
    """Where each memory's edges begin, and the end of the last."""
    entity: Ints
    weight: Floats
    by_entity: Ints
    """The places of the edges, ordered by entity."""
    entities: Ints
    """The entities in that order."""

    @classmethod
    def of(cls, rows: Iterable[Row]) -> Layer:
        """The layer of these memories, which come in ascending order; those without an edge are left out."""
        memories, trust, starts, entity, weight = array("q"), array("d"), array("i", [0]), array("i"), array("d")
        for row in rows:
            if row.entities:
                memories.append(row.memory)
                trust.append(row.trust)
                entity.extend(row.entities)
                weight.extend(row.weights)
                starts.append(len(entity))
        numbers = np.array(entity, dtype=np.int32)
        order = np.argsort(numbers, kind="stable").astype(np.int32)
        return cls(
            np.array(memories, dtype=np.int64),
            np.array(trust, dtype=np.float64),
            np.array(starts, dtype=np.int32),
            numbers,
            np.array(weight, dtype=np.float64),
            order,
            numbers[order],
        )

    def places_of(self, entities: Ints) -> Ints:
        """The places of the edges of these entities, an entity's together."""
        first = np.searchsorted(self.entities, entities)
        return self.by_entity[_ranges(first, np.searchsorted(self.entities, entities, "right"))]

    def degrees(self, entities: Ints) -> Longs:
        """How many edges each of the entities has."""
        return np.searchsorted(self.entities, entities, "right") - np.searchsorted(self.entities, entities)

    def rows_at(self, places: Ints) -> Longs:
        """The rows of the memories to which the edges at these places belong."""
        return np.searchsorted(self.starts, places, "right") - 1

    def rows_of(self, memories: Longs) -> Longs:
        """The rows of those of the memories that are here."""
        rows = np.searchsorted(self.memories, memories)
        return rows[_is_at(self.memories, rows, memories)]

    def places_in(self, rows: Longs) -> Longs:
        """The places of the edges of these rows."""
        return _ranges(self.starts[rows], self.starts[rows + 1])

    def found(self, places: Ints | Longs) -> Found:
        """The edges at these places, which ascend."""
        rows = self.rows_at(places.astype(np.int32))
        return Found(self.memories[rows], self.entity[places], self.weight[places], self.trust[rows])


class Edges:
    """The edges of all memories: those of a large layer save of some rows, and those of a small one."""

    def __init__(self, base: Layer, gone: Longs, beside: Layer) -> None:
        self.base = base
        self.gone = gone
        self.beside = beside

    @classmethod
    def of(cls, rows: Iterable[Row]) -> Edges:
        """The edges of these memories, which come in ascending order."""
        return cls(Layer.of(rows), np.zeros(0, dtype=np.int64), Layer.of(()))

    @cached_property
    def count(self) -> int:
        """How many edges there are."""
        return len(self.base.entity) - len(self.base.places_in(self.gone)) + len(self.beside.entity)

    def changed(self, renewed: Sequence[int], rows: Iterable[Row]) -> Edges:
        """The edges without those of the renewed memories, and with these rows, which come in ascending order."""
        memories = np.array(sorted(renewed), dtype=np.int64)
        old = self.beside
        kept = np.delete(np.arange(len(old.memories)), old.rows_of(memories))
        merged = sorted((*_rows(old, kept.tolist()), *rows))
        gone = np.union1d(self.gone, self.base.rows_of(memories))
        changed = Edges(self.base, gone, Layer.of(merged))
        is_large = len(changed.beside.entity) + len(gone) > MOST_BESIDE
        return Edges(changed.whole(), gone[:0], Layer.of(())) if is_large else changed

    def whole(self) -> Layer:
        """All edges in one layer."""
        return self.base if not len(self.gone) and not len(self.beside.memories) else _laid_in(self)

    def everything(self) -> Found:
        """All edges."""
        whole = self.whole()
        sizes = np.diff(whole.starts)
        return Found(np.repeat(whole.memories, sizes), whole.entity, whole.weight, np.repeat(whole.trust, sizes))

    def unknown(self, memories: Sequence[int], entities: Sequence[int]) -> list[bool]:
        """Of each pair of a memory and an entity, whether no edge joins them."""
        wanted, numbers = np.array(memories, dtype=np.int64), np.array(entities, dtype=np.int64)
        there = np.unique(wanted)
        found = self.of_memories(there.tolist())
        slots = 1 + int(max(numbers.max(initial=0), found.entity.max(initial=0)))
        known = np.searchsorted(there, found.memory) * slots + found.entity
        is_known = _is_in(np.sort(known), np.searchsorted(there, wanted) * slots + numbers)
        return [not each for each in is_known.tolist()]

    def of_entities(self, entities: Ints) -> Found:
        """The edges of these entities."""
        return self._found(np.sort(self.base.places_of(entities)), np.sort(self.beside.places_of(entities)))

    def of_memories(self, memories: Iterable[int]) -> Found:
        """The edges of these memories."""
        wanted = np.array(sorted(memories), dtype=np.int64)
        base, beside = self.base, self.beside
        return self._found(base.places_in(base.rows_of(wanted)), beside.places_in(beside.rows_of(wanted)))

    def _found(self, base: Ints | Longs, beside: Ints | Longs) -> Found:
        if len(self.gone):
            base = base[~_is_in(self.gone, self.base.rows_at(base.astype(np.int32)))]
        found, more = self.base.found(base), self.beside.found(beside)
        if not len(more.memory):
            return found
        memory = np.concatenate([found.memory, more.memory])
        order = np.argsort(memory, kind="stable")
        return Found(
            memory[order],
            np.concatenate([found.entity, more.entity])[order],
            np.concatenate([found.weight, more.weight])[order],
            np.concatenate([found.trust, more.trust])[order],
        )

    def degrees(self, entities: Ints) -> Longs:
        """How many edges each of the entities has."""
        degrees = self.base.degrees(entities) + self.beside.degrees(entities)
        if len(self.gone):
            lost = np.sort(self.base.entity[self.base.places_in(self.gone)])
            degrees -= np.searchsorted(lost, entities, "right") - np.searchsorted(lost, entities)
        return degrees

    def around(self, seeds: Ints, steps: int, slots: int, most: int) -> Found | None:
        """The edges of the seeds and of all entities at most so many memories away; None where those are too many.

        The numbers of entities are below ``slots``. More than ``most`` edges are not looked at.
        """
        reached: Flags = np.zeros(slots, dtype=np.bool_)
        reached[seeds] = True
        seen = [np.zeros(len(layer.memories), dtype=np.bool_) for layer in (self.base, self.beside)]
        seen[0][self.gone] = True
        edge = seeds
        left = most
        for _ in range(steps):
            left -= int(self.base.degrees(edge).sum() + self.beside.degrees(edge).sum())
            if left < 0:
                return None
            beyond = [_beyond(layer, known, edge) for layer, known in zip((self.base, self.beside), seen, strict=True)]
            new = np.concatenate(beyond)
            edge = np.unique(new[~reached[new]])
            if not len(edge):
                break
            reached[edge] = True
        entities = np.flatnonzero(reached).astype(np.int32)
        return self.of_entities(entities)


def _beyond(layer: Layer, seen: Flags, entities: Ints) -> Ints:
    """The entities of memories not seen before that are joined with these."""
    rows = layer.rows_at(layer.places_of(entities))
    rows = np.unique(rows[~seen[rows]])
    seen[rows] = True
    return layer.entity[layer.places_in(rows)]


def _rows(layer: Layer, rows: Iterable[int]) -> Iterable[Row]:
    for row in rows:
        edges = slice(int(layer.starts[row]), int(layer.starts[row + 1]))
        entities, weights = layer.entity[edges].tolist(), layer.weight[edges].tolist()
        yield Row(int(layer.memories[row]), float(layer.trust[row]), entities, weights)


def _laid_in(edges: Edges) -> Layer:
    """The small layer laid into the large one; both keep their orders, so that nothing has to be sorted."""
    base, beside = edges.base, edges.beside
    is_kept = np.ones(len(base.memories), dtype=np.bool_)
    is_kept[edges.gone] = False
    sizes = np.diff(base.starts)
    is_kept_edge = np.repeat(is_kept, sizes)
    memories, sizes = base.memories[is_kept], sizes[is_kept]
    rows = np.searchsorted(memories, beside.memories)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    more = np.diff(beside.starts)
    places = np.repeat(starts[rows], more)  # before which kept edge each of the small layer's stands
    order = base.by_entity[is_kept_edge[base.by_entity]]
    kept_place = (np.cumsum(is_kept_edge) - 1)[order]
    order = kept_place + np.searchsorted(places, kept_place, "right")
    entities = base.entities[is_kept_edge[base.by_entity]]
    there = np.searchsorted(entities, beside.entities, "right")
    new_order = (places + np.arange(len(places)))[beside.by_entity]
    return Layer(
        np.insert(memories, rows, beside.memories),
        np.insert(base.trust[is_kept], rows, beside.trust),
        np.concatenate([[0], np.cumsum(np.insert(sizes, rows, more))]).astype(np.int32),
        np.insert(base.entity[is_kept_edge], places, beside.entity),
        np.insert(base.weight[is_kept_edge], places, beside.weight),
        np.insert(order, there, new_order).astype(np.int32),
        np.insert(entities, there, beside.entities),
    )


def _ranges(first: npt.NDArray[np.integer], past: npt.NDArray[np.integer]) -> Longs:
    """All numbers from each first up to each past, one range after the other."""
    sizes = (past - first).astype(np.int64)
    before = np.cumsum(sizes) - sizes
    return np.repeat(first - before, sizes) + np.arange(int(sizes.sum()))


def _is_at(among: Longs, places: Longs, values: Longs) -> Flags:
    if not len(among):
        return np.zeros(len(values), dtype=np.bool_)
    return np.asarray(among[np.minimum(places, len(among) - 1)] == values)


def _is_in(among: Longs, values: Longs) -> Flags:
    """Which of the values stand in an ascending array."""
    return _is_at(among, np.searchsorted(among, values), values)
