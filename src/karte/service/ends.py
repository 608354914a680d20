"""Ending facts, taking assertions back, and putting memories away."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from karte.domain.approvals import Waiting
from karte.domain.assertions import OPEN, Assertion, Kind, effective_ends
from karte.domain.drafts import checked_event, checked_name, checked_origin
from karte.domain.entities import Resolve, is_value_named, subject_prefix
from karte.domain.model import EndOutcome, HoldsNow, Instant
from karte.domain.reserved import Owner
from karte.domain.rows import Row
from karte.domain.stored import StatedAssertion, StoredMemory
from karte.domain.time import parse_instant, to_datetime
from karte.domain.trust import Authority, authority_of, corroborating_class, origin_trust
from karte.errors import AmbiguousValue, InvalidInterval, NotFound, shorten
from karte.service.conflicts import pending_conflict
from karte.service.history import Asked, asked_for, check_names
from karte.service.planning import Fact, learn
from karte.service.quarantine import Arriving, Quarantine
from karte.service.scanning import guarded
from karte.service.services import Services
from karte.service.transactions import writing
from karte.storage.protocol import Session


def end_fact(
    services: Services,
    agent: str,
    subject: str,
    predicate: str,
    at: Instant | None = None,
    event: str = "",
    *,
    object: str | None = None,
    origin: str | None = None,
) -> EndOutcome:
    """Ends a fact: nothing holds from ``at`` until the next start, and no earlier value returns.

    With ``object`` (and one value at a time) it ends that value alone, as a ``valid_until`` would.
    """
    check_names(agent, subject, predicate, object)
    instant = None if at is None else parse_instant(at, "at")
    ending = _Ending(services, checked_event(event, "event"), origin)
    texts = (("subject", subject), ("predicate", predicate), ("object", object), ("event", event))
    guarded(services, [(name, text) for name, text in texts if text], agent, ending.origin)
    with writing(services) as session:
        ending.begin(session, agent, subject)
        asked = asked_for(session, agent, subject, predicate, object)
        identity = _one_identity(session, asked, instant or session.now)
        fact = Fact(agent, identity)
        moment = instant or session.now
        said_of: dict[str, Any] = {"subject": subject, "predicate": predicate}
        is_value_end = object is not None and identity.endswith(_SINGLE)
        end = ending.assertion(session, Kind.END, start=moment)
        if not is_value_end and session.facts.has_twin(agent, identity, end):
            return EndOutcome(holds_now=_holds_now(session, fact))
        holder = session.facts.holder(agent, identity, moment)
        words = None if holder is None else session.memories.words_of(agent, holder.id)._replace(**said_of)
        names_it = _naming(object, session.names.resolve(agent))
        if words is None:
            raise _nothing_to_end(session, fact, moment)
        if is_value_end and not names_it(words):
            raise _another_value(words, object)
        if is_value_end:
            ended = _end_value(ending, session, fact, moment, names_it, said_of)
        else:
            ended = _say(ending, session, fact, end, words)
        ending.quarantine.announce()
        return EndOutcome(
            ended=ended,
            holds_now=_holds_now(session, fact),
            held=ending.reason is not None,
            approval_id=ending.approval_id,
        )


def end_owned(
    services: Services, session: Session, agent: str, subject: str, predicate: str, *, owner: Owner
) -> tuple[str, ...]:
    """Ends what holds now of a fact about a reserved subject, for the part that owns it, in its transaction."""
    ending = _Ending(services, "", None)
    ending.begin(session, agent, subject, owner=owner)
    shortened: list[str] = []
    for row in session.timelines.all_at(
        agent, asked_for(session, agent, subject, predicate, None).identity, session.now
    ):
        if row.identity is not None:
            end = ending.assertion(session, Kind.END, start=session.now)
            shortened += _say(ending, session, Fact(agent, row.identity), end, session.memories.words_of(agent, row.id))
    ending.quarantine.announce()
    return tuple(shortened)


def expire_by_subject(
    services: Services, agent: str, subject: str, *, event: str = "", origin: str | None = None
) -> int:
    """Ends every current fact of exactly this subject now; gives how many there were.

    From a burst that is held it ends none.
    """
    checked_name(agent, "agent")
    checked_name(subject, "subject")
    ending = _Ending(services, checked_event(event, "event"), origin)
    guarded(services, [("subject", subject), *([("event", event)] if event else [])], agent, ending.origin)
    with writing(services) as session:
        prefix = subject_prefix(subject, session.names.resolve(agent))
        identities = list(session.facts.identities(agent, prefix))
        standing = [each for each in identities if session.facts.holder(agent, each, session.now) is not None]
        ending.begin(session, agent, subject, ends=len(standing))
        count = 0
        for identity in identities:
            fact = Fact(agent, identity)
            holder = session.facts.holder(agent, identity, session.now)
            if holder is None:
                continue
            words = session.memories.words_of(agent, holder.id)._replace(subject=subject)
            end = ending.assertion(session, Kind.END, start=session.now)
            _say(ending, session, fact, end, words)
            count += ending.reason is None
        ending.quarantine.announce()
        return count


_SINGLE = "\x1f"  # the identity of a single-valued fact ends with the separator


class _Ending:
    """Who says an end, and on what occasion."""

    def __init__(self, services: Services, event: str, origin: str | None) -> None:
        self.services = services
        self.event = event
        self.origin = checked_origin(services.default_origin if origin is None else origin)
        self.trust = origin_trust(self.origin, None, ())
        self.reason: str | None = None
        self.approval_id: str | None = None

    def begin(self, session: Session, agent: str, subject: str, *, ends: int = 1, owner: Owner | None = None) -> None:
        """Counts each end as an attempt, and knows from then on whether they are held."""
        self.write = Arriving(agent, self.origin, subject, owner=owner)
        self.quarantine = Quarantine(self.services, session)
        self.quarantine.expect([self.write] * max(1, ends))
        self.reason = self.quarantine.reason(self.write)

    def assertion(
        self,
        session: Session,
        kind: Kind,
        *,
        start: str,
        until: str | None = None,
        value: bytes = b"",
    ) -> Assertion:
        return Assertion(
            order=0,
            kind=kind,
            value=value,
            start=start,
            until=until,
            trust=self.trust,
            authority=authority_of(self.origin, self.trust),
            voice=corroborating_class(self.origin),
            id=self.services.new_id(),
            row_id="",
            makes_row=False,
            origin=self.origin,
            source_event=self.event,
            learned_at=session.now,
        )


def _say(ending: _Ending, session: Session, fact: Fact, said: Assertion, words: StoredMemory) -> tuple[str, ...]:
    """Learns an end, kept with the value it ended under the name it was said of; gives the rows it shortened."""
    said = replace(said, order=session.next_order(), row_id=words.id)
    around = session.facts.around(fact.agent, fact.identity, said)
    stated = StatedAssertion(
        assertion=said,
        subject=words.subject or "",
        predicate=words.predicate or "",
        object=words.object,
        content=words.content,
    )
    waiting = Waiting(memory_id=None, order=said.order)
    ending.quarantine.written(ending.write, waiting)
    if ending.reason is not None:
        session.facts.add(fact.agent, fact.identity, stated)
        session.facts.set_state([said.order], "held")
        ending.approval_id = ending.quarantine.keep(ending.write, waiting, ending.reason)
        return ()
    shortened = learn(ending.services, session, fact, stated, around).shortened
    if said.authority is Authority.UNVERIFIED:
        ending.approval_id = pending_conflict(session, said.order)
    return shortened


def _end_value(
    ending: _Ending, session: Session, fact: Fact, at: str, names_it: NamesIt, said_of: dict[str, Any]
) -> tuple[str, ...]:
    """Says an end for each start from which assertions of the named value cover the instant."""
    assertions = session.facts.assertions(fact.agent, fact.identity)
    ends = effective_ends(assertions)
    starts: dict[tuple[str, bytes], StoredMemory] = {}
    for a in assertions:
        if a.kind is Kind.VALUE and a.start < at < ends[a.order].at:
            words = session.memories.words_of(fact.agent, a.row_id)
            if names_it(words):
                starts[a.start, a.value] = words
    if not starts:
        raise _nothing_to_end(session, fact, at)
    ended: list[str] = []
    for (start, value), words in sorted(starts.items()):
        said = ending.assertion(session, Kind.VALUE_END, start=start, until=at, value=value)
        ended += _say(ending, session, fact, said, words._replace(**said_of))
    return tuple(dict.fromkeys(ended))


NamesIt = Callable[[StoredMemory], bool]


def _naming(object: str | None, resolve: Resolve) -> NamesIt:
    """Whether a row has this very value; values keep their case, unlike identities."""

    def names_it(words: StoredMemory) -> bool:
        return object is None or is_value_named(words.object, words.content, object, resolve)

    return names_it


def _one_identity(session: Session, asked: Asked, at: str) -> str:
    """The one timeline that the caller means, where a predicate is declared many-valued."""
    if not asked.is_prefix:
        return asked.identity
    holding = session.timelines.all_at(asked.agent, asked.identity, at)
    if len(holding) > 1:
        raise AmbiguousValue(f"{len(holding)} values hold", field="object", remedy="name the object that ends")
    if holding and holding[0].identity is not None:
        return holding[0].identity
    return asked.identity


def _holds_now(session: Session, fact: Fact) -> HoldsNow | None:
    holder = session.facts.holder(fact.agent, fact.identity, session.now)
    if holder is None:
        return None
    return HoldsNow(id=holder.id, valid_from=to_datetime(holder.start))


def _nothing_to_end(session: Session, fact: Fact, at: str) -> NotFound | InvalidInterval:
    """Names the stretch nearest to the instant at which there is nothing to end."""
    rows = [row for row in session.facts.rows(fact.agent, fact.identity) if not row.is_empty]
    if not rows:
        return NotFound("no such fact stands", field="predicate", remedy="look at the history of the subject")
    nearest = _nearest(rows, at)
    reach = "on, with no end known" if nearest.end == OPEN else f"until {nearest.end}"
    return InvalidInterval(
        f"no value of this fact stands then; the nearest holds from {nearest.start} {reach}",
        field="at",
        value=at,
        remedy="give an instant at which a value holds",
    )


def _another_value(words: StoredMemory, object: str | None) -> InvalidInterval:
    stands = words.content if words.object is None else words.object
    return InvalidInterval(
        f"another value stands then: {shorten(stands)}",
        field="object",
        value=object,
        remedy="name the value that stands, or leave the object out to end the fact",
    )


def _nearest(rows: Iterable[Row], at: str) -> Row:
    """The last stretch that had begun by then, else the first one."""
    ordered = sorted(rows, key=lambda row: row.place)
    begun = [row for row in ordered if row.start <= at]
    return begun[-1] if begun else ordered[0]
