"""Several texts as one, for a look that settles most writes: where nothing in all of them is evidence, none has any.

That holds only while the look asks no more than which words and concepts are there. What calms a verdict (words that
keep a command from being one, a report, quotation marks) must never reach from one text into the next, so a text of
which anything may hold is judged by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

_APART: Final = "\nqzx\n"
"""A word of no rule and no language, so that letters set apart in one text never run on into the next."""


def joined(texts: Sequence[str]) -> str:
    """All texts as one; a single word is left out where another text has it between blanks."""
    known = set(" ".join(text for text in texts if not text.isalnum()).split())
    return _APART.join([text for text in texts if text not in known or not text.isalnum()])
