"""What becomes of a document that is to be filed: a new page, a new text of its page, or a wish that waits.

1. A page that has this very text already is its page, whatever it is called.
2. Else a page of the same kind and name is, if the texts are much alike; what is not alike is another document, and
   gets a name of its own.
3. Its page gets the new text only from whoever may replace it: never where a person has confirmed the page or it is
   flagged, and otherwise from the origin that wrote it, or from one that is vouched for better. From anyone else the
   text waits as a proposal.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from karte.domain.page_names import NAMELESS, free_slug
from karte.domain.page_rows import PageState, StoredPage
from karte.domain.trust import Authority, authority_of

ALIKE: Final = 0.3
"""So much of the words of two texts have to be the same for one to be a new version of the other."""
_RANK: Final = {Authority.UNVERIFIED: 0, Authority.PLAIN: 1, Authority.CURATED: 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class NewPage:
    """A page of its own, under this name."""

    slug: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SameText:
    """Its page says so already."""

    page: StoredPage


@dataclass(frozen=True, slots=True, kw_only=True)
class NewText:
    """Its page gets this text."""

    page: StoredPage


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """The text waits for a person."""

    page: StoredPage
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PutAway:
    """A person put its page away."""

    page: StoredPage


Filing: TypeAlias = NewPage | SameText | NewText | Proposal | PutAway


def plan_filing(
    doc_type: str,
    slug: str,
    digest: str,
    origin: str,
    pages: Sequence[StoredPage],
    likeness: Callable[[StoredPage], float],
    taken: Collection[str] = (),
) -> Filing:
    """What becomes of a document of this kind, name and text; ``likeness`` compares it with a page's, 0 to 1.

    ``taken`` are the names of files that are no page.
    """
    page = _page_of(doc_type, slug, digest, pages, likeness)
    if page is None:
        used = [each.slug for each in pages if each.doc_type == doc_type]
        return NewPage(slug=free_slug(slug, [*used, *taken]))
    if page.state is PageState.ARCHIVED:
        return PutAway(page=page)
    if page.text_digest == digest and page.state is not PageState.FLAGGED:
        return SameText(page=page)
    refusal = why_not_replaced(page, origin)
    return NewText(page=page) if refusal is None else Proposal(page=page, reason=refusal)


def why_not_replaced(page: StoredPage, origin: str) -> str | None:
    """Why this origin may not change what stands on a page that was not put away; None where it may."""
    if page.state is PageState.FLAGGED:
        return "the page is flagged: a source of it was taken back"
    if page.is_promoted:
        return "a person has confirmed the page as it stands"
    if origin != page.origin and _rank(origin) <= _rank(page.origin):
        return "the page comes from another source"
    return None


def _page_of(
    doc_type: str, slug: str, digest: str, pages: Sequence[StoredPage], likeness: Callable[[StoredPage], float]
) -> StoredPage | None:
    same = [page for page in pages if page.text_digest == digest]
    if same:
        return min(same, key=lambda page: (page.state is not PageState.LIVE, page.doc_type != doc_type, page.slug))
    if slug == NAMELESS:
        return None  # titles without a letter have nothing in common
    named = [page for page in pages if page.doc_type == doc_type and _is_named(page.slug, slug)]
    alike = [(likeness(page), page) for page in named]
    best = max(alike, key=lambda pair: (pair[0], pair[1].slug == slug), default=None)
    return best[1] if best is not None and best[0] >= ALIKE else None


def _is_named(slug: str, base: str) -> bool:
    """Whether a page has the name, or the name with a number behind it."""
    rest = slug.removeprefix(base)
    return rest == "" or (slug.startswith(f"{base}-") and rest[1:].isdigit())


def _rank(origin: str) -> int:
    return _RANK[authority_of(origin, 1.0)]
