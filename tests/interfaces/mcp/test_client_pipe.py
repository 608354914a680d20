"""The SDK's own client over a real pipe to the installed command, in both eras of the protocol."""

import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.types import CallToolResult, TextContent, TextResourceContents

from karte.interfaces.mcp.tools import BY_NAME, INSTRUCTIONS
from tests.interfaces.mcp.wire import mcp_command

pytestmark = [pytest.mark.anyio, pytest.mark.requirement("mcp.real-pipe")]

eras = pytest.mark.parametrize("mode", ["legacy", "auto", "2026-07-28"])

READERS = {
    "memory_search",
    "memory_read",
    "memory_fetch_batch",
    "memory_get_history",
    "memory_get_at",
    "memory_alias_list",
    "memory_context",
    "memory_page_search",
    "memory_page_read",
}
WRITERS = {"memory_store", "memory_store_batch", "memory_end_fact", "memory_alias_add", "memory_record_mistake"}


@asynccontextmanager
async def client_of(db: Path, *options: str, mode: str = "auto") -> AsyncIterator[Client]:
    command = mcp_command(db, *options)
    server = StdioServerParameters(command=command[0], args=command[1:], env=inherited())
    async with Client(server, mode=mode, read_timeout_seconds=30) as client:
        yield client


def inherited() -> dict[str, str]:
    return {"PYTHONPATH": ":".join(path for path in sys.path if path)}


