"""``karte decay`` and ``karte stats``."""

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
