"""Links between pages, and what is wrong with pages."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karte.domain.knowledge_pages import KnowledgePage
from karte.domain.page_likeness import duplicate_candidates, likeness
from karte.domain.page_links import MOST_LINKS, PageLink, backlinks, links_of, mermaid
from karte.domain.page_lint import Linted, lint
from karte.domain.page_names import PagePath
from karte.domain.pages import DocType, PageFields, fields_of, page_score, source_factor

HERE = PagePath(doc_type=DocType.SPEC, slug="here")
BODY = """
See [the policy](../policy/access.md#who), [same](other.md "title"), [[auto/sop/deploy]] and [[sop/build|Build]].
A [reference][ref] and [short], [out](https://example.org/a), [up](../../../etc/passwd), [mail](mailto:a@b).

[ref]: ../charter/mission.md
[short]: <auto/spec/short.md>

```
[no](code.md)
```
And `[no](span.md)` <!-- [no](comment.md) --> [here](#anchor).
"""


def pages_of(text: str, *related: str) -> list[str]:
    return [link.target for link in links_of(text, related, HERE) if link.is_page]


@pytest.mark.requirement("pages.links")
def test_links_are_found_in_all_their_forms_and_confined() -> None:
    assert pages_of(BODY, "auto/spec/related.md", "policy/access") == [
        "auto/spec/related.md",
        "auto/policy/access.md",
        "auto/spec/other.md",
        "auto/sop/deploy.md",
        "auto/sop/build.md",
        "auto/charter/mission.md",
        "auto/spec/short.md",
    ]
    outside = {link.target for link in links_of(BODY, (), HERE) if not link.is_page}
    assert outside == {"https://example.org/a", "../../../etc/passwd", "mailto:a@b"}


@pytest.mark.requirement("pages.links")
def test_links_are_turned_round_and_drawn_with_no_title_breaking_out() -> None:
    links = {
        "auto/spec/a.md": (PageLink(target="auto/spec/b.md", is_page=True),),
        "auto/spec/b.md": (PageLink(target="https://example.org", is_page=False),),
    }
    assert backlinks(links) == {"auto/spec/a.md": (), "auto/spec/b.md": ("auto/spec/a.md",)}
    drawn = mermaid({"auto/spec/a.md": 'A"] --> X\nclick p0 "javascript:x"', "auto/spec/b.md": "<b>"}, links)
    assert drawn.splitlines()[0] == "flowchart LR"
    assert len(drawn.splitlines()) == 4
    assert "    p0 --> p1" in drawn
    assert not set("<>:") & set(drawn.replace("-->", ""))
    assert '"] --> X' not in drawn


@pytest.mark.requirement("pages.links")
@given(st.text("[]()<>!`\\/.-a:#\n \"'", max_size=200))
def test_no_text_breaks_the_reading_of_links(text: str) -> None:
    for link in links_of(text, [text], HERE):
        assert not link.is_page or link.target.startswith("auto/")


@pytest.mark.requirement("pages.links")
@pytest.mark.parametrize("part", ["<!--", "[a](", "`", "[[", "[a][b]", "```\n", "](x", "[a]: b\n"])
def test_a_hostile_page_of_a_million_letters_is_read_to_its_end(part: str) -> None:
    text = part * (1_000_000 // len(part))
    assert len(links_of(text, (), HERE)) <= MOST_LINKS  # a quadratic reading would take hours


@pytest.mark.requirement("pages.links")
def test_pages_that_may_be_one_document_are_told_and_others_are_not() -> None:
    text = " ".join(f"The word{n} of the procedure is kept." for n in range(80))
    pages = {"a": text, "b": text + " One sentence more is here.", "c": "Nothing of the kind stands in this page."}
    ((left, right, share),) = duplicate_candidates(pages)
    assert (left, right) == ("a", "b")
    assert share > 0.9
    assert likeness(text, text) == 1
    assert likeness(text, "something else entirely here") < 0.1
    assert likeness("情報は承認なく持ち出してはならない。", "情報は承認なく持ち出してはならない。") == 1


def page(path: str, **fields: object) -> KnowledgePage:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    given_ = {
        "title": path, "doc_type": "spec", "summary": "", "layer": "context", "trust": 0.3, "state": "live",
        "source_type": "raw_dialogue", "origin": "channel", "created": at, "updated": at,
    } | fields  # fmt: skip
    return KnowledgePage(path=path, **given_)  # type: ignore[arg-type]


@pytest.mark.requirement("pages.lint")
def test_what_is_wrong_is_told_by_page_and_rule() -> None:
    a, b, c = "auto/spec/a.md", "auto/spec/b.md", "auto/spec/c.md"
    links = (PageLink(target=c, is_page=True), PageLink(target="auto/spec/none.md", is_page=True))
    found = lint(
        [
            Linted(page=page(a), fields=PageFields(trust=1.0, layer="core"), problems=["trust is odd"], links=links),
            Linted(page=page(b, title=a, state="broken", problem="it is not UTF-8"), has_changed=True),
            Linted(page=page(c, state="archived")),
            Linted(page=page("auto/spec/d.md", state="flagged")),
            Linted(page=page("auto/spec/e.md", state="held")),
            Linted(page=page("auto/spec/f.md")),
        ],
        [(a, b, 0.95)],
        {"x/auto/spec/ODD.md": "no page can have this name"},
    )
    rules = {(finding.path, finding.rule) for finding in found}
    assert rules == {
        (a, "claimed-trust"),
        (a, "claimed-layer"),
        (a, "front-matter"),
        (a, "broken-link"),
        (a, "link-to-archived"),
        (a, "duplicate"),
        (b, "unusable-file"),
        (b, "same-title"),
        (b, "changed-since-promotion"),
        ("auto/spec/d.md", "flagged"),
        ("auto/spec/e.md", "no-pointer"),
        ("auto/spec/f.md", "orphan"),
        ("x/auto/spec/ODD.md", "stray-file"),
    }
    assert all(finding.says for finding in found)
    assert lint([Linted(page=page(a), fields=PageFields())]) == ()


@pytest.mark.requirement("pages.score")
def test_the_score_weighs_trust_and_source_type() -> None:
    factors = {
        "verified_fact": 1.2,
        "user_statement": 1.0,
        "tool_output": 0.9,
        "raw_dialogue": 0.6,
        "x": 0.8,
        None: 0.8,
    }
    for kind, factor in factors.items():
        assert source_factor(kind) == factor
        assert page_score(2.0, 0.3, kind) == pytest.approx(2.0 * 0.8 * factor)


@pytest.mark.requirement("pages.frontmatter")
def test_a_field_that_cannot_be_meant_falls_back_alone_and_is_named() -> None:
    values = {
        "title": " A\n B ",
        "trust": float("nan"),
        "layer": "top",
        "tags": [1],
        "source_type": "gut",
        "author": "Kim",
    }
    fields, problems = fields_of(values)
    assert (fields.title, fields.trust, fields.layer, fields.tags, fields.author) == ("A B", 0.3, "context", (), "Kim")
    assert fields.source_type == "gut"
    assert sorted(problem.split()[0] for problem in problems) == ["layer", "source_type", "tags", "trust"]
    assert fields_of({"trust": True})[1] == ["trust is no number from 0 to 1"]
    assert fields_of({}) == (PageFields(), [])
