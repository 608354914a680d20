"""Vectors beside their rows, and those of entities."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Final

import apsw

from karte.storage.sqlite.connection import Execute

_PENDING: Final = (
    "SELECT ordinal, content FROM memories WHERE ordinal > :after AND (embedding_model IS NOT :model"
    " OR length(embedding) IS NOT :bytes) AND (:agent IS NULL OR agent_id = :agent) ORDER BY ordinal LIMIT :limit"
)
_COUNT: Final = (
    "SELECT count(*) FROM memories WHERE (embedding_model IS NOT :model OR length(embedding) IS NOT :bytes)"
    " AND (:agent IS NULL OR agent_id = :agent)"
)
_PUT: Final = "UPDATE memories SET embedding = ?, embedding_model = ? WHERE ordinal = ? AND content = ?"
_OF: Final = (
    "SELECT ordinal, embedding FROM memories m WHERE m.agent_id = ? AND m.embedding_model = ?"
    " AND m.quarantined = 0 AND m.state IS NULL AND length(m.embedding) = ?"
)
_ALL: Final = f"{_OF} ORDER BY m.ordinal"
_THESE: Final = f"{_OF.replace('m.agent_id', '+m.agent_id')} AND m.ordinal IN (SELECT value FROM json_each(?))"
_ENTITIES: Final = "SELECT entity, vec FROM entity_embedding WHERE agent_id = ? AND model = ?"
_PUT_ENTITY: Final = (
    "INSERT OR REPLACE INTO entity_embedding (agent_id, entity, model, vec, created_at) VALUES (?, ?, ?, ?, ?)"
)


class Embeddings:
    """The vectors of one file. A vector of another length than its model's counts as none."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._execute: Execute = connection.execute

    def pending(self, model: str, dimension: int, agent: str | None, after: int, limit: int) -> list[tuple[int, str]]:
        """Rows that have no vector of the model and of its length, beyond an ordinal: their ordinals and texts."""
        values = {"model": model, "bytes": 4 * dimension, "agent": agent, "after": after, "limit": limit}
        return [(row[0], row[1]) for row in self._execute(_PENDING, values).fetchall()]

    def count_pending(self, model: str, dimension: int, agent: str | None) -> int:
        """How many there are."""
        return int(self._execute(_COUNT, {"model": model, "bytes": 4 * dimension, "agent": agent}).get)

    def put(self, ordinal: int, content: str, model: str, vector: bytes) -> None:
        """Keeps the vector of a row whose text is still that."""
        self._execute(_PUT, (vector, model, ordinal, content))

    def of_agent(self, agent: str, model: str, dimension: int) -> list[tuple[int, bytes]]:
        """The vectors of the agent's live rows, by ordinal."""
        return [(row[0], row[1]) for row in self._execute(_ALL, (agent, model, 4 * dimension)).fetchall()]

    def these(self, agent: str, model: str, dimension: int, ordinals: Iterable[int]) -> list[tuple[int, bytes]]:
        """Those of them with these ordinals."""
        values = (agent, model, 4 * dimension, json.dumps(list(ordinals)))
        return [(row[0], row[1]) for row in self._execute(_THESE, values).fetchall()]

    def entities(self, agent: str, model: str) -> dict[str, bytes]:
        """The vectors of entities' names."""
        return {row[0]: row[1] for row in self._execute(_ENTITIES, (agent, model)).fetchall()}

    def put_entities(self, agent: str, model: str, vectors: Mapping[str, bytes], now: str) -> None:
        """Keeps them."""
        for entity, vector in vectors.items():
            self._execute(_PUT_ENTITY, (agent, entity, model, vector, now))
