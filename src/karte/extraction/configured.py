"""The extractor that ``[distill]`` names, for doors that are given none."""

from __future__ import annotations

from karte.config import DistillSettings
from karte.errors import ConfigError
from karte.extraction.protocol import Extractor


def configured_extractor(settings: DistillSettings) -> Extractor:
    """The extractor of the configuration; ``ConfigError`` for one that cannot be made, naming what is missing."""
    match settings.extractor:
        case "rules":
            from karte.extraction.rules import RuleExtractor  # noqa: PLC0415 (its patterns take their time)

            return RuleExtractor()
        case "endpoint":
            return _at_endpoint(settings)


def _at_endpoint(settings: DistillSettings) -> Extractor:
    missing = [name for name, value in {"url": settings.url, "model": settings.model}.items() if not value]
    if missing:
        raise ConfigError(
            'extractor = "endpoint" is not enough',
            field=f"distill.{missing[0]}",
            remedy=f"say {' and '.join(missing)} too",
        )
    from karte.extraction.openai_compatible import LlmExtractor  # noqa: PLC0415 (httpx takes its time)

    return LlmExtractor(settings.url, settings.model, api_key=settings.key, timeout_secs=settings.timeout_secs)
