"""Aliases and declared predicates, and what they were at an earlier instant of belief."""

from __future__ import annotations

from typing import Final, TypeVar

import apsw

from karte.domain.entities import Resolve, no_alias, resolver
from karte.domain.model import Alias
from karte.domain.time import read_stored, to_datetime
from karte.storage.sqlite.connection import Execute

_ALIASES: Final = "SELECT alias, canonical FROM entity_alias WHERE agent_id = ?"
_LISTED: Final = "SELECT canonical, alias, created_at FROM entity_alias WHERE agent_id = ? ORDER BY canonical, alias"
_CARDINALITY: Final = "SELECT cardinality FROM predicate_cardinality WHERE agent_id = ? AND predicate = ?"
_DECLARED: Final = "SELECT shown, cardinality FROM predicate_cardinality WHERE agent_id = ? ORDER BY predicate"
_CARDINALITIES: Final = "SELECT predicate, cardinality FROM predicate_cardinality WHERE agent_id = ?"
_SPELLING: Final = "SELECT shown FROM predicate_cardinality WHERE agent_id = ? AND predicate = ?"
_OF_ORIGIN: Final = (
    "SELECT r.name, r.before, r.after FROM name_revisions r WHERE r.agent_id = ? AND r.kind = ? AND r.origin = ?"
    " AND r.changed_at >= ? AND r.after IS NOT NULL AND r.revision = (SELECT max(revision) FROM name_revisions"
    " WHERE agent_id = r.agent_id AND kind = r.kind AND name = r.name) ORDER BY r.revision"
)
_DECLARE: Final = (
    "INSERT INTO predicate_cardinality (agent_id, predicate, shown, cardinality, origin,"
    " declared_at) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (agent_id, predicate) DO UPDATE SET"
    " shown = excluded.shown, cardinality = excluded.cardinality, origin = excluded.origin,"
    " declared_at = excluded.declared_at"
)
_DROP_ALIAS: Final = "DELETE FROM entity_alias WHERE agent_id = ? AND alias = ?"
_SET_ALIAS: Final = (
    "INSERT INTO entity_alias (agent_id, canonical, alias, created_at) VALUES (?, ?, ?, ?)"
    " ON CONFLICT (agent_id, alias) DO UPDATE SET canonical = excluded.canonical"
)
_LOG: Final = (
    "INSERT INTO name_revisions (agent_id, kind, name, before, after, origin, changed_at,"
    " operation_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)
_LATER: Final = (
    "SELECT name, before FROM name_revisions WHERE agent_id = ? AND kind = ? AND changed_at > ? ORDER BY revision DESC"
)


_RAISE_VERSION: Final = "UPDATE karte_state SET names_version = names_version + 1 WHERE id = 1"


class Names:
    """The aliases and cardinalities of the agents of one file.

    They are asked for by every call and rarely change, so those of the present are kept until
    the version in the file, which every change raises, is another one.
    """

    def __init__(self, connection: apsw.Connection) -> None:
        self._execute: Execute = connection.execute
        self._version = -1
        self._resolvers: dict[str, Resolve] = {}
        self._is_many: dict[tuple[str, str], bool] = {}

    def keep_up_with(self, version: int) -> None:
        """Forgets what was kept if the names have changed since, in whatever process."""
        if version != self._version:
            self.forget()
            self._version = version

    def forget(self) -> None:
        """Forgets what was kept."""
        self._version = -1
        self._resolvers.clear()
        self._is_many.clear()

    def _changed(self) -> None:
        self._execute(_RAISE_VERSION)
        self.forget()

    def aliases(self, agent: str, known_at: str | None = None) -> dict[str, str]:
        """``{alias: canonical}``, normalised and flattened, now or as it was believed."""
        pairs: dict[str, str] = dict(self._execute(_ALIASES, (agent,)))
        if known_at is not None:
            for name, before in self._execute(_LATER, (agent, "alias", known_at)):
                if before is None:
                    pairs.pop(name, None)
                else:
                    pairs[name] = before
        return pairs

    def resolve(self, agent: str, known_at: str | None = None) -> Resolve:
        """The agent's aliases as a function."""
        if known_at is None:
            kept = self._resolvers.get(agent)
            if kept is not None:
                return kept
        aliases = self.aliases(agent, known_at)
        resolve = resolver(aliases) if aliases else no_alias
        if known_at is None:
            _keep(self._resolvers, agent, resolve)
        return resolve

    def listed(self, agent: str) -> list[Alias]:
        """The aliases, by canonical name."""
        return [
            Alias(
                canonical=canonical,
                alias=alias,
                created_at=to_datetime(instant) if (instant := read_stored(created)) else None,
            )
            for canonical, alias, created in self._execute(_LISTED, (agent,))
        ]

    def replace_aliases(
        self, agent: str, before: dict[str, str], after: dict[str, str], *, now: str, origin: str
    ) -> None:
        """Writes the difference between two alias tables, with its log."""
        for alias in before.keys() | after.keys():
            old, new = before.get(alias), after.get(alias)
            if old == new:
                continue
            if new is None:
                self._execute(_DROP_ALIAS, (agent, alias))
            else:
                self._execute(_SET_ALIAS, (agent, new, alias, now))
            self._execute(_LOG, (agent, "alias", alias, old, new, origin, now, now))
        self._changed()

    def is_many(self, agent: str, predicate: str, known_at: str | None = None) -> bool:
        """Whether a (normalised) predicate is declared many-valued."""
        if known_at is None:
            kept = self._is_many.get((agent, predicate))
            if kept is not None:
                return kept
        found = self._execute(_CARDINALITY, (agent, predicate)).get
        if known_at is not None:
            for name, before in self._execute(_LATER, (agent, "cardinality", known_at)):
                if name == predicate:
                    found = before
        else:
            _keep(self._is_many, (agent, predicate), found == "many")
        return bool(found == "many")

    def cardinalities(self, agent: str) -> dict[str, str]:
        """The declared predicates, normalised, with their cardinality."""
        return dict(self._execute(_CARDINALITIES, (agent,)))

    def spelling(self, agent: str, predicate: str) -> str | None:
        """How a declared predicate was spelled."""
        found: str | None = self._execute(_SPELLING, (agent, predicate)).get
        return found

    def of_origin(self, agent: str, kind: str, origin: str, since: str) -> list[tuple[str, str | None, str]]:
        """Name, former and present meaning, where exactly this origin gave it last (at or after an instant)."""
        return self._execute(_OF_ORIGIN, (agent, kind, origin, since)).fetchall()  # type: ignore[no-any-return]

    def declared(self, agent: str) -> dict[str, str]:
        """The declared predicates as they were spelled, with their cardinality."""
        return dict(self._execute(_DECLARED, (agent,)))

    def declare(self, agent: str, predicate: str, shown: str, cardinality: str, *, now: str, origin: str) -> None:
        """Declares a predicate, with its log."""
        before = self._execute(_CARDINALITY, (agent, predicate)).get
        self._execute(_DECLARE, (agent, predicate, shown, cardinality, origin, now))
        self._execute(_LOG, (agent, "cardinality", predicate, before, cardinality, origin, now, now))
        self._changed()


MOST_KEPT: Final = 10_000
Key = TypeVar("Key")
Value = TypeVar("Value")


def _keep(kept: dict[Key, Value], key: Key, value: Value) -> None:
    if len(kept) >= MOST_KEPT:
        kept.clear()
    kept[key] = value
