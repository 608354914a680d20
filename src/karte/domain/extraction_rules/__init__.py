"""Facts that people tell of themselves, found by rules: precision before recall, in English, Japanese and Chinese."""

from karte.domain.extraction_rules.rules import facts_of

__all__ = ["facts_of"]
