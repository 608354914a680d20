"""Holding a write: stored whole, touching no timeline and seen by nobody until a person decides."""

from __future__ import annotations

from karte.domain.approvals import Waiting
from karte.domain.drafts import Draft, check_interval
from karte.domain.rows import support_of
from karte.domain.stored import write_support
from karte.service.drafted import row_of, said_of, trust_of
from karte.service.services import Services
from karte.storage.protocol import Session


def hold(services: Services, session: Session, draft: Draft) -> Waiting:
    """Stores a write as held; gives what waits."""
    if draft.subject is not None and draft.predicate is not None:
        return _hold_fact(services, session, draft, draft.subject, draft.predicate)
    trust = trust_of(session, draft)
    stored = row_of(
        session,
        draft,
        id=draft.id or services.new_id(),
        origin_trust=trust.trust,
        claimed_trust=None if trust.claim == trust.trust else trust.claim,
        valid_from=draft.valid_from,
        valid_until=draft.valid_until,
        confidence=draft.confidence,
        quarantined=1,
    )
    check_interval(stored.starts_at, stored.valid_until)
    session.memories.add(stored)
    return Waiting(memory_id=stored.id, order=None)


def _hold_fact(services: Services, session: Session, draft: Draft, subject: str, predicate: str) -> Waiting:
    fact, said = said_of(services, session, draft, subject, predicate)
    a = said.assertion
    check_interval(a.start, a.until)
    session.facts.add(fact.agent, fact.identity, said)
    session.facts.set_state([a.order], "held")
    session.memories.add(
        row_of(
            session,
            draft,
            id=a.id,
            identity=fact.identity,
            assertion=a.order,
            origin_trust=a.trust,
            valid_from=a.start,
            valid_until=a.until,
            confidence=a.confidence,
            support=write_support(support_of(a, ())),
            quarantined=1,
        )
    )
    return Waiting(memory_id=a.id, order=a.order)
