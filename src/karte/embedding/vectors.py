"""Vectors of an embedder, checked, as rows of unit length."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from karte.embedding.protocol import Embedder
from karte.errors import EmbedderError

LONGEST_TEXT: Final = 8_192
"""Letters of a text that are embedded; what comes later seldom changes what it is about."""

Vectors = npt.NDArray[np.float32]


def embedded(embedder: Embedder, texts: Sequence[str], *, is_soon: bool = False) -> Vectors:
    """A row of unit length for each text.

    ``is_soon`` is for somebody who waits: an embedder with ``embed_soon`` is asked by that. Raises ``EmbedderError``
    where the embedder fails, or gives another number of vectors, another dimension, or numbers that are no direction.
    """
    if not texts:
        return np.zeros((0, embedder.dimension), dtype=np.float32)
    embed = getattr(embedder, "embed_soon", embedder.embed) if is_soon else embedder.embed
    try:
        given = [list(map(float, vector)) for vector in embed([text[:LONGEST_TEXT] for text in texts])]
    except EmbedderError:
        raise
    except Exception as error:  # what it says may hold a secret
        raise _bad(embedder, f"failed: {type(error).__name__}", "look at what the embedder itself logs") from error
    _check_shape(embedder, given, len(texts))
    with np.errstate(over="ignore"):
        vectors = np.array(given, dtype=np.float64)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not np.isfinite(lengths).all():
        raise _bad(embedder, "gave numbers that are not finite", "see which text it cannot embed, or use another model")
    if not lengths.all():
        raise _bad(
            embedder,
            "gave a vector of nothing but zeros, which means nothing",
            "see that its model is loaded and one of embeddings",
        )
    return np.asarray(vectors / lengths, dtype=np.float32)


def _check_shape(embedder: Embedder, given: Sequence[Sequence[float]], count: int) -> None:
    if len(given) != count:
        raise _bad(embedder, f"gave {len(given)} vectors for {count} texts", "it has to give one for each")
    other = next((len(vector) for vector in given if len(vector) != embedder.dimension), None)
    if other is not None:
        raise _bad(
            embedder,
            f"gave a vector of {other} numbers instead of {embedder.dimension}",
            f"name the model's own dimension (embedder_dimension = {other}?) or another model",
        )


def _bad(embedder: Embedder, what: str, remedy: str) -> EmbedderError:
    where = getattr(embedder, "shown_url", "")
    at = f" at {where}" if where else ""
    return EmbedderError(f"the embedder {embedder.name!r}{at} {what}", field="embedder", remedy=remedy)


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
