"""The SDK's server over the tools: lists what the caller may use, calls it on a worker thread.

The engine is synchronous and the event loop must not wait for it. Calls run on threads in three
lanes, so that neither an import nor a search makes a small read or a ``ping`` wait; the lane of
writes is one wide, so that writes happen in the order in which they came. Work that has begun is
never interrupted: a cancelled call is either whole or never began.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final, TypeVar
from urllib.parse import unquote

import anyio
from anyio.to_thread import run_sync
from mcp import types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from karte.domain.scopes import Scope, require
from karte.errors import InvalidInput, KarteError
from karte.interfaces.mcp.arguments import read_arguments
from karte.interfaces.mcp.handlers import Desk
from karte.interfaces.mcp.prompts import PROMPT_BY_NAME, PROMPTS, Prompt
from karte.interfaces.mcp.reflexion import rules
from karte.interfaces.mcp.results import LARGEST_REPLY, cost, failure, fault
from karte.interfaces.mcp.schemas import input_schema
from karte.interfaces.mcp.tool import Lane, Tool
from karte.interfaces.mcp.tools import BY_NAME, INSTRUCTIONS, TOOLS
from karte.interfaces.records import JsonObject, to_json

logger = logging.getLogger(__name__)

WIDTHS: Final[Mapping[Lane, int]] = {"write": 1, "search": 4, "read": 8}
MEMORY_URI: Final = "karte://memory/"
PAGE_URI: Final = "karte://page/"
RULES_URI: Final = "karte://rules"

LONGEST_CLIENT: Final = 100

Context = ServerRequestContext[Any, Any]
Done = TypeVar("Done")


@dataclass
class Lanes:
    """How many calls of each kind run at once; made inside the event loop."""

    limiters: dict[Lane, anyio.CapacityLimiter] = field(default_factory=dict)

    async def run(self, lane: Lane, work: Callable[[], Done]) -> Done:
        """The result of the work, done on a thread of the lane."""
        if lane not in self.limiters:
            self.limiters[lane] = anyio.CapacityLimiter(WIDTHS[lane])
        return await run_sync(work, limiter=self.limiters[lane])


def make_server(desk: Desk) -> Server[Any]:
    """An SDK server over the desk; one for each connection's principal."""
    lanes = Lanes()
    offered = [tool for tool in TOOLS if desk.principal.has(tool.scope)]

    async def list_tools(_: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        _refuse_cursor(params)
        return types.ListToolsResult(tools=[described(tool) for tool in offered])

    async def call_tool(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        tool = BY_NAME.get(params.name)
        if tool is None:
            names = ", ".join(each.name for each in offered)
            raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {params.name[:80]}; there are {names}")
        caller = of_client(desk, context)
        return await lanes.run(tool.lane, lambda: call(tool, caller, params.arguments))

    async def list_resources(_: Context, params: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
        _refuse_cursor(params)
        return types.ListResourcesResult(resources=[RULES_RESOURCE] if desk.principal.has(Scope.READ) else [])

    async def list_templates(
        _: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        _refuse_cursor(params)
        offered_templates = [MEMORY_TEMPLATE, PAGE_TEMPLATE] if desk.principal.has(Scope.READ) else []
        return types.ListResourceTemplatesResult(resource_templates=offered_templates)

    async def read_resource(_: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        if str(params.uri) == RULES_URI:
            return await lanes.run("read", lambda: _rules(desk))
        tool, named = _named_by(str(params.uri))
        result = await lanes.run("read", lambda: call(BY_NAME[tool], desk, named))
        return _as_resource(params.uri, result)

    return Server(
        "karte",
        title="Karte",
        version=own_version(),
        description="A memory that knows since when, from whom, and how to take it back.",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
        **_prompting(desk, lanes),
    )


def _prompting(desk: Desk, lanes: Lanes) -> dict[str, Any]:
    """What answers requests about prompts."""

    async def list_prompts(_: Context, params: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
        _refuse_cursor(params)
        prompts = [prompt for prompt in PROMPTS if desk.principal.has(prompt.scope)]
        return types.ListPromptsResult(prompts=[_offered(each) for each in prompts])

    async def get_prompt(_: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        text = await lanes.run("read", lambda: prompted(params.name, desk, params.arguments or {}))
        message = types.PromptMessage(role="user", content=types.TextContent(type="text", text=text))
        return types.GetPromptResult(description=PROMPT_BY_NAME[params.name].says, messages=[message])

    return {"on_list_prompts": list_prompts, "on_get_prompt": get_prompt}


def described(tool: Tool) -> types.Tool:
    """What ``tools/list`` says of a tool."""
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.says,
        input_schema=input_schema(tool.params),
        output_schema=tool.answers,
        annotations=types.ToolAnnotations(
            title=tool.title,
            read_only_hint=tool.is_read_only,
            destructive_hint=tool.is_destructive,
            idempotent_hint=tool.is_idempotent,
            open_world_hint=False,
        ),
    )


def call(tool: Tool, desk: Desk, given: Mapping[str, Any] | None) -> types.CallToolResult:
    """The reply of one call, on the calling thread; an error is a reply too."""
    try:
        require(desk.principal, tool.scope)
        result = tool.run(desk, read_arguments(tool.params, given))
        if cost(result) <= LARGEST_REPLY:
            return _reply(result)
        logger.error("%s: a result of %d bytes could not be cut", tool.name, cost(result))
    except KarteError as error:
        return _reply(failure(error), is_error=True)
    except Exception:
        logger.exception("%s failed", tool.name)
    return _reply(fault(), is_error=True)


def _offered(prompt: Prompt) -> types.Prompt:
    """What ``prompts/list`` says of a prompt."""
    arguments = [
        types.PromptArgument(name=each.name, description=each.says, required=each.required) for each in prompt.params
    ]
    return types.Prompt(name=prompt.name, title=prompt.title, description=prompt.says, arguments=arguments or None)


def prompted(name: str, desk: Desk, given: Mapping[str, Any]) -> str:
    """The text of a prompt, on the calling thread."""
    prompt = PROMPT_BY_NAME.get(name)
    if prompt is None or not desk.principal.has(prompt.scope):
        raise MCPError(types.INVALID_PARAMS, f"Unknown prompt: {name[:80]}")
    try:
        return prompt.write(desk, read_arguments(prompt.params, given))
    except InvalidInput as error:
        raise MCPError(types.INVALID_PARAMS, str(error)) from error
    except KarteError as error:
        raise MCPError(types.INTERNAL_ERROR, error.message) from error


def of_client(desk: Desk, context: Context) -> Desk:
    """The desk for the program at the other end, under the name that it gives itself."""
    greeting = context.session.client_params
    if desk.principal.client is not None or greeting is None:
        return desk
    name = "".join(letter for letter in greeting.client_info.name if letter.isprintable())[:LONGEST_CLIENT].strip()
    return replace(desk, principal=replace(desk.principal, client=name or None))


def own_version() -> str:
    """The installed version of Karte."""
    try:
        return version("karte")
    except PackageNotFoundError:  # run from a source tree
        return "0"


def _reply(result: JsonObject, *, is_error: bool = False) -> types.CallToolResult:
    text = to_json(result)
    content = [types.TextContent(type="text", text=text)]
    if is_error:  # no structured content: clients would hold it against the output schema
        return types.CallToolResult(content=list(content), is_error=True)
    return types.CallToolResult(content=list(content), structured_content=json.loads(text))


MEMORY_TEMPLATE: Final = types.ResourceTemplate(
    uri_template=MEMORY_URI + "{id}",
    name="memory",
    title="A memory",
    description="One memory by its id, as memory_read gives it.",
    mime_type="application/json",
)


PAGE_TEMPLATE: Final = types.ResourceTemplate(
    uri_template=PAGE_URI + "{+path}",
    name="page",
    title="A knowledge page",
    description="One knowledge page by its path, as memory_page_read gives it.",
    mime_type="application/json",
)


def _named_by(uri: str) -> tuple[str, dict[str, str]]:
    """The tool that reads a resource, and what it is asked for."""
    for prefix, tool, name in ((MEMORY_URI, "memory_read", "id"), (PAGE_URI, "memory_page_read", "path")):
        named = uri.removeprefix(prefix)
        if named not in (uri, ""):
            return tool, {name: unquote(named)}
    raise MCPError(types.INVALID_PARAMS, f"Unknown resource: {uri[:80]}")


def _as_resource(uri: str, result: types.CallToolResult) -> types.ReadResourceResult:
    text = next(each.text for each in result.content if isinstance(each, types.TextContent))
    if result.is_error:
        raise MCPError(types.INVALID_PARAMS, json.loads(text)["error"]["message"])
    if result.structured_content == {"found": False}:
        raise MCPError(types.INVALID_PARAMS, f"Unknown resource: {uri[:80]}")
    contents = types.TextResourceContents(uri=uri, mime_type="application/json", text=text)
    return types.ReadResourceResult(contents=[contents])


RULES_RESOURCE: Final = types.Resource(
    name="rules",
    uri=RULES_URI,
    title="Standing rules",
    description="The rules that mistakes have become, as JSON.",
    mime_type="application/json",
)


def _rules(desk: Desk) -> types.ReadResourceResult:
    """The resource of the standing rules."""
    if not desk.principal.has(Scope.READ):
        raise MCPError(types.INVALID_PARAMS, f"Unknown resource: {RULES_URI}")
    try:
        text = to_json(rules(desk))
    except KarteError as error:
        raise MCPError(types.INTERNAL_ERROR, error.message) from error
    contents = types.TextResourceContents(uri=RULES_URI, mime_type="application/json", text=text)
    return types.ReadResourceResult(contents=[contents])


def _refuse_cursor(params: types.PaginatedRequestParams | None) -> None:
    if params is not None and params.cursor is not None:
        raise MCPError(types.INVALID_PARAMS, "there is only one page; leave cursor out")
