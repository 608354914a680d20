"""The embedder that ``[retrieval]`` names, for doors that are given none."""

from __future__ import annotations

from karte.config import RetrievalSettings
from karte.embedding.protocol import Embedder
from karte.errors import ConfigError


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

    return OpenAiCompatibleEmbedder(
        settings.embedder_url, settings.embedder_model, settings.embedder_dimension, api_key=settings.embedder_key
    )
