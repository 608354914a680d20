"""What distillation asks of an extractor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from karte.domain.distilling import ExtractedFact, SpokenTurn


class Extractor(Protocol):
    """Finds the facts that turns tell."""

    def extract(self, turns: Sequence[SpokenTurn]) -> list[ExtractedFact]:
        """The facts, in the order of the turns; raises ``ExtractorError`` where it cannot do its work."""
        ...

    def is_document(self, text: str) -> bool | None:
        """Whether a text is a long-lived reference document; None where the extractor cannot tell."""
        ...
