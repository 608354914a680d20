"""The texts that the injection scan is measured on: handed ones, conversations, messages of programs."""

from __future__ import annotations

import gettext
import hashlib
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PARTS = re.compile(r"-(?:train|test|validation)$")
# Where message catalogues lie, and how their folders name a language.
CATALOGUE_PLACES = ("share/vim/*/lang", "share/locale")
CATALOGUE_NAMES = {
    "ja": ("ja",),
    "zh": ("zh_CN.UTF-8", "zh_CN", "zh_Hans"),
    "zh-hant": ("zh_TW.UTF-8", "zh_TW", "zh_Hant"),
    "ko": ("ko.UTF-8", "ko"),
    "ru": ("ru",),
}
MOST_MESSAGES = 1_500


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A text, what it is said to be, and which half of the split it is in."""

    text: str
    is_attack: bool
    language: str
    source: str

    @property
    def half(self) -> int:
        """0 for the half that rules were developed on, 1 for the one they are checked on."""
        return hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).digest()[1] % 2


def handed(data: Path) -> list[Text]:
    """The collection of attacks and harmless texts."""
    path = data / "injection" / "handed.jsonl"
    rows: list[dict[str, Any]] = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [
        Text(
            text=row["text"],
            is_attack=row["label"] == 1,
            language=row["lang"],
            source=PARTS.sub("", row["source"]),
        )
        for row in rows
    ]


def conversation_turns(data: Path) -> list[Text]:
    """Every turn of the long conversations."""
    conversations: list[dict[str, Any]] = json.loads((data / "locomo" / "locomo5.json").read_text(encoding="utf-8"))
    return [
        Text(text=turn["text"], is_attack=False, language="en", source="locomo")
        for conversation in conversations
        for session in conversation["conversation"].values()
        if isinstance(session, list)
        for turn in session
    ]


def catalogue_messages(language: str) -> list[Text]:
    """Messages of programs in a language, from the catalogues on this machine; none where there are none."""
    found: dict[str, None] = {}
    for path in _catalogues(language):
        found.update(dict.fromkeys(_messages(path)))
    return [
        Text(text=message, is_attack=False, language=language, source="messages")
        for message in sorted(found)[:: max(1, len(found) // MOST_MESSAGES)]
    ]


def _catalogues(language: str) -> Iterator[Path]:
    for root in (Path("/usr"), Path(sys.prefix)):
        for place in CATALOGUE_PLACES:
            for name in CATALOGUE_NAMES[language]:
                yield from sorted(root.glob(f"{place}/{name}/LC_MESSAGES/*.mo"))


def _messages(path: Path) -> Iterator[str]:
    try:
        with path.open("rb") as file:
            catalogue: dict[object, object] = vars(gettext.GNUTranslations(file))["_catalog"]
    except (OSError, UnicodeDecodeError):
        return
    for key, message in catalogue.items():
        if key and isinstance(message, str) and len(message) > 3:
            yield message
