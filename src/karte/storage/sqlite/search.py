"""The text path: memories that hold words of a query, best first by bm25 (Robertson et al. 1994).

FTS5 gives its matches in the order of rank, and each is joined with its row only when its turn
comes; so all filters act before the top-k is taken, and the walk ends as soon as it is full.

FTS5 sorts all matches before it gives the first. SQLite's own sort keeps no more than the LIMIT asks for, in two thirds
of the time, so the best are read that way, and all matches only where the filters leave too few of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import apsw

from karte.domain.fusion import Candidate
from karte.domain.stored import Filters, StoredMemory
from karte.domain.text import TextQuery, all_expression, index_text, match_expression, matched_words
from karte.storage.sqlite import beliefs
from karte.storage.sqlite.connection import Execute
from karte.storage.sqlite.indexing import searchable_text
from karte.storage.sqlite.mapping import MEMORY_COLUMNS, WIDTH, from_row
from karte.storage.sqlite.memories import bindings, conditions, passes

KNOWN_BATCH: Final = 500
READ_AHEAD: Final = 2
"""So many times as many matches are sorted as are likely to be looked at: some will not pass the filters."""

_HITS: Final = (
    f"SELECT {MEMORY_COLUMNS}, f.rank FROM memory_index f CROSS JOIN memories m"
    " ON m.ordinal = f.rowid WHERE f.memory_index MATCH :match AND"
)
_CANDIDATE: Final = (
    "length(m.content) + length(concat(m.subject, m.predicate, m.object)), m.importance, m.access_count,"
    " max(m.timestamp, coalesce(m.last_accessed, ''), coalesce(m.ingested_at, '')), m.identity IS NOT NULL, m.metadata,"
    " t.session, t.speaker, t.is_question, t.is_inferred"
)
_CANDIDATES: Final = (
    f"SELECT m.ordinal, -f.rank, {_CANDIDATE} FROM memory_index f CROSS JOIN memories m ON m.ordinal = f.rowid"
    " LEFT JOIN memory_turns t ON t.ordinal = m.ordinal WHERE f.memory_index MATCH :match AND"
)
_BEST: Final = (  # in the order of _CANDIDATES; NULLs for what does not pass. The plus hides the order from FTS5
    f"SELECT m.ordinal, -best.rank, {_CANDIDATE} FROM (SELECT rowid, rank FROM memory_index"
    " WHERE memory_index MATCH :match ORDER BY +rank, rowid LIMIT :most) best LEFT JOIN memory_turns t ON"
    " t.ordinal = best.rowid LEFT JOIN memories m ON m.ordinal = best.rowid AND"
)
_THESE: Final = (
    f"SELECT m.ordinal, 0.0, {_CANDIDATE} FROM json_each(:ordinals) j CROSS JOIN memories m ON m.ordinal = j.value"
    " LEFT JOIN memory_turns t ON t.ordinal = m.ordinal WHERE"
)
_OF_A_DAY: Final = "m.timestamp >= :since AND m.timestamp < :before"
_SAID_ON: Final = (
    f"SELECT m.ordinal, 0.0, {_CANDIDATE} FROM memories m LEFT JOIN memory_turns t ON t.ordinal = m.ordinal"
    f" WHERE {_OF_A_DAY} AND"
)
_TEXT_OF: Final = (
    "SELECT f.rowid, -f.rank FROM json_each(:ordinals) j CROSS JOIN memory_index f ON f.rowid = j.value"
    " WHERE f.memory_index MATCH :match"
)
_TIMES_OF: Final = (
    "SELECT m.ordinal, m.timestamp, m.valid_from FROM json_each(?) j CROSS JOIN memories m ON m.ordinal = j.value"
)
_ROWS_OF: Final = f"SELECT {MEMORY_COLUMNS} FROM json_each(?) j CROSS JOIN memories m ON m.ordinal = j.value"
_MOST_TRUST: Final = "SELECT most FROM agent_trust WHERE agent_id = ?"
_FOREIGN: Final = "SELECT 1 FROM memory_index WHERE memory_index MATCH '\"~\" *' LIMIT 1"
_A_TURN: Final = "SELECT 1 FROM memory_turns LIMIT 1"
_HOLDERS: Final = "SELECT count(*) FROM memory_index WHERE memory_index MATCH ?"
_ROWS: Final = "SELECT coalesce(max(ordinal), 0) FROM memories"
_HOLDING_ALL: Final = (
    "SELECT rowid FROM memory_index WHERE memory_index MATCH ? AND +rowid IN (SELECT value FROM json_each(?))"
)
_RANKED: Final = "SELECT rowid, rank FROM memory_index WHERE memory_index MATCH ? ORDER BY rank"
_REWORDED_OR_ARCHIVED: Final = (
    f"{beliefs.OWNED} AND m.id IN (SELECT memory_id FROM memory_revisions WHERE"
    " changed_at > :known_at AND content IS NOT NULL UNION SELECT id FROM memories_archive"
    " WHERE archived_at > :known_at)"
)


class TextIndex:
    """The words of one file's memories."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._execute: Execute = connection.execute
        self._last_instant = ""
        self._has_foreign: bool | None = None
        self._has_turns: bool | None = None
        self._most_trust: dict[str, float] = {}
        self._holders: dict[str, int] = {}
        self._too_few: set[tuple[str, str, int]] = set()
        """Agents and conditions of which too few of the best matches passed the last time."""

    def keep_up_with(self, last_instant: str) -> None:
        """Forgets what was looked up before the last write."""
        if last_instant != self._last_instant:
            self._last_instant = last_instant
            self._has_foreign = None
            self._has_turns = None
            self._holders.clear()
            self._most_trust.clear()
            self._too_few.clear()

    def most_trust(self, agent: str) -> float:
        """More than this no memory of the agent is trusted. Looked up once after a write."""
        if agent not in self._most_trust:
            found = self._execute(_MOST_TRUST, (agent,)).get
            self._most_trust[agent] = 1.0 if found is None else found
        return self._most_trust[agent]

    def has_foreign_stems(self) -> bool:
        """Whether any memory is indexed with the stems of another European language than English."""
        if self._has_foreign is None:
            self._has_foreign = self._execute(_FOREIGN).get is not None
        return self._has_foreign

    def has_turns(self) -> bool:
        """Whether any memory belongs to a conversation."""
        if self._has_turns is None:
            self._has_turns = self._execute(_A_TURN).get is not None
        return self._has_turns

    def holders(self, tokens: Sequence[str]) -> dict[str, int]:
        """How many rows hold each token; one that is nowhere is left out. Counted once after a write."""
        for token in tokens:
            if token not in self._holders:
                self._holders[token] = int(self._execute(_HOLDERS, (f'"{token}"',)).get)
        return {token: self._holders[token] for token in tokens if self._holders[token]}

    def holding_all(self, query: TextQuery, among: Iterable[int]) -> list[int]:
        """Those of the rows with these ordinals that hold every word of a query of several."""
        expression = all_expression(query)
        if expression is None:
            return []
        return [row[0] for row in self._execute(_HOLDING_ALL, (expression, json.dumps(list(among)))).fetchall()]

    def rows(self) -> int:
        """At most how many rows the index has."""
        return int(self._execute(_ROWS).get)

    def candidates(self, query: TextQuery, filters: Filters, most: int) -> Iterator[Candidate]:
        """What bears on the place of the memories that ``found`` gives, in its order; at the present only.

        More than ``most`` are seldom asked for.
        """
        expression = match_expression(query)
        if expression is None:
            return
        wanted = " AND ".join(conditions(filters))
        values = bindings(filters) | {"match": expression, "most": READ_AHEAD * most}
        seen: set[int] = set()
        shape = (filters.agent_id, wanted, most)
        if shape not in self._too_few:
            matches = 0
            for row in self._execute(f"{_BEST} {wanted}", values):
                matches += 1
                if row[0] is not None:
                    seen.add(row[0])
                    yield Candidate._make(row)
            if matches < READ_AHEAD * most:
                return
            if len(seen) < most:
                self._too_few.add(shape)
        for row in self._execute(f"{_CANDIDATES} {wanted} ORDER BY f.rank", values):
            if row[0] not in seen:
                yield Candidate._make(row)

    def these(self, ordinals: Iterable[int], filters: Filters) -> list[Candidate]:
        """The same of given rows, as far as they pass the filters."""
        statement = f"{_THESE} {' AND '.join(conditions(filters))}"
        values = bindings(filters) | {"ordinals": json.dumps(list(ordinals))}
        return [Candidate._make(row) for row in self._execute(statement, values).fetchall()]

    def said_on(
        self, days: Iterable[tuple[str, str]], query: TextQuery, filters: Filters, limit: int
    ) -> list[Candidate]:
        """The newest memories from each of the stretches (from, until), at most so many, with their text scores."""
        statement = f"{_SAID_ON} {' AND '.join(conditions(filters))} ORDER BY m.timestamp DESC LIMIT :limit"
        found: dict[int, Candidate] = {}
        for since, before in days:
            values = bindings(filters) | {"since": since, "before": before, "limit": limit}
            found |= {row[0]: Candidate._make(row) for row in self._execute(statement, values).fetchall()}
        expression = match_expression(query)
        if expression is None:
            return list(found.values())
        values = {"ordinals": json.dumps(list(found)), "match": expression}
        scores = dict(self._execute(_TEXT_OF, values).fetchall())
        return [each._replace(text=scores.get(ordinal, 0.0)) for ordinal, each in found.items()]

    def times_of(self, ordinals: Iterable[int]) -> dict[int, tuple[str, str | None]]:
        """When each of them was said, and since when it holds."""
        rows = self._execute(_TIMES_OF, (json.dumps(list(ordinals)),)).fetchall()
        return {ordinal: (said, since) for ordinal, said, since in rows}

    def rows_of(self, ordinals: Sequence[int]) -> list[StoredMemory]:
        """The rows themselves, in this order."""
        return [from_row(row) for row in self._execute(_ROWS_OF, (json.dumps(list(ordinals)),)).fetchall()]

    def found(self, query: TextQuery, filters: Filters) -> Iterator[tuple[StoredMemory, float]]:
        """The memories that pass the filters, with their text score (above 0), best first."""
        expression = match_expression(query)
        if expression is None:
            return iter(())
        return self._now(expression, filters) if filters.known_at is None else self._known(query, expression, filters)

    def _now(self, expression: str, filters: Filters) -> Iterator[tuple[StoredMemory, float]]:
        statement = f"{_HITS} {' AND '.join(conditions(filters))} ORDER BY f.rank"
        for row in self._execute(statement, bindings(filters) | {"match": expression}):
            yield from_row(row[:WIDTH]), -row[WIDTH]

    def _known(self, query: TextQuery, expression: str, filters: Filters) -> Iterator[tuple[StoredMemory, float]]:
        """As it was believed: today's index finds, the belief log decides.

        Memories whose words have changed since, or that lie in the archive today, are compared
        word by word; they come after the others.
        """
        seen: set[str] = set()
        others = self._execute(beliefs.known_rows(_REWORDED_OR_ARCHIVED), bindings(filters))
        compared = [from_row(row) for row in others.fetchall()]
        reworded = {memory.id for memory in compared}
        ranked = self._execute(_RANKED, (expression,)).fetchall()
        for start in range(0, len(ranked), KNOWN_BATCH):
            ranks = dict(ranked[start : start + KNOWN_BATCH])
            for memory in self._known_of(list(ranks), filters):
                if memory.id not in reworded and memory.id not in seen:
                    seen.add(memory.id)
                    yield memory, -ranks[memory.ordinal]
        last = -ranked[-1][1] if ranked else float("inf")
        words = {memory.id: len(matched_words(query, _folded(memory))) for memory in compared}
        for memory in sorted(compared, key=lambda memory: -words[memory.id]):
            if words[memory.id] and passes(memory, filters):
                yield memory, min(last, words[memory.id] * 1e-6)

    def _known_of(self, ordinals: list[int], filters: Filters) -> list[StoredMemory]:
        place = {ordinal: i for i, ordinal in enumerate(ordinals)}
        statement = beliefs.known_rows("m.ordinal IN (SELECT value FROM json_each(:ordinals))")
        rows = self._execute(statement, bindings(filters) | {"ordinals": json.dumps(ordinals)})
        memories = [from_row(row) for row in rows.fetchall()]
        kept = [memory for memory in memories if passes(memory, filters)]
        return sorted(kept, key=lambda memory: place[memory.ordinal])


def _folded(memory: StoredMemory) -> str:
    return index_text(searchable_text(memory.content, memory.subject, memory.predicate, memory.object))
