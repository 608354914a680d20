"""Vectors of an embedder, checked, as rows of unit length."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from karte.embedding.protocol import Embedder
from karte.errors import EmbedderError

LONGEST_TEXT: Final = 8_192
"""Letters of a text that are embedded; what comes later seldom changes what it is about."""

Vectors = npt.NDArray[np.float32]

_log: Final = logging.getLogger(__name__)


def embedded(embedder: Embedder, texts: Sequence[str]) -> Vectors:
    """A row of unit length for each text.

    Raises ``EmbedderError`` where the embedder fails, or gives another number of vectors, another dimension, or
    numbers that are not finite.
    """
    if not texts:
        return np.zeros((0, embedder.dimension), dtype=np.float32)
    try:
        given = [list(map(float, vector)) for vector in embedder.embed([text[:LONGEST_TEXT] for text in texts])]
    except Exception as error:
        what = type(error).__name__
        raise EmbedderError(f"the embedder {embedder.name!r} failed: {what}", field="embedder") from error
    if len(given) != len(texts) or any(len(vector) != embedder.dimension for vector in given):
        raise EmbedderError(
            f"the embedder {embedder.name!r} gave vectors of another number or dimension",
            field="embedder",
            remedy=f"one of {embedder.dimension} numbers for each text",
        )
    vectors = np.array(given, dtype=np.float32)
    if not np.isfinite(vectors).all():
        raise EmbedderError(f"the embedder {embedder.name!r} gave numbers that are not finite", field="embedder")
    return with_unit_length(vectors)


def with_unit_length(vectors: Vectors) -> Vectors:
    """The vectors, each of length 1; one of nothing but zeros stays."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1), dtype=np.float32)


def written(vector: npt.NDArray[np.float32]) -> bytes:
    """A vector as the file keeps it: little-endian float32."""
    return vector.astype("<f4").tobytes()


def read(blobs: Sequence[bytes], dimension: int) -> Vectors:
    """Vectors from the file, of unit length."""
    return with_unit_length(np.frombuffer(b"".join(blobs), dtype="<f4").reshape(len(blobs), dimension))


def quietly(embedder: Embedder, texts: Sequence[str]) -> Vectors | None:
    """``embedded``, or None with a warning where it fails: nothing that is read or written may depend on it."""
    try:
        return embedded(embedder, texts)
    except EmbedderError as error:
        _log.warning("%s", error)
        return None
