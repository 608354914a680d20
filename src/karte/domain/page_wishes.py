"""What a caller says of a document beside its text, and what becomes of that where its page stands already.

Who may replace a page's text may rename it and add tags to it; from anyone else that is not applied, and told. The kind
is part of a page's path, so it stays as it is; and so does the origin, which another one only vouches beside.
"""

from __future__ import annotations

from dataclasses import dataclass

from karte.domain.page_names import PagePath
from karte.domain.page_rows import StoredPage
from karte.domain.pages import DocType


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What was said in so many words; None, or no tag, where nothing was."""

    title: str | None = None
    doc_type: str | None = None
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """What a page is called and marked with from now on, and what was not applied, each as a sentence."""

    title: str
    tags: tuple[str, ...]
    notes: tuple[str, ...] = ()

    def differs(self, page: StoredPage) -> bool:
        """Whether the page is described otherwise yet."""
        return (self.title, self.tags) != (page.title, page.tags)


def plan_description(page: StoredPage, wishes: Wishes, refusal: str | None) -> Description:
    """What becomes of the wishes; ``refusal`` is why this caller may not describe the page, if he may not."""
    title = page.title if wishes.title is None else wishes.title
    tags = tuple(dict.fromkeys([*page.tags, *wishes.tags]))
    asked = Description(title=title, tags=tags)
    notes = []
    if refusal is not None and asked.differs(page):
        names = [name for name, is_new in (("title", title != page.title), ("tags", tags != page.tags)) if is_new]
        stay = "stays as it is" if names == ["title"] else "stay as they are"
        notes.append(f"the {' and '.join(names)} {stay} ({refusal}); a person may change that in the page's file")
        asked = Description(title=page.title, tags=page.tags)
    if wishes.doc_type is not None and wishes.doc_type != page.doc_type:
        subject = PagePath(doc_type=DocType(page.doc_type), slug=page.slug).subject
        notes.append(
            f"the kind stays {page.doc_type}, as it is part of the path; to change it, erase {subject} and file it anew"
        )
    return Description(title=asked.title, tags=asked.tags, notes=tuple(notes))
