"""The lines of a context block: rules, pages, a profile and memories, each quoted as data with what vouches for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final

from karte.domain.entities import normalise, without_invisible
from karte.domain.escaping import as_data
from karte.domain.knowledge_pages import KnowledgePage
from karte.domain.mistakes import MistakeCategory
from karte.domain.model import Memory
from karte.domain.reserved import OWNERS, owner_of
from karte.domain.trust import Authority, authority_of

RULES_HEADING: Final = "## Standing Rules"
PAGES_HEADING: Final = "## Core Pages"
PROFILE_HEADING: Final = "## About the User"
MEMORIES_HEADING: Final = "## Relevant Memories"

LONGEST_RULE_LINE: Final = 1_200
LONGEST_MEMORY: Final = 600
LONGEST_PART: Final = 900
LONGEST_TITLE: Final = 100
MOST_PARTS: Final = 200
"""Paragraphs of one page."""
PRIVATE_TAG: Final = "private"
PROFILE_SUBJECT: Final = "user:"


def rule_line(category: MistakeCategory, content: str, trust: float) -> str:
    """``- (safety): "Recurring safety issues …"``, and whether nobody vouches for it."""
    return f'- ({category}{_doubt(None, trust)}): "{as_data(content, LONGEST_RULE_LINE)}"'


def page_lines(page: KnowledgePage, document: str) -> Iterator[str]:
    """``- (core "Deploying"): "…"``, a line a paragraph, so that a small budget gets the beginning of a page."""
    head = f'- ({page.layer} "{as_data(page.title, LONGEST_TITLE)}")'
    for part in document.split("\n\n")[:MOST_PARTS]:
        if part.strip():
            yield f'{head}: "{as_data(part, LONGEST_PART)}"'


def profile_line(fact: Memory) -> str:
    """What is so of the user, and since when."""
    since = f" (since {_day(fact.valid_from)}{_doubt(fact.origin, fact.origin_trust)})" if fact.valid_from else ""
    named = as_data(str(fact.predicate), 100)
    value = fact.content if fact.object is None else fact.object
    return f'- "{named}": "{as_data(value, LONGEST_MEMORY)}"{since}'


def memory_line(memory: Memory) -> str:
    """What was remembered, and from when."""
    when = memory.valid_from or memory.timestamp
    text = as_data(memory.content, LONGEST_MEMORY)
    return f'- ({_day(when)}{_doubt(memory.origin, memory.origin_trust)}): "{text}"'


def is_private(memory: Memory, names: Sequence[str]) -> bool:
    """Whether a memory is for its user only: about a user, by any of its subject's names, or tagged ``private``."""
    is_of_user = any(owner_of(name) is OWNERS[PROFILE_SUBJECT] for name in names)
    return is_of_user or has_private_tag(memory.tags)


def has_private_tag(tags: Sequence[str]) -> bool:
    """Whether ``private`` is among the tags, however it is spelled."""
    return PRIVATE_TAG in (normalise(without_invisible(tag)) for tag in tags)


def _day(moment: datetime) -> str:
    return moment.date().isoformat()


def _doubt(origin: str | None, trust: float) -> str:
    """What a reader has to know of where it comes from: nothing, where somebody vouches for it."""
    unverified = trust <= 0.5 if origin is None else authority_of(origin, trust) is Authority.UNVERIFIED
    return ", unverified" if unverified else ""
