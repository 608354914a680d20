"""The graph given out: what is in it, and that no stored text breaks out of a format."""

from __future__ import annotations

import json
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karte import InvalidInput, Karte
from karte.domain.graph_export import GraphEdge, GraphExport, joined, written
from tests.conftest import FakeClock

HOSTILE = 'x"]; click n0 href "javascript:alert(1)" <script>&\x00\n-->|end|'
GRAPHML = "{http://graphml.graphdrawing.org/xmlns}"


@pytest.mark.requirement("graph.export")
def test_a_graph_has_the_facts_that_hold_now_with_degree_trust_and_aliases(clock: FakeClock) -> None:
    memory = Karte(":memory:", clock=clock)
    memory.add_alias("Initech", "the firm")
    for subject, value, trust in (("Ada", "Initech", 1.0), ("Bo", "the firm", 0.5)):
        memory.store_temporal(
            f"{subject} works there", subject=subject, predicate="works at", object=value, origin_trust=trust,
            origin="user_direct",
        )  # fmt: skip
    memory.store_temporal("Ada moved", subject="Ada", predicate="works at", object="Hooli", origin="user_direct")
    graph = memory.export_graph()
    assert [(edge.subject, edge.predicate, edge.object, edge.trust) for edge in graph.edges] == [
        ("ada", "works at", "hooli", 1.0),
        ("bo", "works at", "initech", 0.5),
    ]
    firm = next(node for node in graph.nodes if node.name == "initech")
    assert (firm.degree, firm.worst_trust, firm.aliases) == (1, 0.5, ("the firm",))
    assert not graph.truncated
    assert memory.export_graph(1).truncated
    with pytest.raises(InvalidInput) as refused:
        memory.export_graph(0)
    assert refused.value.field == "limit"


@pytest.mark.requirement("graph.export")
def test_held_facts_are_there_on_request_and_flagged(clock: FakeClock) -> None:
    memory = Karte(":memory:", clock=clock)
    for i in range(8):
        memory.store_temporal(f"p{i}", subject="Ada", predicate=f"p{i}", object=f"o{i}", origin="channel:x")
    shown = memory.export_graph().edges
    everything = memory.export_graph(include_quarantined=True).edges
    assert len(shown) < len(everything) == 8
    assert {edge.memory_id for edge in everything if not edge.quarantined} == {edge.memory_id for edge in shown}


def _graph(*texts: str) -> GraphExport:
    edges = [GraphEdge(subject=text, predicate=text, object="o", memory_id=text, trust=0.5) for text in texts]
    return joined(edges, {"o": texts}, truncated=False)


@pytest.mark.requirement("graph.export")
@given(st.text(max_size=30))
def test_any_text_stays_text_in_every_format(text: str) -> None:
    graph = _graph(text.encode("utf-8", "replace").decode())
    tree = ET.fromstring(written(graph, "graphml"))
    assert len(tree.findall(f".//{GRAPHML}edge")) == 1
    assert json.loads(written(graph, "json"))["edges"][0]["object"] == "o"
    assert all(len(line.split('"')) == 3 for line in written(graph, "mermaid").splitlines()[1:])


@pytest.mark.requirement("graph.export")
def test_a_hostile_text_is_a_label_in_a_diagram() -> None:
    text = written(_graph(HOSTILE), "mermaid")
    assert "<script" not in text
    assert "click n0" in text.replace("#34;", "")  # as letters of the label
    assert len(text.splitlines()) == 4
    assert "-.->" in written(
        joined([GraphEdge(subject="a", predicate="p", object="b", memory_id="1", trust=1.0, quarantined=True)], {},
               truncated=False), "mermaid",
    )  # fmt: skip
