"""Kill -9 at random instants: the file opens, each operation is whole or absent, no acknowledged write is lost.

``KARTE_KILLS=3000 pytest tests/reliability/test_kill.py`` kills so many times a scenario, with another seed by
``KARTE_KILL_SEED``.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.reliability.processes import ROOT, environment

SEED = os.environ.get("KARTE_KILL_SEED", "1")


@pytest.mark.slow
@pytest.mark.requirement("process.kill-at-any-instant", "law.9-failed-write")
@pytest.mark.parametrize(
    ("scenario", "kills"), [("superseding", 25), ("importing", 8), ("everything", 35), ("doubting", 25)]
)
def test_a_process_killed_at_a_random_instant_leaves_each_operation_whole_or_absent(
    db_path: Path, scenario: str, kills: int
) -> None:
    kills = int(os.environ.get("KARTE_KILLS", kills))
    done = subprocess.run(
        [sys.executable, "-m", "tests.reliability.killing", str(db_path), scenario, SEED, str(kills)],
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=120 + kills * 10,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["wrong"] == []
    assert result["kills"] == kills
    assert result["under_way"] > kills / 4, "most children were killed in the middle of an operation"
