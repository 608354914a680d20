"""Aliases and declarations of one origin: they fall with a purge of it, and return with its undo."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Final

from karte.domain.retraction import ItemKind, NameChange, OperationItem
from karte.service.aliases import declare_again, rename
from karte.service.services import Services
from karte.storage.protocol import Session

PURGED_BY: Final = "operator"
"""Whose word the change is that a purge makes to names."""

_UNSAID: Final = {ItemKind.ALIAS: None, ItemKind.CARDINALITY: "one"}
"""What a name means that nobody has given a meaning."""


def withdraw_names(services: Services, session: Session, agent: str, origin: str, since: str) -> list[OperationItem]:
    """Gives every name that this origin changed last the meaning back that it had before."""
    items: list[OperationItem] = []
    for kind in (ItemKind.ALIAS, ItemKind.CARDINALITY):
        changes = session.names.of_origin(agent, kind.value, origin, since)
        items += [
            OperationItem(kind=kind, name=name, before=json.dumps({"before": before, "after": after}))
            for name, before, after in changes
        ]
        _apply(services, session, agent, kind, {name: before for name, before, _ in changes})
    return items


def names_in(items: Iterable[OperationItem]) -> tuple[NameChange, ...]:
    """The names among what an operation covers, in words."""
    changes = []
    for item in items:
        if item.kind in (ItemKind.ALIAS, ItemKind.CARDINALITY) and item.name is not None:
            change = json.loads(item.before)
            changes.append(
                NameChange(kind=item.kind.value, name=item.name, said=change["after"], before=change["before"])
            )
    return tuple(changes)


def restore_names(services: Services, session: Session, agent: str, items: Iterable[OperationItem]) -> None:
    """Gives names the meaning back that a purge took, where nobody has given them another meanwhile."""
    for kind in (ItemKind.ALIAS, ItemKind.CARDINALITY):
        now = session.names.aliases(agent) if kind is ItemKind.ALIAS else session.names.cardinalities(agent)
        wanted = {}
        for item in items:
            if item.kind is kind and item.name is not None:
                change = json.loads(item.before)
                found = now.get(item.name)
                if found is None or found == (change["before"] or _UNSAID[kind]):
                    wanted[item.name] = change["after"]
        _apply(services, session, agent, kind, wanted)


def _apply(services: Services, session: Session, agent: str, kind: ItemKind, wanted: dict[str, str | None]) -> None:
    if not wanted:
        return
    if kind is ItemKind.CARDINALITY:
        for name, cardinality in wanted.items():
            declare_again(services, session, agent, name, cardinality or "one", PURGED_BY)
        return
    before = session.names.aliases(agent)
    after = {name: target for name, target in before.items() if name not in wanted}
    after |= {name: target for name, target in wanted.items() if target is not None}
    rename(services, session, agent, before, after, PURGED_BY)
