"""The injection scan of every text that is to be stored, before any transaction is opened."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from karte.domain.drafts import Draft
from karte.domain.events import EventKind, NewEvent
from karte.domain.excerpts import safe_excerpt
from karte.domain.guard.verdict import Verdict
from karte.domain.stored import read_object
from karte.domain.trust import CLASSES, class_of
from karte.errors import InjectionRefused
from karte.service.services import Services
from karte.storage.protocol import Session

TRIPLE: Final = "subject, predicate, object"
OWN_NAMES: Final = frozenset({"session", "turn", "speaker"})
"""Members of metadata that every turn of a conversation has; they say nothing by themselves."""


class Hit(InjectionRefused):
    """A refusal with what the audit has to know of it."""

    def __init__(self, verdict: Verdict, field: str, text: str, agent: str, origin: str) -> None:
        super().__init__(
            f"this reads like an instruction to the agent ({', '.join(verdict.rules)})",
            field=field,
            remedy="store what was said about it in other words, or leave the instruction out",
        )
        self.event = _event(verdict, field, text, agent, origin)


def _event(verdict: Verdict, field: str, text: str, agent: str, origin: str) -> NewEvent:
    return NewEvent(
        kind=EventKind.PROMPT_INJECTION,
        agent_id=agent,
        level="warning" if verdict.blocked else "info",
        origin=class_of(origin) if field == "origin" else origin,
        data={
            "rules": list(verdict.rules),
            "score": verdict.score,
            "field": field,
            "excerpt": safe_excerpt(text, [(span.start, span.end) for span in verdict.spans or verdict.hints]),
        },
    )


def texts_of(draft: Draft) -> Iterator[tuple[str, str]]:
    """Every text of a write with the name of its field; the triple also as one."""
    yield "content", draft.content
    metadata = read_object(draft.metadata)
    speaker = metadata.get("speaker")
    if isinstance(speaker, str) and draft.content.startswith(f"{speaker}: "):
        yield "content", draft.content[len(speaker) + 2 :]  # who calls himself "Attackers write" reports nothing
    parts = [("subject", draft.subject), ("predicate", draft.predicate), ("object", draft.object)]
    said = [(name, text) for name, text in parts if text]
    yield from said
    yield from (("tags", tag) for tag in draft.tags)
    yield from (("metadata", text) for text in strings_of(metadata) if text not in OWN_NAMES)
    if draft.source_event:
        yield "source_event", draft.source_event
    yield from (("derived_from", id) for id in draft.derived_from)
    if len(said) > 1:
        yield TRIPLE, " ".join(text for _, text in said)


def strings_of(value: Any) -> Iterator[str]:
    """Every text in a JSON value, the names of its members too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            yield name
            yield from strings_of(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings_of(inner)


def scan(services: Services, texts: Iterable[tuple[str, str]], agent: str, origin: str) -> list[NewEvent]:
    """What the audit should note; raises ``Hit`` where the scan matches. A scan that fails counts as one.

    What an origin says behind its class is one of the texts: a program may put the name there that a stranger gave
    himself, and readers are shown it.
    """
    said = [*([("origin", origin)] if origin not in CLASSES else []), *texts]
    notes: list[NewEvent] = []
    for (field, text), verdict in zip(said, _verdicts(services, [text for _, text in said]), strict=True):
        if verdict.blocked:
            raise Hit(verdict, field, text, agent, origin)
        if verdict.score:
            notes.append(_event(verdict, field, text, agent, origin))
    return notes


def _verdicts(services: Services, texts: Sequence[str]) -> Sequence[Verdict]:
    try:
        return services.scan(texts)
    except Exception:  # noqa: BLE001 (whatever is wrong with the scanner, the text is not let in)
        return [Verdict(score=100, rules=("scanner_failed",))] * len(texts)


def guarded(services: Services, texts: Iterable[tuple[str, str]], agent: str, origin: str | None) -> None:
    """Scans what a call is going to store; a hit is recorded before it is raised."""
    who = services.default_origin if origin is None else origin
    try:
        notes = scan(services, texts, agent, who)
    except Hit as hit:
        record(services, [hit.event])
        raise
    if notes:
        record(services, notes)


def record(services: Services, events: Iterable[NewEvent]) -> None:
    """Stores audit events in a transaction of their own."""
    with services.store.write() as session:
        emit_all(session, events)


def emit_all(session: Session, events: Iterable[NewEvent]) -> None:
    """Stores audit events with what else the transaction does."""
    for event in events:
        session.events.emit(event, session.now)
