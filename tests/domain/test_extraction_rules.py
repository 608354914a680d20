"""What people say of themselves becomes facts, and nothing else does."""

from __future__ import annotations

import re
from collections import Counter
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks._distill_sentences import Labelled, sentences
from karte.domain.distilling import ExtractedFact, SpokenTurn
from karte.domain.extraction_rules import facts_of
from karte.extraction.protocol import Extractor
from karte.extraction.rules import RuleExtractor

pytestmark = pytest.mark.requirement("pages.rules")

WEDNESDAY = datetime(2026, 3, 11, 12, tzinfo=UTC)
DATE = re.compile(r"\d{4}(-\d\d){0,2}")
WORDS = (
    "I we my live in work at love like hate prefer to use decided moved joined Kyoto Acme it and , . ? ! : \n > ``` |"
    " name is favourite colour blue the report due on Friday since 2019 until May don't as a nurse"
    " 私 は の名前 京都"
    " に住んで います 、 。 寿司 が 好きです PostgreSQL を使って 3月から 締め切りは 金曜日です に決めました 母"
    " 我 我们 住在 上海 在 腾讯 工作 喜欢 用 决定 截止日期是 周五 ， 叫 小明 的 搬到了 \x02"
).split(" ")


def said(text: str, speaker: str | None = None) -> list[ExtractedFact]:
    return facts_of(SpokenTurn(text=text, speaker=speaker, time=WEDNESDAY))


def told(text: str, speaker: str | None = None) -> list[tuple[str, str, str | None]]:
    return [(fact.subject, fact.predicate, fact.object) for fact in said(text, speaker)]


def named(each: Labelled) -> str:
    return f"{each.speaker}: {each.text}" if each.speaker else each.text


@pytest.mark.parametrize("each", [each for each in sentences() if not each.facts], ids=named)
def test_a_sentence_that_tells_nothing_of_its_speaker_gives_nothing(each: Labelled) -> None:
    assert RuleExtractor().extract([SpokenTurn(text=each.text, speaker=each.speaker, time=each.time)]) == []


@pytest.mark.parametrize("each", [each for each in sentences() if each.facts], ids=named)
def test_a_sentence_gives_the_facts_that_it_tells(each: Labelled) -> None:
    found = RuleExtractor().extract([SpokenTurn(text=each.text, speaker=each.speaker, time=each.time)])
    assert Counter((fact.predicate, fact.object, fact.valid_from, fact.valid_until) for fact in found) == Counter(
        (label.predicate, label.object, label.valid_from, label.valid_until) for label in each.facts
    )
    assert all(fact.object in fact.content for fact in found if fact.object)


def test_a_speaker_with_a_name_is_the_subject_and_a_role_is_the_user() -> None:
    assert told("I live in Boston.", "Caroline") == [("user:Caroline", "lives_in", "Boston")]
    for role in (None, "user", "Human", " USER ", ""):
        assert told("I live in Boston.", role) == [("user", "lives_in", "Boston")]


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("I work at a small hospital.", ("works_at", "small hospital")),
        ("I prefer to work alone.", ("prefers", "work alone")),
        ("I prefer walking to driving.", ("prefers", "walking")),
        ("I prefer going to bed early.", None),
        ("I work at a steady pace.", None),
        ("I work as a nurse's aide.", None),
        ("I work as a team.", None),
        ("My favourite part is blue.", None),
        ("I decided to do it.", None),
        ("I decided on it.", None),
        ("My favourite book is his.", None),
        ("The report is due until Friday.", None),
        ("The - is due on Friday.", None),
        ("I live in Room 12.", None),
        ("We moved to the UK.", ("lives_in", "UK")),
        ("私は12のに住んでいます。", None),
    ],
)
def test_an_object_ends_where_something_else_begins_and_is_never_vague(text: str, fact: tuple[str, str] | None) -> None:
    assert [each[1:] for each in told(text)] == ([fact] if fact else [])


@pytest.mark.parametrize("role", ["assistant", "System", "tool", "bot", "developer"])
def test_what_is_no_person_tells_nothing_of_itself(role: str) -> None:
    assert told("I live in Boston. 京都に住んでいます。我住在上海。", role) == []


def test_many_things_can_be_liked_and_one_place_is_lived_in() -> None:
    facts = said(
        "I love jazz. I prefer tea. We use Redis. We decided to ship it all. I live in Rome. I work as a nurse."
    )
    assert {fact.predicate: fact.is_many for fact in facts} == {
        "likes": True, "prefers": True, "uses": True, "lives_in": False, "job": False,
    }  # fmt: skip


