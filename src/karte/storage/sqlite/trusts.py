"""How far the memories of each agent can be trusted at most: a bound that a search counts on, and that only grows."""

from __future__ import annotations

from typing import Final

import apsw

from karte.domain.trust import ceiling_of
from karte.storage.sqlite.connection import Execute

_RAISE: Final = (
    "INSERT INTO agent_trust (agent_id, most) VALUES (?, ?) ON CONFLICT (agent_id) DO UPDATE SET most = excluded.most"
    " WHERE excluded.most > most"
)


class Trusts:
    """The bounds of one file's agents, raised by what is written."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._execute: Execute = connection.execute
        self._raised: dict[str, float] = {}

    def begin(self) -> None:
        """Knows nothing of the bounds at the beginning of a transaction."""
        self._raised.clear()

    def allow(self, agent: str, origin: str | None) -> None:
        """Raises the agent's bound to that of an origin's class.

        Whatever becomes of a memory later, it is never trusted more than the class of its origin allows. The rows of
        one transaction mostly have one origin, so the bound is looked at once for all of them.
        """
        most = ceiling_of(origin)
        if most > self._raised.get(agent, -1.0):
            self._execute(_RAISE, (agent, most))
            self._raised[agent] = most
