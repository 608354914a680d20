"""The one row that memory keeps of a page: where it is and what it is about, never its text.

It is the fact ``wiki:auto/<kind>/<name> documented_in <path>`` of the origin that filed the page. A page is live while
its pointer holds; so quarantine and rollback, which act on memories, act on pages too.
"""

from __future__ import annotations

import json
from typing import Final

from karte.domain.distilling import DISTILL_EVENT, DISTILLED_LAYER, DISTILLED_TRUST
from karte.domain.drafts import draft_of
from karte.domain.entities import identity_prefix, normalise
from karte.domain.model import MemoryEntry, StoreOutcome, TemporalMeta
from karte.domain.page_lines import MOST_SUMMARY
from karte.domain.page_names import PagePath
from karte.domain.page_rows import StoredPage
from karte.domain.pages import DocType
from karte.domain.reserved import OWNERS
from karte.domain.stored import StoredMemory, read_object, write_list
from karte.service.ends import end_owned
from karte.service.remember import store_prepared
from karte.service.services import Services
from karte.storage.protocol import Session

PREFIX: Final = "wiki:auto/"
OWNER: Final = OWNERS[PREFIX]
PREDICATE: Final = "documented_in"


def path_of(page: StoredPage) -> PagePath:
    """The name of a page."""
    return PagePath(doc_type=DocType(page.doc_type), slug=page.slug)


def point(
    services: Services, session: Session, page: StoredPage, origin: str, *, puts_back: bool = False
) -> StoreOutcome:
    """Says, or confirms, where a page is; counted as what page filing writes, unless it only ``puts_back`` what stood.

    What it says of the page's text was scanned with that text.
    """
    entry = MemoryEntry(
        content=_content(page),
        agent_id=page.agent_id,
        tags=page.tags,
        layer=DISTILLED_LAYER,
        source_event=DISTILL_EVENT,
    )
    where = path_of(page)
    meta = TemporalMeta(
        subject=where.subject,
        predicate=PREDICATE,
        object=where.path,
        origin=origin,
        origin_trust=DISTILLED_TRUST,
        metadata=_metadata(page),
    )
    if services.vectors is not None:
        services.vectors.left_behind()  # an embedder may take its time, and the file is held
    draft = draft_of(entry, meta, services.default_origin)
    return store_prepared(services, session, draft, owner=OWNER, is_distilled=True, puts_back=puts_back)


def unpoint(services: Services, session: Session, page: StoredPage) -> None:
    """Ends the pointer of exactly this page."""
    end_owned(services, session, page.agent_id, path_of(page).subject, PREDICATE, owner=OWNER)


def pointers(session: Session, agent: str) -> dict[str, StoredMemory]:
    """The pointers that hold now, by the folded subject."""
    rows = session.timelines.all_at(agent, PREFIX, session.now)
    return {normalise(row.subject or ""): row for row in rows if normalise(row.predicate or "") == PREDICATE}


def pointer_of(session: Session, page: StoredPage) -> StoredMemory | None:
    """The pointer of a page, if it holds now."""
    prefix = identity_prefix(path_of(page).subject, PREDICATE, session.names.resolve(page.agent_id))
    rows = session.timelines.all_at(page.agent_id, prefix, session.now)
    return max(rows, key=lambda row: row.assertion or 0, default=None)


def reword_pointer(services: Services, session: Session, page: StoredPage) -> None:
    """Lets the pointer say what the page is called now, and how far it is confirmed; what it said stays on record."""
    row = pointer_of(session, page)
    if row is None:
        return
    metadata = json.dumps({**read_object(row.metadata_json), **_metadata(page)}, ensure_ascii=False)
    changed = row._replace(content=_content(page), metadata_json=metadata, tags_json=write_list(page.tags))
    if changed != row:
        is_reworded = changed.content != row.content
        session.memories.update(changed, now=session.now, is_reworded=is_reworded)
        if is_reworded and services.vectors is not None:
            services.vectors.left_behind()


def _content(page: StoredPage) -> str:
    summary = page.summary[:MOST_SUMMARY]
    return f"{page.title} ({path_of(page).path})" + (f": {summary}" if summary else "")


def _metadata(page: StoredPage) -> dict[str, object]:
    return {"page": path_of(page).path, "layer": page.layer, "confirmed": page.is_promoted}
