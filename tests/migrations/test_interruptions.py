"""An upgrade that is killed after any of its statements completes at the next opening."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from karte.storage.sqlite import schema
from tests.migrations.files import ROWS, older_file, real_file

ROOT = Path(__file__).parents[2]

pytestmark = [pytest.mark.slow, pytest.mark.requirement("upgrade.interrupted-anywhere")]


def _interrupt(path: Path, folder: Path) -> int:
    """How many statements the upgrade has; each was the last one of some attempt."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.migrations.interrupted", str(path), str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["wrong"] == [], done.stderr
    return int(result["statements"])


def test_an_upgrade_of_facts_killed_after_any_statement_completes(db_path: Path, tmp_path: Path) -> None:
    older_file(db_path, journal="wal")
    assert _interrupt(db_path, tmp_path) > 50


def test_an_upgrade_of_a_hundred_plain_memories_killed_after_any_statement_completes(
    db_path: Path, tmp_path: Path
) -> None:
    older_file(db_path, schema.ORIGINAL_COLUMNS, [{**ROWS[n % 4], "id": f"m{n}"} for n in range(100)])
    assert _interrupt(db_path, tmp_path) > 300


def test_laying_out_a_new_file_killed_after_any_statement_completes(db_path: Path, tmp_path: Path) -> None:
    db_path.touch()
    assert _interrupt(db_path, tmp_path) > 50


def test_the_upgrade_of_a_real_file_killed_after_any_statement_completes(data_dir: Path, tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    assert _interrupt(real_file(data_dir, "engine_0_5.db", tmp_path), folder) > 50
