"""The language of patterns: what it says, and what it refuses."""

from __future__ import annotations

import pytest

from karte.domain.guard import load_pack, scan
from karte.domain.guard.pattern import parse
from karte.errors import ConfigError


def _matches(pattern: str, text: str) -> bool:
    pack = load_pack(
        f"""
        [words]
        pet = "cat, little dog"
        food = "fish, bone"
        [[rule]]
        name = "feeding"
        family = "other"
        languages = ["en"]
        patterns = ['{pattern}']
        """,
        "pets",
    )
    return scan(text, [pack]).rules == ("feeding",)


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("{pet}", "the little dog", "the little cow, the dog"),
        ("{pet|food}", "a bone", "a stone"),
        ("{pet} {food}", "Cat: fish!", "cat eats fish"),
        ("{pet} ..2 {food}", "a cat eats fresh fish", "a cat eats very fresh fish"),
        ("{pet} .. {food}", "a cat now eats very fresh fish", "a cat now always eats very fresh fish"),
        ("{pet} ~1 {food}", "fish for cat", "fish that was for cat"),
        ("{pet} ~1 {food}", "cat ate fish", "cat and dog"),
        ("feed the {pet}", "Feed the cat", "feed a cat"),
        ("^ feed {pet}", "please, now feed cat", "it is time to feed cat"),
        ("stroke* {pet}", "stroked cat", "stroll cat"),
        ("`#!` {pet}", "#!cat", "# cat"),
        ("{pet} {pet}", "cat cat", "cat"),
    ],
)
def test_a_pattern_holds_where_it_says(pattern: str, yes: str, no: str) -> None:
    assert _matches(pattern, yes)
    assert not _matches(pattern, no)


def test_a_pattern_does_not_reach_over_the_end_of_a_sentence() -> None:
    assert _matches("{pet} ..20 {food}", "the black cat likes to eat fish")
    assert not _matches("{pet} ..20 {food}", "that is the cat. It likes to eat fish")


def test_a_command_that_is_denied_or_told_is_none() -> None:
    assert _matches("eat {food}", "now eat fish")
    assert not _matches("eat {food}", "never eat fish")
    assert not _matches("eat {food}", "they told me to eat fish")


@pytest.mark.parametrize(
    "pattern",
    [
        "", "   ", "..", "{pet} ..", ".. {pet}", "{pet} .. .. {food}", "{pet} ^ {food}", "^", "{}", "{pet|}",
        "{pet} ..99 {food}", "^ {pet} ~ {food}", "a ~ b ~ c ~ d ~ e", "!signal {pet}", "^ !signal", "{pet", "pet}",
        "`open", "?!", "ab*", "*",
    ],
)  # fmt: skip
def test_a_pattern_that_cannot_be_meant_is_refused(pattern: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse(pattern, "rule x")
    assert caught.value.field == "rule x"
    assert caught.value.remedy
