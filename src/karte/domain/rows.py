"""The rows of one fact: how its timeline is written down, and what a write changes in them.

A row keeps its asserted start. The first stretch that an assertion holds, when it begins at that
start, is its own row; every later stretch is a *continuation row*. A row that a write made stays
in history when it holds nothing (an empty interval); a row that only the timeline asked for is
hidden while it is empty.

The rows that show form one chain in the order of (start, order of learning): ``supersedes`` is
the row before. ``superseded_by``, the event and the instant are stamps of what took over:

* another stretch starts where the row ends: the first row of the chain that starts there;
* an end closed it: the end's event and instant, and the next row across the gap, if any;
* it ends as its writer said (or is open): nothing.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from karte.domain.assertions import Assertion, Kind
from karte.domain.timeline import Stretch, Timeline, timeline

SHOWN_REAFFIRMATIONS: Final = 20
CORROBORATION_STEP: Final = 0.1
_ROUNDING: Final = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Reaffirmation:
    """One assertion that confirmed a row without making one."""

    source_event: str
    origin: str | None
    at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """What a row's confidence and reaffirmations are computed from, kept beside the row.

    ``first`` is the confidence of the assertion learned first, ``first_order`` its place,
    ``voices`` the corroborating classes.
    """

    first: float
    first_order: int
    voices: tuple[str, ...]
    reaffirmed: tuple[Reaffirmation, ...] = ()

    @property
    def confidence(self) -> float:
        """min(1, first + 0.1 x max(0, distinct corroborating classes - 1))."""
        more = CORROBORATION_STEP * max(0, len(self.voices) - 1)
        return min(1.0, round(self.first + more, _ROUNDING))

    def joined_by(self, assertion: Assertion) -> Support:
        """The support with one more assertion, learned later than all others."""
        voices = self.voices
        if assertion.voice is not None and assertion.voice not in voices:
            voices = tuple(sorted((*voices, assertion.voice)))
        said = Reaffirmation(source_event=assertion.source_event, origin=assertion.origin, at=assertion.learned_at)
        newest = (*self.reaffirmed, said)[-SHOWN_REAFFIRMATIONS:]
        return replace(self, voices=voices, reaffirmed=newest)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """The belief part of a stored row of a fact.

    ``trust`` is what it is written with. ``is_made``: it shows even when it is empty, because a
    write made it or a continuation names it; otherwise the timeline asked for it. ``continues``
    is the id of the row whose value it carries on. ``end`` is ``OPEN`` where no end is known.
    """

    id: str
    assertion: Assertion
    start: str
    end: str
    is_made: bool
    trust: float
    continues: str | None = None
    supersedes: str | None = None
    superseded_by: str | None = None
    event: str | None = None
    at: str | None = None
    is_contested: bool = False
    support: Support

    @property
    def is_empty(self) -> bool:
        """Whether it holds at no instant."""
        return self.end <= self.start

    @property
    def is_shown(self) -> bool:
        """Whether history shows it."""
        return self.is_made or not self.is_empty

    @property
    def place(self) -> tuple[str, int]:
        """Its place in the chain."""
        return self.start, self.assertion.order


@dataclass(frozen=True, slots=True, kw_only=True)
class RowPlan:
    """What to write: rows to add, rows whose belief part changes, and rows that it shortens."""

    added: tuple[Row, ...] = ()
    changed: tuple[Row, ...] = ()
    shortened: tuple[str, ...] = ()


NewId = Callable[[], str]


def plan_rows(
    assertions: Sequence[Assertion],
    stored: Sequence[Row],
    new_id: NewId,
    *,
    protect_curated: bool = True,
) -> tuple[RowPlan, Timeline]:
    """The changes that make the stored rows say what the live assertions say.

    ``stored`` are all rows of the fact's live assertions, hidden ones included.
    """
    line = timeline(assertions, protect_curated=protect_curated)
    wanted = _wanted_rows(assertions, line, stored, new_id)
    return _difference(stored, link(wanted, line)), line


def support_of(assertion: Assertion, supports: Iterable[Assertion]) -> Support:
    """What confirms a stretch that is believed on ``assertion``."""
    known = sorted(supports, key=lambda a: a.order)
    if not known:
        voices = () if assertion.voice is None else (assertion.voice,)
        return Support(first=assertion.confidence, first_order=assertion.order, voices=voices)
    reaffirmed = [
        Reaffirmation(source_event=a.source_event, origin=a.origin, at=a.learned_at)
        for a in known
        if not a.makes_row and a.order != assertion.order
    ]
    return Support(
        first=known[0].confidence,
        first_order=known[0].order,
        voices=tuple(sorted({a.voice for a in known if a.voice is not None})),
        reaffirmed=tuple(reaffirmed[-SHOWN_REAFFIRMATIONS:]),
    )


def _wanted_rows(assertions: Sequence[Assertion], line: Timeline, stored: Sequence[Row], new_id: NewId) -> list[Row]:
    held: dict[int, list[Stretch]] = {}
    for stretch in line.stretches:
        held.setdefault(stretch.assertion.order, []).append(stretch)
    known = {(row.assertion.order, row.start, row.continues is None): row for row in stored}
    shown = {a.id for a in assertions if a.makes_row}
    wanted: list[Row] = []
    for a in assertions:
        if a.kind is not Kind.VALUE:
            continue
        stretches = held.get(a.order, [])
        starts_it = bool(stretches) and stretches[0].start == a.start
        goes_on = bool(stretches[1:] if starts_it else stretches)
        has_own = a.makes_row or starts_it or (goes_on and a.row_id not in shown)
        if has_own:
            own = known.get((a.order, a.start, True))
            is_contested = a.order in line.contested
            first = stretches[0] if starts_it else None
            wanted.append(_own_row(a, own, first, is_contested, goes_on=goes_on))
        for stretch in stretches[1:] if starts_it else stretches:
            old = known.get((a.order, stretch.start, False))
            continues = a.id if has_own else a.row_id
            wanted.append(_continuation(stretch, old, continues, new_id))
    taken = {row.id for row in wanted}
    wanted += [_emptied(row) for row in stored if row.id not in taken]
    return wanted


def _own_row(a: Assertion, old: Row | None, stretch: Stretch | None, is_contested: bool, *, goes_on: bool) -> Row:
    """The assertion's own row; where continuations name it, it shows even when it is empty."""
    return Row(
        id=a.id if old is None else old.id,
        assertion=a,
        start=a.start,
        end=stretch.end if stretch else a.start,
        is_made=a.makes_row or (goes_on and stretch is None),
        trust=a.trust,
        is_contested=is_contested or (stretch is not None and stretch.is_contested),
        support=support_of(a, stretch.supports if stretch else ()),
    )


