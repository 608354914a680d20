"""What a text says, as a set: its tokens without the words that carry no subject."""

from __future__ import annotations

from functools import cache

from karte.domain.text.stemming import stem
from karte.domain.text.stopwords import ENGLISH, OTHER_SCRIPTS
from karte.domain.text.tokens import BARRIER


def content_tokens(folded: str) -> frozenset[str]:
    """The tokens of a folded form in reading order, each once, but for stop words."""
    return frozenset(folded.partition(BARRIER)[0].split()) - _stop_tokens()


@cache
def _stop_tokens() -> frozenset[str]:
    return frozenset(stem(word) for word in ENGLISH | OTHER_SCRIPTS)
