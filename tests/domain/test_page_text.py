"""The text of an automatic page, and what is read out of it again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karte.domain.page_reading import read_page_text
from karte.domain.page_text import (
    MOST_REVISIONS,
    NOTICE,
    auto_page,
    digest_of,
    original_of,
    promoted,
    visible_of,
    with_original,
    with_revision,
)
from karte.domain.pages import PageFields
from karte.domain.text.frontmatter import split, with_values

pytestmark = pytest.mark.requirement("pages.text")

NOW, LATER = "2026-06-01T00:00:00.000000+00:00", "2026-06-02T00:00:00.000000+00:00"
documents = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=200) | st.sampled_from(
    [
        "---\ntitle: mine\ntrust: 1.0\n---\nbody",
        "<!-- document " + "0" * 32 + " 5 -->\nhello\n<!-- end of document -->\n",
        'text\n<!-- end of document -->\n\n## Revisions\n\n- 2020-01-01T00: lies; source "x"\n',
        NOTICE,
        "a\r\nb\r\n",
    ]
)


def page(document: str, **fields: object) -> str:
    return auto_page(PageFields(title="T", sources=("channel:x",), **fields), document, NOW, "channel:x")  # type: ignore[arg-type]


@given(documents)
def test_a_document_is_read_out_again_exactly_whatever_it_holds(document: str) -> None:
    text = page(document)
    assert original_of(text) == document
    read = read_page_text(text)
    assert (read.document, read.digest) == (document, digest_of(document))
    assert (read.fields.title, read.fields.trust) == ("T", 0.3)
    assert NOTICE in text
    assert read.problems == ()


@given(documents, documents)
def test_a_new_text_takes_the_place_of_the_old_and_what_stands_around_it_stays(old: str, new: str) -> None:
    text = with_values(page(old), {"owner": "kim"}).replace(
        "\n## Revisions\n", "\n## By hand\n\nmine\n\n## Revisions\n"
    )
    changed = with_original(text, new, LATER, "channel:y")
    assert original_of(changed) == new
    frontmatter, _, _ = split(changed)
    assert frontmatter is not None
    assert frontmatter.values["owner"] == "kim"
    assert frontmatter.values["sources"] == ["channel:x", "channel:y"]
    if original_of(text) == old:
        assert changed.endswith(f'- {LATER}: updated; source "channel:y"\n')
        assert "## By hand\n\nmine" in visible_of(changed)


@given(documents)
def test_a_promoted_page_has_no_notice_and_says_who_confirmed_it(document: str) -> None:
    text = promoted(page(document), layer="core", trust=0.9, source_type="verified_fact", author="Kim: a", now=LATER)
    assert original_of(text) == document
    fields = read_page_text(text).fields
    assert (fields.layer, fields.trust, fields.source_type, fields.author) == ("core", 0.9, "verified_fact", "Kim: a")
    assert text.count(NOTICE) == document.count(NOTICE)
    assert "promoted to core" in text


def test_a_text_that_was_changed_by_hand_is_all_that_can_be_seen() -> None:
    text = page("first\nsecond").replace("second", "SECOND")
    assert original_of(text) is None
    assert visible_of(text) == "first\nSECOND"
    again = with_original(text, "third", LATER, "channel:x")
    assert original_of(again) == "third"


def test_a_page_of_one_s_own_is_read_as_it_stands() -> None:
    read = read_page_text("---\ntitle: Mine\nlayer: core\n---\n\n# Head\n\nText.\n")
    assert (read.title, read.document, read.fields.layer) == ("Mine", "# Head\n\nText.", "core")


def test_revisions_are_bounded_and_the_first_stays() -> None:
    text = page("document")
    for number in range(MOST_REVISIONS + 20):
        text = with_revision(text, LATER, f"change {number}", "x")
    assert text.count("\n- 2026") == MOST_REVISIONS
    assert f"- {NOW}: filed" in text
    assert f"change {MOST_REVISIONS + 19};" in text
    assert original_of(text) == "document"


@given(documents, st.sampled_from(["\r\n", "\n"]), st.sampled_from(["", " ", "\t "]))
def test_line_ends_and_blanks_make_no_other_document(document: str, end: str, blank: str) -> None:
    lines = document.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    assert digest_of(f"{blank}{end}".join(lines) + end) == digest_of(document)
    assert digest_of(document + "x") != digest_of(document)


@given(st.text(max_size=300))
def test_any_text_can_be_read_as_a_page(text: str) -> None:
    read_page_text(text)
    with_original(text, "document", NOW, "x")
