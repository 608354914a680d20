"""Which mistakes bear on a message."""

from __future__ import annotations

import pytest

from karte.domain.mistakes import Evidence, MistakeCategory, MistakeEntry
from karte.domain.topics import MOST_KEYWORDS, by_topic, keywords_of, topic_text

pytestmark = pytest.mark.requirement("reflexion.topics")


def found(message: str, *mistakes: MistakeEntry, limit: int = 3) -> list[str | None]:
    hits = by_topic(keywords_of(message), [(mistake, topic_text(mistake)) for mistake in mistakes], limit)
    return [hit.id for hit in hits]


def wrong(id: str, text: str, at: str = "2026-05-01", **fields: object) -> MistakeEntry:
    return MistakeEntry(id=id, what_went_wrong=text, timestamp=at, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("message", "keywords"),
    [
        ("is it at 9 or 10", ()),
        ("Which time zone is it?", ("Which", "time", "zone", "it?")),
        ("  \n\t ", ()),
        ("大阪の天気は？", ("大阪", "天気")),
        ("上海 的 API 密钥", ("上海", "的", "API", "密钥")),
        ("서버 장애", ("서버", "장애")),
        ("v2を使う", ("使う",)),
        ("deployを使う", ("deploy", "使う")),
    ],
)
def test_keywords_are_words_of_three_letters_and_the_subjects_of_runs(message: str, keywords: tuple[str, ...]) -> None:
    assert keywords_of(message) == keywords


def test_only_the_first_twelve_keywords_count() -> None:
    words = [f"word{n}" for n in range(40)]
    assert keywords_of(" ".join(words)) == tuple(words[:MOST_KEYWORDS])
    assert found(" ".join([*words[:MOST_KEYWORDS], "deployment"]), wrong("a", "the deployment failed")) == []


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ("大阪の天気を教えて", "大阪市の天気を間違えた"),
        ("北京的时区是什么", "把北京的时区弄错了"),
        ("서버가 멈췄나요", "서버 이름을 틀렸다"),
        ("which TIMEZONES apply", "used the wrong timezone"),
        ("the café menu", "CAFE hours were invented"),
        ("check deployTarget now", "the deploy target was guessed"),
    ],
)
def test_a_topic_is_met_in_any_script_and_spelling(message: str, text: str) -> None:
    assert found(message, wrong("other", "nothing in common 無関係"), wrong("hit", text)) == ["hit"]


def test_all_that_a_mistake_says_is_looked_at() -> None:
    evidence = Evidence(tool="kubectl", error_kind="Timeout", excerpt="replica absent")
    mistake = wrong(
        "a",
        "wrong",
        input_summary="asked lemon",
        response_summary="answered grape",
        ground_truth="melon",
        corrective_insight="peach",
        evidence=evidence,
    )
    for word in ("lemon", "grape", "wrong", "melon", "peach", "kubectl", "timeout", "replica"):
        assert found(word, mistake) == ["a"], word
    assert found("banana", mistake) == []


def test_the_more_and_the_rarer_it_shares_the_further_ahead() -> None:
    one = wrong("one", "the database was locked", "2026-05-09")
    rare = wrong("rare", "the migration was skipped", "2026-05-01")
    both = wrong("both", "the database migration was wrong", "2026-05-02")
    more = wrong("more", "the database answered", "2026-05-08")
    assert found("database migration", one, rare, both, more, limit=9) == ["both", "rare", "one", "more"]
    assert found("database migration", more, both, one, rare, limit=2) == ["both", "rare"]
    assert found("database migration", one, limit=0) == []


def test_equal_ones_are_in_the_order_of_the_notebook() -> None:
    mild = wrong("mild", "the port was wrong", "2026-05-03T20:00:00Z")
    safe = wrong("safe", "the port was wrong", "2026-05-03T01:00:00Z", category=MistakeCategory.SAFETY)
    old = wrong("old", "the port was wrong", "2026-05-01", category=MistakeCategory.SAFETY)
    assert found("port", old, mild, safe) == found("port", safe, old, mild) == ["safe", "mild", "old"]


@pytest.mark.parametrize(
    "message", ["", "???", "the of and", "🎉", '"', 'a "quoted', "x" * 100_000, "漢字" * 5_000, "word " * 50_000]
)
def test_any_message_can_be_asked_about(message: str) -> None:
    assert found(message, wrong("a", "release party")) == []
