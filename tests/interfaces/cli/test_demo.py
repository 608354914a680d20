"""``karte demo``: a real server, a real client, and replies that are what the story says."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from tests.interfaces.cli.conftest import Karte

pytestmark = pytest.mark.requirement("demo.tells-the-story")

SCENES = [
    "A fact that changes",
    "A fact learned late, about an earlier time",
    "Two time axes: what was true, and what we believed",
    "A divorce, learned before the marriage",
    "Several memories in one reach",
    "A question in Japanese",
    "A poisoned web page, held and rolled back",
    "Three mistakes of a kind become one rule",
]
POISON = SCENES.index("A poisoned web page, held and rolled back")


def test_the_demo_tells_every_scene_in_under_a_minute(karte: Karte) -> None:
    started = time.monotonic()
    done = karte("demo")
    assert time.monotonic() - started < 60
    assert done.code == 0, done.out + done.err
    assert done.err == ""
    assert re.findall(r"^\d  (.+)$", done.out, re.MULTILINE) == SCENES
    assert "✗" not in done.out
    assert re.search(r"All \d+ checks as the story says", done.out)
    for line in (
        r"2024-01-01\s+├─ Vercel",
        r"2024-02-10\s+├─ Netlify   took over from Vercel",
        r"2024-02-21\s+├─ Vercel",
        r"2024-03-03\s+├─ Cloudflare Workers   ◀ now",
        r"2012-06-02\s+├─ married to Ken",
        r"2020-05-10\s+├─ divorced   ◀ now, took over from married to Ken",
    ):
        assert re.search(line, done.out), line
    assert "not here: no-such-memory" in done.out
    assert "田中さんの好きな飲み物は緑茶です" in done.out
    story = done.out[done.out.index(SCENES[POISON]) : done.out.index(SCENES[-1])]
    for line in (
        r"→\s+DE-11, contested",
        r"→\s+evil\.example",
        r"\$\s+karte purge channel:web --dry-run",
        r"origin\s+channel:web",
        r"Falls \(7\)",
        r"Returns, and holds where it did not \(1\)",
        r"Requests that close \(2\)",
        r"Nothing was written\. To do it:",
        r"\$\s+karte purge channel:web --yes",
        r"→\s+Cloudflare Workers",
        r"nothing waits for a decision",
    ):
        assert re.search(line, story), line


def test_the_transcript_is_data_and_the_users_own_file_is_not_touched(karte: Karte, tmp_path: Path) -> None:
    settings = tmp_path / "own.toml"
    settings.write_text("[server]\nscopes = []\n")  # would make every call fail
    done = karte("--json", "demo", KARTE_CONFIG=str(settings), LC_ALL="C", PYTHONUTF8="0")
    assert done.code == 0, done.err
    assert done.data["ok"] is True
    assert [scene["title"] for scene in done.data["scenes"]] == SCENES
    tools = {step["tool"] for scene in done.data["scenes"] for step in scene["steps"] if "tool" in step}
    assert tools == {
        "memory_store",
        "memory_store_batch",
        "memory_search",
        "memory_get_at",
        "memory_get_history",
        "memory_fetch_batch",
        "memory_record_mistake",
        "memory_context",
    }
    commands = [step["command"] for step in done.data["scenes"][POISON]["steps"] if "command" in step]
    assert ["karte", "purge", "channel:web", "--yes"] in commands
    assert all(check["ok"] for scene in done.data["scenes"] for check in scene["checks"])
    assert not (tmp_path / "memory.db").exists()


def test_a_reply_that_is_not_the_storys_ends_in_70(karte: Karte, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\n"
        "if 'demo' in sys.orig_argv:\n"
        "    import karte.interfaces.cli.demo_story as story\n"
        "    story.DEPLOY['predicate'] = 'target'\n"
        "    async def lie(teller):\n"
        "        teller.scene('A lie')\n"
        "        teller.expect('one is two', False)\n"
        "    story.SCENES = (lie,)\n"
    )
    source = f"{tmp_path}:{Path(__file__).parents[3] / 'src'}"
    done = karte("demo", PYTHONPATH=source)
    assert done.code == 70
    assert "not so: one is two" in done.out


def test_a_server_that_does_not_start_is_one_sentence_and_70(karte: Karte, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import os, sys\nif 'mcp' in sys.orig_argv:\n    os._exit(3)\n")
    done = karte("demo", PYTHONPATH=f"{tmp_path}:{Path(__file__).parents[3] / 'src'}")
    assert done.code == 70
    assert "Traceback" not in done.err