def _continuation(stretch: Stretch, old: Row | None, continues: str, new_id: NewId) -> Row:
    a = stretch.assertion
    return Row(
        id=new_id() if old is None else old.id,
        assertion=a,
        start=stretch.start,
        end=stretch.end,
        is_made=False,
        trust=a.trust,
        continues=continues,
        is_contested=stretch.is_contested,
        support=support_of(a, stretch.supports),
    )


def _emptied(row: Row) -> Row:
    """A row that the timeline no longer asks for; it stays, hidden, for what it said before."""
    return replace(
        row,
        end=row.start,
        is_made=False,
        trust=row.assertion.trust,
        support=support_of(row.assertion, ()),
        is_contested=False,
    )


def link(rows: Iterable[Row], line: Timeline) -> list[Row]:
    """The rows with their links and stamps; rows that do not show have none."""
    everything = list(rows)
    chain = sorted((row for row in everything if row.is_shown), key=lambda row: row.place)
    places = [row.place for row in chain]
    linked = [
        replace(row, supersedes=None, superseded_by=None, event=None, at=None) for row in everything if not row.is_shown
    ]
    for i, row in enumerate(chain):
        before = chain[i - 1].id if i else None
        linked.append(_stamped(replace(row, supersedes=before), i, chain, places, line))
    return linked


def _stamped(row: Row, i: int, chain: Sequence[Row], places: Sequence[tuple[str, int]], line: Timeline) -> Row:
    after = bisect_left(places, (row.end, -1), lo=i + 1)
    following = chain[after] if after < len(chain) else None
    if row.is_empty:
        if following is not None and following.start == row.start:
            return stamp(row, following)
        holder = line.at(row.start)
        if holder is not None:
            return stamp(row, _row_of(holder, chain, places))
        return stamp(row, following, line.end_at(row.start))
    stretch = line.at(row.start)
    if stretch is None or stretch.ends_as_asserted:
        return stamp(row, None)
    closed_by = stretch.closed_by
    is_taken_over = following is not None and following.start == row.end
    if is_taken_over and closed_by is not None and closed_by.kind is Kind.END:
        closed_by = None  # the row that starts here took over first, and the end closed that one
    return stamp(row, following, closed_by)


def _row_of(stretch: Stretch, chain: Sequence[Row], places: Sequence[tuple[str, int]]) -> Row:
    """The row that shows a stretch (a stretch starts where its row does)."""
    return chain[bisect_left(places, (stretch.start, stretch.assertion.order))]


def stamp(row: Row, by: Row | None, closed_by: Assertion | None = None) -> Row:
    """The row with the stamps of the row that takes over, or of the end that closed it."""
    if closed_by is not None:
        return replace(
            row,
            superseded_by=by.id if by else None,
            event=closed_by.source_event,
            at=closed_by.learned_at,
        )
    if by is None:
        return replace(row, superseded_by=None, event=None, at=None)
    return replace(
        row,
        superseded_by=by.id,
        event=by.assertion.source_event,
        at=by.assertion.learned_at,
    )


def _difference(stored: Iterable[Row], wanted: Iterable[Row]) -> RowPlan:
    before: Mapping[str, Row] = {row.id: row for row in stored}
    added, changed, shortened = [], [], []
    for row in wanted:
        old = before.get(row.id)
        if old is None:
            added.append(row)
        elif old != row:
            changed.append(row)
            if row.end < old.end:
                shortened.append(row.id)
    return RowPlan(
        added=tuple(sorted(added, key=lambda row: row.place)),
        changed=tuple(changed),
        shortened=tuple(shortened),
    )
