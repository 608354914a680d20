"""Pages looked over together: their links, what may be double, what is wrong."""

from __future__ import annotations

from dataclasses import dataclass

from karte.domain.drafts import checked_name
from karte.domain.knowledge_pages import KnowledgePage
from karte.domain.page_likeness import duplicate_candidates
from karte.domain.page_links import PageLink, backlinks, links_of, mermaid
from karte.domain.page_lint import Linted, PageFinding, lint
from karte.domain.page_reading import ReadPage, read_page_text
from karte.domain.page_rows import PageState, StoredPage
from karte.errors import StorageError
from karte.service.page_files import expect, refresh, strays, text_of
from karte.service.page_pointers import path_of
from karte.service.page_reading import shown_pages
from karte.service.services import Services
from karte.service.transactions import reading


@dataclass(frozen=True, slots=True)
class _Looked:
    stored: StoredPage
    page: KnowledgePage
    read: ReadPage | None

    @property
    def links(self) -> tuple[PageLink, ...]:
        """Where it leads to; nowhere, where it cannot be read."""
        if self.read is None:
            return ()
        return links_of(self.read.visible, self.read.fields.related, path_of(self.stored))


def lint_pages(services: Services, agent: str) -> tuple[PageFinding, ...]:
    """What is wrong with the pages, or may be."""
    looked = _look(services, agent)
    present = {each.page.path: each.read.document for each in looked if each.read and each.page.state == "live"}
    linted = [
        Linted(
            page=each.page,
            fields=None if each.read is None else each.read.fields,
            problems=() if each.read is None else each.read.problems,
            links=each.links,
            has_changed=each.stored.is_promoted and each.stored.promoted_digest != each.stored.text_digest,
        )
        for each in looked
    ]
    return lint(linted, duplicate_candidates(present), strays(services, agent))


def links_of_page(services: Services, agent: str, path: str) -> tuple[PageLink, ...]:
    """Where a page leads to."""
    checked_name(agent, "agent")
    refresh(services, agent)
    with reading(services) as session:
        stored = expect(session, agent, path)
        text = text_of(services, stored)
    if text is None:
        return ()
    read = read_page_text(text)
    return links_of(read.visible, read.fields.related, path_of(stored))


def backlinks_of_page(services: Services, agent: str, path: str) -> tuple[str, ...]:
    """The paths of the pages that lead to a page."""
    looked = _look(services, agent)
    with reading(services) as session:
        wanted = path_of(expect(session, agent, path)).path
    links = {each.page.path: each.links for each in looked if each.stored.state is PageState.LIVE}
    links.setdefault(wanted, ())  # one that was put away or flagged may still be led to
    return backlinks(links)[wanted]


def duplicates(services: Services, agent: str) -> list[tuple[str, str, float]]:
    """Pairs of live pages that may be one document, the most alike first."""
    looked = _look(services, agent)
    return duplicate_candidates(
        {each.page.path: each.read.document for each in looked if each.read and each.page.state == "live"}
    )


def page_graph(services: Services, agent: str) -> str:
    """The pages that were not put away and the links between them, as a Mermaid flowchart."""
    looked = [each for each in _look(services, agent) if each.page.state != "archived"]
    return mermaid(
        {each.page.path: each.page.title for each in looked}, {each.page.path: each.links for each in looked}
    )


def _look(services: Services, agent: str) -> list[_Looked]:
    checked_name(agent, "agent")
    refresh(services, agent)
    with reading(services) as session:
        shown = shown_pages(session, agent)
        stored = session.pages.all(agent)
    return [_Looked(page, shown[path_of(page).path], _read(services, page)) for page in stored]


def _read(services: Services, page: StoredPage) -> ReadPage | None:
    try:
        text = text_of(services, page)
    except StorageError:
        return None
    return None if text is None else read_page_text(text)
