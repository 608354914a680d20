"""The life of a memory: it fades into the archive and comes back whole; what is read counts, and nobody waits."""

from __future__ import annotations

import os
import threading
from datetime import timedelta
from pathlib import Path

import apsw
import pytest

from karte import Karte, MemoryEntry, SqliteMemoryEngine, TemporalMeta
from karte.config import Config, RetrievalSettings
from karte.service import touching
from tests.conftest import FakeClock

A = "dudu"


def _say(
    engine: SqliteMemoryEngine, id: str, *, importance: float = 5.0, layer: str = "episodic", **meta: object
) -> None:
    entry = MemoryEntry(content=f"remark {id}", agent_id=A, id=id, importance=importance, layer=layer)
    outcome = engine.store(entry, TemporalMeta(**meta))  # type: ignore[arg-type]
    assert outcome.status == "stored"


def _ids(engine: SqliteMemoryEngine) -> set[str]:
    return {memory.id for memory in engine.list_recent(A, include_historical=True).items}


@pytest.fixture
def engine(db_path: Path, clock: FakeClock) -> SqliteMemoryEngine:
    return SqliteMemoryEngine(db_path, clock=clock)


@pytest.mark.requirement("life.decay-what", "life.decay-archives")
def test_only_what_has_faded_goes_and_it_comes_back_whole(engine: SqliteMemoryEngine, clock: FakeClock) -> None:
    _say(engine, "plain")
    _say(engine, "about-somebody", subject="Ada")
    _say(engine, "fact", subject="Ada", predicate="lives in", object="Rome")
    _say(engine, "rule", layer="procedural")
    _say(engine, "curated", origin="user_direct")
    _say(engine, "dear", importance=8.0)
    clock.advance(days=400)
    _say(engine, "young")
    before = engine.get_by_id(A, "plain")
    known = clock.now
    clock.advance(seconds=1)
    everything = _ids(engine)

    assert engine.decay(A, dry_run=True).ids == ("plain", "about-somebody")
    assert _ids(engine) == everything
    report = engine.decay()
    assert (report.archived, report.ids, report.dry_run) == (2, ("plain", "about-somebody"), False)
    assert _ids(engine) == everything - {"plain", "about-somebody"}
    assert engine.search(A, "remark plain", touch=False)[0].id != "plain"
    assert "plain" in {hit.id for hit in engine.search(A, "remark plain", known_at=known)}
    assert engine.decay().archived == 0

    assert engine.restore(A, "plain")
    after = engine.get_by_id(A, "plain")
    assert before is not None
    assert after is not None
    assert (after.content, after.importance, after.timestamp, after.origin_trust) == (
        before.content, before.importance, before.timestamp, before.origin_trust,
    )  # fmt: skip
    assert after.last_accessed is not None
    assert engine.decay().archived == 0, "what somebody has just asked back is not put away again at once"
    assert engine.doctor().is_healthy


@pytest.mark.requirement("life.decay-archives")
def test_decay_goes_batch_by_batch_over_all_agents_and_tells_how_far_it_is(
    engine: SqliteMemoryEngine, clock: FakeClock
) -> None:
    for agent, many in (("a", 1_100), ("b", 3)):
        engine.store_many([MemoryEntry(content=f"note {n}", agent_id=agent) for n in range(many)])
    clock.advance(days=400)
    told: list[tuple[str, int, int]] = []
    assert engine.decay(on_progress=lambda *step: told.append(step)).archived == 1_103
    assert told == [("decay", 500, 500), ("decay", 1_000, 1_000), ("decay", 1_100, 1_100), ("decay", 1_103, 1_103)]
    assert engine.stats("a").archived == 1_100


@pytest.mark.requirement("life.decay-settings")
def test_the_bounds_of_decay_are_settings(db_path: Path, clock: FakeClock) -> None:
    settings = RetrievalSettings(decay_below=1.0, decay_after_days=1.0, decay_up_to_importance=2.0)
    with SqliteMemoryEngine(db_path, clock=clock, config=Config(retrieval=settings)) as engine:
        _say(engine, "low", importance=2.0)
        _say(engine, "middling")
        clock.advance(days=2)
        assert engine.decay().ids == ("low",)


@pytest.mark.requirement("life.decay-what", "life.touch-batched")
def test_what_was_found_lately_does_not_fade(engine: SqliteMemoryEngine, clock: FakeClock) -> None:
    _say(engine, "asked-for")
    clock.advance(days=399)
    assert engine.search(A, "remark")
    clock.advance(days=1)
    assert engine.decay().archived == 0


