"""Whether a text is a document that deserves a page, and of which type: a score by rules, without a model.

A document names what it is, numbers its parts, binds and defines; talk has a speaker, a day, questions and fillers.
With every signal *s* taken to 0..1 by the count at which it is full, the score is

    score = clip( sum of weight(s) * s over FOR  -  sum of weight(s) * s over AGAINST, 0, 1)

    FOR:     title   0.35  a document noun in the title          articles 0.30  numbered articles, full at 3
             noun    0.05  a document noun anywhere              headings 0.20  Markdown headings, full at 3
             wording 0.35  words that bind or define, full at 3  items    0.05  items of lists, full at 4
             labels  0.05  terms with definitions, full at 4     tables   0.20  rows of tables and calls, full at 3
             length  0.05  full at 1,000 letters                 impersonal 0.15  no first person, no question, no chat
             named   0.10  a line that stands as a title
    AGAINST: speaker 0.50  first person, full at 3               day      0.35  wording bound to a day, full at 2
             asks    0.30  questions, full at 2                  chat     0.35  greetings and fillers, full at 3
             machine 0.60  lines of code or log, full at 3 in 10 lines

The counts AGAINST are taken for 500 letters of a longer text, so that one "today" does not undo a handbook. Length is
counted in letters of a script with spaces; a wide letter counts for 2.5. Under 200 letters the score is at most 0.2.
What every orderly answer has too (items, labels, length, noun, impersonal) is 0.35 together: no page and no middle.
A document that neither says what it is nor binds nor numbers articles is missed, lest talk become a page. Only the
first 20,000 characters are read. ``page`` from 0.5 on, ``middle`` from 0.38 on, ``memory`` below.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from karte.domain.page_lines import MOST_READ, lines_of, named_title, shown_lines, summary_of, title_of
from karte.domain.page_words import (
    ARTICLE,
    CHAT,
    CODE_OR_LOG,
    FIRST_PERSON,
    HEADING,
    ITEM,
    LABEL,
    MODAL,
    NOUNS,
    QUESTION,
    STEP,
    TABLE_OR_CALL,
    TIME_BOUND,
)

__all__ = ["DocType", "Recognition", "doc_type_of", "recognise", "summary_of", "title_of"]

Band = Literal["page", "middle", "memory"]
DocType = Literal["charter", "sop", "spec", "policy", "reference"]

PAGE_FROM: Final = 0.5
MIDDLE_FROM: Final = 0.38
SHORT: Final = 200
SHORT_SCORE: Final = 0.2
WIDE_LETTER: Final = 2.5
STRETCH: Final = 500

FOR: Final[Mapping[str, float]] = {
    "title": 0.35,
    "named": 0.10,
    "noun": 0.05,
    "articles": 0.30,
    "headings": 0.20,
    "wording": 0.35,
    "items": 0.05,
    "labels": 0.05,
    "tables": 0.20,
    "length": 0.05,
    "impersonal": 0.15,
}
AGAINST: Final[Mapping[str, float]] = {"speaker": 0.50, "day": 0.35, "asks": 0.30, "chat": 0.35, "machine": 0.60}

_TYPES: Final[tuple[DocType, ...]] = ("charter", "sop", "spec", "policy", "reference")
_HEAD_END: Final = re.compile(r"[:：]| (?:of|for|on|to) ", re.IGNORECASE)
_SYSTEM: Final = re.compile(r"\bsystem shall\b|\b[A-Z]{1,5}-\d{1,4}\b|系统应|系統應|システムは")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recognition:
    """What a text is taken for.

    ``score`` is in 0..1; ``reasons`` names the signals that moved it, as ``+title 0.35`` or ``-speaker 0.20``, the
    heaviest first. ``doc_type`` and ``title`` are given in every band: somebody may have the text filed nevertheless.
    """

    score: float
    band: Band
    doc_type: DocType
    title: str
    reasons: tuple[str, ...]


def recognise(text: str) -> Recognition:
    """What the text is taken for; the formula stands in this module's beginning."""
    read = text[:MOST_READ]
    lines = lines_of(read)
    length = _length(read)
    against = _against(read, lines, length)
    moved = {name: FOR[name] * value for name, value in _for(read, lines, length, against).items()}
    moved |= {name: -AGAINST[name] * value for name, value in against.items()}
    score = round(min(1.0, max(0.0, sum(moved.values()))), 3)
    reasons = [
        f"{'+' if value > 0 else '-'}{name} {abs(value):.2f}"
        for name, value in sorted(moved.items(), key=lambda each: (-abs(each[1]), each[0]))
        if abs(value) >= 0.005
    ]
    if length < SHORT:
        score = min(score, SHORT_SCORE)
        reasons.append("short")
    return Recognition(
        score=score, band=_band(score), doc_type=doc_type_of(read), title=title_of(read), reasons=tuple(reasons)
    )


