"""Computing derived data of a file anew: the search index, identity keys, indexes, times in an older form."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import apsw

from karte.domain.assertions import Kind
from karte.domain.entities import identity_of, normalise, value_key
from karte.storage.sqlite import adoption, conversion, conversion_names, indexing
from karte.storage.sqlite.conversion_names import Names
from karte.storage.sqlite.indexing import Progress

_STAGE: Final = "settling facts"
_INSTANT: Final = "SELECT last_instant FROM karte_state WHERE id = 1"
_SET_TIME: Final = "UPDATE {table} SET {column} = ? WHERE id = ?"
_NAMED: Final = (
    "SELECT a.learned_order, a.agent_id, a.row_id, a.kind, a.identity, a.value_key, a.subject, a.predicate, a.object,"
    " coalesce(a.content, m.content, x.content, '') FROM memory_assertions a"
    " LEFT JOIN memories m ON m.id = a.row_id LEFT JOIN memories_archive x ON x.id = a.row_id"
)
_RENAME: Final = "UPDATE memory_assertions SET identity = ?, value_key = ? WHERE learned_order = ?"
_RENAME_ROWS: Final = (
    "UPDATE memories SET identity = ? WHERE assertion = ?",
    "UPDATE memories_archive SET identity = ? WHERE assertion = ?",
)
_FACTS_OF: Final = (
    "SELECT DISTINCT agent_id, identity FROM memories WHERE identity IS NOT NULL AND state IS NULL AND quarantined = 0"
    " AND id IN (SELECT value FROM json_each(?)) ORDER BY agent_id, identity"
)

Fact = tuple[str, str]
"""Whose fact, and its identity."""


@dataclass(frozen=True, slots=True)
class StaleKey:
    """An assertion whose keys are not those that its names have today."""

    order: int
    row_id: str
    agent: str
    before: str
    identity: str
    value: bytes


def stale_keys(connection: apsw.Connection, names: Names) -> Iterator[StaleKey]:
    """The assertions whose stored identity or value key is not what their words give now."""
    for order, agent, row_id, kind, identity, value, subject, predicate, object, content in connection.execute(_NAMED):
        resolve = names.resolve(agent)
        is_many = names.is_many(agent, normalise(predicate))
        new = identity_of(subject, predicate, object=object, content=content, is_many=is_many, resolve=resolve)
        key = value if kind == Kind.END.value else value_key(object, content, resolve)
        if new != identity or key != value:
            yield StaleKey(order, row_id, agent, identity, new, key)


def rebuild(
    connection: apsw.Connection, odd_times: Iterable[tuple[str, str, str, str]], report: Progress
) -> tuple[tuple[str, ...], frozenset[Fact]]:
    """What was built anew, and the facts whose keys changed; in one transaction.

    ``odd_times`` are (table, column, id, written form) of times that can be read but are not in our form.
    """
    rebuilt = []
    connection.execute("BEGIN IMMEDIATE")
    try:
        if conversion.has_strangers(connection):
            conversion.convert(connection, connection.execute(_INSTANT).get, report)
            rebuilt.append("memories of an older engine")
        if _rewrite(connection, odd_times):
            rebuilt.append("times")
        facts = _renew_keys(connection)
        adoption.create_indexes(connection)
        indexing.build_index(connection, report)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return (*rebuilt, "identity keys", "search index"), facts


def _rewrite(connection: apsw.Connection, odd_times: Iterable[tuple[str, str, str, str]]) -> int:
    count = 0
    for table, column, id, text in odd_times:
        connection.execute(_SET_TIME.format(table=table, column=column), (text, id))
        count += 1
    return count


def _renew_keys(connection: apsw.Connection) -> frozenset[Fact]:
    facts = set()
    names = conversion_names.convert_names(connection)
    for stale in list(stale_keys(connection, names)):
        connection.execute(_RENAME, (stale.identity, stale.value, stale.order))
        for query in _RENAME_ROWS:
            connection.execute(query, (stale.identity, stale.order))
        facts |= {(stale.agent, stale.before), (stale.agent, stale.identity)}
    return frozenset(facts)


def settle_facts(
    connection: apsw.Connection,
    ids: Iterable[str],
    facts: frozenset[Fact],
    settle: Callable[[str, str], None],
    report: Progress,
) -> bool:
    """Has every fact planned anew that one of the memories shows, or that is named; whether there was any."""
    shown: list[Any] = connection.execute(_FACTS_OF, (json.dumps(list(ids)),)).fetchall()
    everything = sorted(facts.union(shown))
    for done, (agent, identity) in enumerate(everything, 1):
        settle(agent, identity)
        report(_STAGE, done, len(everything))
    return bool(everything)
