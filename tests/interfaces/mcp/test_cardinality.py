"""Predicates with many values: declared on the way of a write where that changes nothing."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.interfaces.mcp.wire import Wire, serving

pytestmark = pytest.mark.requirement("mcp.results", "mcp.scopes")

KNOWS = {"subject": "ada", "predicate": "knows", "valid_from": "2026-01-01"}


@pytest.fixture
def wire(db_path: Path) -> Iterator[Wire]:
    with serving(db_path) as started:
        yield started


def values(wire: Wire, predicate: str = "knows") -> list[str]:
    answer = wire.call("memory_get_at", subject="ada", predicate=predicate)
    return sorted(each["object"] for each in answer["records"])


def test_a_predicate_declared_many_answers_records(wire: Wire) -> None:
    assert wire.call("memory_get_at", subject="ada", predicate="knows")["found"] is False
    for name in ("Bo", "Cy"):
        wire.call("memory_store", **KNOWS, content=f"Ada knows {name}", object=name, cardinality="many")
    answer = wire.call("memory_get_at", subject="Ada", predicate="Knows ")
    assert (answer["found"], answer["total"], answer["truncated"]) == (True, 2, False)
    assert "record" not in answer
    one = wire.call("memory_get_at", subject="ada", predicate="knows", object="bo")
    assert one["record"]["object"] == "Bo"
    assert "records" not in one
    wire.call("memory_end_fact", subject="ada", predicate="knows", object="Bo", at="2026-02-01")
    assert values(wire) == ["Cy"]
    none = wire.call("memory_get_at", subject="nobody", predicate="knows")
    assert (none["found"], none["records"]) == (False, [])


def test_a_declaration_that_would_change_what_is_current_needs_a_curator(wire: Wire, db_path: Path) -> None:
    for name in ("Bo", "Cy"):
        wire.call("memory_store", **KNOWS, content=f"Ada knows {name}", object=name, cardinality="many")
    error = wire.failed("memory_store", **KNOWS, content="Ada knows Di", object="Di", cardinality="one")
    assert (error["code"], error["field"]) == ("scope_denied", "cardinality")
    assert "memory:curate" in error["message"]
    assert values(wire) == ["Bo", "Cy"]
    with serving(db_path, "--scopes", "memory:read,memory:write,memory:curate") as curator:
        curator.call("memory_store", **KNOWS, content="Ada knows Di", object="Di", cardinality="one")
        answer = curator.call("memory_get_at", subject="ada", predicate="knows")
        assert answer["record"]["object"] == "Di"


def test_a_batch_refuses_only_the_items_that_may_not_declare(wire: Wire) -> None:
    for name in ("Bo", "Cy"):
        wire.call("memory_store", **KNOWS, content=f"Ada knows {name}", object=name, cardinality="many")
    items = [
        {**KNOWS, "content": "Ada knows Di", "object": "Di", "cardinality": "one"},
        {**KNOWS, "content": "Ada knows Ed", "object": "Ed"},
        {
            "content": "Ada speaks French",
            "subject": "ada",
            "predicate": "speaks",
            "object": "fr",
            "cardinality": "many",
        },
        {
            "content": "Ada speaks German",
            "subject": "ada",
            "predicate": "speaks",
            "object": "de",
            "cardinality": "many",
        },
        {"content": "no predicate", "cardinality": "many"},
    ]
    results = wire.call("memory_store_batch", items=items)["results"]
    assert [each["status"] for each in results] == ["refused", "stored", "stored", "stored", "refused"]
    assert results[0]["error"]["code"] == "scope_denied"
    assert results[4]["error"]["field"] == "cardinality"
    assert values(wire) == ["Bo", "Cy", "Ed"]
    assert values(wire, "speaks") == ["de", "fr"]


def test_a_write_that_fails_leaves_no_declaration(wire: Wire) -> None:
    wire.failed("memory_store", **{**KNOWS, "valid_from": "soon"}, content="x", object="Bo", cardinality="many")
    for name in ("Bo", "Cy"):
        wire.call("memory_store", **KNOWS, content=f"Ada knows {name}", object=name)
    answer = wire.call("memory_get_at", subject="ada", predicate="knows")
    assert answer["record"]["object"] == "Cy"


def test_a_cardinality_is_one_or_many(wire: Wire) -> None:
    error = wire.failed("memory_store", **KNOWS, content="x", cardinality="several")
    assert (error["field"], error["remedy"]) == ("cardinality", "give one of one, many")
