"""Names: aliases and declared predicates, and settling the timelines that they touch."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from karte.domain.assertions import Kind
from karte.domain.drafts import checked_name, checked_origin
from karte.domain.entities import (
    Resolve,
    identity_of,
    normalise,
    resolver,
    value_key,
    with_alias,
    without_alias,
)
from karte.domain.model import Alias
from karte.domain.reflexion import RULE_PREDICATE
from karte.domain.reserved import check_not_owned
from karte.domain.stored import Naming
from karte.errors import InvalidInput, NotFound, ReservedName
from karte.service.planning import Fact, settle
from karte.service.scanning import guarded
from karte.service.services import Services
from karte.service.transactions import DryRun, reading, writing
from karte.storage.protocol import Session

CARDINALITIES = ("one", "many")
OWN_ORIGIN = "agent_derived"
"""Of what Karte declares by itself."""


def add_alias(
    services: Services,
    agent: str,
    canonical: str,
    alias: str,
    *,
    origin: str | None = None,
    dry_run: bool = False,
) -> int:
    """Makes ``alias`` another name of ``canonical``; gives how many current facts that changes."""
    target, name = _normal(canonical, "canonical"), _normal(alias, "alias")
    check_not_owned(target, "canonical")
    check_not_owned(name, "alias")
    _scan(services, agent, origin, ("canonical", canonical), ("alias", alias))

    def change(session: Session) -> int:
        before = session.names.aliases(agent)
        after = with_alias(before, target, name)
        return rename(services, session, agent, before, after, _who(services, origin))

    return _run(services, agent, change, dry_run)


def remove_alias(
    services: Services, agent: str, alias: str, *, origin: str | None = None, dry_run: bool = False
) -> int:
    """Takes a name out of its group; gives how many current facts that changes."""
    name = _normal(alias, "alias")

    def change(session: Session) -> int:
        before = session.names.aliases(agent)
        if name not in before:
            raise NotFound("no such alias", field="alias", value=alias, remedy="list the aliases")
        after = without_alias(before, name)
        return rename(services, session, agent, before, after, _who(services, origin))

    return _run(services, agent, change, dry_run)


def list_aliases(services: Services, agent: str) -> list[Alias]:
    """The agent's aliases, by canonical name."""
    checked_name(agent, "agent")
    with reading(services) as session:
        return session.names.listed(agent)


def declare_predicate(
    services: Services,
    agent: str,
    predicate: str,
    cardinality: str,
    *,
    origin: str | None = None,
    dry_run: bool = False,
) -> int:
    """Declares how many values a predicate has at a time; gives how many current facts change."""
    key = _normal(predicate, "predicate")
    if key == RULE_PREDICATE:
        raise ReservedName(
            "a category has one rule", field="predicate", value=predicate, remedy="declare another predicate"
        )
    if cardinality not in CARDINALITIES:
        raise InvalidInput(
            "no such cardinality",
            field="cardinality",
            value=cardinality,
            remedy='use "one" or "many"',
        )

    _scan(services, agent, origin, ("predicate", predicate))

    def change(session: Session) -> int:
        if session.names.declared(agent).get(predicate) == cardinality:
            return 0
        session.names.declare(agent, key, predicate, cardinality, now=session.now, origin=_who(services, origin))
        return _resettle_predicate(services, session, agent, key)

    return _run(services, agent, change, dry_run)


def declare_many(services: Services, agent: str, predicate: str) -> None:
    """Lets a predicate of ours have many values, if nobody has said how many and no fact uses it yet.

    On Karte's own account: a rollback of whoever used it first must not take it from the others.
    """
    key = _normal(predicate, "predicate")
    with writing(services) as session:
        if key in session.names.cardinalities(agent):
            return
        if not any(normalise(naming.predicate) == key for naming in session.facts.namings(agent)):
            session.names.declare(agent, key, predicate, "many", now=session.now, origin=OWN_ORIGIN)


