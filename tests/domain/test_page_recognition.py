"""Which texts are documents that deserve a page, what they are called, and what they say in a line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks._documents import LABELLED, LATER, Labelled
from karte.domain.page_lines import cut, one_line
from karte.domain.page_recognition import (
    AGAINST,
    FOR,
    MIDDLE_FROM,
    PAGE_FROM,
    SHORT_SCORE,
    doc_type_of,
    recognise,
    summary_of,
    title_of,
)

pytestmark = pytest.mark.requirement("pages.recognition")

POLICY = """# Door Policy

All doors must be locked at night. Visitors shall be accompanied. Keys must not be copied. The keeper of the keys
is responsible for the register of keys, and reports a loss to the office in writing.
"""
PIECES = st.sampled_from(
    [
        "# ",
        "title: ",
        "Article 1 ",
        "第一条 ",
        "must ",
        "不得",
        "I ",
        "today ",
        "?",
        "\n",
        "```",
        "|a|b|",
        "[x](",
        "_",
        "\u200b",
    ]
)
TEXTS = st.one_of(st.text(), st.lists(st.one_of(PIECES, st.text(max_size=8)), max_size=60).map("".join))


def right(texts: list[Labelled]) -> float:
    judged = [(recognise(text.text).band == "page") == text.is_document for text in texts]
    return sum(judged) / len(judged)


@pytest.mark.parametrize("is_held_out", [False, True])
def test_every_labelled_text_is_told_to_be_a_document_or_none(is_held_out: bool) -> None:
    assert right([text for text in LABELLED if text.is_held_out == is_held_out]) == 1.0


def test_documents_that_do_not_say_what_they_are_are_missed_before_talk_is_taken_for_one() -> None:
    assert right([text for text in LATER if not text.is_held_out]) == 1.0
    fresh = [text for text in LATER if text.is_held_out]
    assert right(fresh) >= 7 / 12
    assert not [text.text for text in fresh if not text.is_document and recognise(text.text).band == "page"]


@pytest.mark.parametrize("is_held_out", [False, True])
def test_every_labelled_document_has_its_type_and_title(is_held_out: bool) -> None:
    for text in LABELLED:
        if text.is_document and text.is_held_out == is_held_out:
            assert doc_type_of(text.text) == text.doc_type, text.title
            assert not text.title or title_of(text.text).casefold() == text.title.casefold()


@pytest.mark.parametrize("text", ["", " \n\t", "Password policy: 14 characters must be used.", "規程を読みました"])
def test_a_short_text_is_never_a_page(text: str) -> None:
    found = recognise(text)
    assert found.score <= SHORT_SCORE
    assert found.band == "memory"
    assert "short" in found.reasons


def test_a_document_cut_short_is_no_page_though_it_is_named_and_numbered() -> None:
    found = recognise("# Door Policy\n\nArticle 1 Doors must be locked.\nArticle 2 Keys must not be copied.")
    assert (found.score, found.band, found.doc_type) == (SHORT_SCORE, "memory", "policy")


def test_the_reasons_name_what_moved_the_score_the_heaviest_first() -> None:
    found = recognise(POLICY)
    assert found.band == "page"
    assert found.reasons[:2] == ("+title 0.35", "+wording 0.35")
    amounts = [float(reason.split()[1]) for reason in found.reasons]
    assert amounts == sorted(amounts, reverse=True)


@pytest.mark.parametrize(
    ("added", "reason"),
    [
        ("I lost my key, and I told my boss about it.", "-speaker"),
        ("It was locked yesterday and is open today.", "-day"),
        ("Is it locked? Who has the key?", "-asks"),
        ("Hey, thanks, lol", "-chat"),
        ("2026-03-02 10:11:09 ERROR door\n2026-03-02 10:11:10 INFO door\n2026-03-02 10:11:11 INFO door", "-machine"),
    ],
)
def test_talk_in_a_document_tells_against_it(added: str, reason: str) -> None:
    plain, mixed = recognise(POLICY), recognise(f"{POLICY}\n{added}")
    assert mixed.score < plain.score
    assert any(each.startswith(reason) for each in mixed.reasons)


def test_the_middle_band_holds_what_might_be_a_document() -> None:
    text = "# Storage\n\n" + "The store keeps rows in files and files in folders. " * 12 + "\n\n# Index\n\n# Cache\n"
    found = recognise(text)
    assert MIDDLE_FROM <= found.score < PAGE_FROM
    assert found.band == "middle"


def test_an_orderly_answer_is_neither_a_page_nor_in_the_middle() -> None:
    points = "\n".join(
        f"{n}. Point {n}: something that is useful to know about the subject in general" for n in range(20)
    )
    assert recognise(f"There are several ways to do that:\n\n{points}\n").band == "memory"


def test_what_every_orderly_text_has_does_not_reach_the_middle() -> None:
    assert sum(FOR[name] for name in ("items", "labels", "length", "noun", "impersonal")) < MIDDLE_FROM
    assert all(weight > 0 for weight in (*FOR.values(), *AGAINST.values()))


@pytest.mark.parametrize(
    ("text", "doc_type"),
    [
        ("Security Policy Specification", "spec"),
        ("Procedure for the review of a policy", "sop"),
        ("Rules", "policy"),
        ("安全管理规范", "policy"),
        ("作業手順書", "sop"),
        ("How it is done\n\nStep 1: open it.\nStep 2: close it.\n", "sop"),
        ("SYS-1 open\nSYS-2 close\nSYS-3 lock\n", "spec"),
        ("What we agreed.\n\nThe charter says so. The charter stands.\n", "charter"),
        ("Nothing of that kind", "reference"),
        ("", "reference"),
    ],
)
def test_the_type_is_what_the_title_or_the_text_names(text: str, doc_type: str) -> None:
    assert doc_type_of(text) == doc_type


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("intro line that is no title.\n\n## **Real** `title` #\n", "Real title"),
        ('---\ntitle: "Named"\ntags: a\n---\nText.', "Named"),
        ("Title： 手順書\n本文。", "手順書"),
        ("Door Policy\n\nDoors must be locked.", "Door Policy"),
        ("- an item\n- another\n", "an item"),
        ("Doors must be locked. Keys too.", "Doors must be locked."),
        ("ドアは施錠する。鍵は複製しない。", "ドアは施錠する。"),
        ("1. Open the door, and then wait, because it is slow.", "Open the door, and then wait, because it is slow."),
        ("\u202eA\u200bB\x07\tC\n", "AB C"),
        ("```\n# no title\n```\nReal\n", "Real"),
        ("[Linked](https://example.org/x) snake_case", "Linked snake_case"),
        ("", ""),
        ("\n---\n***\n", ""),
    ],
)
def test_the_title_is_the_heading_or_a_title_line_or_a_short_first_line_or_a_sentence(text: str, title: str) -> None:
    assert title_of(text) == title


def test_a_long_title_is_cut_at_eighty_characters() -> None:
    assert len(title_of("# " + "word " * 100)) == 80
    assert title_of("word " * 100).endswith("…")


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        ("# Door Policy\n\n**All** doors must be [locked](x).\n", "All doors must be locked."),
        ("Door Policy: all doors must be locked at night. Really.", "Really."),
        ("# Only a title\n", ""),
        ("title: Named\nNamed\nThe text.\n", "The text."),
        ("# T\n\n| a | b |\n|---|---|\n\n- one\n- two\n", "one two"),
        ("", ""),
    ],
)
def test_the_summary_says_in_one_line_what_follows_the_title(text: str, summary: str) -> None:
    assert summary_of(text) == summary


def test_a_summary_is_as_short_as_it_is_asked_to_be() -> None:
    text = "# T\n\n" + "word " * 100
    assert [len(summary_of(text, most)) for most in (0, 1, 80)] == [0, 1, 80]
    assert (cut("ab", 2), cut("abc", 2), cut("abc", -1)) == ("ab", "a…", "")


@given(TEXTS)
def test_any_text_gets_the_same_score_between_none_and_one_each_time(text: str) -> None:
    found = recognise(text)
    assert 0.0 <= found.score <= 1.0
    assert found == recognise(text)
    assert found.band == ("page" if found.score >= PAGE_FROM else "middle" if found.score >= MIDDLE_FROM else "memory")


@given(TEXTS)
def test_a_title_and_a_summary_are_one_line_of_at_most_eighty_visible_characters(text: str) -> None:
    for shown in (title_of(text), summary_of(text)):
        assert len(shown) <= 80
        assert shown == one_line(shown)
        assert len(shown.splitlines()) <= 1


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        "\n",
        "# ",
        "[",
        "[a\n",
        "a: ",
        "|",
        "第",
        "1.",
        "?",
        "`",
        "_",
        "*a",
        "\u200b",
        "{\n",
        "  a.b",
        "I ",
        " ",
        "title:",
    ],
)
def test_a_megabyte_of_anything_is_judged_to_its_end(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))  # a quadratic reading would take hours
    assert 0 <= recognise(text).score <= 1
    assert len(summary_of(text)) <= 80
