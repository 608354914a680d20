"""An embedder behind an endpoint that speaks as OpenAI's ``/embeddings`` does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import httpx2 as httpx

from karte.errors import EmbedderError

BATCH: Final = 64
TRIES: Final = 2
WORTH_ANOTHER_TRY: Final = frozenset({408, 429, 500, 502, 503, 504})


class OpenAiCompatibleEmbedder:
    """Vectors of a model at ``base_url`` (such as ``http://127.0.0.1:11434/v1``).

    ``dimension`` is what the model gives; another is an ``EmbedderError``. The key goes into a header and nowhere else.
    """

    def __init__(
        self, base_url: str, model: str, dimension: int, *, api_key: str = "", timeout_secs: float = 30.0
    ) -> None:
        self.name = model
        self.dimension = dimension
        self._url = f"{base_url.rstrip('/')}/embeddings"
        headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._client = httpx.Client(headers=headers, timeout=timeout_secs)

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector a text, in batches; a passing failure is tried once more."""
        found: list[list[float]] = []
        for start in range(0, len(texts), BATCH):
            found += self._batch(texts[start : start + BATCH])
        return found

    def _batch(self, texts: Sequence[str]) -> list[list[float]]:
        for left in reversed(range(TRIES)):
            try:
                answer = self._client.post(self._url, json={"model": self.name, "input": list(texts)})
            except httpx.HTTPError as error:
                if left:
                    continue
                raise EmbedderError(
                    f"the endpoint cannot be reached: {type(error).__name__}", field="embedder"
                ) from error
            if answer.status_code in WORTH_ANOTHER_TRY and left:
                continue
            if answer.status_code != httpx.codes.OK:
                raise EmbedderError(f"the endpoint answered {answer.status_code}", field="embedder")
            return _vectors(answer)
        raise AssertionError  # every way out of the loop is above

    def close(self) -> None:
        """Lets the connections go."""
        self._client.close()


def _vectors(answer: httpx.Response) -> list[list[float]]:
    try:
        data: list[dict[str, Any]] = answer.json()["data"]
        ordered = sorted(data, key=lambda item: int(item["index"]))
        return [[float(number) for number in item["embedding"]] for item in ordered]
    except (ValueError, TypeError, KeyError) as error:
        raise EmbedderError("the endpoint's answer is not one of embeddings", field="embedder") from error