@pytest.mark.requirement("life.stats")
def test_stats_count_what_there_is(engine: SqliteMemoryEngine, clock: FakeClock) -> None:
    first = clock.now
    _say(engine, "one", origin="channel:x")
    clock.advance(days=1)
    engine.store_temporal(MemoryEntry(content="in Rome", agent_id=A), TemporalMeta(subject="Ada", predicate="lives in"))
    clock.advance(days=1)
    engine.store_temporal(MemoryEntry(content="in Oslo", agent_id=A), TemporalMeta(subject="Ada", predicate="lives in"))
    _say(engine, "away")
    engine.forget(A, "away")
    engine.add_alias(A, "Ada", "Countess")
    _say(engine, "rule", layer="procedural")
    stats = engine.stats(A)
    assert (stats.memories, stats.plain, stats.facts, stats.current, stats.superseded) == (4, 2, 2, 3, 1)
    assert (stats.archived, stats.quarantined, stats.withdrawn, stats.aliases, stats.embedded) == (1, 0, 0, 1, 0)
    assert stats.layers == {"episodic": 3, "procedural": 1}
    assert stats.origins == {"unattributed": 3, "channel:x": 1}
    assert stats.predicates == {"lives in": 2}
    assert stats.oldest == first
    assert stats.newest is not None
    assert stats.newest - first >= timedelta(days=2)
    assert engine.stats("nobody").memories == 0


# --- what is read counts -----------------------------------------------------------------------


def _count(path: Path, id: str) -> int:
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        count: int = connection.execute("SELECT access_count FROM memories WHERE id = ?", (id,)).get
        return count
    finally:
        connection.close()


@pytest.mark.requirement("life.touch-batched")
def test_a_search_writes_nothing_and_the_next_write_takes_its_counts_along(
    engine: SqliteMemoryEngine, db_path: Path
) -> None:
    _say(engine, "x")
    for _ in range(3):
        engine.search(A, "remark")
    assert _count(db_path, "x") == 0
    shown = engine.get_by_id(A, "x")
    assert shown is not None
    assert shown.access_count == 3, "reads of this engine see what it has not written yet"
    assert engine.get_by_ids(A, ["x"]).memories[0].access_count == 3
    assert engine.list_recent(A).items[0].access_count == 3
    _say(engine, "y")
    assert _count(db_path, "x") == 3
    again = engine.get_by_id(A, "x")
    assert again is not None
    assert again.access_count == 3


@pytest.mark.requirement("life.touch-batched")
def test_closing_writes_the_counts(db_path: Path, clock: FakeClock) -> None:
    with SqliteMemoryEngine(db_path, clock=clock) as engine:
        _say(engine, "x")
        engine.search(A, "remark")
    assert _count(db_path, "x") == 1


@pytest.mark.requirement("life.touch-batched")
def test_many_counts_or_old_ones_are_written_without_a_write(
    engine: SqliteMemoryEngine, db_path: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    _say(engine, "x")
    engine.search(A, "remark")
    clock.advance(seconds=61)
    engine.search(A, "remark")
    assert _count(db_path, "x") == 2
    monkeypatch.setattr(touching, "MANY", 1)
    engine.search(A, "remark")
    assert _count(db_path, "x") == 3


@pytest.mark.requirement("life.touch-batched")
def test_a_search_does_not_wait_for_a_writer_and_loses_nothing(
    engine: SqliteMemoryEngine, db_path: Path, clock: FakeClock
) -> None:
    _say(engine, "x")
    engine.search(A, "remark")
    clock.advance(seconds=61)
    writer = apsw.Connection(str(db_path))
    writer.execute("BEGIN IMMEDIATE")
    assert engine.search(A, "remark")
    writer.execute("COMMIT")
    writer.close()
    _say(engine, "y")
    assert _count(db_path, "x") == 2


@pytest.mark.requirement("life.touch-batched")
def test_a_write_that_fails_gives_the_counts_back(engine: SqliteMemoryEngine, db_path: Path) -> None:
    _say(engine, "x")
    engine.search(A, "remark")
    with pytest.raises(Exception, match="id"):
        engine.store(MemoryEntry(content="the id is taken", agent_id=A, id="x"))
    assert _count(db_path, "x") == 0
    _say(engine, "y")
    assert _count(db_path, "x") == 1


@pytest.mark.requirement("life.touch-batched")
def test_threads_count_together(engine: SqliteMemoryEngine, db_path: Path) -> None:
    _say(engine, "x")
    threads = [threading.Thread(target=lambda: [engine.search(A, "remark") for _ in range(50)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    engine.close()
    assert _count(db_path, "x") == 200


@pytest.mark.requirement("life.touch-batched")
def test_a_forked_child_does_not_count_what_its_parent_read(engine: SqliteMemoryEngine, db_path: Path) -> None:
    _say(engine, "x")
    engine.search(A, "remark")
    child = os.fork()
    if child == 0:
        engine.search(A, "remark")
        engine.close()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    engine.close()
    assert _count(db_path, "x") == 2


@pytest.mark.requirement("life.touch-batched")
def test_belief_reads_and_read_only_files_count_nothing(db_path: Path, clock: FakeClock) -> None:
    with SqliteMemoryEngine(db_path, clock=clock) as engine:
        _say(engine, "x")
        assert engine.search(A, "remark", known_at=clock.now)
    with Karte(db_path, agent=A, read_only=True) as memory:
        assert memory.search("remark")
        assert memory.get_by_id("x").access_count == 0  # type: ignore[union-attr]
    assert _count(db_path, "x") == 0


def test_notes_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(touching, "MOST", 2)
    touches = touching.Touches()
    assert not touches.note(["a", "b", "c"], "2026-01-01T00:00:00.000000+00:00")
    assert touches.take().keys() == {"a", "b"}
