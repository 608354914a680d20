"""A model behind an endpoint: a small server on a real socket that speaks as OpenAI's does, or as it is told to."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self, TypeAlias

from tests.service.local_server import LocalServer, Quiet

Handler: TypeAlias = http.server.BaseHTTPRequestHandler
Answer: TypeAlias = Callable[[Handler], None]


@dataclass(frozen=True)
class Asked:
    """One request that came in."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]

    @property
    def system(self) -> str:
        return str(self.body["messages"][0]["content"])

    @property
    def data(self) -> str:
        return str(self.body["messages"][1]["content"])

    @property
    def turns(self) -> list[dict[str, Any]]:
        """The turns as a reader of the marks finds them."""
        first, *lines, last = self.data.split("\n")
        assert (first, last) == ("<turns>", "</turns>")
        return [json.loads(line) for line in lines]


# --- the answers -----------------------------------------------------------------------------


def plain(status: int, body: bytes = b"", **headers: str) -> Answer:
    """An answer of these bytes."""

    def answer(handler: Handler) -> None:
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.send_header("content-length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    return answer


def says(content: object, finish_reason: str = "stop", **message: object) -> Answer:
    """A chat completion with this content (a text as it stands, anything else as JSON)."""
    text = content if isinstance(content, str) or content is None else json.dumps(content)
    choice = {"index": 0, "finish_reason": finish_reason, "message": {"role": "assistant", "content": text, **message}}
    return plain(200, json.dumps({"object": "chat.completion", "choices": [choice]}).encode())


def tells(*facts: object) -> Answer:
    """A chat completion with these facts."""
    return says({"facts": facts})


def fact(turn: int, content: str, **other: object) -> dict[str, object]:
    """A fact as a good reply tells it."""
    told: dict[str, object] = {"turn": turn, "content": content, "subject": "Mia", "predicate": "says"}
    told |= {"object": None, "valid_from": None, "valid_until": None, "many": False}
    return told | other


def hangs_up(handler: Handler) -> None:
    """Closes the connection without a word."""
    handler.close_connection = True


def breaks_off(handler: Handler) -> None:
    """Announces more than it says."""
    handler.send_response(200)
    handler.send_header("content-length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"choices": [')
    handler.close_connection = True


def is_silent(handler: Handler) -> None:
    """Says nothing until the other side has gone."""
    handler.rfile.read(1)


def drips(handler: Handler) -> None:
    """Says a little again and again, so that no single wait is long."""
    handler.send_response(200)
    handler.end_headers()
    try:
        while True:
            handler.wfile.write(b" ")
            threading.Event().wait(0.02)
    except OSError:
        handler.close_connection = True


def floods(handler: Handler) -> None:
    """Says more than anybody wants to read."""
    handler.send_response(200)
    handler.end_headers()
    try:
        for _ in range(10_000):
            handler.wfile.write(b" " * 65_536)
    except OSError:
        handler.close_connection = True


# --- the server ------------------------------------------------------------------------------


@dataclass
class ModelServer(LocalServer):
    """``with ModelServer() as server``: gives ``answers`` one after another, then replies without facts."""

    answers: list[Answer] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)

    def __enter__(self) -> Self:
        server = self

        class Speaker(Quiet):
            def do_POST(self) -> None:  # noqa: N802 (the name that the server looks for)
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                headers = {name.lower(): value for name, value in self.headers.items()}
                server.asked.append(Asked(self.path, headers, body))
                answer = server.answers.pop(0) if server.answers else tells()
                answer(self)

        self.serve(Speaker)
        return self

    @property
    def url(self) -> str:
        return f"{self.address}/v1"
