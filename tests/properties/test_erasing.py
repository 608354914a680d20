"""After an erasure nothing of the subject is in the file, and every other subject answers as before.

Histories are random: two agents, three subjects that may be aliases of each other for a while, values that confirm each
other across names, ends, expiries, retractions, the archive, derivation. Words that mark a subject are in everything
that is said of it.
"""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import karte
from karte import MemoryEntry, TemporalMeta
from tests.conftest import FakeClock
from tests.properties.world import dump, instant

AGENTS = ("ada", "bob")
SUBJECTS = ("Atlas", "Borea", "Ceres")
PREDICATES = ("office", "knows")
OBJECTS = ("red", "blue")


@dataclass(frozen=True, slots=True, kw_only=True)
class Say:
    """A fact; ``own`` words or such as another subject may have, ``names`` who is its object."""

    agent: int = 0
    subject: int = 0
    predicate: int = 0
    value: int = 0
    start: int = 0
    length: int | None = None
    own: bool = False
    origin: str = "unattributed"
    cites: int | None = None
    names: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Do:
    """Anything else that is done about a subject."""

    what: Literal["note", "end", "end value", "expire", "retract", "forget", "restore", "alias", "part", "many"]
    agent: int = 0
    subject: int = 0
    other: int = 0
    value: int = 0
    at: int = 0


Step = Say | Do
DEEDS = ("note", "end", "end", "end value", "expire", "retract", "forget", "restore", "alias", "alias", "part", "many")

small = st.integers(0, 2)
agents = st.sampled_from((0, 0, 0, 1))
says = st.builds(
    Say,
    agent=agents,
    subject=small,
    predicate=st.integers(0, 1),
    value=st.integers(0, 1),
    start=st.integers(-3, 5),
    length=st.sampled_from((None, None, None, 1, 3)),
    own=st.booleans(),
    origin=st.sampled_from(("unattributed", "user_direct", "channel:y")),
    cites=st.sampled_from((None, None, 0, 1, 2, 3)),
    names=st.sampled_from((False, False, False, True)),
)
others = st.builds(
    Do,
    what=st.sampled_from(DEEDS),
    agent=agents,
    subject=small,
    other=small,
    value=st.integers(0, 9),
    at=st.integers(-3, 5),
)
histories = st.lists(st.one_of(says, says, others), min_size=1, max_size=14)


