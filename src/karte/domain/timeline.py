"""The timeline of one fact, as a pure function of what was said about it.

Every accepted write is an *assertion*: from this instant (until that one, if the writer says so)
the value is this. What holds at an instant follows from the set of live assertions by six rules:

1. only live assertions count (the caller gives no others);
2. an assertion covers ``start <= t < end``. Without an end of its own it lasts until the first
   end said for the same value after its start; of the same value and start, the end learned last
   holds; an unverified source binds no curated assertion, a cut assertion no uncut one;
3. a cut assertion counts only where no uncut one covers;
4. while a curated value covers, and no end by a source outside the unverified classes that
   starts later covers, unverified assertions do not count;
5. the latest start decides, of equal starts the one learned last; an end leaves nothing;
6. the value is believed on the most trusted of the assertions at the head of that order, up to
   the first that says something else (of equal trust, on the latest that made a row).

``timeline`` sweeps over the bounds once, so n assertions cost O(n log n).
"""

from __future__ import annotations

import heapq
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from karte.domain.assertions import OPEN, Assertion, EffectiveEnd, Kind, effective_ends
from karte.domain.trust import Authority


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """A stretch of world time in which one value is believed on one assertion.

    ``supports`` are the live assertions of the value that count (or agree, though unverified)
    somewhere in it, in the order of learning. ``closed_by`` is the end that closed it; None where
    another stretch takes over or where it ends as its writer said (``ends_as_asserted``).
    ``is_contested``: an unverified source was outvoted somewhere in it.
    """

    start: str
    end: str
    assertion: Assertion
    supports: tuple[Assertion, ...]
    ends_as_asserted: bool
    closed_by: Assertion | None
    is_contested: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """All stretches of one fact, oldest first, and the orders of the outvoted assertions.

    ``end_at`` gives for an instant at which an end decides that end.
    """

    stretches: tuple[Stretch, ...]
    contested: frozenset[int]
    gaps: tuple[tuple[str, Assertion], ...] = ()

    def at(self, instant: str) -> Stretch | None:
        """The stretch that holds at an instant."""
        i = bisect_right(self.stretches, instant, key=lambda s: s.start) - 1
        if i >= 0 and instant < self.stretches[i].end:
            return self.stretches[i]
        return None

    def end_at(self, instant: str) -> Assertion | None:
        """The end that decides at an instant, where one does."""
        i = bisect_right(self.gaps, instant, key=lambda gap: gap[0]) - 1
        return self.gaps[i][1] if i >= 0 and self.at(instant) is None else None


def timeline(assertions: Iterable[Assertion], *, protect_curated: bool = True) -> Timeline:
    """What holds when, computed from the live assertions of one fact."""
    said = sorted(assertions, key=lambda a: (a.start, a.order))
    ends = effective_ends(said)
    sweep = _Sweep(ends, protect_curated)
    covering = [a for a in said if a.kind is not Kind.VALUE_END]
    bounds = {a.start for a in covering}
    bounds.update(ends[a.order].at for a in covering)
    bounds.discard(OPEN)
    position = 0
    for bound in sorted(bounds):
        arrived = []
        while position < len(covering) and covering[position].start == bound:
            arrived.append(_Cover(covering[position], ends[covering[position].order], position))
            position += 1
        sweep.advance(bound, arrived)
    return sweep.finish()


@dataclass(frozen=True, slots=True)
class _Cover:
    assertion: Assertion
    ends: EffectiveEnd
    place: int

    def covers(self, instant: str) -> bool:
        return self.ends.at > instant


@dataclass(slots=True)
class _Run:
    """Neighbours in the order of rule 5 that say the same; the last member is the latest."""

    value: bytes
    is_end: bool
    members: list[_Cover] = field(default_factory=list)
    fresh: list[_Cover] = field(default_factory=list)
    _by_end: list[tuple[str, int]] = field(default_factory=list)
    _by_trust: list[tuple[float, bool, int, str, Assertion]] = field(default_factory=list)
    _covering: int = 0

    def push(self, cover: _Cover) -> None:
        a = cover.assertion
        self.members.append(cover)
        self.fresh.append(cover)
        heapq.heappush(self._by_end, (cover.ends.at, a.order))
        rank = -cover.place if a.makes_row else a.order
        heapq.heappush(self._by_trust, (-a.trust, not a.makes_row, rank, cover.ends.at, a))
        self._covering += 1

    def is_over(self, instant: str) -> bool:
        """Whether no member covers the instant; forgets those that no longer do."""
        while self._by_end and self._by_end[0][0] <= instant:
            heapq.heappop(self._by_end)
            self._covering -= 1
        return self._covering == 0

    def most_trusted(self, instant: str) -> Assertion:
        """Rule 6, asked only while some member covers the instant."""
        while self._by_trust[0][3] <= instant:
            heapq.heappop(self._by_trust)
        return self._by_trust[0][4]

    def latest(self, instant: str) -> Assertion:
        """The head, asked only while some member covers the instant."""
        while not self.members[-1].covers(instant):
            self.members.pop()
        return self.members[-1].assertion

    def absorb(self, below: _Run) -> None:
        """Takes in the run below, which says the same."""
        self.members = below.members + self.members
        self.fresh = list(self.members)
        self._by_end = list(heapq.merge(self._by_end, below._by_end))
        self._by_trust = list(heapq.merge(self._by_trust, below._by_trust))
        self._covering += below._covering


