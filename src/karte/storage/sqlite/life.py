"""What the life of memories asks of the file: rows in the order of their age, and counts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any, Final

import apsw

from karte.domain.similarity import Alike
from karte.storage.sqlite.connection import Execute
from karte.storage.sqlite.memories import HOLDS_NOW, LIVE, SHOWN

_AGENTS: Final = (
    "WITH RECURSIVE agents(name) AS (SELECT min(agent_id) FROM memories UNION ALL"
    " SELECT (SELECT min(agent_id) FROM memories WHERE agent_id > name) FROM agents WHERE name IS NOT NULL)"
    " SELECT name FROM agents WHERE name IS NOT NULL"
)
_FADES: Final = (
    f"{LIVE} AND m.identity IS NULL AND m.assertion IS NULL AND m.layer <> :rules AND m.importance <= :importance"
)
_OLD: Final = (
    f"SELECT m.id, m.timestamp, m.ordinal, {_FADES} FROM memories m WHERE m.agent_id = :agent"
    " AND m.timestamp <= :until AND (m.timestamp, m.ordinal) > (:after, :after_ordinal)"
    " ORDER BY m.timestamp, m.ordinal LIMIT :limit"
)
_CURRENT: Final = f"{LIVE} AND {SHOWN} AND {HOLDS_NOW.replace(':valid_at', ':now')}"
_EMBEDDED: Final = (
    "m.embedding IS NOT NULL AND (:model IS NULL OR m.embedding_model IS :model AND length(m.embedding) = :bytes)"
)
_COUNTS: Final = (
    f"SELECT count(*), count(m.identity), coalesce(sum({_CURRENT}), 0),"
    f" coalesce(sum({LIVE} AND m.superseded_by IS NOT NULL), 0), coalesce(sum(m.state IS NOT NULL), 0),"
    f" coalesce(sum(m.quarantined = 1 AND m.state IS NULL), 0), coalesce(sum({_EMBEDDED}), 0),"
    f" min(iif({LIVE}, m.timestamp, NULL)), max(iif({LIVE}, m.timestamp, NULL))"
    " FROM memories m WHERE m.agent_id = :agent"
)
_ARCHIVED: Final = "SELECT count(*) FROM memories_archive WHERE agent_id = :agent"
_ALIASES: Final = "SELECT count(*) FROM entity_alias WHERE agent_id = :agent"
_APPROVALS: Final = "SELECT count(*) FROM approvals WHERE agent_id = :agent AND state = 'pending' AND expires_at > :now"
_BY: Final = (
    f"SELECT {{column}}, count(*) FROM memories m WHERE m.agent_id = :agent AND {LIVE} AND {{column}} IS NOT NULL"
    " GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT :most"
)
_LAYERS: Final = _BY.format(column="m.layer")
_ORIGINS: Final = _BY.format(column="m.origin")
_PREDICATES: Final = _BY.format(column="iif(m.identity IS NULL, NULL, m.predicate)")
_ALIKE: Final = (  # what was written last comes first; the bound holds whoever else the file serves
    f"SELECT m.id, iif(m.agent_id = :agent AND {_CURRENT} AND length(m.content) BETWEEN :shortest AND :longest,"
    " m.content, NULL) FROM memory_index f LEFT JOIN memories m ON m.ordinal = f.rowid"
    " WHERE f.memory_index MATCH :match ORDER BY f.rowid DESC LIMIT :looked"
)
_SEEN_AGAIN: Final = (
    "UPDATE memories SET access_count = access_count + ?2,"
    " last_accessed = max(coalesce(last_accessed, ?3), ?3) WHERE id = ?1"
)

_MOST_LOOKED_AT: Final = 100
_MOST_ALIKE: Final = 10


class Life:
    """The ages and numbers of one file's memories."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._execute: Execute = connection.execute

    def agents(self) -> list[str]:
        """Whoever has memories, each found by one look into the index."""
        return [row[0] for row in self._execute(_AGENTS)]

    def old(
        self, agent: str, until: str, importance: float, rules: str, after: tuple[str, int], limit: int
    ) -> list[tuple[str, str, int, bool]]:
        """The next rows observed until an instant, oldest first: id, place, and whether such a row fades."""
        values = {"agent": agent, "until": until, "importance": importance, "rules": rules, "limit": limit}
        found = self._execute(_OLD, {**values, "after": after[0], "after_ordinal": after[1]})
        return [(id, timestamp, ordinal, bool(fades)) for id, timestamp, ordinal, fades in found]

    def see_again(self, seen: dict[str, tuple[int, str]]) -> None:
        """Counts memories as accessed so many times, the last of them then."""
        for id, (count, at) in seen.items():
            self._execute(_SEEN_AGAIN, (id, count, at))

    def alike(self, agent: str, wanted: Alike, now: str) -> list[tuple[str, str]]:
        """Id and text of the agent's newest current rows that may say nearly the same."""
        if not wanted.tokens:
            return []
        values = {
            "match": _two_of([f'"{token}"' for token in wanted.tokens]),
            "agent": agent,
            "now": now,
            "shortest": wanted.shortest,
            "longest": wanted.longest,
            "looked": _MOST_LOOKED_AT,
        }
        found = self._execute(_ALIKE, values)
        alike = list(islice(((id, text) for id, text in found if text is not None), _MOST_ALIKE))
        found.close()  # the rows that nobody asked for are not read
        return alike

    def counts(self, agent: str, now: str, most: int, model: tuple[str, int] | None) -> dict[str, Any]:
        """The numbers of ``karte.domain.life.Stats``, times as written; vectors of a model and length, or of any."""
        name, dimension = model or (None, 0)
        values = {"agent": agent, "now": now, "most": most, "model": name, "bytes": 4 * dimension}
        row = self._execute(_COUNTS, values).fetchone()
        names = (
            "memories",
            "facts",
            "current",
            "superseded",
            "withdrawn",
            "quarantined",
            "embedded",
            "oldest",
            "newest",
        )
        return dict(zip(names, row, strict=True)) | {
            "archived": self._execute(_ARCHIVED, values).get,
            "aliases": self._execute(_ALIASES, values).get,
            "approvals": self._execute(_APPROVALS, values).get,
            "layers": dict(self._execute(_LAYERS, values).fetchall()),
            "origins": dict(self._execute(_ORIGINS, values).fetchall()),
            "predicates": dict(self._execute(_PREDICATES, values).fetchall()),
        }


def _two_of(tokens: Sequence[str]) -> str:
    """Matches rows with at least two of up to three tokens, or with the only one."""
    if len(tokens) < 3:
        return " AND ".join(tokens)
    one, two, three = tokens
    return f"({one} AND ({two} OR {three})) OR ({two} AND {three})"
