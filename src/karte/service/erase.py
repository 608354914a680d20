"""A person's right to be forgotten: everything about an exact subject, or of a whole agent, is gone."""

from __future__ import annotations

import contextlib
from dataclasses import replace

from karte.domain.drafts import checked_name
from karte.domain.erasure import Erasure, Extent, content_hash, names_of
from karte.domain.events import EventKind, NewEvent
from karte.errors import InvalidInput
from karte.service.aliases import drop_names
from karte.service.page_files import complete, remove_files
from karte.service.planning import Fact, settle
from karte.service.services import Services
from karte.service.transactions import DryRun
from karte.storage.protocol import Removal, Session


def erase(
    services: Services,
    agent: str,
    *,
    subject: str | None = None,
    everything: bool = False,
    include_objects: bool = False,
    keep_stop_list: bool = False,
    dry_run: bool = False,
) -> Erasure:
    """Removes every row of every table about a subject (or of the agent), then the bytes they left in the file.

    The removal is one transaction; the cleaning comes after it, and also where there was nothing to remove.
    """
    checked_name(agent, "agent")
    if (subject is None) is not everything:
        raise InvalidInput(
            "name a subject, or ask for everything", field="subject", value=subject, remedy="one of the two, not both"
        )
    if subject is not None:
        checked_name(subject, "subject")
    complete(services)
    with contextlib.suppress(DryRun), services.store.write() as session:
        extent = extent_of(session, agent, subject, include_objects=include_objects)
        pages = session.pages.doomed(agent, extent.names)
        done = _remove(services, session, extent, agent, subject, keep_stop_list=keep_stop_list)
        if dry_run:
            raise DryRun
        remove_files(services, pages)  # before the commit: a file that outlived its row would be taken for a new page
    if dry_run:
        return replace(done, dry_run=True)
    cleaning = services.store.clean()
    return replace(done, is_clean=cleaning.is_clean and not done.leftovers, remedy=cleaning.remedy)


def extent_of(session: Session, agent: str, subject: str | None, *, include_objects: bool) -> Extent:
    """What a caller means by an agent and, maybe, a subject: with all names that it has today."""
    names = None if subject is None else names_of(subject, session.names.aliases(agent))
    return Extent(agent=agent, names=names, with_objects=include_objects and names is not None)


def is_stopped(services: Services, agent: str, content: str) -> bool:
    """Whether a text was erased and is to be kept out."""
    with services.store.read() as session:
        return session.stops.is_stopped(agent, content_hash(content))


def _remove(
    services: Services, session: Session, extent: Extent, agent: str, subject: str | None, *, keep_stop_list: bool
) -> Erasure:
    names = extent.names
    aliases = session.names.aliases(agent)
    with session.erasing.of(extent, keeps_stops=keep_stop_list) as removal:
        removal.detach(session.now, session.next_ordinal)
        removed = removal.count()
        removal.delete()
        rest = {} if names is None else {alias: name for alias, name in aliases.items() if not {alias, name} & names}
        drop_names(services, session, agent, aliases, rest, settles=names is not None)
        for identity in removal.touched:
            settle(services, session, Fact(agent, identity), operation="erase")
        removal.delete()  # the log of the names that have just gone
        removal.scrub()
        done = Erasure(
            agent=agent,
            subject=subject,
            names=() if names is None else tuple(sorted(names)),
            removed=removed,
            leftovers=removal.leftovers(),
            mentions=removal.mentions,
            derived=removal.derived,
            unexamined=removal.unexamined(),
            stopped=_stop(session, agent, removal) if keep_stop_list else 0,
        )
    if removed and names is not None:  # of an agent that is erased not even the name stays
        data = {"removed": removed}
        session.events.emit(NewEvent(kind=EventKind.ERASED, agent_id=agent, data=data), session.now)
    return done


def _stop(session: Session, agent: str, removal: Removal) -> int:
    return session.stops.add(agent, (content_hash(text) for text in removal.contents), session.now)
