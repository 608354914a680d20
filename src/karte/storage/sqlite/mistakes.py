"""The notebook of mistakes, and what became of rules and thresholds, in one file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

import apsw

from karte.domain.metacognition import ErrorCategory
from karte.domain.mistakes import Evidence, Kept, MistakeCategory, MistakeEntry, instant_of
from karte.domain.rule_feedback import RuleFeedback, RuleLife
from karte.domain.time import to_datetime
from karte.domain.topics import topic_text
from karte.storage.sqlite.connection import Execute

_COLUMNS: Final = (
    "id, agent_id, timestamp, category, severity, session_id, input_summary, response_summary, what_went_wrong,"
    " ground_truth, corrective_insight, evidence, origin, origin_trust, resolved_at"
)
_COUNTS: Final = (  # nothing that stands took its origin back
    "NOT EXISTS (SELECT 1 FROM operation_items i JOIN operations o ON o.id = i.operation_id"
    " WHERE i.memory_id = mistakes.id AND i.kind = 'mistake' AND o.undone_at IS NULL)"
)
_UNRESOLVED: Final = f"agent_id = :agent AND resolved_at IS NULL AND {_COUNTS}"
_ADD: Final = (
    f"INSERT INTO mistakes ({_COLUMNS}, recorded_at, folded) VALUES (:id, :agent_id, :timestamp, :category, :severity,"
    " :session_id, :input_summary, :response_summary, :what_went_wrong, :ground_truth, :corrective_insight, :evidence,"
    " :origin, :origin_trust, NULL, :now, :folded)"
)
_IS_TAKEN: Final = "SELECT EXISTS (SELECT 1 FROM mistakes WHERE id = ?)"
_ALL_UNRESOLVED: Final = f"SELECT {_COLUMNS}, folded FROM mistakes WHERE {_UNRESOLVED} ORDER BY ordinal"
_KEPT: Final = f"SELECT category, recorded_at, id FROM mistakes WHERE {_UNRESOLVED}"
_COUNT: Final = f"SELECT category, count(*) FROM mistakes WHERE {_UNRESOLVED} GROUP BY category"
_BY_ID: Final = f"SELECT {_COLUMNS}, folded FROM mistakes WHERE agent_id = :agent AND id = :id"
_RECENT: Final = (
    f"SELECT {_COLUMNS}, folded FROM mistakes WHERE agent_id = :agent AND {_COUNTS}"
    " AND (resolved_at IS NULL OR :with_resolved) ORDER BY timestamp DESC, ordinal DESC LIMIT :limit"
)
_DELETE: Final = "DELETE FROM mistakes WHERE id = ?"
_PRUNE: Final = f"DELETE FROM mistakes WHERE agent_id = :agent AND resolved_at <= :until AND {_COUNTS}"
_RESOLVE: Final = "UPDATE mistakes SET resolved_at = :now WHERE agent_id = :agent AND id = :id AND resolved_at IS NULL"
_REOPEN: Final = "UPDATE mistakes SET resolved_at = NULL WHERE agent_id = :agent AND id = :id AND resolved_at NOT NULL"
_OF_ORIGIN: Final = "SELECT id FROM mistakes WHERE agent_id = ? AND origin = ? AND recorded_at >= ? ORDER BY ordinal"
_LEARNED: Final = "SELECT id, recorded_at FROM mistakes WHERE agent_id = ? AND origin = ?"
_WITHDRAWN: Final = (
    "SELECT DISTINCT i.memory_id FROM operation_items i JOIN operations o ON o.id = i.operation_id"
    " WHERE i.kind = 'mistake' AND o.agent_id = ? AND o.undone_at IS NULL"
)
_LIFE: Final = (
    "SELECT applied, helped, harmed, retired_at, retired_because, flagged_because FROM rule_life"
    " WHERE agent_id = ? AND category = ?"
)
_PUT_LIFE: Final = (
    "INSERT OR REPLACE INTO rule_life (agent_id, category, applied, helped, harmed, retired_at, retired_because,"
    " flagged_because) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)
_STATE: Final = "SELECT state FROM metacognition WHERE agent_id = ?"
_PUT_STATE: Final = "INSERT OR REPLACE INTO metacognition (agent_id, state) VALUES (?, ?)"
_FORGET_STATE: Final = "DELETE FROM metacognition WHERE agent_id = ?"


class Mistakes:
    """The notebook."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._execute: Execute = connection.execute

    def is_taken(self, id: str) -> bool:
        """Whether a mistake has this id, whoever's it is."""
        return bool(self._execute(_IS_TAKEN, (id,)).get)

    def add(self, mistake: MistakeEntry, now: str) -> None:
        """Notes a checked mistake."""
        values = {name: getattr(mistake, name) for name in mistake.__dataclass_fields__}
        evidence = None if mistake.evidence is None else json.dumps(asdict(mistake.evidence), ensure_ascii=False)
        more = {"timestamp": instant_of(mistake), "evidence": evidence, "now": now, "folded": topic_text(mistake)}
        texts = {"category": mistake.category.value, "severity": mistake.severity.value}
        self._execute(_ADD, values | more | texts)

    def unresolved(self, agent: str) -> list[tuple[MistakeEntry, str]]:
        """What no rule speaks for yet, each with the folded form that topics are looked for in."""
        return [_read(row) for row in self._execute(_ALL_UNRESOLVED, {"agent": agent})]

    def recent(self, agent: str, limit: int, *, with_resolved: bool) -> list[MistakeEntry]:
        """The latest, whichever their kind."""
        values = {"agent": agent, "limit": limit, "with_resolved": with_resolved}
        return [_read(row)[0] for row in self._execute(_RECENT, values)]

    def get(self, agent: str, id: str) -> MistakeEntry | None:
        """One mistake of the agent."""
        row = self._execute(_BY_ID, {"agent": agent, "id": id}).fetchone()
        return None if row is None else _read(row)[0]

    def kept(self, agent: str) -> list[Kept]:
        """What decides which of the unresolved stay."""
        rows = self._execute(_KEPT, {"agent": agent})
        return [Kept.of(MistakeCategory(category), at, id) for category, at, id in rows]

    def count(self, agent: str) -> dict[str, int]:
        """The unresolved by category."""
        return dict(self._execute(_COUNT, {"agent": agent}))

    def delete(self, ids: Iterable[str]) -> None:
        """Lets mistakes go for good."""
        for id in ids:
            self._execute(_DELETE, (id,))

    def prune(self, agent: str, until: str) -> None:
        """Lets those go that were resolved until an instant."""
        self._execute(_PRUNE, {"agent": agent, "until": until})

    def resolve(self, agent: str, ids: Sequence[str], now: str) -> int:
        """A rule speaks for them now; how many of the agent's were unresolved."""
        return sum(self._changed(_RESOLVE, {"agent": agent, "id": id, "now": now}) for id in ids)

    def reopen(self, agent: str, ids: Sequence[str]) -> int:
        """They count as unresolved again; how many of the agent's were resolved."""
        return sum(self._changed(_REOPEN, {"agent": agent, "id": id}) for id in ids)

    def of_origin(self, agent: str, origin: str, since: str) -> list[str]:
        """What exactly this origin told of, noted at or after an instant."""
        return [str(row[0]) for row in self._execute(_OF_ORIGIN, (agent, origin, since))]

    def recorded(self, agent: str, origin: str) -> dict[str, str]:
        """When each mistake that an origin told of was noted."""
        return dict(self._execute(_LEARNED, (agent, origin)))

    def withdrawn(self, agent: str) -> frozenset[str]:
        """The mistakes whose origin was taken back, and not given back since."""
        return frozenset(str(row[0]) for row in self._execute(_WITHDRAWN, (agent,)))

    def _changed(self, query: str, values: Mapping[str, Any]) -> int:
        self._execute(query, values)
        return int(self._execute("SELECT changes()").get)


