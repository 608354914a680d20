"""``karte mistakes``, ``karte rules`` and ``karte context``."""

import pytest

from tests.interfaces.cli.conftest import Karte

pytestmark = pytest.mark.requirement("reflexion.doors")


def _note_three(karte: Karte) -> str:
    for lesson in ("Pass the region", "Check the region", "Name the region"):
        done = karte("--json", "mistakes", "add", f"wrong: {lesson}", "--category", "capability", "--lesson", lesson)
        assert done.code == 0
    assert done.data["rule"]["status"] == "new"
    return str(done.data["rule"]["id"])


def test_mistakes_are_noted_listed_and_become_a_rule_that_is_judged_retired_and_restored(karte: Karte) -> None:
    rule = _note_three(karte)
    assert karte("--json", "mistakes", "list").data["total"] == 0
    assert karte("--json", "mistakes", "list", "--resolved").data["total"] == 3
    assert "Recurring capability issues" in karte("rules", "list").out
    assert karte("--json", "rules", "feedback", rule, "helped").data["helped"] == 1
    assert karte("--json", "rules", "retire", rule, "--reason", "too broad").data["state"] == "retired"
    assert "no rule" in karte("rules", "list").out
    assert karte("--json", "rules", "list", "--retired").data["rules"][0]["retired_because"] == "too broad"
    restored = karte("--json", "rules", "restore", rule).data
    edited = karte("--json", "rules", "edit", restored["id"], "Always name the region").data
    assert edited["content"] == "Always name the region"
    assert karte("rules", "retire", "no-such-rule").code == 1


def test_mistakes_are_found_by_what_they_are_about(karte: Karte) -> None:
    karte("mistakes", "add", "日本語の質問に英語で答えた", "--truth", "日本語")
    assert karte("--json", "mistakes", "list", "--about", "日本語").data["total"] == 1
    assert "英語" in karte("mistakes", "list").out
    assert karte("--json", "mistakes", "consolidate", "behavioral", "--threshold", "1").data["status"] == "new"


def test_the_context_of_a_message_is_given_as_a_program_would_get_it(karte: Karte) -> None:
    assert karte("context", "hello").out == ""
    _note_three(karte)
    karte("add", "Ken likes tea", "-s", "user:ken", "-p", "likes", "-o", "tea")
    block = karte("context", "Where do we deploy?", "--user", "ken").out
    assert block.startswith("<karte-memory>\n")
    assert block.endswith("</karte-memory>\n")
    assert "tea" in block
    assert "tea" not in karte("context", "Where do we deploy? tea", "--user", "ken", "--group").out
    assert karte("--json", "context", "Where?", "--budget", "300").data["tokens"] <= 300
    assert karte("context", "x", "--budget", "0").code == 2
