"""Giving a page that stands already the title and the tags that it was filed with this time."""

from __future__ import annotations

from dataclasses import replace

from karte.domain.knowledge_pages import PageOutcome
from karte.domain.page_filing import why_not_replaced
from karte.domain.page_rows import StoredPage
from karte.domain.page_text import described
from karte.domain.page_wishes import Wishes, plan_description
from karte.service.page_events import tell
from karte.service.page_files import text_of
from karte.service.page_pointers import pointer_of, reword_pointer
from karte.service.services import Services
from karte.storage.protocol import Session


def describe(
    services: Services, session: Session, outcome: PageOutcome, page: StoredPage, wishes: Wishes, origin: str
) -> PageOutcome:
    """The outcome of filing a text that the page has already, with what became of the wishes."""
    text = text_of(services, page) if page.problem is None else None
    refusal = why_not_replaced(page, origin)
    if refusal is None and text is None:
        refusal = "its file cannot be used"
    if refusal is None and pointer_of(session, page) is None:
        refusal = "the page is held"
    plan = plan_description(page, wishes, refusal)
    if text is None or not plan.differs(page):
        return replace(outcome, notes=plan.notes)
    changed = replace(
        page,
        title=plan.title,
        tags=plan.tags,
        updated_at=session.now,
        pending=described(text, title=plan.title, tags=plan.tags, now=session.now, origin=origin),
    )
    session.pages.put(changed)
    reword_pointer(services, session, changed)
    tell(session, changed, "updated", origin=origin)
    return replace(outcome, status="updated", title=changed.title, notes=plan.notes)
