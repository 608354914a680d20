"""The wire between the pipes and the SDK: lines in, judged; frames out, one at a time.

When the input ends, requests that were read are still answered, for as long as ``GRACE_SECS``
(the SDK would drop them); after ``LAST_SECS`` the process ends, whatever hangs. A write that is
under way then is undone by the next opening, as after any kill.
"""

from __future__ import annotations

import asyncio
import logging
import math
import os
import sys
import threading
from collections import Counter
from contextlib import suppress
from typing import Any, Final, TypeAlias

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from anyio.to_thread import run_sync
from mcp import types
from mcp.server.lowlevel import Server
from mcp.shared.message import SessionMessage
from pydantic import ValidationError
from pydantic_core import PydanticSerializationError

from karte.interfaces.mcp.lines import Answer, Body, Judgement, LineSplitter, Message, frame
from karte.interfaces.mcp.pipes import Pipes

logger = logging.getLogger(__name__)

GRACE_SECS: Final = 1.0
LAST_SECS: Final = 1.5
SWITCH_SECS: Final = 0.001  # how soon a busy thread lets the event loop have its turn

ToServer: TypeAlias = MemoryObjectSendStream[SessionMessage | Exception]


class Ledger:
    """The requests that were read and not yet answered, by id and its type."""

    def __init__(self) -> None:
        self._open: Counter[tuple[type, Any]] = Counter()
        self._lock = threading.Lock()
        self._last_reply = anyio.Event()
        self.input_ended = anyio.Event()

    def note_request(self, body: Body) -> None:
        """Count a message that came in."""
        if "method" in body and "id" in body:
            self._change(body["id"], 1)
        elif body.get("method") == "notifications/cancelled":
            self._change((body.get("params") or {}).get("requestId"), -1)

    def note_reply(self, message: types.JSONRPCMessage) -> None:
        """Count a message that went out."""
        if isinstance(message, types.JSONRPCResponse | types.JSONRPCError):
            self._change(message.id, -1)
            if not self._open:
                self._last_reply.set()

    async def settle(self) -> None:
        """Wait until nobody waits for an answer; nothing may come in any more."""
        self._last_reply = anyio.Event()
        if self._open:
            await self._last_reply.wait()

    def _change(self, id: object, by: int) -> None:
        if not isinstance(id, str | int):
            return
        with self._lock:
            key = (type(id), id)
            self._open[key] = max(0, self._open[key] + by)
            if not self._open[key]:
                del self._open[key]


def serve(pipes: Pipes, server: Server[Any]) -> None:
    """Serve one client over the pipes until it closes them."""
    sys.setswitchinterval(SWITCH_SECS)
    anyio.run(_serve, pipes, server)


async def _serve(pipes: Pipes, server: Server[Any]) -> None:
    to_server, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](math.inf)
    outgoing, from_server = anyio.create_memory_object_stream[SessionMessage](0)
    ledger = Ledger()
    reader = threading.Thread(
        target=_read, args=(pipes, to_server, ledger, asyncio.get_running_loop()), name="karte-mcp-reader", daemon=True
    )
    async with to_server, from_server, anyio.create_task_group() as group:
        group.start_soon(_write, pipes, from_server, ledger, group.cancel_scope)
        group.start_soon(_close_when_settled, to_server, ledger)
        reader.start()
        await server.run(incoming, outgoing, server.create_initialization_options())


def _read(pipes: Pipes, to_server: ToServer, ledger: Ledger, loop: asyncio.AbstractEventLoop) -> None:
    """The reading thread: judge lines, hand messages on, answer the rest, and see the end coming.

    It waits for nobody: under load every hand-over that waits for the event loop would cost a turn
    of each busy thread, and a ``ping`` would stand behind all of them.
    """

    def take(judgement: Judgement) -> None:
        match judgement:
            case Answer(body):
                pipes.write(frame(body))
            case Message(body):
                with suppress(ValidationError):  # a response to nothing, and malformed: nobody waits for an answer
                    message = to_message(body)
                    ledger.note_request(body)
                    loop.call_soon_threadsafe(_hand_on, to_server, SessionMessage(message))

    splitter = LineSplitter()
    try:
        for chunk in pipes.chunks():
            for judgement in splitter.feed(chunk):
                take(judgement)
        take(splitter.end())
    except OSError:
        logger.info("the client reads no more")
    except RuntimeError:
        logger.debug("the event loop has ended")
    finally:
        _end_soon()
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(ledger.input_ended.set)


def _hand_on(to_server: ToServer, message: SessionMessage) -> None:
    with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
        to_server.send_nowait(message)


def to_message(body: Body) -> types.JSONRPCMessage:
    """The SDK's form of a judged message; only a response can be malformed still (``ValidationError``)."""
    if "method" in body:
        return types.JSONRPCRequest(**body) if "id" in body else types.JSONRPCNotification(**body)
    return types.JSONRPCError(**body) if "error" in body else types.JSONRPCResponse(**body)


async def _close_when_settled(to_server: ToServer, ledger: Ledger) -> None:
    await ledger.input_ended.wait()
    with anyio.move_on_after(GRACE_SECS):
        await ledger.settle()
    await to_server.aclose()


def _end_soon() -> None:
    """Make sure that the process ends, also when a thread hangs in its work."""
    watch = threading.Timer(LAST_SECS, os._exit, (0,))
    watch.daemon = True
    watch.start()


async def _write(
    pipes: Pipes, from_server: MemoryObjectReceiveStream[SessionMessage], ledger: Ledger, scope: anyio.CancelScope
) -> None:
    one_at_a_time = anyio.CapacityLimiter(1)
    async for item in from_server:
        try:
            await run_sync(pipes.write, to_line(item.message), limiter=one_at_a_time)
        except OSError:
            logger.info("the client reads no more")
            _end_soon()
            scope.cancel()
            return
        ledger.note_reply(item.message)


def to_line(message: types.JSONRPCMessage) -> bytes:
    """The frame of a message: UTF-8, not escaped to ASCII, one bare newline at its end."""
    try:
        return message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"
    except (PydanticSerializationError, UnicodeEncodeError):  # half a surrogate pair that came back in an error
        return frame(message.model_dump(by_alias=True, exclude_unset=True))
