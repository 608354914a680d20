"""Painting over the neighbours gives what planning the whole fact anew gives, to the last link."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from hypothesis import event, given, settings
from hypothesis import strategies as st

from karte.domain.assertions import OPEN, Assertion, Kind
from karte.domain.painting import Neighbourhood, paint
from karte.domain.rows import Row, RowPlan, plan_rows
from karte.domain.timeline import timeline
from karte.domain.trust import Authority

INSTANTS = [f"{n:02d}" for n in range(12)]
TRUST = {Authority.CURATED: 1.0, Authority.PLAIN: 0.6, Authority.UNVERIFIED: 0.3}


@st.composite
def said(draw: st.DrawFn, *, authorities: tuple[Authority, ...]) -> dict[str, object]:
    start = draw(st.integers(0, 10))
    kind = draw(st.sampled_from([Kind.VALUE] * 8 + [Kind.END]))
    bounded = kind is Kind.VALUE and draw(st.integers(0, 2)) == 0
    authority = draw(st.sampled_from(authorities))
    return {
        "kind": kind,
        "value": draw(st.sampled_from([b"a", b"b", b"c"])) if kind is Kind.VALUE else b"",
        "start": INSTANTS[start],
        "until": INSTANTS[draw(st.integers(start + 1, 11))] if bounded else None,
        "authority": authority,
        "trust": draw(st.sampled_from([TRUST[authority], TRUST[authority] / 2])),
        "voice": draw(st.sampled_from([None, "import", "channel"])),
    }


def histories(*authorities: Authority) -> st.SearchStrategy[list[dict[str, object]]]:
    return st.lists(said(authorities=authorities), min_size=1, max_size=14)


class Fact:
    """One fact kept in memory by the planners alone."""

    def __init__(self) -> None:
        self.assertions: list[Assertion] = []
        self.rows: dict[str, Row] = {}
        self.ids = 0

    def new_id(self) -> str:
        self.ids += 1
        return f"c{self.ids}"

    def assertion(self, **said: object) -> Assertion:
        order = len(self.assertions) + 1
        a = Assertion(order=order, id=f"r{order}", learned_at=f"t{order}", source_event=f"e{order}", **said)  # type: ignore[arg-type]
        stretch = timeline(self.assertions).at(a.start)
        if a.kind is Kind.VALUE and stretch is not None and stretch.assertion.value == a.value:
            shown = next(r for r in self.rows.values() if r.start == stretch.start and r.end == stretch.end)
            return replace(a, makes_row=False, row_id=shown.id)
        return replace(a, row_id=a.id)

    def around(self, a: Assertion) -> Neighbourhood:
        shown = sorted((r for r in self.rows.values() if r.is_shown), key=lambda r: r.place)
        before = [r for r in shown if r.start <= a.start]
        later = [r for r in shown if r.start > a.start]
        following = min(
            (x for x in self.assertions if x.start > a.start and x.kind is not Kind.VALUE_END),
            key=lambda x: (x.start, -x.order),
            default=None,
        )
        same = [x for x in self.assertions if x.value == a.value and x.kind is not Kind.END]
        everything = [*self.assertions, a]
        authorities = {x.authority for x in everything}
        return Neighbourhood(
            holder=next((r for r in shown if r.start <= a.start < r.end), None),
            last=before[-1] if before else None,
            later=later[:3],
            is_later_cut=len(later) > 3,
            following=following,
            is_following_open=following is not None
            and following.until is None
            and not any(x.value == following.value and x.until for x in self.assertions),
            is_last_open=bool(before)
            and before[-1].assertion.until is None
            and not any(x.value == before[-1].assertion.value and x.until for x in self.assertions),
            is_said_before=following is not None
            and any(x.value == following.value and x.start <= a.start for x in self.assertions),
            is_plain=not any(x.is_cut for x in everything)
            and not {Authority.CURATED, Authority.UNVERIFIED} <= authorities,
            is_value_bound=any(x.until for x in same)
            if a.until is None
            else any((x.until is None and x.start < a.until) or x.start == a.start for x in same),
            shares_start=any(x.start == a.start for x in self.assertions),
            has_bounded=any(x.until for x in self.assertions),
            has_hidden=any(not r.is_shown for r in self.rows.values()),
        )

    def plan(self, a: Assertion) -> RowPlan:
        plan, _ = plan_rows([*self.assertions, a], list(self.rows.values()), self.new_id)
        return plan

    def apply(self, a: Assertion, plan: RowPlan) -> None:
        self.assertions.append(a)
        for row in (*plan.added, *plan.changed):
            self.rows[row.id] = row


def same_but_for_new_ids(left: RowPlan, right: RowPlan) -> bool:
    def shape(plan: RowPlan) -> tuple[object, ...]:
        names = {row.id: f"new{i}" for i, row in enumerate(plan.added)}

        def named(row: Row) -> Row:
            return replace(
                row,
                id=names.get(row.id, row.id),
                supersedes=names.get(row.supersedes or "", row.supersedes),
                superseded_by=names.get(row.superseded_by or "", row.superseded_by),
            )

        return (
            [named(row) for row in plan.added],
            sorted((named(row) for row in plan.changed), key=lambda row: row.id),
            sorted(plan.shortened),
        )

    return shape(left) == shape(right)


def check(history: list[dict[str, object]]) -> Counter[str]:
    fact, seen = Fact(), Counter[str]()
    for step in history:
        a = fact.assertion(**step)
        whole = fact.plan(a)
        painted = paint(a, fact.around(a), fact.new_id)
        seen["painted" if painted is not None else "planned"] += 1
        if painted is not None:
            assert same_but_for_new_ids(painted, whole), (painted, whole)
        fact.apply(a, whole)
    return seen


@given(histories(Authority.PLAIN))
@settings(max_examples=600)
def test_painting_equals_planning_for_sources_of_one_authority(
    history: list[dict[str, object]],
) -> None:
    for name, count in check(history).items():
        event(f"{name} {'some' if count else 'none'}")


@given(histories(*Authority))
@settings(max_examples=300)
def test_painting_equals_planning_where_curated_and_unverified_meet(
    history: list[dict[str, object]],
) -> None:
    check(history)


def alternating(starts: Iterable[int]) -> list[dict[str, object]]:
    """Two values in turn, each from its own start."""
    return [{"kind": Kind.VALUE, "value": b"b" if start % 2 else b"a", "start": f"{start:05d}"} for start in starts]


def test_appending_is_always_painted() -> None:
    history = alternating(range(300))
    assert check(history) == {"painted": 300}


def test_a_history_learned_backwards_is_always_painted() -> None:
    history = alternating(range(300, 0, -1))
    assert check(history) == {"painted": 300}


def test_an_open_end_sorts_after_every_instant() -> None:
    assert OPEN > "9999-12-31T23:59:59.999999+00:00"
