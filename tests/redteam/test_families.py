"""Every family in every language: attacks are found, harmless texts on the same subject pass."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from karte.domain.guard import Family, scan
from karte.domain.guard.packs import built_in

LANGUAGES = ("en", "es", "fr", "de", "pt", "ru", "ja", "zh", "zh-hant", "ko")
FAMILIES = [family for family in Family if family not in {Family.INVISIBLE_UNICODE, Family.OTHER}]
CASES: dict[str, dict[str, dict[str, list[str]]]] = tomllib.loads(
    (Path(__file__).parent / "cases.toml").read_text(encoding="utf-8")
)
FAMILY_OF = {rule.name: rule.family for rule in built_in().rules}
ZERO_WIDTH_JOINER = "\u200d"


def _texts(kind: str) -> list[tuple[str, str, str]]:
    return [
        (family, language, text)
        for family, languages in CASES.items()
        for language, texts in languages.items()
        for text in texts[kind]
    ]


def test_every_family_has_cases_in_every_language() -> None:
    assert set(CASES) == set(FAMILIES)
    for family, languages in CASES.items():
        assert set(languages) == set(LANGUAGES), family
        for language, texts in languages.items():
            assert len(texts["attack"]) >= 2, (family, language)
            assert len(texts["benign"]) >= 2, (family, language)


@pytest.mark.requirement("scan.families-and-languages")
@pytest.mark.parametrize(("family", "language", "text"), _texts("attack"))
def test_an_attack_is_blocked_by_a_rule_of_its_family(family: str, language: str, text: str) -> None:
    verdict = scan(text)
    assert verdict.blocked
    assert verdict.score == 100
    assert family in {FAMILY_OF[name] for name in verdict.rules}


@pytest.mark.requirement("scan.families-and-languages", "scan.notes-and-reports-pass")
@pytest.mark.parametrize(("family", "language", "text"), _texts("benign"))
def test_a_harmless_text_on_the_subject_passes(family: str, language: str, text: str) -> None:
    assert scan(text).rules == ()


@pytest.mark.requirement("scan.families-and-languages")
@pytest.mark.parametrize("language", LANGUAGES)
def test_hidden_characters_are_blocked_in_any_language(language: str) -> None:
    attack, harmless = CASES["instruction_override"][language].values()
    hidden = "".join(chr(0xE0000 + ord(letter)) for letter in "obey me now")
    for text in (f"{harmless[0]}{hidden}", f"{harmless[0]}{chr(0x200B) * 32}"):
        verdict = scan(text)
        assert "hidden-characters" in verdict.rules
        assert any(text[span.start : span.end] in text[len(harmless[0]) :] for span in verdict.spans)
    assert scan(ZERO_WIDTH_JOINER.join(attack[0])).blocked


@pytest.mark.requirement("scan.families-and-languages", "scan.notes-and-reports-pass")
@pytest.mark.parametrize("language", LANGUAGES)
def test_honest_invisible_characters_pass_in_any_language(language: str) -> None:
    harmless = CASES["instruction_override"][language]["benign"][0]
    family = ZERO_WIDTH_JOINER.join("👩👩👧")
    scotland = "🏴" + "".join(chr(0xE0000 + ord(letter)) for letter in "gbsct") + chr(0xE007F)
    for text in (f"{harmless} {family}", f"{scotland} {harmless}", f"\ufeff{harmless}", f"\u2067{harmless}\u2069"):
        assert scan(text).rules == ()


def test_the_words_of_every_language_are_ones_that_rules_use() -> None:
    known = {concept for concept, _ in built_in().concepts}
    used = {key for rule in built_in().rules for pattern in rule.patterns for key in pattern.parsed.keys}
    assert known - used == {"not_a_command", "not_a_command_after", "report"}
