"""A small server on a real socket of this machine, for tests that need the other side of a connection."""

from __future__ import annotations

import http.server
import threading
from types import TracebackType
from typing import Any


class Quiet(http.server.BaseHTTPRequestHandler):
    """A handler that writes nothing to the terminal."""

    def log_message(self, *arguments: Any) -> None:
        pass


class LocalServer:
    """Serves from ``serve`` on until the end of the ``with`` in which it is."""

    def serve(self, handler: type[http.server.BaseHTTPRequestHandler]) -> None:
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"
