"""Safe excerpts."""

from __future__ import annotations

from collections.abc import Iterable


def safe_excerpt(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """A few words."""
    for start, end in spans:
        return text[start:end][:40]
    return ""
