"""How one door starts another: the only module that knows several, and imports each lazily.

The command line has a sub-command for the MCP server and a demo that is an MCP client; it reaches
both through here, so that the doors themselves never import each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

from karte.config import Config


class Conversation(Protocol):
    """An MCP client's side of a connection."""

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """What a tool answers; raises where it answers an error."""


def serve_stdio(
    *,
    config: Config,
    db: str | None = None,
    agent: str | None = None,
    scopes: Sequence[str] | None = None,
    origin: str | None = None,
) -> int:
    """Serve MCP over standard input and output until the client closes; gives the exit code.

    What is None is taken from ``config``.
    """
    from karte.interfaces.mcp.server import run_stdio  # noqa: PLC0415 (the SDK takes a second to load)

    return run_stdio(
        config=config,
        db=db or config.engine.path,
        agent=agent or config.engine.agent,
        scopes=tuple(config.server.scopes if scopes is None else scopes),
        origin=origin or config.server.origin,
    )


def converse(command: Sequence[str], environment: dict[str, str]) -> AbstractAsyncContextManager[Conversation]:
    """Start an MCP server as a child process and talk to it as a client would."""
    from karte.interfaces.mcp.client import conversation  # noqa: PLC0415 (as above)

    return conversation(command, environment)
