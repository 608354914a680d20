"""Sends one request over HTTP, with the standard library alone.

Redirects are not followed, no proxy is used, nothing of the answer but its status is read, and
the whole of it takes no longer than ``timeout_secs``, however slowly the other side speaks.
"""

from __future__ import annotations

import contextlib
import http.client
import socket
import ssl
import threading
from collections.abc import Callable, Mapping
from typing import Final
from urllib.parse import urlsplit

from karte.version import VERSION

TIMEOUT_SECS: Final = 15.0

Post = Callable[[str, Mapping[str, str], bytes], None]
"""Sends a body to a URL; raises ``NotArrived`` unless the answer is of the 200s."""


class NotArrived(Exception):  # noqa: N818 (an outcome, told from one module to the next)
    """The other side did not take it. The text says why, without the URL."""


class Stopped(NotArrived):
    """We gave up ourselves, because we are ending."""


class Poster:
    """``post(url, headers, body)``, one at a time, which ``stop`` from another thread breaks off."""

    def __init__(self, timeout_secs: float = TIMEOUT_SECS) -> None:
        self._timeout_secs = timeout_secs
        self._connection: http.client.HTTPConnection | None = None
        self._is_stopped = False
        self._is_late = False

    def __call__(self, url: str, headers: Mapping[str, str], body: bytes) -> None:
        """Sends it; raises ``NotArrived`` unless the answer is of the 200s."""
        self._is_late = False
        connection = self._connection = _connection_to(url, self._timeout_secs)
        watch = threading.Timer(self._timeout_secs, self._be_late)
        watch.daemon = True
        watch.start()
        try:
            status = self._status(connection, url, headers, body)
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise self._reason(error) from None
        finally:
            watch.cancel()
            self._connection = None
            connection.close()
        if not 200 <= status < 300:
            raise NotArrived(f"HTTP {status}" + (" (redirects are not followed)" if 300 <= status < 400 else ""))

    def stop(self) -> None:
        """Breaks off what is being sent, and sends nothing more."""
        self._is_stopped = True
        self._break_off()

    def _status(self, connection: http.client.HTTPConnection, url: str, headers: Mapping[str, str], body: bytes) -> int:
        self._check_time()
        connection.connect()
        self._check_time()
        own = {"user-agent": f"karte/{VERSION}", "connection": "close"}
        parts = urlsplit(url)
        target = f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}"
        connection.request("POST", target, body, {**own, **headers})
        status = connection.getresponse().status
        self._check_time()  # a head that was broken off reads as one that has ended
        return status

    def _check_time(self) -> None:
        if self._is_stopped or self._is_late:
            raise TimeoutError

    def _reason(self, error: Exception) -> NotArrived:
        if self._is_stopped:
            return Stopped("stopped")
        if self._is_late or isinstance(error, TimeoutError):
            return NotArrived(f"no answer within {self._timeout_secs:g} s")
        what = error.strerror if isinstance(error, OSError) and error.strerror else ""
        return NotArrived(f"{type(error).__name__}{': ' if what else ''}{what}")

    def _be_late(self) -> None:
        self._is_late = True
        self._break_off()

    def _break_off(self) -> None:
        connection = self._connection
        wire = None if connection is None else connection.sock
        if wire is not None:
            with contextlib.suppress(OSError):  # of the plain socket: that of TLS would wait for a lock
                socket.socket.shutdown(wire, socket.SHUT_RDWR)


def _connection_to(url: str, timeout_secs: float) -> http.client.HTTPConnection:
    parts = urlsplit(url)
    host = parts.hostname or ""
    if parts.scheme == "https":
        return http.client.HTTPSConnection(host, parts.port, timeout=timeout_secs, context=ssl.create_default_context())
    return http.client.HTTPConnection(host, parts.port, timeout=timeout_secs)
