"""The extractor that needs no model."""

from __future__ import annotations

from collections.abc import Sequence

from karte.domain.distilling import ExtractedFact, SpokenTurn
from karte.domain.extraction_rules import facts_of


class RuleExtractor:
    """Finds what people say of themselves by patterns: it would rather miss than invent."""

    def extract(self, turns: Sequence[SpokenTurn]) -> list[ExtractedFact]:
        """The facts, in the order of the turns."""
        return [fact for place, turn in enumerate(turns) for fact in facts_of(turn, place)]

    def is_document(self, text: str) -> bool | None:  # noqa: ARG002 (the protocol asks; rules cannot tell)
        """None: rules of sentences cannot tell a document."""
        return None
