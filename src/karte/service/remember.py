"""Storing: one memory or many, plain or as facts with a timeline, all through the guard."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from karte.domain.approvals import NOTHING, Waiting
from karte.domain.drafts import Draft, check_interval, checked_items, draft_of
from karte.domain.erasure import content_hash
from karte.domain.events import NewEvent
from karte.domain.model import MemoryEntry, StoreOutcome, TemporalMeta
from karte.domain.reserved import Owner
from karte.domain.similarity import alike_to, nearest
from karte.domain.stored import StoredMemory
from karte.domain.time import to_datetime
from karte.errors import DuplicateId, InvalidInput, KarteError, Refused, StorageError
from karte.service.asserting import assert_fact, is_repeat
from karte.service.drafted import row_of, trust_of
from karte.service.holding import hold
from karte.service.quarantine import Arriving, Quarantine
from karte.service.scanning import Hit, emit_all, guarded, scan, texts_of
from karte.service.services import Services
from karte.service.transactions import writing
from karte.storage.protocol import Session

NO_META = TemporalMeta()
MOST_LOOKED_FOR = 100
"""A batch of more is an import, and reports no near-duplicates: looking for them costs more than storing."""


def store(
    services: Services,
    entry: MemoryEntry,
    meta: TemporalMeta | None = None,
    *,
    is_reaffirming: bool = False,
) -> StoreOutcome:
    """Stores one memory; with a subject and a predicate it is a fact."""
    draft = prepared(services, entry, NO_META if meta is None else meta)
    with writing(services) as session:
        return store_prepared(services, session, draft, is_reaffirming=is_reaffirming)


def prepared(services: Services, entry: MemoryEntry, meta: TemporalMeta) -> Draft:
    """The write that the caller means, checked, scanned and with its vector, before the file is held for it."""
    draft = draft_of(entry, meta, services.default_origin)
    guarded(services, texts_of(draft), draft.agent_id, draft.origin)
    if services.vectors is not None:
        [draft] = services.vectors.with_vectors([draft])
    return draft


def store_prepared(
    services: Services,
    session: Session,
    draft: Draft,
    *,
    is_reaffirming: bool = False,
    owner: Owner | None = None,
    is_distilled: bool = False,
    puts_back: bool = False,
) -> StoreOutcome:
    """Stores, or holds, a prepared write in the transaction of the caller.

    ``owner`` is the part of Karte that writes about subjects of its own; ``is_distilled`` says that nobody vouches for
    it, whatever its origin; ``puts_back`` that it only says again what stood, and is no attempt.
    """
    arriving = _arriving(services, session, draft, is_distilled=is_distilled, owner=owner, puts_back=puts_back)
    quarantine = Quarantine(services, session)
    quarantine.expect([arriving])
    outcome = _guarded(services, session, quarantine, draft, arriving, is_reaffirming=is_reaffirming)
    quarantine.announce()
    return outcome


def store_many(
    services: Services,
    items: Iterable[MemoryEntry | tuple[MemoryEntry, TemporalMeta]],
    on_progress: Callable[[int, int], None] | None = None,
    *,
    is_distilled: bool = False,
    owner: Owner | None = None,
) -> list[StoreOutcome]:
    """Stores many in one transaction, in their order; a bad item is refused by itself.

    ``is_distilled`` and ``owner`` are as in ``store_prepared``; what a conversation says again is no burst.
    """
    drafts = [_draft_or_error(item, services.default_origin) for item in checked_items(items)]
    notes: list[NewEvent] = []
    scanned = [_scanned(services, draft, notes) for draft in drafts]
    scanned = _with_vectors(services, scanned)
    outcomes: list[StoreOutcome] = []
    is_looking = len(drafts) <= MOST_LOOKED_FOR
    with writing(services) as session:
        emit_all(session, notes)
        quarantine = Quarantine(services, session)
        arrive = partial(
            _arriving, services, session, is_distilled=is_distilled, owner=owner, with_undated=is_distilled
        )
        writes = [draft if isinstance(draft, KarteError) else (draft, arrive(draft)) for draft in scanned]
        quarantine.expect(write[1] for write in writes if not isinstance(write, KarteError))
        for done, write in enumerate(writes, 1):
            outcomes.append(_one_of_many(services, session, quarantine, write, is_looking=is_looking))
            if on_progress is not None:
                on_progress(done, len(drafts))
        quarantine.announce()
    return outcomes


def _with_vectors(services: Services, items: list[Draft | KarteError]) -> list[Draft | KarteError]:
    """The items with vectors, before the file is held: an embedder may take its time."""
    if services.vectors is None:
        return items
    made = iter(services.vectors.with_vectors([item for item in items if isinstance(item, Draft)]))
    return [next(made) if isinstance(item, Draft) else item for item in items]


def _scanned(services: Services, draft: Draft | KarteError, notes: list[NewEvent]) -> Draft | KarteError:
    """The draft, or the refusal that the scan makes of it; what the audit has to know goes to ``notes``."""
    if isinstance(draft, KarteError):
        return draft
    try:
        notes += scan(services, texts_of(draft), draft.agent_id, draft.origin)
    except Hit as hit:
        notes.append(hit.event)
        return hit
    return draft


def _arriving(
    services: Services,
    session: Session,
    draft: Draft,
    *,
    is_distilled: bool,
    owner: Owner | None,
    puts_back: bool = False,
    with_undated: bool = False,
) -> Arriving:
    d = draft
    if d.subject is None or d.predicate is None:
        write = Arriving(d.agent_id, d.origin, d.subject, False, is_distilled)
    else:
        repeats = partial(is_repeat, services, session, d, with_undated=with_undated)
        said = (d.subject, d.predicate, d.object, d.content, d.valid_from, d.valid_until, d.source_event)
        words = None if d.valid_from is None else said
        write = Arriving(d.agent_id, d.origin, d.subject, True, is_distilled, repeats, words)
    return write if owner is None and not puts_back else write._replace(owner=owner, puts_back=puts_back)


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


def _one_of_many(
    services: Services,
    session: Session,
    quarantine: Quarantine,
    write: tuple[Draft, Arriving] | KarteError,
    *,
    is_looking: bool,
) -> StoreOutcome:
    if isinstance(write, KarteError):
        return _refused(write)
    try:
        return _guarded(services, session, quarantine, *write, is_looking=is_looking)
    except StorageError:
        raise
    except KarteError as error:  # raised before the item wrote anything
        return _refused(error)


def _refused(error: KarteError) -> StoreOutcome:
    return StoreOutcome(status="refused", reason=str(error), error=error)


def _guarded(
    services: Services,
    session: Session,
    quarantine: Quarantine,
    draft: Draft,
    write: Arriving,
    *,
    is_reaffirming: bool = False,
    is_looking: bool = True,
) -> StoreOutcome:
    """Writes, or holds, what the scan has let through."""
    if draft.id is not None and session.memories.is_taken(draft.id):
        raise DuplicateId(
            "a memory has this id already",
            field="id",
            value=draft.id,
            remedy="leave the id out, or use another",
        )
    if session.stops.has_any() and session.stops.is_stopped(draft.agent_id, content_hash(draft.content)):
        raise Refused(
            "this text was erased, and is kept out",
            field="content",
            remedy="the stop-list of an erasure holds it: say it in other words, if it may be known again",
        )
    reason = quarantine.reason(write)
    if reason is not None:
        waiting = hold(services, session, draft)
        quarantine.written(write, waiting)
        approval_id = quarantine.keep(write, waiting, reason)
        return StoreOutcome(status="held", id=waiting.memory_id, approval_id=approval_id, reason=reason)
    outcome, waiting = _remember(services, session, draft, is_reaffirming=is_reaffirming, is_looking=is_looking)
    quarantine.written(write, waiting)
    return outcome


def _remember(
    services: Services, session: Session, draft: Draft, *, is_reaffirming: bool, is_looking: bool
) -> tuple[StoreOutcome, Waiting]:
    if draft.subject is not None and draft.predicate is not None:
        return assert_fact(services, session, draft, draft.subject, draft.predicate)
    if is_reaffirming:
        old = session.memories.same_text(draft.agent_id, draft.content, draft.origin)
        if old is not None:
            session.memories.touch([old.id], session.now)
            return _plain_outcome(old, session.now, "reaffirmed"), NOTHING
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
    )
    check_interval(stored.starts_at, stored.valid_until)
    near = _near(session, stored) if is_looking else ()
    session.memories.add(stored)
    return _plain_outcome(stored, session.now, "stored", near), Waiting(memory_id=stored.id, order=None)


def _near(session: Session, stored: StoredMemory) -> tuple[tuple[str, float], ...]:
    """What says nearly the same already; reported, and nothing more."""
    return nearest(stored.content, session.life.alike(stored.agent_id, alike_to(stored.content), session.now))


def _plain_outcome(
    stored: StoredMemory, now: str, status: str, similar: tuple[tuple[str, float], ...] = ()
) -> StoreOutcome:
    return StoreOutcome(
        status="stored" if status == "stored" else "reaffirmed",
        id=stored.id,
        is_current=stored.holds_at(now, is_now=True),
        valid_from=to_datetime(stored.starts_at),
        valid_until=to_datetime(stored.valid_until) if stored.valid_until else None,
        similar=similar,
    )
