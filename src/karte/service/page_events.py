"""What became of a page, kept as an event."""

from __future__ import annotations

from karte.domain.events import EventKind, NewEvent
from karte.domain.page_rows import StoredPage
from karte.service.page_pointers import path_of
from karte.storage.protocol import Session


def tell(session: Session, page: StoredPage, status: str, *, origin: str | None = None) -> None:
    """Keeps what became of a page as an event."""
    session.events.emit(
        NewEvent(
            kind=EventKind.PAGE,
            agent_id=page.agent_id,
            origin=page.origin if origin is None else origin,
            subject=path_of(page).subject,
            data={"status": status, "path": path_of(page).path},
        ),
        session.now,
    )
