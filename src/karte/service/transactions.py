"""Reading and writing with nothing overdue: a request whose time is up is settled first."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from karte.service.expiry import expire_due
from karte.service.services import Services
from karte.storage.protocol import Session


@contextlib.contextmanager
def writing(services: Services) -> Iterator[Session]:
    """One operation."""
    with services.store.write() as session:
        if session.next_expiry <= session.clock:
            expire_due(services, session)
        yield session


@contextlib.contextmanager
def reading(services: Services) -> Iterator[Session]:
    """One snapshot, in which every request whose time is up has been settled.

    A file that cannot be written is read as it stands.
    """
    with services.store.read() as session:
        if session.next_expiry > session.clock or services.store.is_read_only:
            yield session
            return
    sweep(services)
    with services.store.read() as session:
        yield session


def sweep(services: Services) -> None:
    """Settles what is overdue, if anything is."""
    with writing(services):
        pass
