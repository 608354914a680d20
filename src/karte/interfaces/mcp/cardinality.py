"""Declaring a predicate on the way of a write, where that changes nothing that is current."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from karte.domain.entities import normalise
from karte.domain.model import Cardinality
from karte.domain.scopes import Principal, Scope
from karte.domain.trust import Authority, authority_of
from karte.errors import InvalidInput, KarteError, ScopeDenied
from karte.interfaces.mcp.arguments import Values

if TYPE_CHECKING:
    from karte.engine import MemoryEngine


@contextmanager
def declared_for(
    engine: MemoryEngine, principal: Principal, items: Iterable[Values], *, each_by_itself: bool = False
) -> Iterator[dict[int, KarteError]]:
    """Predicates declared as the items say, taken back if the write inside fails.

    Gives what is denied, by ``id()`` of the item; without ``each_by_itself`` that is raised.
    """
    denied: dict[int, KarteError] = {}
    changed: dict[str, Cardinality] = {}
    for item in items:
        if "cardinality" not in item:
            continue
        try:
            changed |= _declare(engine, principal, item.get("predicate"), item["cardinality"])
        except KarteError as error:
            if not each_by_itself:
                raise
            denied[id(item)] = error
    try:
        yield denied
    except KarteError:
        for predicate, before in changed.items():
            with suppress(KarteError):  # the first error is the one to tell
                engine.declare_predicate(principal.agent, predicate, before, origin=principal.origin)
        raise


def _declare(
    engine: MemoryEngine, principal: Principal, predicate: str | None, cardinality: Cardinality
) -> dict[str, Cardinality]:
    """Declare, and give the predicate with what it was before if that was something else."""
    if predicate is None:
        raise InvalidInput(
            "a cardinality without a predicate", field="cardinality", remedy="give subject and predicate too"
        )
    agent, origin = principal.agent, principal.origin
    current = engine.declare_predicate(agent, predicate, cardinality, origin=origin, dry_run=True)
    if current and not principal.has(Scope.CURATE):
        raise ScopeDenied(
            f"declaring {predicate!r} {cardinality} would change {current} current facts,"
            f" which needs the scope {Scope.CURATE}",
            field="cardinality",
            remedy="leave cardinality out, or ask a curator to declare the predicate",
        )
    before = engine.list_predicates(agent)
    is_change = before.get(normalise(predicate), "one") != cardinality
    is_unverified = authority_of(origin, 1.0) is Authority.UNVERIFIED
    if is_change and is_unverified and not principal.has(Scope.CURATE):  # its value would stand beside the curated one
        raise ScopeDenied(
            f"declaring {predicate!r} {cardinality} as a source that nobody vouches for needs the scope {Scope.CURATE}",
            field="cardinality",
            remedy="leave cardinality out, or ask a curator to declare the predicate",
        )
    engine.declare_predicate(agent, predicate, cardinality, origin=origin)
    if engine.list_predicates(agent) == before:
        return {}
    return {predicate: "one" if cardinality == "many" else "many"}


def refuse_strangers(principal: Principal) -> None:
    """Raises ``ScopeDenied`` for a source that nobody vouches for: a name of its choice would move others' facts."""
    if authority_of(principal.origin, 1.0) is Authority.UNVERIFIED and not principal.has(Scope.CURATE):
        raise ScopeDenied(
            f"naming things anew as a source that nobody vouches for needs the scope {Scope.CURATE}",
            field="alias",
            remedy="ask a curator to add the alias",
        )
