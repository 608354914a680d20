"""What holds of a rule through any history: rounds of mistakes, words of persons, poison."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karte.domain.drafts import MAX_CONTENT
from karte.domain.entities import normalise
from karte.domain.mistakes import MistakeCategory, MistakeEntry
from karte.domain.reflexion import ExtendRule, NewRule, plan_consolidation, plan_restatement, synthesize_rule
from karte.domain.rule_versions import RuleVersion, Soundness, soundness_of, standing_sources

CATEGORY = MistakeCategory.FACTUAL
ORIGINS = ("agent_derived", "operator", "channel:x", "tool_echo:y", "unattributed")

stored = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=30)
visible = stored.filter(lambda text: bool(text.strip()))
lessons = st.one_of(
    st.lists(st.sampled_from("check the unit zone page Page 時差 確認".split()), min_size=1, max_size=4).map(" ".join),
    visible,
)
notes = st.tuples(lessons, st.none() | visible, st.sampled_from(ORIGINS), st.integers(1, 9))
rounds = st.lists(st.one_of(st.lists(notes, min_size=1, max_size=5), visible), min_size=1, max_size=6)


def entries(said: Sequence[tuple[str, str | None, str, int]], start: int = 0) -> list[MistakeEntry]:
    return [
        MistakeEntry(
            id=f"m{start + n:03}",
            what_went_wrong="it was wrong",
            corrective_insight=lesson,
            ground_truth=truth,
            origin=origin,
            timestamp=f"2026-05-{day:02}",
            category=CATEGORY,
        )
        for n, (lesson, truth, origin, day) in enumerate(said)
    ]


def play(history: Sequence[object]) -> tuple[list[RuleVersion], list[MistakeEntry], list[MistakeEntry], str | None]:
    """The versions, the mistakes, those of them noted after a person last worded the rule, and that wording."""
    versions: list[RuleVersion] = []
    mistakes: list[MistakeEntry] = []
    unworded: list[MistakeEntry] = []
    wording = None
    for step in history:
        id = f"r{len(versions)}"
        if isinstance(step, str):
            wording = step
            unworded = []
            versions.append(RuleVersion(id=id, content=step, origin_trust=1.0, metadata={}))
            continue
        noted = entries(step, len(mistakes))  # type: ignore[arg-type]
        mistakes += noted
        unworded += noted
        plan = plan_consolidation(CATEGORY, noted, versions, threshold=1)
        assert isinstance(plan, ExtendRule if versions else NewRule)
        assert plan.resolved == tuple(sorted(str(each.id) for each in noted))
        metadata = json.loads(json.dumps(plan.metadata))
        versions.append(RuleVersion(id=id, content=plan.content, origin_trust=plan.origin_trust, metadata=metadata))
    return versions, mistakes, unworded, wording


@pytest.mark.requirement("reflexion.lessons-kept", "reflexion.consolidate")
@given(rounds)
def test_no_history_loses_a_lesson_or_a_count(history: list[object]) -> None:
    versions, mistakes, unworded, wording = play(history)
    together = standing_sources(versions)
    assert together.count == len(mistakes)
    assert together.ids == {each.id for each in mistakes}
    assert {normalise(source.lesson) for source in together.sources} == {
        normalise(each.corrective_insight or "") or "it was wrong" for each in mistakes
    }
    text = versions[-1].content
    assert len(text) <= MAX_CONTENT
    if isinstance(history[-1], str):
        return
    assert text.startswith(
        f"Recurring factual issues consolidated from {len(mistakes)} past mistakes. Apply extra care: "
    )
    assert wording is None or wording in text
    if wording is None:
        folded = normalise(text)
        for each in unworded:
            assert normalise(each.corrective_insight or "") in folded
            assert normalise(each.ground_truth or "") in folded


@pytest.mark.requirement("reflexion.rule-text")
@given(st.lists(notes, max_size=12), st.randoms(use_true_random=False))
def test_the_same_mistakes_give_the_same_text(
    said: list[tuple[str, str | None, str, int]], chance: random.Random
) -> None:
    mistakes = entries(said)
    nameless = [MistakeEntry(what_went_wrong=lesson, ground_truth=truth) for lesson, truth, _, _ in said]
    for given_ in (mistakes, nameless):
        text = synthesize_rule(CATEGORY, given_)
        chance.shuffle(given_)
        assert synthesize_rule(CATEGORY, given_) == text


@pytest.mark.requirement("reflexion.rule-trust")
@given(rounds)
def test_trust_is_never_above_a_source_and_never_rises(history: list[object]) -> None:
    versions, _, _, _ = play(history)
    for place, version in enumerate(versions):
        if isinstance(history[place], str):
            continue
        assert all(version.origin_trust <= earlier.origin_trust for earlier in versions[:place])
        assert version.sources is not None
        assert all(version.origin_trust <= source.trust for source in version.sources.sources)


@pytest.mark.requirement("reflexion.rule-poison")
@given(rounds, st.sampled_from(ORIGINS))
def test_poison_leaves_no_lesson_of_its_own_and_every_other_one(history: list[object], origin: str) -> None:
    versions, mistakes, _, wording = play(history)
    poisoned = standing_sources(versions).of_origin(origin)
    assert poisoned == {each.id for each in mistakes if each.origin == origin}
    verdicts = soundness_of(versions, poisoned)
    standing = [version for version, verdict in zip(versions, verdicts, strict=True) if verdict is not Soundness.FALLEN]
    left = {str(each.id) for each in mistakes} - poisoned
    assert left <= standing_sources(standing).ids, "what falls takes no clean source with it"
    repaired = plan_restatement(CATEGORY, standing, next(reversed(standing), None), poisoned)
    is_fed = any(verdict is Soundness.FLAGGED for verdict in verdicts)
    assert (repaired is not None) == (is_fed and bool(left or wording))
    if repaired is not None:
        after = RuleVersion(
            id="r", content=repaired.content, origin_trust=repaired.origin_trust, metadata=repaired.metadata
        )
        assert soundness_of([after], poisoned) == (Soundness.SOUND,)
        assert after.sources is not None
        assert after.sources.ids == left
