"""``karte events`` and ``karte audit`` in a process of their own."""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from karte import EventKind, SqliteMemoryEngine
from tests.interfaces.cli.conftest import Karte
from tests.service.test_events import emit, happened

ATTACK = EventKind.PROMPT_INJECTION


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.mark.requirement("cli.commands", "trust.events-listed")
def test_events_are_shown_newest_last(karte: Karte, file: Path) -> None:
    with SqliteMemoryEngine(file) as engine:
        emit(engine, *(happened(subject=f"s{i}", data={"ids": [i]}) for i in range(1, 6)))
        emit(engine, happened(EventKind.ERASED, "b", origin="channel:x\x1b[31m"))
    shown = karte("events", "-n", "3")
    assert (shown.code, shown.err) == (0, "")
    assert shown.out.index("s4") < shown.out.index("s5") < shown.out.index("knowledge.erased")
    assert "s3" not in shown.out
    assert "3 of 6 events" in shown.out
    assert "\x1b" not in shown.out

    data = karte("--json", "events", "-n", "3").data
    assert [event["sequence"] for event in data["events"]] == [4, 5, 6]
    assert (data["total"], data["truncated"], "next_after" in data) == (6, True, False)
    assert data["events"][0]["subject"] == "s4"
    assert data["events"][0]["data"] == {"ids": [4]}

    data = karte("--json", "events", "--after", "1", "-n", "2", "--agent", "a").data
    assert ([event["sequence"] for event in data["events"]], data["next_after"], data["total"]) == ([2, 3], 3, 4)
    data = karte("--json", "events", "--kind", "knowledge.erased", "--kind", "prompt_injection", KARTE_AGENT="a").data
    assert [event["agent"] for event in data["events"]] == ["b"]
    assert "more: --after 3" in karte("events", "--after", "1", "-n", "2", "--agent", "a").out


@pytest.mark.requirement("cli.exit-codes", "trust.audit")
def test_an_audit_ends_in_1_where_an_attack_was_found(karte: Karte, file: Path) -> None:
    clean = karte("audit")
    assert clean.code == 0
    assert "no attack was found" in clean.out
    with SqliteMemoryEngine(file) as engine:
        emit(engine, happened(), happened(EventKind.REQUESTED), happened(ATTACK, level="info"))
    assert karte("audit").code == 0
    with SqliteMemoryEngine(file) as engine:
        emit(engine, happened(ATTACK, level="warning", data={"rules": ["override"], "excerpt": "ignore all …"}))
        emit(engine, *(happened(agent="b") for _ in range(3)))
    found = karte("audit", "-n", "2")
    assert found.code == 1
    assert "1 attack found and stopped" in found.out
    assert "ignore all" in karte("audit").out
    data = karte("--json", "audit")
    assert (data.code, data.data["findings"], data.data["total"]) == (1, 1, 6)
    assert karte("audit", "--agent", "b").code == 0
    assert karte("audit", KARTE_AGENT="b").code == 1
    assert karte("audit", "--after", "4").code == 0
    assert karte("audit", "--kind", "knowledge.purged").code == 0


@pytest.mark.requirement("cli.exit-codes")
@pytest.mark.parametrize(
    "arguments",
    [
        ("events", "--kind", "purged"), ("events", "-n", "0"), ("events", "--after", "-1"), ("events", "--agent", " "),
        ("audit", "--kind", "approval.requested"), ("audit", "-n", "x"), ("events", "--after", str(2**64)),
    ],
)  # fmt: skip
def test_what_cannot_be_meant_is_2(karte: Karte, arguments: tuple[str, ...]) -> None:
    done = karte(*arguments)
    assert done.code == 2, done.out
    assert "Traceback" not in done.err


@pytest.mark.requirement("cli.commands", "trust.events-listed")
@pytest.mark.parametrize("as_json", [True, False])
@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is sent another way")
def test_following_shows_what_other_processes_write(file: Path, environment: dict[str, str], as_json: bool) -> None:
    with SqliteMemoryEngine(file) as engine:
        emit(engine, happened(), happened(EventKind.ERASED))
        command = [sys.executable, "-m", "karte", *(["--json"] if as_json else []), "events", "--follow", "-n", "1"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as process:
            assert process.stdout is not None
            with contextlib.ExitStack() as stack:
                stack.callback(process.kill)
                lines = [process.stdout.readline()]
                emit(engine, happened(subject="日本"))
                lines.append(process.stdout.readline())
                emit(engine, happened(EventKind.RELEASED))
                lines.append(process.stdout.readline())
                process.send_signal(signal.SIGINT)
                assert process.wait(20) == 130
    if as_json:
        assert [json.loads(line)["sequence"] for line in lines] == [2, 3, 4]
    else:
        assert [line.split()[0] for line in lines] == [b"2", b"3", b"4"]
    assert "日本".encode() in lines[1]
