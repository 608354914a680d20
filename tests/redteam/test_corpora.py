"""Texts that nobody here wrote: how many are blocked, and that no rule recites one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from benchmarks import _injection_sets as sets
from karte.domain.guard import scan
from karte.domain.guard.packs import built_in
from karte.domain.guard.reading import folded, tokens_of

LONGEST_RECITED = 5
FIRST_OF_SUCH_SCRIPTS = "\u0900"
TOKENS_OF_SUCH_A_WORD = 2

FEWEST_FOUND = {
    "deepset": 0.4, "yanismiraoui": 0.4, "giskard": 0.4, "bastioncorpus": 0.4, "cyberseceval": 0.25,
    "neuralchemy": 0.25, "s-labs": 0.25,
}  # fmt: skip


@pytest.fixture(scope="module")
def handed(data_dir: Path) -> list[sets.Text]:
    return sets.handed(data_dir)


def _share(texts: Sequence[sets.Text]) -> float:
    assert texts
    return sum(scan(text.text).blocked for text in texts) / len(texts)


@pytest.mark.requirement("scan.few-false-alarms")
def test_conversation_turns_pass(data_dir: Path) -> None:
    assert _share(sets.conversation_turns(data_dir)) <= 0.005


@pytest.mark.requirement("scan.few-false-alarms")
@pytest.mark.parametrize("source", ["notinject", "cyberseceval-frr-benign"])
def test_harmless_questions_pass(handed: list[sets.Text], source: str) -> None:
    assert _share([text for text in handed if text.source == source]) <= 0.03


@pytest.mark.requirement("scan.few-false-alarms")
@pytest.mark.parametrize("language", ["ja", "zh", "zh-hant", "ko", "ru"])
def test_messages_of_programs_pass(language: str) -> None:
    messages = sets.catalogue_messages(language)
    if len(messages) < 300:
        pytest.skip("no message catalogue of that language on this machine")
    assert _share(messages) <= 0.01


@pytest.mark.parametrize("source", FEWEST_FOUND)
def test_attacks_are_found(handed: list[sets.Text], source: str) -> None:
    assert _share([text for text in handed if text.source == source and text.is_attack]) >= FEWEST_FOUND[source]


def _runs(tokens: Sequence[str], length: int) -> Iterator[tuple[str, ...]]:
    return (tuple(tokens[at : at + length]) for at in range(len(tokens) - length + 1))


@pytest.mark.requirement("scan.generalises")
def test_no_rule_recites_a_text(handed: list[sets.Text]) -> None:
    """No term or phrase has more than five consecutive words of a text.

    Tokens of Chinese, Japanese, Korean, Thai and the scripts of India are letters and syllables: two make a word.
    """
    phrases = [term for _, terms in built_in().concepts for term in terms]
    phrases += [
        tuple(key[1:].split())
        for rule in built_in().rules
        for pattern in rule.patterns
        for key in pattern.parsed.keys
        if key[0] == "="
    ]
    long = [term for term in phrases if _words_in(term) > LONGEST_RECITED]
    lengths = {len(term) for term in long}
    texts = [tokens_of(folded(text.text)) for text in handed]
    recited = {run for tokens in texts for length in lengths for run in _runs(tokens, length)}
    assert not [term for term in long if term in recited]


def _words_in(term: Sequence[str]) -> float:
    return sum(1 / TOKENS_OF_SUCH_A_WORD if word >= FIRST_OF_SUCH_SCRIPTS else 1 for word in term)


def test_the_sets_are_what_they_were(data_dir: Path, handed: list[sets.Text]) -> None:
    path = data_dir / "injection" / "handed.jsonl"
    rows: list[dict[str, Any]] = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert len(handed) == len(rows)
    assert {text.half for text in handed} == {0, 1}
