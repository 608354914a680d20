"""What holds of any mistakes: which go, in which order they are read, and that their text stays data."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from karte.domain.escaping import as_data
from karte.domain.mistakes import Kept, MistakeCategory, MistakeEntry, newest_first, plan_retention
from karte.domain.past_mistakes import LONGEST_BULLET, past_mistakes_markdown
from karte.domain.topics import by_topic, keywords_of, topic_text

SEVERITY = {category: rank for rank, category in enumerate(MistakeCategory)}
WORDS = "time zone 東京 天気 北京 时区 café Straße the not deployTarget 서버 3.5 ```".split()
SIGNS = [
    "\n",
    "#",
    "##",
    "- ",
    "1. ",
    "```",
    "~~~",
    "<b>",
    "</x>",
    "[a](b)",
    "![",
    "](",
    "*",
    "_",
    "|",
    '"',
    "\\",
    "&#35;",
]

categories = st.sampled_from(MistakeCategory)
instants = st.integers(0, 9).map(lambda day: f"2026-05-{day // 3 + 1:02}T{8 * (day % 3):02}:00:00.000000+00:00")
texts = st.one_of(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join),
    st.lists(st.one_of(st.sampled_from(SIGNS), st.text(max_size=4)), min_size=1, max_size=12).map("".join),
    st.text(min_size=1, max_size=400),
)
views = st.lists(st.tuples(categories, instants), max_size=70).map(
    lambda said: [(category, Kept.of(category, at, f"{n:03}")) for n, (category, at) in enumerate(said)]
)
entries = st.lists(
    st.builds(
        MistakeEntry,
        what_went_wrong=texts,
        timestamp=instants,
        category=categories,
        ground_truth=st.none() | texts,
        corrective_insight=st.none() | texts,
    ),
    max_size=8,
)


@pytest.mark.requirement("reflexion.retention")
@given(views, st.integers(0, 60))
def test_what_goes_is_never_more_severe_nor_newer_than_what_stays(
    said: list[tuple[MistakeCategory, Kept]], keep: int
) -> None:
    going = plan_retention([view for _, view in said], keep)
    assert len(going) == len(set(going)) == max(0, len(said) - keep)
    gone = [(SEVERITY[category], view) for category, view in said if view.id in going]
    stays = [(SEVERITY[category], view) for category, view in said if view.id not in going]
    for rank, view in gone:
        assert all(rank > other or (rank == other and view.recorded_at <= kept.recorded_at) for other, kept in stays)


@pytest.mark.requirement("reflexion.retention")
@given(views, st.integers(1, 60))
def test_a_flood_of_mild_mistakes_loses_no_safety_mistake(said: list[tuple[MistakeCategory, Kept]], keep: int) -> None:
    """One after another, as they are noted."""
    unresolved: list[Kept] = []
    for _, view in said:
        unresolved.append(view)
        going = plan_retention(unresolved, keep)
        unresolved = [kept for kept in unresolved if kept.id not in going]
    safety = [view for category, view in said if category is MistakeCategory.SAFETY]
    assert sum(view in unresolved for view in safety) == min(keep, len(safety))


@pytest.mark.requirement("reflexion.order")
@given(entries, st.randoms(use_true_random=False))
def test_the_order_of_reading_is_by_day_then_severity(mistakes: list[MistakeEntry], chance: object) -> None:
    ordered = newest_first(mistakes)
    keys = [(str(mistake.timestamp)[:10], -SEVERITY[mistake.category]) for mistake in ordered]
    assert keys == sorted(keys, reverse=True)
    chance.shuffle(mistakes)  # type: ignore[attr-defined]
    assert [str(m.timestamp) for m in newest_first(mistakes)] == [str(m.timestamp) for m in ordered]


@pytest.mark.requirement("reflexion.topics")
@given(entries, texts, st.integers(0, 5))
def test_a_topic_finds_some_of_the_mistakes_each_once(mistakes: list[MistakeEntry], message: str, limit: int) -> None:
    noted = [(mistake, topic_text(mistake)) for mistake in mistakes]
    keywords = keywords_of(message)
    hits = by_topic(keywords, noted, limit)
    assert len(hits) <= limit
    assert all(hits.count(hit) <= mistakes.count(hit) for hit in hits)
    assert [topic_text(hit) for hit in by_topic(keywords, noted[::-1], limit)] == [topic_text(hit) for hit in hits] or (
        len({(str(m.timestamp), m.category) for m in mistakes}) < len(mistakes)
    )


# ----------------------------------------------------------------------------------------- what a Markdown reader sees


def tokens_of(tokens: list[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from tokens_of(token.children or [])


HARMLESS = {
    "heading_open", "heading_close", "paragraph_open", "paragraph_close", "bullet_list_open", "bullet_list_close",
    "list_item_open", "list_item_close", "inline", "text", "text_special",
}  # fmt: skip


@pytest.mark.requirement("reflexion.section")
@given(entries)
def test_stored_text_begins_nothing_and_ends_nothing(mistakes: list[MistakeEntry]) -> None:
    section = past_mistakes_markdown(mistakes)
    lines = section.splitlines()
    assert len(lines) == (4 + len(mistakes) if mistakes else 0), "one line a bullet"
    assert all(line.startswith("- Past mistake (") and len(line) <= LONGEST_BULLET for line in lines[4:])
    parsed = list(tokens_of(MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(section)))
    kinds = [token.type for token in parsed]
    assert set(kinds) <= HARMLESS
    assert kinds.count("heading_open") == bool(mistakes)
    assert kinds.count("list_item_open") == len(mistakes)


@pytest.mark.requirement("reflexion.section")
@given(texts, st.integers(1, 300))
def test_data_at_the_beginning_of_a_line_is_a_paragraph(text: str, most: int) -> None:
    data = as_data(text, most)
    assert len(data) <= most
    assert "\n" not in data
    parsed = list(tokens_of(MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(data)))
    assert {token.type for token in parsed} <= HARMLESS - {"heading_open", "list_item_open", "bullet_list_open"}
