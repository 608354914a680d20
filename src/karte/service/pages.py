"""Filing documents as pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from karte.domain.drafts import MAX_CONTENT, checked_name, checked_origin, checked_tags, checked_text
from karte.domain.knowledge_pages import PageOutcome
from karte.domain.model import StoreOutcome
from karte.domain.page_filing import Filing, NewPage, NewText, Proposal, PutAway, SameText, plan_filing
from karte.domain.page_likeness import likeness
from karte.domain.page_lines import one_line, summary_of, title_of
from karte.domain.page_names import slug_of
from karte.domain.page_reading import read_page_text
from karte.domain.page_recognition import doc_type_of
from karte.domain.page_rows import StoredPage, StoredProposal
from karte.domain.page_text import auto_page, digest_of, with_original
from karte.domain.page_wishes import Wishes, plan_description
from karte.domain.pages import AUTO_TRUST, DocType, PageFields, PageLayer, SourceType
from karte.domain.text.frontmatter import with_values
from karte.errors import InvalidInput, StorageError
from karte.service.page_describing import describe
from karte.service.page_events import tell
from karte.service.page_files import complete, folder_of, refresh, source_of, stray_names, text_of
from karte.service.page_pointers import path_of, point, pointer_of, reword_pointer
from karte.service.scanning import guarded
from karte.service.services import Services
from karte.service.transactions import writing
from karte.storage.protocol import Session

LONGEST_TITLE: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class _Document:
    """A document that is to be filed, checked."""

    agent: str
    text: str
    title: str
    doc_type: DocType
    tags: tuple[str, ...]
    origin: str
    wishes: Wishes

    @property
    def digest(self) -> str:
        return digest_of(self.text)


def file_page(
    services: Services,
    agent: str,
    text: str,
    *,
    title: str | None = None,
    doc_type: str | None = None,
    tags: Sequence[str] = (),
    origin: str | None = None,
) -> PageOutcome:
    """Files a document as a page: unconfirmed, whatever it says of itself."""
    folder_of(services)
    document = _checked(services, agent, text, title, doc_type, tags, origin)
    said = [("title", document.title), *(("tags", tag) for tag in document.tags), ("text", document.text)]
    guarded(services, said, agent, document.origin)
    refresh(services, agent)
    with writing(services) as session:
        outcome = _file(services, session, document)
    complete(services)
    return outcome


def _checked(
    services: Services,
    agent: str,
    text: str,
    title: str | None,
    doc_type: str | None,
    tags: Sequence[str],
    origin: str | None,
) -> _Document:
    checked_name(agent, "agent")
    written = checked_text(text, "text", MAX_CONTENT)
    named = "" if title is None else one_line(checked_text(title, "title", LONGEST_TITLE))
    if doc_type is not None and doc_type not in list(DocType):
        raise InvalidInput(
            "no such kind of document", field="doc_type", value=doc_type, remedy=f"use one of {', '.join(DocType)}"
        )
    marks = checked_tags([one_line(tag) for tag in checked_tags(tags)])
    return _Document(
        agent=agent,
        text=written,
        title=named or title_of(written) or "Page",
        doc_type=DocType(doc_type_of(written) if doc_type is None else doc_type),
        tags=marks,
        origin=checked_origin(services.default_origin if origin is None else origin),
        wishes=Wishes(title=named or None, doc_type=doc_type, tags=marks),
    )


def _file(services: Services, session: Session, document: _Document) -> PageOutcome:
    def compared(page: StoredPage) -> float:
        try:
            text = text_of(services, page)
        except StorageError:
            return 0.0
        if text is None:
            return 1.0  # its file is missing, and this may be what stood there
        return likeness(read_page_text(text).document, document.text)

    pages = session.pages.all(document.agent)
    slug = slug_of(document.title)
    taken = stray_names(services, document.agent, document.doc_type, pages)
    plan: Filing = plan_filing(document.doc_type, slug, document.digest, document.origin, pages, compared, taken)
    match plan:
        case NewPage():
            return _add(services, session, document, plan.slug)
        case NewText():
            return _update(services, session, document, plan.page)
        case SameText():
            page = _with_file(services, session, document, plan.page)
            return _confirm(services, session, document, page)
        case Proposal():
            return _propose(services, session, document, plan)
        case PutAway():
            return _outcome(
                "archived", plan.page, reason="a person put this page away, and nothing was filed; restore it first"
            )


def _add(services: Services, session: Session, document: _Document, slug: str) -> PageOutcome:
    fields = PageFields(
        title=document.title,
        created=session.now,
        updated=session.now,
        tags=document.tags,
        layer=PageLayer.CONTEXT,
        trust=AUTO_TRUST,
        source_type=SourceType.RAW_DIALOGUE,
        sources=(document.origin,),
        doc_type=document.doc_type,
    )
    page = session.pages.add(
        StoredPage(
            ordinal=0,
            id=services.new_id(),
            agent_id=document.agent,
            doc_type=document.doc_type,
            slug=slug,
            title=document.title,
            summary=summary_of(document.text),
            tags=document.tags,
            layer=PageLayer.CONTEXT,
            trust=AUTO_TRUST,
            source_type=SourceType.RAW_DIALOGUE,
            origin=document.origin,
            text_digest=document.digest,
            created_at=session.now,
            updated_at=session.now,
            pending=auto_page(fields, document.text, session.now, document.origin),
        )
    )
    return _written(services, session, document, page, "filed")


def _update(services: Services, session: Session, document: _Document, page: StoredPage) -> PageOutcome:
    """The new text in the place of the old; what stands around it stays."""
    plan = plan_description(page, document.wishes, None)
    before = text_of(services, page) or _anew(page, document, session.now)
    if plan.differs(page):
        before = with_values(before, {"title": plan.title, "tags": plan.tags})
    changed = replace(
        page,
        title=plan.title,
        summary=summary_of(document.text),
        tags=plan.tags,
        text_digest=document.digest,
        origin=document.origin,
        updated_at=session.now,
        problem=None,
        pending=with_original(before, document.text, session.now, document.origin),
    )
    session.pages.put(changed)
    outcome = _written(services, session, document, changed, "updated")
    reword_pointer(services, session, changed)
    return replace(outcome, notes=plan.notes)


def _with_file(services: Services, session: Session, document: _Document, page: StoredPage) -> StoredPage:
    """The page, whose file is written anew where it is missing."""
    if page.problem is None or text_of(services, page) is not None:
        return page
    mended = replace(page, problem=None, pending=_anew(page, document, session.now))
    session.pages.put(mended)
    return mended


def _anew(page: StoredPage, document: _Document, now: str) -> str:
    """The text of a page whose file is missing: of this document, with what was granted to the page."""
    fields = PageFields(
        title=page.title,
        created=page.created_at,
        updated=now,
        tags=page.tags,
        author=page.author,
        layer=page.layer,
        trust=page.trust,
        source_type=page.source_type,
        sources=(document.origin,),
        doc_type=page.doc_type,
    )
    return auto_page(fields, document.text, now, document.origin)


def _written(
    services: Services, session: Session, document: _Document, page: StoredPage, status: Literal["filed", "updated"]
) -> PageOutcome:
    session.pages.add_source(document.agent, source_of(page, document.origin, session.now))
    pointed = point(services, session, page, document.origin)
    tell(session, page, status)
    if pointed.status == "held":
        return _outcome("held", page, pointed)
    return _outcome(status, page, pointed)


def _confirm(services: Services, session: Session, document: _Document, page: StoredPage) -> PageOutcome:
    """The same text again: from another origin it is one more that vouches for the page."""
    standing = pointer_of(session, page)
    sources = session.pages.sources(page.id)
    known = {each.origin for each in sources if each.text_digest == page.text_digest and each.withdrawn_by is None}
    memory_id = None if standing is None else standing.id
    if document.origin not in known or standing is None:
        session.pages.add_source(document.agent, source_of(page, document.origin, session.now))
        pointed = point(services, session, page, document.origin)
        if standing is None and pointed.status == "held":
            return _outcome("held", page, pointed)
        memory_id = memory_id or pointed.id
    unchanged = _outcome("unchanged", page, memory_id=memory_id)
    outcome = describe(services, session, unchanged, page, document.wishes, document.origin)
    if document.origin in known:
        return outcome
    vouches = f"{document.origin} vouches for the page too now; it stays a page of {page.origin}"
    return replace(outcome, notes=(*outcome.notes, vouches))


def _propose(services: Services, session: Session, document: _Document, plan: Proposal) -> PageOutcome:
    waiting = [each for each in session.pages.proposals(document.agent) if each.page_id == plan.page.id]
    same = next((each for each in waiting if each.text_digest == document.digest), None)
    if same is None:
        for each in waiting:
            if each.origin == document.origin:  # its newest wish counts
                session.pages.drop_proposal(each.id)
        same = StoredProposal(
            id=services.new_id(),
            page_id=plan.page.id,
            origin=document.origin,
            text=document.text,
            text_digest=document.digest,
            proposed_at=session.now,
        )
        session.pages.propose(document.agent, same)
        tell(session, plan.page, "proposed", origin=document.origin)
    described = plan_description(plan.page, document.wishes, plan.reason)
    return replace(_outcome("proposed", plan.page, reason=plan.reason), proposal_id=same.id, notes=described.notes)


def _outcome(
    status: Literal["filed", "updated", "unchanged", "proposed", "held", "archived"],
    page: StoredPage,
    pointed: StoreOutcome | None = None,
    *,
    memory_id: str | None = None,
    reason: str | None = None,
) -> PageOutcome:
    return PageOutcome(
        status=status,
        path=path_of(page).path,
        title=page.title,
        memory_id=memory_id if pointed is None else pointed.id,
        approval_id=None if pointed is None else pointed.approval_id,
        reason=reason if pointed is None else pointed.reason,
    )
