"""A new assertion painted over its neighbours: what changes, without reading the whole history.

``paint`` gives the very plan that ``plan_rows`` would give with the new assertion among the
others, or None where the neighbours do not suffice: then the whole fact is planned anew. It
suffices wherever histories grow long: a value that starts after all others, one before some other
start, a value repeated, bounded values side by side.

Why that is enough. From its start up to the next start of another assertion (or its own end) the
new assertion is the head of the order, because nothing that starts later covers there. Beyond
the next start it never counts, when that one is open and says something else. Left of its own
start it covers nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from karte.domain.assertions import OPEN, Assertion, Kind
from karte.domain.rows import NewId, Row, RowPlan, stamp, support_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbourhood:
    """What lies around the start of a new assertion of one fact.

    ``holder`` is the row that holds at the new start. ``last`` is the last row that shows and
    starts at or before it, ``later`` are the first rows that show and start after it, and
    ``is_later_cut`` tells whether there are more. ``following`` is the live assertion that starts
    next (of those with that start the one learned last); ``is_following_open``: it lasts for ever.
    ``is_last_open``: the assertion of ``last`` lasts for ever; ``is_said_before``: the value of
    ``following`` was also said with a start at or before the new one.

    ``is_plain``: none is cut, the new one included, and curated and unverified ones do not meet. ``is_value_bound``:
    an end said for the same value could bind the new assertion, or its end bind another.
    ``shares_start``: another live assertion starts at the new start. ``has_bounded``: some live
    assertion says an end. ``has_hidden``: some row of the fact is hidden.
    """

    holder: Row | None
    last: Row | None
    later: Sequence[Row]
    is_later_cut: bool
    following: Assertion | None
    is_following_open: bool
    is_last_open: bool
    is_said_before: bool
    is_plain: bool
    is_value_bound: bool
    shares_start: bool
    has_bounded: bool
    has_hidden: bool


NOBODY_AROUND: Final = Neighbourhood(
    holder=None,
    last=None,
    later=(),
    is_later_cut=False,
    following=None,
    is_following_open=False,
    is_last_open=False,
    is_said_before=False,
    is_plain=True,
    is_value_bound=False,
    shares_start=False,
    has_bounded=False,
    has_hidden=False,
)
"""Around the first assertion about a fact."""


@dataclass(frozen=True, slots=True)
class _Window:
    """The instants at which the new assertion is the head, and the rows that hold there."""

    end: str
    is_cut_by_following: bool
    held: tuple[Row, ...]
    after: Row | None


def paint(new: Assertion, around: Neighbourhood, new_id: NewId) -> RowPlan | None:
    """The changes that a newly learned assertion makes, or None where neighbours do not suffice."""
    if around is NOBODY_AROUND:
        return _first(new)
    window = _window(new, around)
    if window is None:
        return None
    if any(row.assertion.value == new.value for row in window.held):
        return _reaffirm(new, window, around.holder)
    return _cover(new, around, window, new_id)


def _first(new: Assertion) -> RowPlan | None:
    """What the first assertion about a fact makes."""
    if new.kind is not Kind.VALUE:
        return None
    own = Row(
        id=new.id,
        assertion=new,
        start=new.start,
        end=new.until or OPEN,
        is_made=True,
        trust=new.trust,
        support=support_of(new, ()),
    )
    return RowPlan(added=(own,))


def _window(new: Assertion, around: Neighbourhood) -> _Window | None:
    if not around.is_plain or around.is_value_bound or new.kind is Kind.VALUE_END:
        return None
    if around.last is not None and around.last.is_empty:
        return None  # what holds at the new start may be a row that starts before that one
    own_end = new.until or OPEN
    following = around.following
    is_cut = following is not None and following.start < own_end
    end = own_end
    if following is not None and is_cut:
        same = following.value == new.value and following.kind is new.kind
        if same or not around.is_following_open:
            return None
        end = following.start
    if around.is_later_cut and around.later[-1].start < end:
        return None
    held = [row for row in around.later if row.start < end and not row.is_empty]
    if around.last is not None and around.last.end > new.start:
        held.insert(0, around.last)
    if any(row.start > new.start for row in held):
        return None  # a continuation that is emptied may have been what kept its original in history
    if is_cut and (any(row.end > end for row in held) or _may_reach_below(around, new)):
        return None
    after = next((row for row in around.later if row.start >= end), None)
    return _Window(end, is_cut, tuple(held), after)


def _may_reach_below(around: Neighbourhood, new: Assertion) -> bool:
    """Whether what holds after the window may rest on what was said before it.

    It does not where the row that holds at the new start lasts for ever and says something else:
    that one already stands between.
    """
    last, following = around.last, around.following
    if last is None or following is None or last.end <= new.start or not around.is_said_before:
        return False
    return not around.is_last_open or last.assertion.value == following.value


def _reaffirm(new: Assertion, window: _Window, holder: Row | None) -> RowPlan | None:
    """The value stands already, on somebody at least as trusted, as far as the new one says."""
    if holder is None or holder.assertion.value != new.value or len(window.held) > 1:
        return None
    if holder.end != window.end or new.trust > holder.assertion.trust:
        return None
    return RowPlan(changed=(replace(holder, support=holder.support.joined_by(new)),))


def _cover(new: Assertion, around: Neighbourhood, window: _Window, new_id: NewId) -> RowPlan | None:
    """The new assertion takes the whole window."""
    last = around.last
    if last is not None and last.start == new.start and not last.is_made:
        return None  # it would vanish from the chain
    if around.shares_start and (last is None or last.start != new.start):
        return None  # a reaffirmation that would no longer support the row it confirmed
    if around.has_bounded and last is not None and not _is_alone(last):
        return None  # a supporter may have come to light inside the row, when a bounded one ended
    own = _own_row(new, around, window) if new.kind is Kind.VALUE else None
    tail: Row | None = None
    if window.held and window.held[-1].end > window.end:
        tail = _tail(window, around, own, new_id)
        if tail is None:
            return None
    successor = tail or window.after
    changed = [_cut_back(row, new, own, successor) for row in window.held]
    if last is not None and own is not None and last.end <= new.start and last.at is not None:
        changed.append(replace(last, superseded_by=own.id))  # linked across the gap
    if window.after is not None:
        before = tail or own or last
        following = replace(window.after, supersedes=before.id if before else None)
        if following != window.after:
            changed.append(following)
    return RowPlan(
        added=tuple(row for row in (own, tail) if row is not None),
        changed=tuple(changed),
        shortened=tuple(row.id for row in window.held),
    )


def _own_row(new: Assertion, around: Neighbourhood, window: _Window) -> Row:
    last, following = around.last, around.following
    own = Row(
        id=new.id,
        assertion=new,
        start=new.start,
        end=window.end,
        is_made=True,
        trust=new.trust,
        supersedes=last.id if last else None,
        support=support_of(new, ()),
    )
    if not window.is_cut_by_following or following is None:
        return own  # it ends as its writer said, or is open
    is_row = window.after is not None and window.after.start == window.end
    return stamp(own, window.after, None if is_row else following)


def _tail(window: _Window, around: Neighbourhood, own: Row | None, new_id: NewId) -> Row | None:
    """What the last row held beyond a bounded assertion, if nobody else has a say in it."""
    row = window.held[-1]
    following = around.following
    is_shared = following is not None and following.start < row.end
    if own is None or around.has_hidden or is_shared or not _is_alone(row):
        return None
    return replace(
        row,
        id=new_id(),
        start=window.end,
        is_made=False,
        continues=row.continues or row.assertion.id,
        supersedes=own.id,
    )


def _is_alone(row: Row) -> bool:
    """Whether nobody but its own assertion supports the row."""
    return row.support == support_of(row.assertion, ())


def _cut_back(row: Row, new: Assertion, own: Row | None, successor: Row | None) -> Row:
    """A row that loses the window: it ends where the new assertion starts, or holds nothing."""
    end = max(row.start, new.start)
    cut = replace(row, end=end)
    if cut.is_empty:
        cut = replace(cut, support=support_of(row.assertion, ()))
    if not cut.is_shown:
        return replace(cut, supersedes=None, superseded_by=None, event=None, at=None)
    return stamp(cut, own) if own is not None else stamp(cut, successor, new)
