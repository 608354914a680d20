"""The vectors of many memories as one matrix: exact search, and keeping up with changes."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from karte.embedding.vectors import Vectors, read

Found = Sequence[tuple[int, bytes]]
"""Ordinals, and vectors as the file keeps them."""


@dataclass(frozen=True, slots=True)
class Matrix:
    """A row of unit length for each ordinal, all of one model."""

    ordinals: npt.NDArray[np.int64]
    vectors: Vectors

    @classmethod
    def of(cls, found: Found, dimension: int) -> Matrix:
        """The matrix of these."""
        ordinals = np.array([ordinal for ordinal, _ in found], dtype=np.int64)
        return cls(ordinals, read([blob for _, blob in found], dimension))

    def changed(self, gone: Collection[int], found: Found) -> Matrix:
        """The matrix without what is gone, and with what was found."""
        stays = ~np.isin(self.ordinals, list(gone))
        added = Matrix.of(found, self.vectors.shape[1])
        return Matrix(
            np.concatenate([self.ordinals[stays], added.ordinals]),
            np.concatenate([self.vectors[stays], added.vectors]),
        )

    def near(self, query: Vectors, most: int | None, also: Collection[int] = ()) -> dict[int, float]:
        """How near each is to a query, by ordinal: the ``most`` nearest, and some ``also``; above 0 only.

        In standard deviations of the cosine above its mean: what is near everything is near nothing, and models differ
        in how near they put two texts at all. Where all are equally near, the cosine itself.
        """
        if not len(self.ordinals):
            return {}
        cosines = (self.vectors @ query[0]).astype(np.float64)
        spread = float(cosines.std())
        is_level = spread < LEVEL
        above = np.maximum(cosines if is_level else (cosines - cosines.mean()) / spread, 0.0)
        chosen = above > 0.0
        if most is not None and int(chosen.sum()) > most:
            chosen = above >= np.partition(above, -most)[-most]
            chosen |= (above > 0.0) & np.isin(self.ordinals, list(also))
        places = np.flatnonzero(chosen)
        return dict(zip(self.ordinals[places].tolist(), above[places].tolist(), strict=True))


LEVEL = 1e-6
"""A spread of cosines below this is rounding."""


def nearest(query: Vectors, names: Sequence[str], vectors: Vectors, most: int) -> list[str]:
    """The names whose vectors are nearest to a query, of equally near ones the first by name."""
    cosines = vectors @ query[0]
    order = sorted(range(len(names)), key=lambda place: (-float(cosines[place]), names[place]))
    return [names[place] for place in order[:most]]
