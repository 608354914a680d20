"""The first build of an agent's graph, as its rows stream by: little of a row is held longer than a batch."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Container, Iterator, Sequence
from itertools import chain, compress, islice
from typing import TYPE_CHECKING, Final, NamedTuple

from karte.domain.graph import Graph, Node
from karte.domain.graph_vocabulary import Entry, Vocabulary
from karte.domain.linking import Linked, about, is_plain, surely_held, tokens_of
from karte.storage.protocol import Session

if TYPE_CHECKING:
    from karte.domain.graph_counts import Counts

NEVER: Final = "~"
AT_A_TIME: Final = 1_000
"""Names that are looked up in the index before what they are found in is compared with what is known."""
FEWEST_COUNTED: Final = 500
MOST_TERMS: Final = 8
"""With so many names, how many rows hold each token of the index is looked at, if those are no more a name."""


class Built(NamedTuple):
    """A graph and the names in it, until when it holds, and how many joins of a memory with what it is about it has."""

    graph: Graph
    vocabulary: Vocabulary
    until: str
    size: int


class Surface(NamedTuple):
    """A name by which an entity is known: its own, or an alias."""

    number: int
    name: str
    tokens: Sequence[str]
    is_own: bool


def build(session: Session, agent: str) -> Built:
    """The graph of everything that the agent holds now."""
    rows = _Rows(session, agent)
    graph = Graph.of(rows.nodes())
    look = _Look(session, graph, rows)
    vocabulary = Vocabulary(())
    named: dict[int, list[int]] = {}
    surfaces = _surfaces(session, agent, graph)
    while some := list(islice(surfaces, AT_A_TIME)):
        vocabulary.extend(((each.name, each.tokens) for each in some), is_going_on=True)
        for ordinal, number in look.naming(some):
            named.setdefault(ordinal, []).append(number)
    vocabulary.extend(())
    graph = graph.naming(zip(rows.ordinals, rows.trust, strict=True), named)
    return Built(graph, vocabulary, rows.until, rows.size)


class _Rows:
    """The rows of an agent as they stream by, and what is kept of each."""

    def __init__(self, session: Session, agent: str) -> None:
        self._session = session
        self._agent = agent
        self.ordinals = array("q")
        self.trust = array("d")
        self.unsure = array("q")
        """The hashes of entities that a row is about whose text may hold them otherwise."""
        self.until = NEVER
        self.size = 0

    def nodes(self) -> Iterator[Node]:
        """The memories with what they are about, by ordinal."""
        now = self._session.now
        resolve = self._session.names.resolve(self._agent)
        for row in self._session.graph.rows(self._agent, now):
            self.until = min(self.until, next_bound(row, now))
            if row.holds_at(now):
                own = about(row, resolve)
                sure = surely_held(row)
                self.ordinals.append(row.ordinal)
                self.trust.append(row.trust)
                self.unsure.extend([hash(name) for name in own if name not in sure])
                self.size += len(own)
                yield Node(row.ordinal, row.trust, own)

    def holds(self, ordinal: int) -> bool:
        """Whether a memory is among them."""
        place = bisect_left(self.ordinals, ordinal)
        return place < len(self.ordinals) and self.ordinals[place] == ordinal


class _Look:
    """Looks for names in the texts of memories.

    Most names of a large graph stand only in what is about them. Where no more rows of the index hold the rarest token
    of a name than there are memories about it whose texts surely hold it, no other row holds the name, and the index is
    not asked for it.
    """

    def __init__(self, session: Session, graph: Graph, rows: _Rows) -> None:
        self._session = session
        self._graph = graph
        self._rows = rows
        self._unsure = frozenset(rows.unsure)
        self._counts = self._counted()

    def _counted(self) -> Counts | None:
        if len(self._graph) < FEWEST_COUNTED:
            return None
        from karte.domain.graph_counts import Counts  # noqa: PLC0415 (who never walks needs no numpy)

        return Counts.of(self._session.graph.terms(), MOST_TERMS * len(self._graph))

    def naming(self, surfaces: Sequence[Surface]) -> Iterator[tuple[int, int]]:
        """The memories that name any of these and are not about it, with the number of the entity."""
        asked = compress(surfaces, self._is_to_be_asked(surfaces))
        pairs = [(ordinal, each.number) for each in asked for ordinal in self._session.graph.holding(each.tokens)]
        is_unknown = self._graph.unknown([ordinal for ordinal, _ in pairs], [number for _, number in pairs])
        return (pair for pair in compress(pairs, is_unknown) if self._rows.holds(pair[0]))

    def _is_to_be_asked(self, surfaces: Sequence[Surface]) -> Iterator[bool]:
        if self._counts is None:
            return (bool(each.tokens) for each in surfaces)
        least = self._counts.least([each.tokens for each in surfaces])
        degrees = self._graph.degrees([each.number for each in surfaces])
        return (
            bool(each.tokens) and not (rows <= about and self._is_sure(each))
            for each, rows, about in zip(surfaces, least, degrees, strict=True)
        )

    def _is_sure(self, surface: Surface) -> bool:
        return surface.is_own and is_plain(surface.name) and hash(surface.name) not in self._unsure


def _surfaces(session: Session, agent: str, graph: Graph) -> Iterator[Surface]:
    aliases = other_names(session, agent, graph)
    numbers = graph.numbers([name for name, _ in aliases])
    return chain(
        (Surface(number, name, tokens_of(name), is_own=True) for number, name in graph.numbered()),
        (Surface(numbers[name], name, tokens, is_own=False) for name, tokens in aliases),
    )


def other_names(session: Session, agent: str, known: Container[str]) -> list[Entry]:
    """The aliases of known entities, as other names of theirs."""
    aliases = session.names.aliases(agent)
    return [(name, tokens_of(alias)) for alias, name in sorted(aliases.items()) if name in known]


def next_bound(row: Linked, now: str) -> str:
    """When a row begins or ends next."""
    bounds = [bound for bound in (row.valid_from, row.valid_until) if bound is not None and bound > now]
    return min(bounds, default=NEVER)
