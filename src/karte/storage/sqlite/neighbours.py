"""What lies around a new assertion: the few look-ups that painting it needs, each by an index."""

from __future__ import annotations

from typing import Final

import apsw

from karte.domain.assertions import Assertion, Kind
from karte.domain.painting import NOBODY_AROUND, Neighbourhood
from karte.domain.rows import Row
from karte.domain.trust import Authority
from karte.storage.sqlite.connection import Execute
from karte.storage.sqlite.fact_rows import ASSERTION, LIVE_ROW, OF_IDENTITY, ROW, SHOWN, to_assertion, to_row

LATER_ROWS: Final = 4

_IS_KNOWN: Final = f"SELECT 1 FROM memory_assertions a WHERE {OF_IDENTITY} LIMIT 1"
_LAST_ROW: Final = (
    f"{ROW} WHERE {LIVE_ROW} AND m.valid_from <= ? AND {SHOWN} ORDER BY m.valid_from DESC, m.assertion DESC LIMIT 1"
)
_LATER_ROWS: Final = (
    f"{ROW} WHERE {LIVE_ROW} AND m.valid_from > ? AND {SHOWN} ORDER BY m.valid_from, m.assertion LIMIT {LATER_ROWS + 1}"
)
_HOLDER: Final = (
    f"{ROW} WHERE {LIVE_ROW} AND m.valid_from <= ? AND (m.valid_until IS NULL"
    " OR m.valid_until > ?) ORDER BY m.valid_from DESC, m.assertion DESC LIMIT 1"
)
_FOLLOWING: Final = (
    f"SELECT {ASSERTION} FROM memory_assertions a WHERE {OF_IDENTITY} AND a.kind <> 'value_end'"
    " AND a.valid_from = (SELECT b.valid_from FROM memory_assertions b WHERE b.agent_id = ?"
    " AND b.identity = ? AND b.state = 'live' AND b.kind <> 'value_end' AND b.valid_from > ?"
    " ORDER BY b.valid_from LIMIT 1) ORDER BY a.learned_order DESC LIMIT 1"
)
_IS_MIXED: Final = (
    "SELECT EXISTS (SELECT 1 FROM memory_assertions a INDEXED BY memory_assertions_cut"
    f" WHERE {OF_IDENTITY} AND a.is_cut = 1),"
    " EXISTS (SELECT 1 FROM memory_assertions a INDEXED BY memory_assertions_curated"
    f" WHERE {OF_IDENTITY} AND a.authority = 'curated'),"
    " EXISTS (SELECT 1 FROM memory_assertions a INDEXED BY memory_assertions_unverified"
    f" WHERE {OF_IDENTITY} AND a.authority = 'unverified'),"
    " EXISTS (SELECT 1 FROM memories m INDEXED BY idx_memories_unsettled WHERE m.agent_id = ?"
    " AND m.identity = ? AND m.support IS NULL AND m.state IS NULL AND m.quarantined = 0),"
    " EXISTS (SELECT 1 FROM memory_assertions a INDEXED BY memory_assertions_bounded"
    f" WHERE {OF_IDENTITY} AND a.valid_until IS NOT NULL),"
    " EXISTS (SELECT 1 FROM memories m INDEXED BY idx_memories_computed WHERE m.agent_id = ?"
    " AND m.identity = ? AND m.is_made = 0 AND m.valid_until = m.valid_from)"
)
_IS_BOUNDED_VALUE: Final = (
    "SELECT 1 FROM memory_assertions a INDEXED BY memory_assertions_bounded"
    f" WHERE {OF_IDENTITY} AND a.value_key = ? AND a.valid_until IS NOT NULL LIMIT 1"
)
_IS_OPEN_BEFORE: Final = (
    "SELECT 1 FROM memory_assertions a INDEXED BY memory_assertions_open"
    f" WHERE {OF_IDENTITY} AND a.value_key = ? AND a.valid_until IS NULL AND a.valid_from < ?"
    " LIMIT 1"
)
_IS_BOUNDED_AT: Final = (
    "SELECT 1 FROM memory_assertions a INDEXED BY memory_assertions_bounded"
    f" WHERE {OF_IDENTITY} AND a.value_key = ? AND a.valid_until IS NOT NULL"
    " AND a.valid_from = ? LIMIT 1"
)
_IS_SAID_BEFORE: Final = (
    "SELECT EXISTS (SELECT 1 FROM memory_assertions a INDEXED BY memory_assertions_open"
    f" WHERE {OF_IDENTITY} AND a.value_key = ? AND a.valid_until IS NULL AND a.valid_from <= ?)"
    " OR EXISTS (SELECT 1 FROM memory_assertions a INDEXED BY memory_assertions_bounded"
    f" WHERE {OF_IDENTITY} AND a.value_key = ? AND a.valid_until IS NOT NULL"
    " AND a.valid_from <= ?)"
)
_SHARES_START: Final = (
    "SELECT 1 FROM memory_assertions a INDEXED BY memory_assertions_start"
    f" WHERE {OF_IDENTITY} AND a.valid_from = ? LIMIT 1"
)


