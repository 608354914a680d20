"""Packs of rules as text: what is read, and what is refused with which words."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from karte.domain.guard import Family, Scanner, load_pack, scan
from karte.domain.guard.packs import built_in
from karte.errors import ConfigError

RULE = """
[[rule]]
name = "shouting"
family = "other"
languages = ["en"]
patterns = ["hear ye"]
"""


def _with(**changes: str) -> str:
    lines = {"name": '"shouting"', "family": '"other"', "languages": '["en"]', "patterns": '["hear ye"]', **changes}
    return "[[rule]]\n" + "\n".join(f"{key} = {value}" for key, value in lines.items())


def test_the_built_in_pack_has_every_family() -> None:
    assert {rule.family for rule in built_in().rules} == set(Family) - {Family.OTHER}


@pytest.mark.requirement("scan.user-packs")
def test_a_pack_is_read() -> None:
    pack = load_pack('[words]\nbrand = "acme, glob*, glob* trade"\nplace = ["Bern", "大阪"]\n' + RULE, "mine")
    assert pack.name == "mine"
    assert dict(pack.concepts) == {
        "brand": (("acme",), ("glob*",), ("glob*", "trade")),
        "place": (("bern",), ("大", "阪")),
    }
    (rule,) = pack.rules
    assert (rule.name, rule.family, rule.languages, rule.is_instant) == ("shouting", Family.OTHER, ("en",), False)
    assert [(pattern.text, pattern.weight) for pattern in rule.patterns] == [("hear ye", 100)]


def test_the_pack_of_the_documentation_is_read() -> None:
    page = (Path(__file__).parents[3] / "docs" / "guard.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    pack = load_pack(block, "the page")
    assert scan("Please order the new ACME anvil.", [pack]).rules == ("advertising",)


def test_an_empty_pack_is_a_pack() -> None:
    assert load_pack("", "nothing").rules == ()


@pytest.mark.requirement("scan.user-packs")
@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("[[rule", "mine"),
        ("words = 3", "mine: words"),
        ("rule = 3", "mine: rule"),
        ("rule = [3]", "mine: rule"),
        ("extra = 1", "mine.extra"),
        ("[words]\nBad = 'x'", "mine: words.Bad"),
        ("[words]\nbrand = 3", "mine: words.brand"),
        ("[words]\nbrand = ''", "mine: words.brand"),
        ("[words]\nbrand = [3]", "mine: words.brand"),
        ("[words]\nbrand = '!?'", "mine: words.brand"),
        ("[words]\nbrand = 'abc*'", "mine: words.brand"),
        ("[words]\noverride = 'x'", "mine: words.override"),
        (_with(name='"Shouting!"'), "mine: rule Shouting!.name"),
        (_with(name="3"), "mine: rule 3.name"),
        (_with(name='"override-instructions"'), "mine: rule override-instructions"),
        (RULE + RULE, "mine: rule shouting"),
        (_with(family='"theft"'), "mine: rule shouting.family"),
        (_with(languages='"en"'), "mine: rule shouting.languages"),
        (_with(languages="[]"), "mine: rule shouting.languages"),
        (_with(languages='["English"]'), "mine: rule shouting.languages"),
        (_with(instant='"yes"'), "mine: rule shouting.instant"),
        (_with(weight="0"), "mine: rule shouting.weight"),
        (_with(weight="101"), "mine: rule shouting.weight"),
        (_with(weight="true"), "mine: rule shouting.weight"),
        (_with(colour='"red"'), "mine: rule shouting.colour"),
        (_with(patterns='"hear ye"'), "mine: rule shouting.patterns"),
        (_with(patterns="[]"), "mine: rule shouting.patterns"),
        (_with(patterns="[3]"), "mine: rule shouting.patterns[0]"),
        (_with(patterns="[{ weight = 3 }]"), "mine: rule shouting.patterns[0]"),
        (_with(patterns='[{ text = "a", size = 3 }]'), "mine: rule shouting.patterns[0].size"),
        (_with(patterns='["fine", { text = "a", weight = 0 }]'), "mine: rule shouting.patterns[1].weight"),
        (_with(patterns='["{nowhere}"]'), "mine: rule shouting"),
        (_with(patterns='["!no-such-signal"]'), "mine: rule shouting"),
        (_with(patterns='["(a+)+$ {"]'), "mine: rule shouting.patterns[0]"),
    ],
)
def test_a_malformed_pack_is_refused_with_field_and_remedy(text: str, field: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_pack(text, "mine")
    assert caught.value.field == field
    assert caught.value.remedy


def test_two_packs_may_not_have_a_rule_of_one_name() -> None:
    with pytest.raises(ConfigError) as caught:
        Scanner([load_pack(RULE, "mine"), load_pack(RULE, "yours")])
    assert caught.value.field == "rule shouting"


def test_an_instant_rule_matches_whatever_stands_around_it() -> None:
    reported = 'For example, the attacker wrote "hear ye" there.'
    plain, instant = load_pack(RULE, "mine"), load_pack(RULE + "instant = true", "mine")
    assert scan(reported, [plain]).rules == ()
    assert scan(reported, [instant]).rules == ("shouting",)


def test_a_signal_may_be_used_in_a_pack() -> None:
    pack = load_pack(_with(patterns='["!encoded-text", "!tag-characters"]'), "mine")
    assert scan("see 48656c6c6f20776f726c6420616761696e", [pack]).rules == ("shouting",)
    weak = load_pack(_with(patterns='["!encoded-text"]', weight="60"), "mine")
    assert scan("see 48656c6c6f20776f726c6420616761696e", [weak]).score == 60
