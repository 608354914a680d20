"""Pages as their readers see them, and what became of what was filed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

ShownState = Literal["live", "held", "archived", "flagged", "broken"]


@dataclass(frozen=True, slots=True, kw_only=True)
class KnowledgePage:
    """A long-lived text: a Markdown file, and what vouches for it.

    ``path`` is its name under the agent's folder (``auto/sop/deploying.md``); ``trust`` (0 to 1), ``layer`` and
    ``source_type`` are what was granted, whatever its file claims. ``state``: ``held`` waits for a curator,
    ``flagged`` was written by an origin that was taken back, ``broken`` has a file that cannot be used (``problem``
    says why). Only live pages are searched and given into a context.
    """

    path: str
    title: str
    doc_type: str
    summary: str
    layer: str
    trust: float
    source_type: str
    state: ShownState
    origin: str
    tags: tuple[str, ...] = ()
    author: str | None = None
    created: datetime
    updated: datetime
    promoted_at: datetime | None = None
    problem: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PageText:
    """A page with what stands in its file; ``text`` is the file, ``document`` what was filed, without our frame."""

    page: KnowledgePage
    text: str
    document: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PageOutcome:
    """What became of a document.

    ``filed``: a new page; ``updated``: its page has the new text, title or tags; ``unchanged``: it says so already;
    ``proposed``: the text waits for a person, for it may not replace what stands there (``proposal_id``);
    ``held``: the page waits in quarantine (``approval_id``); ``archived``: a person put its page away, and it stays so.
    ``notes`` say what of the title, the kind, the tags and the origin was not applied, and how to change it.
    """

    status: Literal["filed", "updated", "unchanged", "proposed", "held", "archived"]
    path: str
    title: str
    memory_id: str | None = None
    proposal_id: str | None = None
    approval_id: str | None = None
    reason: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PageHit:
    """A page that answers a query: score = relevance x (0.5 + trust) x factor of its source type."""

    page: KnowledgePage
    score: float
    relevance: float
    excerpt: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PageProposal:
    """A text that waits to replace a page's."""

    id: str
    path: str
    origin: str
    text: str
    proposed_at: datetime
