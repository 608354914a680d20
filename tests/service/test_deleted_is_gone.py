"""What is deleted is found by no path, in no process, and leaves nothing in a side table (FB-28)."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from karte import Karte, RetrievalWeights
from tests.conftest import FakeClock

ID = "lost"
WEIGHTS = RetrievalWeights(graph_embed_seed=True)  # names of entities are embedded too
SIDE_TABLES = {
    "words": "SELECT count(*) FROM memory_index_docsize WHERE id NOT IN (SELECT ordinal FROM memories)",
    "turns": "SELECT count(*) FROM memory_turns WHERE ordinal NOT IN (SELECT ordinal FROM memories)",
    "names": "SELECT count(*) FROM entity_embedding WHERE entity LIKE '%cobalt%'",
    "assertions": "SELECT count(*) FROM memory_assertions WHERE subject LIKE '%obalt%'",
    "vectors": "SELECT count(*) FROM memories WHERE id = 'lost' AND embedding IS NOT NULL",
}


class Lamps:
    """An embedder for which a lantern is a lamp."""

    name = "lamps"
    dimension = 2

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        are = ["lantern" in text or "lamp" in text for text in texts]
        return [[float(is_lamp), float(not is_lamp)] for is_lamp in are]


def store(memory: Karte, text: str) -> None:
    memory.store(text, id=ID, subject="Cobalt", predicate="is", object="Nine", valid_from="2026-01-01")


def found(memory: Karte) -> dict[str, bool]:
    """Which paths give the memory out: by its words, by what they mean, by a connection, by its id, in a list."""

    def by(part: str, query: str) -> bool:
        hits = memory.search(query, 50, touch=False, explain=True)
        return any(hit.id == ID and getattr(hit.explain, part) > 0.0 for hit in hits)

    return {
        "words": by("text", "cobalt nine"),
        "meaning": by("vector", "lamp"),
        "graph": by("graph", "Where is the mine of Mary?"),
        "batch": [one.id for one in memory.get_by_ids([ID]).memories] == [ID],
        "list": ID in {one.id for one in memory.list_recent()},
        "history": bool(memory.get_history("Cobalt", "is")),
    }


def left(path: Path) -> dict[str, int]:
    """What the side tables still hold of rows that are gone."""
    with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as connection:
        return {name: int(str(connection.execute(sql).get)) for name, sql in SIDE_TABLES.items()}


@pytest.mark.requirement("erase.nothing-left", "vectors.no-orphans")
def test_what_is_erased_is_found_by_no_path_and_a_new_row_of_its_id_inherits_nothing(
    db_path: Path, clock: FakeClock
) -> None:
    with (
        Karte(db_path, clock=clock, embedder=Lamps(), weights=WEIGHTS, origin="user_direct") as memory,
        Karte(db_path, clock=clock, embedder=Lamps(), weights=WEIGHTS) as other,
    ):
        memory.store_temporal("Mary owns a mine", subject="Mary", predicate="owns", object="Nine")
        memory.store("a kite on the hill")
        store(memory, "lantern cobalt nine")
        for each in (memory, other):
            assert set(found(each).values()) == {True}, found(each)
        assert left(db_path) == {"words": 0, "turns": 0, "names": 1, "assertions": 1, "vectors": 1}
        clock.advance(seconds=1)
        memory.erase(subject="Cobalt")
        for each in (memory, other):
            assert set(found(each).values()) == {False}, found(each)
        assert left(db_path) == dict.fromkeys(SIDE_TABLES, 0)

        clock.advance(seconds=1)
        memory.store("wooden spoon", id=ID)
        for each in (memory, other):
            shown = found(each)
            assert {path for path, is_there in shown.items() if is_there} == {"batch", "list"}
        assert memory.doctor().is_healthy


@pytest.mark.requirement("vectors.no-orphans")
def test_the_old_words_of_a_changed_memory_find_it_no_more(db_path: Path, clock: FakeClock) -> None:
    with Karte(db_path, clock=clock, embedder=Lamps()) as memory, Karte(db_path, clock=clock) as other:
        memory.store("lantern cobalt nine", id=ID)
        for each in (memory, other):
            assert [hit.id for hit in each.search("cobalt lantern", touch=False)] == [ID]
        clock.advance(seconds=1)
        memory.update(ID, content="wooden spoon")
        for each in (memory, other):
            for query in ("lantern", "cobalt", "nine"):
                assert not [hit for hit in each.search(query, touch=False, explain=True) if hit.explain.text > 0.0]  # type: ignore[union-attr]
            assert [hit.id for hit in each.search("spoon", touch=False)] == [ID]
