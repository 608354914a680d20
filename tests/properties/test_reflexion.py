"""Whatever happens in whatever order: no lesson is lost, none that was taken back is told, and trust never rises."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karte import Conflict, Karte, MistakeNotebook
from tests.conftest import FakeClock

ORIGINS = {"agent_derived": 0.6, "channel:web": 0.3, "channel:mail": 0.3, "operator": 1.0}
CATEGORIES = ("capability", "safety")
DERIVED = 0.6


@dataclass
class Noted:
    lesson: str
    category: str
    origin: str


@dataclass
class World:
    memory: Karte
    noted: dict[str, Noted] = field(default_factory=dict)
    purges: dict[str, str] = field(default_factory=dict)
    """Operation id by origin, of those that stand."""
    gone: dict[str, set[str]] = field(default_factory=dict)
    """The mistakes that each standing purge covers."""

    def poisoned(self) -> set[str]:
        return set().union(*self.gone.values()) if self.gone else set()


def _record(world: World, category: str, origin: str) -> None:
    lesson = f"lesson{len(world.noted)}x"
    done = world.memory.record_mistake(f"wrong {lesson}", corrective_insight=lesson, category=category, origin=origin)
    world.noted[done.id] = Noted(lesson, category, origin)


def _purge(world: World, origin: str) -> None:
    done = world.memory.invalidate_by_origin(origin)
    covered = {id for id, each in world.noted.items() if each.origin == origin}
    world.purges[str(done.operation_id)] = origin
    world.gone[str(done.operation_id)] = covered


def _undo(world: World, which: int) -> None:
    if world.purges:
        operation = sorted(world.purges)[which % len(world.purges)]
        world.memory.undo_operation(operation)
        del world.purges[operation], world.gone[operation]


def _judge(world: World, which: int, change: str) -> None:
    rules = world.memory.list_rules(with_retired=True)
    if not rules:
        return
    rule = rules[which % len(rules)]
    try:
        match change:
            case "retire":
                world.memory.retire_rule(rule.id)
            case "restore":
                world.memory.restore_rule(rule.id)
            case _:
                world.memory.rule_feedback(rule.id, change == "helped")
    except Conflict:
        pass


def _check(world: World) -> None:
    notebook = MistakeNotebook(world.memory.engine)
    waiting = {mistake.id for mistake in notebook.query_by_agent("default", 100)}
    rules = {rule.category.value: rule for rule in world.memory.list_rules(with_retired=True)}
    poisoned = world.poisoned()
    assert not waiting & poisoned
    for id, each in world.noted.items():
        rule = rules.get(each.category)
        is_told = rule is not None and each.lesson in rule.content
        if id in poisoned:
            assert not is_told or (rule is not None and rule.state == "retired"), each
        else:
            assert id in waiting or is_told, f"lost: {each}"
    for category, rule in rules.items():
        told = [each for each in world.noted.values() if each.category == category and each.lesson in rule.content]
        assert rule.origin_trust <= min([DERIVED, *(ORIGINS[each.origin] for each in told)]) + 1e-9
        standing = world.memory.get_all_at(f"category:{category}", "requires_care")
        assert len(standing) == (rule.state == "standing")


_STEP = st.one_of(
    st.tuples(st.just("record"), st.sampled_from(CATEGORIES), st.sampled_from(sorted(ORIGINS))),
    st.tuples(st.just("record"), st.just("capability"), st.sampled_from(sorted(ORIGINS))),
    st.tuples(st.just("consolidate"), st.sampled_from(CATEGORIES), st.integers(1, 3)),
    st.tuples(st.just("purge"), st.sampled_from(sorted(ORIGINS))),
    st.tuples(st.just("undo"), st.integers(0, 3)),
    st.tuples(st.just("judge"), st.integers(0, 3), st.sampled_from(["helped", "harmed", "retire", "restore"])),
)


@pytest.mark.requirement("reflexion.never-lost")
@settings(max_examples=40)
@given(st.lists(_STEP, max_size=25))
def test_no_sequence_loses_a_lesson_or_tells_one_that_was_taken_back(steps: list[tuple[object, ...]]) -> None:
    clock = FakeClock()
    with tempfile.TemporaryDirectory() as folder, Karte(Path(folder) / "memory.db", clock=clock) as memory:
        world = World(memory)
        for step in steps:
            clock.advance(seconds=1)
            match step:
                case ("record", str(category), str(origin)):
                    _record(world, category, origin)
                case ("consolidate", str(category), int(threshold)):
                    memory.maybe_consolidate(category, threshold)
                case ("purge", str(origin)):
                    _purge(world, origin)
                case ("undo", int(which)):
                    _undo(world, which)
                case ("judge", int(which), str(change)):
                    _judge(world, which, change)
            _check(world)
