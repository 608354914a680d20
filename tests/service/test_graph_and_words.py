"""Where words and graph say different things: who comes first, and why."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karte import Karte, MemoryEntry
from karte.domain.fusion import Relevance, direct
from tests.conftest import FakeClock

FILLER = [f"{a} {b} {c} {a}" for a in ("red", "blue", "stone") for b in ("river", "cloud", "paper") for c in ("a", "b")]
WORTHS = st.dictionaries(
    st.integers(0, 20),
    st.tuples(st.floats(0.0, 10.0), st.floats(0.0, 10.0)).map(lambda each: Relevance(text=each[0], graph=each[1])),
    max_size=10,
)


def remembered(clock: FakeClock, facts: list[tuple[str, str, str, str]], plain: list[str]) -> Karte:
    memory = Karte(":memory:", clock=clock, origin="user_direct")
    for content, subject, predicate, value in facts:
        memory.store_temporal(content, subject=subject, predicate=predicate, object=value)
    for content in (*plain, *FILLER):
        memory.store(content)
    return memory


def stated(*facts: tuple[str, str, str]) -> list[tuple[str, str, str, str]]:
    return [(" ".join(fact), *fact) for fact in facts]


def first(memory: Karte, query: str) -> str:
    return memory.search(query, 1, touch=False)[0].memory.content


@pytest.fixture
def town(clock: FakeClock) -> Karte:
    facts = [
        ("Tim's mother is Grace", "Tim", "mother", "Grace"),
        ("Grace lives in Graz", "Grace", "lives_in", "Graz"),
        ("api is owned by core team", "api", "owner", "core team"),
    ]
    plain = [
        "Mother Grace Hospital is in Rome",
        "Tim read the book Mother by Gorky",
        "owner_id column of the api table",
    ]
    return remembered(clock, facts, plain)


@pytest.mark.requirement("graph.words-first")
@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("Where is Mother Grace Hospital?", "Mother Grace Hospital is in Rome"),
        ('"Mother Grace Hospital"', "Mother Grace Hospital is in Rome"),
        ("Which book did Tim read, Mother?", "Tim read the book Mother by Gorky"),
        ("api owner_id", "owner_id column of the api table"),
        ("api owner_id column", "owner_id column of the api table"),
        ("Who is Tim's mother?", "Tim's mother is Grace"),
        ("Where does Tim's mother live?", "Grace lives in Graz"),
        ("Who is the owner of api?", "api is owned by core team"),
    ],
)
def test_what_holds_every_word_comes_before_what_the_graph_brings_on_some(town: Karte, query: str, answer: str) -> None:
    assert first(town, query) == answer


@pytest.mark.requirement("graph.words-first")
@given(WORTHS, st.sets(st.integers(0, 20)), st.sets(st.integers(0, 20)))
def test_what_is_added_brings_the_best_of_them_to_the_front_and_keeps_their_order(
    worth: dict[int, Relevance], holding: set[int], answering: set[int]
) -> None:
    more = direct(worth, holding, answering)
    assert set(more) <= holding & set(worth)
    assert all(value >= 0.0 for value in more.values())
    brought = [each.total for ordinal, each in worth.items() if each.graph and ordinal not in answering]
    there = {ordinal: worth[ordinal].total + more.get(ordinal, 0.0) for ordinal in holding & set(worth)}
    if max((worth[each].total for each in there), default=0.0) > 0.0 and brought:
        assert max(there.values()) >= max(brought) - 1e-9
    for one, value in there.items():
        assert all(value <= after + 1e-9 for other, after in there.items() if worth[one].total <= worth[other].total)


@pytest.mark.requirement("graph.words-first", "search.explain")
def test_a_shorter_list_is_the_beginning_of_a_longer_one_where_the_graph_is_asked(clock: FakeClock) -> None:
    facts = [
        (f"{name} {n}'s {predicate} is {value} {n}", f"{name} {n}", predicate, f"{value} {n}")
        for n in range(20)
        for name, predicate, value in (("Ann", "mother", "Eva"), ("Eva", "city", "Live Town"), ("Ann", "boss", "Rita"))
    ]
    memory = remembered(clock, facts, [f"we live near the mother church {n}" for n in range(60)])
    query = "Where does the mother of Ann 7 live?"
    whole = [(hit.id, hit.score, hit.explain) for hit in memory.search(query, 50, explain=True, touch=False)]
    for limit in (1, 5, 10, 20):
        part = [(hit.id, hit.score, hit.explain) for hit in memory.search(query, limit, explain=True, touch=False)]
        assert part == whole[:limit]


@pytest.mark.requirement("graph.seeds", "graph.chains")
@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("Who is my wife?", "user spouse Anna"),
        ("Where does my wife live?", "Anna city Linz"),
        ("Where do I live?", "user city Wien"),
        ("我妻子住在哪里", "Anna city Linz"),
        ("私の妻はどこに住んでいますか", "Anna city Linz"),
        ("제 아내는 어디에 살아요", "Anna city Linz"),
        ("妻はどこに住んでいますか", "Anna city Linz"),
        ("아내는 어디에 살아요", "Anna city Linz"),
        ("What does my wife do for a living?", "Anna job vet"),
        ("what is my son allergic to", "Paul allergy peanuts"),
        ("how old is my kid", "Paul age 8"),
        ("what do I like to eat", "user favorite_food goulash"),
        ("Where does Tim live? I forgot.", "Tim city Prag"),
    ],
)
def test_who_asks_of_himself_means_the_user(clock: FakeClock, query: str, answer: str) -> None:
    facts = stated(
        ("user", "spouse", "Anna"),
        ("Anna", "city", "Linz"),
        ("user", "city", "Wien"),
        ("Anna", "job", "vet"),
        ("user", "child", "Paul"),
        ("Paul", "allergy", "peanuts"),
        ("Paul", "age", "8"),
        ("user", "favorite_food", "goulash"),
        ("user", "favorite_city", "Rome"),
        ("Tim", "spouse", "Eva"),
        ("Tim", "city", "Prag"),
        ("Eva", "city", "Bonn"),
    )
    assert first(remembered(clock, facts, []), query) == answer


@pytest.mark.requirement("graph.chains")
@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("Who is Tom's brother-in-law?", "Ella husband Omar"),
        ("Where does Tom's brother-in-law live?", "Omar city Lyon"),
        ("Who is Mia's brother-in-law?", "Tom brother Ben"),
        ("who leads the team that owns billing-service?", "team Falcon lead Priya"),
        ("slack handle of the lead of the owner of billing-service", "Priya slack @priya"),
        ("What breed is Ella's dog?", "Biscuit breed corgi"),
        ("How do I reach Tom's landlord?", "Mr. Kaur phone_number 0113 555"),
        ("Where is Ella's employer based?", "Airbus headquarters Toulouse"),
        ("How old is Tom?", "Tom date_of_birth 1999-05-04"),
        ("Which football club does Tom support?", "Tom favourite_team Leeds United"),
        ("Does anyone in Tom's family have allergies?", "Ella allergy nuts"),
    ],
)
def test_what_is_asked_of_people_and_services_is_followed_as_it_is_said(
    clock: FakeClock, query: str, answer: str
) -> None:
    facts = stated(
        ("Tom", "sister", "Ella"),
        ("Ella", "husband", "Omar"),
        ("Omar", "city", "Lyon"),
        ("Mia", "husband", "Tom"),
        ("Tom", "brother", "Ben"),
        ("Tom", "medication", "metformin"),
        ("Tom", "landlord", "Mr. Kaur"),
        ("Mr. Kaur", "phone_number", "0113 555"),
        ("Tom", "date_of_birth", "1999-05-04"),
        ("Tom", "favourite_team", "Leeds United"),
        ("Ella", "pet", "Biscuit"),
        ("Biscuit", "breed", "corgi"),
        ("Ella", "employer", "Airbus"),
        ("Ella", "allergy", "nuts"),
        ("Airbus", "headquarters", "Toulouse"),
        ("billing-service", "owner", "team Falcon"),
        ("billing-service", "timeout", "30s"),
        ("team Falcon", "lead", "Priya"),
        ("Priya", "slack", "@priya"),
    )
    assert first(remembered(clock, facts, []), query) == answer


def talk(clock: FakeClock) -> Karte:
    memory = Karte(":memory:", clock=clock, origin="user_direct")
    turns = [
        ("Ann", "Did you hear about the new tram?"),
        ("Bob", "Yes, it opens in autumn."),
        ("Ann", "My sister moved to Graz last year."),
        ("Bob", "Nice town, that."),
        ("Ann", "Are you not allergic to cats, Bob?"),
        ("Bob", "I take pills, so I kept him."),
        ("Ann", "What do you call him?"),
        ("Bob", "Three legs and a torn ear."),
        ("Ann", "Poor thing."),
        ("Bob", "The roof of the shed came down."),
    ]
    for who, what in turns:
        memory.store(f"{who}: {what}")
    return memory


@pytest.mark.requirement("graph.speakers")
def test_who_speaks_leads_to_none_of_his_turns(clock: FakeClock) -> None:
    with talk(clock) as memory:
        hits = memory.search("What is Bob allergic to?", 10, touch=False, explain=True)
        found = [hit.memory.content for hit in hits]
        assert found[0] == "Bob: I take pills, so I kept him."  # the answer to the turn with the word
        assert "Ann: Are you not allergic to cats, Bob?" in found[:3]
        assert all(hit.explain is not None and hit.explain.graph == 0.0 for hit in hits)


@pytest.mark.requirement("graph.speakers")
@pytest.mark.parametrize("facts", [1, 12])
def test_who_is_spoken_of_more_than_he_speaks_leads_on(clock: FakeClock, facts: int) -> None:
    with talk(clock) as memory:
        memory.store_temporal("it was carved by hand", subject="shed", predicate="built_by", object="Cleo")
        for number in range(facts):
            memory.store_temporal("his own", subject="Bob", predicate=f"thing {number}", object="shed")
        told = {hit.memory.content: hit.explain for hit in memory.search("Tell of Bob", 30, touch=False, explain=True)}
        carved = told.get("it was carved by hand")
        assert (carved is not None and carved.path == ("bob", "shed")) is (facts > 1)


@pytest.mark.requirement("graph.words-first")
def test_what_other_agents_hold_moves_nothing(clock: FakeClock, town: Karte) -> None:
    for number in range(120):
        town.engine.store(MemoryEntry(content=f"Mother Grace Hospital, bed {number}", agent_id="other"))
    assert first(town, "Where is Mother Grace Hospital?") == "Mother Grace Hospital is in Rome"


@pytest.mark.requirement("graph.speakers")
def test_a_title_that_stands_before_several_texts_still_leads_on(clock: FakeClock) -> None:
    with Karte(":memory:", clock=clock, origin="user_direct") as memory:
        for title, text in [
            ("Lake Bled", "a town with an island"),
            ("Lake Bled", "the water is warm in June"),
            ("Lake Bled", "Ivan Novak built the church"),
            ("Old Mill", "closed since the flood"),
            ("Ivan Novak", "born in Kranj"),
            ("Green Pass", "open from May"),
        ]:
            memory.store(f"{title}: {text}")
        found = {hit.memory.content: hit.explain for hit in memory.search("Lake Bled", 10, touch=False, explain=True)}
        told = found["Ivan Novak: born in Kranj"]
        assert told is not None
        assert told.graph > 0.0
