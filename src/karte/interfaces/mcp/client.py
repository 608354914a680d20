"""A conversation with an MCP server over a pipe, as a real client has it: for the demo.

It starts the server as a child process and uses the official SDK's own client, so that what the
demo shows is what any client gets.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final

from mcp import Client, StdioServerParameters

ANSWER_SECONDS: Final = 30.0


class ToolError(Exception):
    """The server answered a call with an error; the text is the server's."""


class Conversation:
    """Calls tools and gives their structured content."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def tools(self) -> list[str]:
        """The names of the tools that the server offers."""
        return [tool.name for tool in (await self._client.list_tools()).tools]

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """What a tool answers; raises ``ToolError`` where it answers an error."""
        result = await self._client.call_tool(tool, dict(arguments))
        if result.is_error or not isinstance(result.structured_content, dict):
            raise ToolError("".join(getattr(part, "text", "") for part in result.content))
        return result.structured_content


@asynccontextmanager
async def conversation(command: Sequence[str], environment: Mapping[str, str]) -> AsyncIterator[Conversation]:
    """Start ``command`` as a server over standard input and output, and talk to it until the end."""
    server = StdioServerParameters(command=command[0], args=list(command[1:]), env=dict(environment))
    async with Client(server, read_timeout_seconds=ANSWER_SECONDS) as client:
        yield Conversation(client)
