"""Conversation files: what is a turn is read, what is none is named, whatever else the file holds."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karte.domain.conversations import Conversations, Turn, Unusable, read_conversations

pytestmark = pytest.mark.requirement("import.conversations")

ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                "session turns messages text content role speaker time turn mapping message parent parts author "
                "current_node id uuid chat_messages sender create_time".split()
            )
            | st.text(max_size=3),
            inner,
            max_size=6,
        )
    ),
    max_leaves=25,
)


def read(value: object) -> Conversations:
    return read_conversations(json.dumps(value), name="file")


def turns(found: Conversations) -> list[Turn]:
    return [part for part in found.parts if isinstance(part, Turn)]


def problems(found: Conversations) -> list[tuple[str, str]]:
    return [(part.where, part.why) for part in found.parts if isinstance(part, Unusable)]


def node(parent: str | None, role: str, text: str, at: float = 1.0, **more: Any) -> dict[str, Any]:
    content = {"content_type": "text", "parts": [text]}
    return {"parent": parent, "message": {"author": {"role": role}, "content": content, "create_time": at, **more}}


def test_of_a_tree_the_branch_of_the_current_message_is_taken() -> None:
    mapping = {
        "root": {"parent": None, "message": None},
        "sys": node("root", "system", "be kind"),
        "a": node("sys", "user", "Where is Ken?"),
        "b": node("a", "assistant", "In Osaka.", 2.0),
        "b2": node("a", "assistant", "In Kyoto.", 3.0),
        "t": node("b2", "tool", "ran"),
    }
    told = {"id": "c1", "title": "Ken", "current_node": "t", "mapping": mapping}
    found = read([told])
    assert found.source == "chatgpt"
    assert [(turn.text, turn.turn, turn.speaker) for turn in turns(found)] == [
        ("Where is Ken?", 1, "user"),
        ("In Kyoto.", 2, "assistant"),
    ]
    assert turns(found)[0].metadata == {"session": "c1", "turn": 1, "speaker": "user", "title": "Ken"}
    del told["current_node"]
    assert turns(read([told]))[0].text == "Where is Ken?"


def test_a_branch_that_runs_in_a_circle_ends() -> None:
    mapping = {"a": node("b", "user", "one"), "b": node("a", "assistant", "two")}
    found = read({"id": "c", "current_node": "b", "mapping": mapping})
    assert [turn.text for turn in turns(found)] == ["one", "two"]


def test_an_export_of_claude_is_read_message_by_message() -> None:
    messages = [
        {"uuid": "m1", "sender": "human", "text": "Hello", "created_at": "2026-01-02T03:04:05Z"},
        {"uuid": "m2", "sender": "assistant", "text": "", "content": [{"type": "text", "text": "Hi"}]},
        "broken",
        {"uuid": "m4", "sender": "human", "text": 7},
    ]
    found = read([{"uuid": "c", "name": "Greeting", "chat_messages": messages}])
    assert found.source == "claude"
    assert [(turn.text, turn.time) for turn in turns(found)] == [("Hello", "2026-01-02T03:04:05Z"), ("Hi", None)]
    assert problems(found) == [
        ("conversation 1, message 3", "not an object"),
        ("conversation 1, message 4", "no text"),
    ]


def test_lines_that_are_no_turns_are_named_and_the_others_kept() -> None:
    lines = ['{"session": 3, "speaker": "Ann", "text": "I moved"}', "{", "[]", '{"text": " "}', '{"content": "bare"}']
    found = read_conversations("\n".join(lines), name="notes")
    assert [(turn.content, turn.session) for turn in turns(found)] == [("Ann: I moved", "3"), ("bare", "notes")]
    assert problems(found) == [("line 2", "not JSON"), ("line 3", "not an object"), ("line 4", "an empty text")]


@pytest.mark.parametrize(
    ("time", "read_as"),
    [
        ("1686000000", 1686000000.0),
        (" 1686000000.5 ", 1686000000.5),
        ("1686000000123", 1686000000.123),
        (1686000000123, 1686000000.123),
        (1686000000, 1686000000),
        ("20260511", "20260511"),
        ("202605111200", "202605111200"),
        ("2026", "2026"),
        ("2026-05-11", "2026-05-11"),
    ],
)
def test_a_time_may_be_a_number_as_text_and_in_milliseconds(time: object, read_as: object) -> None:
    assert [turn.time for turn in turns(read([{"text": "x", "time": time}]))] == [read_as]


def test_content_in_parts_is_the_texts_among_them() -> None:
    parts = [{"type": "text", "text": "No."}, {"type": "image_url", "image_url": {}}, {"type": "text", "text": "Yes."}]
    found = read([{"role": "user", "content": parts}, {"role": "user", "content": [{"type": "image_url"}]}])
    assert [turn.text for turn in turns(found)] == ["No.\n\nYes."]
    assert problems(found) == [("turn 2", "an empty text")]


def test_a_turn_of_a_session_is_named_by_both() -> None:
    found = read([{"session": "a", "turns": [{"text": "x"}]}, {"messages": [{"text": "y"}, {"speaker": "Ann"}, 7]}])
    assert problems(found) == [("session 2, turn 2", "no text"), ("session 2, turn 3", "not an object")]


def test_an_export_of_ours_is_told_apart() -> None:
    assert (
        read_conversations('{"karte_export": 1, "scope": {}}\n{"table": "x", "row": {}}\n', name="f").source == "karte"
    )


TURNS = st.fixed_dictionaries(
    {"text": st.text(min_size=1).filter(str.strip)},
    optional={
        "session": st.sampled_from(["a", "b"]),
        "speaker": st.sampled_from(["Ann", "user"]),
        "time": st.floats(0),
    },
)


@given(st.lists(TURNS, max_size=8), st.lists(TURNS, max_size=3))
def test_ids_are_all_different_and_stay_when_the_file_grows(said: list[Any], more: list[Any]) -> None:
    before = [turn.id for turn in turns(read(said))]
    after = [turn.id for turn in turns(read(said + more))]
    assert len(before) == len(said)
    assert len(set(after)) == len(after)
    assert after[: len(before)] == before


@given(ANY_JSON)
def test_any_json_is_read_or_named(value: object) -> None:
    for part in read(value).parts:
        assert part.where


@given(st.text())
def test_any_text_is_read_or_named(text: str) -> None:
    read_conversations(text, name="file")