def declare_again(
    services: Services, session: Session, agent: str, predicate: str, cardinality: str, origin: str
) -> None:
    """Declares a predicate in a transaction that is under way."""
    shown = session.names.spelling(agent, predicate) or predicate
    session.names.declare(agent, predicate, shown, cardinality, now=session.now, origin=origin)
    _resettle_predicate(services, session, agent, predicate)


def _resettle_predicate(services: Services, session: Session, agent: str, predicate: str) -> int:
    resolve = session.names.resolve(agent)
    concerned = [n for n in session.facts.namings(agent) if normalise(n.predicate) == predicate]
    return _resettle(services, session, agent, concerned, resolve, "cardinality")


def list_predicates(services: Services, agent: str) -> dict[str, str]:
    """The declared predicates and their cardinality."""
    checked_name(agent, "agent")
    with reading(services) as session:
        return session.names.declared(agent)


def _run(services: Services, agent: str, change: Callable[[Session], int], dry_run: bool) -> int:
    """Runs a change; a dry run is the same change, undone."""
    checked_name(agent, "agent")
    with contextlib.suppress(DryRun), writing(services) as session:
        changed = change(session)
        if dry_run:
            raise DryRun
    return changed


def _normal(name: str, field: str) -> str:
    return normalise(checked_name(name, field))


def _scan(services: Services, agent: str, origin: str | None, *texts: tuple[str, str]) -> None:
    checked_name(agent, "agent")
    guarded(services, texts, agent, _who(services, origin))


def _who(services: Services, origin: str | None) -> str:
    return checked_origin(services.default_origin if origin is None else origin)


def rename(
    services: Services,
    session: Session,
    agent: str,
    before: dict[str, str],
    after: dict[str, str],
    origin: str,
) -> int:
    """Replaces an agent's alias table in a transaction that is under way; gives how many current facts change."""
    session.names.replace_aliases(agent, before, after, now=session.now, origin=origin)
    namings = list(session.facts.namings(agent))
    return _resettle(services, session, agent, namings, resolver(after), "alias")


def _resettle(
    services: Services,
    session: Session,
    agent: str,
    namings: list[Naming],
    resolve: Resolve,
    operation: str,
) -> int:
    """Moves assertions to the identity that they have now, and settles what they left and joined."""
    moves = [
        (naming, identity, value)
        for naming in namings
        for identity, value in [_named_now(session, agent, naming, resolve)]
        if (identity, value) != (naming.identity, naming.value)
    ]
    touched = {naming.identity for naming, _, _ in moves} | {identity for _, identity, _ in moves}
    current_before = session.facts.current_ids(agent, touched, session.now)
    for naming, identity, value in moves:
        session.facts.rename(naming.order, identity, value, now=session.now, operation=operation)
    for identity in sorted(touched):
        settle(services, session, Fact(agent, identity), operation=operation)
    current_after = session.facts.current_ids(agent, touched, session.now)
    return len(current_before ^ current_after)


def _named_now(session: Session, agent: str, naming: Naming, resolve: Resolve) -> tuple[str, bytes]:
    is_many = session.names.is_many(agent, normalise(naming.predicate))
    identity = identity_of(
        naming.subject,
        naming.predicate,
        object=naming.object,
        content=naming.content,
        is_many=is_many,
        resolve=resolve,
    )
    if naming.kind is Kind.END:
        return identity, naming.value
    return identity, value_key(naming.object, naming.content, resolve)


def drop_names(
    services: Services, session: Session, agent: str, before: dict[str, str], after: dict[str, str], *, settles: bool
) -> None:
    """Leaves only the aliases ``after``; with ``settles`` the timelines of what they named are settled."""
    origin = services.default_origin
    if settles and before != after:
        rename(services, session, agent, before, after, origin)
    else:
        session.names.replace_aliases(agent, before, after, now=session.now, origin=origin)
