"""Outcomes that this file alone cannot bring about: what is held, what is ill, who else confirmed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest

import karte.memory
from karte.config import Config
from karte.domain.model import DoctorReport, EndOutcome, Finding, HoldsNow, StoreOutcome
from karte.interfaces.cli.main import run

WHEN = datetime(2024, 1, 1, tzinfo=UTC)
HELD = StoreOutcome(status="held", id="a", approval_id="approval-1", reason="five in an hour")


@dataclass
class Answering:
    """An engine that gives one answer to every call."""

    answer: Any
    config = Config()

    def __getattr__(self, name: str) -> Any:
        return lambda *_, **__: self.answer


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> Any:
    """Makes the command line talk to an engine that gives this answer."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("KARTE_DB", str(tmp_path / "memory.db"))

    def install(answer: Any) -> None:
        @contextmanager
        def opened(*_: Any, **__: Any) -> Iterator[Answering]:
            yield Answering(answer)

        monkeypatch.setattr(karte.memory, "open_engine", opened)

    return install


@pytest.mark.requirement("cli.exit-codes")
def test_what_is_held_ends_in_4_and_names_the_approval(answers: Any, capsys: pytest.CaptureFixture[str]) -> None:
    answers(HELD)
    assert run(["--json", "add", "x"]) == 4
    told = json.loads(capsys.readouterr().out)
    assert told == {
        "status": "held", "id": "a", "is_current": False, "superseded": [], "approval_id": "approval-1",
        "reason": "five in an hour",
    }  # fmt: skip
    assert run(["add", "x"]) == 4
    assert "approval-1" in capsys.readouterr().out


@pytest.mark.requirement("cli.exit-codes")
def test_an_end_that_is_held_ends_in_4(answers: Any, capsys: pytest.CaptureFixture[str]) -> None:
    answers(EndOutcome(held=True, approval_id="approval-2", holds_now=HoldsNow(id="b", valid_from=WHEN)))
    assert run(["end", "s", "p"]) == 4
    assert "approval-2" in capsys.readouterr().out


@pytest.mark.requirement("cli.exit-codes", "cli.jsonl")
def test_a_file_of_which_lines_are_held_ends_in_4(
    answers: Any, capsys: pytest.CaptureFixture[str], tmp_path: Any
) -> None:
    lines = tmp_path / "lines.jsonl"
    lines.write_text('{"content": "x"}\n{"content": "y"}\n')
    answers([HELD, StoreOutcome(status="stored", id="b")])
    assert run(["add", "--jsonl", str(lines)]) == 4
    assert capsys.readouterr().out == "1 stored, 1 held; origin import:lines\n"


@pytest.mark.requirement("cli.exit-codes")
def test_findings_end_in_1_and_mended_ones_in_0(answers: Any, capsys: pytest.CaptureFixture[str]) -> None:
    answers(DoctorReport(findings=(Finding(kind="overlap", detail="two rows hold", id="a"),), checked={"rows": 7}))
    assert run(["doctor"]) == 1
    assert "overlap: two rows hold (a)" in capsys.readouterr().out
    mended = Finding(kind="overlap", detail="two rows hold", id="a", repaired=True)
    answers(DoctorReport(findings=(mended,), checked={}, rebuilt=("index",)))
    assert run(["doctor", "--rebuild"]) == 0
    assert "in good health" in capsys.readouterr().out


@pytest.mark.requirement("cli.exit-codes")
def test_an_interruption_ends_in_130(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(karte.memory, "open_engine", interrupted)
    assert run(["list"]) == 130
    assert capsys.readouterr().err.endswith("karte: interrupted\n")


def test_a_write_that_does_not_hold_now_says_what_does(answers: Any, capsys: pytest.CaptureFixture[str]) -> None:
    answers(
        StoreOutcome(
            status="stored",
            id="a",
            valid_from=WHEN,
            superseded=("c",),
            similar=(("d", 0.97),),
            holds_now=HoldsNow(id="b", valid_from=WHEN),
        )
    )
    assert run(["add", "x", "-s", "s", "-p", "p"]) == 0
    out = capsys.readouterr().out
    assert "holds now: b, since 2024-01-01" in out
    assert "much like d (0.97)" in out
    assert "shortened c" in out
