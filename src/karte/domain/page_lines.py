"""A text as the lines of a page: its title, its headings, its summary in one line.

What is shown of a page is one line without anything invisible: escape sequences, controls, marks of direction and
joiners are removed, every kind of white space becomes one space.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from karte.domain.page_words import HEADING, ITEM, TABLE_OR_CALL
from karte.domain.text.sequences import without_sequences

MOST_READ: Final = 20_000
"""Letters of a text that are read; what a document is called and how it is built shows in its beginning."""
LONGEST_LINE: Final = 400
"""Letters of a line that are looked at."""
LONGEST_TITLE: Final = 80
MOST_SUMMARY: Final = 80
_TITLE_WITHIN: Final = 3
_TITLE_LINE: Final = re.compile(r"title\s{0,3}[:：]\s{0,3}(?=\S)", re.IGNORECASE)
_SENTENCE_END: Final = re.compile(r"[.!?][\"')]?(?=\s|$)|[。！？]")
_NO_TITLE: Final = re.compile(r"[.!?,;:。！？，、；：…]$|[。！？]|[.!?] ")
_FENCE: Final = re.compile(r" {0,3}(?:```|~~~)")
_MARKS: Final = re.compile(r"[*`~]+|(?<![^\W_])_+|_+(?![^\W_])|\[(?=[^\]\n]{0,200}\]\()|\]\([^)\n]{0,300}\)")
_BEGINNING: Final = re.compile(r"(?:[#>\s]|[-*+•]\s)*")
_RULE: Final = re.compile(r"[-=_*\s|:+]*")
_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})


def lines_of(text: str) -> list[str]:
    """The lines at the beginning of a text that hold something, without fenced code and lines that are drawn."""
    kept: list[str] = []
    is_fenced = False
    for line in without_sequences(text[:MOST_READ]).splitlines():
        if _FENCE.match(line):
            is_fenced = not is_fenced
        elif not is_fenced and not _RULE.fullmatch(line[:LONGEST_LINE]):
            kept.append(line[:LONGEST_LINE].rstrip())
    return kept


def title_of(text: str) -> str:
    """What the text calls itself, else its first sentence: one line, at most 80 characters, empty for no text.

    The first Markdown heading, or a ``title:`` line, or one of the first three lines that reads like a title: short,
    without the end of a sentence, no item of a list.
    """
    lines = lines_of(text)
    named = named_title(lines)
    if named is not None:
        return named
    return next((title for line in lines if (title := _first_sentence(line))), "")


def named_title(lines: list[str]) -> str | None:
    """The title that stands as such in the lines, None where only a sentence could serve."""
    explicit = _explicit_title(lines)
    if explicit is not None:
        return explicit
    for line in lines[:_TITLE_WITHIN]:
        shown = _plain(line)
        if shown and len(shown) <= LONGEST_TITLE and not _NO_TITLE.search(shown) and not ITEM.match(line.lstrip()):
            return shown
    return None


def summary_of(text: str, most: int = MOST_SUMMARY) -> str:
    """What a text begins with after its title: one line of at most ``most`` characters, empty where it says no more."""
    title = title_of(text)
    parts: list[str] = []
    for line in lines_of(text):
        shown = _without_title(_plain(line), title)
        if shown and not HEADING.match(line) and not TABLE_OR_CALL.match(line):
            parts.append(shown)
        if sum(map(len, parts)) > most:
            break
    return cut(" ".join(parts), most)


def one_line(text: str) -> str:
    """The text without anything invisible, white space as single spaces."""
    said = without_sequences(text)
    kept = (" " if letter.isspace() else letter for letter in said if letter.isspace() or not _is_unseen(letter))
    return " ".join("".join(kept).split())


def cut(text: str, most: int) -> str:
    """At most so many characters, with an ellipsis where something is missing."""
    if len(text) <= most:
        return text
    return f"{text[: most - 1].rstrip()}…" if most > 0 else ""


def _explicit_title(lines: list[str]) -> str | None:
    for number, line in enumerate(lines):
        marked = HEADING.match(line) or (_TITLE_LINE.match(line) if number < _TITLE_WITHIN else None)
        if marked and (shown := _plain(line[marked.end() :]).strip("\"'")):
            return cut(shown, LONGEST_TITLE)
    return None


def _first_sentence(line: str) -> str:
    shown = _plain(line)
    number = ITEM.match(shown)
    shown = shown[number.end() :].lstrip() if number else shown
    end = _SENTENCE_END.search(shown)
    return cut(shown[: end.end()] if end else shown, LONGEST_TITLE)


def _plain(line: str) -> str:
    """A line without the marks of Markdown."""
    bare = _MARKS.sub("", line[:LONGEST_LINE])
    beginning = _BEGINNING.match(bare)
    return one_line(bare[beginning.end() if beginning else 0 :].rstrip("# \t"))


def _without_title(shown: str, title: str) -> str:
    """What a line says beside the title."""
    marked = _TITLE_LINE.match(shown)
    rest = shown[marked.end() :] if marked else shown
    known = title.removesuffix("…")
    return rest[len(known) :].lstrip(" :：-") if known and rest.startswith(known) else rest


def _is_unseen(letter: str) -> bool:
    return (not letter.isascii() and unicodedata.category(letter) in _UNSEEN) or letter < " " or letter == "\x7f"


def shown_lines(lines: list[str]) -> Iterator[str]:
    """The lines without the marks before their first word, as numbered articles are looked for in them."""
    for line in lines:
        beginning = re.match(r"[#>*_\s]*", line)
        yield line[beginning.end() if beginning else 0 :]
