"""What `tools/list` says: flat, plainly typed, annotated, and true."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from karte.domain.scopes import Scope
from karte.interfaces.mcp.application import described
from karte.interfaces.mcp.arguments import read_arguments
from karte.interfaces.mcp.schemas import input_schema
from karte.interfaces.mcp.tool import Tool
from karte.interfaces.mcp.tools import BY_NAME, INSTRUCTIONS, TOOLS

pytestmark = pytest.mark.requirement("mcp.flat-schemas")

every_tool = pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)

WORDS = {"type", "properties", "required", "items", "description", "enum"}
PLAIN = {"string", "integer", "number", "boolean", "array", "object"}
WRITERS = {"memory_store", "memory_store_batch", "memory_end_fact"}
SCOPES = {
    **dict.fromkeys(WRITERS, Scope.WRITE),
    "memory_alias_add": Scope.WRITE,
    "memory_record_mistake": Scope.WRITE,
    "memory_approvals": Scope.CURATE,
    "memory_decide": Scope.CURATE,
    "memory_invalidate_by_origin": Scope.ADMIN,
}
CHANGING = {
    *WRITERS,
    "memory_alias_add",
    "memory_record_mistake",
    "memory_decide",
    "memory_invalidate_by_origin",
}
ADDING = {"memory_store", "memory_store_batch", "memory_record_mistake", "memory_invalidate_by_origin"}


def subschemas(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield schema
    for inner in schema.get("properties", {}).values():
        yield from subschemas(inner)
    if "items" in schema:
        yield from subschemas(schema["items"])


def test_the_tools_of_this_door_are_there() -> None:
    assert set(BY_NAME) == {
        "memory_store",
        "memory_store_batch",
        "memory_search",
        "memory_read",
        "memory_fetch_batch",
        "memory_get_history",
        "memory_get_at",
        "memory_end_fact",
        "memory_context",
        "memory_record_mistake",
        "memory_page_search",
        "memory_page_read",
        "memory_alias_add",
        "memory_alias_list",
        "memory_approvals",
        "memory_decide",
        "memory_invalidate_by_origin",
    }


@every_tool
def test_every_schema_is_flat_and_plainly_typed(tool: Tool) -> None:
    for schema in (input_schema(tool.params), tool.answers):
        assert schema["type"] == "object"
        for inner in subschemas(schema):
            assert isinstance(inner, dict)
            assert set(inner) <= WORDS
            assert inner["type"] in PLAIN
            assert (inner["type"] == "array") == ("items" in inner)
            assert set(inner.get("required", [])) <= set(inner.get("properties", {}))
            assert all(isinstance(each, str) for each in inner.get("enum", []))


@every_tool
def test_every_argument_is_described(tool: Tool) -> None:
    for inner in subschemas(input_schema(tool.params)):
        for name, member in inner.get("properties", {}).items():
            assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name)
            assert member["description"]


@every_tool
def test_every_tool_has_a_name_a_title_a_description_and_annotations(tool: Tool) -> None:
    said = described(tool).model_dump(by_alias=True, mode="json", exclude_none=True)
    assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", said["name"])
    assert said["title"]
    assert said["description"]
    assert said["annotations"] == {
        "title": said["title"],
        "readOnlyHint": tool.name not in CHANGING,
        "destructiveHint": tool.name in {"memory_end_fact", "memory_decide", "memory_invalidate_by_origin"},
        "idempotentHint": tool.name not in ADDING,
        "openWorldHint": False,
    }
    assert said["outputSchema"]["type"] == "object"
    assert "null" not in json.dumps(said)


@every_tool
def test_every_tool_can_be_called_with_its_required_arguments_alone(tool: Tool) -> None:
    required = {
        param.name: [] if param.kind == "array" else param.choices[0] if param.choices else "x"
        for param in tool.params
        if param.required
    }
    assert set(read_arguments(tool.params, required)) == set(required)


@every_tool
def test_no_tool_takes_agent_or_origin(tool: Tool) -> None:
    names = {name for inner in subschemas(input_schema(tool.params)) for name in inner.get("properties", {})}
    if tool.name == "memory_invalidate_by_origin":  # there it is what falls, not on whose word the call is made
        names -= {"origin"}
    assert not names & {"agent", "agent_id", "origin", "origin_trust", "id_", "quarantined"}


@every_tool
def test_writing_needs_the_scope_to_write_reading_that_to_read_and_curating_its_own(tool: Tool) -> None:
    assert tool.scope is SCOPES.get(tool.name, Scope.READ)


def test_writers_say_how_valid_until_and_an_end_differ_and_that_outcomes_say_what_holds_now() -> None:
    for name in WRITERS:
        says = BY_NAME[name].says
        assert "valid_until" in says
        assert "what holds now" in says
    assert "memory_end_fact" in BY_NAME["memory_store"].says


def test_the_instructions_say_when_to_recall_and_when_to_store() -> None:
    assert "Recall before" in INSTRUCTIONS
    assert "Store when" in INSTRUCTIONS
    for name in re.findall(r"memory_\w+", INSTRUCTIONS):
        assert name in BY_NAME
