"""Distilling a file: what can be used is, what cannot is named, and a file without a conversation is an error."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.interfaces.cli.conftest import Karte
from tests.service.model_server import ModelServer, fact, tells

pytestmark = pytest.mark.requirement("pages.distill")

GOOD = {"speaker": "ken", "text": "I live in Kyoto.", "time": "2026-05-11"}


@pytest.mark.parametrize(
    ("bad", "word"),
    [
        ({**GOOD, "time": "soon"}, "time"),
        ({**GOOD, "time": 5}, "time"),
        ({**GOOD, "time": [1]}, "time"),
        ({**GOOD, "time": ""}, "time"),
        ({**GOOD, "text": "half a letter \ud83d"}, "text"),
        ({**GOOD, "text": "x" * 1_000_001}, "text"),
        ({**GOOD, "speaker": "k" * 20_000}, "speaker"),
        ({**GOOD, "speaker": ["ken"]}, "speaker"),
        ({**GOOD, "text": None}, "no text"),
    ],
)
def test_a_turn_that_cannot_be_used_is_named_and_loses_no_other(
    karte: Karte, tmp_path: Path, bad: object, word: str
) -> None:
    turns = [GOOD, bad, {"speaker": "ann", "text": "I work at Acme."}]
    (tmp_path / "chat.json").write_text(json.dumps(turns), encoding="utf-8")
    done = karte("--json", "distill", "chat.json", "--extractor", "rules")
    assert done.code == 0, done.err
    assert (done.data["turns"], done.data["stored"]) == (2, 2)
    assert [each["where"] for each in done.data["skipped"]] == ["turn 2"]
    assert "turn 2: " in done.err
    assert word in done.err


def test_an_endpoint_hears_the_turns_that_can_be_used_and_the_others_are_named(karte: Karte, tmp_path: Path) -> None:
    turns = [GOOD, {**GOOD, "time": "soon"}, {"speaker": 1, "text": "I work at Acme."}, {"text": " "}]
    (tmp_path / "chat.json").write_text(json.dumps(turns), encoding="utf-8")
    found = fact(1, "1 works at Acme", subject="user:1", predicate="works_at", object="Acme")
    with ModelServer(answers=[tells(found)]) as server:
        settings = {"KARTE_DISTILL__URL": server.url, "KARTE_DISTILL__MODEL": "small"}
        done = karte("--json", "distill", "chat.json", "--extractor", "endpoint", env=settings)
        assert done.code == 0, done.err
        assert [(each.get("speaker"), each["text"]) for each in server.asked[0].turns] == [
            ("ken", "I live in Kyoto."),
            ("1", "I work at Acme."),
        ]
        assert [item["fact"]["subject"] for item in done.data["items"]] == ["user:1"]
        assert [each["where"] for each in done.data["skipped"]] == ["turn 2", "turn 4"]
        (tmp_path / "none.json").write_text('[{"text": " "}]', encoding="utf-8")
        assert karte("--json", "distill", "none.json", "--extractor", "endpoint", env=settings).code == 2
        assert len(server.asked) == 1, "nobody is asked about nothing"


def test_a_paragraph_of_a_text_that_cannot_be_used_is_named_too(karte: Karte, tmp_path: Path) -> None:
    (tmp_path / "chat.txt").write_text("I live in Kyoto.\n\nno\x00thing\n\nI work at Acme.\n", encoding="utf-8")
    done = karte("distill", "chat.txt", "--extractor", "rules")
    assert done.code == 0, done.err
    assert "2 turns: 2 stored, 1 skipped" in done.out
    assert done.err.startswith("paragraph 2: ")


def test_a_speaker_that_is_a_number_is_kept_as_text(karte: Karte, tmp_path: Path) -> None:
    (tmp_path / "chat.json").write_text(json.dumps([{**GOOD, "speaker": 7}]), encoding="utf-8")
    done = karte("--json", "distill", "chat.json", "--extractor", "rules")
    assert [item["fact"]["subject"] for item in done.data["items"]] == ["user:7"]
    assert karte("import", "chat.json").code == 0
    found = karte("--json", "search", "7: Kyoto").data["memories"]
    assert "7" in [each.get("metadata", {}).get("speaker") for each in found]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("chat.json", b"not json {"),
        ("chat.json", b"5"),
        ("chat.json", b'"x"'),
        ("chat.json", b"null"),
        ("chat.json", b"[]"),
        ("chat.json", b"{}"),
        ("chat.json", b'[{"text": "when?", "time": "soon"}]'),
        ("chat.jsonl", b"I live in Kyoto.\n"),
        ("chat.json", b'[{"mapping": {}, "id": "c"}]'),
        ("chat.txt", b""),
        ("chat.txt", b" \n\n \n"),
        ("chat.txt", b'{"karte_export": 1}\n'),
        ("chat.txt", b"\xff\xfe"),
    ],
)
def test_a_file_without_a_turn_that_can_be_used_is_2_and_names_itself_and_what_to_do(
    karte: Karte, tmp_path: Path, name: str, content: bytes
) -> None:
    (tmp_path / name).write_bytes(content)
    done = karte("--json", "distill", name, "--extractor", "rules")
    assert (done.code, done.out) == (2, "")
    assert name in done.error["message"]
    assert done.error["remedy"]


def test_standard_input_is_named_as_what_it_is(karte: Karte) -> None:
    for command in (("distill", "-"), ("pages", "file", "-"), ("import", "-"), ("add", "-")):
        done = karte("--json", *command, stdin=b"\xff")
        assert done.code == 2
        assert "standard input is not UTF-8" in done.error["message"]


def test_a_text_that_begins_with_a_bracket_is_a_text(karte: Karte, tmp_path: Path) -> None:
    (tmp_path / "chat.txt").write_text("[10:05] noon\n\nI live in Kyoto.\n", encoding="utf-8")
    done = karte("--json", "distill", "chat.txt", "--extractor", "rules")
    assert (done.code, done.data["turns"], done.data["stored"]) == (0, 2, 1)
    (tmp_path / "lines.txt").write_text(json.dumps(GOOD) + "\n" + json.dumps(GOOD) + "\n", encoding="utf-8")
    assert karte("--json", "distill", "lines.txt", "--extractor", "rules").data["turns"] == 2


def test_of_very_many_that_cannot_be_used_only_the_number_is_told(karte: Karte, tmp_path: Path) -> None:
    (tmp_path / "chat.jsonl").write_text("{\n" * 200 + json.dumps(GOOD), encoding="utf-8")
    done = karte("distill", "chat.jsonl", "--extractor", "rules")
    assert done.code == 0
    assert done.err.splitlines()[-1] == "and 150 more that cannot be used"
