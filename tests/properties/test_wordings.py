"""Whatever is said, purged and undone, a rule tells no wording that was taken back, and the last that was not."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from karte import Karte

pytestmark = pytest.mark.requirement("reflexion.never-lost", "reflexion.poison")

SOURCES = ("channel:a", "user_direct", "agent_derived")
AUTHORS = ("user_direct:kim", "operator", "agent_derived:z")
steps = st.one_of(
    st.tuples(st.just("mistake"), st.sampled_from(SOURCES)),
    st.tuples(st.just("word"), st.sampled_from(AUTHORS)),
    st.tuples(st.just("purge"), st.sampled_from([*SOURCES, *AUTHORS])),
    st.tuples(st.just("undo"), st.integers(0, 5)),
)


THREE = [("mistake", "user_direct")] * 3
TWO_WORDINGS: list[tuple[str, object]] = [*THREE, ("word", "operator"), *THREE, ("word", "user_direct:kim"), *THREE]


@settings(max_examples=60)
@example([*TWO_WORDINGS, ("purge", "user_direct:kim")])
@example([*TWO_WORDINGS, ("purge", "user_direct:kim"), ("undo", 0)])
@example([*TWO_WORDINGS, ("purge", "operator"), ("purge", "user_direct:kim")])
@given(st.lists(steps, min_size=4, max_size=24))
def test_the_last_wording_that_stands_is_told_and_none_that_was_taken_back(history: list[tuple[str, object]]) -> None:
    words: dict[int, str] = {}
    lessons: dict[int, str] = {}
    purges: list[tuple[str, str, int]] = []
    with tempfile.TemporaryDirectory() as folder, Karte(Path(folder) / "memory.db") as memory:
        for number, (step, detail) in enumerate(history):
            match step:
                case "mistake":
                    memory.record_mistake(
                        f"wrong{number}", corrective_insight=f"lesson{number}x", category="safety", origin=str(detail)
                    )
                    lessons[number] = str(detail)
                case "word" if rules := memory.list_rules():
                    memory.edit_rule(rules[0].id, f"wording{number}x", origin=str(detail))
                    words[number] = str(detail)
                case "purge":
                    done = memory.invalidate_by_origin(str(detail))
                    purges.append((str(done.operation_id), str(detail), number))
                case "undo" if purges and isinstance(detail, int):
                    memory.undo_operation(purges.pop(detail % len(purges))[0])
        memory.maybe_consolidate("safety", 1)
        text = " ".join(rule.content for rule in memory.list_rules())
    gone = {
        number
        for number, origin in (words | lessons).items()
        if any(origin == purged and number < at for _, purged, at in purges)
    }
    told = {number for number in (words | lessons) if f"wording{number}x" in text or f"lesson{number}x" in text}
    assert not told & gone
    standing = sorted(words.keys() - gone)
    if standing and text:
        assert standing[-1] in told
    if not words:
        assert told == lessons.keys() - gone
