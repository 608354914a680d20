"""From a checked write to what is stored of it: its row, its trust, and what it says of a fact."""

from __future__ import annotations

from typing import Any

from karte.domain.assertions import Assertion, Kind
from karte.domain.drafts import Draft
from karte.domain.entities import identity_of, normalise, value_key
from karte.domain.stored import Cited, StatedAssertion, StoredMemory, write_list
from karte.domain.trust import CUT_TRUST, authority_of, corroborating_class, origin_trust
from karte.service.planning import Fact
from karte.service.services import Services
from karte.storage.protocol import Session


def trust_of(session: Session, draft: Draft) -> Cited:
    """How far the write is trusted, and would be had none of its sources been taken back."""
    cited = session.memories.cited(draft.agent_id, draft.derived_from) if draft.derived_from else ()
    trust = origin_trust(draft.origin, draft.claimed_trust, (source.trust for source in cited))
    if not cited:
        return Cited(trust, trust)
    return Cited(trust, origin_trust(draft.origin, draft.claimed_trust, (source.claim for source in cited)))


def row_of(session: Session, draft: Draft, **belief: Any) -> StoredMemory:
    """The row of a draft; ``belief`` is what the draft alone does not tell."""
    now = session.now
    return StoredMemory(
        agent_id=draft.agent_id,
        content=draft.content,
        timestamp=draft.timestamp or now,
        tags_json=write_list(draft.tags),
        created_at=now,
        layer=draft.layer,
        importance=draft.importance,
        access_count=draft.access_count,
        last_accessed=draft.last_accessed,
        source_event=draft.source_event,
        subject=draft.subject,
        predicate=draft.predicate,
        object=draft.object,
        metadata_json=draft.metadata,
        origin=draft.origin,
        derived_from_json=write_list(draft.derived_from) if draft.derived_from else None,
        ingested_at=now,
        embedding=draft.embedding,
        embedding_model=draft.embedding_model,
        ordinal=session.next_ordinal(),
        **belief,
    )


def said_of(
    services: Services, session: Session, draft: Draft, subject: str, predicate: str
) -> tuple[Fact, StatedAssertion]:
    """The fact that a write is about, and the assertion that it is."""
    agent = draft.agent_id
    resolve = session.names.resolve(agent)
    identity = identity_of(
        subject,
        predicate,
        object=draft.object,
        content=draft.content,
        is_many=session.names.is_many(agent, normalise(predicate)),
        resolve=resolve,
    )
    trust = trust_of(session, draft)
    sources = draft.derived_from
    is_cut = bool(sources) and session.memories.is_from_withdrawn(agent, sources)
    id = draft.id or services.new_id()
    assertion = Assertion(
        order=session.next_order(),
        kind=Kind.VALUE,
        value=value_key(draft.object, draft.content, resolve),
        start=draft.valid_from or session.now,
        until=draft.valid_until,
        trust=min(trust.trust, CUT_TRUST) if is_cut else trust.trust,
        claim=trust.claim if is_cut else None,
        authority=authority_of(draft.origin, trust.claim),
        is_cut=is_cut,
        confidence=draft.confidence,
        voice=corroborating_class(draft.origin),
        id=id,
        row_id=id,
        origin=draft.origin,
        source_event=draft.source_event,
        learned_at=session.now,
    )
    said = StatedAssertion(
        assertion=assertion,
        subject=subject,
        predicate=predicate,
        object=draft.object,
        content=draft.content,
        derived_from=draft.derived_from,
    )
    return Fact(agent, identity), said
