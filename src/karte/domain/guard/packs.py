"""Packs of rules as data: the built-in one, and a user's own.

The format is TOML and described in ``docs/guard.md``. A pack is checked whole when it is read, so that a scan never
meets a rule it cannot follow.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import Any, Final, NoReturn

from karte.domain.guard.pattern import Parsed, parse, term_words
from karte.domain.guard.reading import folded
from karte.domain.guard.verdict import ENOUGH
from karte.errors import ConfigError

BUILT_IN: Final = "built-in"
SIGNALS: Final = frozenset({
    "tag-characters", "variation-selectors", "invisible-run", "split-by-invisible", "bidi-override", "encoded-text",
    "decoding-too-deep",
})  # fmt: skip
NOT_A_COMMAND: Final = "not_a_command"
NOT_A_COMMAND_AFTER: Final = "not_a_command_after"
REPORT: Final = "report"

_NAME: Final = re.compile(r"[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*")
_LANGUAGE: Final = re.compile(r"\*|[a-z]{2,3}(?:-[a-z]{4})?")
_PACK_KEYS: Final = frozenset({"words", "rule"})
_RULE_KEYS: Final = frozenset({"name", "family", "weight", "instant", "languages", "patterns"})
_PATTERN_KEYS: Final = frozenset({"text", "weight"})


class Family(StrEnum):
    """What an injection is after."""

    INSTRUCTION_OVERRIDE = "instruction_override"
    PROMPT_EXTRACTION = "prompt_extraction"
    ROLE_HIJACK = "role_hijack"
    ENCODING_BYPASS = "encoding_bypass"
    TOOL_ABUSE = "tool_abuse"
    DATA_EXFILTRATION = "data_exfiltration"
    TERMINATION = "termination"
    MEMORY_MANIPULATION = "memory_manipulation"
    INVISIBLE_UNICODE = "invisible_unicode"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Pattern:
    """One way of showing what a rule is about, and how much it weighs."""

    text: str
    weight: int
    parsed: Parsed


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A rule matches when patterns of it that hold near each other weigh 100 together.

    An ``instant`` rule matches with any pattern of it, whatever is said around it.
    """

    name: str
    family: Family
    languages: tuple[str, ...]
    patterns: tuple[Pattern, ...]
    is_instant: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Pack:
    """Concepts (``name -> terms``) and the rules that speak of them."""

    name: str
    concepts: tuple[tuple[str, tuple[tuple[str, ...], ...]], ...] = ()
    rules: tuple[Rule, ...] = ()


def load_pack(text: str, name: str) -> Pack:
    """A user's pack, read from TOML and checked against the built-in names.

    Raises:
        ConfigError: The pack cannot be used; ``field`` says where, ``remedy`` what to do.
    """
    base = built_in()
    pack = _pack(_toml(text, name), name, known=frozenset(concept for concept, _ in base.concepts))
    own = {concept for concept, _ in pack.concepts}
    for concept, _ in base.concepts:
        if concept in own:
            _refuse(f"{name}: words.{concept}", "a built-in list of words has this name", "choose another name")
    taken = {rule.name for rule in base.rules}
    for rule in pack.rules:
        if rule.name in taken:
            _refuse(f"{name}: rule {rule.name}", "a built-in rule has this name", "choose another name")
    return pack


@cache
def built_in() -> Pack:
    """The rules that always apply: ``pack/rules.toml``, over the words of every language in ``pack/words``."""
    folder = files("karte.domain.guard").joinpath("pack")
    words: dict[str, str] = {}
    for file in sorted(folder.joinpath("words").iterdir(), key=lambda file: file.name):
        for concept, terms in _toml(file.read_text(encoding="utf-8"), file.name).items():
            words[concept] = f"{words[concept]},{terms}" if concept in words else terms
    rules = _toml(folder.joinpath("rules.toml").read_text(encoding="utf-8"), "rules.toml")
    return _pack({"words": words, **rules}, BUILT_IN, known=frozenset())


