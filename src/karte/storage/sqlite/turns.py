"""Where memories were said: the derived table ``memory_turns``, and who stands beside whom in it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple, Self

import apsw

from karte.domain.stored import StoredMemory, read_object
from karte.domain.structure import ONE_SITTING_SECS, Said, turn_of, turn_of_fact
from karte.domain.time import to_datetime
from karte.storage.sqlite.connection import Execute

_TOLD: Final = ("agent_id", "session", "place", "speaker", "is_question", "is_inferred", "said_at")
_KEEP: Final = (  # no REPLACE, for which SQLite would copy every page that it touches
    f"INSERT INTO memory_turns (ordinal, {', '.join(_TOLD)}) VALUES (?, {', '.join('?' * len(_TOLD))})"
    f" ON CONFLICT (ordinal) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in _TOLD)}"
)
_DROP: Final = "DELETE FROM memory_turns WHERE ordinal = ?"
_LAST_INFERRED: Final = (
    "SELECT session, said_at FROM memory_turns WHERE agent_id = ? AND is_inferred = 1 AND ordinal < ?"
    " ORDER BY ordinal DESC LIMIT 1"
)
_BESIDE: Final = (
    "(SELECT n.ordinal FROM memory_turns n WHERE n.agent_id = t.agent_id AND n.session = t.session"
    " AND n.place {side} t.place ORDER BY n.place {way} LIMIT 1 OFFSET {step})"
)
_AROUND: Final = "SELECT t.ordinal, {} FROM json_each(?) j JOIN memory_turns t ON t.ordinal = j.value".format(
    ", ".join(
        _BESIDE.format(side=side, way=way, step=step)
        for side, way, step in (("<", "DESC", 1), ("<", "DESC", 0), (">", "ASC", 0), (">", "ASC", 1))
    )
)
_SAID: Final = (
    "SELECT t.ordinal, 0.0, t.session, t.speaker, t.is_question, t.is_inferred"
    " FROM json_each(?) j JOIN memory_turns t ON t.ordinal = j.value"
)
_EMPTY: Final = "DELETE FROM memory_turns"


class Spoken(NamedTuple):
    """What of a row tells where it was said."""

    ordinal: int
    agent_id: str
    identity: str | None
    content: str
    metadata_json: str
    source_event: str | None
    timestamp: str

    @classmethod
    def of(cls, memory: StoredMemory) -> Self:
        """The same of a whole row."""
        return cls(
            memory.ordinal,
            memory.agent_id,
            memory.identity,
            memory.content,
            memory.metadata_json,
            memory.source_event,
            memory.timestamp,
        )


class Turns:
    """The conversations of one file."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._execute: Execute = connection.execute

    def keep(self, memory: Spoken, *, is_new: bool = True) -> None:
        """Notes where a memory was said; what was noted of it before is forgotten."""
        metadata = read_object(memory.metadata_json)
        if memory.identity is None:
            turn = turn_of(memory.content, metadata, memory.source_event, memory.timestamp)
        else:
            turn = turn_of_fact(metadata, memory.timestamp) if metadata else None
        if turn is not None:
            session = turn.session or self._session_before(memory)
            place = f"{turn.place} {memory.ordinal:016d}"
            self._execute(_KEEP, (memory.ordinal, memory.agent_id, session, place, *turn[2:], memory.timestamp))
        elif not is_new:
            self._execute(_DROP, (memory.ordinal,))

    def clear(self) -> None:
        """Forgets all of it, to be noted anew."""
        self._execute(_EMPTY)

    def _session_before(self, memory: Spoken) -> str:
        """The inferred conversation that the agent is in the middle of, or a new one."""
        last = self._execute(_LAST_INFERRED, (memory.agent_id, memory.ordinal)).fetchone()
        if last is not None and _is_one_sitting(last[1], memory.timestamp):
            return str(last[0])
        return f"sitting {memory.ordinal}"

    def around(self, ordinals: Iterable[int]) -> dict[int, Sequence[int | None]]:
        """Two before, one before, one after and two after each of them, in the order of its conversation."""
        return {row[0]: row[1:] for row in self._execute(_AROUND, (json.dumps(list(ordinals)),)).fetchall()}

    def said(self, ordinals: Iterable[int]) -> list[Said]:
        """Who said these, and in which conversation."""
        rows = self._execute(_SAID, (json.dumps(list(ordinals)),))
        return [
            Said(ordinal, text, session, speaker, bool(is_question), bool(is_inferred))
            for ordinal, text, session, speaker, is_question, is_inferred in rows.fetchall()
        ]


def _is_one_sitting(before: str, now: str) -> bool:
    if before == now:
        return True
    try:
        return abs((to_datetime(now) - to_datetime(before)).total_seconds()) <= ONE_SITTING_SECS
    except ValueError:  # a time of an older file that nobody can read
        return False
