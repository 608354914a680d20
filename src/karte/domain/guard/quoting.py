"""Which words of a text stand between quotation marks."""

from __future__ import annotations

import re
from typing import Final

LONGEST: Final = 80
"""A quotation of more words is no quotation but two lone marks."""

_PAIRS: Final = {
    "“": "”", "„": "“”", "«": "»", "»": "«", "「": "」", "『": "』", "‹": "›", "《": "》", '"': '"', "`": "`"
}  # fmt: skip
_MARKS: Final = re.compile("[\"`“”„«»「」『』‹›《》]|(?<!\\w)['‘’]+(?=\\w)|(?<=[\\w.!?])['’]+(?!\\w)")


def quotations(source: str, token: re.Pattern[str]) -> list[tuple[int, int]]:
    """The quotations of a folded text, each as its first token and the one after its last."""
    found: list[tuple[int, int]] = []
    number = 0
    opened: tuple[str, int] | None = None
    tokens = token.finditer(source)
    following = next(tokens, None)
    for mark in _MARKS.finditer(source):
        while following is not None and following.start() < mark.start():
            number += 1
            following = next(tokens, None)
        sign = "'" if mark[0][0] in "'‘’" else mark[0]
        if opened is not None and sign in _PAIRS.get(opened[0], "'"):
            if number - opened[1] <= LONGEST:
                found.append((opened[1], number))
            opened = None
        elif opened is None or number - opened[1] > LONGEST:
            opened = (sign, number)
    return found
