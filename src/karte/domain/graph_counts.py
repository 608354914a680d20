"""How many rows of the index hold a token, for all tokens at once."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from itertools import islice

import numpy as np

from karte.domain.graph_edges import Ints, Longs


class Counts:
    """The counts of tokens, by their hashes: of tokens with one hash the greatest, so none is too small."""

    def __init__(self, hashes: Longs, counts: Ints) -> None:
        order = np.lexsort((counts, hashes))
        self._hashes = hashes[order]
        self._counts = counts[order]

    @classmethod
    def of(cls, terms: Iterable[tuple[str, int]], most: int) -> Counts | None:
        """The counts of these tokens; None where they are more than so many."""
        hashes, counts = array("q"), array("i")
        for term, count in islice(terms, most + 1):
            hashes.append(hash(term))
            counts.append(count)
        if len(hashes) > most:
            return None
        return cls(np.array(hashes, dtype=np.int64), np.array(counts, dtype=np.int32))

    def least(self, phrases: Sequence[Sequence[str]]) -> list[int]:
        """For each phrase at least as many rows as hold it: those with its rarest token; 0 for one without tokens."""
        tokens = np.array([hash(token) for tokens in phrases for token in tokens], dtype=np.int64)
        last = np.searchsorted(self._hashes, tokens, "right") - 1
        counts = iter(np.where(last >= 0, self._counts[last], 0).tolist() if len(self._counts) else [0] * len(tokens))
        return [min((next(counts) for _ in tokens), default=0) for tokens in phrases]
