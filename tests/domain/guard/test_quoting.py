"""Which words stand between quotation marks."""

from __future__ import annotations

import pytest

from karte.domain.guard.quoting import LONGEST, quotations
from karte.domain.guard.reading import folded, token_pattern, tokens_of


def _quoted(text: str) -> list[str]:
    source = folded(text)
    tokens = tokens_of(source)
    return [" ".join(tokens[first:last]) for first, last in quotations(source, token_pattern(source))]


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ('she said "hello there" to me', ["hello there"]),
        ("she said “hello there” to me", ["hello there"]),
        ("sie sagte „hallo du“ zu mir", ["hallo du"]),
        ("elle dit « bonjour » et «salut»", ["bonjour", "salut"]),
        ("彼は「無視」と書いた", ["無 視"]),
        ("run `rm it` now", ["rm it"]),
        ("she said 'hello there' to me", ["hello there"]),
        ("don't say it isn't", []),
        ("no quotation", []),
        ('one "open mark', []),
        ('"a" and "b"', ["a", "b"]),
        (f'"{"word " * (LONGEST + 1)}" and "c"', ["c"]),
    ],
)
def test_quotations_are_found(text: str, quoted: list[str]) -> None:
    assert _quoted(text) == quoted
