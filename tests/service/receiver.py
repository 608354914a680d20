"""The other side of a webhook: a small server on a real socket that answers as it is told to."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Self

from tests.service.local_server import LocalServer, Quiet

WAIT_SECS = 20.0


@dataclass(frozen=True)
class Posted:
    """One request that came in."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def data(self) -> dict[str, Any]:
        data: dict[str, Any] = json.loads(self.body)
        return data


@dataclass
class Receiver(LocalServer):
    """``with Receiver() as receiver``: answers 204, or what ``answers`` says first."""

    answers: list[int | Callable[[http.server.BaseHTTPRequestHandler], None]] = field(default_factory=list)
    posted: list[Posted] = field(default_factory=list)
    arrived: threading.Condition = field(default_factory=threading.Condition)

    def __enter__(self) -> Self:
        receiver = self

        class Handler(Quiet):
            def do_POST(self) -> None:  # noqa: N802 (the name that the server looks for)
                body = self.rfile.read(int(self.headers["content-length"]))
                answer = receiver.take(Posted(self.path, {k.lower(): v for k, v in self.headers.items()}, body))
                if callable(answer):
                    answer(self)
                    return
                self.send_response(answer)
                if 300 <= answer < 400:
                    self.send_header("location", f"{receiver.url}/elsewhere")
                self.send_header("content-length", "0")
                self.end_headers()

            do_GET = do_POST  # noqa: N815 (the name that the server looks for)

        self.serve(Handler)
        return self

    @property
    def url(self) -> str:
        return self.address

    def take(self, posted: Posted) -> int | Callable[[http.server.BaseHTTPRequestHandler], None]:
        with self.arrived:
            self.posted.append(posted)
            self.arrived.notify_all()
            return self.answers.pop(0) if self.answers else 204

    def wait_for(self, count: int) -> list[int]:
        """The sequences that came in, once there are so many."""
        with self.arrived:
            assert self.arrived.wait_for(lambda: len(self.posted) >= count, WAIT_SECS), self.sequences
        return self.sequences

    @property
    def sequences(self) -> list[int]:
        return [posted.data["sequence"] for posted in self.posted]
