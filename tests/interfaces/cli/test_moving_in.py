"""Taking in conversations: each turn once, through the guard, and every bad part named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.interfaces.cli.conftest import Karte

pytestmark = pytest.mark.requirement("import.conversations")

LINES = [
    {"session": "s1", "turn": 1, "speaker": "Ann", "text": "I moved to Lisbon", "time": "2025-03-01T10:00:00Z"},
    {"session": "s1", "turn": 2, "role": "assistant", "content": "How is the weather there?"},
]


def write(path: Path, *more: object) -> None:
    path.write_text("".join(json.dumps(line) + "\n" for line in [*LINES, *more]), encoding="utf-8")


def test_a_conversation_is_taken_in_once(karte: Karte, tmp_path: Path) -> None:
    write(tmp_path / "chat.jsonl")
    done = karte("import", "chat.jsonl")
    assert (done.code, done.out, done.err) == (0, "2 stored; 1 session; origin import:chat\n", "")
    write(tmp_path / "chat.jsonl", {"session": "s1", "turn": 3, "speaker": "Ann", "text": "Windy"})
    assert karte("import", "chat.jsonl").out == "1 stored, 2 known; 1 session; origin import:chat\n"
    memory = karte("--json", "search", "Lisbon").data["memories"][0]
    assert memory["content"] == "Ann: I moved to Lisbon"
    assert memory["metadata"] == {"session": "s1", "turn": 1, "speaker": "Ann"}
    assert memory["timestamp"].startswith("2025-03-01T10:00:00")
    assert (memory["origin"], memory["source_event"]) == ("import:chat", "chat:s1")


def test_what_cannot_be_used_is_named_and_the_rest_kept(karte: Karte, tmp_path: Path) -> None:
    write(tmp_path / "chat.jsonl", {"session": "s1"}, {"text": "when?", "time": "no time"})
    done = karte("import", "chat.jsonl")
    assert done.code == 2
    assert "2 stored, 2 refused" in done.out
    assert "line 3: " in done.err
    assert "line 4: " in done.err
    data = karte("--json", "import", "chat.jsonl").data
    assert (data["stored"], data["known"], data["refused"]) == (0, 2, 2), "what was kept is told beside the code"


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("chat.json", "[]", ""),
        ("chat.json", '{"messages": []}', ""),
        ("chat.json", '[{"mapping": {}, "id": "c"}]', ""),
        ("chat.json", "", "not a list"),
        ("chat.jsonl", "I live in Kyoto.\n", "line 1: not JSON"),
        ("chat.json", '[{"text": " "}]', "turn 1: an empty text"),
    ],
)
def test_a_file_without_a_turn_is_2_and_names_itself_and_what_to_give_instead(
    karte: Karte, tmp_path: Path, name: str, content: str, problem: str
) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    done = karte("--json", "import", name)
    assert (done.code, done.out) == (2, "")
    assert done.error["message"] == f"{name} holds no turn that can be used"
    assert "ChatGPT" in done.error["remedy"]
    assert problem in done.err


def test_a_speaker_is_named_without_escape_sequences_and_the_text_keeps_its_own(karte: Karte, tmp_path: Path) -> None:
    write(tmp_path / "chat.jsonl", {"speaker": "\x1b[31mKen\x1b[0m", "text": "I \x1b[1mlike\x1b[0m tea"})
    assert karte("import", "chat.jsonl").code == 0
    (memory,) = karte("--json", "search", "tea").data["memories"]
    assert (memory["metadata"]["speaker"], memory["content"]) == ("Ken", "Ken: I \x1b[1mlike\x1b[0m tea")


def test_another_agent_may_take_in_the_same_file(karte: Karte, tmp_path: Path) -> None:
    write(tmp_path / "chat.jsonl")
    karte("import", "chat.jsonl")
    assert karte("--agent", "other", "import", "chat.jsonl").out.startswith("2 stored")


def test_an_export_of_ours_is_only_restored_when_it_is_asked_for(karte: Karte, tmp_path: Path) -> None:
    karte("add", "tea at five")
    karte("export", "--out", "mine.jsonl")
    refused = karte("--db", "new.db", "import", "mine.jsonl")
    assert refused.code == 2
    assert "--restore" in refused.err
    assert karte("--db", "new.db", "import", "--restore", "mine.jsonl").code == 0
    assert "tea at five" in karte("--db", "new.db", "search", "tea").out
