"""``karte decay`` and ``karte stats``."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.interfaces.cli.conftest import Karte

pytestmark = pytest.mark.requirement("cli.commands")


def test_stats_count_what_the_memory_holds(karte: Karte) -> None:
    assert karte("add", "Ken likes tea", "-s", "Ken", "-p", "likes", "-o", "tea").code == 0
    data = karte("--json", "stats").data
    assert (data["memories"], data["facts"], data["predicates"]) == (1, 1, {"likes": 1})
    assert "memories" in karte("stats").out


def test_a_decay_says_what_it_put_away_and_a_dry_run_what_it_would(karte: Karte) -> None:
    assert karte("add", "a fresh note").code == 0
    assert karte("--json", "decay", "--dry-run").data["dry_run"] is True
    assert karte("--json", "decay").data["archived"] == 0
    assert "nothing was written" in karte("decay", "--dry-run").out


def test_decisions_are_opened_listed_and_resolved_once(karte: Karte) -> None:
    opened = karte("--json", "decisions", "open", "Which database?", "--option", "SQLite", "--id", "db").data
    assert (opened["state"], opened["options"]) == ("open", ["SQLite"])
    assert karte("--json", "decisions", "list").data["total"] == 1
    assert "Which database?" in karte("decisions", "list").out
    assert "decided: SQLite" in karte("decisions", "resolve", "db", "SQLite").out
    assert "no decision is open" in karte("decisions", "list").out
    assert karte("decisions", "resolve", "db", "other").code == 2
    assert karte("decisions", "resolve", "none", "other").code == 1
    assert "expires_at" not in karte("--json", "decisions", "open", "Rename?", "--never-expires").data


def test_an_outvoted_answer_ends_in_the_code_for_what_waits(karte: Karte) -> None:
    karte("decisions", "open", "Ship?", "--id", "ship")
    answered = karte("decisions", "resolve", "ship", "yes", "--origin", "channel:web")
    assert (answered.code, "waits for a curator" in answered.out) == (4, True)


def test_a_summary_tells_what_changed_in_a_window(karte: Karte) -> None:
    karte("add", "Ken lives in Kyoto", "-s", "Ken", "-p", "lives_in", "-o", "Kyoto", "--from", "2026-01-01")
    assert "1 memory" in karte("summarize").out
    data = karte("--json", "summarize", "--from", "2025-12-31", "--until", "2026-01-02").data
    assert [change["value"] for change in data["changes"]] == ["Kyoto"]
    assert karte("summarize", "--until", "2026-01-02").code == 2


def test_a_change_of_owner_asks_first_and_then_moves_everything(karte: Karte) -> None:
    karte("add", "a note")
    assert karte("--json", "reassign", "default", "new", "--dry-run").data["moved"]["memories"] == 1
    unasked = karte("reassign", "default", "new")
    assert (unasked.code, karte("--json", "list").data["total"]) == (2, 1)
    assert "--yes" in unasked.err
    assert "gave 1 memory" in karte("reassign", "default", "new", "--yes").out
    assert karte("--json", "--agent", "new", "list").data["total"] == 1


@pytest.mark.parametrize("how", ["--yes", "--dry-run"])
def test_an_agent_that_has_nothing_is_told_by_name(karte: Karte, how: str) -> None:
    karte("add", "a note")
    done = karte("reassign", "defualt", "new", how)
    assert done.code == 1
    assert "'defualt' has nothing" in done.err


@pytest.mark.skipif(sys.platform == "win32", reason="a terminal of POSIX")
@pytest.mark.parametrize(
    "command", [("reassign", "default", "new"), ("erase", "Ken"), ("erase", "--everything")], ids=" ".join
)
@pytest.mark.parametrize(("answer", "code", "left"), [(b"n\n", 3, 1), (b"\n", 3, 1), (b"y\n", 0, 0)])
def test_on_a_terminal_it_asks_and_no_is_3(
    karte: Karte,
    tmp_path: Path,
    environment: dict[str, str],
    command: tuple[str, ...],
    answer: bytes,
    code: int,
    left: int,
) -> None:
    karte("add", "Ken likes tea", "-s", "Ken", "-p", "likes", "-o", "tea")
    ours, theirs = os.openpty()
    os.write(ours, answer)
    done = subprocess.run(
        [sys.executable, "-m", "karte", *command],
        stdin=theirs,
        capture_output=True,
        cwd=tmp_path,
        env=environment,
        timeout=60,
        check=False,
    )
    os.close(theirs)
    os.close(ours)
    assert done.returncode == code, done.stderr
    assert (b"nothing was written" in done.stderr) == (code == 3)
    assert karte("--json", "list").data["total"] == left
