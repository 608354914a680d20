"""Texts that are documents and texts that are not, each with what is expected of its recognition.

Written for this benchmark by hand before the rule that is measured. Every third text is held out: the rule is tuned on
the others only, and no text is changed so that it passes. Documents are charters, procedures, specifications, policies
and reference texts; the others are what stands in conversations, with the hard cases on both sides: documents without
headings, first-person texts with headings, numbered points of a chat, logs, talk about a policy.

``LATER`` came after the first form of the rule, and is harder: many of its documents do not say what they are. The rule
was tuned on some of them; the held out ones were written after its last change and are measured only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from benchmarks._documents_chinese import SIMPLIFIED, TRADITIONAL
from benchmarks._documents_english import ENGLISH
from benchmarks._documents_japanese import JAPANESE
from benchmarks._documents_later import FRESH, SEEN

_SOURCES: Final = {"en": ENGLISH, "ja": JAPANESE, "zh-Hans": SIMPLIFIED, "zh-Hant": TRADITIONAL}


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """One text. ``doc_type`` is None for what is no document; ``title`` is empty where none is expected."""

    language: str
    text: str
    doc_type: str | None
    title: str
    is_held_out: bool

    @property
    def is_document(self) -> bool:
        return self.doc_type is not None


def _labelled() -> tuple[Labelled, ...]:
    rows = [(language, *row) for language, source in _SOURCES.items() for row in source]
    return tuple(
        Labelled(
            language=language,
            text=text,
            doc_type=doc_type or None,
            title=title,
            is_held_out=number % 3 == 0,
        )
        for number, (language, doc_type, title, text) in enumerate(rows, 1)
    )


LABELLED: Final = _labelled()
LATER: Final = tuple(
    Labelled(language=language, text=text, doc_type=doc_type or None, title=title, is_held_out=is_held_out)
    for rows, is_held_out in ((SEEN, False), (FRESH, True))
    for language, doc_type, title, text in rows
)
