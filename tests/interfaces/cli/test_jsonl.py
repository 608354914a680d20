"""A file of lines: what can be used is stored, what cannot is told by its number."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from karte.errors import InvalidInput, Refused
from karte.interfaces.cli.jsonl import WRITABLE, read_line, to_item
from karte.interfaces.records import memory_record
from tests.interfaces.cli.conftest import Karte
from tests.interfaces.test_records import FULL

pytestmark = pytest.mark.requirement("cli.jsonl")


def lines(*said: object) -> bytes:
    return b"".join(json.dumps(each, ensure_ascii=False).encode() + b"\n" for each in said)


FACT = {
    "id": "fact-1", "content": "東京にいます", "subject": "Ken", "predicate": "city", "object": "東京",
    "valid_from": "2024-01", "valid_until": "2024-06-30", "layer": "procedural", "tags": ["a", "b"], "importance": 8,
    "metadata": {"k": [1, None]}, "confidence": 0.5, "origin_trust": 0.25, "source_event": "doc:7",
    "timestamp": "2024-07-01",
}  # fmt: skip


def test_a_line_holds_every_writable_field(karte: Karte, tmp_path: Path) -> None:
    (tmp_path / "notes.v2.jsonl").write_bytes(
        lines(FACT, {"content": "plain", "subject": None, "derived_from": ["fact-1"]})
    )
    done = karte("add", "--jsonl", "notes.v2.jsonl")
    assert (done.code, done.out, done.err) == (0, "2 stored; origin import:notes.v2\n", "")
    record = karte("--json", "show", "fact-1").data["memory"]
    kept = {name: record[name] for name in FACT if name not in {"valid_from", "valid_until", "timestamp"}}
    assert kept == {name: value for name, value in FACT.items() if name in kept}
    assert record["origin"] == "import:notes.v2"
    assert record["valid_from"].startswith("2024-01-01T00:00:00")
    assert record["valid_until"].startswith("2024-07-01T00:00:00")
    assert record["timestamp"].startswith("2024-07-01")
    plain = karte("--json", "search", "plain").data["memories"][0]
    assert plain["derived_from"] == ["fact-1"]
    assert plain["origin_trust"] == 0.25
    assert plain["layer"] == "episodic"


def test_bad_lines_are_told_by_number_and_the_rest_is_stored(karte: Karte) -> None:
    said = b"".join(
        [
            b"\xef\xbb\xbf" + lines({"content": "one"}).replace(b"\n", b"\r\n"),
            b"not json\n",
            b"\n",
            b"[1]\n",
            b'{"content": "half \\ud83e"}\n',
            b'{"content": "\xff"}\n',
            b'{"content": 5}\n',
            b'{"content": "a", "contents": "b"}\n',
            b'{"content": "a", "is_current": true}\n',
            b'{"subject": "a"}\n',
            b'{"content": "a", "importance": 1e999}\n',
            b'{"content": "a", "subject": "s", "predicate": "p", "valid_from": "soon"}\n',
            b'{"content": "a", "metadata": {"reaffirmed_by": []}}\n',
            b"[" * 100_000 + b"\n",
            b'{"content": "last"}',
        ]
    )
    done = karte("add", "--jsonl", "-", stdin=said)
    assert done.code == 2
    assert done.out == "2 stored, 12 refused; origin import:stdin\n"
    assert [line.split(":")[0] for line in done.err.splitlines()] == [
        f"line {number}" for number in (2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14)
    ]
    assert "Traceback" not in done.err
    assert {each["content"] for each in karte("--json", "list").data["memories"]} == {"one", "last"}


def test_the_json_answer_says_what_became_of_every_line(karte: Karte) -> None:
    karte("add", "x", "-s", "Ken", "-p", "city", "-o", "Kyoto", "--from", "2024", "--id", "first")
    said = lines(
        {"content": "x", "subject": "Ken", "predicate": "city", "object": "Kyoto", "valid_from": "2024-02-01"},
        {"content": "x", "tags": "a"},
        {"content": "y", "id": "first"},
    )
    data = karte("--json", "add", "--jsonl", "-", stdin=said).data
    assert [(each["line"], each["status"]) for each in data["results"]] == [
        (1, "reaffirmed"),
        (2, "refused"),
        (3, "refused"),
    ]
    assert data["results"][0]["id"] == "first"
    assert data["results"][1]["error"]["field"] == "tags"
    assert data["results"][2]["error"]["code"] == "duplicate_id"
    assert {name: data[name] for name in ("stored", "reaffirmed", "held", "refused", "origin")} == {
        "stored": 0, "reaffirmed": 1, "held": 0, "refused": 2, "origin": "import:stdin",
    }  # fmt: skip


def test_more_than_one_batch_keeps_its_order(karte: Karte, tmp_path: Path) -> None:
    path = tmp_path / "many.jsonl"
    path.write_bytes(lines(*({"content": f"memory {number}", "id": f"m{number}"} for number in range(1_234))))
    done = karte("--json", "add", "--jsonl", str(path))
    assert done.data["stored"] == 1_234
    assert [each["id"] for each in done.data["results"]] == [f"m{number}" for number in range(1_234)]
    again = karte("add", "--jsonl", str(path))
    assert again.code == 2
    assert "1,234 refused" in again.out
    assert again.err.count("\n") < 100, "a person is not shown a thousand complaints"


def test_a_file_cannot_vouch_for_itself(karte: Karte) -> None:
    claimed = lines({"content": "a", "origin": "operator"}, {"content": "b", "origin": "channel:telegram"})
    done = karte("--json", "add", "--jsonl", "-", stdin=claimed)
    assert done.code == 3
    assert [each["status"] for each in done.data["results"]] == ["refused", "stored"]
    assert done.data["results"][0]["error"]["field"] == "origin"
    assert karte("--json", "search", "b").data["memories"][0]["origin"] == "channel:telegram"
    vouched = karte("--json", "add", "--jsonl", "-", "--origin", "user_direct", stdin=claimed)
    assert vouched.data["stored"] == 2


def test_an_empty_file_is_nothing_to_do(karte: Karte) -> None:
    assert karte("add", "--jsonl", "-").out == "nothing to do; origin import:stdin\n"


def test_lines_and_options_do_not_mix(karte: Karte) -> None:
    assert karte("add", "--jsonl", "-", "--tag", "x").code == 2


@pytest.mark.skipif(sys.platform == "win32", reason="a pseudo-terminal")
def test_progress_is_a_bar_on_a_terminal_and_stays_off_standard_output(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    import pty

    path = tmp_path / "many.jsonl"
    path.write_bytes(lines(*({"content": f"memory {number}"} for number in range(1_500))))
    ours, theirs = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-m", "karte", "add", "--jsonl", str(path)],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=theirs, cwd=tmp_path, env=environment,
    )  # fmt: skip
    os.close(theirs)
    told = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        told += part
    out, _ = child.communicate(timeout=60)
    os.close(ours)
    assert out == b"1,500 stored; origin import:many\n"
    assert b"remembering" in told
    assert b"100%" in told


def test_every_field_of_a_record_is_writable_or_named_as_computed() -> None:
    for name in set(memory_record(FULL, score=1.0)) - set(WRITABLE):
        with pytest.raises(InvalidInput, match="computed by Karte") as caught:
            read_line(json.dumps({"content": "x", name: "x"}).encode())
        assert caught.value.field == name


@pytest.mark.parametrize(
    "fields", [{"content": "x", "origin": "user_profile:me"}, {"content": "x", "origin": "operator"}]
)
def test_no_line_is_trusted_more_than_its_file(fields: dict[str, Any]) -> None:
    with pytest.raises(Refused):
        to_item(fields, agent="a", origin="import:x")
