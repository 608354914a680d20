"""Changing, putting away and bringing back single memories."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from karte.domain.decay import may_decay
from karte.domain.drafts import (
    MAX_CONTENT,
    OWN_METADATA,
    checked_metadata,
    checked_name,
    checked_tags,
    checked_text,
)
from karte.domain.model import Memory
from karte.domain.presenting import memory_of
from karte.domain.reflexion import check_is_no_rule
from karte.domain.stored import StoredMemory, read_object, write_list
from karte.domain.trust import checked_number
from karte.errors import Conflict, NotFound
from karte.service.batch import is_undecided
from karte.service.planning import Fact, settle
from karte.service.scanning import guarded, strings_of
from karte.service.services import Services
from karte.service.transactions import writing
from karte.storage.protocol import Session

MAX_REASON: Final = 10_000


def update(
    services: Services,
    agent: str,
    id: str,
    *,
    content: str | None = None,
    tags: Sequence[str] | None = None,
    importance: float | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> Memory:
    """Changes what is no fact: tags, importance, the caller's metadata, a plain memory's content."""
    checked_name(agent, "agent")
    checked_name(id, "id")
    text = None if content is None else checked_text(content, "content", MAX_CONTENT)
    labels = None if tags is None else checked_tags(tags)
    weight = None if importance is None else checked_number(importance, "importance", 0.0, 10.0)
    written = None if metadata is None else checked_metadata(metadata)
    said = [("content", text)] if text is not None else []
    said += [("tags", label) for label in labels or ()]
    said += [("metadata", inner) for inner in strings_of(read_object(written))]
    guarded(services, said, agent, None)
    with writing(services) as session:
        stored = session.memories.get(agent, id)
        if stored is None or is_undecided(stored):
            raise NotFound("no such memory", field="id", value=id, remedy="look it up by search")
        if text is not None and stored.identity is not None and text != stored.content:
            raise Conflict(
                "the words of a fact are what somebody said",
                field="content",
                remedy="store the new value as a fact; the old one then ends",
            )
        for row in _family(session, stored):
            changed = row._replace(
                content=row.content if text is None else text,
                tags_json=row.tags_json if labels is None else write_list(labels),
                importance=row.importance if weight is None else weight,
                metadata_json=row.metadata_json if written is None else _with_own_keys(written, row),
            )
            is_reworded = changed.content != row.content
            session.memories.update(changed, now=session.now, is_reworded=is_reworded)
            if is_reworded and services.vectors is not None:
                services.vectors.left_behind()
        return memory_of(session.memories.words_of(agent, id), session.now)


def _with_own_keys(written: str, row: StoredMemory) -> str:
    """The caller's new keys beside those that are ours."""
    own = {key: row.metadata[key] for key in OWN_METADATA if key in row.metadata}
    return json.dumps({**json.loads(written), **own}, ensure_ascii=False) if own else written


def forget(services: Services, agent: str, id: str, *, reason: str = "") -> bool:
    """Puts a memory away in the archive; what its assertion displaced returns."""
    checked_name(agent, "agent")
    checked_name(id, "id")
    why = checked_text(reason, "reason", MAX_REASON) if reason else ""
    guarded(services, [("reason", why)] if why else [], agent, None)
    with writing(services) as session:
        stored = session.memories.get(agent, id)
        if stored is None or is_undecided(stored):
            return False
        check_is_no_rule(stored.subject, stored.predicate)
        for row in _family(session, stored):
            session.memories.archive(row, now=session.now, reason=why)
        if stored.assertion is not None and stored.state is None:
            session.facts.set_state([stored.assertion], "archived")
            _settle(services, session, stored, "forget")
        return True


def restore(services: Services, agent: str, id: str) -> bool:
    """Brings a memory back from the archive with every column."""
    checked_name(agent, "agent")
    checked_name(id, "id")
    with writing(services) as session:
        stored = session.memories.get_archived(agent, id)
        if stored is None:
            return False
        family = [stored]
        if stored.assertion is not None:
            family = session.memories.archived_rows_of(stored.assertion)
        for row in family:
            session.memories.restore(row, now=session.now)
        if may_decay(stored._replace(is_archived=0)):  # seen just now, or the next decay would put it away again
            session.memories.touch([id], session.now)
        if stored.assertion is not None and stored.state is None:
            session.facts.set_state([stored.assertion], "live")
            _settle(services, session, stored, "restore")
        return True


def _settle(services: Services, session: Session, stored: StoredMemory, operation: str) -> None:
    if stored.identity is not None:
        settle(services, session, Fact(stored.agent_id, stored.identity), operation=operation)


def _family(session: Session, stored: StoredMemory) -> list[StoredMemory]:
    """The row and the others that show the same assertion: what is done to one is done to all."""
    if stored.assertion is None:
        return [stored]
    return session.memories.rows_of(stored.assertion)
