"""What a page is, and how far what it says counts.

**Score.** A page that a query finds is ordered by

    score = relevance x (0.5 + trust) x factor of its source type

so a confirmed page goes before an unconfirmed one that says as much, and none is hidden for its trust alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import isfinite
from typing import Any, Final

from karte.domain.page_lines import one_line

AUTO_TRUST: Final = 0.3
MOST_HITS: Final = 100
"""Pages that one search gives at most, at every door."""
UNKNOWN_FACTOR: Final = 0.8
MOST_LISTED: Final = 100
"""Entries of a list in front matter; more are not read."""


class DocType(StrEnum):
    """Of what kind a document is; the folder of its page."""

    CHARTER = "charter"
    SOP = "sop"
    SPEC = "spec"
    POLICY = "policy"
    REFERENCE = "reference"


class PageLayer(StrEnum):
    """How near a page is kept: ``identity`` and ``core`` join every context, the others are found by search."""

    IDENTITY = "identity"
    CORE = "core"
    CONTEXT = "context"
    DEEP = "deep"


class SourceType(StrEnum):
    """What a page rests on."""

    VERIFIED_FACT = "verified_fact"
    USER_STATEMENT = "user_statement"
    TOOL_OUTPUT = "tool_output"
    RAW_DIALOGUE = "raw_dialogue"


SOURCE_FACTORS: Final[Mapping[str, float]] = {
    SourceType.VERIFIED_FACT: 1.2,
    SourceType.USER_STATEMENT: 1.0,
    SourceType.TOOL_OUTPUT: 0.9,
    SourceType.RAW_DIALOGUE: 0.6,
}


def source_factor(source_type: str | None) -> float:
    """The factor of a source type; 0.8 for one that is not known."""
    return SOURCE_FACTORS.get(source_type or "", UNKNOWN_FACTOR)


def page_score(relevance: float, trust: float, source_type: str | None) -> float:
    """Where a page stands among others: relevance x (0.5 + trust) x factor."""
    return relevance * (0.5 + trust) * source_factor(source_type)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFields:
    """What the front matter of a page says; ``trust`` is 0 to 1, the times are as written."""

    title: str = ""
    created: str | None = None
    updated: str | None = None
    tags: tuple[str, ...] = ()
    author: str | None = None
    layer: str = PageLayer.CONTEXT.value
    trust: float = AUTO_TRUST
    source_type: str | None = None
    sources: tuple[str, ...] = ()
    doc_type: str | None = None
    related: tuple[str, ...] = ()
    status: str | None = None


def fields_of(values: Mapping[str, Any]) -> tuple[PageFields, list[str]]:
    """The fields that front matter gives, and what in it cannot be meant; a bad value falls back alone."""
    problems: list[str] = []

    def text(name: str) -> str | None:
        value = values.get(name)
        if value is None or isinstance(value, str):
            return value or None
        if isinstance(value, bool | list | dict):
            problems.append(f"{name} is no text")
            return None
        return str(value)  # a date, a number: as it is written

    def texts(name: str) -> tuple[str, ...]:
        value = values.get(name)
        listed = value.split(",") if isinstance(value, str) else [] if value is None else value
        if not isinstance(listed, list) or not all(isinstance(each, str) for each in listed):
            problems.append(f"{name} is no list of texts")
            return ()
        return tuple(text for each in listed[:MOST_LISTED] if (text := each.strip()))

    fields = PageFields(
        title=one_line(text("title") or ""),
        created=text("created"),
        updated=text("updated"),
        tags=tuple(tag for each in texts("tags") if (tag := one_line(each))),
        author=text("author"),
        layer=_choice(values, "layer", PageLayer, PageLayer.CONTEXT, problems),
        trust=_trust(values, problems),
        source_type=text("source_type"),
        sources=texts("sources"),
        doc_type=text("doc_type"),
        related=texts("related"),
        status=text("status"),
    )
    if fields.source_type is not None and fields.source_type not in SOURCE_FACTORS:
        problems.append(f"source_type is none of {', '.join(SourceType)}")
    if fields.doc_type is not None and fields.doc_type not in list(DocType):
        problems.append(f"doc_type is none of {', '.join(DocType)}")
    return fields, problems


def _choice(values: Mapping[str, Any], name: str, kinds: type[StrEnum], default: str, problems: list[str]) -> str:
    value = values.get(name)
    if value is None or value in list(kinds):
        return str(value or default)
    problems.append(f"{name} is none of {', '.join(kinds)}")
    return str(default)


def _trust(values: Mapping[str, Any], problems: list[str]) -> float:
    value = values.get("trust")
    if value is None:
        return AUTO_TRUST
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value) or not 0 <= value <= 1:
        problems.append("trust is no number from 0 to 1")
        return AUTO_TRUST
    return float(value)
