"""A change of owner: all that one agent knows becomes another's, in one transaction."""

from __future__ import annotations

import contextlib

from karte.domain.drafts import checked_name
from karte.domain.entities import normalise, with_alias
from karte.domain.events import EventKind, NewEvent
from karte.domain.life import Reassignment
from karte.errors import InvalidInput
from karte.service.aliases import rename
from karte.service.page_files import complete, finish, move_pages
from karte.service.planning import Fact, settle
from karte.service.rules import settle_rules, versions_of
from karte.service.services import Services
from karte.service.transactions import DryRun, writing
from karte.storage.protocol import Session


def reassign_agent(services: Services, old: str, new: str, *, dry_run: bool = False) -> Reassignment:
    """Gives everything of one agent to another; what waits for a decision waits on."""
    checked_name(old, "old")
    if checked_name(new, "new") == old:
        raise InvalidInput("both are the same agent", field="new", value=new, remedy="name another agent")
    complete(services)
    with contextlib.suppress(DryRun), writing(services) as session:
        moved, merged = _move(services, session, old, new)
        if dry_run:
            raise DryRun
    if moved["pages"] and not dry_run:
        finish(services)
    return Reassignment(old=old, new=new, moved=moved, merged=merged, dry_run=dry_run)


def _move(services: Services, session: Session, old: str, new: str) -> tuple[dict[str, int], int]:
    orders = {naming.order for naming in session.facts.namings(old)}
    moved = session.reassigning.move(old, new, session.now)
    _join_names(services, session, old, new)
    moved["pages"] = move_pages(services, session, old, new)
    mine: set[str] = set()
    theirs: set[str] = set()
    for naming in session.facts.namings(new):
        (mine if naming.order in orders else theirs).add(naming.identity)
    for identity in sorted(mine):
        settle(services, session, Fact(new, identity), operation="reassign")
    if mine:
        settle_rules(services, session, new, versions_of(session, new))
    if any(moved.values()):
        for agent in (old, new):
            data = {"old": old, "new": new, "moved": moved}
            session.events.emit(NewEvent(kind=EventKind.REASSIGNED, agent_id=agent, data=data), session.now)
    return moved, len(mine & theirs)


def _join_names(services: Services, session: Session, old: str, new: str) -> None:
    """The names of the old owner that the new one does not use otherwise join; facts go to where they belong now."""
    origin = services.default_origin
    declared = session.names.cardinalities(new)
    for predicate, cardinality in session.names.cardinalities(old).items():
        if predicate not in declared:
            shown = session.names.spelling(old, predicate) or predicate
            session.names.declare(new, normalise(predicate), shown, cardinality, now=session.now, origin=origin)
    before = session.names.aliases(new)
    after = dict(before)
    for alias, canonical in sorted(session.names.aliases(old).items()):
        if alias not in after and alias not in after.values() and after.get(canonical, canonical) != alias:
            after = with_alias(after, canonical, alias)
    rename(services, session, new, before, after, origin)
