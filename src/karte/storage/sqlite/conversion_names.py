"""The aliases of an older engine's file: normalised and flattened, as ours are."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Iterable
from typing import Any, Final

import apsw

from karte.domain.entities import Resolve, no_alias, normalise, resolver, with_alias
from karte.domain.time import read_stored
from karte.errors import AliasCycle

_FOUND: Final = "SELECT agent_id, canonical, alias, created_at FROM entity_alias ORDER BY rowid"
_CLEAR: Final = "DELETE FROM entity_alias WHERE agent_id = ?"
_ADD: Final = "INSERT INTO entity_alias (agent_id, canonical, alias, created_at) VALUES (?, ?, ?, ?)"
_VECTORS: Final = "SELECT rowid, created_at FROM entity_embedding"
_DATE_VECTOR: Final = "UPDATE entity_embedding SET created_at = ? WHERE rowid = ?"
_MANY: Final = "SELECT agent_id, predicate FROM predicate_cardinality WHERE cardinality = 'many'"

_log: Final = logging.getLogger(__name__)


class Names:
    """What each agent of the file calls the same, and which predicates have many values."""

    def __init__(self, aliases: dict[str, dict[str, str]], many: frozenset[tuple[str, str]]) -> None:
        self._resolvers = {agent: resolver(pairs) for agent, pairs in aliases.items()}
        self._many = many

    def resolve(self, agent: str) -> Resolve:
        """The agent's aliases as a function."""
        return self._resolvers.get(agent, no_alias)

    def is_many(self, agent: str, predicate: str) -> bool:
        """Whether a (normalised) predicate is declared many-valued."""
        return (agent, predicate) in self._many


def convert_names(connection: apsw.Connection) -> Names:
    """Rewrites the aliases that are not in our form, and gives the names of all agents."""
    found: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
    rows: Iterable[Any] = connection.execute(_FOUND).fetchall()
    for agent, canonical, alias, created_at in rows:
        found[agent].append((canonical, alias, created_at))
    aliases: dict[str, dict[str, str]] = {}
    for agent, pairs in found.items():
        aliases[agent], dates = _flattened(pairs)
        flat = [(agent, canonical, alias, dates[alias]) for alias, canonical in aliases[agent].items()]
        if sorted((agent, *pair) for pair in pairs) != sorted(flat):
            connection.execute(_CLEAR, (agent,))
            connection.executemany(_ADD, flat)
    _date_vectors(connection)
    return Names(aliases, _many(connection))


def names_of(connection: apsw.Connection) -> Names:
    """The names of all agents as they stand."""
    aliases: dict[str, dict[str, str]] = defaultdict(dict)
    rows: Iterable[Any] = connection.execute(_FOUND)
    for agent, canonical, alias, _ in rows:
        aliases[agent][alias] = canonical
    return Names(aliases, _many(connection))


def _many(connection: apsw.Connection) -> frozenset[tuple[str, str]]:
    rows: Iterable[Any] = connection.execute(_MANY)
    return frozenset(rows)


def _flattened(pairs: list[tuple[str, str, str]]) -> tuple[dict[str, str], dict[str, str]]:
    """``{alias: canonical}`` and ``{alias: created_at}``; what says nothing or leads back to itself is left out."""
    aliases: dict[str, str] = {}
    dates: dict[str, str] = {}
    for canonical, alias, created_at in pairs:
        name, target = normalise(alias), normalise(canonical)
        if not name or not target or name == target:
            continue
        try:
            aliases = with_alias(aliases, target, name)
        except AliasCycle:
            _log.warning("the alias %r of %r leads back to itself and was left out", alias, canonical)
            continue
        dates[name] = read_stored(created_at) or created_at
    return aliases, dates


def _date_vectors(connection: apsw.Connection) -> None:
    rows: Iterable[Any] = connection.execute(_VECTORS)
    changed = [
        (text, rowid)
        for rowid, created_at in rows
        if (text := read_stored(created_at)) is not None and text != created_at
    ]
    connection.executemany(_DATE_VECTOR, changed)
