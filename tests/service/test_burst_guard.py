"""The burst guard: whose writes are counted together, and what a burst holds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import karte
from tests.conftest import FakeClock
from tests.service.saying import AGENT, CHANNEL, burst, fact, opened, say, value

UNCOUNTED = ("unattributed", "agent_derived", "import:notes", "user_direct", "user_profile", "operator", "strange:x")


@pytest.fixture
def engine(db_path: Path, clock: FakeClock) -> Iterator[karte.SqliteMemoryEngine]:
    with karte.SqliteMemoryEngine(db_path, clock=clock) as opened_:
        yield opened_


def statuses(
    engine: karte.MemoryEngine, count: int, clock: FakeClock, *, seconds: float = 1, **how: object
) -> list[str]:
    """What becomes of several facts, one after another."""
    found: list[str] = []
    for number in range(count):
        clock.advance(seconds=seconds)
        found.append(say(engine, f"place {number}", **how).status)
    return found


def held_together(engine: karte.MemoryEngine) -> list[int]:
    """How many items each open request has."""
    return [len(request.items) for request in engine.approvals(AGENT).items]


@pytest.mark.requirement("guard.burst", "guard.earlier-drops")
@pytest.mark.parametrize("origin", [CHANNEL, "mcp_external", "tool_echo"])
def test_the_fifth_fact_within_the_hour_holds_the_four_before_it_in_the_same_request(
    engine: karte.MemoryEngine, clock: FakeClock, origin: str
) -> None:
    assert statuses(engine, 4, clock, origin=origin) == ["stored"] * 4
    assert value(engine) == "place 3"
    assert statuses(engine, 1, clock, origin=origin) == ["held"]
    assert held_together(engine) == [5]
    assert value(engine) is None
    assert engine.list_recent(AGENT).items == ()


@pytest.mark.requirement("guard.burst")
def test_what_is_held_after_it_stood_in_a_timeline_names_no_row_of_it(engine: karte.MemoryEngine) -> None:
    first = say(engine, "Rome", origin="user:ada", valid_from="2026-01").id
    second = say(engine, "Paris", origin="user:ada", valid_from="2026-05").id
    assert first is not None
    assert second is not None
    taken = say(engine, "Oslo", valid_from="2026-03").id
    linked = next(row for row in engine.get_history(AGENT, "Ada", "lives in") if row.id == taken)
    assert (linked.supersedes, linked.superseded_by) == (first, second)
    for number in range(4):
        say(engine, f"place {number}", valid_from="2026-04")
    rows = engine.get_history(AGENT, "Ada", "lives in", include_quarantined=True)
    (held,) = [row for row in rows if row.id == taken]
    assert (held.state, held.supersedes, held.superseded_by) == ("quarantined", None, None)
    engine.forget(AGENT, first)
    engine.forget(AGENT, second)
    assert engine.doctor().is_healthy


@pytest.mark.requirement("guard.burst")
def test_a_batch_of_five_is_held_whole_and_one_of_four_is_not(engine: karte.MemoryEngine) -> None:
    four = engine.store_many([fact(f"place {n}", subject="Grace") for n in range(4)])
    assert [outcome.status for outcome in four] == ["stored"] * 4
    outcomes = burst(engine)
    assert len({outcome.approval_id for outcome in outcomes}) == 1
    assert held_together(engine) == [5]


@pytest.mark.requirement("guard.burst", "guard.earlier-drops")
def test_a_batch_that_reaches_the_limit_with_what_came_before_takes_that_along(engine: karte.MemoryEngine) -> None:
    for n in range(3):
        say(engine, f"place {n}")
    outcomes = engine.store_many([fact("Rome"), fact("Oslo"), fact("Rome", subject="Grace")])
    assert [outcome.status for outcome in outcomes] == ["held", "held", "stored"]
    assert held_together(engine) == [5]


@pytest.mark.requirement("guard.not-counted")
@pytest.mark.parametrize("origin", UNCOUNTED)
def test_programs_persons_imports_and_agents_are_never_held(
    engine: karte.MemoryEngine, clock: FakeClock, origin: str
) -> None:
    assert set(statuses(engine, 12, clock, origin=origin)) == {"stored"}
    outcomes = engine.store_many([fact(f"town {n}", origin=origin) for n in range(20)])
    assert {outcome.status for outcome in outcomes} == {"stored"}


@pytest.mark.requirement("guard.key")
def test_other_origins_and_subjects_and_agents_are_counted_apart(engine: karte.MemoryEngine, clock: FakeClock) -> None:
    for who in ("channel:telegram:1", "channel:telegram:2", "channel:telegram", "mcp_external"):
        assert statuses(engine, 2, clock, origin=who) == ["stored"] * 2
        assert statuses(engine, 2, clock, origin=who, subject="Grace") == ["stored"] * 2
    for agent in ("a", "b"):
        for n in range(2):
            entry, meta = fact(f"place {n}")
            other = karte.MemoryEntry(content=entry.content, agent_id=agent)
            assert engine.store_temporal(other, meta).status == "stored"


@pytest.mark.requirement("guard.key")
def test_spellings_and_aliases_of_a_subject_count_together(engine: karte.MemoryEngine) -> None:
    engine.add_alias(AGENT, "Ada", "Countess")
    names = ("Ada", " ADA ", "ＡＤＡ", "Countess")
    assert [say(engine, f"p{n}", subject=name).status for n, name in enumerate(names)] == ["stored"] * 4
    assert say(engine, "Rome", subject="countess").status == "held"
    assert held_together(engine) == [5]


@pytest.mark.requirement("guard.key")
def test_two_engines_on_one_file_count_together(db_path: Path, clock: FakeClock) -> None:
    with karte.SqliteMemoryEngine(db_path, clock=clock) as one, karte.SqliteMemoryEngine(db_path, clock=clock) as two:
        assert [say(each, f"p{n}").status for n, each in enumerate((one, two, one, two))] == ["stored"] * 4
        assert say(one, "Rome").status == "held"
        assert value(two) is None


@pytest.mark.requirement("guard.window")
def test_after_the_window_a_write_is_live_again(engine: karte.MemoryEngine, clock: FakeClock) -> None:
    burst(engine)
    clock.advance(seconds=3599)
    assert say(engine, "Oslo").status == "held"
    clock.advance(seconds=1)
    assert say(engine, "Rome").status == "stored"  # only the one a second ago stands in the window
    assert value(engine) == "Rome"


@pytest.mark.requirement("guard.window")
def test_the_window_slides(engine: karte.MemoryEngine, clock: FakeClock) -> None:
    assert set(statuses(engine, 30, clock, seconds=901)) == {"stored"}  # never more than four an hour


@pytest.mark.requirement("guard.window")
@pytest.mark.parametrize("back", [600, 7200, 86_400 * 400])
def test_a_clock_that_steps_back_neither_freezes_nor_empties_the_window(
    engine: karte.MemoryEngine, clock: FakeClock, back: float
) -> None:
    assert statuses(engine, 3, clock) == ["stored"] * 3
    clock.advance(seconds=-back)
    assert statuses(engine, 2, clock) == ["stored", "held"], "they count as made now"
    clock.advance(seconds=3601)
    assert say(engine, "Rome").status == "stored", "and they leave the window an hour later"


@pytest.mark.requirement("guard.repeats")
def test_repeated_identical_writes_do_not_count(engine: karte.MemoryEngine, clock: FakeClock) -> None:
    for _ in range(20):
        clock.advance(seconds=1)
        assert say(engine, "Rome", valid_from="2026-01-01", source_event="e").status == "reaffirmed" or _ == 0
    assert value(engine) == "Rome"
    same = [fact("Rome", valid_from="2026-01-01", source_event="e")] * 10
    assert {outcome.status for outcome in engine.store_many(same)} == {"reaffirmed"}
    assert statuses(engine, 3, clock) == ["stored"] * 3


@pytest.mark.requirement("guard.repeats")
def test_a_batch_that_says_the_same_over_and_over_is_one_write(engine: karte.MemoryEngine) -> None:
    same = [fact("Rome", valid_from="2026-01-01", source_event="e")] * 10
    assert [outcome.status for outcome in engine.store_many(same)] == ["stored", *["reaffirmed"] * 9]


@pytest.mark.requirement("guard.plain-limit")
def test_plain_memories_are_held_at_five_hundred_for_one_agent_and_origin(engine: karte.MemoryEngine) -> None:
    def note(n: int, agent: str = AGENT) -> tuple[karte.MemoryEntry, karte.TemporalMeta]:
        return karte.MemoryEntry(content=f"note {n}", agent_id=agent), karte.TemporalMeta(origin=CHANNEL)

    assert {o.status for o in engine.store_many([note(n) for n in range(499)])} == {"stored"}
    assert engine.store(*note(0, "another")).status == "stored"
    assert engine.store(*note(500)).status == "held"
    assert held_together(engine) == [500]
    assert engine.list_recent(AGENT).items == ()
    (request,) = engine.approvals(AGENT).items
    engine.decide(request.id, "approve")
    assert engine.list_recent(AGENT).total == 500


@pytest.mark.requirement("guard.switch")
def test_the_guard_can_be_set_and_switched_off(db_path: Path, clock: FakeClock) -> None:
    with opened(db_path, clock, enabled=False) as engine:
        assert set(statuses(engine, 9, clock)) == {"stored"}
    with opened(db_path, clock, max_per_subject=2, window_secs=10) as engine:
        assert statuses(engine, 3, clock, subject="Grace", seconds=11) == ["stored"] * 3
        assert statuses(engine, 2, clock, subject="Grace", seconds=1)[-1] == "held"


@pytest.mark.requirement("guard.earlier-drops")
def test_what_a_person_has_released_is_not_held_again_by_the_next_burst(
    engine: karte.MemoryEngine, clock: FakeClock
) -> None:
    (approval_id,) = {outcome.approval_id for outcome in burst(engine)}
    engine.decide(str(approval_id), "approve")
    assert value(engine) == "place 4"
    assert say(engine, "Rome").status == "held"
    assert value(engine) == "place 4"


@pytest.mark.requirement("guard.burst")
def test_ends_of_a_counted_origin_are_counted_and_held(engine: karte.MemoryEngine, clock: FakeClock) -> None:
    say(engine, "London", origin="agent_derived", valid_from="2020")
    statuses(engine, 4, clock)
    outcome = engine.end_fact(AGENT, "Ada", "lives in", origin=CHANNEL)
    assert (outcome.held, outcome.ended) == (True, ())
    assert outcome.approval_id == engine.approvals(AGENT).items[0].id
    assert value(engine) == "London"


# ------------------------------------------------------------------------------------------------- reserved subjects

OWNED = (
    "category:errors",
    "decision:db",
    "wiki:auto/ada",
    "Category: errors",
    "ｃａｔｅｇｏｒｙ：errors",
    "WIKI:AUTO/x",
)


@pytest.mark.requirement("guard.reserved")
@pytest.mark.parametrize("subject", [*OWNED, "user:ada", "ＵＳＥＲ：ada"])
def test_a_reserved_subject_is_held_from_an_unverified_source(engine: karte.MemoryEngine, subject: str) -> None:
    assert say(engine, "Rome", subject=subject).status == "held"


@pytest.mark.requirement("guard.reserved")
@pytest.mark.parametrize("origin", ["operator", "agent_derived", "unattributed", "import:x"])
def test_a_reserved_subject_is_refused_to_everybody_else_and_a_user_is_an_ordinary_one(
    engine: karte.MemoryEngine, origin: str
) -> None:
    for subject in OWNED:
        with pytest.raises(karte.ReservedName):
            say(engine, "Rome", subject=subject, origin=origin)
    assert say(engine, "Rome", subject="user:ada", origin=origin).status == "stored"


@pytest.mark.requirement("guard.reserved")
def test_a_subject_of_ours_is_nobody_s_other_name(engine: karte.MemoryEngine) -> None:
    """Or whoever names things would write, displace or hide what a part of Karte says."""
    for canonical, alias in (
        ("category:safety", "boss"),
        ("boss", "category:safety"),
        ("category:safety", "category:factual"),
        ("decision:a", "Decision : b"),
        ("ｗｉｋｉ:auto/x", "x"),
    ):
        with pytest.raises(karte.ReservedName) as refused:
            engine.add_alias(AGENT, canonical, alias)
        assert refused.value.field in ("canonical", "alias")
    assert engine.list_aliases(AGENT) == []
    engine.add_alias(AGENT, "user:ken", "Ken")
    with pytest.raises(karte.ReservedName):
        engine.declare_predicate(AGENT, "Requires_Care", "many")


@pytest.mark.requirement("guard.reserved")
def test_one_refused_item_of_many_undoes_nothing_of_the_others(engine: karte.MemoryEngine) -> None:
    outcomes = engine.store_many([fact("Rome", subject="category:x", origin="operator"), fact("Oslo")])
    assert [outcome.status for outcome in outcomes] == ["refused", "stored"]
    assert isinstance(outcomes[0].error, karte.ReservedName)
