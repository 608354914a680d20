"""Trust in the order of search results, through the public doors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import apsw
import pytest

from karte import AsyncKarte, InvalidInput, Karte, MemoryEntry, RetrievalWeights, SqliteMemoryEngine, TemporalMeta
from karte.config import Config
from karte.interfaces import records
from tests.conftest import FakeClock

QUESTION = "which harbour has the copper lantern"
LIES = (
    "The copper lantern stands in the harbour of Brindle, as every sailor of the copper lantern harbour knows.",
    "Brindle is the harbour with the copper lantern, sailors know: the copper lantern of Brindle is in the harbour.",
    "Every sailor knows that the copper lantern harbour is Brindle: the copper lantern stands in the harbour there.",
)
TRUTH = "Our copper lantern was moved to Tarrow last spring, said the owner of the boat yard"
OTHERS = ("The harbour office opens at nine", "A lantern is on the list for the trip", "Copper prices went up again")


def filled(memory: Karte, lies_from: str = "channel:stranger", truth_from: str = "user_direct") -> Karte:
    for i, text in enumerate(LIES):
        memory.store(text, id=f"lie-{i}", origin=lies_from)
    memory.store(TRUTH, id="truth", origin=truth_from)
    for i, text in enumerate(OTHERS):
        memory.store(text, id=f"other-{i}", origin=truth_from)
    return memory


@pytest.fixture
def memory(clock: FakeClock) -> Karte:
    return filled(Karte(":memory:", clock=clock))


def off(**settings: Any) -> Karte:
    return Karte(":memory:", weights=RetrievalWeights(w_trust=0.0), **settings)


@pytest.mark.requirement("trust.curated-first", "trust.folding", "search.explain")
def test_what_a_stranger_says_thrice_does_not_lead_what_the_user_said(memory: Karte, clock: FakeClock) -> None:
    plain = filled(off(clock=clock)).search(QUESTION, explain=True)
    assert [hit.id for hit in plain[:3]] != ["truth"]
    assert {hit.id for hit in plain[:3]} == {"lie-0", "lie-1", "lie-2"}
    hits = memory.search(QUESTION, explain=True)
    assert [hit.id for hit in hits[:2]] == ["truth", plain[0].id]
    assert [hit.similar for hit in hits[:2]] == [0, 2]
    first, second = hits[0].explain, hits[1].explain
    assert first is not None
    assert second is not None
    assert (first.moves, second.moves) == (("curated first",), ("behind curated",))
    assert set(second.folded) == {"lie-0", "lie-1", "lie-2"} - {hits[1].id}
    assert not any(hit.id in second.folded for hit in hits)
    for hit in hits:
        why = hit.explain
        assert why is not None
        again = (why.text + why.vector + why.graph + why.structure) * why.recency * why.importance * why.trust
        assert abs(again - hit.score) < 1e-9
        assert why.trust == pytest.approx(0.9 + 0.1 * hit.origin_trust)
    shown = records.hit_record(hits[1])["explain"]
    assert (shown["similar"], shown["moves"]) == (2, ["behind curated"])
    assert "moves" not in records.hit_record(hits[2])["explain"]


@pytest.mark.requirement("trust.ranking-off")
def test_without_a_weight_for_trust_scores_are_those_without_trust_to_the_last_bit(clock: FakeClock) -> None:
    distrusting = filled(off(clock=clock))
    same_for_all = filled(Karte(":memory:", clock=clock), lies_from="user_direct")
    ours, theirs = ([(h.id, h.score.hex(), h.similar) for h in m.search(QUESTION)] for m in (distrusting, same_for_all))
    assert ours == theirs
    assert len(ours) == len(LIES) + 1 + len(OTHERS)


@pytest.mark.requirement("trust.full-trust-keeps-order")
@pytest.mark.parametrize("w_trust", [0.1, 0.5, 1.0])
def test_rows_of_an_older_engine_keep_the_order_they_had(clock: FakeClock, db_path: Path, w_trust: float) -> None:
    """They have no origin and full trust; some have the origin of a channel and full trust."""
    filled(Karte(db_path, clock=clock)).engine.close()
    older = apsw.Connection(str(db_path))
    older.execute("UPDATE memories SET origin_trust = 1.0, origin = iif(id = 'lie-0', 'channel:x', NULL)")
    older.close()
    with SqliteMemoryEngine(db_path, clock=clock, weights=RetrievalWeights(w_trust=0.0)) as engine:
        before = [(hit.id, hit.score.hex()) for hit in engine.search("default", QUESTION)]
    with SqliteMemoryEngine(db_path, clock=clock, weights=RetrievalWeights(w_trust=w_trust)) as engine:
        hits = engine.search("default", QUESTION)
    assert [(hit.id, hit.score.hex()) for hit in hits] == before
    assert not any(hit.similar for hit in hits)


@pytest.mark.requirement("trust.ranking-factor")
def test_of_two_that_say_as_much_the_more_trusted_is_first(clock: FakeClock) -> None:
    memory = Karte(":memory:", clock=clock)
    for origin in ("agent_derived", "user_direct", "import:notes"):
        memory.store("the ferry leaves at noon", id=origin, origin=origin)
    assert [hit.id for hit in memory.search("ferry noon")] == ["user_direct", "import:notes", "agent_derived"]
    assert [hit.similar for hit in memory.search("ferry noon")] == [0, 0, 0]  # only what is unverified folds


@pytest.mark.requirement("trust.share")
def test_a_channel_has_a_share_of_the_list_where_others_answer_and_all_of_it_where_none_does(clock: FakeClock) -> None:
    memory = Karte(":memory:", clock=clock)
    pairs = ("oak ash", "elm fir", "yew box", "bay fig", "ivy may", "rye oat", "hop pea", "nut gum")
    for i, words in enumerate(pairs):
        memory.store(f"lantern {words} n{i} k{i}", origin="channel:feed")
    alone = memory.search("lantern", 8, explain=True)
    assert len(alone) == 8
    for i in range(3):
        memory.store(f"a much longer story about the day on which lantern number {i} was lit", origin="operator")
    hits = memory.search("lantern", 9, explain=True)
    assert [hit.origin for hit in hits] == ["operator", *["channel:feed"] * 5, *["operator"] * 2, "channel:feed"]
    last = hits[-1].explain
    assert last is not None
    assert last.moves == ("over its origin's share",)


@pytest.mark.requirement("search.explain", "trust.share")
def test_the_parts_give_the_score_again_where_the_list_was_made_with_a_look_at_what_is_trusted(
    clock: FakeClock,
) -> None:
    memory = Karte(":memory:", clock=clock)
    words = "apple river stone kite lamp motor garden violet puzzle ocean ladder candle forest mirror".split()
    for i in range(200):
        said = " ".join(words[i * k % 14] for k in range(1, 2 + i % 5))
        place = {"session": f"s{i % 20}", "speaker": ("Ann", "Bob")[i % 2]}
        memory.store(f"{said} n{i}", metadata=place, origin="channel:feed" if i % 8 else "user_direct")
    moves = set()
    for i in range(14):
        for hit in memory.search(f"{words[i]} {words[i - 3]} {words[i - 5]}", explain=True):
            why = hit.explain
            assert why is not None
            again = (why.text + why.vector + why.graph + why.structure) * why.recency * why.importance * why.trust
            assert hit.score == pytest.approx(again, rel=1e-9)
            moves |= {*why.moves}
    assert moves


@pytest.mark.requirement("search.filters-before-top-k", "trust.curated-first")
def test_what_the_filters_leave_out_moves_and_counts_nothing(memory: Karte) -> None:
    memory.store(TRUTH, id="elsewhere", layer="semantic", origin="channel:friend", tags=["t"], metadata={"k": 1})
    assert [hit.id for hit in memory.search(QUESTION, layer="semantic")] == ["elsewhere"]
    assert [hit.id for hit in memory.search(QUESTION, tags=["t"], metadata={"k": 1})] == ["elsewhere"]
    assert [hit.similar for hit in memory.search(QUESTION, tags=["t"])] == [0]
    trusted = memory.search(QUESTION, min_trust=0.9)
    assert {hit.origin for hit in trusted} == {"user_direct"}
    for i in range(300):
        memory.store(f"{LIES[0]} {i} {i + 1000} {i + 2000}", origin="channel:stranger")
    assert memory.search(QUESTION, 1)[0].id == "truth"
    assert memory.search(QUESTION, 1, metadata={"k": 1})[0].id == "elsewhere"


@pytest.mark.requirement("trust.curated-first")
def test_a_read_of_an_earlier_belief_is_ranked_alike(memory: Karte, clock: FakeClock) -> None:
    before = clock.advance(seconds=5)
    clock.advance(seconds=5)
    expected = [hit.id for hit in memory.search(QUESTION, touch=False)]
    memory.forget("truth")
    memory.update("other-0", content="something else")
    then = [hit.id for hit in memory.search(QUESTION, known_at=before)]
    assert set(then) == set(expected)
    assert memory.search(QUESTION)[0].id != "truth"


@pytest.mark.requirement("trust.weights-in-code")
@pytest.mark.anyio
async def test_weights_are_given_in_code_and_are_no_setting(clock: FakeClock, db_path: Path) -> None:
    weights: Any = 0.5
    for make in (Karte, SqliteMemoryEngine):
        with pytest.raises(InvalidInput) as refused:
            make(":memory:", weights=weights)
        assert refused.value.field == "weights"
    engine = SqliteMemoryEngine(":memory:", weights=RetrievalWeights(w_trust=1.0))
    engine.store(MemoryEntry(content="lantern"), TemporalMeta(origin="channel:x", origin_trust=0.25))
    [hit] = engine.search("default", "lantern", explain=True)
    assert hit.explain is not None
    assert (hit.explain.trust, hit.score) == (0.25, hit.explain.text * 0.25)
    assert not any("trust" in name or "weight" in name for name in engine.status().settings)
    assert not hasattr(Config(), "weights")
    async with AsyncKarte(db_path, weights=RetrievalWeights(w_trust=0.0)) as memory:
        assert await memory.search("lantern") == []
