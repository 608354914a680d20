"""Letters that look like a Latin letter, and digits and signs that stand in for one.

What NFKC maps (full-width, mathematical and circled letters) is not here. The tables are for reading a *second* time:
a Russian or Greek text is judged as it stands first.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

_LOOKALIKES: Final = {
    "a": "аαɑᴀạ", "b": "вβьʙƅ", "c": "сϲᴄ", "d": "ԁᴅժ", "e": "еєεҽᴇℯ", "f": "ғꜰϝ", "g": "ɡɢց", "h": "һнհʜ",
    "i": "іιɪıӏӀ", "j": "јϳᴊ", "k": "кκᴋ", "l": "ⅼʟⳑ", "m": "мᴍ", "n": "пηոɴ", "o": "оοσօᴏө", "p": "рρᴘ", "q": "ԛǫզ",
    "r": "гʀᴦ", "s": "ѕꜱʂ", "t": "тτᴛ", "u": "υսᴜʋц", "v": "ѵνᴠ", "w": "ѡωԝᴡш", "x": "хχ×", "y": "уγүʏ", "z": "ᴢʐ",
}  # fmt: skip
_CHEROKEE: Final = dict(zip("ꭰꭱꭲꭺꭻꮃꮇꮋꮎꮓꮖꮞꮟꮢꮪꮯꮲꮶꭵꭹꮩꮴꮷ", "drtajlmhozgbbrscpkigvvd", strict=False))
_TO_LATIN: Final[dict[int, str]] = {
    **{ord(other): latin for latin, others in _LOOKALIKES.items() for other in others},
    **{ord(other): latin for other, latin in _CHEROKEE.items()},
}
# Russian, Ukrainian and Greek text is full of such letters and is read as it stands: what counts is a word that mixes
# them with Latin ones, or a look-alike that no such text has.
_ORDINARY: Final = "а-яёіїєґα-ω"
_SUSPECT: Final = "".join(re.escape(chr(code)) for code in _TO_LATIN)
_DISGUISED: Final = re.compile(f"[a-z][{_SUSPECT}]|[{_SUSPECT}][a-z]|(?![{_ORDINARY}])[{_SUSPECT}]")

_STAND_INS: Final = str.maketrans("0134579@$€£!|+68", "oieastgaselilt" + "gb")
_OTHER_STAND_INS: Final = str.maketrans("0134579@$€£!|+68", "oleastqaseilit" + "bb")
_SIGNS: Final = "0134579@$€£|+68!"
_IN_WORD: Final = "a-z0-9@$€£|+!"
# It begins with the sign, because a search for one letter of a set is the quickest there is.
_MIXED: Final = re.compile(f"[{_SIGNS}](?:[a-z]|(?<=[a-z].)(?=[{_IN_WORD}]))")
_WORD: Final = re.compile(f"([{_IN_WORD}]+)")


def has_lookalikes(folded: str) -> bool:
    """Whether a folded text has letters that are there to look Latin."""
    return not folded.isascii() and _DISGUISED.search(folded) is not None


def latin(folded: str) -> str:
    """The folded text with such letters replaced, one for one."""
    return folded.translate(_TO_LATIN)


def has_stand_ins(folded: str) -> bool:
    """Whether a word mixes letters with digits or signs."""
    return _MIXED.search(folded) is not None


def without_stand_ins(folded: str, is_known: Callable[[str], bool]) -> str:
    """The text with mixed words read as letters, one for one: ``1`` is an ``l`` where that gives a known word."""
    parts = _WORD.split(folded)
    parts[1::2] = [word if word.isalpha() else _read(word, is_known) for word in parts[1::2]]
    return "".join(parts)


def _read(written: str, is_known: Callable[[str], bool]) -> str:
    word = written.rstrip("!+|")
    if word.isalpha() or word.isdigit() or not written.islower():  # no letter, no word
        return written
    first, other = word.translate(_STAND_INS), word.translate(_OTHER_STAND_INS)
    best = other if other != first and not is_known(first) and is_known(other) else first
    return best + written[len(word) :]
