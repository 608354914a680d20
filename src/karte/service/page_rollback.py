"""What becomes of pages when an origin is taken back, and when that is undone.

A page stands while an origin that filed its present text does. Else it is flagged: no more trusted than anything that
was cut, out of every context, and out of search, until a person confirms it or the rollback is undone. Its pointer
falls with the other memories of the origin.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace

from karte.domain.page_rows import PageState, StoredPage, stands
from karte.domain.pages import PageLayer, SourceType
from karte.domain.retraction import ItemKind, OperationItem
from karte.domain.text.frontmatter import Value, with_values
from karte.domain.trust import CUT_TRUST
from karte.errors import StorageError
from karte.service.page_events import tell
from karte.service.page_files import text_of
from karte.service.page_pointers import path_of, point, pointer_of, unpoint
from karte.service.services import Services
from karte.service.withdrawing import Withdrawal
from karte.storage.protocol import Session

_POINTED = "is_pointed"
_GRANTED = ("layer", "trust", "source_type", "promoted_at", "promoted_digest", "origin")


def withdraw_pages(
    services: Services, session: Session, withdrawal: Withdrawal, agent: str, origin: str, since: str, operation_id: str
) -> tuple[tuple[str, ...], list[str]]:
    """Takes back what an origin filed; gives the paths of the pages that are flagged for it, and the ids touched.

    Once the memories of the origin have fallen, ``settle_pointers`` ends what is left of the pointers.
    """
    touched = session.pages.withdraw(agent, origin, since, operation_id)
    withdrawal.items += [OperationItem(kind=ItemKind.PAGE, before="filed", name=id) for id in touched]
    return settle_pages(services, session, touched), touched


def reinstate_pages(services: Services, session: Session, operation_id: str) -> bool:
    """Lets what an operation took back count again; whether it had taken back anything of a page."""
    touched = session.pages.reinstate(operation_id)
    settle_pages(services, session, touched)
    settle_pointers(services, session, touched)
    return bool(touched)


def settle_pages(
    services: Services, session: Session, ids: Iterable[str], *, is_restored: bool = False
) -> tuple[str, ...]:
    """Flags the pages that nobody vouches for any more, and clears those for which somebody does; the flagged ones."""
    flagged = []
    for page in _pages(session, ids):
        source = stands(session.pages.sources(page.id), page.text_digest)
        if page.state is PageState.ARCHIVED:
            continue  # restoring it will ask
        if source is None and page.state is PageState.LIVE:
            _flag(services, session, page, is_pointed=is_restored or pointer_of(session, page) is not None)
            flagged.append(path_of(page).path)
        elif source is not None and page.held_back is not None:
            granted = json.loads(page.held_back)
            is_pointed = granted.pop(_POINTED)
            cleared = replace(page, state=PageState.LIVE, held_back=None, **granted)
            _put(services, session, cleared, status=None)
            if is_pointed and pointer_of(session, cleared) is None:
                point(services, session, cleared, cleared.origin, puts_back=True)
        elif source is not None:
            origins = {each.origin for each in session.pages.sources(page.id) if each.withdrawn_by is None}
            if page.origin not in origins:  # another who filed the same text vouches for it now
                session.pages.put(replace(page, origin=source.origin))
    return tuple(flagged)


def settle_pointers(services: Services, session: Session, ids: Iterable[str]) -> None:
    """Ends the pointers of pages that are not live, whoever's word they stand on."""
    for page in _pages(session, ids):
        if page.state is not PageState.LIVE and pointer_of(session, page) is not None:
            unpoint(services, session, page)


def _pages(session: Session, ids: Iterable[str]) -> list[StoredPage]:
    return [page for id in ids if (page := session.pages.of_id(id)) is not None]


def _flag(services: Services, session: Session, page: StoredPage, *, is_pointed: bool) -> None:
    granted = {name: getattr(page, name) for name in _GRANTED}
    flagged = replace(
        page,
        state=PageState.FLAGGED,
        held_back=page.held_back or json.dumps({**granted, _POINTED: is_pointed}),
        layer=PageLayer.CONTEXT.value,
        trust=min(page.trust, CUT_TRUST),
        source_type=SourceType.RAW_DIALOGUE.value,
        promoted_at=None,
        promoted_digest=None,
    )
    _put(services, session, flagged, status="flagged")
    tell(session, flagged, "flagged")


def _put(services: Services, session: Session, page: StoredPage, *, status: str | None) -> None:
    """Keeps a page, and lets its file say so too."""
    try:
        text = text_of(services, page)
    except StorageError:
        text = None
    if text is not None:
        fields: dict[str, Value] = {
            "layer": page.layer,
            "trust": page.trust,
            "source_type": page.source_type,
            "status": status,
        }
        page = replace(page, pending=with_values(text, fields))
    session.pages.put(page)
