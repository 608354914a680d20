"""Exit codes, and which error ends in which: the one table of this door."""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from karte.errors import (
    ConfigError,
    Conflict,
    EmbedderError,
    ExtractorError,
    InvalidInput,
    KarteError,
    NotFound,
    Refused,
    StorageError,
)


class Exit(IntEnum):
    """How a command ended."""

    DONE = 0
    ABSENT = 1  # asked and not there, or findings
    USAGE = 2  # usage or bad input
    REFUSED = 3
    HELD = 4
    STORAGE = 5
    FAULT = 70  # a fault of ours
    INTERRUPTED = 130  # what shells use for Ctrl-C


_OF_ERROR: Final[tuple[tuple[type[KarteError], Exit], ...]] = (
    (InvalidInput, Exit.USAGE),
    (Conflict, Exit.USAGE),
    (ConfigError, Exit.USAGE),
    (Refused, Exit.REFUSED),
    (NotFound, Exit.ABSENT),
    (StorageError, Exit.STORAGE),
    (EmbedderError, Exit.STORAGE),
    (ExtractorError, Exit.STORAGE),
)


def exit_of(error: KarteError) -> Exit:
    """The exit code that an error of the tree ends in."""
    for kind, code in _OF_ERROR:
        if isinstance(error, kind):
            return code
    return Exit.FAULT
