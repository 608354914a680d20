"""The burst guard inside a write: who is counted, what is held, and who is asked.

One ``Quarantine`` accompanies one operation. It counts the operation's own items with the attempts
that stand in the window, in the same transaction, so that several processes count together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from karte.domain.approvals import NOTHING, ActionKind, Waiting
from karte.domain.bursts import PLAIN_SUBJECT, BurstKey, holds_earlier, is_counted
from karte.domain.entities import canonical_name, normalise, without_invisible
from karte.domain.events import EventKind, NewEvent
from karte.domain.reserved import Owner, owner_of
from karte.domain.trust import Authority, authority_of
from karte.errors import ReservedName
from karte.service.planning import Fact, settle
from karte.service.requests import ask
from karte.service.services import Services
from karte.service.withdrawing import as_asserted
from karte.storage.protocol import Session


def _no_repeat() -> bool:
    return False


class Arriving(NamedTuple):
    """What the guard looks at in one write (a tuple, because batches make them by the thousand)."""

    agent: str
    origin: str
    subject: str | None
    is_fact: bool = True
    is_distilled: bool = False
    is_repeat: Callable[[], bool] = _no_repeat
    """Asked only where it matters: whether the very same stands already, so that nothing would change."""
    words: tuple[str | None, ...] | None = None
    """What it says to the letter, where saying it twice in one operation is saying it once."""
    owner: Owner | None = None
    """The part of Karte that writes, where one does: its own subjects are not closed to it."""
    puts_back: bool = False
    """What stood is said again by Karte itself, and counts as no attempt."""


@dataclass(slots=True)
class _Held:
    """What one request of this operation holds."""

    shown: str
    reason: str
    waiting: list[Waiting] = field(default_factory=list)


class Quarantine:
    """What is held of one operation."""

    def __init__(self, services: Services, session: Session) -> None:
        self._services = services
        self._session = session
        self._tripped: dict[BurstKey, bool] = {}
        self._held: dict[BurstKey, _Held] = {}
        self._approvals: dict[BurstKey, str] = {}

    def expect(self, writes: Iterable[Arriving]) -> None:
        """Counts the operation's own items before the first of them is written."""
        arriving: dict[BurstKey, list[Arriving]] = {}
        for write in writes:
            key = self._key(write)
            if key is not None:
                arriving.setdefault(key, []).append(write)
        rule = self._services.burst_rule
        start = rule.window_start(self._session.clock)
        for key, several in arriving.items():
            names = self._names_of(key, start)
            earlier = self._session.bursts.count(key, names, start, self._session.clock)
            if not rule.is_tripped(key, earlier, len(several)):
                continue
            fresh = len({write.words or number for number, write in enumerate(several) if not write.is_repeat()})
            self._tripped[key] = fresh > 0 and rule.is_tripped(key, earlier, fresh)
            if self._tripped[key] and holds_earlier(key.origin):
                self._hold_earlier(key, names, start)

    def reason(self, write: Arriving) -> str | None:
        """Why a write is held, or None. Raises ``ReservedName`` for a subject that is not the writer's."""
        key = self._key(write)
        if write.subject is not None and self._is_reserved(write, write.subject):
            return "the subject is reserved, and nobody vouches for this source"
        if key is not None and self._tripped.get(key, False):
            return self._burst_reason(key)
        return None

    def written(self, write: Arriving, waiting: Waiting) -> None:
        """Counts what a write wrote."""
        key = self._key(write)
        if key is not None and waiting != NOTHING:
            name = normalise(without_invisible(write.subject or "")) if write.is_fact else PLAIN_SUBJECT
            self._session.bursts.add(replace(key, subject=name), self._session.clock, waiting)

    def keep(self, write: Arriving, waiting: Waiting, reason: str) -> str:
        """Puts a held item before a person; gives the id of the request."""
        key = self._request_key(write)
        self._held.setdefault(key, _Held(write.subject or "", reason)).waiting.append(waiting)
        self._approvals[key] = self._ask(key, [waiting], self._held[key])
        return self._approvals[key]

    def announce(self) -> None:
        """One event for all that was held for the same request."""
        for key, held in self._held.items():
            if not held.waiting:
                continue
            self._session.events.emit(
                NewEvent(
                    kind=EventKind.QUARANTINED,
                    agent_id=key.agent,
                    level="warning",
                    origin=key.origin,
                    subject=held.shown or None,
                    data={
                        "ids": [item.memory_id for item in held.waiting if item.memory_id is not None],
                        "approval_id": self._approvals[key],
                        "reason": held.reason,
                    },
                ),
                self._session.now,
            )

    def _key(self, write: Arriving) -> BurstKey | None:
        rule = self._services.burst_rule
        if not rule.enabled or write.puts_back or not is_counted(write.origin, is_distilled=write.is_distilled):
            return None
        return self._request_key(write) if write.is_fact else BurstKey(write.agent, write.origin, PLAIN_SUBJECT)

    def _request_key(self, write: Arriving) -> BurstKey:
        if write.subject is None:
            return BurstKey(write.agent, write.origin, PLAIN_SUBJECT)
        return BurstKey(write.agent, write.origin, self._name_of(write.agent, write.subject))

    def _name_of(self, agent: str, subject: str) -> str:
        return canonical_name(without_invisible(subject), self._session.names.resolve(agent))

    def _names_of(self, key: BurstKey, start: str) -> list[str]:
        """The names in the window that are the key's subject today: an alias may be younger than an attempt."""
        if key.subject == PLAIN_SUBJECT or not self._session.names.aliases(key.agent):
            return [key.subject]
        resolve = self._session.names.resolve(key.agent)
        written = self._session.bursts.subjects(key, start)
        return [name for name in written if canonical_name(name, resolve) == key.subject]

    def _is_reserved(self, write: Arriving, subject: str) -> bool:
        names = {subject, self._name_of(write.agent, subject)}
        owners = [owner for name in names if (owner := owner_of(name)) not in (None, write.owner)]
        if not owners:
            return False
        if authority_of(write.origin, 1.0) is Authority.UNVERIFIED:
            return True
        refusing = [owner for owner in owners if not owner.is_open]
        if refusing:
            raise ReservedName(
                f"this subject belongs to {refusing[0].part}",
                field="subject",
                value=subject,
                remedy=f"use {refusing[0].remedy}, or another subject",
            )
        return False

    def _burst_reason(self, key: BurstKey) -> str:
        rule = self._services.burst_rule
        about = "plain memories" if key.subject == PLAIN_SUBJECT else "writes about this subject"
        return f"a burst: {rule.limit(key)} or more {about} from one source within {rule.window_secs} seconds"

    def _hold_earlier(self, key: BurstKey, names: list[str], start: str) -> None:
        """Takes the burst's earlier items with it: a poison's first drops do not stay live."""
        session = self._session
        taken: list[Waiting] = []
        touched: dict[Fact, None] = {}
        for item in session.bursts.earlier(key, names, start):
            if item.order is None:
                if item.memory_id is not None and session.memories.hold(item.memory_id, now=session.now):
                    taken.append(item)
            elif session.assertions.state_of(item.order) == "live":
                session.facts.set_state([item.order], "held")
                until = session.assertions.stated(item.order).assertion.until
                for row in session.memories.rows_of(item.order):
                    session.memories.give_back(row.id, as_asserted(row, until, is_held=True), now=session.now)
                touched[Fact(key.agent, session.assertions.identity_of(item.order))] = None
                taken.append(item)
        for fact in touched:
            settle(self._services, session, fact, operation="hold")
        if taken:
            held = self._held.setdefault(key, _Held(key.subject, self._burst_reason(key)))
            held.waiting += taken
            self._approvals[key] = self._ask(key, taken, held)

    def _ask(self, key: BurstKey, items: list[Waiting], held: _Held) -> str:
        about = f"about {held.shown}" if held.shown else "plain memories"
        return ask(
            self._services,
            self._session,
            kind=ActionKind.QUARANTINE.value,
            agent=key.agent,
            origin=key.origin,
            subject=key.subject,
            summary=f"held from {key.origin}: {about} ({held.reason})",
            payload={"subject": held.shown, "reason": held.reason},
            items=items,
        )
