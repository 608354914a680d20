"""How alike two documents are, and which of many may be one and the same.

The measure is Jaccard's coefficient over runs of three content tokens; of many pages it is estimated from the smallest
hashes of each (Broder 1997, bottom-k sketches), so that a thousand pages are compared without comparing all pairs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from hashlib import blake2b
from itertools import combinations
from typing import Final

from karte.domain.text import content_sequence, index_text

RUN: Final = 3
SKETCH: Final = 128
DUPLICATE: Final = 0.6
"""From here on two pages may be one document."""
MOST_PAIRS: Final = 200
_MOST_SHARING: Final = 50
"""A hash that more pages share is of a phrase that all of them have, and tells nothing."""


def likeness(left: str, right: str) -> float:
    """The share of runs that both documents have among those that either has, 0 to 1."""
    a, b = _runs(left), _runs(right)
    return len(a & b) / len(a | b) if a or b else float(left.strip() == right.strip())


def duplicate_candidates(pages: Mapping[str, str], least: float = DUPLICATE) -> list[tuple[str, str, float]]:
    """Pairs of pages (by path) that may be one document, and how alike they are, the most alike first."""
    sketches = {path: _sketch(text) for path, text in sorted(pages.items())}
    sharing: defaultdict[int, list[str]] = defaultdict(list)
    for path, sketch in sketches.items():
        for value in sketch:
            sharing[value].append(path)
    pairs = {pair for paths in sharing.values() if len(paths) <= _MOST_SHARING for pair in combinations(paths, 2)}
    found = [(a, b, _estimate(sketches[a], sketches[b])) for a, b in pairs]
    alike = sorted((each for each in found if each[2] >= least), key=lambda each: (-each[2], each[0], each[1]))
    return alike[:MOST_PAIRS]


def _runs(text: str) -> frozenset[int]:
    tokens = [token for line in text.splitlines() for token in content_sequence(index_text(line))]
    if len(tokens) < RUN:
        return frozenset({_hash(" ".join(tokens))} if tokens else ())
    return frozenset(_hash(" ".join(tokens[at : at + RUN])) for at in range(len(tokens) - RUN + 1))


def _hash(run: str) -> int:
    return int.from_bytes(blake2b(run.encode("utf-8", "replace"), digest_size=8).digest(), "big")


def _sketch(text: str) -> tuple[int, ...]:
    return tuple(sorted(_runs(text))[:SKETCH])


def _estimate(left: tuple[int, ...], right: tuple[int, ...]) -> float:
    least = sorted({*left, *right})[:SKETCH]
    both = set(left) & set(right)
    return sum(value in both for value in least) / len(least) if least else 0.0
