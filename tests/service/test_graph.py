"""Search through the graph, by the public doors: what it finds, and that keeping it changes nothing."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from karte import Karte, MemoryEntry, RetrievalWeights, SqliteMemoryEngine, TemporalMeta
from karte.errors import NotFound
from karte.service import graph as graphs
from karte.service import graph_building
from tests.conftest import FakeClock

AGENT = "default"


def fact(memory: Karte, subject: str, predicate: str, obj: str, **more: Any) -> str:
    outcome = memory.store_temporal(
        f"{subject} {predicate} {obj}", subject=subject, predicate=predicate, object=obj, origin="user_direct", **more
    )
    assert outcome.id is not None
    return outcome.id


def reached(engine: SqliteMemoryEngine, query: str) -> list[tuple[str, str]]:
    hits = engine.search(AGENT, query, 50, touch=False, explain=True)
    return [(hit.id, hit.score.hex()) for hit in hits]


def objects(memory: Karte, query: str) -> list[str | None]:
    return [hit.memory.object for hit in memory.search(query, touch=False)]


@pytest.mark.requirement("graph.walk")
def test_what_only_a_connection_leads_to_is_found(clock: FakeClock) -> None:
    memory = Karte(":memory:", clock=clock)
    fact(memory, "Ada", "works at", "Initech")
    fact(memory, "Initech", "based in", "Lyon")
    fact(memory, "Bo", "works at", "Hooli")
    found = memory.search("Where is Ada?", explain=True, touch=False)
    assert [hit.memory.object for hit in found] == ["Initech", "Lyon"]
    assert found[1].explain is not None
    assert found[1].explain.path == ("ada", "initech")
    assert found[1].explain.text == 0.0 < found[1].explain.graph
    without = Karte(":memory:", clock=clock, weights=RetrievalWeights(w_graph=0.0))
    fact(without, "Ada", "works at", "Initech")
    fact(without, "Initech", "based in", "Lyon")
    assert objects(without, "Where is Ada?") == ["Initech"]


@pytest.mark.requirement("graph.seeds")
def test_entities_are_named_by_aliases_in_any_script_and_by_plain_texts(clock: FakeClock) -> None:
    memory = Karte(":memory:", clock=clock)
    fact(memory, "株式会社青空", "本社", "東京都")
    fact(memory, "東京都", "知事", "小池")
    memory.store("Blue Sky: a firm that makes kites", origin="user_direct")
    memory.store("The kite of the century was made by Blue Sky", origin="user_direct")
    assert objects(memory, "株式会社青空はどこ?")[:2] == ["東京都", "小池"]
    memory.add_alias("株式会社青空", "Aozora")
    assert objects(memory, "Aozora")[:2] == ["東京都", "小池"]
    memory.remove_alias("Aozora")
    assert objects(memory, "Aozora") == []
    assert len(memory.search("Blue Sky", touch=False)) == 2


@pytest.mark.requirement("graph.seeds")
def test_a_name_of_two_letters_is_a_name(clock: FakeClock) -> None:
    memory = Karte(":memory:", clock=clock)
    fact(memory, "Kenji Sato", "leads", "Apollo")
    fact(memory, "Apollo", "based in", "Lyon")
    memory.add_alias("Kenji Sato", "KS")
    assert objects(memory, "What about KS?") == ["Apollo", "Lyon"]


@pytest.mark.requirement("recall.explained")
def test_the_parts_of_every_hit_give_its_score_again(clock: FakeClock) -> None:
    memory = Karte(":memory:", clock=clock)
    for turn, (who, text) in enumerate([("Ann", "Where do you live?"), ("Bob", "In Lyon."), ("Ann", "Nice there!")]):
        memory.store(text, metadata={"session": "s", "turn": turn, "speaker": who}, origin="channel:x", importance=7)
    fact(memory, "Bob", "lives in", "Lyon")
    clock.advance(days=40)
    hits = memory.search("Does Bob live in Lyon?", explain=True, touch=False)
    assert len(hits) == 4
    for hit in hits:
        e = hit.explain
        assert e is not None
        told = (e.text + e.vector + e.graph + e.structure) * e.recency * e.importance * e.trust
        assert told == pytest.approx(hit.score, abs=1e-9)


@pytest.mark.requirement("recall.filters-first")
def test_filters_act_before_the_first_are_taken_on_the_path_of_the_graph(clock: FakeClock) -> None:
    memory = Karte(":memory:", clock=clock)
    memory.declare_predicate("knows", "many")
    for i in range(300):
        fact(memory, "Ada", "knows", f"person{i}")
    fact(memory, "Ada", "knows", "the one", tags=["wanted"])
    [hit] = memory.search("Ada", 5, tags=["wanted"], touch=False)
    assert hit.memory.object == "the one"
    assert memory.search("Ada", 5, layer="episodic", touch=False) == []


# --- the kept graph --------------------------------------------------------------------------

Change = Callable[[Karte, str, FakeClock], object]

TRIGGERS: dict[str, Change] = {
    "store": lambda memory, _id, _clock: fact(memory, "Lyon", "river", "Rhône"),
    "supersession": lambda memory, _id, _clock: fact(memory, "Ada", "works at", "Hooli"),
    "end_fact": lambda memory, _id, _clock: memory.end_fact("Ada", "works at"),
    "expire_by_subject": lambda memory, _id, _clock: memory.expire_by_subject("Initech"),
    "purge": lambda memory, _id, _clock: memory.invalidate_by_origin("user_direct"),
    "forget": lambda memory, id, _clock: memory.forget(id),
    "erase": lambda memory, _id, _clock: memory.erase(subject="Initech"),
    "alias": lambda memory, _id, _clock: memory.add_alias("Initech", "Lyon"),
    "update": lambda memory, _id, _clock: memory.update("note", content="nothing of that"),
    "retract": lambda memory, id, _clock: memory.engine.retract(AGENT, id),
}


@pytest.mark.requirement("graph.generation")
@pytest.mark.parametrize("name", TRIGGERS)
def test_every_write_that_changes_the_facts_is_seen_by_whoever_keeps_the_graph(
    name: str, clock: FakeClock, db_path: Path
) -> None:
    memory = Karte(db_path, clock=clock)
    with SqliteMemoryEngine(db_path, clock=clock) as reader, patch.object(graphs, "GRAPH_CACHE_MIN_TRIPLES", 1):
        id = fact(memory, "Ada", "works at", "Initech")
        fact(memory, "Initech", "based in", "Lyon")
        memory.store("Ada met the people of Initech", id="note", origin="user_direct")
        before = reached(reader, "Ada Initech Lyon")
        assert before == reached(memory.engine, "Ada Initech Lyon")
        clock.advance(seconds=1)
        TRIGGERS[name](memory, id, clock)
        after = reached(reader, "Ada Initech Lyon")
        assert after != before
        with SqliteMemoryEngine(db_path, clock=clock) as fresh:
            assert after == reached(fresh, "Ada Initech Lyon") == reached(memory.engine, "Ada Initech Lyon")


@pytest.mark.requirement("graph.generation")
def test_an_undo_and_a_restore_are_seen_too(clock: FakeClock, db_path: Path) -> None:
    memory = Karte(db_path, clock=clock)
    id = fact(memory, "Ada", "works at", "Initech")
    fact(memory, "Initech", "based in", "Lyon")
    before = [hit for hit, _ in reached(memory.engine, "Ada")]
    undone = memory.invalidate_by_origin("user_direct")
    assert reached(memory.engine, "Ada") == []
    assert undone.operation_id is not None
    memory.undo_operation(undone.operation_id)
    assert [hit for hit, _ in reached(memory.engine, "Ada")] == before
    memory.forget(id)
    assert reached(memory.engine, "Ada") == []
    memory.restore(id)
    assert [hit for hit, _ in reached(memory.engine, "Ada")] == before


@pytest.mark.requirement("graph.generation")
def test_a_held_fact_leads_nowhere_until_it_is_released(clock: FakeClock) -> None:
    memory = Karte(":memory:", clock=clock)
    fact(memory, "Ada", "works at", "Initech")
    for i in range(8):
        memory.store_temporal(
            f"Initech part{i} x{i}", subject="Initech", predicate=f"part{i}", object=f"x{i}", origin="channel:flood"
        )
    [waiting] = memory.approvals()
    assert objects(memory, "Ada") == ["Initech"]
    memory.decide(waiting.id, "approve")
    assert len(objects(memory, "Ada")) > 1


@pytest.mark.requirement("graph.generation")
def test_a_write_of_another_process_is_seen(db_path: Path) -> None:
    memory = Karte(db_path)
    fact(memory, "Ada", "works at", "Initech")
    assert objects(memory, "Ada") == ["Initech"]
    program = (
        "import sys, karte\n"
        "with karte.Karte(sys.argv[1], origin='user_direct') as memory:\n"
        "    memory.store_temporal('Initech is in Lyon', subject='Initech', predicate='in', object='Lyon')\n"
    )
    subprocess.run([sys.executable, "-c", program, str(db_path)], check=True)
    assert objects(memory, "Ada") == ["Initech", "Lyon"]


@pytest.mark.requirement("graph.generation")
def test_an_agent_that_is_erased_and_filled_anew_leaves_no_old_entity_in_a_graph_kept_elsewhere(
    clock: FakeClock, db_path: Path
) -> None:
    memory = Karte(db_path, clock=clock)
    with SqliteMemoryEngine(db_path, clock=clock) as reader, patch.object(graphs, "GRAPH_CACHE_MIN_TRIPLES", 1):
        fact(memory, "Ada", "works at", "Initech")
        fact(memory, "Initech", "based in", "Lyon")
        assert len(reached(reader, "Ada")) == 2
        memory.erase(everything=True)
        for name in ("Bo", "Cy"):
            fact(memory, name, "works at", "Hooli")
        assert len(reached(reader, "Hooli")) == 2
        assert set(reader._services.graphs._kept[AGENT].graph.entities) == {"bo", "cy", "hooli"}


@pytest.mark.requirement("graph.cache-exact")
def test_the_name_of_an_erased_subject_is_kept_in_no_graph(clock: FakeClock) -> None:
    memory = Karte(":memory:", clock=clock)
    with patch.object(graphs, "GRAPH_CACHE_MIN_TRIPLES", 1):
        fact(memory, "Ada", "works at", "Initech")
        fact(memory, "Bo", "works at", "Hooli")
        assert objects(memory, "Ada") == ["Initech"]
        memory.erase(subject="Ada")
        assert objects(memory, "Bo") == ["Hooli"]
        assert set(memory.engine._services.graphs._kept[AGENT].graph.entities) == {"bo", "hooli"}


@pytest.mark.requirement("graph.bounds")
def test_a_fact_leads_on_from_its_start_to_its_end_without_any_write(clock: FakeClock) -> None:
    memory = Karte(":memory:", clock=clock)
    fact(memory, "Ada", "works at", "Initech")
    now = clock()
    fact(memory, "Initech", "based in", "Lyon", valid_from=now + timedelta(days=2), valid_until=now + timedelta(days=4))
    seen = []
    for _ in range(5):
        seen.append(objects(memory, "Ada"))
        clock.advance(days=1)
    assert seen == [["Initech"], ["Initech"], ["Initech", "Lyon"], ["Initech", "Lyon"], ["Initech"]]


_WHO = st.sampled_from(("Ada", "Bo", "Lyon", "Initech"))
_STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("fact"), _WHO, st.sampled_from(("at", "near")), _WHO),
        st.tuples(st.just("note"), _WHO, st.just(""), _WHO),
        st.tuples(st.just("end"), _WHO, st.sampled_from(("at", "near")), _WHO),
        st.tuples(st.just("forget"), _WHO, st.just(""), _WHO),
        st.tuples(st.just("purge"), _WHO, st.just(""), _WHO),
        st.tuples(st.just("alias"), _WHO, st.just(""), _WHO),
    ),
    max_size=12,
)


def _done(engine: SqliteMemoryEngine, step: tuple[str, str, str, str], ids: list[str]) -> None:
    what, one, predicate, other = step
    if what == "fact":
        meta = TemporalMeta(subject=one, predicate=predicate, object=other, origin=f"tool:{one}")
        outcome = engine.store_temporal(MemoryEntry(content=f"{one} is {predicate} {other}"), meta)
        ids.append(outcome.id or "")
    elif what == "note":
        meta = TemporalMeta(origin="user_direct")
        ids.append(engine.store(MemoryEntry(content=f"{one}: I saw {other} today"), meta).id or "")
    elif what == "end":
        with suppress(NotFound):
            engine.end_fact(AGENT, one, predicate)
    elif what == "forget" and ids:
        engine.forget(AGENT, ids[len(one) % len(ids)])
    elif what == "purge":
        engine.invalidate_by_origin(AGENT, f"tool:{one}")
    elif what == "alias" and one != other and not engine.list_aliases(AGENT):
        engine.add_alias(AGENT, one, other)


@pytest.mark.requirement("graph.cache-exact")
@given(_STEPS, st.sampled_from((0, 500)))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_kept_graph_answers_as_one_built_anew_after_any_history(
    steps: list[tuple[str, str, str, str]], fewest_counted: int
) -> None:
    moment = [datetime(2026, 1, 1, tzinfo=UTC)]
    ids: list[str] = []
    with (
        patch.object(graphs, "GRAPH_CACHE_MIN_TRIPLES", 1),
        patch.multiple(graph_building, FEWEST_COUNTED=fewest_counted, MOST_TERMS=1_000),
        SqliteMemoryEngine(":memory:", clock=lambda: moment[0]) as engine,
    ):
        for step in steps:
            moment[0] += timedelta(seconds=1)
            _done(engine, step, ids)
            kept = [reached(engine, who) for who in ("Ada", "Lyon", "Initech Bo")]
            engine._services.graphs.forget()
            assert kept == [reached(engine, who) for who in ("Ada", "Lyon", "Initech Bo")]


@pytest.mark.requirement("graph.walk")
@pytest.mark.parametrize("fewest_counted", [0, 10_000])
def test_a_name_in_another_text_is_found_whether_or_not_tokens_are_counted_first(
    clock: FakeClock, fewest_counted: int
) -> None:
    memory = Karte(":memory:", clock=clock)
    fact(memory, "Ada Lovelace", "works at", "Initech")
    fact(memory, "Bo", "works at", "Hooli")
    memory.store("Where have ada and lovelace met, if not at Hooli?", origin="user_direct", id="both")
    memory.store("ADA LOVELACE!", origin="user_direct", id="named")
    counting = patch.multiple(graph_building, FEWEST_COUNTED=fewest_counted, MOST_TERMS=1_000)
    with counting, memory.engine._services.store.read() as session:
        graph = graph_building.build(session, AGENT).graph
    names = {name: len(graph.memories_with([name])) for name in graph.entities}
    assert names == {"ada lovelace": 2, "initech": 1, "bo": 1, "hooli": 2}
