"""Pages when things go wrong: a folder that cannot be written, two processes, a kill at any instant."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

import karte
from karte import Karte
from tests.service.documents import DEPLOYING, RULES_JA

pytestmark = pytest.mark.requirement("pages.files")

FILING = """
import sys
from karte import Karte
from tests.service.documents import DEPLOYING

with Karte(sys.argv[1]) as memory:
    for number in range(10_000):
        text = f"{DEPLOYING}\\nOf number {number} of {sys.argv[2]}.\\n" * 2
        name = f"{sys.argv[2]} {number}"
        path = memory.file_page(text, title=name, origin=f"user_direct:{name}").path
        if number % 3 == 1:
            memory.promote_page(path, author="kim", origin="user_direct")
        if number % 3 == 2:
            memory.archive_page(path)
        print(number, path, flush=True)
"""


def test_a_text_that_could_not_be_written_is_written_by_the_next_call(db_path: Path) -> None:
    root = db_path.with_suffix(".pages")
    root.write_text("a file where the folder should be", encoding="utf-8")
    with Karte(db_path) as memory:
        with pytest.raises(karte.StorageError) as caught:
            memory.file_page(DEPLOYING, origin="user_direct")
        assert caught.value.remedy
        root.unlink()
        (page,) = memory.list_pages()
        assert memory.read_page(page.path).document == DEPLOYING
        assert memory.file_page(DEPLOYING, origin="user_direct").status == "unchanged"


def test_a_rollback_stands_even_where_no_file_can_be_written(db_path: Path) -> None:
    root = db_path.with_suffix(".pages")
    with Karte(db_path) as memory:
        path = memory.file_page(DEPLOYING, origin="channel:chat").path
        root.rename(root.with_suffix(".away"))
        root.write_text("in the way", encoding="utf-8")
        memory.invalidate_by_origin("channel:chat")
        assert memory.get_all_at("wiki:" + path.removesuffix(".md"), "documented_in") == []
        root.unlink()
        root.with_suffix(".away").rename(root)
        assert memory.read_page(path).page.state == "flagged"


@pytest.mark.slow
def test_a_kill_at_any_instant_leaves_every_page_whole(db_path: Path) -> None:
    for round_ in range(6):
        writers = [
            subprocess.Popen(
                [sys.executable, "-c", FILING, str(db_path), f"writer{round_}{name}"],
                stdout=subprocess.PIPE,
                text=True,
                env={"PYTHONPATH": ":".join([str(Path(__file__).parents[2]), *filter(None, sys.path)])},
            )
            for name in "ab"
        ]
        told = [writer.stdout.readline().split() for writer in writers if writer.stdout is not None]
        time.sleep(0.3 + round_ * 0.13)
        for writer in writers:
            writer.kill()
        told += [line.split() for writer in writers for line in writer.communicate()[0].splitlines()]
        assert len(told) > 2
        with Karte(db_path) as memory:
            pages = {page.path: page for page in memory.list_pages(with_archived=True)}
            for number, path in ((int(parts[0]), parts[1]) for parts in told if len(parts) == 2):
                found = memory.read_page(path)
                assert f"Of number {number} of writer{round_}" in found.document
                assert found.page.state == ("archived" if number % 3 == 2 else "live")
                assert (found.page.promoted_at is not None) == (number % 3 == 1)
            for path, page in pages.items():
                standing = memory.get_all_at("wiki:" + path.removesuffix(".md"), "documented_in")
                assert len(standing) == (0 if page.state == "archived" else 1)
            files = {
                file.relative_to(db_path.with_suffix(".pages") / "default")
                for file in db_path.with_suffix(".pages").rglob("*")
                if file.is_file()
            }
            places = {
                Path(path.replace("auto/", "_archive/", 1) if page.state == "archived" else path)
                for path, page in pages.items()
            }
            assert places <= files
            assert not [file for file in files - places if file.suffix == ".md"]
        assert memory.engine is not None


def test_two_engines_of_one_process_see_each_other_s_pages(db_path: Path) -> None:
    with Karte(db_path) as one, Karte(db_path) as other:
        path = one.file_page(DEPLOYING, origin="channel:a").path
        assert other.search_pages("smoke tests")[0].page.path == path
        other.archive_page(path)
        assert one.search_pages("smoke tests") == []
        assert one.file_page(RULES_JA, origin="channel:a").status == "filed"
        assert len(other.list_pages(with_archived=True)) == 2