class _Order:
    """The assertions that cover the instant of the sweep, by rule 5, as runs of equal value."""

    def __init__(self) -> None:
        self._runs: list[_Run] = []

    def push(self, cover: _Cover) -> None:
        a = cover.assertion
        is_end = a.kind is Kind.END
        if not self._runs or self._runs[-1].value != a.value or self._runs[-1].is_end != is_end:
            self._runs.append(_Run(a.value, is_end))
        self._runs[-1].push(cover)

    def head(self, instant: str) -> _Run | None:
        runs = self._runs
        while runs and runs[-1].is_over(instant):
            runs.pop()
        while len(runs) > 1:
            top, below = runs[-1], runs[-2]
            if below.is_over(instant):
                del runs[-2]
            elif below.value == top.value and below.is_end == top.is_end:
                top.absorb(below)
                del runs[-2]
            else:
                break
        return runs[-1] if runs else None


@dataclass(slots=True)
class _Draft:
    start: str
    assertion: Assertion
    run: _Run
    is_contested: bool = False
    supports: dict[int, Assertion] = field(default_factory=dict)


class _Sweep:
    """The state of one pass over the bounds of a fact's assertions."""

    def __init__(self, ends: Mapping[int, EffectiveEnd], protect_curated: bool) -> None:
        self._ends = ends
        self._protect = protect_curated
        self._uncut, self._firm, self._cut = _Order(), _Order(), _Order()
        self._curated: list[tuple[str, str]] = []  # (start, end), latest start last
        self._last_firm_end = ""
        self._unverified: list[_Cover] = []
        self._draft: _Draft | None = None
        self._stretches: list[Stretch] = []
        self._contested: set[int] = set()
        self._gaps: list[tuple[str, Assertion]] = []

    def advance(self, instant: str, arrived: Sequence[_Cover]) -> None:
        """Moves to the next bound, where some assertions start or end."""
        for cover in arrived:
            self._take_in(cover)
        uncut = self._uncut.head(instant)
        is_protected = self._protect and self._is_curated_covering(instant)
        if uncut is None:
            run = self._cut.head(instant)
        else:
            run = self._firm.head(instant) if is_protected else uncut
        holds = run is not None and not run.is_end
        self._settle(instant, run if holds else None, run.latest(instant) if run else None)
        if is_protected and uncut is not None:
            self._note_outvoted(instant, uncut)
        if run is not None:
            self._note_supports(instant, run, arrived, is_protected)

    def finish(self) -> Timeline:
        """Closes what is still open."""
        self._close(OPEN, None)
        return Timeline(
            stretches=tuple(self._stretches),
            contested=frozenset(self._contested),
            gaps=tuple(self._gaps),
        )

    def _take_in(self, cover: _Cover) -> None:
        a = cover.assertion
        if a.is_cut:
            self._cut.push(cover)
            return
        self._uncut.push(cover)
        if a.authority is Authority.UNVERIFIED:
            self._unverified.append(cover)
            return
        self._firm.push(cover)
        if a.kind is Kind.END:
            self._last_firm_end = a.start
        elif a.authority is Authority.CURATED:
            self._curated.append((a.start, cover.ends.at))

    def _is_curated_covering(self, instant: str) -> bool:
        """Rule 4: a curated value covers that no firm end starts after."""
        while self._curated and self._curated[-1][1] <= instant:
            self._curated.pop()
        return bool(self._curated) and self._curated[-1][0] >= self._last_firm_end

    def _settle(self, instant: str, run: _Run | None, head: Assertion | None) -> None:
        """Opens, continues or closes the stretch that is being drawn."""
        believed = run.most_trusted(instant) if run else None
        draft = self._draft
        if draft is None or believed is None or draft.assertion.order != believed.order:
            self._close(instant, head)
            if run is not None and believed is not None:
                self._draft = _Draft(instant, believed, run)
        if believed is None and head is not None:
            self._gaps.append((instant, head))

    def _close(self, instant: str, head: Assertion | None) -> None:
        draft, self._draft = self._draft, None
        if draft is None:
            return
        said = self._end_said(draft, instant)
        closed_by = said if said is not None and said.kind is Kind.VALUE_END else None
        if said is None and head is not None and head.kind is Kind.END:
            closed_by = head
        self._stretches.append(
            Stretch(
                start=draft.start,
                end=instant,
                assertion=draft.assertion,
                supports=tuple(draft.supports[order] for order in sorted(draft.supports)),
                ends_as_asserted=instant == OPEN or (said is not None and closed_by is None),
                closed_by=closed_by,
                is_contested=draft.is_contested,
            )
        )

    def _end_said(self, draft: _Draft, instant: str) -> Assertion | None:
        ends = self._ends.get(draft.assertion.order)
        return ends.said_by if ends is not None and ends.at == instant else None

    def _note_outvoted(self, instant: str, uncut: _Run) -> None:
        loser = uncut.latest(instant)
        if loser.authority is not Authority.UNVERIFIED:
            return
        decided = self._draft.assertion.value if self._draft else b""
        if loser.value != decided:
            self._contested.add(loser.order)
            if self._draft:
                self._draft.is_contested = True

    def _note_supports(self, instant: str, run: _Run, arrived: Sequence[_Cover], is_protected: bool) -> None:
        """Who says the same: all members where the stretch or its run is new, else newcomers."""
        draft = self._draft
        if draft is None:
            return
        is_new = draft.start == instant or draft.run is not run
        draft.run = run
        agreeing = list(run.members if is_new else run.fresh)
        run.fresh.clear()
        if is_protected:  # they do not count here, but they do not contradict either
            agreeing += [
                cover
                for cover in (self._unverified if is_new else arrived)
                if cover.assertion.authority is Authority.UNVERIFIED
                and cover.assertion.value == run.value
                and not cover.assertion.is_cut
            ]
        for cover in agreeing:
            if cover.covers(instant) and cover.assertion.kind is Kind.VALUE:
                draft.supports[cover.assertion.order] = cover.assertion
