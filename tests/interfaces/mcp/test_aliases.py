"""The other names of things, as an agent gives and reads them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.interfaces.mcp.wire import Wire, serving

pytestmark = pytest.mark.requirement("mcp.results", "mcp.scopes")


@pytest.fixture
def wire(db_path: Path) -> Iterator[Wire]:
    with serving(db_path) as started:
        yield started


def test_what_is_said_of_one_name_is_found_by_the_other(wire: Wire) -> None:
    wire.call("memory_store", content="Robert is in Oslo", subject="Robert", predicate="city", object="Oslo")
    assert wire.call("memory_alias_list") == {"aliases": [], "total": 0}
    pair = {"canonical": "robert", "alias": "bob"}
    assert wire.call("memory_alias_add", canonical="Robert", alias=" Bob ") == pair
    assert wire.call("memory_alias_list") == {"aliases": [pair], "total": 1}
    assert wire.call("memory_get_at", subject="bob", predicate="city")["record"]["object"] == "Oslo"


def test_an_alias_of_an_alias_answers_the_name_that_both_stand_for(wire: Wire) -> None:
    wire.call("memory_alias_add", canonical="robert", alias="bob")
    assert wire.call("memory_alias_add", canonical="bob", alias="bobby") == {"canonical": "robert", "alias": "bobby"}


def test_a_circle_of_aliases_is_refused(wire: Wire) -> None:
    wire.call("memory_alias_add", canonical="robert", alias="bob")
    assert wire.failed("memory_alias_add", canonical="bob", alias="robert")["code"] == "alias_cycle"


def test_a_reader_may_list_aliases_and_not_add_them(db_path: Path) -> None:
    with serving(db_path, "--scopes", "memory:read") as reader:
        assert reader.call("memory_alias_list")["total"] == 0
        assert reader.failed("memory_alias_add", canonical="robert", alias="bob")["code"] == "scope_denied"


def test_a_source_that_nobody_vouches_for_names_nothing_anew(db_path: Path) -> None:
    with serving(db_path, "--origin", "channel:web") as stranger:
        assert stranger.failed("memory_alias_add", canonical="robert", alias="bob")["code"] == "scope_denied"
        assert stranger.call("memory_alias_list")["total"] == 0
