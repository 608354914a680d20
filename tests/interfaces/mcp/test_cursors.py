"""Cursors lead back to where a page ended, and nowhere else."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karte.domain.model import Memory, SearchHit
from karte.errors import InvalidInput
from karte.interfaces.mcp.cursors import KEPT_LETTERS, KEPT_WALKS, LONGEST_CURSOR, Walk, Walks, make_cursor, read_cursor

pytestmark = pytest.mark.requirement("mcp.bounded-replies")

ASKED: dict[str, Any] = {"tool": "memory_search", "agent": "default", "query": "東京 \x00"}


@given(st.lists(st.integers(0, 10**9) | st.text("0123456789abcdef", max_size=8), max_size=3))
def test_a_cursor_leads_back_to_its_position(position: list[int | str]) -> None:
    cursor = make_cursor(ASKED, position)
    assert read_cursor(ASKED, cursor) == position
    assert len(cursor) <= LONGEST_CURSOR
    assert cursor.replace("-", "").replace("_", "").isalnum()


@pytest.mark.parametrize("changed", [{"tool": "memory_read"}, {"agent": "eve"}, {"query": "kyoto"}, {"limit": 5}])
def test_a_cursor_of_another_question_is_refused(changed: dict[str, object]) -> None:
    with pytest.raises(InvalidInput) as raised:
        read_cursor({**ASKED, **changed}, make_cursor(ASKED, [1]))
    assert raised.value.field == "cursor"


@given(st.text(max_size=60))
def test_what_is_no_cursor_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        read_cursor(ASKED, text)


@given(st.integers(0, 200), st.characters())
def test_a_changed_cursor_is_refused(place: int, letter: str) -> None:
    cursor = make_cursor(ASKED, ["abcdef", 12, 300])
    i = place % len(cursor)
    changed = cursor[:i] + letter + cursor[i + 1 :]
    if changed != cursor:
        with pytest.raises(InvalidInput):
            read_cursor(ASKED, changed)


def walk(count: int, content: str = "x", *, is_as_of: bool = True) -> Walk:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    hits = [
        SearchHit(memory=Memory(id=str(i), agent_id="a", content=content, timestamp=at), score=1.0)
        for i in range(count)
    ]
    return Walk(tuple(hits), is_as_of=is_as_of)


def test_a_walk_can_be_had_again_until_too_many_came_after() -> None:
    walks = Walks("salt")
    names = [walks.keep(walk(2)) for _ in range(KEPT_WALKS)]
    assert len(set(names)) == KEPT_WALKS
    assert walks.get(names[0]) == walk(2)
    walks.keep(walk(1))
    assert walks.get(names[0]) == walk(2)  # used last, so the second is the oldest
    with pytest.raises(InvalidInput, match="expired"):
        walks.get(names[1])


def test_walks_take_a_bounded_amount_of_memory() -> None:
    walks = Walks("salt")
    first = walks.keep(walk(1, "x" * (KEPT_LETTERS // 2 + 1)))
    second = walks.keep(walk(1, "x" * (KEPT_LETTERS // 2 + 1)))
    assert len(walks.get(second).hits) == 1
    with pytest.raises(InvalidInput):
        walks.get(first)


def test_a_walk_of_what_is_true_now_keeps_no_contents() -> None:
    walks = Walks("salt")
    kept = walks.get(walks.keep(walk(3, "x" * 1_000, is_as_of=False)))
    assert kept.letters == 0
    assert [hit.memory.id for hit in kept.hits] == ["0", "1", "2"]


def test_a_walk_of_another_process_is_unknown() -> None:
    with pytest.raises(InvalidInput):
        Walks("one").get(Walks("two").keep(walk(1)))
