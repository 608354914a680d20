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
