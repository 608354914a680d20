"""What must be so after every step, held against the oracle; and a memory for answers, to ask them again."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import apsw
import pytest

import karte
from tests.oracle import Reading, Said, end_of, value_of
from tests.properties.steps import OBJECTS, PREDICATES, SUBJECTS
from tests.properties.world import MARKER, Identity, World, Written, instant, stored

Row = karte.TemporalRecord


def holds_at(row: Row, at: datetime) -> bool:
    """Whether the row's interval covers the instant."""
    return start_of(row) <= at and (row.valid_until is None or at < row.valid_until)


def start_of(row: Row) -> datetime:
    """Where the row starts; every fact has a start."""
    assert row.valid_from is not None
    return row.valid_from


def is_empty(row: Row) -> bool:
    """Whether the row keeps an empty interval."""
    return row.valid_until == row.valid_from


def check(world: World) -> None:
    """Law 1 and law 2 for every timeline, the chain, the stamps, the stored columns and the default reads."""
    current: set[str] = set()
    for identity in world.identities():
        reading = world.reading(identity)
        rows = world.live_rows(identity)
        check_points(world, identity, reading, rows)
        check_disjoint(rows)
        check_chain(world, rows)
        check_stamps(world, reading, rows)
        check_columns(world, rows)
        ids = {row.id for row in rows}
        for row in rows:
            assert row.metadata.get("continues", row.id) in ids, "the row that it continues is in the history"
            assert row.is_current == holds_at(row, world.clock.now)
            assert row.metadata.get("continues") or start_of(row) == world.named(str(row.source_event)).start
        current |= {row.id for row in rows if row.is_current}
    check_default_reads(world, current)


def check_points(world: World, identity: Identity, reading: Reading, rows: Sequence[Row]) -> None:
    """Point reads agree with the oracle and with the history, under every name."""
    for at in world.grid(identity):
        believed = reading.believed_at(at)
        for name in world.names_of(identity):
            found = world.engine.get_at(world.agent, name, identity.predicate, at, object=identity.object)
            if believed is None:
                assert found is None, f"nothing holds at {at}"
                continue
            assert found is not None, f"{believed.value} holds at {at}"
            assert value_of(found.object, found.content) == believed.value, f"value at {at}"
            assert found.origin_trust == pytest.approx(believed.believed_trust), f"trust at {at}"
            assert [row.id for row in rows if holds_at(row, at)] == [found.id], f"history at {at}"
        if believed is None:
            assert not [row for row in rows if holds_at(row, at)], f"history at {at}"


def check_disjoint(rows: Sequence[Row]) -> None:
    """Law 1: stretches do not overlap, and none is inverted."""
    for row in rows:
        assert row.valid_until is None or start_of(row) <= row.valid_until
    full = sorted((row for row in rows if not is_empty(row)), key=start_of)
    for one, following in itertools.pairwise(full):
        assert one.valid_until is not None, "an open stretch is the last one"
        assert one.valid_until <= start_of(following)


def check_chain(world: World, rows: Sequence[Row]) -> None:
    """The live rows make one chain in the order of (valid_from, order of learning)."""
    places = [(start_of(row), world.named(str(row.source_event)).learned) for row in rows]
    assert places == sorted(places), "history goes from oldest to newest"
    assert all(row.id not in {row.supersedes, row.superseded_by} for row in rows), "nothing supersedes itself"
    after = {row.supersedes: row for row in rows}
    assert len(after) == len(rows), "two rows supersede the same one"
    walked: list[Row] = []
    step = after.get(None)
    while step is not None and len(walked) <= len(rows):
        walked.append(step)
        step = after.get(step.id)
    assert len(walked) == len(rows), "one chain holds every live row, and nothing dangles"
    assert [(start_of(row), world.named(str(row.source_event)).learned) for row in walked] == places


def check_stamps(world: World, reading: Reading, rows: Sequence[Row]) -> None:
    """Where a stretch ends, its stamps say on whose account."""
    said = {one.name: one for one in reading.live}
    ids = {row.id for row in rows}
    full = [row for row in rows if not is_empty(row)]
    for row in rows:
        assert row.superseded_by is None or row.superseded_by in ids - {row.id}, "it names a live row of this timeline"
    for row, following in zip(full, [*full, None][1:], strict=True):
        check_how_it_ends(world, reading, rows, (row, following), said[str(row.source_event)])


def check_how_it_ends(
    world: World, reading: Reading, rows: Sequence[Row], pair: tuple[Row, Row | None], one: Said
) -> None:
    """A stretch is cut by a row that starts there, or closed by an end, or ends as it was said to."""
    row, following = pair
    stamps = (row.superseded_by, row.invalidated_by_event, row.invalidated_at)
    if row.valid_until is None:
        assert stamps == (None, None, None), "it is open"
        return
    named = next((other for other in rows if other.id == row.superseded_by), None)
    closing = {other.event or other.name for other in world.written if ends_there(other, row.valid_until)}
    said_to_end = end_of(one, reading.ends) == row.valid_until
    taker = following if following is not None and following.valid_from == row.valid_until else None
    if taker is not None and not said_to_end:
        assert named is not None, "it is cut by a row"
    if named is not None and named.valid_from == row.valid_until:
        assert row.invalidated_by_event in closing or (
            row.invalidated_by_event == named.source_event and row.invalidated_at in world.learned_at(named)
        )
    elif closing:
        assert named is None or start_of(named) > row.valid_until, "a later value is linked across the gap"
        assert said_to_end or row.invalidated_by_event in closing, "an end closed it"
    else:
        assert said_to_end
        assert stamps == (None, None, None), "it ends as asserted"


