"""Escape sequences of terminals go as a whole, and nothing that was cut off swallows what follows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karte.domain.escaping import as_data
from karte.domain.page_lines import one_line, title_of
from karte.domain.text.sequences import has_sequences, without_sequences

pytestmark = pytest.mark.requirement("pages.text")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b[38;5;196mred\x1b[m", "red"),
        ("\x9b31mred\x9b0m", "red"),
        ("\x1b]0;a title\x07text", "text"),
        ("\x1b]8;;http://example.org\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b(Btext\x1b7", "text"),
        ("\x1bP1$r0m\x1b\\text", "text"),
        ("cut off \x1b[31", "cut off "),
        ("\x1b]0;never ended, and all of this stays", "0;never ended, and all of this stays"),
        ("[31m is what somebody wrote", "[31m is what somebody wrote"),
    ],
)
def test_a_sequence_goes_as_a_whole_and_what_a_terminal_shows_stays(text: str, shown: str) -> None:
    assert without_sequences(text) == shown
    assert one_line(text) == shown.strip()


def test_what_a_person_or_a_model_is_shown_has_no_debris_of_sequences() -> None:
    assert title_of("\x1b[1m# \x1b[31mRelease\x1b[0m policy\x1b[0m\n") == "Release policy"
    assert as_data("a \x1b[31mred\x1b[0m word", 100) == "a red word"


@given(st.text(st.sampled_from("\x1b\x9b\x9d\x07\\[]0;3m (Bx漢"), max_size=60))
def test_any_text_can_be_cleaned_and_nothing_is_added(text: str) -> None:
    left = without_sequences(text)
    kept = iter(text)
    assert all(letter in kept for letter in left)
    assert has_sequences(text) or left == text
