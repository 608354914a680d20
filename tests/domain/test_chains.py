"""Chains of facts whose relations a query names: pure, and through the door of a search."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karte import Karte, RetrievalWeights
from karte.domain.chains import MOST_JOINED, MOST_STATES, End, Link, ahead, chained
from karte.domain.linking import possible_names
from karte.domain.relation_slots import MOST_SLOTS, asked_as_objects, begins_with_relation, slots_of, starts
from karte.domain.relations import OF_A_KIND, relation_of
from tests.conftest import FakeClock

KIN = [("leon", "spouse", "mia"), ("mia", "parents", "otto"), ("otto", "city", "graz"), ("otto", "hobby", "chess")]
NAMES = st.sampled_from("abcdef")
FACTS = st.lists(st.tuples(NAMES, st.sampled_from(["spouse", "parents", "city", "hobby"]), NAMES), max_size=12)


def links(facts: list[tuple[str, str, str]], trusts: dict[int, float] | None = None) -> list[Link]:
    return [
        Link(number, predicate, (trusts or {}).get(number, 1.0), subject, value)
        for number, (subject, predicate, value) in enumerate(facts)
    ]


def ends(facts: list[tuple[str, str, str]], query: str, seeds: Collection[str], **more: Any) -> dict[int, float]:
    known = links(facts, **more)
    slots = slots_of(query, set(seeds), seeds)
    found = chained(seeds, slots, lambda names: [link for link in known if {link.subject, link.value} & set(names)])
    return {ordinal: end.worth for ordinal, end in found.items()}


@pytest.mark.requirement("graph.chains")
def test_the_fact_at_the_end_of_the_whole_chain_is_worth_most() -> None:
    found = ends(KIN, "Where does the father of the wife of Leon live?", ["leon"])
    assert max(found, key=lambda each: found[each]) == 2
    assert 0.8 < found[2] < 1.0
    assert found[0] < found[1] < found[2]
    assert 3 not in found


@pytest.mark.requirement("graph.chains")
def test_a_word_of_the_query_leads_one_step_and_no_more() -> None:
    line = [("a", "parents", "b"), ("b", "parents", "c"), ("c", "parents", "d")]
    assert max(ends(line, "the mother of a", ["a"])) == 0
    once_more = ends(line, "the mother of the mother of a", ["a"])
    assert once_more[1] > 0.8
    assert 2 not in once_more


@pytest.mark.requirement("graph.chains")
def test_a_chain_is_as_trusted_as_its_least_trusted_fact() -> None:
    found = ends(KIN, "city of the father of the wife of leon", ["leon"], trusts={0: 0.9, 1: 0.2})
    assert found[2] == pytest.approx(0.2 * OF_A_KIND**2)
    assert found[0] < 0.2


@pytest.mark.requirement("graph.chains")
@given(FACTS, st.lists(st.sampled_from(["wife", "father", "home", "interest", "tree"]), max_size=6))
def test_what_a_chain_is_worth_is_a_share_and_the_same_in_every_order(
    facts: list[tuple[str, str, str]], words: list[str]
) -> None:
    query = " ".join(words)
    found = ends(facts, query, ["a"])
    assert all(0.0 < value <= 1.0 for value in found.values())
    turned = ends(facts[::-1], query, ["a"])
    assert found == {len(facts) - 1 - number: value for number, value in turned.items()}


@pytest.mark.requirement("graph.chains")
def test_a_thicket_of_relations_ends() -> None:
    facts = [(f"n{a}", "friend", f"n{b}") for a in range(40) for b in range(40) if a != b]
    found = ends(facts, "friend of a friend of a friend of a friend of a friend of n0", ["n0"])
    assert 0 < len(found) <= len(facts)
    assert len(facts) > MOST_STATES


@pytest.mark.requirement("graph.chains")
@pytest.mark.parametrize(
    ("predicate", "word"),
    [
        ("spouse", "wife"), ("parents", "mom"), ("children", "daughter"), ("lives_in", "address"),
        ("worksAt", "company"),
        ("place_of_birth", "hometown"), ("reports to", "boss"), ("job_title", "profession"), ("配偶者", "妻"),
        ("spouse", "妻"), ("location", "住所"), ("manager", "老板"), ("parents", "어머니"), ("職業", "job"),
        ("allergy", "allergic"), ("age", "old"), ("favorite_food", "favorite meal"),
        ("favoriteDrink", "preferred beverage"),
        ("job", "kid for a living"), ("annual_salary", "annual income"), ("medication", "drugs"),
    ],
)  # fmt: skip
def test_a_relation_is_asked_for_by_the_words_that_people_say(predicate: str, word: str) -> None:
    query = {"妻": "レオンの妻は誰", "住所": "ミアの住所", "老板": "米娅的老板是谁"}.get(
        word, f"who is the {word} of leon"
    )
    assert relation_of(predicate).taken(slots_of(query, set()), 0, is_forward=True).slots


@pytest.mark.requirement("graph.chains")
@pytest.mark.parametrize(
    ("predicate", "word"),
    [("favorite_city", "live"), ("spouse", "mother"), ("color", "wife"), ("father", "mother"), ("sister", "brother"),
     ("favorite_food", "meal"), ("work_address", "home"), ("emergency_contact", "job")],
)  # fmt: skip
def test_a_relation_is_not_asked_for_by_other_words(predicate: str, word: str) -> None:
    assert relation_of(predicate).taken(slots_of(f"the {word} of leon", set()), 0, is_forward=True).slots == 0


@pytest.mark.requirement("graph.chains")
@given(st.text(max_size=200), st.text(max_size=40))
def test_any_text_has_slots_and_any_predicate_takes_what_is_free(query: str, predicate: str) -> None:
    slots = slots_of(query, set())
    assert len(slots) <= MOST_SLOTS
    relation = relation_of(predicate)
    every = (1 << len(slots)) - 1
    for is_forward in (True, False):
        assert relation.taken(slots, every, is_forward=is_forward).slots == 0
        taken = relation.taken(slots, 0, is_forward=is_forward)
        assert taken.slots & ~every == 0
        assert 0.0 < taken.fit <= 1.0


def remembered(clock: FakeClock, facts: list[tuple[str, str, str]], **settings: Any) -> Karte:
    memory = Karte(":memory:", clock=clock, origin="user_direct", **settings)
    for subject, predicate, value in facts:
        memory.store_temporal(f"{subject} {predicate} {value}", subject=subject, predicate=predicate, object=value)
    return memory


@pytest.mark.requirement("graph.chains")
def test_a_question_over_three_facts_is_answered_first_among_a_crowd(clock: FakeClock) -> None:
    crowd = [("Mia", f"note {n}", f"thing {n}") for n in range(30)]
    crowd += [("Otto", f"note {n}", f"matter {n}") for n in range(30)]
    facts = [("Leon", "spouse", "Mia"), ("Mia", "parents", "Otto"), ("Otto", "city", "Graz"), *crowd]
    question = "Where does the dad of Leon's wife live?"
    memory = remembered(clock, facts)
    found = memory.search(question, 3, explain=True, touch=False)
    assert "Graz" in [hit.memory.object for hit in found]
    told = next(hit.explain for hit in found if hit.memory.object == "Graz")
    assert told is not None
    assert told.path == ("leon", "mia", "otto")
    without = remembered(clock, facts, weights=RetrievalWeights(w_chain=0.0))
    assert "Graz" not in [hit.memory.object for hit in without.search(question, 10, touch=False)]


@pytest.mark.requirement("graph.chains")
def test_a_chain_goes_by_what_holds_now_and_over_aliases(clock: FakeClock) -> None:
    memory = remembered(clock, [("Leon", "spouse", "Mia"), ("Mia Novak", "city", "Graz")])
    memory.add_alias("Mia", "Mia Novak")

    def found() -> list[str | None]:
        return [hit.memory.object for hit in memory.search("city of Leon's wife", touch=False)]

    assert sorted(map(str, found())) == ["Graz", "Mia"]
    clock.advance(days=1)
    memory.store_temporal("Mia moved", subject="Mia Novak", predicate="city", object="Wien")
    assert sorted(map(str, found())) == ["Mia", "Wien"]


CROWD = [
    (f"Person{n}", predicate, f"{place}{n}")
    for n in range(30)
    for predicate, place in (("city", "City"), ("father", "Elder"), ("works_at", "Firm"))
]


def first(memory: Karte, query: str, count: int = 1, **filters: Any) -> list[str]:
    return [hit.content for hit in memory.search(query, count, touch=False, **filters)]


@pytest.mark.requirement("graph.chains")
@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("Where does Mia's mother live?", "Ida city Ulm"),
        ("Where does Mia's dad live?", "Otto city Graz"),
        ("Who is Mia's mother?", "Mia mother Ida"),
        ("Miaの母は誰", "Mia mother Ida"),
        ("Miaの母はどこに住んでいますか", "Ida city Ulm"),
    ],
)
def test_who_asks_for_the_mother_is_not_told_of_the_father(query: str, answer: str, clock: FakeClock) -> None:
    family = [("Mia", "father", "Otto"), ("Mia", "mother", "Ida"), ("Otto", "city", "Graz"), ("Ida", "city", "Ulm")]
    memory = remembered(clock, [*family, ("Mia", "city", "Wien"), *CROWD])
    assert first(memory, query) == [answer]
    assert "Mia city Wien" in first(memory, "Where does Otto's daughter live?", 3)


@pytest.mark.requirement("graph.chains")
@pytest.mark.parametrize(
    ("query", "answer"),
    [("Where does Tom's boss live?", "Rita city Bonn"), ("Who reports to Tom?", "Ann reports_to Tom")],
)
def test_a_relation_is_read_in_its_direction(query: str, answer: str, clock: FakeClock) -> None:
    staff = [("Tom", "reports_to", "Rita"), ("Ann", "reports_to", "Tom"), ("Ann", "city", "Linz")]
    memory = remembered(clock, [*staff, ("Rita", "city", "Bonn"), *CROWD])
    assert first(memory, query) == [answer]


@pytest.mark.requirement("graph.chains")
def test_an_entity_that_is_called_like_a_relation_breaks_no_chain(clock: FakeClock) -> None:
    staff = [
        ("Leon", "manager", "Rita"),
        ("Rita", "city", "Bonn"),
        ("Boss", "city", "Rome"),
        ("Ann", "role", "manager"),
    ]
    memory = remembered(clock, [*staff, *CROWD])
    memory.store("Manager: hello all", origin="channel:web")
    assert first(memory, "Where does Leon's boss live?") == ["Rita city Bonn"]
    assert first(memory, "Where does Leon's manager live?") == ["Rita city Bonn"]


@pytest.mark.requirement("graph.chains")
def test_an_entity_with_thousands_of_facts_keeps_its_own_relations(clock: FakeClock) -> None:
    memory = remembered(clock, [("Hub", "city", "Graz"), ("Leon", "boss", "Hub"), *CROWD])
    memory.declare_predicate("knows", "many")
    known = [(f"Hub knows Friend{n}", f"Friend{n}") for n in range(MOST_JOINED + 10)]
    memory.store_many(
        [{"content": text, "subject": "Hub", "predicate": "knows", "object": friend} for text, friend in known]
    )
    assert first(memory, "Where does Hub live?") == ["Hub city Graz"]
    assert "Hub city Graz" in first(memory, "Where does Leon's boss live?", 2)


@pytest.mark.requirement("graph.chains")
def test_no_chain_goes_over_what_is_trusted_less_than_asked(clock: FakeClock) -> None:
    memory = remembered(clock, [("Leon", "wife", "Mia"), ("Otto", "city", "Graz"), *CROWD])
    memory.store_temporal("Mia father Otto", subject="Mia", predicate="father", object="Otto", origin="channel:web")
    question = "Where does the father of Leon's wife live?"

    def graph(**filters: Any) -> float:
        hits = memory.search(question, touch=False, explain=True, **filters)
        told = next(hit.explain for hit in hits if hit.memory.object == "Graz")
        assert told is not None
        return told.graph

    assert graph(min_trust=0.9) < graph() / 2


@pytest.mark.requirement("graph.chains")
def test_who_is_asked_in_a_place_or_of_a_person_is_read_the_other_way_round() -> None:
    assert asked_as_objects(["graz", "mia"], "Who lives in Graz with Mia?") == {"graz", "mia"}
    assert asked_as_objects(["graz", "mia"], "Where does Mia's father live? In Grazer Straße?") == frozenset()
    assert starts(["boss", "leon"]) == ["leon"]
    assert starts(["boss"]) == ["boss"]


@pytest.mark.requirement("graph.chains")
def test_a_crowded_entity_tells_what_holds_now_of_a_fact_with_a_long_history(clock: FakeClock) -> None:
    memory = remembered(clock, [("Leon", "boss", "Hub"), *CROWD])
    for day in range(60):
        clock.advance(days=1)
        memory.store_temporal(f"Hub is in city{day}", subject="Hub", predicate="city", object=f"Town{day}")
    memory.store_many([{"content": f"Hub: note {n}"} for n in range(MOST_JOINED + 10)])
    assert first(memory, "Where does Hub live?") == ["Hub is in city59"]


FAMILY = [
    ("Leon", "spouse", "Mia"),
    ("Mia", "mother", "Ada"),
    ("Ada", "city", "Bern"),
    ("Leon", "mother", "Eva"),
    ("Leon", "city", "Oslo"),
    ("Mia", "city", "Oslo"),
    ("Leon", "boss", "Rita"),
    ("Rita", "boss", "Sam"),
    ("Sam", "city", "Köln"),
]


@pytest.mark.requirement("graph.chains")
@pytest.mark.parametrize("crowd", [[], CROWD], ids=["alone", "in a crowd"])
@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("Where does Leon's wife's mother live?", "Ada city Bern"),
        ("Who is Leon's boss's boss?", "Rita boss Sam"),
        ("Where does the boss of Leon's boss live?", "Sam city Köln"),
        ("Where does Mia's husband live?", "Leon city Oslo"),
        ("Where does Leon's mother-in-law live?", "Ada city Bern"),
        ("Leonの義母の住所は", "Ada city Bern"),
    ],
)
def test_the_end_of_the_whole_chain_stands_before_what_words_and_walk_find(
    clock: FakeClock, crowd: list[tuple[str, str, str]], query: str, answer: str
) -> None:
    assert first(remembered(clock, [*FAMILY, *crowd]), query) == [answer]


@pytest.mark.requirement("graph.chains")
@pytest.mark.parametrize(
    ("query", "parts"),
    [
        ("Leon's mother-in-law", ("spouse", "mother")),
        ("his brothers in law", ("spouse", "brother")),
        ("the grandmothers of Leon", ("parent", "mother")),
        ("Leonの祖父は誰", ("parent", "father")),
        ("외할머니는 누구", ("mother", "mother")),
        ("她的外公叫什么", ("mother", "father")),
        ("Leon's cousin", ("parent", "sibling", "child")),
    ],
)
def test_a_relation_that_is_made_of_others_is_followed_over_them_in_their_order(
    query: str, parts: tuple[str, ...]
) -> None:
    made = [slot for slot in slots_of(query, {"leon"}) if slot.made_of or slot.is_later]
    assert made[0].made_of == parts
    assert [slot.is_later for slot in made] == [False, *[True] * (len(parts) - 1)]
    backwards = [("leon", part, "x") for part in parts[1:] if part != parts[0]]
    assert ends(backwards, query, ["leon"]) == {}


@pytest.mark.requirement("graph.chains")
def test_half_of_such_a_relation_is_no_end_and_a_predicate_of_its_name_is_one() -> None:
    query = "Who is the mother-in-law of Leon?"
    assert set(ends([("leon", "spouse", "mia"), ("mia", "mother", "ada")], query, ["leon"])) == {1}
    assert set(ends([("leon", "mother_in_law", "ada"), ("leon", "mother", "eva")], query, ["leon"])) == {0}
    assert ends([("leon", "grandmother", "ida")], "Who is the mother of Leon?", ["leon"]) == {}


@pytest.mark.requirement("graph.chains", "search.explain")
def test_a_chain_says_which_relations_it_went_over(clock: FakeClock) -> None:
    memory = remembered(clock, FAMILY)
    told = memory.search("Where does Leon's wife's mother live?", 1, explain=True)[0].explain
    assert told is not None
    assert (told.path, told.relations) == (("leon", "mia", "ada"), ("spouse", "mother", "city"))
    assert told.asked == ("wife", "mother", "live")


@pytest.mark.requirement("graph.chains", "search.explain")
@pytest.mark.parametrize(
    ("query", "asked"),
    [
        ("In which CITIES does the Mother-in-Law of Leon live?", ("mother-in-law", "cities")),
        ("Leonの義母の住所は", ("義母", "住所")),
        ("Leon的妻子的母亲住在哪里", ("妻子", "母亲", "住在")),
    ],
)
def test_the_words_that_a_chain_took_are_told_as_the_question_writes_them(
    clock: FakeClock, query: str, asked: tuple[str, ...]
) -> None:
    [hit] = remembered(clock, FAMILY).search(query, 1, explain=True)
    assert hit.content == "Ada city Bern"
    assert hit.explain is not None
    assert hit.explain.asked == asked
    assert remembered(clock, FAMILY).search("Oslo", 1, explain=True)[0].explain.asked == ()  # type: ignore[union-attr]


@pytest.mark.requirement("graph.chains")
def test_a_chain_is_followed_over_what_held_at_the_instant_that_is_asked_about(clock: FakeClock) -> None:
    memory = remembered(clock, FAMILY)
    clock.advance(days=1)
    before = clock()
    clock.advance(days=400)
    memory.store_temporal("Leon married Ines", subject="Leon", predicate="spouse", object="Ines")
    memory.store_temporal("Ines lives in Rome", subject="Ines", predicate="city", object="Rome")
    memory.store_temporal("Mia lives in Kiel", subject="Mia", predicate="city", object="Kiel")
    question = "Where does Leon's wife live?"
    assert [hit.content for hit in memory.search(question, 1)] == ["Ines lives in Rome"]
    assert [hit.content for hit in memory.search(question, 1, valid_at=before)] == ["Mia city Oslo"]


TWO_WAYS = [
    ("Leon", "boss", "Rita"),
    ("Rita", "mother", "Ida"),
    ("Ida", "city", "Bonn"),
    ("Leon", "mother", "Eva"),
    ("Eva", "boss", "Sam"),
    ("Sam", "city", "Kiel"),
]


@pytest.mark.requirement("graph.chains")
@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("Who is Leon's boss's mother?", "Rita mother Ida"),
        ("Who is Leon's mother's boss?", "Eva boss Sam"),
        ("Who is the mother of Leon's boss?", "Rita mother Ida"),
        ("Who is the mother of the boss of Leon?", "Rita mother Ida"),
        ("Who is the boss of the mother of Leon?", "Eva boss Sam"),
        ("Where does the boss of Leon's mother live?", "Sam city Kiel"),
        ("Leonの上司の母は誰ですか", "Rita mother Ida"),
        ("Leonの母の上司はどこに住んでいますか", "Sam city Kiel"),
        ("Leon的老板的母亲是谁", "Rita mother Ida"),
        ("Leon的母亲的老板住在哪里", "Sam city Kiel"),
        ("Leon의 상사의 어머니는 누구입니까", "Rita mother Ida"),
        ("Leon의 어머니의 상사는 어디에 살아요?", "Sam city Kiel"),
        ("แม่ของหัวหน้าของ Leon คือใคร", "Rita mother Ida"),
        ("หัวหน้าของแม่ของ Leon อาศัยอยู่ที่ไหน", "Sam city Kiel"),
    ],
)
def test_the_words_are_taken_in_the_order_in_which_the_question_binds_them_to_the_name(
    clock: FakeClock, query: str, answer: str
) -> None:
    assert first(remembered(clock, [*TWO_WAYS, *CROWD]), query) == [answer]
    assert first(remembered(clock, [*TWO_WAYS[::-1], *CROWD]), query) == [answer]


@pytest.mark.requirement("graph.chains")
@pytest.mark.parametrize(
    "query",
    [
        "Could you please tell me in which city the mother of Leon's wife lives these days?",
        "Before we send the invitation, please look up where exactly Leon's wife's mother is living at the moment.",
    ],
)
def test_the_end_of_the_whole_chain_comes_first_however_long_the_question_is(clock: FakeClock, query: str) -> None:
    assert first(remembered(clock, [*FAMILY, *CROWD]), query) == ["Ada city Bern"]


@pytest.mark.requirement("graph.chains")
def test_what_answers_a_part_leads_over_no_longer_chain_unless_it_is_trusted_more() -> None:
    part, whole, other = (End(value, (), (), words, 0.6) for value, words in ((0.1, 1), (0.8, 2), (0.4, 2)))
    found = ahead({1: part, 2: whole, 3: other}, {1: 9.0, 2: 5.0, 3: 4.0})
    assert 5.0 + found[2] > 9.0 > 4.0 + found[3]
    assert ahead({1: part, 2: whole}, {1: 4.0, 2: 5.0}) == {}
    assert ahead({1: part._replace(trust=0.9), 2: whole}, {1: 9.0, 2: 5.0}) == {}
    assert ahead({2: whole, 3: other}, {2: 1.0, 3: 4.0}) == {}
    assert ahead({}, {}) == {}


@pytest.mark.requirement("graph.chains")
def test_a_chain_that_comes_back_to_where_it_was_gives_way_to_one_that_leads_on() -> None:
    facts = [("leon", "spouse", "mia"), ("leon", "mother", "mia"), ("mia", "mother", "ada"), ("leon", "city", "graz")]
    found = ends([*facts, ("ada", "city", "bern")], "Where does Leon's wife's mother live?", ["leon"])
    assert max(found, key=lambda each: found[each]) == 4


@pytest.mark.requirement("graph.chains")
@pytest.mark.parametrize(
    ("query", "names", "said"),
    [
        ("孫正義の妻は誰", ["孫正義"], ["妻"]),
        ("เป้าหมายของ Leon เป็นอย่างไร", ["leon"], []),
        ("Where does Mother Teresa live?", ["mother teresa"], ["live"]),
        ("Leonard is no brother of Leon", ["leon"], ["brother"]),
        ("Where did Curie's husband work?", ["marie curie"], ["husband", "work"]),
        ("那个姑娘嫁给谁", [], ["娘"]),
    ],
)
def test_no_relation_is_read_in_a_name_or_in_a_part_of_another_word(
    query: str, names: list[str], said: list[str]
) -> None:
    slots = slots_of(query, {"curi"}, names)
    assert [slot.token for slot in slots if slot.sorts or slot.made_of] == said


@pytest.mark.requirement("graph.chains")
@pytest.mark.parametrize(
    ("query", "parts"),
    [
        ("Leon's great-grandmother", ("parent", "parent", "mother")),
        ("Leon's step-mother", ("father", "wife")),
        ("Leon's stepson", ("spouse", "son")),
    ],
)
def test_a_longer_word_for_a_relative_is_not_read_as_the_shorter_in_it(query: str, parts: tuple[str, ...]) -> None:
    assert [slot.made_of for slot in slots_of(query, {"leon"}, ["leon"]) if slot.made_of] == [parts]
    assert relation_of("favorite_uncle").made_of == ()


@pytest.mark.requirement("graph.chains")
@pytest.mark.parametrize(
    ("query", "is_one"),
    [
        ("妻はどこで働いていますか", True), ("上司の上司は誰", True), ("义母住在哪里", False), ("婆婆住在哪里", True),
        ("아내는 어디서 일해?", True), (" 老板是谁", True), ("レオンの妻は誰", False), ("天気はどう", False),
        ("wife's job", False), ("", False), ("?妻", False),
    ],
)  # fmt: skip
def test_a_query_may_begin_with_a_relation_where_whose_it_is_goes_without_saying(query: str, is_one: bool) -> None:
    assert begins_with_relation(query) is is_one


@pytest.mark.requirement("graph.chains")
def test_pairs_of_letters_and_grammar_are_not_counted_as_words() -> None:
    slots = slots_of("หัวหน้าของแม่ของ Leon คือใคร", {"leon"}, ["leon"])
    assert sum(slot.size for slot in slots) < 3.5
    assert sum(slot.size for slot in slots if not slot.sorts) < 1.5


@pytest.mark.requirement("graph.chains")
def test_what_held_then_is_followed_both_ways_and_from_who_is_known_no_more(clock: FakeClock) -> None:
    memory = remembered(clock, [*FAMILY, ("田中", "上司", "佐藤"), ("佐藤", "住所", "大阪"), *CROWD])
    memory.add_alias("Rita", "Rita Berg")
    clock.advance(days=1)
    before = clock()
    clock.advance(days=400)
    memory.store_temporal("Leon married Ines", subject="Leon", predicate="spouse", object="Ines")
    for name, predicate in (("Leon", "boss"), ("Rita", "boss"), ("田中", "上司"), ("佐藤", "住所")):
        memory.end_fact(name, predicate)
    clock.advance(days=1)

    def then(query: str) -> list[str]:
        return first(memory, query, valid_at=before)

    assert then("Where does Mia's husband live?") == ["Leon city Oslo"]
    assert then("Where does Rita's boss live?") == ["Sam city Köln"]
    assert then("Where does the boss of Rita Berg live?") == ["Sam city Köln"]
    assert then("Who is the boss of Leon's boss?") == ["Rita boss Sam"]
    assert then("田中の上司の住所は") == ["佐藤 住所 大阪"]
    assert first(memory, "Where does Rita's boss live?") != ["Sam city Köln"]


@pytest.mark.requirement("graph.seeds")
@given(st.text(max_size=60), st.sampled_from(["ada", "ada lovelace", "st. petersburg", "田中"]))
def test_a_name_in_a_query_is_among_what_it_may_call_an_entity(before: str, name: str) -> None:
    assert all(possible_names(before))
    assert name in possible_names(f"Where is {name.title()}'s home?")
    assert "ada" in possible_names("Is ADA’s aunt in?")


@pytest.mark.requirement("graph.chains")
def test_a_relation_of_three_parts_is_followed_through_the_file_and_under_any_hyphen(clock: FakeClock) -> None:
    family = [("Leon", "mother", "Maria"), ("Maria", "sister", "Gerda"), ("Gerda", "child", "Fritz")]
    memory = remembered(clock, [*family, ("Leon", "wife", "Mia"), ("Mia", "mother", "Ada"), *CROWD])
    assert first(memory, "Who is Leon's cousin?") == ["Gerda child Fritz"]
    assert first(memory, "Who is Leon's mother\u2011in\u2011law?") == ["Mia mother Ada"]
    assert first(memory, "Leonの義理の母は誰") == ["Mia mother Ada"]
