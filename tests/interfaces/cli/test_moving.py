"""``karte export`` and ``karte erase``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.interfaces.cli.conftest import Karte

pytestmark = pytest.mark.requirement("cli.commands", "cli.exit-codes")


@pytest.fixture
def ken(karte: Karte) -> None:
    for object_ in ("tea", "coffee"):
        assert karte("add", f"Ken likes {object_}", "-s", "Ken", "-p", "likes", "-o", object_).code == 0
    assert karte("add", "Ann manages Ken", "-s", "Ann", "-p", "manages", "-o", "Ken").code == 0


@pytest.mark.usefixtures("ken")
def test_an_export_is_lines_on_standard_output_or_a_file(karte: Karte, tmp_path: Path) -> None:
    done = karte("export", "--subject", "ken")
    rows = [json.loads(line) for line in done.out.splitlines()]
    assert rows[0]["scope"] == {"agent": "default", "names": ["ken"], "include_objects": False}
    assert {row["table"] for row in rows[1:]} == {
        "agent_trust",
        "karte_state",
        "memories",
        "memory_assertions",
        "memory_revisions",
    }
    assert done.err == f"note: {len(rows)} lines\n"
    saved = karte("--json", "export", "--out", "all.jsonl", "--all-agents")
    assert saved.data["rows"]["memories"] == 3
    assert saved.data["lines"] == len((tmp_path / "all.jsonl").read_text(encoding="utf-8").splitlines())
    assert karte("export", "--all-agents", "--subject", "Ken").code == 2


@pytest.mark.usefixtures("ken")
def test_erasing_asks_first_tells_what_goes_and_ends_in_1_when_nothing_is_held(karte: Karte) -> None:
    unasked = karte("erase", "Ken")
    assert unasked.code == 2
    assert "--yes" in unasked.err
    tried = karte("erase", "Ken", "--dry-run")
    assert tried.code == 0
    assert "would remove" in tried.out
    assert "--include-objects" in tried.out
    done = karte("--json", "erase", "ken", "--yes", "--include-objects", "--keep-stop-list")
    assert done.code == 0
    assert done.data["is_clean"] is True
    assert done.data["removed"]["memories"] == 3
    assert done.data["stopped"] == 3
    again = karte("erase", "Ken", "--yes")
    assert (again.code, again.out) == (1, "nothing is held\n")
    assert karte("--json", "list").data["total"] == 0


@pytest.mark.usefixtures("ken")
def test_a_whole_agent_or_one_subject(karte: Karte) -> None:
    assert karte("erase", "--yes").code == 2
    assert karte("erase", "Ken", "--everything", "--yes").code == 2
    assert karte("erase", "--everything", "--yes").code == 0
    assert karte("--json", "status").data["memories"] == 0
