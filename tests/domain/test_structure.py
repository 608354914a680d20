"""Conversations: how one is known, and what its turns lend each other."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karte import Karte, RetrievalWeights
from karte.domain.structure import Said, leading_name, named_speakers, turn_of, with_neighbours
from karte.domain.weights import RetrievalWeights as Weights
from tests.conftest import FakeClock

TALK = (
    ("Ann", "What did you do at the weekend, Bob?"),
    ("Bob", "We climbed the Rigi and stayed in a hut."),
    ("Ann", "With the children?"),
    ("Bob", "Yes, both of them."),
    ("Ann", "I have to call the dentist."),
)


def ids(memory: Karte, query: str, limit: int = 10) -> list[str]:
    return [hit.memory.content for hit in memory.search(query, limit, touch=False)]


@pytest.mark.requirement("structure.neighbours")
@pytest.mark.parametrize("known_by", ["metadata", "source_event", "names and time"])
def test_an_answer_that_shares_no_word_with_the_question_is_found_beside_what_does(
    known_by: str, clock: FakeClock
) -> None:
    memory = Karte(":memory:", clock=clock)
    for turn, (who, text) in enumerate(TALK):
        more: dict[str, Any] = {"origin": "user_direct"}
        if known_by == "metadata":
            memory.store(text, metadata={"session": "s1", "turn": turn, "speaker": who}, **more)
        elif known_by == "source_event":
            memory.store(f"{who}: {text}", source_event="chat-7", **more)
        else:
            memory.store(f"{who}: {text}", **more)
        clock.advance(seconds=5)
    memory.store("The weekend edition of the paper is thin.", origin="user_direct")
    found = ids(memory, "How did Bob spend the weekend?", 3)
    assert any("Rigi" in text for text in found)
    apart = Karte(":memory:", clock=clock, weights=RetrievalWeights(w_structure=0.0))
    for who, text in TALK:
        apart.store(text, metadata={"session": "s1", "speaker": who}, origin="user_direct")
    assert not any("Rigi" in text for text in ids(apart, "How did Bob spend the weekend?"))


@pytest.mark.requirement("structure.neighbours")
def test_a_speaker_who_is_named_comes_before_another_who_says_the_same(clock: FakeClock) -> None:
    memory = Karte(":memory:", clock=clock)
    for turn, who in enumerate(("Ann", "Bob", "Ann", "Bob")):
        memory.store(f"my sister lives in Lyon {turn}", metadata={"session": 1, "turn": turn, "speaker": who})
    hits = memory.search("Where does the sister of Bob live?", touch=False)
    assert [hit.memory.metadata["speaker"] for hit in hits] == ["Bob", "Bob", "Ann", "Ann"]


@pytest.mark.requirement("structure.any-memory")
def test_titles_in_a_row_are_no_conversation(clock: FakeClock) -> None:
    memory = Karte(":memory:", clock=clock, weights=RetrievalWeights(w_graph=0.0))
    for name in ("Alpha", "Beta", "Gamma", "Delta", "Omega"):
        memory.store(f"{name}: a letter of the alphabet {name}", origin="user_direct")
    [hit] = memory.search("gamma", touch=False, explain=True)
    assert hit.explain is not None
    assert hit.explain.structure == 0.0


@pytest.mark.requirement("structure.any-memory")
@pytest.mark.parametrize(
    "notes",
    [
        ("Note: the harbour is deep", "Note: cranes are new", "Note: paint the mill", "Hint: it rains", "Tip: swim"),
        ("例: 港は深い", "例: クレーンは新しい", "例: 粉屋を塗る", "注意: 雨が降る", "時間: 泳ぐ"),
        ("主题（现在：深色）", "主题（现在：浅色）", "提醒一下，你的名是：甲", "主题（现在：自动）"),
    ],
)  # fmt: skip
def test_notes_with_the_same_label_in_a_row_are_no_conversation(notes: tuple[str, ...], clock: FakeClock) -> None:
    memory = Karte(":memory:", clock=clock, weights=RetrievalWeights(w_graph=0.0), origin="user_direct")
    for note in notes:
        memory.store(note)
        clock.advance(seconds=5)
    for query in ("harbour", "港", "深色"):
        assert {hit.memory.content for hit in memory.search(query, touch=False)} <= {n for n in notes if query in n}


@pytest.mark.requirement("structure.any-memory")
def test_a_change_of_what_was_said_and_putting_it_away_change_the_conversation(clock: FakeClock) -> None:
    memory = Karte(":memory:", clock=clock)
    for turn, text in enumerate(("where is the harbour", "behind the mill", "thanks")):
        memory.store(text, id=f"m{turn}", metadata={"session": "s", "turn": turn}, origin="user_direct")
    assert ids(memory, "harbour")[1] == "behind the mill"
    memory.update("m1", metadata={"session": "other"})
    assert "behind the mill" not in ids(memory, "harbour")
    memory.update("m1", metadata={"session": "s", "turn": 1})
    assert ids(memory, "harbour")[1] == "behind the mill"
    memory.forget("m1")
    assert "behind the mill" not in ids(memory, "harbour")
    memory.restore("m1")
    assert ids(memory, "harbour")[1] == "behind the mill"


@pytest.mark.requirement("structure.any-memory")
def test_facts_of_one_event_are_no_conversation_and_those_of_one_session_are(clock: FakeClock) -> None:
    for more, is_found in (({"source_event": "batch"}, False), ({"metadata": {"session": "s"}}, True)):
        memory = Karte(":memory:", clock=clock, origin="user_direct", weights=RetrievalWeights(w_graph=0.0))
        memory.store_temporal("the harbour is deep", subject="harbour", predicate="depth", object="deep", **more)
        memory.store_temporal("cranes are new", subject="cranes", predicate="age", object="new", **more)
        assert ("cranes are new" in ids(memory, "harbour")) is is_found


def test_a_turn_of_a_number_sorts_as_a_number() -> None:
    places = [turn_of("x", {"session": "s", "turn": n}, "", "") for n in (-3, 0, 2, 10, 10.5, 1e15)]
    assert [turn.place for turn in places if turn] == sorted(turn.place for turn in places if turn)
    assert turn_of("x", {"turn": True}, "e", "2026") == ("e", "2026", None, False, False)
    assert turn_of("plain words", {}, "", "2026") is None


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Ann: hi", "Ann"), ("Mary Ann: hi", "Mary Ann"), ("佐藤：はい", "佐藤"), ("https://x.y: z", None),
        ("at 10:30 we", None), ("so. He: no", None), ("O’Brien: hi", "O’Brien"), ("约翰·史密斯：好", "约翰·史密斯"),
        ("你好，佐藤：是", None), ("主题（深色）：是", None), ("a{0}: no", None), ("はい。佐藤：はい", None),
        ("one two three four five: no", None), ("2026: no", None),
    ],
)  # fmt: skip
def test_who_speaks_stands_before_a_colon(text: str, name: str | None) -> None:
    assert leading_name(text) == name


def test_a_speaker_is_named_by_a_word_of_the_name_or_all_of_an_unspaced_one() -> None:
    speakers = ("Mary Ann", "Bob", "佐藤", None)
    assert named_speakers("what does ann say", speakers) == {"Mary Ann"}
    assert named_speakers("佐藤さんは何と", speakers) == {"佐藤"}
    assert named_speakers("nobody", speakers) == frozenset()


_FOUND = st.lists(
    st.builds(
        Said,
        ordinal=st.integers(0, 20),
        text=st.floats(0.1, 10),
        session=st.sampled_from((None, "a", "b")),
        speaker=st.sampled_from((None, "Ann", "Bob")),
        is_question=st.booleans(),
        is_inferred=st.just(False),
    ),
    max_size=8,
    unique_by=lambda said: said.ordinal,
)


@pytest.mark.requirement("structure.neighbours")
@given(_FOUND)
def test_structure_only_adds_and_adds_nothing_where_there_is_no_conversation(found: list[Said]) -> None:
    around = {said.ordinal: (said.ordinal - 2, said.ordinal - 1, said.ordinal + 1, None) for said in found}
    added = with_neighbours(found, [], around, Weights(), "Ann?")
    assert all(value >= 0.0 for value in added.values())
    if not any(said.session for said in found):
        assert added == {}
    else:
        assert {said.ordinal for said in found} <= added.keys()
    assert not any(with_neighbours(found, [], around, Weights(w_structure=0.0), "Ann?").values())
