"""Laws 2, 5 and 6 on the pure planner: a purge heals, and an undo restores every row to the bit."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karte.domain.assertions import Assertion, Kind
from karte.domain.rows import Row, plan_rows
from karte.domain.timeline import Stretch, timeline
from karte.domain.trust import CUT_TRUST, Authority

INSTANTS = [f"{n:02d}" for n in range(10)]
TRUSTS = {Authority.CURATED: 1.0, Authority.PLAIN: 0.6, Authority.UNVERIFIED: 0.3}


@st.composite
def assertions(draw: st.DrawFn) -> list[Assertion]:
    said = []
    for order in range(1, draw(st.integers(1, 12)) + 1):
        start = draw(st.integers(0, 8))
        kind = draw(st.sampled_from([Kind.VALUE] * 6 + [Kind.END]))
        bounded = kind is Kind.VALUE and draw(st.booleans())
        authority = draw(st.sampled_from(list(Authority)))
        said.append(
            Assertion(
                order=order,
                kind=kind,
                value=draw(st.sampled_from([b"a", b"b", b"c"])) if kind is Kind.VALUE else b"",
                start=INSTANTS[start],
                until=INSTANTS[draw(st.integers(start + 1, 9))] if bounded else None,
                trust=TRUSTS[authority],
                authority=authority,
                id=f"r{order}",
                row_id=f"r{order}",
                origin=draw(st.sampled_from(["x", "y", "z"])),
                source_event=f"e{order}",
                learned_at=f"t{order:02d}",
            )
        )
    return said


def learned(said: list[Assertion]) -> tuple[list[Assertion], dict[str, Row], list[str]]:
    """The assertions as they were stored one by one, and the rows they left."""
    stored: list[Assertion] = []
    rows: dict[str, Row] = {}
    ids: list[str] = []

    def new_id() -> str:
        ids.append(f"c{len(ids) + 1}")
        return ids[-1]

    for a in said:
        shown = timeline(stored).at(a.start)
        if a.kind is Kind.VALUE and shown is not None and shown.assertion.value == a.value:
            holder = next(r for r in rows.values() if r.start == shown.start and not r.is_empty)
            new = replace(a, makes_row=False, row_id=holder.id)
        else:
            new = a
        stored.append(new)
        settle(stored, rows, new_id)
    return stored, rows, ids


def settle(live: list[Assertion], rows: dict[str, Row], new_id: object) -> None:
    orders = {a.order for a in live}
    kept = [row for row in rows.values() if row.assertion.order in orders]
    plan, _ = plan_rows(live, kept, new_id)  # type: ignore[arg-type]
    for row in (*plan.added, *plan.changed):
        rows[row.id] = row


def values(stretches: tuple[Stretch, ...]) -> list[tuple[str, str, bytes, float]]:
    return [(s.start, s.end, s.assertion.value, s.assertion.trust) for s in stretches]


def shown(live: list[Assertion], rows: dict[str, Row]) -> list[tuple[str, str, bytes, float]]:
    orders = {a.order for a in live}
    return sorted(
        (row.start, row.end, row.assertion.value, row.assertion.trust)
        for row in rows.values()
        if row.assertion.order in orders and not row.is_empty
    )


@given(assertions(), st.sampled_from(["x", "y"]), st.sets(st.integers(1, 12), max_size=3))
@settings(max_examples=300)
@pytest.mark.requirement("law.5-purge")
def test_a_purge_leaves_the_timeline_of_what_remains(said: list[Assertion], purged: str, derived: set[int]) -> None:
    stored, rows, ids = learned(said)
    remaining = [
        replace(a, is_cut=True, trust=min(a.trust, CUT_TRUST)) if a.order in derived else a
        for a in stored
        if a.origin != purged
    ]
    fresh = (f"c{i}" for i in itertools.count(len(ids) + 1))
    settle(remaining, rows, lambda: next(fresh))
    assert shown(remaining, rows) == values(timeline(remaining).stretches)
    uncut = timeline([a for a in remaining if not a.is_cut])
    for stretch in timeline(remaining).stretches:
        if stretch.assertion.is_cut:
            assert uncut.at(stretch.start) is None


@given(assertions(), st.sampled_from(["x", "y"]))
@settings(max_examples=300)
@pytest.mark.requirement("law.6-undo")
def test_undoing_a_purge_restores_every_row_to_the_bit(said: list[Assertion], purged: str) -> None:
    stored, rows, ids = learned(said)

    def new_id() -> str:
        ids.append(f"c{len(ids) + 1}")
        return ids[-1]

    before = {row.id: row for row in rows.values()}
    settle([a for a in stored if a.origin != purged], rows, new_id)
    settle(stored, rows, new_id)
    assert {id: rows[id] for id in before} == before
    assert not [row for row in rows.values() if row.id not in before and row.is_shown]


@given(assertions())
@settings(max_examples=300)
@pytest.mark.requirement("law.2-order-free")
def test_the_timeline_depends_on_the_set_alone_where_starts_are_distinct(said: list[Assertion]) -> None:
    distinct = list({a.start: a for a in said}.values())
    told = [replace(a, order=i) for i, a in enumerate(sorted(distinct, key=lambda a: a.source_event), 1)]
    # An end learned last of the same value and start cannot occur: the starts are distinct.
    backwards = [replace(a, order=len(told) - i) for i, a in enumerate(told)]
    forward, backward = timeline(told), timeline(backwards)
    bounds = sorted({*INSTANTS})
    for instant in bounds:
        one, other = forward.at(instant), backward.at(instant)
        assert (one and (one.assertion.value, one.assertion.trust)) == (
            other and (other.assertion.value, other.assertion.trust)
        )
