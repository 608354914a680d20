"""Front matter: read safely, and changed line by line."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from karte.domain.text.frontmatter import LONGEST_BLOCK, split, with_values

pytestmark = pytest.mark.requirement("pages.frontmatter")

PAGE = """---
# written by kim
title: "Deploying: the shop"   # as on the wall
owner: kim
trust: 0.300
tags:
  - deploy
  - shop
seen: {by: [kim, lee]}
---

# Body

---
not front matter
"""

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)


def test_what_is_read_is_what_yaml_says_and_the_body_is_what_follows() -> None:
    found, body, problem = split(PAGE)
    assert problem is None
    assert found is not None
    assert found.values["title"] == "Deploying: the shop"
    assert found.values["tags"] == ["deploy", "shop"]
    assert body == PAGE.split("---\n", 2)[2]
    assert split("no front matter\n---\n") == (None, "no front matter\n---\n", None)


def test_only_the_lines_of_what_changes_are_touched() -> None:
    changed = with_values(PAGE, {"trust": 0.9, "tags": ["a", "b: c"], "layer": "core"})
    assert "trust: 0.900\n" in changed
    assert 'tags: ["a", "b: c"]\n' in changed
    assert "layer: core\n---\n" in changed
    for line in ("# written by kim", 'title: "Deploying: the shop"   # as on the wall', "seen: {by: [kim, lee]}"):
        assert f"{line}\n" in changed
    assert changed.endswith(PAGE.split("---\n", 2)[2])
    assert "owner" not in with_values(PAGE, {"owner": None})
    assert with_values(PAGE, {"nothing": None}) == PAGE


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("---\ntitle: [broken\n---\nbody\n", "broken"),
        ("---\ntitle: a\n", "without an end"),
        ("---\na: &x 1\nb: *x\n---\n", "anchors"),
        ("---\na: !!python/object:os.system x\n---\n", "tags"),
        ("---\n- a\n- b\n---\n", "no list of keys"),
        ("---\ntitle: a\ntitle: b\n---\n", "twice"),
        ("---\na: 2026-13-45\n---\n", ""),
        ("---\n" + "a: b\n" * LONGEST_BLOCK + "---\n", "without an end"),
    ],
)
def test_what_is_broken_is_told_and_never_raised(text: str, word: str) -> None:
    _, _, problem = split(text)
    assert word in (problem or "")


def test_a_mark_at_the_beginning_and_line_ends_of_another_system_stay() -> None:
    text = "\ufeff---\r\ntitle: a\r\n---\r\nbody\r\n"
    changed = with_values(text, {"trust": 0.5})
    assert changed == "\ufeff---\r\ntitle: a\r\ntrust: 0.500\r\n---\r\nbody\r\n"


@pytest.mark.parametrize(
    ("block", "words", "line"),
    [
        ("title: a\ntags: [b\n", "expected ',' or ']'", 4),
        ("title: é\nowner: \x1b[31mkim\n", "U+001B", 3),
        ("owner: kim\n\nseen: 2026-13-45\n", "month must be in", 4),
        ("owner: kim\n# noon\nseen: 2026-01-01T99:00:00\n", "hour must be in", 4),
        ("title: a: b\n", "mapping values", 2),
    ],
)
def test_what_is_wrong_is_told_with_the_line_of_the_file_where_it_stands(block: str, words: str, line: int) -> None:
    _, _, problem = split(f"---\n{block}---\nbody\n")
    assert problem is not None
    assert words in problem
    assert problem.endswith(f"in line {line}")


def test_a_line_end_of_another_system_in_the_body_changes_nothing_in_the_front_matter() -> None:
    for text in ("body\none\r\nline\n", "---\ntitle: a\n---\none\r\nline\r\n", "---\na: b\r\nc: d\n---\nbody\n"):
        changed = with_values(text, {"trust": 0.5, "layer": "core"})
        assert "trust: 0.500\nlayer: core\n" in changed
    assert with_values("one\r\ntwo\n", {"trust": 0.5}).startswith("---\r\ntrust: 0.500\r\n---\r\n\r\none")
    assert with_values("body", {"trust": 0.5}).startswith("---\ntrust")


@given(
    st.dictionaries(
        st.sampled_from(["title", "author", "tags", "sources", "layer"]), texts | st.lists(texts, max_size=4)
    ),
    texts,
)
def test_what_is_written_is_read_back_and_the_body_stays(values: dict[str, str | list[str]], body: str) -> None:
    written = with_values(f"---\nkept: yes # so\n---\n{body}", values)
    found, rest, problem = split(written)
    assert problem is None
    assert found is not None
    assert rest == body
    assert {name: found.values[name] for name in values} == values
    assert "kept: yes # so\n" in written


@given(texts, st.text("ab:-#\n \t'\"[]{}&*!|>%\x85\u2028", max_size=120))
def test_no_text_breaks_reading_or_writing(title: str, block: str) -> None:
    for text in (block, f"---\n{block}\n---\n", f"---\n{block}"):
        split(text)
        again, _, _ = split(with_values(text, {"title": title}))
        if again is not None and again.values:
            assert again.values["title"] == title


@given(
    st.dictionaries(st.from_regex(r"x[a-z_]{1,8}", fullmatch=True), st.integers() | texts | st.booleans(), max_size=5)
)
def test_keys_that_nobody_here_knows_survive_any_rewrite(unknown: dict[str, object]) -> None:
    block = yaml.safe_dump(unknown, allow_unicode=True) if unknown else ""
    text = f"---\n{block}title: a\n---\nbody\n"
    changed = with_values(with_values(text, {"trust": 0.9, "title": "b: c"}), {"trust": 0.1, "status": None})
    assert block in changed
