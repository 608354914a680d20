"""The rows of a fact as readers see them: what holds at an instant, and all there was."""

from __future__ import annotations

from typing import Any, Final

import apsw

from karte.domain.stored import StoredMemory
from karte.storage.sqlite import beliefs
from karte.storage.sqlite.connection import Execute
from karte.storage.sqlite.mapping import MEMORY_COLUMNS, from_row
from karte.storage.sqlite.memories import LIVE, SHOWN

_EXACT: Final = "m.agent_id = :agent AND m.identity = :identity"
_RANGE: Final = "m.agent_id = :agent AND m.identity >= :identity AND m.identity < :past"
_HOLDS: Final = "m.valid_from <= :at AND (m.valid_until IS NULL OR m.valid_until > :at)"
_AT: Final = (
    f"SELECT {MEMORY_COLUMNS} FROM memories m WHERE {_EXACT} AND {LIVE} AND m.valid_from <= :at"
    " AND (m.valid_until IS NULL OR m.valid_until > :at OR"
    " (m.support IS NOT NULL AND m.valid_until > m.valid_from))"
    " ORDER BY m.valid_from DESC, m.assertion DESC LIMIT 1"
)
"""The stretches of a planned fact are disjoint, so the last one that begins by then decides, and
a long history is not walked; rows that an older engine wrote (``support`` NULL) may overlap."""
_ALL_AT: Final = (
    f"SELECT {MEMORY_COLUMNS} FROM memories m WHERE {_RANGE} AND {LIVE} AND {_HOLDS}"
    " ORDER BY m.identity, m.valid_from DESC, m.assertion DESC"
)
_IS_KNOWN: Final = (  # or was, before it was given away
    f"SELECT 1 FROM memories m WHERE {_EXACT} UNION ALL SELECT 1 FROM memory_revisions"
    " WHERE operation = 'reassign' AND agent_id = :agent AND identity = :identity LIMIT 1"
)
_IN_HISTORY: Final = f"(m.quarantined = 0 OR m.state IS NOT NULL OR :with_held) AND {SHOWN}"
_IN_ORDER: Final = "ORDER BY coalesce(m.valid_from, m.timestamp), m.assertion, m.ordinal"
_HISTORY: Final = f"SELECT {MEMORY_COLUMNS} FROM memories m WHERE {_EXACT} AND {_IN_HISTORY} {_IN_ORDER}"
_ALL_HISTORY: Final = f"SELECT {MEMORY_COLUMNS} FROM memories m WHERE {_RANGE} AND {_IN_HISTORY} {_IN_ORDER}"
_RENAMED: Final = (
    "m.agent_id = :agent AND m.id IN (SELECT memory_id FROM memory_revisions"
    " INDEXED BY memory_revisions_identity WHERE operation IN ('alias', 'cardinality')"
    " AND identity >= :identity AND identity < :past)"
)
_GIVEN_AWAY: Final = (
    "m.id IN (SELECT memory_id FROM memory_revisions WHERE operation = 'reassign'"
    " AND agent_id = :agent AND identity >= :identity AND identity < :past)"
)
_RENAMED_THEN_GIVEN_AWAY: Final = _RENAMED.replace("m.agent_id = :agent", beliefs.OWNED)
_KNOWN: Final = beliefs.known_rows(f"({_RANGE}) OR ({_RENAMED_THEN_GIVEN_AWAY}) OR ({_GIVEN_AWAY})")


class Timelines:
    """Readers' view of the facts of one file.

    An identity names one timeline; a prefix of identities (it ends with our separator) names
    all values of a predicate that is declared many-valued.
    """

    def __init__(self, connection: apsw.Connection) -> None:
        self._execute: Execute = connection.execute

    def is_known(self, agent: str, identity: str) -> bool:
        """Whether any row, also one that does not show, is of this timeline."""
        return self._execute(_IS_KNOWN, {"agent": agent, "identity": identity}).fetchone() is not None

    def at(self, agent: str, identity: str, instant: str) -> StoredMemory | None:
        """The row of one timeline that holds at an instant."""
        place = {"agent": agent, "identity": identity, "at": instant}
        row = self._execute(_AT, place).fetchone()
        stored = from_row(row) if row else None
        return stored if stored is not None and instant < stored.ends_at else None

    def all_at(self, agent: str, prefix: str, instant: str) -> list[StoredMemory]:
        """The row of each timeline under a prefix that holds at an instant."""
        rows = self._execute(_ALL_AT, _place(agent, prefix, True) | {"at": instant})
        return _first_of_each([from_row(row) for row in rows])

    def history(self, agent: str, identity: str, *, is_prefix: bool, with_held: bool = False) -> list[StoredMemory]:
        """Every row that shows, oldest first."""
        query = _ALL_HISTORY if is_prefix else _HISTORY
        place = _place(agent, identity, is_prefix) | {"with_held": with_held}
        return [from_row(row) for row in self._execute(query, place)]

    def known_at(
        self, agent: str, identity: str, known_at: str, instant: str, *, is_prefix: bool
    ) -> list[StoredMemory]:
        """What held at an instant as it was believed at another."""
        known = self._known(agent, identity, known_at, is_prefix)
        holding = [m for m in known if m.is_live and m.holds_at(instant)]
        holding.sort(key=lambda m: (m.identity or "", m.starts_at, m.assertion or 0))
        return _first_of_each(holding[::-1])[::-1]

    def known_history(
        self, agent: str, identity: str, known_at: str, *, is_prefix: bool, with_held: bool = False
    ) -> list[StoredMemory]:
        """Every row that showed, as it was believed."""
        shown = [
            m
            for m in self._known(agent, identity, known_at, is_prefix)
            if not m.is_archived
            and (with_held or m.state is not None or not m.quarantined)
            and (m.is_made or m.starts_at < m.ends_at)
        ]
        return sorted(shown, key=lambda m: (m.starts_at, m.assertion or 0, m.ordinal))

    def _known(self, agent: str, identity: str, known_at: str, is_prefix: bool) -> list[StoredMemory]:
        place = _place(agent, identity, is_prefix) | {"known_at": known_at}
        rows = [from_row(row) for row in self._execute(_KNOWN, place).fetchall()]
        past = place["past"]
        return [m for m in rows if m.agent_id == agent and m.identity is not None and identity <= m.identity < past]


def _first_of_each(rows: list[StoredMemory]) -> list[StoredMemory]:
    first: dict[str | None, StoredMemory] = {}
    for row in rows:
        first.setdefault(row.identity, row)
    return list(first.values())


def _place(agent: str, identity: str, is_prefix: bool) -> dict[str, Any]:
    last = identity[-1]
    past = identity[:-1] + chr(ord(last) + 1) if is_prefix else identity + "\x00"
    return {"agent": agent, "identity": identity, "past": past}
