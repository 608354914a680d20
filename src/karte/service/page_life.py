"""What a person does with pages: confirms them, puts them away, brings them back, takes or leaves what is proposed."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import Any, Final

from karte.domain.drafts import checked_name, checked_origin, checked_text
from karte.domain.knowledge_pages import KnowledgePage
from karte.domain.page_lines import summary_of
from karte.domain.page_rows import PageState, StoredPage, StoredProposal
from karte.domain.page_text import promoted, with_original
from karte.domain.pages import PageLayer, SourceType
from karte.domain.trust import Authority, authority_of, checked_share, origin_trust
from karte.errors import Conflict, InvalidInput, NotFound, Refused
from karte.service.page_events import tell
from karte.service.page_files import complete, expect, place_of, refresh, source_of, text_of
from karte.service.page_pointers import point, pointer_of, reword_pointer, unpoint
from karte.service.page_reading import shown_page
from karte.service.page_rollback import settle_pages
from karte.service.scanning import guarded
from karte.service.services import Services
from karte.service.transactions import writing
from karte.storage.protocol import Session

PROMOTED_TRUST: Final = 0.9
LONGEST_AUTHOR: Final = 200


def promote_page(
    services: Services,
    agent: str,
    path: str,
    *,
    author: str,
    layer: str = "core",
    trust: float = PROMOTED_TRUST,
    source_type: str = "verified_fact",
    origin: str | None = None,
) -> KnowledgePage:
    """Confirms a page on a person's account; no more trusted than that person is."""
    who = _checked_person(services, origin)
    checked_name(agent, "agent")
    author = _checked_author(author)
    _check_choice(layer, PageLayer, "layer")
    _check_choice(source_type, SourceType, "source_type")
    granted = origin_trust(who, checked_share(trust, "trust"), ())
    guarded(services, [("author", author)], agent, who)
    refresh(services, agent)
    with writing(services) as session:
        page = expect(session, agent, path)
        _check_may_be_confirmed(session, page)
        given: dict[str, Any] = {"layer": layer, "trust": granted, "source_type": source_type, "author": author}
        confirmed = replace(
            page,
            **given,
            state=PageState.LIVE,
            updated_at=session.now,
            promoted_at=session.now,
            promoted_digest=page.text_digest,
            held_back=None,
            pending=promoted(_text(services, page), **given, now=session.now),
        )
        if page.state is PageState.FLAGGED:  # from here on the person vouches for it
            confirmed = replace(confirmed, origin=who)
            session.pages.add_source(agent, source_of(page, who, session.now))
            point(services, session, confirmed, who, puts_back=True)
        session.pages.put(confirmed)
        reword_pointer(services, session, confirmed)
        tell(session, confirmed, "promoted", origin=who)
        shown = shown_page(session, confirmed)
    complete(services)
    return shown


def archive_page(services: Services, agent: str, path: str) -> KnowledgePage:
    """Puts a page away: its pointer ends, and its file goes to ``_archive``."""
    checked_name(agent, "agent")
    refresh(services, agent)
    with writing(services) as session:
        page = expect(session, agent, path)
        if page.state is PageState.ARCHIVED:
            raise Conflict(
                "the page is put away already", field="path", value=path, remedy="restore it if it shall count again"
            )
        unpoint(services, session, page)
        away = _moved(services, page, PageState.ARCHIVED)
        session.pages.put(away)
        tell(session, away, "archived")
        shown = shown_page(session, away)
    complete(services)
    return shown


def restore_page(services: Services, agent: str, path: str) -> KnowledgePage:
    """Brings a page back; one whose source was taken back meanwhile comes back flagged."""
    checked_name(agent, "agent")
    refresh(services, agent)
    with writing(services) as session:
        page = expect(session, agent, path)
        if page.state is not PageState.ARCHIVED:
            raise Conflict(
                "the page is not put away", field="path", value=path, remedy="nothing is to be done; it is on the list"
            )
        back = _moved(services, page, PageState.LIVE)
        if services.pages is not None and services.pages.read(place_of(back)) is not None:
            raise Conflict(
                "another file is in its place", field="path", value=path, remedy="give that file another name first"
            )
        session.pages.put(back)
        settle_pages(services, session, [back.id], is_restored=True)
        now = session.pages.of_id(back.id) or back
        if now.state is PageState.LIVE and pointer_of(session, now) is None:
            point(services, session, now, now.origin, puts_back=True)
        tell(session, now, "restored")
        shown = shown_page(session, now)
    complete(services)
    return shown