def _toml(text: str, name: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigError(
            f"this pack is not TOML: {error}", field=name, remedy="see docs/guard.md for the format"
        ) from error


def _pack(content: Mapping[str, Any], name: str, *, known: frozenset[str]) -> Pack:
    _only_keys(content, _PACK_KEYS, name)
    words = content.get("words", {})
    if not isinstance(words, dict):
        _refuse(f"{name}: words", "this is no table", 'write [words] and under it name = "term, another term"')
    concepts = tuple((concept, _terms(terms, f"{name}: words.{concept}", concept)) for concept, terms in words.items())
    tables = content.get("rule", [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        _refuse(f"{name}: rule", "this is no list of tables", "write [[rule]] before each rule")
    rules: dict[str, Rule] = {}
    for number, table in enumerate(tables, start=1):
        rule = _rule(table, f"{name}: rule {table.get('name', number)}")
        if rule.name in rules:
            _refuse(f"{name}: rule {rule.name}", "two rules have this name", "give each rule a name of its own")
        rules[rule.name] = rule
    _check_names(rules.values(), known | words.keys(), name)
    return Pack(name=name, concepts=concepts, rules=tuple(rules.values()))


def _terms(terms: object, field: str, concept: str) -> tuple[tuple[str, ...], ...]:
    if not _NAME.fullmatch(concept):
        _refuse(field, "this is no name", "small letters and digits, joined by - or _")
    if isinstance(terms, str):
        # Folded as a whole, since that is what most of reading the built-in pack would take term by term.
        terms = [stripped for term in folded(terms).split(",") if (stripped := term.strip())]
    if not isinstance(terms, list) or not terms or not all(isinstance(term, str) for term in terms):
        _refuse(field, "this is no list of words", 'write "term, another term" or ["term", "another term"]')
    return tuple(dict.fromkeys(term_words(term, field) for term in terms))


def _rule(table: Mapping[str, Any], field: str) -> Rule:
    _only_keys(table, _RULE_KEYS, field)
    name, family, languages = table.get("name"), table.get("family"), table.get("languages")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        _refuse(f"{field}.name", "this is no name", "small letters and digits, joined by - or _")
    if family not in list(Family):
        _refuse(f"{field}.family", "this is no family", f"one of {', '.join(Family)}")
    if not isinstance(languages, list) or not languages or not all(_is_language(each) for each in languages):
        _refuse(f"{field}.languages", "this is no list of languages", 'write ["en", "ja"], or ["*"] for any')
    is_instant = table.get("instant", False)
    if not isinstance(is_instant, bool):
        _refuse(f"{field}.instant", "this is neither true nor false", "write true or false")
    weight = _weight(table.get("weight", ENOUGH), field)
    patterns = table.get("patterns")
    if not isinstance(patterns, list) or not patterns:
        _refuse(f"{field}.patterns", "this is no list of patterns", 'write ["{concept} .. word"]')
    return Rule(
        name=name,
        family=Family(family),
        languages=tuple(languages),
        patterns=tuple(_pattern(each, weight, f"{field}.patterns[{i}]") for i, each in enumerate(patterns)),
        is_instant=is_instant,
    )


def _pattern(content: object, weight: int, field: str) -> Pattern:
    if isinstance(content, str):
        return Pattern(content, weight, parse(content, field))
    if not isinstance(content, dict) or not isinstance(content.get("text"), str):
        _refuse(field, "this is no pattern", 'write "{concept} .. word" or { text = "...", weight = 60 }')
    _only_keys(content, _PATTERN_KEYS, field)
    text: str = content["text"]
    return Pattern(text, _weight(content.get("weight", weight), field), parse(text, field))


def _weight(value: object, field: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= ENOUGH:
        _refuse(f"{field}.weight", "this is no weight", f"a whole number from 1 to {ENOUGH}")
    return value


def _is_language(value: object) -> bool:
    return isinstance(value, str) and _LANGUAGE.fullmatch(value) is not None


def _check_names(rules: Any, known: frozenset[str], pack: str) -> None:
    for rule in rules:
        for pattern in rule.patterns:
            field = f"{pack}: rule {rule.name}"
            for key in pattern.parsed.keys:
                if key[0] not in "=`" and key not in known:
                    _refuse(field, f"no list of words is named {key!r}", "define it under [words], or mend the name")
            if pattern.parsed.signal is not None and pattern.parsed.signal not in SIGNALS:
                _refuse(field, f"no signal is named {pattern.parsed.signal!r}", f"one of {', '.join(sorted(SIGNALS))}")


def _only_keys(table: Mapping[str, Any], known: frozenset[str], field: str) -> None:
    for key in table:
        if key not in known:
            _refuse(f"{field}.{key}", "this key has no meaning here", f"one of {', '.join(sorted(known))}")


def _refuse(field: str, message: str, remedy: str) -> NoReturn:
    raise ConfigError(message, field=field, remedy=remedy)
