"""Listing, reading and searching pages, and those that a context takes along by itself."""

from __future__ import annotations

from typing import Final

from karte.domain.drafts import checked_name
from karte.domain.entities import normalise
from karte.domain.knowledge_pages import KnowledgePage, PageHit, PageProposal, PageText, ShownState
from karte.domain.page_excerpts import excerpt_of
from karte.domain.page_reading import read_page_text
from karte.domain.page_rows import PageState, StoredPage
from karte.domain.pages import MOST_HITS, page_score
from karte.domain.stored import StoredMemory
from karte.domain.text import parse_query
from karte.domain.time import to_datetime
from karte.errors import InjectionRefused, InvalidInput, NotFound, StorageError
from karte.service.page_files import expect, refresh, text_of
from karte.service.page_pointers import path_of, pointers
from karte.service.recall import storable
from karte.service.scanning import scan
from karte.service.services import Services
from karte.service.transactions import reading
from karte.storage.protocol import Session

INJECTED: Final = ("identity", "core")
"""The layers that a context takes along by itself, in this order."""


def list_pages(services: Services, agent: str, *, with_archived: bool = False) -> list[KnowledgePage]:
    """The agent's pages, by their paths."""
    checked_name(agent, "agent")
    refresh(services, agent)
    with reading(services) as session:
        shown = shown_pages(session, agent)
    return [page for page in shown.values() if with_archived or page.state != "archived"]


def read_page(services: Services, agent: str, path: str) -> PageText:
    """A page with what stands in its file; raises ``NotFound`` where there is none."""
    checked_name(agent, "agent")
    refresh(services, agent)
    with reading(services) as session:
        stored = expect(session, agent, path)
        page = shown_page(session, stored)
        text = text_of(services, stored)
    if text is None:
        raise NotFound("the page's file is missing", field="path", value=path, remedy="restore the file, or archive it")
    return PageText(page=page, text=text, document=read_page_text(text).document)


def search_pages(services: Services, agent: str, query: str, limit: int = 10) -> list[PageHit]:
    """The live pages that hold words of a query, best first."""
    checked_name(agent, "agent")
    if not isinstance(query, str):
        raise InvalidInput("not text", field="query", value=query, remedy="give text")
    if type(limit) is not int or not 1 <= limit <= MOST_HITS:
        raise InvalidInput("out of range", field="limit", value=limit, remedy=f"give a number from 1 to {MOST_HITS}")
    refresh(services, agent)
    asked = parse_query(storable(query))
    with reading(services) as session:
        standing = pointers(session, agent)
        found = [
            (page_score(relevance, page.trust, page.source_type), relevance, page)
            for page, relevance in session.pages.found(agent, asked)
            if _subject(page) in standing
        ]
        found.sort(key=lambda hit: (-hit[0], hit[2].doc_type, hit[2].slug))
        return [
            PageHit(
                page=_shown(page, standing),
                score=score,
                relevance=relevance,
                excerpt=_excerpt(services, page, query),
            )
            for score, relevance, page in found[:limit]
        ]


def injected_pages(services: Services, agent: str) -> list[tuple[KnowledgePage, str]]:
    """The live pages of the layers identity and core, each with what a reader sees of it."""
    if services.pages is None:
        return []
    refresh(services, agent)
    with reading(services) as session:
        near = [page for page in session.pages.all(agent) if page.layer in INJECTED]
        standing = pointers(session, agent) if near else {}
    near.sort(key=lambda page: (INJECTED.index(page.layer), page.doc_type, page.slug))
    taken = [(_shown(page, standing), page) for page in near]
    return [(page, text) for page, row in taken if page.state == "live" and (text := _to_inject(services, row))]


def _to_inject(services: Services, page: StoredPage) -> str | None:
    """What a reader sees of a page, if it can be read and is known to have passed the guard."""
    try:
        text = text_of(services, page)
        if text is not None and services.store.is_read_only:  # what was changed by hand is not picked up
            scan(services, [("page", text)], page.agent_id, page.origin)
    except (StorageError, InjectionRefused):
        return None
    return None if text is None else read_page_text(text).visible


def list_proposals(services: Services, agent: str) -> list[PageProposal]:
    """The texts that wait for a person, the oldest first."""
    checked_name(agent, "agent")
    with reading(services) as session:
        waiting = session.pages.proposals(agent)
        pages = {each.page_id: session.pages.of_id(each.page_id) for each in waiting}
    return [
        PageProposal(
            id=each.id,
            path=path_of(page).path,
            origin=each.origin,
            text=each.text,
            proposed_at=to_datetime(each.proposed_at),
        )
        for each in waiting
        if (page := pages[each.page_id]) is not None
    ]


def shown_pages(session: Session, agent: str) -> dict[str, KnowledgePage]:
    """Every page of an agent as its readers see it, by path."""
    standing = pointers(session, agent)
    return {path_of(page).path: _shown(page, standing) for page in session.pages.all(agent)}


def shown_page(session: Session, page: StoredPage) -> KnowledgePage:
    """A page as its readers see it."""
    return _shown(page, pointers(session, page.agent_id))


def _shown(page: StoredPage, standing: dict[str, StoredMemory]) -> KnowledgePage:
    return KnowledgePage(
        path=path_of(page).path,
        title=page.title,
        doc_type=page.doc_type,
        summary=page.summary,
        layer=page.layer,
        trust=page.trust,
        source_type=page.source_type,
        state=_state(page, standing),
        origin=page.origin,
        tags=page.tags,
        author=page.author,
        created=to_datetime(page.created_at),
        updated=to_datetime(page.updated_at),
        promoted_at=None if page.promoted_at is None else to_datetime(page.promoted_at),
        problem=page.problem,
    )


def _state(page: StoredPage, standing: dict[str, StoredMemory]) -> ShownState:
    if page.state is PageState.ARCHIVED:
        return "archived"
    if page.state is PageState.FLAGGED:
        return "flagged"
    if page.problem is not None:
        return "broken"
    return "live" if _subject(page) in standing else "held"


def _subject(page: StoredPage) -> str:
    return normalise(path_of(page).subject)


def _excerpt(services: Services, page: StoredPage, query: str) -> str:
    try:
        text = text_of(services, page)
    except StorageError:
        text = None
    return page.summary if text is None else excerpt_of(read_page_text(text).document, query)
