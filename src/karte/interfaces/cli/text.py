"""Stored text and times as a terminal may show them."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Final

from karte.errors import InvalidInput, InvalidText

_UNSAFE: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\u061c]")
_PICTURES: Final = 0x2400  # the Unicode block of pictures of control characters


def visible(text: str) -> str:
    """The text with control characters and writing-direction marks as pictures of themselves.

    A stored text must not move the cursor, colour the screen or turn a line around; line breaks
    and tabs stay.
    """
    return _UNSAFE.sub(_picture, text.replace("\r\n", "\n"))


def one_line(text: str) -> str:
    """The text as ``visible`` shows it, on one line."""
    return " ".join(visible(text).split())


def short_time(moment: str | datetime | None) -> str:
    """An instant in UTC, as precise as it is: a day where it is midnight, else minutes or seconds."""
    if moment is None:
        return "…"
    if isinstance(moment, str):
        moment = datetime.fromisoformat(moment)
    moment = moment.astimezone(UTC)
    if moment.second or moment.microsecond:
        return moment.strftime("%Y-%m-%d %H:%M:%S").rjust(19, "0")
    if moment.hour or moment.minute:
        return moment.strftime("%Y-%m-%d %H:%M").rjust(16, "0")
    return moment.date().isoformat()


def number(count: int, noun: str, plural: str = "") -> str:
    """``1 memory``, ``2 memories``."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def _picture(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x20:
        return chr(_PICTURES + code)
    return "␡" if code == 0x7F else "�"


def text_of(file: IO[bytes], *, field: str = "FILE") -> str:
    """The text of a file that a command was given, with or without a mark at its beginning."""
    try:
        return file.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidText(f"{name_of(file)} is not UTF-8", field=field, remedy="save it as UTF-8") from error


def holds_no_turn(file: IO[bytes], wanted: str) -> InvalidInput:
    """The error of a file that was given as a conversation and is none, with what is to be given instead."""
    return InvalidInput(f"{name_of(file)} holds no turn that can be used", field="FILE", remedy=f"give {wanted}")


def name_of(file: IO[bytes]) -> str:
    """What a file that a command was given is called, as a sentence names it."""
    name = str(getattr(file, "name", "-"))
    return "standard input" if name in ("-", "<stdin>") else one_line(name)


def stem_of(file: IO[bytes]) -> str:
    """The same without its folder and its ending, as the name of what is in it."""
    name = str(getattr(file, "name", "-"))
    return "stdin" if name in ("-", "<stdin>") else Path(name).stem