class Neighbours:
    """Looks around in the facts of one file."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._execute: Execute = connection.execute

    def holder(self, agent: str, identity: str, instant: str) -> Row | None:
        """The row that holds at an instant."""
        found = self._execute(_HOLDER, (agent, identity, instant, instant)).fetchone()
        return to_row(found) if found else None

    def around(self, agent: str, identity: str, new: Assertion) -> Neighbourhood:
        """What painting a new assertion needs to know of its neighbours."""
        fact = (agent, identity)
        if self._execute(_IS_KNOWN, fact).get is None:
            return NOBODY_AROUND
        execute = self._execute
        is_cut, curated, unverified, is_unsettled, has_bounded, has_hidden = execute(_IS_MIXED, fact * 6).get
        is_mixed = (curated or new.authority is Authority.CURATED) and (
            unverified or new.authority is Authority.UNVERIFIED
        )
        last_row = execute(_LAST_ROW, (*fact, new.start)).fetchone()
        last = to_row(last_row) if last_row else None
        later = [to_row(row) for row in execute(_LATER_ROWS, (*fact, new.start))]
        found = execute(_FOLLOWING, (*fact, *fact, new.start)).fetchone()
        following = to_assertion(found) if found else None
        has_end = {
            value: bool(has_bounded) and execute(_IS_BOUNDED_VALUE, (*fact, value)).get is not None
            for value in {a.value for a in (new, following) if a is not None}
            | ({last.assertion.value} if last else set())
        }
        return Neighbourhood(
            holder=self._holder_near(fact, new.start, last, is_settled=not is_unsettled),
            last=last,
            later=later[:LATER_ROWS],
            is_later_cut=len(later) > LATER_ROWS,
            following=following,
            is_following_open=_lasts(following, has_end),
            is_last_open=_lasts(last.assertion if last else None, has_end),
            is_said_before=following is not None
            and bool(execute(_IS_SAID_BEFORE, (*fact, following.value, new.start) * 2).get),
            is_plain=not (is_cut or new.is_cut or is_mixed or is_unsettled),
            is_value_bound=self._is_value_bound(fact, new, has_end),
            shares_start=execute(_SHARES_START, (*fact, new.start)).get is not None,
            has_bounded=bool(has_bounded),
            has_hidden=bool(has_hidden),
        )

    def _holder_near(self, fact: tuple[str, str], start: str, last: Row | None, *, is_settled: bool) -> Row | None:
        """The row that holds at the start; mostly the last one that begins by then tells."""
        if last is None:
            return None
        if is_settled and not last.is_empty:
            return last if last.end > start else None
        return self.holder(*fact, start)

    def _is_value_bound(self, fact: tuple[str, str], new: Assertion, has_end: dict[bytes, bool]) -> bool:
        if new.kind is Kind.END:
            return False
        if new.until is None:
            return has_end[new.value]
        if self._execute(_IS_OPEN_BEFORE, (*fact, new.value, new.until)).get is not None:
            return True
        return has_end[new.value] and self._execute(_IS_BOUNDED_AT, (*fact, new.value, new.start)).get is not None


def _lasts(a: Assertion | None, has_end: dict[bytes, bool]) -> bool:
    """Whether an assertion covers everything after its start."""
    if a is None or a.until is not None:
        return False
    return a.kind is Kind.END or not has_end[a.value]
