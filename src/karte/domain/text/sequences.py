"""Escape sequences of terminals: what colours a screen or names its window is no part of what a text says.

Taking the control character alone away would leave the rest of its sequence behind as debris (``[31m``); so a sequence
goes as a whole, as a terminal takes it. One of a string (a window's title, a link's address) goes only where it ends:
nothing that was cut off swallows what follows.
"""

from __future__ import annotations

import re
from typing import Final

_BEGINNING: Final = re.compile("[\x1b\x90\x98\x9b\x9d-\x9f]")
_SEQUENCE: Final = re.compile(
    "(?:\x1b\\[|\x9b)[0-?]*[ -/]*[@-~]?"
    "|(?:\x1b[\\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x80-\x9f]*(?:\x07|\x1b\\\\|\x9c)"
    "|\x1b[ -/]*[0-~]"
)


def has_sequences(text: str) -> bool:
    """Whether anything in the text could be an escape sequence; this settles almost all texts."""
    return "\x1b" in text if text.isascii() else _BEGINNING.search(text) is not None


def without_sequences(text: str) -> str:
    """The text as a terminal would show it, without its escape sequences; what is left may hold control characters."""
    return _SEQUENCE.sub("", text) if has_sequences(text) else text
