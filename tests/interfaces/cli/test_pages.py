"""Knowledge pages on the command line: what is said of a document, and what is not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.interfaces.cli.conftest import Karte
from tests.service.documents import DEPLOYING

pytestmark = pytest.mark.requirement("pages.doors")

PATH = "auto/sop/deployment-procedure.md"


@pytest.fixture
def filed(karte: Karte, tmp_path: Path) -> Karte:
    (tmp_path / "deploying.md").write_text(DEPLOYING, encoding="utf-8")
    assert karte("--json", "pages", "file", "deploying.md").data["path"] == PATH
    return karte


def test_what_is_said_of_a_document_that_is_filed_already_is_applied_or_told(filed: Karte) -> None:
    done = filed("--json", "pages", "file", "deploying.md", "--title", "How we deploy", "--tag", "ops")
    assert (done.code, done.data["status"], done.data["title"]) == (0, "updated", "How we deploy")
    assert "notes" not in done.data
    done = filed("pages", "file", "deploying.md", "--type", "policy", "--title", "Mine", "--origin", "channel:bob")
    assert done.code == 0
    for told in ("unchanged", "the title stays as it is", "the kind stays sop", "channel:bob vouches for the page too"):
        assert told in " ".join(done.out.split())


@pytest.mark.parametrize("path", ["auto/sop/none.md", "../../etc/passwd", "no page", "", "auto/sop/" + "x" * 500])
def test_a_page_that_is_not_there_is_1_however_it_is_called(filed: Karte, path: str) -> None:
    for command in ("show", "promote", "archive", "restore"):
        done = filed("--json", "pages", command, path)
        assert (done.code, done.out, done.error["code"]) == (1, "", "not_found")
        assert done.error["remedy"]


def test_a_page_that_was_put_away_can_be_shown_and_doing_it_again_says_what_to_do(filed: Karte) -> None:
    done = filed("--json", "pages", "restore", PATH)
    assert (done.code, done.error["code"]) == (2, "conflict")
    assert done.error["remedy"]
    assert filed("pages", "archive", PATH).code == 0
    assert filed("--json", "pages", "show", PATH).data["state"] == "archived"
    done = filed("--json", "pages", "archive", PATH)
    assert (done.code, done.error["code"]) == (2, "conflict")
    assert "restore" in done.error["remedy"]


def test_a_search_for_nothing_finds_nothing_for_pages_as_for_memories(filed: Karte) -> None:
    for command in (("pages", "search", ""), ("search", "")):
        assert (filed("--json", *command).code, filed("--json", *command).data["total"]) == (0, 0)
    assert filed("pages", "search", "x", "-n", "100").code == 0
    assert filed("--json", "pages", "search", "x", "-n", "101").error["remedy"] == "give a number from 1 to 100"