def test_a_deadline_is_that_of_the_thing_that_is_due() -> None:
    (fact,) = said("The quarterly report is due on Friday.")
    assert (fact.subject, fact.object, fact.is_many) == ("quarterly report", "2026-03-13", False)
    for text in ("締め切りは金曜日です。", "My deadline is next Friday.", "截止日期是周五。"):
        (bare,) = said(text)
        assert (bare.subject, bare.object, bare.is_many) == ("user", "2026-03-13", True)


def test_content_is_in_the_third_person_and_in_the_language_of_the_turn() -> None:
    contents = [said(text)[0].content for text in ("I live in Rome.", "京都に住んでいます。", "我住在上海。")]
    assert contents == ["The user lives in Rome.", "ユーザーは京都に住んでいる。", "用户住在上海。"]
    assert said("I lived in Madrid until 2021.")[0].content == "I lived in Madrid until 2021"
    assert said("I live in Boston.", "Ann")[0].content == "Ann lives in Boston."


def test_a_fact_names_the_place_of_its_turn() -> None:
    turns = [SpokenTurn(text="Hello."), SpokenTurn(text="I live in Rome."), SpokenTurn(text="I love jazz.")]
    assert [fact.turn for fact in RuleExtractor().extract(turns)] == [1, 2]


def test_what_is_said_twice_in_a_turn_is_one_fact() -> None:
    assert len(said("I love jazz. I love jazz.")) == 1


def test_another_persons_words_after_a_topic_are_not_the_speakers() -> None:
    assert told("母は看護師です。京都に住んでいます。") == []
    assert told("母は京都に住んでいて、寿司が好きです。") == []
    assert told("母は看護師です。私は京都に住んでいます。") == [("user", "lives_in", "京都")]
    assert told("今日は暑いですね。京都に住んでいます。") == [("user", "lives_in", "京都")]
    assert told("我妈妈住在上海，在腾讯工作。") == []


def test_what_is_planned_is_no_fact_yet() -> None:
    assert told("I moved to Osaka next month.") == []
    assert told("来月大阪に引っ越しました。") == []
    assert told("我下个月搬到北京。") == []


@pytest.mark.parametrize(
    "text",
    [
        "Bob: I live in Rome.",
        "    I live in Rome.",
        "\tI live in Rome.",
        "~~~\nI live in Rome.\n~~~",
        "> I live in Rome.",
        "I live in Rome. Just kidding!",
        "We moved to Slack last year.",
        "We moved to AWS in 2020.",
        "I work for Mr. Smith.",
        "I like neither.",
        "The project must be the best by Friday.",
        "妻と京都に住んでいます。",
        "一緒に住んでいます。",
        "我住在北京的时候很开心。",
        "我搬到了隔壁房间。",
        "a | I live in Rome. | b",
        "“Hello. I live in Rome. I love jazz.”",
        "「はい。京都に住んでいます。」",
        "I live in Rome, I think.",
        "I live in Rome, she said.",
        "I live in Rome" + ", and so on" * 100,
    ],
)
def test_what_is_quoted_or_doubted_is_left_out(text: str) -> None:
    assert told(text) == []


def test_prose_around_code_is_read() -> None:
    assert told("I live in Rome.\n```\nI love jazz.\n```\nI hate noise.") == [
        ("user", "lives_in", "Rome"),
        ("user", "dislikes", "noise"),
    ]


def test_an_extractor_of_rules_leaves_documents_to_others() -> None:
    extractor: Extractor = RuleExtractor()
    assert extractor.is_document("# Charter") is None
    assert extractor.extract([]) == []


@given(st.one_of(st.text(max_size=300), st.lists(st.sampled_from(WORDS), max_size=30).map(" ".join)))
def test_any_text_is_read_and_an_object_is_words_of_it_or_a_date(text: str) -> None:
    facts = said(text)
    assert facts == said(text)
    for fact in facts:
        assert fact.object
        assert len(fact.object) <= 80
        assert fact.object in text or DATE.fullmatch(fact.object)
        assert fact.object in fact.content
        assert len(fact.content) <= 300
        assert re.fullmatch(r"[a-z_]+", fact.predicate)


@pytest.mark.parametrize(
    "unit",
    ["I like ", "I ", "a. ", '"a". ', "「", "“", "```\n", "|a", "私は", "我", "。",
     "and I love jazz ", "the ", ": ", "?",
     "\x02", "a, ", "I love jazz. ", "京都に住んでいます。", "A", " "],
)  # fmt: skip
def test_a_hostile_long_text_is_read_to_its_end(unit: str) -> None:
    text = unit * (200_000 // len(unit))  # a quadratic reading would take hours
    assert all(fact.content for fact in said(text))
