"""Who may do what: the scopes, and the one check that every door makes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from karte.errors import ConfigError, ScopeDenied


class Scope(StrEnum):
    """What a credential may do. No scope includes another."""

    READ = "memory:read"
    WRITE = "memory:write"
    CURATE = "memory:curate"
    ADMIN = "admin"


AGENT_SCOPES: Final = frozenset({Scope.READ, Scope.WRITE})
"""What an agent may do where nobody says otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """On whose behalf a call is made: whose memory, what is allowed, where its writes come from.

    ``client`` names the program that calls, where it is known; nothing is decided by it.
    """

    agent: str = "default"
    scopes: frozenset[Scope] = AGENT_SCOPES
    origin: str = "agent_derived"
    client: str | None = None

    def has(self, scope: Scope) -> bool:
        """Whether the scope was granted."""
        return scope in self.scopes


def require(principal: Principal, scope: Scope, *, field: str | None = None) -> None:
    """Nothing, if the principal has the scope; else ``ScopeDenied``, which names it."""
    if not principal.has(scope):
        raise ScopeDenied(
            f"this needs the scope {scope}",
            field=field,
            remedy="ask whoever configures this connection to grant it",
        )


def parse_scopes(names: str | Iterable[str]) -> frozenset[Scope]:
    """The scopes of a list of names, or of text in which commas or spaces part them.

    Raises ``ConfigError`` for a name that is no scope.
    """
    words = names.replace(",", " ").split() if isinstance(names, str) else names
    return frozenset(_scope(word) for word in words)


def _scope(name: str) -> Scope:
    try:
        return Scope(name.strip())
    except ValueError:
        known = ", ".join(Scope)
        raise ConfigError("no such scope", field="scopes", value=name, remedy=f"scopes are {known}") from None