def ends_there(one: Written, at: datetime) -> bool:
    """Whether it may have closed a stretch at the instant: an end of the fact can come to count after its start."""
    return (one.kind == "end" and one.start <= at) or (one.kind == "value-end" and one.start == at)


def check_columns(world: World, rows: Iterable[Row]) -> None:
    """The stored columns say what the history says."""
    connection = apsw.Connection(str(world.path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        for row in rows:
            sql = "SELECT valid_from, valid_until, superseded_by, supersedes FROM memories WHERE id = ?"
            ((start, until, superseded_by, supersedes),) = connection.execute(sql, (row.id,))
            assert (stored(str(start)), stored(until)) == (row.valid_from, row.valid_until)
            assert (superseded_by, supersedes) == (row.superseded_by, row.supersedes)
        ((inverted,),) = connection.execute("SELECT count(*) FROM memories WHERE valid_until < valid_from")
        assert inverted == 0
    finally:
        connection.close()


def check_default_reads(world: World, current: set[str]) -> None:
    """Lists and search give what is current, each row once, and nothing else."""
    listed = [memory.id for memory in world.engine.list_recent(world.agent, limit=500).items]
    found = [hit.memory.id for hit in world.engine.search(world.agent, MARKER, limit=500, touch=False)]
    assert sorted(listed) == sorted(current)
    assert set(found) <= current
    assert bool(found) == bool(current)


# ---------------------------------------------------------------------------------------------------- asking again

Question = tuple[Any, ...]
MOMENTS = tuple(instant(number / 2) for number in range(-7, 14))


def row_of(row: Row) -> tuple[object, ...]:
    """What law 4 is about: the row's id, value, interval, links and standing."""
    return (
        row.id,
        row.subject,
        row.predicate,
        row.object,
        row.content,
        row.valid_from,
        row.valid_until,
        row.superseded_by,
        row.supersedes,
        row.invalidated_by_event,
        row.invalidated_at,
        row.origin,
        row.origin_trust,
        row.confidence,
    )


def ask(world: World, question: Question, known_at: datetime | None = None) -> object:
    """The engine's answer to a question, an error by its code."""
    engine = world.engine
    try:
        match question:
            case ("at", name, predicate, object_, at):
                found = engine.get_at(world.agent, name, predicate, at, object=object_, known_at=known_at)
                return None if found is None else row_of(found)
            case ("all", name, predicate, at):
                return sorted(map(row_of, engine.get_all_at(world.agent, name, predicate, at, known_at=known_at)))
            case ("history", name, predicate, object_):
                return [
                    row_of(row)
                    for row in engine.get_history(world.agent, name, predicate, object=object_, known_at=known_at)
                ]
            case ("list", at, historical):
                page = engine.list_recent(
                    world.agent, limit=500, valid_at=at, known_at=known_at, include_historical=historical
                )
                return sorted((memory.id, memory.content) for memory in page.items)
            case ("search", at):
                hits = engine.search(
                    world.agent, MARKER, limit=500, valid_at=at, known_at=known_at, touch=False, explain=True
                )
                return sorted(id for hit in hits for id in found_with(hit))
    except karte.AmbiguousValue as error:
        return error.code
    raise AssertionError(question)


def found_with(hit: karte.SearchHit) -> tuple[str, ...]:
    """A hit and what counts as the same; what does depends on how rare the words are, which is ranking."""
    assert hit.explain is not None
    return hit.memory.id, *hit.explain.folded


def questions(world: World) -> list[Question]:
    """Everything that can be asked now, instants given."""
    asked: list[Question] = [("search", instant(0.25)), ("list", instant(0.25), False), ("list", instant(3.25), True)]
    about = {(name, one.predicate) for one in world.written for name in SUBJECTS}
    for name, predicate in sorted((name, key) for name, key in about if key in PREDICATES):
        objects: Sequence[str | None] = OBJECTS[predicate] if predicate in world.many else (None,)
        for object_ in objects:
            asked.append(("history", name, predicate, object_))
            asked.extend(("at", name, predicate, object_, at) for at in MOMENTS)
        asked.extend(("all", name, predicate, at) for at in MOMENTS[::4])
    return asked


@dataclass(slots=True)
class Recollection:
    """Answers given at each instant, to be asked again."""

    kept: list[tuple[datetime, Question, object]] = field(default_factory=list)

    def keep(self, world: World) -> None:
        """Ask everything now and remember what was answered."""
        self.kept += [(world.clock.now, question, ask(world, question)) for question in questions(world)]

    def check(self, world: World) -> None:
        """Law 4: what was answered then is what was believed then."""
        for known_at, question, answer in self.kept:
            assert ask(world, question, known_at) == answer, f"known_at {known_at}: {question}"
