"""What a graph keeps itself in: a table of texts, two layers of edges, names by their tokens."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karte import Karte
from karte.domain import graph as graphs
from karte.domain import graph_edges, graph_table
from karte.domain.graph import Graph, Node
from karte.domain.graph_counts import Counts
from karte.domain.graph_table import PER_CHUNK, Table
from karte.domain.graph_vocabulary import Vocabulary
from karte.domain.linking import Linked, about, bearer, is_plain, parts_asked, surely_held, tokens_in, tokens_of
from karte.domain.text.tokens import BARRIER, index_text
from tests.conftest import FakeClock

_CHANGES = st.lists(st.tuples(st.sets(st.integers(0, 200)), st.sets(st.integers(0, 200))), max_size=6)


@pytest.mark.parametrize("most_fresh", [0, 20, 1_000])
@given(_CHANGES)
@settings(max_examples=60)
def test_a_table_finds_what_is_in_it_and_an_older_one_stays_as_it_was(
    most_fresh: int, changes: list[tuple[set[int], set[int]]]
) -> None:
    table, held = Table(), dict[str, int]()
    with patch.object(graph_table, "MOST_FRESH", most_fresh):
        for gone, new in changes:
            older, had = table, dict(held)
            lost = [(hash(text), held.pop(text)) for text in map(str, sorted(gone)) if text in held]
            added = [str(each) for each in sorted(new) if str(each) not in held]
            table, numbers = table.changed(lost, [(hash(text), text) for text in added])
            held.update(zip(added, numbers, strict=True))
            for there, expected in ((table, held), (older, had)):
                assert dict(there.items()) == {number: text for text, number in expected.items()}
                assert len(there) == len(expected) <= there.slots
                assert _found(there, expected) == expected
                assert all(there[number] == text for text, number in expected.items())


def _found(table: Table, texts: dict[str, int]) -> dict[str, int]:
    wanted = [*texts, "nowhere"]
    found = table.candidates([hash(text) for text in wanted])
    return {wanted[place]: number for place, number in found if table[number] == wanted[place]}


def test_numbers_that_became_free_are_given_again() -> None:
    texts = [str(each) for each in range(PER_CHUNK + 1)]
    table, numbers = Table().changed((), [(hash(text), text) for text in texts])
    table, _ = table.changed([(hash(text), number) for text, number in zip(texts, numbers, strict=True)], ())
    assert (len(table), table.slots) == (0, PER_CHUNK + 1)
    table, again = table.changed((), [(hash(text), text) for text in texts])
    assert sorted(again) == numbers
    assert table.slots == PER_CHUNK + 1


_NAMES = st.lists(st.sampled_from([f"e{i}" for i in range(12)]), max_size=3, unique=True).map(tuple)
_NODES = st.lists(st.tuples(st.integers(0, 30), st.sampled_from((1.0, 0.3, 0.0)), _NAMES, _NAMES), max_size=12).map(
    lambda parts: [Node(*each) for each in {part[0]: part for part in sorted(parts)}.values()]
)


@pytest.mark.requirement("graph.cache-exact")
@pytest.mark.parametrize(("beside", "few"), [(0, 0), (3, 4_000), (10, 0), (1_000, 4_000)])
@given(st.lists(st.tuples(st.sets(st.integers(0, 30)), _NODES), max_size=5))
@settings(max_examples=100)
def test_however_edges_are_kept_and_looked_at_the_walk_is_the_same_to_the_bit(
    beside: int, few: int, changes: list[tuple[set[int], list[Node]]]
) -> None:
    graph, held = Graph.empty(), dict[int, Node]()
    with patch.object(graph_edges, "MOST_BESIDE", beside), patch.object(graphs, "FEW_EDGES", few):
        for gone, nodes in changes:
            graph = graph.changed(gone, nodes)
            held = {ordinal: node for ordinal, node in held.items() if ordinal not in gone}
            held = dict(sorted((held | {node.ordinal: node for node in nodes}).items()))
            names = {name for node in held.values() for name, _ in node.edges}
            assert graph.entities == sorted(names)
            for seeds in ({"e0": 1.0, "e1": 0.5}, {"e2": 1.0}):
                for by_trust in (True, False):
                    walked = graph.walk(seeds, by_trust=by_trust)
                    with patch.object(graphs, "FEW_EDGES", 1_000):
                        assert walked == Graph.of(held.values()).walk(seeds, by_trust=by_trust)
            for node in held.values():
                assert sorted(graph.about([node.ordinal])) == sorted(node.about)


def test_what_a_memory_names_is_added_to_what_it_is_about() -> None:
    graph = Graph.of([Node(1, 0.6, ("ada", "bo")), Node(4, 1.0, ("cy",))])
    numbers = graph.numbers(["ada", "cy", "nobody"])
    assert graph.unknown([1, 1, 3], [numbers["ada"], numbers["cy"], numbers["cy"]]) == [False, True, True]
    named = graph.naming([(1, 0.6), (3, 0.3), (4, 1.0)], {1: [numbers["cy"]], 3: [numbers["ada"], numbers["cy"]]})
    anew = Graph.of([Node(1, 0.6, ("ada", "bo"), ("cy",)), Node(3, 0.3, (), ("ada", "cy")), Node(4, 1.0, ("cy",))])
    assert named.walk({"bo": 1.0}) == anew.walk({"bo": 1.0})
    assert sorted(named.memories_with(["cy"])) == [1, 3, 4]
    assert named.is_about("ada", ())
    assert not named.is_about("ada", {1})


def test_names_are_found_by_several_tokens_and_forgotten_one_by_one() -> None:
    known = Vocabulary([("ada lovelace", ("ada", "lovelac")), ("ada", ("ada",)), ("nothing", ())])
    text = ["who", "is", "ada", "lovelac"]
    assert known.longest(text) == ("ada lovelace",)
    other = known.changed([("ada lovelace", ("ada", "lovelac"))], [("countess", ("ada", "lovelac")), ("is", ("is",))])
    assert other.longest(text) == ("is", "countess")
    assert other.named(text) == ("is", "ada", "countess")
    assert known.named(text) == ("ada", "ada lovelace")
    twice = known.changed((), [("ada", ("ada",))])
    assert twice.changed([("ada", ("ada",))], ()).named(["ada"]) == ("ada",)
    assert twice.changed([("ada", ("ada",))] * 2, ()).named(["ada"]) == ()


def test_an_edge_less_graph_leads_nowhere() -> None:
    graph = Graph.of([Node(1, 1.0, ())])
    assert graph.walk({"ada": 1.0}).masses == {}
    assert graph_edges.Edges.of(()).everything().memory.tolist() == []
    assert np.array_equal(graph_edges.Layer.of(()).starts, [0])


_PLAIN = st.from_regex("[a-zA-Z0-9]+( [a-zA-Z0-9]+){0,3}", fullmatch=True)


@given(_PLAIN)
@settings(max_examples=300)
def test_the_tokens_of_a_plain_name_are_those_of_the_index(name: str) -> None:
    name = name.lower()
    if tokens_of(name):
        assert " ".join(tokens_of(name)) == index_text(name).partition(f" {BARRIER} ")[0]


@given(_PLAIN, st.text(), st.text(), st.sampled_from((None, "K", "is")))
@settings(max_examples=300)
def test_what_is_surely_held_stands_in_the_text(name: str, content: str, subject: str, predicate: str | None) -> None:
    row = Linked(1, content, subject, predicate, name, 1, 1.0, None, None)
    text = f" {' '.join(tokens_in(row.text))} "
    for known in about(row, lambda _: None):
        if known in surely_held(row) and is_plain(known):
            assert f" {' '.join(tokens_of(known))} " in text or not tokens_of(known)


def test_counts_are_never_too_small_and_not_taken_of_too_many() -> None:
    counts = Counts.of([("ada", 3), ("bo", 1), ("cy", 2)], 3)
    assert counts is not None
    assert counts.least([["ada"], ["ada", "bo"], [], ["cy", "ada"]]) == [3, 1, 0, 2]
    assert Counts.of([("ada", 3), ("bo", 1)], 1) is None
    none = Counts.of([], 0)
    assert none is not None
    assert none.least([["ada"]]) == [0]
    twice = Counts(np.array([7, 7, 1]), np.array([5, 9, 2], dtype=np.int32))
    with patch("karte.domain.graph_counts.hash", lambda _: 7, create=True):
        assert twice.least([["ada"]]) == [9]


@pytest.mark.requirement("graph.cache-exact")
def test_a_long_chain_in_a_large_graph_is_walked_as_far_as_in_the_whole() -> None:
    chain = [Node(1_000 + i, 1.0, (f"c{i:02}", f"c{i + 1:02}")) for i in range(20)]
    others = [Node(i, 1.0, (f"other{i}", f"thing{i}")) for i in range(100, 600)]
    graph = Graph.of([*others, *chain])
    near = graph.walk({"c00": 1.0})
    with patch.multiple(graphs, FEW_EDGES=0, PART=1_000_000):
        assert Graph.of([*others, *chain]).walk({"c00": 1.0}) == near
    assert max(near.masses) == 1_000 + graphs.ROUNDS


def test_names_met_again_after_others_were_forgotten_keep_their_numbers() -> None:
    nodes = [Node(i, 1.0, (f"name{i % 7}", f"once{i}")) for i in range(50)]
    with patch.multiple(graphs, AT_A_TIME=3), patch.multiple(graph_table, MOST_FRESH=4, PART=1_000):
        graph = Graph.of(nodes)
    assert len(graph) == 57
    assert graph.memories_with(["name3"]) == list(range(3, 50, 7))


def test_a_name_with_the_hash_of_another_is_not_taken_for_it() -> None:
    with patch("karte.domain.graph_vocabulary.hash", lambda _: 7, create=True):
        known = Vocabulary([("ada", ("ada",)), ("bo", ("bo",))])
        assert known.named(["bo", "cy"]) == ("bo",)
        assert known.changed([("bo", ("bo",))], ()).named(["bo", "ada"]) == ("ada",)
    with patch("karte.domain.graph.hash", lambda _: 7, create=True):
        graph = Graph.of([Node(1, 1.0, ("ada", "bo")), Node(2, 1.0, ("bo",))])
        assert graph.memories_with(["bo", "cy"]) == [1, 2]
        assert graph.changed([1], ()).entities == ["bo"]


@pytest.mark.requirement("graph.seeds")
def test_a_first_or_last_name_means_the_one_entity_that_has_it() -> None:
    assert parts_asked("Where did Lovelace meet Babbage, and When?") == ["lovelac", "babbag"]
    assert parts_asked("where did lovelace work") == []
    assert parts_asked("Curieの夫は誰 in Room12") == ["curi"]
    assert bearer("curi", ["marie curie", "sorbonne"]) == "marie curie"
    assert bearer("curi", ["marie curie", "pierre curie"]) is None
    assert bearer("curi", ["marie curie", "curie"]) is None  # one is called so and nothing else
    assert bearer("curi", ["curie"]) is None
    assert bearer("curi", ["the curie institute"]) is None
    assert bearer("curi", []) is None


@pytest.mark.requirement("graph.seeds", "graph.chains")
def test_a_query_may_name_an_entity_by_its_last_name(clock: FakeClock) -> None:
    memory = Karte(":memory:", clock=clock, origin="user_direct")
    for subject, predicate, value in (
        ("Marie Curie", "spouse", "Pierre Curie"),
        ("Tom Sawyer", "friend", "Huckleberry Finn"),
        ("Huckleberry Finn", "city", "St. Petersburg"),
        *((f"Person{n} Smith{n}", "city", f"City{n}") for n in range(30)),
    ):
        memory.store_temporal(f"{subject} {predicate} {value}", subject=subject, predicate=predicate, object=value)
    [first] = memory.search("Where does Sawyer's friend live?", 1, explain=True)
    assert first.content == "Huckleberry Finn city St. Petersburg"
    assert first.explain is not None
    assert first.explain.path == ("tom sawyer", "huckleberry finn")
    [whole] = memory.search("Where does Tom Sawyer's friend live?", 1, explain=True)
    assert whole.explain is not None
    assert whole.explain.graph > first.explain.graph
    [both] = memory.search("Who is Curie?", 1, explain=True)
    assert both.explain is not None
    assert both.explain.graph == 0.0


@pytest.mark.requirement("search.scripts-without-spaces", "graph.seeds")
def test_a_lone_word_of_two_letters_is_in_every_hit_and_a_question_with_it_follows_the_graph(clock: FakeClock) -> None:
    memory = Karte(":memory:", clock=clock, origin="user_direct")
    memory.store_temporal("田中の上司は佐藤", subject="田中", predicate="上司", object="佐藤")
    memory.store_temporal("佐藤は大阪に住む", subject="佐藤", predicate="住所", object="大阪")
    assert [hit.content for hit in memory.search("田中")] == ["田中の上司は佐藤"]
    assert "佐藤は大阪に住む" in [hit.content for hit in memory.search("田中の上司の住所は")]
