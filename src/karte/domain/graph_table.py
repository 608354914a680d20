"""Many short texts by number, found by hash: an eighth of what dictionaries of them would hold.

Texts stand in chunks of ``PER_CHUNK``, each one string. Numbers are found in a sorted array of hashes; what came since
that was last sorted is in a small dictionary. A change copies the list of chunks, the chunks that it touches and the
dictionary, so whoever reads an older table is not disturbed, and what went stands in no newer one.

A hash names candidates only: who looks for a text compares it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Longs = npt.NDArray[np.int64]
    Ints = npt.NDArray[np.int32]

PER_CHUNK: Final = 64
SEPARATOR: Final = "\x1f"  # white space to Python: in no normalised name and in no token
MOST_FRESH: Final = 256
"""So many texts wait to be sorted in, since every change copies them."""
PART: Final = 8


class Table:
    """Texts by number. A number that became free is given again."""

    __slots__ = ("_chunks", "_count", "_free", "_fresh", "_hashes", "_numbers")

    def __init__(self) -> None:
        import numpy as np  # noqa: PLC0415 (who never walks needs no numpy)

        self._chunks: list[str] = []
        self._count = 0
        self._free: tuple[int, ...] = ()
        self._fresh: dict[int, tuple[int, ...]] = {}
        self._hashes: Longs = np.zeros(0, dtype=np.int64)
        self._numbers: Ints = np.zeros(0, dtype=np.int32)

    def __len__(self) -> int:
        return self._count - len(self._free)

    @property
    def slots(self) -> int:
        """Every number is below this."""
        return self._count

    def __getitem__(self, number: int) -> str:
        return self._chunks[number // PER_CHUNK].split(SEPARATOR)[number % PER_CHUNK]

    def items(self) -> Iterator[tuple[int, str]]:
        """Every text with its number, by number."""
        for place, chunk in enumerate(self._chunks):
            for number, text in enumerate(chunk.split(SEPARATOR), place * PER_CHUNK):
                if text:
                    yield number, text

    def candidates(self, keys: Sequence[int]) -> list[tuple[int, int]]:
        """For each place of a hash in ``keys`` the numbers that may be meant."""
        import numpy as np  # noqa: PLC0415

        found = [(place, number) for place, key in enumerate(keys) for number in self._fresh.get(key, ())]
        wanted = np.array(keys, dtype=np.int64)
        first = np.searchsorted(self._hashes, wanted)
        past = np.searchsorted(self._hashes, wanted, "right")
        for place in np.flatnonzero(past > first).tolist():
            found += ((place, number) for number in self._numbers[first[place] : past[place]].tolist())
        return found

    def changed(self, gone: Iterable[tuple[int, int]], new: Sequence[tuple[int, str]]) -> tuple[Table, list[int]]:
        """The table without some (hash, number) and with some more (hash, text), and the numbers of those."""
        other = self.copy()
        other.remove(gone)
        return other, other.extend(new)

    def copy(self) -> Table:
        """A table of the same texts, which may be extended."""
        other = Table()
        other._chunks = list(self._chunks)
        other._count = self._count
        other._free = self._free
        other._fresh = dict(self._fresh)
        other._hashes, other._numbers = self._hashes, self._numbers
        return other

    def remove(self, gone: Iterable[tuple[int, int]]) -> None:
        """Takes texts (hash, number) from this very table, which nobody else may be reading."""
        free = list(self._free)
        for key, number in gone:
            free.append(number)
            if number in self._fresh.get(key, ()):
                self._fresh[key] = tuple(each for each in self._fresh[key] if each != number)
        self._write(dict.fromkeys(free[len(self._free) :], ""))
        self._free = tuple(free)

    @property
    def room(self) -> int:
        """So many texts may wait to be sorted in while more are added than are read."""
        return MOST_FRESH + self._count // PART

    def extend(self, new: Sequence[tuple[int, str]], *, is_going_on: bool = False) -> list[int]:
        """Adds texts (hash, text) to this very table, which nobody else may be reading, and gives their numbers.

        More wait to be sorted in while it ``is_going_on``; the next change copies them.
        """
        again = self._free[: len(new)]
        numbers = [*again, *range(self._count, self._count + len(new) - len(again))]
        self._free = self._free[len(again) :]
        self._count += len(new) - len(again)
        for number, (key, _) in zip(numbers, new, strict=True):
            self._fresh[key] = (*self._fresh.get(key, ()), number)
        self._write({number: text for number, (_, text) in zip(numbers, new, strict=True)})
        if len(self._fresh) > (self.room if is_going_on else MOST_FRESH):
            self._sort_in()
        return numbers

    def _write(self, texts: Mapping[int, str]) -> None:
        """Puts texts in the place of others, or behind the last."""
        for place, numbers in groupby(sorted(texts), lambda number: number // PER_CHUNK):
            parts = self._chunks[place].split(SEPARATOR) if place < len(self._chunks) else []
            for number in numbers:
                parts[number % PER_CHUNK : number % PER_CHUNK + 1] = [texts[number]]
            self._chunks[place : place + 1] = [SEPARATOR.join(parts)]

    def _sort_in(self) -> None:
        import numpy as np  # noqa: PLC0415

        pairs = [(key, number) for key, numbers in self._fresh.items() for number in numbers]
        hashes = np.array([key for key, _ in pairs], dtype=np.int64)
        numbers = np.array([number for _, number in pairs], dtype=np.int32)
        order = np.argsort(hashes)
        hashes, numbers = hashes[order], numbers[order]
        is_old = np.zeros(self._count, dtype=np.bool_)
        is_old[self._numbers] = True
        is_old[numbers] = False
        is_old[list(self._free)] = False
        kept = is_old[self._numbers]
        old = self._hashes[kept]
        places = np.searchsorted(old, hashes)
        self._numbers = np.insert(self._numbers[kept], places, numbers)
        self._hashes = np.insert(old, places, hashes)
        self._fresh = {}
