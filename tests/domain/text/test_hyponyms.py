"""A kind of things that a query names brings the things: pure, and through the door of a search."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karte import Karte, RetrievalWeights
from karte.domain.fusion import KIND_ALONE, MOST_OF_KIND, with_kinds
from karte.domain.text import parse_query
from karte.domain.text.hyponym_words import ENGLISH
from karte.domain.text.hyponym_words_chinese import CHINESE
from karte.domain.text.hyponym_words_japanese import JAPANESE
from karte.domain.text.hyponym_words_korean import KOREAN
from karte.domain.text.hyponym_words_thai import THAI
from karte.domain.text.hyponyms import MOST_THINGS, things_asked
from karte.domain.text.scripts import is_unspaced

LINES = f"{ENGLISH}{JAPANESE}{CHINESE}{KOREAN}{THAI}".replace("\n  ", " ").split("\n")


def things(query: str) -> set[str]:
    return {term.word for term in things_asked(query, parse_query(query)).terms}


@pytest.mark.requirement("search.kinds")
@pytest.mark.parametrize(
    ("query", "thing", "other"),
    [
        ("What martial arts has John done?", "taekwondo", "painting"),
        ("Which pets do they have", "hamster", "guitar"),
        ("What are Melanie's pets' names?", "kitten", "violin"),
        ("which programming language do we use", "rust", "english"),
        ("Which car do we drive now?", "toyota", "guitar"),
        ("How old is Ruth?", "turned", "euros"),
        ("which European cities has she seen", "france", "guitar"),
        ("피해야 하는 약은 뭐야?", "페니실린", "축구"),
        ("どんなスポーツが好き？", "サッカー", "ギター"),
        ("她养什么宠物", "狗", "吉他"),
        ("她養什麼寵物", "貓", "吉他"),
        ("취미가 뭐야?", "낚시", "고양이"),
        ("健太はどこに住んでいますか", "マンション", "読書"),
        ("健太の妻の名前は", "奥さん", "夫"),
        ("王明的老婆在哪里上班", "妻子", "丈夫"),
        ("她住在哪裡", "搬到", "吉他"),
        ("지금 무슨 일을 해?", "간호사", "축구"),
        ("도윤의 와이프는 뭐 해?", "아내", "남편"),
        ("มะลิเล่นเครื่องดนตรีอะไร", "กีตาร์", "แมว"),
    ],
)
def test_the_name_of_a_kind_asks_for_the_things(query: str, thing: str, other: str) -> None:
    assert thing in things(query)
    assert other not in things(query)


@pytest.mark.requirement("search.kinds")
@pytest.mark.parametrize(
    "query",
    ["", "?", "sports", "Sports?", "スポーツ", "宠物", "妻", "妻は？", "妻子", '"sports" today', "the deploy failed"],
)
def test_a_single_word_and_a_phrase_are_looked_for_as_they_stand(query: str) -> None:
    assert things(query) == set()


@pytest.mark.requirement("search.kinds")
@pytest.mark.parametrize(
    "query", ["who operates the crane", "did it weather well", "the team is presenting", "where does she live"]
)
def test_a_verb_names_no_kind(query: str) -> None:
    assert {"ubuntu", "necklace", "teacher"}.isdisjoint(things(query))


@pytest.mark.requirement("search.kinds")
def test_what_is_asked_for_by_its_own_name_is_not_asked_for_twice() -> None:
    assert "basketball" in things("What sports does he like?")
    assert "basketball" not in things("What sports does he like besides basketball?")


@pytest.mark.requirement("search.kinds")
@given(st.lists(st.sampled_from("What sports pets hobbies countries food 趣味 は cities did she like ?".split())))
def test_of_many_kinds_each_has_its_turn_and_all_of_them_a_bound(words: list[str]) -> None:
    query = " ".join(words)
    assert len(things(query)) <= MOST_THINGS
    if len(words) > 1 and {"sports", "countries", "cities"} <= set(words):
        assert {"football", "usa", "new york"} <= things(query)


def test_the_table_has_no_empty_name_and_no_name_that_could_never_be_found() -> None:
    for line in filter(None, LINES):
        names, _, listed = line.partition(":")
        assert all(thing.strip() for thing in listed.split(",")), line
        for name in (each.strip() for each in names.split(",")):
            assert 1 <= len(name) <= 12 if is_unspaced(name[0]) else 1 <= len(name.split()) <= 2, name


TEXT_SCORES = st.dictionaries(st.integers(1, 20), st.floats(0.01, 30.0), max_size=10)


@pytest.mark.requirement("search.kinds")
@given(TEXT_SCORES, TEXT_SCORES, st.floats(0.0, 10.0))
def test_things_add_to_words_and_never_more_than_their_share_of_the_best(
    own: dict[int, float], of_kind: dict[int, float], weight: float
) -> None:
    together = with_kinds(own, of_kind, weight)
    best = max([*own.values(), *(KIND_ALONE * text for text in of_kind.values())], default=0.0)
    assert together.keys() == own.keys() | of_kind.keys()
    for ordinal, text in together.items():
        assert 0.0 <= text - own.get(ordinal, 0.0) <= MOST_OF_KIND * best + 1e-9


@pytest.mark.requirement("search.kinds")
def test_who_asks_for_a_kind_finds_the_thing_and_is_told_why() -> None:
    with Karte(":memory:", agent="anna") as karte:
        karte.store("I took up kickboxing in May")
        karte.store("The printer is out of paper")
        karte.store("John likes arts of all sorts")
        [_, second] = karte.search("What martial arts does she do?", explain=True)
        assert second.explain is not None
        assert (second.content, second.explain.things) == ("I took up kickboxing in May", ("kickboxing",))
        assert second.explain.terms == ()
        assert [hit.content for hit in karte.search("martial")] == []


@pytest.mark.requirement("search.kinds")
def test_a_name_that_nearly_everything_holds_does_not_drown_the_thing() -> None:
    with Karte(":memory:", agent="anna") as karte:
        for text in ("is late", "likes the rain", "called twice", "sold the cello", "walks to work"):
            karte.store(f"Nora {text}")
        karte.store("the bus was full")
        first, second, *_ = karte.search("What instrument did Nora play?", explain=True)
        assert first.content == "Nora sold the cello"
        assert first.explain is not None
        assert second.explain is not None
        assert first.explain.text > 0.05
        assert second.explain.text < 0.001


@pytest.mark.requirement("search.kinds")
def test_the_end_of_a_loanword_is_not_the_word() -> None:
    with Karte(":memory:", agent="anna") as karte:
        karte.store("最近ちょっと太ってきたからダイエット中")
        karte.store("ロケットの打ち上げを見た")
        karte.store("猫のモモも一緒に連れて行く")
        karte.store("週末はロードバイクで走る")
        assert [hit.content for hit in karte.search("どんなペットを飼っていますか")] == ["猫のモモも一緒に連れて行く"]
        assert karte.search("ペット") == []
        assert [hit.content for hit in karte.search("バイクの色は？")] == ["週末はロードバイクで走る"]
        assert [hit.content for hit in karte.search("ロードレース")] == ["週末はロードバイクで走る"]


@pytest.mark.requirement("search.kinds")
def test_the_weight_switches_kinds_off() -> None:
    with Karte(":memory:", agent="anna", weights=RetrievalWeights(w_kind=0.0)) as karte:
        karte.store("I took up kickboxing in May")
        assert karte.search("What martial arts does she do?") == []
