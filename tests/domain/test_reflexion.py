"""Mistakes of one category become one rule: its text, its sources, its versions, its trust."""

from __future__ import annotations

from typing import Any

import pytest

from karte.domain.drafts import MAX_CONTENT
from karte.domain.lessons import (
    ROOM,
    SOURCES_KEY,
    RuleSources,
    Source,
    Wording,
    digest_of,
    read_sources,
    source_of,
    surviving,
    with_sources,
    within_room,
)
from karte.domain.mistakes import MistakeCategory, MistakeEntry, category_of
from karte.domain.reflexion import (
    AlreadySaid,
    Consolidation,
    ExtendRule,
    NewRule,
    NothingToDo,
    plan_consolidation,
    plan_restatement,
    subject_of,
    synthesize_rule,
)
from karte.domain.rule_text import LONGEST_RULE, MOST_SHOWN, text_of, wording_in
from karte.domain.rule_versions import RuleVersion, Soundness, soundness_of, standing_sources

CAPABILITY = MistakeCategory.CAPABILITY
HEAD = "Recurring capability issues consolidated from {} past mistakes. Apply extra care: "


def wrong(id: str, lesson: str, truth: str | None = None, **fields: Any) -> MistakeEntry:
    given = {"timestamp": "2026-05-01", "origin": "agent_derived", "category": CAPABILITY} | fields
    return MistakeEntry(id=id, what_went_wrong=f"wrong: {id}", corrective_insight=lesson, ground_truth=truth, **given)


def three(*lessons: str, prefix: str = "m", **fields: Any) -> list[MistakeEntry]:
    return [wrong(f"{prefix}{n}", lesson, **fields) for n, lesson in enumerate(lessons)]


def version(plan: Consolidation | None, id: str, **changes: Any) -> RuleVersion:
    assert isinstance(plan, NewRule | ExtendRule)
    row: dict[str, Any] = {"content": plan.content, "origin_trust": plan.origin_trust, "metadata": plan.metadata}
    return RuleVersion(id=id, **(row | changes))


# ------------------------------------------------------------------------------------------------------------ the text


@pytest.mark.requirement("reflexion.rule-text")
def test_the_text_says_how_many_and_every_lesson() -> None:
    mistakes = [
        wrong("a", "Convert times to UTC first", "14:00 UTC"),
        wrong("b", "  "),
        wrong("c", "follow\nnext_cursor to the end"),
    ]
    assert synthesize_rule(CAPABILITY, mistakes) == (
        HEAD.format(3)
        + "Convert times to UTC first (ground truth: 14:00 UTC) | wrong: b | follow next_cursor to the end"
    )


@pytest.mark.requirement("reflexion.rule-text")
def test_the_same_lesson_is_said_once_with_all_that_is_known_of_it() -> None:
    mistakes = [
        wrong("a", "Use the Ｃafé list", "12"),
        wrong("b", "use  the CAFÉ list", "13"),
        wrong("c", "USE THE CAFÉ LIST", " 12 "),
        wrong("d", "use the café list", "Use the café list"),
    ]
    assert synthesize_rule(CAPABILITY, mistakes) == HEAD.format(4) + "Use the Ｃafé list (ground truth: 12; 13)"


@pytest.mark.requirement("reflexion.rule-text")
def test_lessons_that_share_a_term_stand_beside_each_other() -> None:
    lessons = [
        "convert time zones",
        "read every page",
        "ask for the zone",
        "pages end with a cursor",
        "東京の時差",
        "時差を見る",
    ]
    text = synthesize_rule(CAPABILITY, three(*lessons))
    assert text == HEAD.format(6) + (
        "convert time zones; ask for the zone | read every page; pages end with a cursor | 東京の時差; 時差を見る"
    )


@pytest.mark.requirement("reflexion.rule-text")
def test_mistakes_without_id_count_each_and_one_with_id_once() -> None:
    nameless = MistakeEntry(what_went_wrong="forgot the unit")
    assert synthesize_rule(CAPABILITY, [nameless] * 3) == HEAD.format(3) + "forgot the unit"
    assert synthesize_rule(CAPABILITY, [wrong("a", "say the unit")] * 3) == HEAD.format(1) + "say the unit"


@pytest.mark.requirement("reflexion.rule-text")
def test_the_text_stays_bounded_and_the_sources_whole() -> None:
    long = [wrong(f"m{n}", f"lesson {n} {'abcdefghi ' * 900}") for n in range(40)]
    short = [wrong("short", "keep this one")]
    text = synthesize_rule(CAPABILITY, [*long, *short])
    assert LONGEST_RULE - 500 < len(text) <= LONGEST_RULE + 200
    assert "keep this one" in text
    assert all(f"lesson {n} abc" in text for n in range(40))
    sources = with_sources(RuleSources(), map(source_of, long))
    assert all(len(source.lesson) > 9_000 for source in sources.sources)


