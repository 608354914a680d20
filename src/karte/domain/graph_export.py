"""A graph to be looked at: nodes and edges as data, and as GraphML, JSON and Mermaid.

Stored text goes out escaped as each format escapes, so that nothing in it can pose as part of the format.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from html import escape
from typing import Final, Literal

GraphFormat = Literal["json", "graphml", "mermaid"]

MOST_EDGES: Final = 10_000
_LONGEST_LABEL: Final = 60
_NOT_IN_XML: Final = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 0xFFFE, 0xFFFF], "\ufffd")


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphNode:
    """An entity: how many edges shown have it, the least trust among them, and its other names."""

    name: str
    degree: int
    worst_trust: float
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphEdge:
    """A fact that joins two entities; ``quarantined`` ones wait for a decision."""

    subject: str
    predicate: str
    object: str
    memory_id: str
    trust: float
    quarantined: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphExport:
    """The graph of an agent's facts; ``truncated`` says that there are more edges than were asked for."""

    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...]
    truncated: bool


def joined(edges: Sequence[GraphEdge], aliases: Mapping[str, Sequence[str]], *, truncated: bool) -> GraphExport:
    """The edges with their nodes, by name; ``aliases`` are the other names of an entity."""
    degrees: dict[str, int] = {}
    worst: dict[str, float] = {}
    for edge in edges:
        for name in {edge.subject, edge.object}:
            degrees[name] = degrees.get(name, 0) + 1
            worst[name] = min(worst.get(name, 1.0), edge.trust)
    nodes = (
        GraphNode(name=name, degree=degrees[name], worst_trust=worst[name], aliases=tuple(aliases.get(name, ())))
        for name in sorted(degrees)
    )
    return GraphExport(nodes=tuple(nodes), edges=tuple(edges), truncated=truncated)


def written(graph: GraphExport, form: GraphFormat) -> str:
    """The graph in a format."""
    match form:
        case "json":
            return json.dumps(asdict(graph), ensure_ascii=False, indent=1) + "\n"
        case "graphml":
            return "\n".join(_graphml(graph)) + "\n"
        case "mermaid":
            return "\n".join(_mermaid(graph)) + "\n"


def _graphml(graph: GraphExport) -> Iterable[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
    for name, of, kind in _KEYS:
        yield f' <key id="{name}" for="{of}" attr.name="{name}" attr.type="{kind}"/>'
    yield ' <graph edgedefault="directed">'
    for node in graph.nodes:
        yield f'  <node id="{_xml(node.name)}">'
        yield from _data(degree=node.degree, worst_trust=node.worst_trust, aliases=", ".join(node.aliases))
        yield "  </node>"
    for edge in graph.edges:
        yield f'  <edge source="{_xml(edge.subject)}" target="{_xml(edge.object)}">'
        held = "true" if edge.quarantined else "false"
        yield from _data(predicate=edge.predicate, memory_id=edge.memory_id, trust=edge.trust, quarantined=held)
        yield "  </edge>"
    yield " </graph>"
    yield "</graphml>"


_KEYS: Final = (
    ("degree", "node", "int"),
    ("worst_trust", "node", "double"),
    ("aliases", "node", "string"),
    ("predicate", "edge", "string"),
    ("memory_id", "edge", "string"),
    ("trust", "edge", "double"),
    ("quarantined", "edge", "boolean"),
)


def _data(**values: str | float) -> Iterable[str]:
    for key, value in values.items():
        yield f'   <data key="{key}">{_xml(str(value))}</data>'


def _xml(text: str) -> str:
    return escape(text.translate(_NOT_IN_XML), quote=True)


def _mermaid(graph: GraphExport) -> Iterable[str]:
    yield "graph LR"
    number = {node.name: i for i, node in enumerate(graph.nodes)}
    for node in graph.nodes:
        yield f'    n{number[node.name]}["{_label(node.name)}"]'
    for edge in graph.edges:
        arrow = "-.->" if edge.quarantined else "-->"
        yield f'    n{number[edge.subject]} {arrow}|"{_label(edge.predicate)}"| n{number[edge.object]}'


def _label(text: str) -> str:
    """One line of letters; whatever means something to Mermaid or HTML stands as a number."""
    line = " ".join(text.translate(_NOT_IN_XML).split())
    cut = line if len(line) <= _LONGEST_LABEL else f"{line[: _LONGEST_LABEL - 1]}…"
    return "".join(letter if letter.isalnum() or letter in " -_.,…" else f"#{ord(letter)};" for letter in cut)