class Rules:
    """What became of rules, and the thresholds that an agent's outcomes have tuned."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._execute: Execute = connection.execute

    def life(self, agent: str, category: str) -> RuleLife:
        """What became of a category's rule."""
        row = self._execute(_LIFE, (agent, category)).fetchone()
        if row is None:
            return RuleLife()
        applied, helped, harmed, retired_at, because, flagged = row
        feedback = RuleFeedback(applied=applied, helped=helped, harmed=harmed)
        return RuleLife(feedback=feedback, retired_at=retired_at, retired_because=because, flagged_because=flagged)

    def put_life(self, agent: str, category: str, life: RuleLife) -> None:
        """Keeps what became of it."""
        told = life.feedback
        values = (told.applied, told.helped, told.harmed, life.retired_at, life.retired_because, life.flagged_because)
        self._execute(_PUT_LIFE, (agent, category, *values))

    def thresholds(self, agent: str) -> str | None:
        """The state of an agent's metacognition, as it was put."""
        found = self._execute(_STATE, (agent,)).get
        return None if found is None else str(found)

    def put_thresholds(self, agent: str, state: str | None) -> None:
        """Keeps it; None starts over."""
        if state is None:
            self._execute(_FORGET_STATE, (agent,))
        else:
            self._execute(_PUT_STATE, (agent, state))


def _read(row: Sequence[Any]) -> tuple[MistakeEntry, str]:
    id, agent, at, category, severity, session, asked, answered, wrong, truth, insight, evidence, origin, trust = row[
        :14
    ]
    entry = MistakeEntry(
        id=id,
        agent_id=agent,
        timestamp=to_datetime(at),
        category=MistakeCategory(category),
        severity=ErrorCategory(severity),
        session_id=session,
        input_summary=asked,
        response_summary=answered,
        what_went_wrong=wrong,
        ground_truth=truth,
        corrective_insight=insight,
        evidence=None if evidence is None else Evidence(**json.loads(evidence)),
        origin=origin,
        origin_trust=trust,
        resolved=row[14] is not None,
    )
    return entry, row[15]