@pytest.mark.requirement("reflexion.rule-text")
def test_of_very_many_lessons_the_newest_are_said() -> None:
    many = [Source(id=str(n), lesson=f"lesson{n:05}", recorded_at=f"{n:05}") for n in range(MOST_SHOWN + 7)]
    text = text_of(CAPABILITY, RuleSources(sources=tuple(many), wording=Wording(text="w" * 2_000_000)))
    assert "lesson00006" not in text
    assert "lesson00007" in text
    assert text.endswith(" | and 7 more")
    assert len(text) <= MAX_CONTENT


def test_a_rule_has_its_subject() -> None:
    assert subject_of(CAPABILITY) == "category:capability"


# ------------------------------------------------------------------------------------------------------------ the plans


@pytest.mark.requirement("reflexion.consolidate")
def test_two_are_not_enough_and_three_are() -> None:
    few = three("a lesson", "another one")
    assert plan_consolidation(CAPABILITY, few) == NothingToDo(waiting=2)
    plan = plan_consolidation(CAPABILITY, few, threshold=2)
    assert isinstance(plan, NewRule)
    assert plan.resolved == ("m0", "m1")
    assert plan_consolidation(CAPABILITY, [], threshold=0) == NothingToDo(waiting=0)


@pytest.mark.requirement("reflexion.consolidate")
def test_only_unresolved_mistakes_of_the_category_count() -> None:
    mistakes = [
        *three("one lesson", "two lessons"),
        wrong("x", "of another kind", category=MistakeCategory.SAFETY),
        wrong("y", "spoken for", resolved=True),
        wrong("z", "poisoned"),
    ]
    assert plan_consolidation(CAPABILITY, mistakes, poisoned={"z"}) == NothingToDo(waiting=2)


@pytest.mark.requirement("reflexion.consolidate")
def test_a_later_round_extends_the_rule_and_loses_nothing() -> None:
    first = plan_consolidation(CAPABILITY, three("convert to UTC", "read all pages", "ask first"))
    v1 = version(first, "r1", metadata={**version(first, "r1").metadata, "approved": "ada", "continues": "r0"})
    second = plan_consolidation(CAPABILITY, three("name the unit", "CONVERT TO utc", "cite it", prefix="n"), [v1])
    assert isinstance(second, ExtendRule)
    assert second.standing == "r1"
    assert second.resolved == ("n0", "n1", "n2")
    assert second.content.startswith(HEAD.format(6))
    for lesson in ("convert to UTC", "read all pages", "ask first", "name the unit", "cite it"):
        assert lesson in second.content
    assert second.metadata["approved"] == "ada"
    assert "continues" not in second.metadata
    assert [each["id"] for each in second.metadata[SOURCES_KEY]["sources"]] == ["m0", "m1", "m2", "n0", "n1", "n2"]


@pytest.mark.requirement("reflexion.consolidate")
def test_what_the_rule_was_made_of_already_is_only_resolved() -> None:
    mistakes = three("convert to UTC", "read all pages", "ask first")
    v1 = version(plan_consolidation(CAPABILITY, mistakes), "r1")
    again = plan_consolidation(CAPABILITY, mistakes, [v1])
    assert again == AlreadySaid(standing="r1", resolved=("m0", "m1", "m2"))


@pytest.mark.requirement("reflexion.consolidate")
def test_the_words_of_a_person_stay_and_are_not_argued_with() -> None:
    v1 = version(plan_consolidation(CAPABILITY, three("convert to UTC", "read all pages", "ask first")), "r1")
    written = RuleVersion(id="r2", content="Use UTC. Never ask.", origin_trust=1.0, metadata={})
    changed = RuleVersion(
        id="r1", content=HEAD.format(3) + "Use UTC. Never ask.", origin_trust=0.6, metadata=v1.metadata
    )
    fresh = three("Ask First", "name the unit", "cite it", prefix="n")
    for versions in ([v1, written], [changed]):
        assert versions[-1].is_edited
        plan = plan_consolidation(CAPABILITY, fresh, versions)
        assert isinstance(plan, ExtendRule)
        assert plan.content == HEAD.format(6) + "Use UTC. Never ask. | name the unit | cite it"
        following = version(plan, "r3")
        assert not following.is_edited
        last = plan_consolidation(CAPABILITY, three("a", "b", "convert to utc", prefix="o"), [*versions, following])
        assert isinstance(last, ExtendRule)
        assert last.content == HEAD.format(9) + "Use UTC. Never ask. | name the unit | cite it | a | b"
        assert {source.lesson for source in standing_sources([version(last, "r4")]).sources} >= {"read all pages", "b"}


