"""Storing: one memory or many, plain or as facts with a timeline."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

from karte.domain.assertions import OPEN, Assertion, Kind
from karte.domain.drafts import Draft, check_interval, checked_items, draft_of
from karte.domain.entities import identity_of, normalise, value_key
from karte.domain.model import HoldsNow, MemoryEntry, StoreOutcome, TemporalMeta
from karte.domain.painting import NOBODY_AROUND
from karte.domain.rows import Row, RowPlan
from karte.domain.stored import StatedAssertion, StoredMemory, write_list, write_support
from karte.domain.time import to_datetime
from karte.domain.trust import CUT_TRUST, authority_of, corroborating_class, origin_trust
from karte.errors import DuplicateId, InvalidInput, KarteError, StorageError
from karte.service.planning import Fact, is_of_write, learn
from karte.service.services import Services
from karte.storage.protocol import Session

NO_META = TemporalMeta()


def store(
    services: Services,
    entry: MemoryEntry,
    meta: TemporalMeta | None = None,
    *,
    is_reaffirming: bool = False,
) -> StoreOutcome:
    """Stores one memory; with a subject and a predicate it is a fact."""
    draft = draft_of(entry, NO_META if meta is None else meta, services.default_origin)
    with services.store.write() as session:
        return _remember(services, session, draft, is_reaffirming=is_reaffirming)


def store_many(
    services: Services,
    items: Iterable[MemoryEntry | tuple[MemoryEntry, TemporalMeta]],
    on_progress: Callable[[int, int], None] | None = None,
) -> list[StoreOutcome]:
    """Stores many in one transaction, in their order; a bad item is refused by itself."""
    drafts = [_draft_or_error(item, services.default_origin) for item in checked_items(items)]
    outcomes: list[StoreOutcome] = []
    with services.store.write() as session:
        for done, draft in enumerate(drafts, 1):
            outcomes.append(_one_of_many(services, session, draft))
            if on_progress is not None:
                on_progress(done, len(drafts))
    return outcomes


def _draft_or_error(item: object, default_origin: str) -> Draft | KarteError:
    if isinstance(item, KarteError):  # what kept a door from making an item of it
        return item
    pair: tuple[Any, ...] = item if isinstance(item, tuple) else (item, NO_META)
    if len(pair) != 2 or not isinstance(pair[0], MemoryEntry) or not isinstance(pair[1], TemporalMeta):
        return InvalidInput(
            "not a memory", field="items", value=item, remedy="give a MemoryEntry, or (MemoryEntry, TemporalMeta)"
        )
    entry, meta = pair
    try:
        return draft_of(entry, meta, default_origin)
    except KarteError as error:
        return error


def _one_of_many(services: Services, session: Session, draft: Draft | KarteError) -> StoreOutcome:
    if isinstance(draft, KarteError):
        return _refused(draft)
    try:
        return _remember(services, session, draft)
    except StorageError:
        raise
    except KarteError as error:  # raised before the item wrote anything
        return _refused(error)


def _refused(error: KarteError) -> StoreOutcome:
    return StoreOutcome(status="refused", reason=str(error), error=error)


def _remember(services: Services, session: Session, draft: Draft, *, is_reaffirming: bool = False) -> StoreOutcome:
    if draft.id is not None and session.memories.is_taken(draft.id):
        raise DuplicateId(
            "a memory has this id already",
            field="id",
            value=draft.id,
            remedy="leave the id out, or use another",
        )
    if draft.subject is not None and draft.predicate is not None:
        return _remember_fact(services, session, draft, draft.subject, draft.predicate)
    if is_reaffirming:
        old = session.memories.same_text(draft.agent_id, draft.content)
        if old is not None:
            session.memories.touch([old.id], session.now)
            return _plain_outcome(old, session.now, "reaffirmed")
    stored = _stored(
        session,
        draft,
        id=draft.id or services.new_id(),
        origin_trust=_trust(session, draft),
        valid_from=draft.valid_from,
        valid_until=draft.valid_until,
        confidence=draft.confidence,
    )
    check_interval(stored.starts_at, stored.valid_until)
    session.memories.add(stored)
    return _plain_outcome(stored, session.now, "stored")


def _trust(session: Session, draft: Draft) -> float:
    cited = session.memories.trusts(draft.agent_id, draft.derived_from) if draft.derived_from else ()
    return origin_trust(draft.origin, draft.claimed_trust, cited)


def _plain_outcome(stored: StoredMemory, now: str, status: str) -> StoreOutcome:
    return StoreOutcome(
        status="stored" if status == "stored" else "reaffirmed",
        id=stored.id,
        is_current=stored.holds_at(now, is_now=True),
        valid_from=to_datetime(stored.starts_at),
        valid_until=to_datetime(stored.valid_until) if stored.valid_until else None,
    )


def _stored(session: Session, draft: Draft, **belief: Any) -> StoredMemory:
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
        ordinal=session.next_ordinal(),
        **belief,
    )


def _add_row(session: Session, draft: Draft, fact: Fact, row: Row) -> None:
    """Adds the row of a fact as the timeline shows it."""
    stored = _stored(
        session,
        draft,
        id=row.id,
        identity=fact.identity,
        assertion=row.assertion.order,
        origin_trust=row.trust,
        valid_from=row.start,
        valid_until=None if row.end == OPEN else row.end,
        supersedes=row.supersedes,
        superseded_by=row.superseded_by,
        invalidated_by_event=row.event,
        invalidated_at=row.at,
        confidence=row.support.confidence,
        is_contested=int(row.is_contested),
        support=write_support(row.support),
    )
    session.memories.add(stored)


def _remember_fact(services: Services, session: Session, draft: Draft, subject: str, predicate: str) -> StoreOutcome:
    fact, said = _said(services, session, draft, subject, predicate)
    a = said.assertion
    check_interval(a.start, a.until)
    around = session.facts.around(fact.agent, fact.identity, a)
    holder = around.holder
    if around is not NOBODY_AROUND and session.facts.has_twin(fact.agent, fact.identity, a):
        return _fact_outcome(session, fact, a, holder, RowPlan())
    if holder is None or holder.assertion.value != a.value:
        plan = learn(services, session, fact, said, around, partial(_add_row, session, draft, fact))
        own = next((row for row in plan.added if row.id == a.id), None)
        return _fact_outcome(session, fact, a, own, plan)
    voice = None if _is_echo(session, fact, holder, draft.derived_from) else a.voice
    a = replace(a, makes_row=False, row_id=holder.id, voice=voice)
    plan = learn(services, session, fact, replace(said, assertion=a), around)
    session.memories.add_sources(a.id, draft.derived_from)
    standing = session.facts.holder(fact.agent, fact.identity, a.start) or holder
    session.memories.count_access(standing.id)
    return _fact_outcome(session, fact, a, standing, plan)


def _said(
    services: Services, session: Session, draft: Draft, subject: str, predicate: str
) -> tuple[Fact, StatedAssertion]:
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
    trust = _trust(session, draft)
    sources = draft.derived_from
    is_cut = bool(sources) and session.memories.is_from_withdrawn(agent, sources)
    id = draft.id or services.new_id()
    assertion = Assertion(
        order=session.next_order(),
        kind=Kind.VALUE,
        value=value_key(draft.object, draft.content, resolve),
        start=draft.valid_from or session.now,
        until=draft.valid_until,
        trust=min(trust, CUT_TRUST) if is_cut else trust,
        authority=authority_of(draft.origin, trust),
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


def _is_echo(session: Session, fact: Fact, holder: Row, derived_from: tuple[str, ...]) -> bool:
    """Whether the new observation goes back to the very row it would confirm."""
    if not derived_from:
        return False
    rows = session.facts.rows_of_value(fact.agent, fact.identity, holder.assertion.value)
    return not session.memories.ancestors(derived_from).isdisjoint(rows)


def _fact_outcome(session: Session, fact: Fact, said: Assertion, own: Row | None, plan: RowPlan) -> StoreOutcome:
    """What became of the write, and what holds now where that is another value."""
    now = session.now
    if own is None or own.assertion.value != said.value:  # the same was said before, and outvoted
        own = session.facts.row(session.facts.twin_of(fact.agent, fact.identity, said) or said.id)
    current = own
    if own is None or not own.start <= now < own.end:
        current = session.facts.holder(fact.agent, fact.identity, now)
    makers = {said.order} if own is None else {said.order, own.assertion.order}
    is_current = current is not None and current.assertion.order in makers  # its continuation counts too
    is_other = current is not None and current.assertion.value != said.value
    made = any(is_of_write(row) for row in plan.added)
    return StoreOutcome(
        status="stored" if made else "reaffirmed",
        id=own.id if own is not None else said.id,
        is_current=is_current,
        valid_from=to_datetime(own.start if own is not None else said.start),
        valid_until=None if own is None or own.end == OPEN else to_datetime(own.end),
        superseded=plan.shortened,
        holds_now=HoldsNow(id=current.id, valid_from=to_datetime(current.start))
        if current is not None and is_other
        else None,
    )