class Teller:
    """A file in which a history is told."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.clock = FakeClock("2026-06-01T00:00:00+00:00")
        numbers = itertools.count(1)
        self.engine = karte.SqliteMemoryEngine(
            path, clock=self.clock, ids=lambda: f"01990000-0000-7000-8000-{next(numbers):012x}"
        )
        self.ids: dict[str, list[str]] = {agent: [] for agent in AGENTS}
        self.aliases: dict[str, dict[str, str]] = {agent: {} for agent in AGENTS}
        self.said = 0

    def tell(self, step: Step) -> None:
        """Do one step; one that cannot be is left out."""
        self.clock.advance(hours=1)
        self.said += 1
        try:
            if isinstance(step, Say):
                self._say(step)
            else:
                self._do(step)
        except karte.KarteError:
            pass

    def _say(self, step: Say) -> None:
        agent, subject = AGENTS[step.agent], SUBJECTS[step.subject]
        predicate, object_ = PREDICATES[step.predicate], OBJECTS[step.value]
        mark = marker(agent, subject)
        content = f"{mark} has {object_}" if step.own else f"{predicate} is {object_}"
        if step.names:
            object_, content = SUBJECTS[0], f"somebody {step.value}"
        known = self.ids[agent]
        done = self.engine.store(
            MemoryEntry(content=content, agent_id=agent, tags=(mark,), layer="semantic"),
            TemporalMeta(
                subject=subject if self.said % 2 else f" {subject.upper()} ",
                predicate=predicate,
                object=object_,
                valid_from=instant(step.start),
                valid_until=None if step.length is None else instant(step.start + step.length),
                origin=step.origin,
                metadata={"about": mark},
                source_event=f"{mark}-{self.said}",
                derived_from=() if step.cites is None or not known else (known[step.cites % len(known)],),
            ),
        )
        assert done.id is not None
        known.append(done.id)

    def _do(self, step: Do) -> None:
        agent, subject = AGENTS[step.agent], SUBJECTS[step.subject]
        engine, known = self.engine, self.ids[agent]
        event = f"{marker(agent, subject)}-{self.said}"
        id = known[step.value % len(known)] if known else "none"
        predicate, object_ = PREDICATES[step.value % 2], OBJECTS[step.other % 2]
        match step.what:
            case "note":
                entry = MemoryEntry(content=f"{event} is here", agent_id=agent)
                known.append(engine.store(entry, TemporalMeta(subject=subject)).id or "")
            case "end":
                engine.end_fact(agent, subject, predicate, instant(step.at), event)
            case "end value":
                engine.end_fact(agent, subject, predicate, instant(step.at), event, object=object_)
            case "expire":
                engine.expire_by_subject(agent, subject, event=event)
            case "retract":
                engine.retract(agent, id)
            case "forget":
                engine.forget(agent, id)
            case "restore":
                engine.restore(agent, id)
            case _:
                self._name(step, agent, subject)

    def _name(self, step: Do, agent: str, subject: str) -> None:
        match step.what:
            case "alias":
                self.engine.add_alias(agent, SUBJECTS[step.other], subject)
            case "part":
                self.engine.remove_alias(agent, subject)
            case "many":
                self.engine.declare_predicate(agent, "knows", "many" if step.value % 2 else "one")

    def names(self, agent: str, subject: str) -> set[str]:
        """The subjects that are one with this one."""
        aliases = {one.alias: one.canonical for one in self.engine.list_aliases(agent)}
        resolved = {name: aliases.get(name.lower(), name.lower()) for name in SUBJECTS}
        return {name for name in SUBJECTS if resolved[name] == resolved[subject]}

    def answers(self, agent: str, subject: str) -> list[Any]:
        """What is known of a subject: stretches, and who holds when."""
        found: list[Any] = []
        for predicate in PREDICATES:
            found += [_told(record) for record in self.engine.get_history(agent, subject, predicate)]
            for number in range(-4, 10):
                at = self.engine.get_all_at(agent, subject, predicate, instant(number))
                found.append(sorted(record.id for record in at))
        return found

    def hits(self, agent: str, names: set[str]) -> set[str]:
        """What search finds of other subjects."""
        found = self.engine.search(agent, "office knows red blue somebody here", 1000, touch=False)
        return {hit.memory.id for hit in found if (hit.memory.subject or "").strip().title() not in names}


def _told(record: karte.TemporalRecord) -> tuple[object, ...]:
    return (
        *(record.id, record.content, record.object, record.state, record.valid_from, record.valid_until),
        *(record.confidence, record.origin, record.origin_trust, record.is_current, record.contested),
    )


def marker(agent: str, subject: str) -> str:
    """The word that is in everything said of a subject."""
    return f"zq{agent}{subject}".lower()


def cells(path: Path, agent: str | None = None) -> list[str]:
    """Every value of every row (of an agent), folded, with the table it is in."""
    return [
        f"{table}: {_folded(value)}"
        for table, rows in dump(path).items()
        for row in rows
        if agent is None or agent in row
        for value in row
        if isinstance(value, str | bytes)
    ]


def _folded(value: str | bytes) -> str:
    text = value.decode("latin-1") if isinstance(value, bytes) else value
    return unicodedata.normalize("NFKC", text).casefold()


def check_erasing(path: Path, history: Sequence[Step], *, include_objects: bool) -> None:
    """Tells a history, erases the first subject of the first agent, and looks for it everywhere."""
    teller = Teller(path)
    for step in history:
        teller.tell(step)
    agent, subject = AGENTS[0], SUBJECTS[0]
    names = teller.names(agent, subject)
    others = [(who, name) for who in AGENTS for name in SUBJECTS if who != agent or name not in names]
    before = {each: teller.answers(*each) for each in others}
    found = {who: teller.hits(who, names if who == agent else set()) for who in AGENTS}
    tried = teller.engine.erase(agent, subject=subject, include_objects=include_objects, dry_run=True)
    done = teller.engine.erase(agent, subject=subject, include_objects=include_objects)
    assert (tried.removed, tried.mentions, tried.derived) == (done.removed, done.mentions, done.derived)
    assert done.leftovers == {}
    assert done.is_clean
    assert set(done.names) == {name.lower() for name in names}
    for name in names:
        assert teller.answers(agent, name) == teller.answers("nobody", name)
    if not include_objects:
        assert {each: teller.answers(*each) for each in others} == before
        assert {who: teller.hits(who, names if who == agent else set()) for who in AGENTS} == found
    assert teller.engine.doctor().findings == ()
    everything = "\n".join(cells(path))
    for name in names:
        assert marker(agent, name) not in everything
    if include_objects or not any(isinstance(step, Say) and step.names for step in history):
        left = [cell for cell in cells(path, agent) if any(name.lower() in cell for name in names)]
        assert left == []
    again = teller.engine.erase(agent, subject=subject, include_objects=include_objects)
    assert again.removed == {}
    teller.engine.close()
    bytes_left = path.read_bytes()
    assert not [name for name in names if marker(agent, name).encode() in bytes_left]


TOLD: dict[str, list[Step]] = {
    "confirmed under an alias, changed by another name, then parted": [
        *(Say(subject=2), Do(what="alias", subject=2, other=1), Say(subject=1), Do(what="part", subject=2)),
        Do(what="alias", subject=1, other=0),
    ],
    "a confirmation that is parted": [
        *(Say(start=1), Do(what="alias", subject=1, other=0), Say(subject=1, start=2), Do(what="part", subject=1)),
        *(Say(subject=1, value=1, start=3), Say(subject=1, start=4)),
    ],
    "a confirmation that holds nothing when it is parted": [
        *(Say(start=1), Do(what="alias", subject=1, other=0), Say(subject=1, start=2)),
        *(Say(subject=1, value=1, start=2), Do(what="part", subject=1)),
    ],
    "an end that is parted": [
        *(Say(start=1, own=True), Do(what="alias", subject=1, other=0), Do(what="end", subject=1, at=3)),
        *(Do(what="part", subject=1), Say(subject=1, start=0)),
    ],
    "an end of a value that is parted": [
        *(Say(start=1), Do(what="alias", subject=1, other=0), Do(what="end value", subject=1, at=3)),
        *(Say(subject=1, start=2), Do(what="part", subject=1)),
    ],
    "derived over two steps": [Say(subject=1), Say(cites=0), Say(subject=2, cites=1), Do(what="retract", value=0)],
    "forgotten and retracted": [
        *(Say(), Say(value=1, start=2), Do(what="forget", value=0), Do(what="retract", value=1), Do(what="note")),
    ],
}


@pytest.mark.requirement("erase.nothing-left", "erase.others-unchanged")
@pytest.mark.parametrize("include_objects", [False, True])
@pytest.mark.parametrize("name", TOLD)
def test_histories_in_which_one_subject_leans_on_another(db_path: Path, name: str, include_objects: bool) -> None:
    check_erasing(db_path, TOLD[name], include_objects=include_objects)


@pytest.mark.requirement("erase.nothing-left", "erase.others-unchanged")
@settings(max_examples=80)
@given(history=histories, include_objects=st.booleans())
def test_nothing_of_a_subject_is_left_and_others_answer_as_before(
    tmp_path_factory: pytest.TempPathFactory, history: list[Step], include_objects: bool
) -> None:
    check_erasing(tmp_path_factory.mktemp("erase") / "memory.db", history, include_objects=include_objects)
