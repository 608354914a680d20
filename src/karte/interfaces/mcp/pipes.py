"""Standard input and output, moved out of everybody else's reach before anything runs.

File descriptor 1 is pointed at standard error, so that a banner, a ``print`` of a library or the
output of a child process cannot reach the client; 0 is pointed at nothing. Only the standard
library is needed for it, so that it can be done before the SDK is loaded.
"""

from __future__ import annotations

import os
import select
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from karte.errors import ConfigError

CHUNK: Final = 64 * 1024
STANDARD: Final = 3  # descriptors below are the standard ones


@dataclass(frozen=True, slots=True)
class Pipes:
    """The client's end of standard input and output."""

    incoming: int
    outgoing: int
    _writing: threading.Lock = field(default_factory=threading.Lock)

    def chunks(self) -> Iterator[bytes]:
        """What comes in, as it comes, until the client closes its end."""
        while True:
            try:
                chunk = os.read(self.incoming, CHUNK)
            except BlockingIOError:  # the client's end was made non-blocking
                select.select([self.incoming], [], [])
                continue
            except OSError:
                return
            if not chunk:
                return
            yield chunk

    def write(self, line: bytes) -> None:
        """Write a line whole, whoever else writes; raises ``OSError`` when nobody reads any more."""
        rest = memoryview(line)
        with self._writing:
            while rest:
                try:
                    rest = rest[os.write(self.outgoing, rest) :]
                except BlockingIOError:
                    select.select([], [self.outgoing], [])


def take_over() -> Pipes:
    """Standard input and output, moved; what else writes to 1 goes to standard error from now on."""
    try:
        incoming, outgoing = _moved(0), _moved(1)
    except OSError as error:
        raise ConfigError(
            "standard input or output is closed",
            remedy="start the server from an MCP client, or with both connected",
        ) from error
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    try:
        os.dup2(2, 1)
    except OSError:  # standard error is closed
        os.dup2(nothing, 1)
    os.close(nothing)
    return Pipes(incoming, outgoing)


def _moved(descriptor: int) -> int:
    """A copy of the descriptor that is none of the standard ones and no child inherits."""
    copy, low = os.dup(descriptor), []
    while copy < STANDARD:
        low.append(copy)
        copy = os.dup(descriptor)
    for each in low:
        os.close(each)
    return copy
