"""Translated messages of a program, and the short words in them, told apart by rules that are not Karte's.

The messages are those of Django (BSD-3-Clause), a development dependency of which nothing is imported: its catalogues
of Japanese, Chinese, Korean and Thai are read as they lie. A word is what stands between two changes of script, as the
names of its characters tell it; where that is longer than two letters, its letters and its pairs of letters stand for
the words in it, for nothing shows where they begin.
"""

from __future__ import annotations

import gettext
import importlib.util
import unicodedata
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Final

LANGUAGES: Final = {"ja": "ja", "zh": "zh_Hans", "ko": "ko", "th": "th"}
"""Each language, and the folder of its catalogues."""
SCRIPTS: Final = ("CJK UNIFIED IDEOGRAPH", "HIRAGANA", "KATAKANA", "HANGUL", "THAI")
MOST_HOLDERS: Final = 10
SHORT: Final = 2


def messages(language: str) -> dict[str, str]:
    """The messages in a language by an id, each once; none where the package is not installed."""
    found: dict[str, str] = {}
    for path in _catalogues(language):
        with path.open("rb") as file:
            catalogue: dict[object, object] = vars(gettext.GNUTranslations(file))["_catalog"]
        for key, message in catalogue.items():
            if key and isinstance(message, str) and any(map(script_of, message)):
                found.setdefault(folded(message), message)
    return {f"{language}-{number}": message for number, message in enumerate(found.values())}


def _catalogues(language: str) -> list[Path]:
    package = importlib.util.find_spec("django")
    if package is None or package.origin is None:
        return []
    return sorted(Path(package.origin).parent.rglob(f"locale/{LANGUAGES[language]}/LC_MESSAGES/*.mo"))


def folded(text: str) -> str:
    """The text as it is compared: in NFKC, its case folded."""
    return unicodedata.normalize("NFKC", text).casefold()


def script_of(letter: str) -> str | None:
    """The script that the name of a letter begins with; the long vowel mark belongs to katakana."""
    if letter == "\u30fc":
        return "KATAKANA"
    name = unicodedata.name(letter, "")
    return next((script for script in SCRIPTS if name.startswith(script)), None)


def words(texts: dict[str, str]) -> dict[str, tuple[str, frozenset[str]]]:
    """The words of one or two letters that at most ten texts hold: whether ``whole`` or ``part``, and the holders."""
    plain = {id: folded(text) for id, text in texts.items()}
    kinds: dict[str, str] = {}
    for text in plain.values():
        for run in _runs(text):
            for part in _parts(run):
                kinds.setdefault(part, "part")
            if len(run) <= SHORT:
                kinds[run] = "whole"
    found = {}
    for word, kind in sorted(kinds.items()):
        holders = frozenset(id for id, text in plain.items() if word in text)
        if len(holders) <= MOST_HOLDERS:
            found[word] = (kind, holders)
    return found


def _runs(text: str) -> Iterator[str]:
    for script, letters in groupby(text, key=script_of):
        if script is not None:
            yield "".join(letters)


def _parts(run: str) -> Iterator[str]:
    parts = (run[at : at + many] for many in (1, SHORT) for at in range(len(run) - many + 1))
    yield from (part for part in parts if unicodedata.category(part[0]).startswith("L"))  # a vowel sign begins no word
