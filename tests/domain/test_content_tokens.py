"""What a text says as a set: word by word, or from its folded form."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karte.domain.text import content_tokens, content_tokens_of, index_text

ASCII = st.text(alphabet=string.printable + "\x1c\x1f\x00", max_size=80)
WORDS = st.lists(
    st.sampled_from(
        "The houses don't e-mail deployTarget 1,000 2,50 v1.2.3-rc lib/parse.py C++ C# U.S.A. went, a|b ~x 8MB/s"
        " https://a.b/c café 東京タワー ёж {'a': 1}".split(" ")
    )
).map(" ".join)

pytestmark = pytest.mark.requirement("plain.near-duplicates")


@given(st.one_of(ASCII, WORDS, st.text(max_size=60)))
def test_tokens_are_those_of_the_folded_form(text: str) -> None:
    assert content_tokens_of(text) == content_tokens(index_text(text))


def test_a_very_long_word_is_cut_as_it_is_in_the_index() -> None:
    text = f"see {'abc1' * 500} there"
    assert content_tokens_of(text) == content_tokens(index_text(text))
