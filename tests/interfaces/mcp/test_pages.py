"""Knowledge pages over MCP: found and read by agents, and only those that are live."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from karte import Karte
from tests.interfaces.mcp.wire import Wire, serving
from tests.service.documents import DEPLOYING, HOLIDAYS

pytestmark = pytest.mark.requirement("pages.doors")

PATH = "auto/sop/deployment-procedure.md"


@pytest.fixture
def wire(db_path: Path) -> Iterator[Wire]:
    with Karte(db_path) as memory:
        assert memory.file_page(DEPLOYING, origin="channel:chat").path == PATH
    with serving(db_path) as started:
        yield started


def test_a_page_is_found_and_read_whole(wire: Wire) -> None:
    answer = wire.call("memory_page_search", query="smoke tests on staging")
    [hit] = answer["pages"]
    assert (hit["path"], hit["trust"], hit["source_type"]) == (PATH, 0.3, "raw_dialogue")
    assert "smoke tests" in hit["excerpt"]
    read = wire.call("memory_page_read", path=PATH)
    assert (read["found"], read["text"], read["text_truncated"]) == (True, DEPLOYING, False)
    assert wire.call("memory_page_read", path="auto/sop/none.md") == {"found": False}
    assert wire.call("memory_page_read", path="../../etc/passwd") == {"found": False}
    assert wire.call("memory_read", id="../../etc/passwd") == {"found": False}, "as a memory that is not there"


def test_a_search_takes_pages_along_on_request_only(wire: Wire) -> None:
    assert "pages" not in wire.call("memory_search", query="smoke tests staging")
    answer = wire.call("memory_search", query="smoke tests staging", pages=True)
    assert [page["path"] for page in answer["pages"]] == [PATH]


def test_a_page_is_a_resource(wire: Wire) -> None:
    [content] = wire.ask("resources/read", {"uri": f"karte://page/{PATH}"})["result"]["contents"]
    assert json.loads(content["text"])["text"] == DEPLOYING
    for bad in ("karte://page/", "karte://page/../x", "karte://page/auto/sop/none.md"):
        assert wire.ask("resources/read", {"uri": bad})["error"]["code"] == -32602


def test_a_long_page_comes_in_parts_that_make_the_whole(db_path: Path) -> None:
    document = HOLIDAYS + "".join(f"{n}. The step {n} 第{n}条 must be taken “as written”.\n" for n in range(4_000))
    with Karte(db_path) as memory:
        path = memory.file_page(document, origin="user_direct").path
    with serving(db_path) as wire:
        text, offset = "", 0
        while True:
            part = wire.call("memory_page_read", path=path, offset=offset)
            text += part["text"]
            if not part["text_truncated"]:
                break
            offset = part["next_offset"]
        assert text == document


def test_an_agent_gets_nothing_of_a_page_that_was_flagged(db_path: Path) -> None:
    with Karte(db_path) as memory:
        memory.file_page(DEPLOYING, origin="channel:chat")
        memory.invalidate_by_origin("channel:chat")
    with serving(db_path) as wire:
        assert wire.call("memory_page_search", query="smoke tests")["pages"] == []
        assert wire.call("memory_page_read", path=PATH) == {"found": False}


def test_an_offset_past_the_end_says_so_and_one_before_the_beginning_what_it_must_be(wire: Wire) -> None:
    length = len(DEPLOYING)
    for offset in (length, length + 1, 10**9):
        read = wire.call("memory_page_read", path=PATH, offset=offset)
        assert (read["text"], read["text_truncated"], read["total_characters"]) == ("", False, length)
        assert f"has {length} characters" in read["note"]
        assert "next_offset" not in read
    assert "note" not in wire.call("memory_page_read", path=PATH, offset=length - 1)
    error = wire.failed("memory_page_read", path=PATH, offset=-1)
    assert (error["field"], error["remedy"]) == ("offset", "give a whole number of 0 or more")


def test_a_page_search_takes_as_many_as_at_every_other_door_and_no_query_finds_nothing(wire: Wire) -> None:
    assert wire.call("memory_page_search", query="smoke tests", limit=100)["total"] == 1
    assert (
        wire.failed("memory_page_search", query="smoke tests", limit=101)["remedy"]
        == "give a whole number from 1 to 100"
    )
    for query in ("", "   "):
        assert wire.call("memory_page_search", query=query) == {"pages": [], "total": 0, "truncated": False}
        assert wire.call("memory_search", query=query)["memories"] == []


def test_a_text_keeps_its_escapes_as_the_content_of_a_memory_does(db_path: Path) -> None:
    odd = f"{DEPLOYING}\n\x1b[31mred\x1b[0m and \u202eturned\u202c\n"
    with Karte(db_path) as memory:
        memory.file_page(odd, origin="channel:chat")
        memory.store(odd)
    with serving(db_path) as wire:
        assert wire.call("memory_page_read", path=PATH)["text"] == odd
        assert [each["content"] for each in wire.call("memory_search", query="turned")["memories"]] == [odd]
