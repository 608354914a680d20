"""An embedder behind an endpoint that speaks as OpenAI's ``/embeddings`` does."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from time import monotonic
from typing import Any, Final
from urllib.parse import urlsplit

import httpx2 as httpx

from karte import kinds
from karte.errors import EmbedderError, InvalidInput, shorten

BATCH: Final = 64
AS_QUICK_AS_ONE: Final = 16
"""So many texts may take as long as one; a batch of 64 four times as long."""
TRIES: Final = 2
WORTH_ANOTHER_TRY: Final = frozenset({408, 429, 500, 502, 503, 504})
MOST_NUMBERS: Final = 100_000
LONGEST_WAIT_SECS: Final = 86_400
_ERROR_NUMBER: Final = re.compile(r"^\[Errno -?\d+\] ")


class OpenAiCompatibleEmbedder:
    """Vectors of a model at ``base_url`` (such as ``http://127.0.0.1:11434/v1``).

    ``dimension`` is what the model gives; another is an ``EmbedderError``. The key goes into a header and nowhere else.
    ``embed`` waits ``timeout_secs`` for a batch, ``embed_soon`` ``query_timeout_secs`` for a text or a few.
    ``InvalidInput`` for what cannot be meant.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        dimension: int,
        *,
        api_key: str = "",
        timeout_secs: float = 30.0,
        query_timeout_secs: float = 2.0,
    ) -> None:
        _check_address(base_url)
        _check("model", model, kinds.text(), "the model's name")
        _check("dimension", dimension, kinds.whole_number(1, MOST_NUMBERS), "how many numbers a vector of it has")
        wait = kinds.number(0.001, LONGEST_WAIT_SECS)
        _check("timeout_secs", timeout_secs, wait, "how long a batch may take")
        _check("query_timeout_secs", query_timeout_secs, wait, "how long a query may take")
        if api_key != "" and not kinds.secret(1).fits(api_key):  # its value is nobody's business
            raise InvalidInput("cannot be meant", field="api_key", remedy=f"give {kinds.secret(1).wanted}, or none")
        self.name = model
        self.dimension = dimension
        self._url = f"{base_url.rstrip('/')}/embeddings"
        self.shown_url = _without_credentials(self._url)
        self._secs = timeout_secs
        self._soon_secs = min(query_timeout_secs, timeout_secs)
        headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._client = httpx.Client(headers=headers)

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector a text, in batches; a passing failure is tried once more."""
        found: list[list[float]] = []
        for start in range(0, len(texts), BATCH):
            found += self._batch(texts[start : start + BATCH], self._secs)
        return found

    def embed_soon(self, texts: Sequence[str]) -> list[list[float]]:
        """The same for somebody who waits: a failure comes early."""
        found: list[list[float]] = []
        for start in range(0, len(texts), BATCH):
            batch = texts[start : start + BATCH]
            found += self._batch(batch, min(self._soon_secs * max(1.0, len(batch) / AS_QUICK_AS_ONE), self._secs))
        return found

    def close(self) -> None:
        """Lets the connections go."""
        self._client.close()

    def _batch(self, texts: Sequence[str], secs: float) -> list[list[float]]:
        status, answer = self._answered(texts, secs)
        if status != httpx.codes.OK:
            raise self._failed(f"answered HTTP {status}", _remedy_of(status))
        return self._vectors(answer, len(texts))

    def _answered(self, texts: Sequence[str], secs: float) -> tuple[int, bytes]:
        deadline = monotonic() + secs
        for left in reversed(range(TRIES)):
            try:
                status, answer = self._asked(texts, deadline)
            except httpx.TimeoutException as error:
                raise self._failed(
                    f"timed out after {secs:g} s", "check that it runs, or allow it more time (embedder_timeout_secs)"
                ) from error
            except httpx.HTTPError as error:
                if left:
                    continue
                cause = _ERROR_NUMBER.sub("", shorten(str(error))) or type(error).__name__
                raise self._failed(f"cannot be reached: {cause}", "check that it runs, and its URL") from error
            if not left or status not in WORTH_ANOTHER_TRY:
                return status, answer
        raise AssertionError  # every way out of the loop is above

    def _asked(self, texts: Sequence[str], deadline: float) -> tuple[int, bytes]:
        timeout = max(deadline - monotonic(), 0.001)
        body = {"model": self.name, "input": list(texts)}
        answer = bytearray()
        with self._client.stream("POST", self._url, json=body, timeout=timeout) as response:
            for part in response.iter_bytes():
                answer += part
                if monotonic() > deadline:
                    raise httpx.ReadTimeout("", request=response.request)
        return response.status_code, bytes(answer)

    def _vectors(self, answer: bytes, count: int) -> list[list[float]]:
        try:
            told = json.loads(answer)
        except (ValueError, RecursionError) as error:
            raise self._failed("gave an answer that is not JSON", "check its URL, which often ends in /v1") from error
        try:
            data: list[dict[str, Any]] = told["data"]
            vectors = [item["embedding"] for item in sorted(data, key=lambda item: int(item["index"]))]
        except (ValueError, TypeError, LookupError) as error:
            raise self._failed(
                "gave an answer that is no list of embeddings", "check its URL and that the model is one of embeddings"
            ) from error
        if len(vectors) != count:
            raise self._failed(f"gave {len(vectors)} vectors for {count} texts", "it has to give one for each")
        if not all(isinstance(vector, list) and all(type(n) in (int, float) for n in vector) for vector in vectors):
            raise self._failed("gave vectors of something else than numbers", 'it has to know the format "float"')
        return vectors

    def _failed(self, what: str, remedy: str) -> EmbedderError:
        return EmbedderError(f"the endpoint {self.shown_url} {what}", field="embedder", remedy=remedy)


def _remedy_of(status: int) -> str:
    if 300 <= status < 400:
        return "give the URL that it leads to; a redirect is not followed"
    if status in {401, 403}:
        return "check the key (embedder_key)"
    if status in WORTH_ANOTHER_TRY or status >= 500:
        return "try again later, or look at what the endpoint logs"
    return "check its URL, which often ends in /v1, and the model's name"


def _check(field: str, value: object, kind: kinds.Kind, what: str) -> None:
    if not kind.fits(value):
        raise InvalidInput("cannot be meant", field=field, value=value, remedy=f"give {what}: {kind.wanted}")


def _check_address(url: object) -> None:
    """Raises for what is no address; one that may hold a password is not shown."""
    is_address = isinstance(url, str) and kinds.web_address().fits(_without_credentials(url)) and "?" not in url
    if not is_address:
        shown = None if isinstance(url, str) and ("@" in url or "?" in url) else url
        raise InvalidInput(
            "not the address of an endpoint",
            field="base_url",
            value=shown,
            remedy="give an http or https URL without query and fragment, such as http://127.0.0.1:11434/v1",
        )


def _without_credentials(url: str) -> str:
    """The URL as it may be shown: what stands before the ``@`` of its host is a secret."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