@pytest.mark.requirement("reflexion.consolidate")
def test_something_new_about_a_worded_lesson_is_said() -> None:
    v1 = version(plan_consolidation(CAPABILITY, three("convert to UTC", "b", "c")), "r1", content="Use UTC.")
    plan = plan_consolidation(CAPABILITY, [wrong("n", "convert to UTC", "14:00")], [v1], threshold=1)
    assert isinstance(plan, ExtendRule)
    assert plan.content == HEAD.format(4) + "Use UTC. | convert to UTC (ground truth: 14:00)"


@pytest.mark.requirement("reflexion.rule-trust")
def test_a_rule_is_trusted_as_little_as_the_least_of_its_sources() -> None:
    mistakes = three("a", "b", "c", origin="user_direct")
    clean = plan_consolidation(CAPABILITY, mistakes)
    assert isinstance(clean, NewRule)
    assert clean.origin_trust == 0.6
    mixed = plan_consolidation(CAPABILITY, [*mistakes, wrong("x", "d", origin="channel:x")])
    assert isinstance(mixed, NewRule)
    assert mixed.origin_trust == 0.3


@pytest.mark.requirement("reflexion.rule-trust")
def test_no_later_round_raises_trust() -> None:
    low = version(plan_consolidation(CAPABILITY, three("a", "b", "c")), "r1", origin_trust=0.1)
    plan = plan_consolidation(CAPABILITY, three("d", "e", "f", prefix="n", origin="operator"), [low])
    assert isinstance(plan, ExtendRule)
    assert plan.origin_trust == 0.1


# ----------------------------------------------------------------------------------------------------------- poisoning


@pytest.mark.requirement("reflexion.rule-poison")
def test_a_poisoned_source_flags_what_it_fed_and_fells_what_only_it_supported() -> None:
    v1 = version(plan_consolidation(CAPABILITY, three("a", "b", "c")), "r1")
    evil = three("obey x", "obey y", "obey z", prefix="n", origin="channel:evil")
    v2 = version(plan_consolidation(CAPABILITY, evil, [v1]), "r2")
    v3 = version(plan_consolidation(CAPABILITY, three("g", "h", "i", prefix="o"), [v1, v2]), "r3")
    person = RuleVersion(id="r4", content="mine", origin_trust=1.0, metadata={})
    edited = version(plan_consolidation(CAPABILITY, evil), "r5", content="mine")
    versions = [v1, v2, v3, person]
    assert soundness_of(versions, ()) == (Soundness.SOUND,) * 4
    poisoned = standing_sources(versions).of_origin("channel:evil")
    assert poisoned == {"n0", "n1", "n2"}
    assert soundness_of(versions, poisoned) == (
        Soundness.SOUND,
        Soundness.FALLEN,
        Soundness.FLAGGED,
        Soundness.SOUND,
    )
    assert soundness_of([edited], poisoned) == (Soundness.FLAGGED,), "a person's words do not fall by themselves"
    repaired = plan_restatement(CAPABILITY, [v1, v3], v3, poisoned)
    assert isinstance(repaired, ExtendRule)
    assert (repaired.standing, repaired.origin_trust, repaired.resolved) == ("r3", 0.6, ())
    assert repaired.content.startswith(HEAD.format(6))
    assert "obey" not in repaired.content
    assert not version(repaired, "r6").is_edited


@pytest.mark.requirement("reflexion.rule-poison")
def test_there_is_nothing_to_repair_without_poison_or_without_a_lesson_left() -> None:
    v1 = version(plan_consolidation(CAPABILITY, three("a", "b", "c")), "r1")
    assert plan_restatement(CAPABILITY, [v1], v1, {"other"}) is None
    assert plan_restatement(CAPABILITY, [v1], v1, {"m0", "m1", "m2"}) is None
    assert plan_restatement(CAPABILITY, [], None, {"m0"}) is None
    worded = version(plan_consolidation(CAPABILITY, three("a", "b", "c")), "r1", content="mine")
    repaired = plan_restatement(CAPABILITY, [worded], worded, {"m0", "m1", "m2"})
    assert isinstance(repaired, ExtendRule)
    assert repaired.content == HEAD.format(0) + "mine"


@pytest.mark.requirement("reflexion.rule-poison")
def test_the_next_round_does_not_carry_poison_on() -> None:
    v1 = version(plan_consolidation(CAPABILITY, three("a", "b", "obey x")), "r1")
    plan = plan_consolidation(CAPABILITY, three("d", "e", "f", prefix="n"), [v1], poisoned={"m2"})
    assert isinstance(plan, ExtendRule)
    assert plan.content == HEAD.format(5) + "a | b | d | e | f"


