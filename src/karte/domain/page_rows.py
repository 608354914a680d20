"""What is known of a page beside its file: the row of the page index, who filed its text, and what waits for a person.

A page is *live* while its row says so and its pointer holds in memory; ``archived`` when a person put it away, and
``flagged`` when nobody who filed its present text still stands: its origin was taken back.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class PageState(StrEnum):
    """What became of a page."""

    LIVE = "live"
    ARCHIVED = "archived"
    FLAGGED = "flagged"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredPage:
    """The row of a page. ``trust``, ``layer`` and ``source_type`` are what was granted, never what the file claims.

    ``text_digest`` is that of the document; ``promoted_digest`` that of the document a person confirmed. ``held_back``
    is what was granted before the page was flagged, as JSON. ``file_sign`` tells whether the file has changed since it
    was read; ``pending`` is the text that it must get yet, and ``moved_from`` the file that then goes.
    """

    ordinal: int
    id: str
    agent_id: str
    doc_type: str
    slug: str
    title: str
    summary: str = ""
    tags: tuple[str, ...] = ()
    layer: str
    trust: float
    source_type: str
    state: PageState = PageState.LIVE
    origin: str
    author: str | None = None
    text_digest: str
    created_at: str
    updated_at: str
    promoted_at: str | None = None
    promoted_digest: str | None = None
    held_back: str | None = None
    problem: str | None = None
    file_sign: str = ""
    pending: str | None = None
    moved_from: str | None = None

    @property
    def is_promoted(self) -> bool:
        """Whether a person has confirmed it."""
        return self.promoted_at is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSource:
    """Who filed which text of a page, and when; ``withdrawn_by`` is the operation that took it back."""

    page_id: str
    origin: str
    text_digest: str
    filed_at: str
    withdrawn_by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredProposal:
    """A text that waits to replace a page's."""

    id: str
    page_id: str
    origin: str
    text: str
    text_digest: str
    proposed_at: str


def stands(sources: tuple[PageSource, ...], digest: str) -> PageSource | None:
    """The latest source that vouches for a text and was not taken back, or None."""
    vouching = [each for each in sources if each.text_digest == digest and each.withdrawn_by is None]
    return max(vouching, key=lambda each: (each.filed_at, each.origin), default=None)
