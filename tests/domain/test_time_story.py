"""Facts over time, case by case: the table of the design as examples, through the public engine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import karte
from karte.config import AuthoritySettings, Config
from tests.conftest import FakeClock
from tests.domain.story import AGENT, Teller, check_chain, day, when


@pytest.fixture
def story(db_path: Path, clock: FakeClock) -> Iterator[Teller]:
    teller = Teller(db_path, clock)
    yield teller
    teller.engine.close()


# ------------------------------------------------------------------------------------------------------ later, earlier


@pytest.mark.requirement("timeline.later-start", "stamp.cut-by-row")
def test_a_later_start_ends_the_earlier_fact_at_that_start_and_chains_the_two(story: Teller) -> None:
    story.tell("red", "2026-01-01")
    outcome = story.tell("blue", "2026-03-01")
    red, blue = story.history()
    assert story.line() == [("red", "2026-01-01", "2026-03-01"), ("blue", "2026-03-01", None)]
    assert (red.superseded_by, blue.supersedes) == (blue.id, red.id)
    assert (red.invalidated_by_event, red.invalidated_at) == ("e2", blue.ingested_at)
    assert (outcome.status, outcome.id, outcome.is_current) == ("stored", blue.id, True)
    assert list(outcome.superseded) == [red.id]


@pytest.mark.requirement("timeline.back-dated")
def test_an_earlier_start_is_a_stretch_of_history_and_leaves_the_current_fact_as_it_was(story: Teller) -> None:
    story.tell("red", "2026-03-01", origin="import:x")
    (before,) = story.history()
    outcome = story.tell("blue", "2026-01-01", origin="user_direct")
    blue, red = story.history()
    assert story.line() == [("blue", "2026-01-01", "2026-03-01"), ("red", "2026-03-01", None)]
    assert (red.id, red.valid_from, red.valid_until, red.origin, red.origin_trust) == (
        before.id,
        before.valid_from,
        before.valid_until,
        before.origin,
        before.origin_trust,
    )
    assert red.supersedes == blue.id
    assert blue.superseded_by == red.id
    assert not outcome.is_current
    assert outcome.holds_now is not None
    assert outcome.holds_now.id == red.id


@pytest.mark.requirement("timeline.back-dated")
def test_an_older_stretch_that_ran_across_a_back_dated_start_is_cut_there(story: Teller) -> None:
    story.tell("red", "2026-01-01")
    story.tell("green", "2026-05-01")
    story.tell("blue", "2026-03-01")
    assert story.line() == [
        ("red", "2026-01-01", "2026-03-01"),
        ("blue", "2026-03-01", "2026-05-01"),
        ("green", "2026-05-01", None),
    ]
    check_chain(story.history())


@pytest.mark.requirement("timeline.same-start-correction", "law.3-nothing-lost")
def test_another_value_of_the_same_start_is_a_correction_and_the_corrected_row_stays_empty(story: Teller) -> None:
    story.tell("red", "2026-01-01")
    story.tell("blue", "2026-01-01")
    assert story.line() == [("red", "2026-01-01", "2026-01-01"), ("blue", "2026-01-01", None)]
    check_chain(story.history())
    assert story.at("2026-01-01") == "blue"
    assert story.at("2025-12-31") is None


@pytest.mark.requirement("timeline.a-b-a")
def test_a_value_that_comes_back_is_a_third_stretch(story: Teller) -> None:
    for value, start in (("red", "2026-01-01"), ("blue", "2026-02-01"), ("red", "2026-03-01")):
        assert story.tell(value, start).status == "stored"
    assert story.line() == [
        ("red", "2026-01-01", "2026-02-01"),
        ("blue", "2026-02-01", "2026-03-01"),
        ("red", "2026-03-01", None),
    ]


# ----------------------------------------------------------------------------------------------------------- bounded


@pytest.mark.requirement("timeline.bounded-inside-longer", "timeline.continuation-follows-original", "stamp.cleared")
def test_a_bounded_fact_inside_a_longer_one_leaves_it_holding_before_and_after(story: Teller) -> None:
    story.tell("red", "2026-01-01", confidence=0.8, origin="import:x")
    story.tell("blue", "2026-02-01T00:00:00Z", "2026-03-01T00:00:00Z")
    red, blue, tail = story.history()
    assert story.line() == [
        ("red", "2026-01-01", "2026-02-01"),
        ("blue", "2026-02-01", "2026-03-01"),
        ("red", "2026-03-01", None),
    ]
    assert tail.metadata["continues"] == red.id
    assert (tail.ingested_at, tail.origin, tail.confidence) == (red.ingested_at, "import:x", 0.8)
    assert red.superseded_by == blue.id
    assert blue.superseded_by is None, "it ends as asserted"
    assert (blue.invalidated_by_event, blue.invalidated_at) == (None, None)
    check_chain(story.history())


@pytest.mark.requirement("timeline.continuation-follows-original", "read.by-id-says-now")
def test_a_continuation_row_lives_and_dies_with_its_original(story: Teller) -> None:
    first = story.tell("red", "2026-01-01")
    story.tell("blue", "2026-02-01", "2026-02-28")
    tail = story.history()[-1]
    read = story.engine.get_by_id(AGENT, str(first.id))
    assert read is not None
    assert (read.continued_by, read.is_current) == (tail.id, False)
    assert read.holds_now is not None
    assert read.holds_now.id == tail.id
    story.engine.retract(AGENT, str(first.id))
    assert story.line() == [("blue", "2026-02-01", "2026-03-01")]
    assert story.at() is None


@pytest.mark.requirement("timeline.continuation-follows-original")
def test_forgetting_a_continuation_forgets_the_whole_assertion(story: Teller) -> None:
    story.tell("red", "2026-01-01")
    story.tell("blue", "2026-02-01", "2026-02-28")
    tail = story.history()[-1].id
    story.engine.forget(AGENT, tail)
    assert story.line() == [("blue", "2026-02-01", "2026-03-01")]
    story.engine.restore(AGENT, tail)
    assert [story.at(moment) for moment in ("2026-01-15", "2026-02-15", "2026-03-15")] == ["red", "blue", "red"]


@pytest.mark.requirement("timeline.end-said-for-value")
def test_a_said_end_lets_what_lies_under_it_show_again_and_an_open_restatement_does_not_lift_it(story: Teller) -> None:
    story.tell("red", "2026-01-01")
    story.tell("blue", "2026-02-01T00:00:00Z", "2026-03-01T00:00:00Z")
    story.tell("blue", "2026-02-15")
    assert [story.at(moment) for moment in ("2026-02-20", "2026-03-01")] == ["blue", "red"]
    story.tell("blue", "2026-02-01T00:00:00Z", "2026-04-01T00:00:00Z")
    assert [story.at(moment) for moment in ("2026-03-20", "2026-04-01")] == ["blue", "red"]


@pytest.mark.requirement("timeline.end-said-for-value")
def test_an_open_fact_ends_with_the_first_end_said_for_its_value(story: Teller) -> None:
    story.tell("red", "2026-01-01")
    story.tell("red", "2026-02-01", "2026-03")
    assert [story.at(moment) for moment in ("2026-03-31", "2026-04-01")] == ["red", None]
    assert story.at() is None


# ------------------------------------------------------------------------------------------------------------ future


@pytest.mark.requirement("timeline.future-start")
def test_a_start_in_the_future_leaves_todays_fact_current_until_then(story: Teller) -> None:
    story.tell("red", "2026-01-01")
    outcome = story.tell("blue", "2026-08-01")
    assert not outcome.is_current
    assert outcome.holds_now is not None
    assert (story.at(), story.listed(), story.found("owner")) == ("red", ["red"], ["red"])
    assert [row.is_current for row in story.history()] == [True, False]
    story.clock.set("2026-08-01")
    assert (story.at(), story.listed(), story.found("owner")) == ("blue", ["blue"], ["blue"])
    assert [row.is_current for row in story.history()] == [False, True]


# ------------------------------------------------------------------------------------------------------- reaffirmation


@pytest.mark.requirement("timeline.reaffirmed")
def test_saying_what_already_stands_reaffirms_it_without_a_new_row(story: Teller) -> None:
    first = story.tell("red", "2026-01-01", origin="import:x")
    outcome = story.tell("red", "2026-03-01", origin="channel:y")
    assert (outcome.status, outcome.id) == ("reaffirmed", first.id)
    (row,) = story.history()
    assert day(row.valid_from) == "2026-01-01"
    assert row.reaffirmed_by == ("e2",)
    (mark,) = row.metadata["reaffirmed_by"]
    assert (mark["source_event"], mark["origin"]) == ("e2", "channel:y")
    assert when(mark["at"]) <= story.clock.now
    assert row.access_count == 1


@pytest.mark.requirement("timeline.reaffirmed")
def test_reaffirmed_by_shows_the_newest_twenty(story: Teller) -> None:
    for _ in range(25):
        story.tell("red", "2026-01-01")
    (row,) = story.history()
    assert set(row.reaffirmed_by) == {f"e{number}" for number in range(6, 26)}
    assert row.access_count == 24


@pytest.mark.requirement("timeline.more-trusted-observer", "timeline.most-trusted-believed")
def test_a_more_trusted_observer_continues_the_stretch_under_its_own_origin(story: Teller) -> None:
    story.tell("red", "2026-01-01", origin="channel:y")
    story.tell("red", "2026-03-01", origin="user_direct")
    assert story.line() == [("red", "2026-01-01", "2026-03-01"), ("red", "2026-03-01", None)]
    assert [(row.origin, row.origin_trust) for row in story.history()] == [("channel:y", 0.3), ("user_direct", 1.0)]
    check_chain(story.history())


@pytest.mark.requirement("timeline.earlier-observation")
def test_a_value_between_two_observations_of_another_splits_the_stretch(story: Teller) -> None:
    later = story.tell("red", "2026-05-01")
    story.tell("red", "2026-01-01")
    assert [story.at(moment) for moment in ("2026-01-01", "2026-03-15", "2026-05-15")] == ["red"] * 3
    story.tell("blue", "2026-03-01")
    assert story.line() == [
        ("red", "2026-01-01", "2026-03-01"),
        ("blue", "2026-03-01", "2026-05-01"),
        ("red", "2026-05-01", None),
    ]
    assert story.history()[-1].id == later.id


@pytest.mark.requirement("timeline.exact-repeat")
def test_an_import_can_be_repeated_and_changes_nothing(story: Teller) -> None:
    said = [
        story.item("red", "2026-01-01", origin="import:x"),
        story.item("blue", "2026-02-01", "2026-03-01", origin="import:x"),
        story.item("red", "2026-02-15", origin="import:x"),
    ]
    story.engine.store_many(said)
    before = story.history()
    story.clock.advance(days=1)
    story.engine.store_many(said)
    assert story.history() == before
    other = story.item("red", "2026-01-01", origin="import:x", source_event="another event")
    assert story.engine.store_temporal(*other).status == "reaffirmed"
    assert "another event" in story.history()[0].reaffirmed_by


@pytest.mark.requirement("timeline.confidence")
def test_confidence_grows_with_each_further_corroborating_class_up_to_one(story: Teller) -> None:
    def confidence() -> float:
        (row,) = story.history()
        return row.confidence

    story.tell("red", "2026-01-01", origin="user_direct", confidence=0.75)
    assert confidence() == pytest.approx(0.75)
    for origin, expected in (
        ("import:x", 0.85),
        ("import:other", 0.85),
        ("agent_derived", 0.85),
        ("tool_echo", 0.85),
        ("channel:y", 0.95),
        ("unattributed", 1.0),
        ("mcp_external", 1.0),
    ):
        story.tell("red", "2026-02-01", origin=origin, confidence=0.1)
        assert confidence() == pytest.approx(expected), origin


@pytest.mark.requirement("timeline.confidence", "timeline.cut-yields")
def test_what_is_derived_from_a_row_confirms_nothing_and_is_cut_with_it(story: Teller) -> None:
    first = story.tell("red", "2026-01-01", origin="import:x", confidence=0.5)
    story.tell("red", "2026-02-01", origin="unattributed", derived_from=[first.id])
    assert [row.confidence for row in story.history()] == [0.5]
    story.tell("blue", "2025-01-01", origin="import:x")
    story.engine.retract(AGENT, str(first.id))
    assert story.at("2026-03-01") == "blue", "the echo yields to whatever else covers"


# --------------------------------------------------------------------------------------------------------------- ends


@pytest.mark.requirement("timeline.end-fact", "stamp.closed-by-end")
def test_an_end_leaves_nothing_until_the_next_start_and_brings_no_earlier_value_back(story: Teller) -> None:
    story.tell("red", "2026-01-01")
    story.tell("blue", "2026-02-01", "2026-12-31")
    outcome = story.end("2026-03-01", "the end")
    assert outcome.holds_now is None
    _red, blue = story.history()
    assert blue.id in outcome.ended
    assert [story.at(moment) for moment in ("2026-02-15", "2026-03-01", "2027-06-01")] == ["blue", None, None]
    assert (blue.superseded_by, blue.invalidated_by_event) == (None, "the end")
    assert blue.invalidated_at == story.clock.now
    story.tell("green", "2026-05-01")
    _red, blue, green = story.history()
    assert story.line()[1:] == [("blue", "2026-02-01", "2026-03-01"), ("green", "2026-05-01", None)]
    assert green.supersedes == blue.id, "a later value is linked across the gap"
    assert (blue.invalidated_by_event, blue.valid_until) == ("the end", when("2026-03-01"))
    assert story.at("2026-04-01") is None


@pytest.mark.requirement("timeline.end-fact")
def test_an_end_without_an_instant_is_now(story: Teller) -> None:
    story.tell("red", "2026-01-01")
    story.end()
    assert story.at() is None
    assert story.history()[0].valid_until == story.clock.now
    assert (story.listed(), story.found("owner")) == ([], [])


@pytest.mark.requirement("timeline.end-where-nothing-stands", "law.9-failed-write")
def test_an_end_where_no_value_stands_is_refused_and_names_the_nearest_stretch(story: Teller) -> None:
    story.tell("red", "2026-02-01", "2026-03-31")
    before = story.history()
    for at, nearest in (("2026-01-01", "2026-02-01"), ("2026-05-01", "2026-04-01")):
        with pytest.raises(karte.KarteError, match=nearest):
            story.end(at)
    with pytest.raises(karte.KarteError):
        story.engine.end_fact(AGENT, "nobody", "owner")
    assert story.history() == before


@pytest.mark.requirement("timeline.end-with-object", "timeline.end-said-for-value")
def test_an_end_with_an_object_ends_that_value_and_lets_what_lies_under_it_show_again(story: Teller) -> None:
    story.tell("red", "2026-01-01")
    story.tell("blue", "2026-02-01")
    story.end("2026-03-01", object="blue")
    assert [story.at(moment) for moment in ("2026-02-15", "2026-03-01")] == ["blue", "red"]
    story.tell("blue", "2026-02-15")
    assert story.at("2026-03-01") == "red", "an open restatement does not lift it"
    story.tell("blue", "2026-04-01")
    assert story.at("2026-04-01") == "blue"


@pytest.mark.requirement("timeline.curated-protected", "timeline.end-fact")
def test_an_unverified_end_does_not_end_a_curated_fact(story: Teller) -> None:
    story.tell("red", "2026-01-01", origin="user_direct")
    story.end("2026-03-01", origin="channel:y")
    assert story.at("2026-04-01") == "red"
    story.end("2026-04-01", origin="agent_derived")
    assert [story.at(moment) for moment in ("2026-03-15", "2026-04-01")] == ["red", None]


@pytest.mark.requirement("timeline.expire-by-subject")
def test_expiring_a_subject_ends_its_current_facts_and_leaves_planned_ones(story: Teller) -> None:
    story.tell("red", "2026-01-01")
    story.tell("green", "2026-09-01")
    story.tell("Kyoto", "2026-01-01", predicate="region")
    story.tell("gone", "2025-01-01", "2025-12-31", predicate="budget")
    story.tell("other", "2026-01-01", subject="service two")
    assert story.engine.expire_by_subject(AGENT, "Service ") == 2
    assert (story.at(), story.at(None, "service", "region")) == (None, None)
    assert story.at("2026-09-01") == "green"
    assert story.at(None, "service two") == "other"
    assert story.engine.expire_by_subject(AGENT, "service") == 0


# -------------------------------------------------------------------------------------------------- taking back


@pytest.mark.requirement("timeline.retract", "stamp.cleared", "belief.retracted-marked")
def test_what_a_retracted_assertion_displaced_returns_and_its_stamps_are_cleared(story: Teller) -> None:
    story.tell("red", "2026-01-01")
    wrong = story.tell("blue", "2026-03-01")
    outcome = story.engine.retract(AGENT, str(wrong.id), event="a mistake")
    assert outcome.holds_now is not None
    (red,) = story.live()
    assert outcome.holds_now.id == red.id
    assert (red.object, red.valid_until, red.superseded_by) == ("red", None, None)
    assert (red.invalidated_by_event, red.invalidated_at) == (None, None)
    (blue,) = [row for row in story.history() if row.object == "blue"]
    assert (blue.state, blue.is_current) == ("retracted", False)
    assert (story.listed(), story.found("owner")) == (["red"], ["red"])


@pytest.mark.requirement("timeline.retract")
def test_other_observations_of_a_retracted_row_stand_from_their_own_start(story: Teller) -> None:
    first = story.tell("red", "2026-01-01", origin="import:x")
    story.tell("red", "2026-03-01", origin="agent_derived")
    story.engine.retract(AGENT, str(first.id))
    assert story.line() == [("red", "2026-03-01", None)]
    (row,) = story.live()
    assert (row.origin, row.origin_trust) == ("agent_derived", 0.6)


@pytest.mark.requirement("timeline.cut-yields", "trust.derivation")
def test_what_is_derived_over_any_steps_from_a_retracted_row_is_cut(story: Teller) -> None:
    source = story.tell("rumour", "2026-01-01", subject="source")
    step = story.tell("step", "2026-01-01", subject="step", derived_from=[source.id])
    story.tell("red", "2026-01-01", origin="import:x")
    story.tell("blue", "2026-03-01", derived_from=[step.id])
    assert story.at() == "blue"
    story.engine.retract(AGENT, str(source.id))
    assert story.at() == "red"
    assert story.at(None, "step") == "step", "nothing else covers, so it stands, for what it is worth"
    (row,) = story.live("step")
    assert row.origin_trust <= 0.1


@pytest.mark.requirement("plain.forget-restore", "timeline.retract")
def test_a_forgotten_fact_gives_way_and_comes_back_when_restored(story: Teller) -> None:
    story.tell("red", "2026-01-01")
    blue = story.tell("blue", "2026-03-01")
    before = story.history()
    assert story.engine.forget(AGENT, str(blue.id), reason="tidying")
    assert (story.at(), story.listed(), story.found("owner")) == ("red", ["red"], ["red"])
    assert story.engine.restore(AGENT, str(blue.id))
    after = story.history()
    assert [(row.id, row.valid_from, row.valid_until, row.superseded_by) for row in after] == [
        (row.id, row.valid_from, row.valid_until, row.superseded_by) for row in before
    ]


# ---------------------------------------------------------------------------------------------------- protection


@pytest.mark.requirement("timeline.curated-protected", "write.outcome-says-what-holds")
def test_an_unverified_claim_against_the_curated_word_is_kept_but_outvoted(story: Teller) -> None:
    curated = story.tell("red", "2026-01-01", "2026-07-31", origin="user_direct")
    outcome = story.tell("blue", "2026-03-01", origin="channel:y")
    assert (outcome.status, outcome.is_current) == ("stored", False)
    assert outcome.holds_now is not None
    assert outcome.holds_now.id == curated.id
    assert [story.at(moment) for moment in ("2026-06-01", "2026-08-01")] == ["red", "blue"]
    assert story.listed() == ["red"]
    found = story.engine.get_at(AGENT, "service", "owner")
    assert found is not None
    assert found.contested


@pytest.mark.requirement("timeline.curated-protected")
def test_a_curated_fact_learned_late_outvotes_what_unverified_sources_said_before(story: Teller) -> None:
    story.tell("blue", "2026-03-01", origin="channel:y")
    story.tell("red", "2026-01-01", origin="operator")
    assert [story.at(moment) for moment in ("2026-02-01", "2026-04-01")] == ["red", "red"]


@pytest.mark.requirement("timeline.curated-protected")
def test_a_verified_source_may_follow_the_curated_word(story: Teller) -> None:
    story.tell("red", "2026-01-01", origin="user_direct")
    story.tell("blue", "2026-03-01", origin="agent_derived")
    assert story.at("2026-04-01") == "blue"


@pytest.mark.requirement("timeline.curated-protected")
def test_with_the_protection_switched_off_the_latest_start_decides_whoever_wrote_it(
    tmp_path: Path, clock: FakeClock
) -> None:
    config = Config(authority=AuthoritySettings(protect_curated=False))
    story = Teller(tmp_path / "unprotected.db", clock, config)
    story.tell("red", "2026-01-01", origin="user_direct")
    outcome = story.tell("blue", "2026-03-01", origin="channel:y")
    assert (outcome.is_current, story.at()) == (True, "blue")
    assert not any(row.contested for row in story.history())
    story.engine.close()


@pytest.mark.requirement("timeline.ends-bind-by-standing")
def test_an_unverified_end_of_the_same_value_does_not_bind_the_curated_word(story: Teller) -> None:
    story.tell("red", "2026-01-01", origin="user_direct")
    story.tell("red", "2026-02-01", "2026-03-31", origin="channel:y")
    assert story.at("2026-05-01") == "red"
    story.tell("red", "2026-02-01", "2026-04-30", origin="import:x")
    assert [story.at(moment) for moment in ("2026-04-30", "2026-05-01")] == ["red", None]


# ------------------------------------------------------------------------------------------------------- belief time


@pytest.mark.requirement("belief.both-axes", "belief.known-at-every-read", "law.4-known-at")
def test_both_axes_say_what_we_believed_then_about_another_day(story: Teller) -> None:
    story.clock.set("2026-02-01")
    story.tell("red", "2026-01-01")
    story.clock.set("2026-03-10")
    story.tell("blue", "2026-01-10")
    assert story.at("2026-01-15") == "blue"
    assert story.at("2026-01-15", known_at="2026-03-01") == "red"
    assert story.at("2026-01-05", known_at="2026-03-01") == "red"
    assert story.at("2026-01-15", known_at="2026-01-31") is None
    assert story.line(known_at="2026-03-01") == [("red", "2026-01-01", None)]
    assert story.found("owner", valid_at="2026-01-15", known_at="2026-03-01") == ["red"]
    assert story.found("owner", valid_at="2026-01-05") == ["red"]
    assert story.listed(valid_at="2026-01-15", known_at="2026-03-09") == ["red"]
    assert story.listed(valid_at="2026-01-15", known_at="2026-03-10") == ["blue"], "a day means its end"


@pytest.mark.requirement("belief.retracted-marked", "law.4-known-at")
def test_what_is_retracted_today_is_still_what_was_believed_and_is_marked(story: Teller) -> None:
    story.clock.set("2026-02-01")
    story.tell("red", "2026-01-01")
    story.clock.set("2026-03-01")
    wrong = story.tell("blue", "2026-02-01")
    story.clock.set("2026-04-01")
    story.engine.retract(AGENT, str(wrong.id))
    assert story.at("2026-02-15") == "red"
    believed = story.engine.get_at(AGENT, "service", "owner", "2026-02-15", known_at="2026-03-15")
    assert believed is not None
    assert (believed.object, believed.valid_until, believed.state) == ("blue", None, "retracted")


@pytest.mark.requirement("belief.instant-monotonic", "process.clock-steps-back", "file.order-of-learning-counter")
def test_a_clock_that_stands_still_or_steps_back_keeps_the_order_of_learning(story: Teller) -> None:
    for number, step in enumerate((0, -3600, 0, -7200)):
        story.clock.advance(seconds=step)
        story.engine.store_temporal(*story.item(f"v{number}"))
    rows = story.history()
    assert [row.object for row in rows] == ["v0", "v1", "v2", "v3"]
    learned = [row.ingested_at for row in rows if row.ingested_at is not None]
    assert learned == sorted(set(learned))
    assert [row.valid_from for row in rows] == learned, "a default start is the belief instant"
    assert [row.is_current for row in rows] == [False, False, False, True]
    assert story.at() == "v3"
    for number, instant in enumerate(learned):
        assert story.at(instant, known_at=instant) == f"v{number}"


# ----------------------------------------------------------------------------------------------- many values, aliases


@pytest.mark.requirement("identity.many-valued", "read.get-at-many")
def test_of_a_predicate_declared_many_each_object_has_its_own_timeline(story: Teller) -> None:
    story.engine.declare_predicate(AGENT, "knows", "many")
    story.tell("Ben", "2026-01-01", subject="dana", predicate="knows")
    story.tell("Cho", "2026-02-01", subject="dana", predicate="knows")
    both = story.engine.get_all_at(AGENT, "dana", "knows", "2026-03-01")
    assert sorted(str(row.object) for row in both) == ["Ben", "Cho"]
    with pytest.raises(karte.AmbiguousValue):
        story.at("2026-03-01", "dana", "knows")
    assert story.at("2026-01-15", "dana", "knows") == "Ben"
    assert story.at("2026-03-01", "dana", "knows", object="cho") == "Cho"
    story.engine.end_fact(AGENT, "dana", "knows", "2026-04-01", object="Ben")
    assert story.at("2026-05-01", "dana", "knows") == "Cho"
    assert story.line("dana", "knows", object="Ben") == [("Ben", "2026-01-01", "2026-04-01")]


@pytest.mark.requirement("identity.many-valued")
def test_a_many_valued_fact_without_object_counts_by_its_content(story: Teller) -> None:
    story.engine.declare_predicate(AGENT, "likes", "many")
    for content in ("dana likes tea", "dana likes rain", "dana  likes tea"):
        story.clock.advance(seconds=1)
        story.engine.store_temporal(
            karte.MemoryEntry(content=content, agent_id=AGENT), karte.TemporalMeta(subject="dana", predicate="likes")
        )
    held = story.engine.get_all_at(AGENT, "dana", "likes")
    assert sorted(row.content for row in held) == ["dana likes rain", "dana likes tea"]


@pytest.mark.requirement("identity.declaration-settles")
def test_declaring_a_predicate_many_brings_back_what_it_had_displaced(story: Teller) -> None:
    story.tell("Ben", "2026-01-01", subject="dana", predicate="knows")
    story.tell("Cho", "2026-02-01", subject="dana", predicate="knows")
    before = story.history("dana", "knows")
    assert story.engine.declare_predicate(AGENT, "knows", "many", dry_run=True) == 1
    assert story.history("dana", "knows") == before
    assert story.engine.declare_predicate(AGENT, "knows", "many") == 1
    assert len(story.engine.get_all_at(AGENT, "dana", "knows")) == 2
    assert story.engine.list_predicates(AGENT) == {"knows": "many"}
    story.engine.declare_predicate(AGENT, "knows", "one")
    assert story.at(None, "dana", "knows") == "Cho"


@pytest.mark.requirement("identity.aliases", "identity.aliases-replan", "law.4-known-at")
def test_an_alias_makes_two_names_one_and_removing_it_parts_them(story: Teller) -> None:
    story.clock.set("2026-03-01")
    story.tell("red", "2026-01-01", subject="Project Atlas")
    story.tell("blue", "2026-02-01", subject="PA")
    story.clock.set("2026-04-01")
    assert story.engine.add_alias(AGENT, "Project Atlas", "PA", dry_run=True) == 1
    assert story.engine.add_alias(AGENT, "Project Atlas", "PA") == 1
    for name in ("project atlas", "ＰＡ", " pa "):
        assert story.line(name) == [("red", "2026-01-01", "2026-02-01"), ("blue", "2026-02-01", None)]
    assert [row.subject for row in story.history("PA")] == ["Project Atlas", "PA"], "the caller's spelling is shown"
    assert story.at(None, "Project Atlas") == "blue"
    assert story.at("2026-03-01", "Project Atlas", known_at="2026-03-15") == "red"
    story.clock.set("2026-05-01")
    story.engine.remove_alias(AGENT, "PA")
    assert story.line("Project Atlas") == [("red", "2026-01-01", None)]
    assert story.line("PA") == [("blue", "2026-02-01", None)]
    assert story.at(None, "Project Atlas", known_at="2026-04-15") == "blue"


@pytest.mark.requirement("identity.aliases")
def test_aliases_are_flattened_both_ways_and_cycles_are_refused(story: Teller) -> None:
    story.tell("red", "2026-01-01", subject="c")
    story.engine.add_alias(AGENT, "b", "c")
    story.engine.add_alias(AGENT, "a", "b")
    story.engine.add_alias(AGENT, "b", "d")
    assert {(one.canonical, one.alias) for one in story.engine.list_aliases(AGENT)} == {
        ("a", "b"),
        ("a", "c"),
        ("a", "d"),
    }
    assert [story.at(None, name) for name in "abcd"] == ["red"] * 4
    with pytest.raises(karte.AliasCycle):
        story.engine.add_alias(AGENT, "c", "a")


@pytest.mark.requirement("identity.equal-values")
def test_values_are_equal_through_form_white_space_and_object_aliases_but_not_through_case(story: Teller) -> None:
    def say(object_: str, content: str = "the team") -> str:
        story.clock.advance(seconds=1)
        outcome = story.engine.store_temporal(
            karte.MemoryEntry(content=content, agent_id=AGENT),
            karte.TemporalMeta(subject="service", predicate="owner", object=object_),
        )
        return outcome.status

    story.engine.add_alias(AGENT, "team red", "the reds")
    assert say("team red") == "stored"
    assert say("ｔｅａｍ\u00a0 red", " the\u3000team") == "reaffirmed"
    assert say("The Reds") == "reaffirmed"
    assert say("the reds", "The team") == "stored"
    assert say("Blue") == "stored"
    assert say("blue") == "stored"


# ------------------------------------------------------------------------------------------------------------ batches


@pytest.mark.requirement("write.many-per-item", "text.surrogates-and-nul", "timeline.same-start-correction")
def test_a_batch_keeps_its_order_and_refuses_bad_items_by_themselves(story: Teller) -> None:
    good, bad, inverted = story.item("red", "2026-01-01"), story.item("\ud83d"), story.item("x", "2026-02", "2026-01")
    outcomes = story.engine.store_many([good, bad, story.item("blue", "2026-01-01"), inverted])
    assert [outcome.status for outcome in outcomes] == ["stored", "refused", "stored", "refused"]
    assert outcomes[1].error is not None
    assert isinstance(outcomes[3].error, karte.InvalidInterval)
    assert story.line() == [("red", "2026-01-01", "2026-01-01"), ("blue", "2026-01-01", None)]
    assert len({row.ingested_at for row in story.history()}) == 1, "one transaction has one belief instant"
