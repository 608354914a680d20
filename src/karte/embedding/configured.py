"""The embedder that ``[retrieval]`` names, for doors that are given none."""

from __future__ import annotations

from typing import Final

from karte.config import RetrievalSettings
from karte.embedding.protocol import Embedder
from karte.errors import ConfigError, InvalidInput

LONG_SECS: Final = 30.0
"""What re-embedding waits for a batch, at least."""
_SETTINGS: Final = {
    "base_url": "embedder_url",
    "model": "embedder_model",
    "dimension": "embedder_dimension",
    "api_key": "embedder_key",
    "query_timeout_secs": "embedder_timeout_secs",
}


def configured_embedder(settings: RetrievalSettings) -> Embedder | None:
    """The embedder of the configuration, None where it names none; ``ConfigError`` for one that cannot be made."""
    match settings.embedder:
        case "none":
            return None
        case "multilingual":
            from karte.embedding.multilingual import MultilingualEmbedder  # noqa: PLC0415 (an extra)

            return MultilingualEmbedder()
        case "endpoint":
            return _at_endpoint(settings)


def _at_endpoint(settings: RetrievalSettings) -> Embedder:
    needed = {
        "embedder_url": settings.embedder_url,
        "embedder_model": settings.embedder_model,
        "embedder_dimension": settings.embedder_dimension,
    }
    missing = [name for name, value in needed.items() if not value]
    if missing:
        raise ConfigError(
            'embedder = "endpoint" is not enough',
            field=f"retrieval.{missing[0]}",
            remedy=f"say {' and '.join(missing)} too",
        )
    from karte.embedding.openai_compatible import OpenAiCompatibleEmbedder  # noqa: PLC0415 (httpx takes its time)

    try:
        return OpenAiCompatibleEmbedder(
            settings.embedder_url,
            settings.embedder_model,
            settings.embedder_dimension,
            api_key=settings.embedder_key,
            timeout_secs=max(LONG_SECS, settings.embedder_timeout_secs),
            query_timeout_secs=settings.embedder_timeout_secs,
        )
    except InvalidInput as error:
        setting = _SETTINGS.get(error.field or "", "embedder")
        raise ConfigError(
            error.message, field=f"retrieval.{setting}", value=error.value, remedy=error.remedy
        ) from error
