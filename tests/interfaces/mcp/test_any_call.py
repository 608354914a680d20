"""Whatever a model sends to any tool, it gets a bounded reply that it can act on, never a fault."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp.types import CallToolResult, TextContent

from karte import SqliteMemoryEngine
from karte.domain.scopes import Principal, Scope
from karte.interfaces.mcp.application import call
from karte.interfaces.mcp.arguments import Kind, Param
from karte.interfaces.mcp.cursors import Walks
from karte.interfaces.mcp.handlers import Desk
from karte.interfaces.mcp.results import LARGEST_REPLY
from karte.interfaces.mcp.tool import Tool
from karte.interfaces.mcp.tools import TOOLS

pytestmark = [
    pytest.mark.requirement("mcp.generous-input", "mcp.results", "mcp.bounded-replies"),
    pytest.mark.filterwarnings("error"),
]

NAMES = ["user", "User ", "Ａda", "knows", "deploy_target", "東京", "user:1", "category:x", "s\x1ft", "c++", "null"]
TIMES = ["2026", "2026-02", "2026-02-30", "2026-03-01T00:00:00+09:00", "0001", "9999-12-31", "now", "", "-1", "1e99"]

texts = st.text(max_size=20) | st.sampled_from([*NAMES, "\ud83e", "a\x00b", '"', "[1]", "{", " " * 9, "🔑" * 3])
numbers = st.integers() | st.floats() | st.sampled_from([10**400, -1, 0, 5, "5", "0.5", "ten"])
anything = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
times = st.sampled_from(TIMES) | st.datetimes().map(str) | st.integers(-(10**12), 10**13) | st.floats()
by_kind: dict[Kind, st.SearchStrategy[Any]] = {
    "string": texts | st.sampled_from(NAMES),
    "time": times,
    "integer": st.integers(-1, 60) | numbers,
    "number": st.floats(0, 10) | numbers,
    "boolean": st.booleans() | st.sampled_from(["true", "no"]),
    "object": st.dictionaries(texts, anything, max_size=3) | st.just({"reaffirmed_by": []}),
}


def fitting(param: Param) -> st.SearchStrategy[Any]:
    """Mostly what the parameter wants, sometimes anything."""
    if param.choices:
        return st.sampled_from(param.choices) | anything
    if param.kind == "array":
        element = arguments(param.fields) if param.fields else texts
        return st.lists(element, max_size=4) | st.lists(element, max_size=2).map(as_json) | anything
    return by_kind[param.kind] | anything


def arguments(params: tuple[Param, ...]) -> st.SearchStrategy[dict[str, Any]]:
    required = {param.name: fitting(param) for param in params if param.required}
    optional = {param.name: fitting(param) for param in params if not param.required}
    return st.fixed_dictionaries(required, optional=optional)


def as_json(value: object) -> str:
    return json.dumps(value)


@pytest.fixture(scope="module")
def desk() -> Iterator[Desk]:
    with SqliteMemoryEngine(":memory:") as engine:
        principal = Principal(scopes=frozenset(Scope))
        yield Desk(engine=engine, principal=principal, walks=Walks("test"))


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
@given(st.data())
def test_a_call_is_answered_or_refused_in_a_way_that_helps(desk: Desk, tool: Tool, data: st.DataObject) -> None:
    result = call(tool, desk, data.draw(arguments(tool.params)))
    text = said(result)
    assert len(text.encode()) < LARGEST_REPLY
    if result.is_error:
        error = json.loads(text)["error"]
        assert error["code"] != "internal_error"
        assert error["message"]
        assert error.get("field") or error["code"] not in ("invalid_input", "invalid_time", "invalid_text", "too_many")
    else:
        assert result.structured_content == json.loads(text)
        fits(tool.answers, result.structured_content)


def said(result: CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


KINDS: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
}


def fits(schema: dict[str, Any], value: Any, path: str = "") -> None:
    """The value has the type that the schema says, at every depth, and no member that it does not name."""
    is_of_kind = isinstance(value, KINDS[schema["type"]]) and isinstance(value, bool) == (schema["type"] == "boolean")
    assert is_of_kind, f"{path}: {value!r}"
    if schema["type"] == "array":
        for i, element in enumerate(value):
            fits(schema["items"], element, f"{path}[{i}]")
    elif "properties" in schema:
        assert set(schema["required"]) <= set(value) <= set(schema["properties"]), f"{path}: {sorted(value)}"
        for name, inner in value.items():
            fits(schema["properties"][name], inner, f"{path}.{name}")