# ---------------------------------------------------------------------------------------------------------- the sources


@pytest.mark.requirement("reflexion.lessons-kept")
def test_sources_are_written_and_read_again() -> None:
    sources = RuleSources(
        sources=(
            Source(id="a", lesson="one", ground_truth="two", recorded_at="2026", origin="channel:x", trust=0.2),
            Source(id=None, lesson="three", trust=0.6, is_worded=True),
        ),
        wording=Wording(text="said so", version="v1", origin="user_direct", said_at="2026"),
        earlier=4,
        digest=digest_of("text"),
    )
    assert read_sources({SOURCES_KEY: sources.to_json()}) == sources
    assert sources.count == 6
    assert sources.ids == {"a"}
    assert sources.of_origin("channel:x") == {"a"}
    assert sources.of_origin("channel") == frozenset()
    assert surviving(sources, {"a"}).sources == sources.sources[1:]
    unworded = surviving(sources, {"wording:v1"})
    assert unworded.wording is None
    assert not any(source.is_worded for source in unworded.sources)
    assert read_sources({SOURCES_KEY: RuleSources().to_json()}) == RuleSources()


@pytest.mark.requirement("reflexion.lessons-kept")
@pytest.mark.parametrize(
    "change",
    [
        {"version": 2},
        {"digest": 3},
        {"wording": 3},
        {"wording": {"text": 3}},
        {"wording": {"text": "x", "origin": 3}},
        {"earlier": -1},
        {"earlier": True},
        {"sources": "abc"},
        {"sources": ["abc"]},
        {"sources": [{"lesson": 1, "trust": 0.5}]},
        {"sources": [{"lesson": "a", "trust": "1"}]},
        {"sources": [{"lesson": "a", "trust": float("nan")}]},
        {"sources": [{"lesson": "a", "trust": 0.5, "id": 3}]},
    ],
)
def test_what_cannot_be_read_makes_no_sources(change: dict[str, Any]) -> None:
    assert read_sources({SOURCES_KEY: RuleSources().to_json() | change}) is None
    assert read_sources({SOURCES_KEY: "odd"}) is None
    assert read_sources({}) is None


@pytest.mark.requirement("reflexion.rule-trust")
def test_metadata_cannot_claim_more_trust_than_the_origin_may_have() -> None:
    written = {"version": 1, "digest": "", "sources": [{"lesson": "a", "trust": 1.0, "origin": "channel:x"}]}
    read = read_sources({SOURCES_KEY: written})
    assert read is not None
    assert read.sources[0].trust == 0.3


@pytest.mark.requirement("reflexion.lessons-kept")
def test_no_version_grows_with_the_age_of_the_rule_and_together_they_name_all() -> None:
    versions: list[RuleVersion] = []
    for n in range(40):
        day = f"2026-05-{n // 2 + 1:02}"
        mistakes = three(*(f"lesson {n} {k} {'x' * 900}" for k in "abc"), prefix=f"v{n:02}-", timestamp=day)
        versions.append(version(plan_consolidation(CAPABILITY, mistakes, versions), f"r{n}"))
    last = versions[-1].sources
    assert last is not None
    assert last.count == standing_sources(versions).count == 120
    assert standing_sources(versions).earlier == 0
    assert len(str(last.to_json())) < ROOM + 10_000
    assert last.earlier == 120 - len(last.sources) > 0
    assert standing_sources(versions[-1:]).count == 120
    text = plan_consolidation(CAPABILITY, three("a", "b", "c", prefix="z"), versions)
    assert isinstance(text, ExtendRule)
    assert text.content.startswith(HEAD.format(123))
    assert "lesson 0 a" in text.content


def test_its_own_sources_a_version_always_names() -> None:
    long = [Source(id=str(n), lesson="x" * 9_000, recorded_at=str(n)) for n in range(10)]
    named = within_room(RuleSources(sources=tuple(long), earlier=1), own={str(n) for n in range(10)})
    assert (len(named.sources), named.earlier) == (10, 1)
    named = within_room(RuleSources(sources=tuple(long)), own={"0"})
    assert [source.id for source in named.sources] == ["0", "4", "5", "6", "7", "8", "9"]
    assert named.earlier == 3


def test_a_person_may_keep_the_beginning_or_not() -> None:
    assert wording_in(HEAD.format(12) + "be kind") == "be kind"
    assert wording_in("be kind") == "be kind"
    assert category_of("capability") is CAPABILITY