async def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """The structured content, which the client has held against the output schema."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, text_of(result)
    assert isinstance(result.structured_content, dict)
    assert json.loads(text_of(result)) == result.structured_content
    assert "null" not in json.dumps(result.structured_content)
    return result.structured_content


async def error(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    assert result.structured_content is None
    said: dict[str, Any] = json.loads(text_of(result))["error"]
    assert set(said) <= {"code", "message", "field", "remedy"}
    return said


def text_of(result: CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


@eras
async def test_a_client_of_either_era_is_told_what_there_is(db_path: Path, mode: str) -> None:
    async with client_of(db_path, mode=mode) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} == READERS | WRITERS
        if mode != "2026-07-28":  # pinned to an era, the client asks for nothing first
            assert client.instructions == INSTRUCTIONS
            assert client.server_info is not None
            assert client.server_info.name == "karte"
        stored = await call(client, "memory_store", content="hello")
        assert (await call(client, "memory_read", id=stored["id"]))["memory"]["content"] == "hello"


@pytest.mark.requirement("mcp.results")
@eras
async def test_a_fact_is_stored_read_replaced_and_ended(db_path: Path, mode: str) -> None:
    fact = {"subject": "user", "predicate": "deploy_target"}
    async with client_of(db_path, mode=mode) as client:
        first = await call(
            client, "memory_store", **fact, content="Deploys go to Vercel", object="Vercel", valid_from="2026-01-01"
        )
        second = await call(
            client,
            "memory_store",
            **fact,
            content="Deploys go to Cloudflare Workers",
            object="Cloudflare Workers",
            valid_from="2026-03-03",
        )
        assert second["status"] == "stored"
        assert second["is_current"] is True
        assert second["superseded"] == [first["id"]]
        early = await call(client, "memory_get_at", **fact, at="2026-02-01")
        assert early["record"]["object"] == "Vercel"
        assert early["at"] == "2026-02-01T00:00:00.000000+00:00"
        late = await call(client, "memory_get_at", **fact)
        assert late["record"]["object"] == "Cloudflare Workers"
        history = await call(client, "memory_get_history", **fact)
        assert [each["object"] for each in history["records"]] == ["Vercel", "Cloudflare Workers"]
        assert (history["total"], history["truncated"]) == (2, False)
        found = await call(client, "memory_search", query="where do we deploy?", explain=True)
        assert [each["object"] for each in found["memories"]] == ["Cloudflare Workers"]
        assert found["memories"][0]["explain"]["terms"]
        ended = await call(client, "memory_end_fact", **fact, at="2026-05-01")
        assert (ended["ended"], ended["held"]) == ([second["id"]], False)
        assert (await call(client, "memory_get_at", **fact))["found"] is False
        old = await call(client, "memory_read", id=first["id"])
        assert old["memory"]["superseded_by"] == second["id"]


@pytest.mark.requirement("mcp.results", "batch.as-asked")
async def test_a_batch_fetch_answers_in_order_and_names_what_is_missing(db_path: Path) -> None:
    async with client_of(db_path) as client:
        stored = await call(client, "memory_store_batch", items=[{"content": f"note {i}"} for i in range(3)])
        ids = [each["id"] for each in stored["results"]]
        asked = [ids[2], "nowhere", ids[0], ids[2], ""]
        fetched = await call(client, "memory_fetch_batch", ids=asked)
        assert [each["id"] for each in fetched["memories"]] == [ids[2], ids[0]]
        assert fetched["missing_ids"] == ["nowhere", ""]
        assert (fetched["total_found"], fetched["total_missing"], fetched["truncated"]) == (2, 2, False)
        assert await call(client, "memory_fetch_batch", ids=[]) == {
            "memories": [],
            "missing_ids": [],
            "total_found": 0,
            "total_missing": 0,
            "truncated": False,
        }
        assert (await error(client, "memory_fetch_batch", ids=["x"] * 101))["field"] == "ids"
        assert await call(client, "memory_read", id="nowhere") == {"found": False}


@pytest.mark.requirement("mcp.generous-input")
async def test_arguments_are_read_generously_and_bad_ones_named(db_path: Path) -> None:
    async with client_of(db_path) as client:
        stored = await call(
            client,
            "memory_store",
            content='["looks like a list"]',
            tags='["a","b"]',
            metadata='{"session": "7"}',
            confidence="0.8",
            importance="7.0",
            valid_until="null",
            layer="",
        )
        memory = (await call(client, "memory_read", id=stored["id"]))["memory"]
        assert memory["content"] == '["looks like a list"]'
        assert memory["tags"] == ["a", "b"]
        assert memory["metadata"] == {"session": "7"}
        assert (memory["confidence"], memory["importance"]) == (0.8, 7.0)
        assert (await call(client, "memory_fetch_batch", ids=json.dumps([stored["id"]])))["total_found"] == 1
        assert (await call(client, "memory_fetch_batch", ids=stored["id"]))["total_found"] == 1
        for limit in ("5", "5.0", 5.0, "", None):
            assert (await call(client, "memory_search", query="list", limit=limit))["total"] == 1
        for limit in ("ten", True, 0):
            said = await error(client, "memory_search", query="list", limit=limit)
            assert (said["code"], said["field"]) == ("invalid_input", "limit")
        assert (await error(client, "memory_search", query="x", agent="eve"))["field"] == "agent"
        assert (await error(client, "memory_fetch_batch", ids=json.dumps(["x"] * 101)))["code"] == "too_many"
        assert (await error(client, "memory_store", content="x", valid_from="yesterday"))["field"] == "valid_from"
        assert (await error(client, "memory_store", content=""))["code"] == "invalid_text"


@pytest.mark.requirement("mcp.scopes")
@pytest.mark.parametrize(
    ("scopes", "offered"),
    [
        ("memory:read", READERS),
        ("memory:write", WRITERS),
        ("memory:read,memory:write,memory:curate,admin", set(BY_NAME)),
        ("memory:curate", {"memory_approvals", "memory_decide"}),
        ("admin", {"memory_invalidate_by_origin"}),
    ],
)
async def test_a_tool_without_its_scope_is_neither_listed_nor_callable(
    db_path: Path, scopes: str, offered: set[str]
) -> None:
    async with client_of(db_path, "--scopes", scopes, mode="legacy") as client:
        assert {tool.name for tool in (await client.list_tools()).tools} == offered
        for name in set(BY_NAME) - offered:
            required: dict[str, Any] = {param.name: "x" for param in BY_NAME[name].params if param.required}
            said = await error(client, name, **required)
            assert said["code"] == "scope_denied"
            assert BY_NAME[name].scope in said["message"]


@pytest.mark.requirement("mcp.scopes", "trust.door-defaults", "read.only-own-agent")
async def test_agent_and_origin_come_from_the_launch(db_path: Path) -> None:
    async with client_of(db_path) as client:
        stored = await call(client, "memory_store", content="from an agent")
        memory = (await call(client, "memory_read", id=stored["id"]))["memory"]
        assert (memory["origin"], memory["origin_trust"]) == ("agent_derived", 0.6)
    async with client_of(db_path, "--origin", "user_direct:desk") as client:
        said = await call(client, "memory_store", content="from a person")
        memory = (await call(client, "memory_read", id=said["id"]))["memory"]
        assert (memory["origin"], memory["origin_trust"]) == ("user_direct:desk", 1.0)
    command = mcp_command(db_path)
    server = StdioServerParameters(command=command[0], args=command[1:], env={**inherited(), "KARTE_AGENT": "eve"})
    async with Client(server) as client:
        for wanted in (stored["id"], stored["id"][:8], stored["id"].upper(), "0" * 36):
            assert await call(client, "memory_read", id=wanted) == {"found": False}
        fetched = await call(client, "memory_fetch_batch", ids=[stored["id"], "made up", said["id"]])
        assert fetched["memories"] == []
        assert fetched["missing_ids"] == [stored["id"], "made up", said["id"]]
        assert (await call(client, "memory_search", query="agent person"))["memories"] == []


async def test_a_memory_is_a_resource_too(db_path: Path) -> None:
    async with client_of(db_path) as client:
        templates = (await client.list_resource_templates()).resource_templates
        assert [each.uri_template for each in templates] == ["karte://memory/{id}", "karte://page/{+path}"]
        stored = await call(client, "memory_store", content="東京")
        (contents,) = (await client.read_resource(f"karte://memory/{stored['id']}")).contents
        assert isinstance(contents, TextResourceContents)
        assert json.loads(contents.text) == await call(client, "memory_read", id=stored["id"])
        for uri in ("karte://memory/nowhere", "karte://memory/", "file:///etc/passwd"):
            with pytest.raises(MCPError) as raised:
                await client.read_resource(uri)
            assert raised.value.error.code == -32602