def accept_proposal(
    services: Services, agent: str, id: str, *, author: str, origin: str | None = None
) -> KnowledgePage:
    """Gives a page the text that waits; how far the page is confirmed stays, for a person has read the new text."""
    who = _checked_person(services, origin)
    author = _checked_author(author)
    guarded(services, [("author", author)], agent, who)
    refresh(services, agent)
    with writing(services) as session:
        proposal, page = _proposal(session, agent, id)
        if page.state is not PageState.LIVE:
            raise Conflict(
                f"the page is {page.state}", field="id", value=id, remedy="restore or promote the page first"
            )
        changed = replace(
            page,
            summary=summary_of(proposal.text),
            text_digest=proposal.text_digest,
            updated_at=session.now,
            promoted_digest=proposal.text_digest if page.is_promoted else None,
            pending=with_original(_text(services, page), proposal.text, session.now, proposal.origin),
        )
        session.pages.put(changed)
        session.pages.add_source(agent, source_of(changed, proposal.origin, session.now))
        session.pages.drop_proposal(id)
        if proposal.origin != page.origin:
            point(services, session, changed, proposal.origin)
        reword_pointer(services, session, changed)
        tell(session, changed, "accepted", origin=who)
        shown = shown_page(session, changed)
    complete(services)
    return shown


def decline_proposal(services: Services, agent: str, id: str) -> KnowledgePage:
    """Lets the text that waits go; the page stays as it is."""
    with writing(services) as session:
        _, page = _proposal(session, agent, id)
        session.pages.drop_proposal(id)
        tell(session, page, "declined")
        return shown_page(session, page)


def _proposal(session: Session, agent: str, id: str) -> tuple[StoredProposal, StoredPage]:
    checked_name(agent, "agent")
    for proposal in session.pages.proposals(agent):
        page = session.pages.of_id(proposal.page_id)
        if proposal.id == id and page is not None:
            return proposal, page
    raise NotFound("no such proposal", field="id", value=id, remedy="look at the list of proposals")


def _check_may_be_confirmed(session: Session, page: StoredPage) -> None:
    if page.state is PageState.ARCHIVED:
        raise Conflict("the page is put away", field="path", remedy="restore it first")
    if page.problem is not None:
        raise Conflict(f"the page cannot be used: {page.problem}", field="path", remedy="mend its file first")
    if page.state is PageState.LIVE and pointer_of(session, page) is None:
        raise Conflict("the page is held", field="path", remedy="decide about its request first (karte approvals)")


def _checked_author(author: str) -> str:
    return " ".join(checked_text(author, "author", LONGEST_AUTHOR).split())


def _check_choice(given: object, kinds: type[StrEnum], field: str) -> None:
    if given not in list(kinds):
        raise InvalidInput("no such choice", field=field, value=given, remedy=f"use one of {', '.join(kinds)}")


def _checked_person(services: Services, origin: str | None) -> str:
    who = checked_origin(services.default_origin if origin is None else origin)
    if authority_of(who, 1.0) is Authority.UNVERIFIED:
        raise Refused("nobody vouches for this source", field="origin", value=who, remedy="let a person decide")
    return who


def _text(services: Services, page: StoredPage) -> str:
    text = text_of(services, page)
    if text is None:
        raise NotFound("the page's file is missing", field="path", remedy="restore the file, or archive the page")
    return text


def _moved(services: Services, page: StoredPage, state: PageState) -> StoredPage:
    """The page in another state, its file on its way; a page without a file moves without one."""
    text = text_of(services, page) if page.problem is None else None
    moved = replace(page, state=state)
    if text is None:
        return moved
    return replace(moved, pending=text, moved_from=page.moved_from or place_of(page))
