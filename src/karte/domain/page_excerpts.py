"""The part of a page that answers a query."""

from __future__ import annotations

from typing import Final

from karte.domain.text import content_tokens, index_text

LONGEST_EXCERPT: Final = 300
_MOST_READ: Final = 400
"""Paragraphs; an answer further down is not looked for."""


def excerpt_of(document: str, query: str, most: int = LONGEST_EXCERPT) -> str:
    """The paragraph that shares most terms with the query (of several the first), on one line, cut to ``most``."""
    asked = set(content_tokens(index_text(query)))
    paragraphs = [line for part in document.split("\n") if (line := " ".join(part.split()))][:_MOST_READ]
    best = max(paragraphs, key=lambda line: len(asked & set(content_tokens(index_text(line)))), default="")
    return best if len(best) <= most else f"{best[: most - 1]}…"
