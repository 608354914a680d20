"""A raw end of the pipe: bytes to a real `karte mcp`, and whatever lines come back."""

import contextlib
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

TIMEOUT = 20.0
SILENCE = 0.3
PROTOCOL = "2025-11-25"

Message = dict[str, Any]


class Wire:
    """A server as a child process; every line that it writes is judged to be JSON-RPC."""

    def __init__(self, *command: str, env: Mapping[str, str] | None = None) -> None:
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 (closed with the wire)
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            env={**os.environ, **(env or {})},
        )
        self.lines: list[bytes] = []
        self._arrived: queue.Queue[bytes | None] = queue.Queue()
        self._others: dict[tuple[type, Any], Message] = {}
        self._ids = iter(range(1_000, 1_000_000))
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._arrived.put(line)
        self._arrived.put(None)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(5)
        self.process.kill()
        self.process.wait()
        self._reader.join(5)
        assert self.process.stdout is not None
        self.process.stdout.close()
        self._stderr.close()

    def write(self, raw: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(raw)
        self.process.stdin.flush()

    def send(self, message: object) -> None:
        self.write(json.dumps(message).encode() + b"\n")

    def receive(self, timeout: float = TIMEOUT) -> Message:
        """The next line, which must be one JSON-RPC object on one line that ends in a bare newline."""
        line = self._arrived.get(timeout=timeout)
        assert line is not None, f"the server ended: {self.errors()}"
        self.lines.append(line)
        assert line.endswith(b"\n")
        assert not line.endswith(b"\r\n")
        message: Message = json.loads(line.decode("utf-8"))
        assert message["jsonrpc"] == "2.0"
        return message

    def is_silent(self, seconds: float = SILENCE) -> bool:
        try:
            line = self._arrived.get(timeout=seconds)
        except queue.Empty:
            return True
        if line is not None:
            self.lines.append(line)
        return line is None

    def request(self, method: str, params: Mapping[str, Any] | None = None) -> int:
        """Send a request and give its id."""
        request_id = next(self._ids)
        self.send({"jsonrpc": "2.0", "id": request_id, "method": method, **({"params": params} if params else {})})
        return request_id

    def reply(self, request_id: object, timeout: float = TIMEOUT) -> Message:
        """The reply to a request; replies to others are kept for those who ask."""
        key = (type(request_id), request_id)
        until = time.monotonic() + timeout
        while key not in self._others:
            message = self.receive(max(0.001, until - time.monotonic()))
            found = (type(message.get("id")), message.get("id"))
            assert found not in self._others, f"a second reply: {message}"
            self._others[found] = message
        return self._others.pop(key)

    def ask(self, method: str, params: Mapping[str, Any] | None = None, timeout: float = TIMEOUT) -> Message:
        return self.reply(self.request(method, params), timeout)

    def start_call(self, tool: str, **arguments: Any) -> int:
        return self.request("tools/call", {"name": tool, "arguments": arguments})

    def call(self, tool: str, **arguments: Any) -> Message:
        """The structured content of a call that must succeed."""
        result = self.ask("tools/call", {"name": tool, "arguments": arguments})["result"]
        assert not result.get("isError"), result
        structured: Message = result["structuredContent"]
        assert json.loads(result["content"][0]["text"]) == structured
        return structured

    def failed(self, tool: str, **arguments: Any) -> Message:
        """The error of a call that must fail as a tool error."""
        return error_of(self.ask("tools/call", {"name": tool, "arguments": arguments}))

    def notify(self, method: str, params: Mapping[str, Any] | None = None) -> None:
        self.send({"jsonrpc": "2.0", "method": method, **({"params": params} if params else {})})

    def greet(self) -> Message:
        """The handshake; gives the server's answer."""
        hello = {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        result: Message = self.ask("initialize", hello)["result"]
        self.notify("notifications/initialized")
        return result

    def close(self) -> None:
        """Close the client's end of standard input."""
        assert self.process.stdin is not None
        with contextlib.suppress(OSError):
            self.process.stdin.close()

    def errors(self) -> str:
        """What the server has said on standard error so far."""
        self._stderr.seek(0)
        return self._stderr.read().decode("utf-8", "replace")


def error_of(reply: Message) -> Message:
    result = reply["result"]
    assert result["isError"] is True
    assert "structuredContent" not in result
    error: Message = json.loads(result["content"][0]["text"])["error"]
    return error


def mcp_command(db: Path, *options: str) -> list[str]:
    return [sys.executable, "-m", "karte", "--db", str(db), "mcp", *options]


def patched_command(db: Path, patch: str) -> list[str]:
    """`karte mcp` in a process where `patch` has run first."""
    program = f"{patch}\nfrom karte.interfaces.cli.main import main\nmain(['--db', {str(db)!r}, 'mcp'])"
    return [sys.executable, "-c", program]


def serving(db: Path, *options: str, env: Mapping[str, str] | None = None) -> Wire:
    """A server over a file, after the handshake."""
    wire = Wire(*mcp_command(db, *options), env=env)
    wire.greet()
    return wire


SLOW_SEARCH = """
import time
from karte import SqliteMemoryEngine
fast = SqliteMemoryEngine.search
def search(self, agent, query, *args, **more):
    time.sleep(float(query.split()[1]) if query.startswith("sleep ") else 0)
    return fast(self, agent, query, *args, **more)
SqliteMemoryEngine.search = search
"""

SLOW_STORE = """
import time
from karte import SqliteMemoryEngine
fast = SqliteMemoryEngine.store
def store(self, entry, *args, **more):
    time.sleep(float(entry.content.split()[1]) if entry.content.startswith("sleep ") else 0)
    return fast(self, entry, *args, **more)
SqliteMemoryEngine.store = store
"""