def doc_type_of(text: str) -> DocType:
    """The type that the title names last; else numbered steps, requirements, or what the text is called in it twice.

    ``reference`` when nothing else fits.
    """
    lines = lines_of(text)
    title = named_title(lines)
    named = None if title is None else _type_named(title)
    if named is not None:
        return named
    if sum(STEP.match(line) is not None for line in shown_lines(lines)) >= 2:
        return "sop"
    read = "\n".join(lines)
    if sum(1 for _ in _SYSTEM.finditer(read)) >= 3:
        return "spec"
    counts = {doc_type: sum(1 for _ in NOUNS[doc_type].finditer(read)) for doc_type in _TYPES}
    best = max(_TYPES, key=lambda doc_type: counts[doc_type])
    return best if counts[best] >= 2 else "reference"


def _type_named(title: str) -> DocType | None:
    """The type of the last document noun before a colon or "of", else of the last in the whole title."""
    end = _HEAD_END.search(title)
    for part in (title[: end.start()] if end else title, title):
        found = [
            (match.end(), match.end() - match.start(), each) for each in _TYPES for match in NOUNS[each].finditer(part)
        ]
        if found:
            return max(found)[2]
    return None


def _band(score: float) -> Band:
    if score >= PAGE_FROM:
        return "page"
    return "middle" if score >= MIDDLE_FROM else "memory"


def _length(text: str) -> float:
    """Letters of a text, a wide one for 2.5, white space for none at the ends."""
    bare = text.strip()
    if bare.isascii():
        return len(bare)
    return sum(WIDE_LETTER if unicodedata.east_asian_width(letter) in "WF" else 1.0 for letter in bare)


def _for(text: str, lines: list[str], length: float, against: Mapping[str, float]) -> dict[str, float]:
    title = named_title(lines)
    starts = list(shown_lines(lines))
    body = "\n".join(lines)
    articles = sum(ARTICLE.match(line) is not None for line in starts)
    items = sum(ITEM.match(line.lstrip()) is not None and not ARTICLE.match(line.lstrip()) for line in lines)
    return {
        "title": float(title is not None and not QUESTION.search(title) and _names_a_document(title)),
        "named": float(title is not None and length >= SHORT),
        "noun": float(_names_a_document(body)),
        "articles": _full(articles, 3),
        "headings": _full(sum(HEADING.match(line) is not None for line in lines), 3),
        "wording": _full(sum(1 for _ in MODAL.finditer(text)), 3),
        "items": _full(items, 4),
        "labels": _full(sum(LABEL.match(line) is not None for line in starts), 4),
        "tables": _full(sum(TABLE_OR_CALL.match(line) is not None for line in lines), 3),
        "length": _full(length, 1_000),
        "impersonal": float(length >= SHORT and not any(against[name] for name in ("speaker", "asks", "chat"))),
    }


def _names_a_document(text: str) -> bool:
    return any(nouns.search(text) for nouns in NOUNS.values())


def _against(text: str, lines: list[str], length: float) -> dict[str, float]:
    stretches = max(1.0, length / STRETCH)

    def density(pattern: re.Pattern[str], full: int) -> float:
        return _full(sum(1 for _ in pattern.finditer(text)) / stretches, full)

    machine = sum(CODE_OR_LOG.match(line) is not None for line in lines)
    return {
        "speaker": density(FIRST_PERSON, 3),
        "day": density(TIME_BOUND, 2),
        "asks": density(QUESTION, 2),
        "chat": density(CHAT, 3),
        "machine": _full(machine / max(1, len(lines)), 0.3),
    }


def _full(count: float, full: float) -> float:
    return min(1.0, count / full)
