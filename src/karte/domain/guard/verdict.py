"""What a scan found: which rules matched, where, and what fell short of any rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

ENOUGH: Final = 100
"""The weight of evidence at which a rule matches."""


class Span(NamedTuple):
    """A stretch ``text[start:end]`` of what was scanned, and the rule whose evidence it is."""

    start: int
    end: int
    rule: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The outcome of a scan: ``blocked == bool(rules)``.

    ``score`` is the weight of the best evidence, 100 where a rule matched. ``spans`` show the evidence of
    the rules that matched; for something decoded they cover the encoded piece. ``hints`` show evidence
    that sufficed for no rule: worth a line in the audit, no reason to refuse.
    """

    score: int = 0
    rules: tuple[str, ...] = ()
    spans: tuple[Span, ...] = ()
    hints: tuple[Span, ...] = ()

    @property
    def blocked(self) -> bool:
        """Whether any rule matched."""
        return bool(self.rules)


CLEAN: Final = Verdict()
