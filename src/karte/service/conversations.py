"""Taking in conversation files: every turn through the guard, once, however often the file is taken in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from karte.domain.conversations import ImportProblem, ImportReport, Turn, Unusable, read_conversations
from karte.domain.drafts import checked_name
from karte.domain.model import MemoryEntry, TemporalMeta
from karte.errors import DuplicateId, InvalidInput, InvalidText, Refused
from karte.service.remember import store_many
from karte.service.services import Services

BATCH: Final = 500


def import_conversations(
    services: Services,
    agent: str,
    text: str,
    *,
    name: str,
    origin: str | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> ImportReport:
    """Stores every turn of a file, in batches; what cannot be used is told, and the rest go on."""
    checked_name(agent, "agent")
    if not isinstance(text, str):
        raise InvalidText("not text", field="text", value=text, remedy="give what stands in the file")
    found = read_conversations(text, name=checked_name(name, "name"))
    if found.source == "karte":
        raise InvalidInput(
            "an export of Karte",
            field="text",
            remedy="restore it into a new file: import_export, `karte import --restore`",
        )
    source = origin or f"import:{name if found.source == 'chat' else found.source}"
    turns = [part for part in found.parts if isinstance(part, Turn)]
    problems = [ImportProblem(part.where, InvalidInput(part.why)) for part in found.parts if isinstance(part, Unusable)]
    counts = dict.fromkeys(("stored", "known", "held"), 0)
    for start in range(0, len(turns), BATCH):
        batch = turns[start : start + BATCH]
        outcomes = store_many(services, [_item(turn, agent, source) for turn in batch])
        for turn, outcome in zip(batch, outcomes, strict=True):
            if isinstance(outcome.error, DuplicateId):
                counts["known"] += 1
            elif outcome.status == "refused":
                problems.append(ImportProblem(turn.where, outcome.error or Refused(outcome.reason or "refused")))
            else:
                counts[outcome.status] += 1
        if on_progress is not None:
            on_progress(start + len(batch), len(turns))
    return ImportReport(
        source=found.source,
        origin=source,
        sessions=len({turn.session for turn in turns}),
        problems=tuple(problems),
        **counts,
    )


def _item(turn: Turn, agent: str, origin: str) -> tuple[MemoryEntry, TemporalMeta]:
    entry = MemoryEntry(
        content=turn.content,
        agent_id=agent,
        id=turn.id_for(agent),
        timestamp=turn.time,
        source_event=turn.source_event,
    )
    return entry, TemporalMeta(origin=origin, metadata=turn.metadata)
