"""The walk in the graph, against the linear equations that it stands for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karte.domain.graph import DAMPING, NAMED, Graph, Node
from karte.domain.graph_vocabulary import Vocabulary
from karte.domain.linking import title_of

NAMES = ("ada", "bo", "cy", "dee", "eve", "flo")
_NAMES = st.lists(st.sampled_from(NAMES), max_size=3, unique=True).map(tuple)
_TRUST = st.sampled_from((1.0, 0.6, 0.3))
_NODES = st.lists(st.tuples(_TRUST, _NAMES, _NAMES), max_size=8).map(
    lambda parts: [Node(i, trust, about, named) for i, (trust, about, named) in enumerate(parts)]
)


def solved(nodes: list[Node], seeds: dict[str, float]) -> dict[int, float]:
    """The masses by a dense solution of the closed walk, in which what is not passed on returns to the seeds."""
    degree = {name: sum(name in dict(node.edges) for node in nodes) for name in NAMES}
    start = {name: weight / degree[name] for name, weight in seeds.items() if degree[name]}
    if not start:
        return {}
    whole = sum(start.values())
    places = [*NAMES, *range(len(nodes))]
    index = {place: i for i, place in enumerate(places)}
    passed = np.zeros((len(places), len(places)))
    for i, node in enumerate(nodes):
        for name, weight in node.edges:
            of_entity = sum(dict(other.edges).get(name, 0.0) for other in nodes)
            of_memory = sum(base for _, base in node.edges)
            passed[index[i], index[name]] = DAMPING * weight * node.trust / of_entity
            passed[index[name], index[i]] = DAMPING * weight * node.trust / of_memory
    seed = np.array([start.get(str(place), 0.0) / whole for place in places])
    mass = np.linalg.solve(np.eye(len(places)) - passed, seed)
    mass /= mass.sum()
    reached = {i: float(mass[index[i]]) for i in range(len(nodes)) if mass[index[i]] > 0}
    return {i: value / sum(reached.values()) for i, value in reached.items()}


@pytest.mark.requirement("graph.walk")
@given(_NODES, st.dictionaries(st.sampled_from(NAMES), st.sampled_from((1.0, 0.5)), max_size=3))
def test_the_masses_are_those_of_the_linear_equations(nodes: list[Node], seeds: dict[str, float]) -> None:
    found = Graph.of(nodes).walk(seeds).masses
    expected = solved(nodes, seeds)
    assert found.keys() == expected.keys()
    for ordinal, mass in expected.items():
        assert found[ordinal] == pytest.approx(mass, abs=1e-4)
    best = Graph.of(nodes).walk(seeds, most=2).masses
    assert best == dict(sorted(found.items(), key=lambda item: (-item[1], item[0]))[:2])


@pytest.mark.requirement("graph.cache-exact")
@given(_NODES, _NODES, st.sets(st.integers(0, 7)))
@settings(max_examples=200)
def test_a_graph_brought_up_to_date_is_that_built_anew_to_the_bit(
    before: list[Node], after: list[Node], gone: set[int]
) -> None:
    kept = {node.ordinal: node for node in before if node.ordinal not in gone} | {node.ordinal: node for node in after}
    changed = Graph.of(before).changed(gone, after)
    anew = Graph.of(kept[ordinal] for ordinal in sorted(kept))
    for name in NAMES:
        for by_trust in (True, False):
            assert changed.walk({name: 1.0}, by_trust=by_trust) == anew.walk({name: 1.0}, by_trust=by_trust)


@pytest.mark.requirement("graph.trust")
def test_a_less_trusted_memory_carries_less_and_full_trust_changes_nothing() -> None:
    def masses(trust: float, *, by_trust: bool = True) -> dict[int, float]:
        nodes = [Node(0, trust, ("ada", "bo")), Node(1, 1.0, ("ada", "cy")), Node(2, 1.0, ("bo", "dee"))]
        return Graph.of(nodes).walk({"ada": 1.0}, by_trust=by_trust).masses

    assert masses(0.3)[2] < masses(0.6)[2] < masses(1.0)[2]
    assert masses(0.3, by_trust=False) == masses(1.0) == masses(1.0, by_trust=False)


def test_what_a_memory_only_names_weighs_less_than_what_it_is_about() -> None:
    nodes = [Node(0, 1.0, ("ada",)), Node(1, 1.0, ("bo",), ("ada",))]
    masses = Graph.of(nodes).walk({"ada": 1.0}).masses
    assert masses[1] < 2 * NAMED * masses[0]


def test_an_entity_of_many_memories_swallows_no_walk() -> None:
    crowd = [Node(i, 1.0, ("crowd",)) for i in range(1, 400)]
    reached = Graph.of([Node(0, 1.0, ("ada", "bo")), *crowd]).walk({"ada": 1.0, "crowd": 1.0})
    assert max(reached.masses, key=lambda ordinal: reached.masses[ordinal]) == 0
    assert Graph.of(crowd).walk({"crowd": 1.0}).specificity < 0.1


@pytest.mark.requirement("graph.seeds")
def test_the_longest_name_counts_and_every_name_that_stands_there_is_named() -> None:
    known = Vocabulary(
        [("new york", ("new", "york")), ("york", ("york",)), ("東京都", ("東京", "京都")), ("京都", ("京都",))]
    )
    assert known.longest(["in", "new", "york"]) == ("new york",)
    assert known.named(["in", "new", "york"]) == ("new york", "york")
    assert known.longest(["東京", "京都", "都に"]) == ("東京都",)
    assert known.longest(["old", "york"]) == ("york",)


@pytest.mark.requirement("graph.seeds")
def test_a_name_of_one_letter_is_not_named_by_a_longer_name_that_holds_the_letter() -> None:
    known = Vocabulary([("東", ("東",)), ("東京", ("東京",)), ("京", ("京",)), ("x corp", ("x", "corp"))])
    assert known.longest(["東京", "京の", "|", "東", "京", "の"]) == ("東京",)
    assert known.longest(["東", "|", "東"]) == ("東",)
    assert known.longest(["東京", "京西", "|", "東", "京", "西", "東"]) == ("東京",)
    assert known.longest(["xavier", "x", "corp"]) == ("x corp",)


def test_the_way_to_a_memory_begins_at_the_seed() -> None:
    graph = Graph.of([Node(0, 1.0, ("ada", "bo")), Node(1, 1.0, ("bo", "cy")), Node(2, 1.0, ("cy", "dee"))])
    assert graph.path(["ada"], 2) == ("ada", "bo", "cy")
    assert graph.path(["ada"], 0) == ("ada",)
    assert graph.path(["nobody"], 0) == ()


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Marie Curie: was a physicist", "Marie Curie"),
        ("Her (film): a story", "Her"),
        ("佐藤さん：こんにちは", "佐藤さん"),
        ("A title\nand its text", "A title"),
        ("no name here", None),
        ("one two three four five six seven eight nine: no", None),
    ],
)
def test_a_text_may_begin_with_the_name_that_it_is_about(text: str, title: str | None) -> None:
    assert title_of(text) == title
