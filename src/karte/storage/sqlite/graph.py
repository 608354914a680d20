"""What the graph is made of: the rows of an agent, its generation, and what changed since another one."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import apsw

from karte.domain.entities import SEPARATOR
from karte.domain.linking import Linked
from karte.storage.sqlite.connection import Execute
from karte.storage.sqlite.memories import HOLDS_NOW, LIVE, SHOWN

_LINKED: Final = (
    "SELECT m.ordinal, m.content, m.subject, m.predicate, m.object, m.identity IS NOT NULL, m.origin_trust,"
    " m.valid_from, m.valid_until FROM memories m"
)
_WITHOUT_TEXT: Final = _LINKED.replace("m.content", "''")
_IN_FORCE: Final = f"m.agent_id = ? AND {LIVE} AND {SHOWN} AND (m.valid_until IS NULL OR m.valid_until > ?)"
_ALL: Final = f"{_LINKED} WHERE {_IN_FORCE} ORDER BY m.ordinal"
_THESE: Final = f"{_LINKED} WHERE m.ordinal IN (SELECT value FROM json_each(?)) AND +{_IN_FORCE} ORDER BY m.ordinal"
_RELATED: Final = (
    f"{_WITHOUT_TEXT} WHERE m.ordinal IN (SELECT value FROM json_each(?)) AND m.subject <> '' AND m.predicate <> ''"
    f" AND +{_IN_FORCE} ORDER BY m.ordinal"
)
_FACTS_OF: Final = (  # those that begin last, by the index: so many rows are read, however many there are
    f"{_WITHOUT_TEXT} WHERE m.ordinal IN (SELECT n.ordinal FROM memories n WHERE n.agent_id = :agent"
    " AND n.identity >= :prefix AND n.identity < :behind ORDER BY n.identity DESC, n.valid_from DESC LIMIT :most)"
    f" AND {LIVE} AND {SHOWN} AND (m.valid_until IS NULL OR m.valid_until > :now)"
)
_NEXT: Final = (
    "(SELECT min(m.identity) FROM memories m WHERE m.agent_id = :agent AND m.identity >= {} AND m.identity < :behind)"
)
_KINDS_OF: Final = (  # from one predicate to the next, by the index, over however many values
    f"WITH RECURSIVE heads(identity) AS (SELECT {_NEXT.format(':prefix')} UNION ALL SELECT"
    f" {_NEXT.format(':prefix || substr(h.identity, :size, instr(substr(h.identity, :size), :mark) - 1) || char(32)')}"
    " FROM heads h WHERE h.identity IS NOT NULL LIMIT :most)"
    " SELECT substr(identity, :size, instr(substr(identity, :size), :mark) - 1) FROM heads WHERE identity IS NOT NULL"
)
_SUBJECTS: Final = (
    "SELECT j.value FROM json_each(:names) j WHERE EXISTS (SELECT 1 FROM memories m WHERE m.agent_id = :agent"
    " AND m.identity >= j.value || :mark AND m.identity < j.value || :behind)"
)
_GENERATION: Final = "SELECT max(generation) FROM graph_changes WHERE agent_id = ?"
_OF_FILE: Final = "SELECT graph_generation FROM karte_state WHERE id = 1"
_IS_KEPT: Final = "SELECT 1 FROM graph_changes WHERE agent_id = ? AND generation = ?"
_CHANGES: Final = "SELECT DISTINCT ordinal FROM graph_changes WHERE agent_id = ? AND generation > ?"
_COUNTING: Final = "CREATE VIRTUAL TABLE IF NOT EXISTS temp.memory_terms USING fts5vocab(main, memory_index, row)"
_TERMS: Final = "SELECT term, doc FROM temp.memory_terms"
_HOLDING: Final = "SELECT rowid FROM memory_index WHERE memory_index MATCH ? LIMIT ?"
_EDGES: Final = (
    "SELECT m.subject, m.predicate, m.object, m.id, m.origin_trust, m.quarantined FROM memories m"
    " WHERE m.agent_id = :agent AND m.subject <> '' AND m.predicate <> '' AND m.object <> '' AND m.state IS NULL"
    f" AND (m.quarantined = 0 OR :held) AND {SHOWN} AND {HOLDS_NOW.replace(':valid_at', ':now')}"
    " ORDER BY m.quarantined, m.ordinal DESC LIMIT :limit"
)
KEPT: Final = 20_000
"""So many changes of the file are told (the number in the trigger)."""


class GraphRows:
    """The graphs of one file."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._execute: Execute = connection.execute

    def generation(self, agent: str) -> int:
        """The number of the last change of the agent's graph; 0 before the first."""
        return int(self._execute(_GENERATION, (agent,)).get or 0)

    def changes(self, agent: str, since: int) -> list[int | None] | None:
        """The ordinals that changed after a generation of the agent's, None among them where names did.

        None if nobody knows: it was too long ago, lies ahead of this snapshot, or the agent was erased.
        """
        if since < self._execute(_OF_FILE).get - KEPT:
            return None
        if since and self._execute(_IS_KEPT, (agent, since)).get is None:  # erased with the agent, and others with it
            return None
        return [row[0] for row in self._execute(_CHANGES, (agent, since)).fetchall()]

    def rows(self, agent: str, now: str) -> Iterator[Linked]:
        """The live memories of the agent that hold now or will, by ordinal."""
        return map(Linked._make, self._execute(_ALL, (agent, now)))

    def these(self, agent: str, ordinals: Iterable[int], now: str) -> list[Linked]:
        """Those of them with these ordinals."""
        return [Linked._make(row) for row in self._execute(_THESE, (json.dumps(list(ordinals)), agent, now)).fetchall()]

    def related(self, agent: str, ordinals: Iterable[int], now: str) -> list[Linked]:
        """Those of them with these ordinals that have a predicate, without their text."""
        rows = self._execute(_RELATED, (json.dumps(list(ordinals)), agent, now)).fetchall()
        return [Linked._make(row) for row in rows]

    def facts_of(self, agent: str, prefix: str, most: int, now: str) -> list[Linked]:
        """Facts whose identity begins so, without their text; at most so many are looked at, the latest."""
        values = {"agent": agent, "prefix": prefix, "behind": _behind(prefix), "most": most, "now": now}
        return [Linked._make(row) for row in self._execute(_FACTS_OF, values).fetchall()]

    def predicates_of(self, agent: str, prefix: str, most: int) -> list[str]:
        """The predicates of the facts of one subject, whose identities begin so; at most so many, by letters."""
        values = {"agent": agent, "prefix": prefix, "behind": _behind(prefix), "mark": prefix[-1]}
        rows = self._execute(_KINDS_OF, values | {"size": len(prefix) + 1, "most": most}).fetchall()
        return [row[0] for row in rows]

    def subjects(self, agent: str, names: Sequence[str]) -> list[str]:
        """Those of the names that any fact is or was about, in the order given."""
        values = {"agent": agent, "names": json.dumps(list(names)), "mark": SEPARATOR, "behind": _behind(SEPARATOR)}
        found = {row[0] for row in self._execute(_SUBJECTS, values)}
        return [name for name in names if name in found]

    def edges(
        self, agent: str, now: str, limit: int, *, with_held: bool
    ) -> list[tuple[str, str, str, str, float, int]]:
        """Facts with an object that hold now, the newest first: their parts, id, trust, and whether they are held."""
        values = {"agent": agent, "now": now, "limit": limit, "held": with_held}
        return [tuple(row) for row in self._execute(_EDGES, values).fetchall()]

    def holding(self, tokens: Sequence[str], most: int | None = None) -> list[int]:
        """The ordinals of the memories, of any agent, in whose folded text the tokens stand together, or so many."""
        values = (f'"{" ".join(tokens)}"', -1 if most is None else most)
        return [row[0] for row in self._execute(_HOLDING, values).fetchall()]

    def terms(self) -> Iterator[tuple[str, int]]:
        """Every token of the index, and how many rows, of all agents, hold it."""
        self._execute(_COUNTING)
        return iter(self._execute(_TERMS))


def _behind(prefix: str) -> str:
    """What comes right after everything that begins so."""
    return prefix[:-1] + chr(ord(prefix[-1]) + 1)
