"""Decisions that are open: a question that waits for its answer, told as facts of ``decision:<id>``.

The predicate ``status`` is ``open`` from the asking until the deadline, and ``resolved`` from the answer on, so the
timeline says when each was so; a question that nobody answered in time is ``expired``, without any write.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, Literal

from karte.domain.drafts import checked_id, checked_name
from karte.domain.entities import normalise
from karte.domain.model import MemoryEntry, TemporalMeta, TemporalRecord
from karte.domain.trust import checked_number
from karte.errors import AlreadyDecided, DuplicateId, InvalidInput, TooMany

DECISION_SUBJECT: Final = "decision:"
STATUS: Final = "status"
DEFAULT_TTL_DAYS: Final = 30.0
LEAST_TTL_DAYS: Final = 1 / 86_400
MOST_TTL_DAYS: Final = 36_500.0
MOST_OPTIONS: Final = 100

DecisionState = Literal["open", "resolved", "expired", "held"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A question and what became of it.

    ``held``: the question or its answer waits for a curator (``approval_id``), because nobody vouches for where it came
    from. ``memory_id`` is the memory that says so.
    """

    id: str
    question: str
    options: tuple[str, ...] = ()
    state: DecisionState = "open"
    opened_at: datetime | None = None
    expires_at: datetime | None = None
    resolution: str | None = None
    resolved_at: datetime | None = None
    origin: str | None = None
    memory_id: str | None = None
    approval_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question as it is asked, checked."""

    id: str
    text: str
    options: tuple[str, ...]
    ttl: timedelta | None


def question_of(id: str, text: object, options: object, ttl_days: float | None) -> Question:
    """The question that a caller asks; ``ttl_days`` None lets it wait for ever."""
    if isinstance(options, str) or not isinstance(options, Iterable):
        raise InvalidInput("not a list of options", field="options", value=options, remedy="give a list of texts")
    offered = tuple(checked_name(option, "options") for option in options)
    if len(offered) > MOST_OPTIONS:
        raise TooMany(f"more than {MOST_OPTIONS} options", field="options", value=len(offered), remedy="offer fewer")
    days = None if ttl_days is None else checked_number(ttl_days, "ttl_days", 0.0, MOST_TTL_DAYS)
    if days is not None and days < LEAST_TTL_DAYS:
        raise InvalidInput(
            "the question would be expired at once", field="ttl_days", value=ttl_days, remedy="give it some time"
        )
    return Question(
        id=checked_id(id),
        text=checked_name(text, "question"),
        options=offered,
        ttl=None if days is None else timedelta(days=days),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """Who says something of a decision."""

    agent: str
    origin: str | None = None
    source_event: str = ""


def asking(said: Said, question: Question, now: datetime) -> tuple[MemoryEntry, TemporalMeta]:
    """The fact that the question is open, from now until its time is up."""
    words = _words(question.text, question.options)
    return _fact(said, question.id, "open", question.text, words, _end(now, question.ttl))


def answering(said: Said, decision: Decision, resolution: str) -> tuple[MemoryEntry, TemporalMeta]:
    """The fact that the question is answered from now on, to be found by the words of both."""
    answer = checked_name(resolution, "resolution")
    words = {**_words(decision.question, decision.options), "resolution": answer}
    return _fact(said, decision.id, "resolved", f"{decision.question}\nDecided: {answer}", words)


def _fact(
    said: Said, id: str, status: str, content: str, words: dict[str, Any], until: datetime | None = None
) -> tuple[MemoryEntry, TemporalMeta]:
    entry = MemoryEntry(content=content, agent_id=said.agent, layer="semantic", source_event=said.source_event)
    meta = TemporalMeta(
        subject=f"{DECISION_SUBJECT}{id}",
        predicate=STATUS,
        object=status,
        valid_until=until,
        metadata=words,
        origin=said.origin,
    )
    return entry, meta


def _words(text: str, options: Sequence[str]) -> dict[str, Any]:
    return {"question": text, **({"options": list(options)} if options else {})}


def _end(now: datetime, ttl: timedelta | None) -> datetime | None:
    try:
        return None if ttl is None else now + ttl
    except OverflowError:
        return None  # past the last instant there is: it waits for ever


def decisions_of(records: Iterable[TemporalRecord], now: datetime) -> list[Decision]:
    """The decisions that rows of ``decision:*`` tell, oldest question first; each by all of its rows."""
    told: dict[str, list[TemporalRecord]] = {}
    for record in records:
        if record.state == "live" and normalise(record.predicate or "") == STATUS:
            told.setdefault(normalise(record.subject or ""), []).append(record)
    return sorted(
        (decision for rows in told.values() if (decision := _told(rows, now)) is not None),
        key=lambda decision: (decision.opened_at is None, decision.opened_at, decision.id),
    )


def _told(rows: list[TemporalRecord], now: datetime) -> Decision | None:
    """The decision by its newest question; an answer counts from when the question was asked."""
    asked = [row for row in rows if row.object == "open"]
    answers = [row for row in rows if row.object == "resolved" and _holds(row, now)]
    latest = max([*asked, *answers], key=_start, default=None)
    if latest is None:
        return None
    question = max(asked, key=_start, default=latest)
    state: DecisionState = "resolved" if latest in answers else "open" if _holds(question, now) else "expired"
    return Decision(
        id=(latest.subject or "").partition(":")[2].strip(),
        question=_text(latest, "question") or latest.content,
        options=tuple(map(str, latest.metadata.get("options") or ())),
        state=state,
        opened_at=question.valid_from,
        expires_at=None if state == "resolved" else question.valid_until,
        resolution=_text(latest, "resolution") or latest.content if state == "resolved" else None,
        resolved_at=latest.valid_from if state == "resolved" else None,
        origin=latest.origin,
        memory_id=latest.id,
    )


def _text(record: TemporalRecord, name: str) -> str | None:
    found = record.metadata.get(name)
    return found if isinstance(found, str) else None


def _start(record: TemporalRecord) -> datetime:
    return record.valid_from or record.timestamp


def _holds(record: TemporalRecord, now: datetime) -> bool:
    return _start(record) <= now and (record.valid_until is None or now < record.valid_until)


def check_may_ask(standing: Decision | None) -> None:
    """Raises ``DuplicateId`` where the id has a question that is open, or answered; one that expired may come again."""
    if standing is not None and standing.state != "expired":
        raise DuplicateId(
            f"a decision with this id is {standing.state} already",
            field="id",
            value=standing.id,
            remedy="leave the id out, or use another",
        )


def check_may_answer(decision: Decision) -> None:
    """Raises ``AlreadyDecided`` unless the question is open."""
    if decision.state == "resolved":
        raise AlreadyDecided(
            f"the question was answered already: {decision.resolution}",
            field="id",
            value=decision.id,
            remedy="open a new decision to think again",
        )
    if decision.state == "expired":
        raise AlreadyDecided(
            "nobody answered in time", field="id", value=decision.id, remedy="open the decision anew, and answer it"
        )
