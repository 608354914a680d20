"""What an embedder is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, cast

from karte.errors import InvalidInput


class Embedder(Protocol):
    """Gives texts as vectors: a name that tells models apart, how long a vector is, and ``embed``."""

    @property
    def name(self) -> str:
        """The model's name; vectors of different names are never compared."""

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""

    def embed(self, texts: Sequence[str]) -> Iterable[Iterable[float]]:
        """One vector a text, in order."""


def checked_embedder(embedder: object) -> Embedder | None:
    """The embedder given, or None; raises ``InvalidInput`` for what is none."""
    if embedder is None:
        return None
    name, dimension = getattr(embedder, "name", None), getattr(embedder, "dimension", None)
    is_count = isinstance(dimension, int) and not isinstance(dimension, bool) and dimension > 0
    if not isinstance(name, str) or not name or not is_count or not callable(getattr(embedder, "embed", None)):
        raise InvalidInput(
            "not an embedder",
            field="embedder",
            value=type(embedder).__name__,
            remedy="give an object with a name, a dimension and embed(texts)",
        )
    return cast(Embedder, embedder)
