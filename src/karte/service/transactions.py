"""Reading and writing with nothing overdue: a request whose time is up is settled first."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from karte.errors import Busy, KarteError
from karte.service.expiry import expire_due
from karte.service.services import Services
from karte.storage.protocol import Session


class DryRun(Exception):  # noqa: N818 (it ends a transaction, nothing went wrong)
    """Leaves the transaction of a dry run, which undoes it."""


@contextlib.contextmanager
def writing(services: Services) -> Iterator[Session]:
    """One operation, which takes along what was read before it."""
    touched = services.touches.take()
    try:
        with services.store.write() as session:
            if touched:
                session.life.see_again(touched)
            if session.next_expiry <= session.clock:
                expire_due(services, session)
            yield session
    except BaseException:
        services.touches.give_back(touched)
        raise


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


def write_touches(services: Services) -> None:
    """Writes what was read, if nobody else is writing; a count is not worth waiting, nor an error."""
    touched = services.touches.take()
    if not touched:
        return
    try:
        with services.store.note() as session:
            session.life.see_again(touched)
    except Busy:
        services.touches.give_back(touched)
    except KarteError:
        return


def sweep(services: Services) -> None:
    """Settles what is overdue, if anything is."""
    with writing(services):
        pass
