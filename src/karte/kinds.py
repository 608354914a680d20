"""What a setting may be: how its value is judged, and how it is shown."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

_WHOLE: Final = re.compile(r"[+-]?\d{1,18}", re.ASCII)
_PRINTABLE: Final = re.compile(r"[!-~]+", re.ASCII)
_DECIMAL: Final = re.compile(r"[+-]?\d{1,18}(\.\d{1,18})?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Kind:
    """What a setting may be: ``fits`` judges a TOML value, ``of_text`` makes one of a variable.

    ``wanted`` says in words what fits; ``of_text`` gives None for text that cannot be read.
    """

    wanted: str
    fits: Callable[[Any], bool]
    of_text: Callable[[str], object]


def boolean() -> Kind:
    """``true`` or ``false``."""
    return Kind("true or false", lambda value: isinstance(value, bool), {"true": True, "false": False}.get)


def whole_number(least: int, most: int) -> Kind:
    """A whole number in a range."""
    return Kind(
        f"a whole number from {least} to {most}",
        lambda value: type(value) is int and least <= value <= most,  # True is no number here
        lambda text: int(text) if _WHOLE.fullmatch(text) else None,
    )


def number(least: float, most: float) -> Kind:
    """A number in a range, perhaps with a fraction."""
    return Kind(
        f"a number from {least:g} to {most:g}",
        lambda value: type(value) in (int, float) and least <= value <= most,  # NaN fails both
        lambda text: float(text) if _DECIMAL.fullmatch(text) else None,
    )


def seconds(most: int) -> Kind:
    """A span of seconds, perhaps of a fraction."""
    return Kind(
        f"seconds from 0 to {most}",
        lambda value: type(value) in (int, float) and 0 <= value <= most,  # NaN fails both
        lambda text: float(text) if _DECIMAL.fullmatch(text) else None,
    )


def choice(*names: str) -> Kind:
    """One of some names."""
    return Kind(" or ".join(f'"{name}"' for name in names), lambda value: value in names, str)


def text() -> Kind:
    """Text with something in it."""
    return Kind("text that is not empty", _is_text, str)


def names(*allowed: str) -> Kind:
    """A list of some of the names."""
    return Kind(
        f"a list of {', '.join(allowed)}",
        lambda value: isinstance(value, list | tuple) and all(name in allowed for name in value),
        lambda text: text.replace(",", " ").split(),
    )


def web_address() -> Kind:
    """Where something can be sent to: an http or https URL."""
    return Kind("an http or https URL without user name and fragment", _is_web_address, str)


def only_the_host(url: str) -> str:
    """Where a URL leads; what follows the host is often a secret."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}/…"


def secret(least: int) -> Kind:
    """Letters that only two sides know, and nobody guesses."""
    return Kind(
        f"a text of at least {least} printable ASCII letters without spaces",
        lambda value: isinstance(value, str) and least <= len(value) <= 1000 and bool(_PRINTABLE.fullmatch(value)),
        str,
    )


def _is_web_address(value: object) -> bool:
    if not isinstance(value, str) or len(value) > 2000 or not _PRINTABLE.fullmatch(value):
        return False
    try:
        parts = urlsplit(value)
        is_port_whole = parts.port is None or parts.port > 0
    except ValueError:
        return False
    is_plain = "@" not in parts.netloc and not parts.fragment
    return parts.scheme in ("http", "https") and bool(parts.hostname) and is_port_whole and is_plain


def _is_text(value: object) -> bool:
    if not isinstance(value, str) or not value.strip() or "\x00" in value:
        return False
    return not any("\ud800" <= letter <= "\udfff" for letter in value)


def may_be(
    kind: Kind, *, is_secret: bool = False, shown: Callable[[str], str] = lambda _value: "(set)"
) -> Mapping[str, object]:
    """What a dataclass field says about itself; of a secret one only what ``shown`` makes of it is shown."""
    return {"kind": kind, "is_secret": is_secret, "shown": shown}
