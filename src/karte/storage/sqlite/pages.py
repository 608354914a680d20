"""The index of pages in one file."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import fields
from typing import Any, Final

import apsw

from karte.domain.entities import normalise
from karte.domain.page_rows import PageSource, PageState, StoredPage, StoredProposal
from karte.domain.text import TextQuery, index_text, match_expression
from karte.storage.sqlite.connection import Execute

_NAMES: Final = tuple(each.name for each in fields(StoredPage))
_COLUMNS: Final = ", ".join(f"p.{name}" for name in _NAMES)
_ALL: Final = f"SELECT {_COLUMNS} FROM pages p WHERE p.agent_id = ? ORDER BY p.doc_type, p.slug"
_GET: Final = f"SELECT {_COLUMNS} FROM pages p WHERE p.agent_id = ? AND p.doc_type = ? AND p.slug = ?"
_OF_ID: Final = f"SELECT {_COLUMNS} FROM pages p WHERE p.id = ?"
_PENDING: Final = f"SELECT {_COLUMNS} FROM pages p WHERE p.pending IS NOT NULL ORDER BY p.ordinal"
_ADD: Final = (
    f"INSERT INTO pages ({', '.join(_NAMES)}) VALUES ({', '.join(f':{name}' for name in _NAMES)}) RETURNING ordinal"
)
_PUT: Final = (
    f"UPDATE pages SET {', '.join(f'{name} = :{name}' for name in _NAMES if name != 'ordinal')}"
    " WHERE ordinal = :ordinal"
)
_SOURCES: Final = (
    "SELECT page_id, origin, text_digest, filed_at, withdrawn_by FROM page_sources WHERE page_id = ?"
    " ORDER BY filed_at, origin"
)
_ADD_SOURCE: Final = (
    "INSERT OR IGNORE INTO page_sources (agent_id, page_id, origin, text_digest, filed_at, withdrawn_by)"
    " VALUES (?, ?, ?, ?, ?, ?)"
)
_WITHDRAW: Final = (
    "UPDATE page_sources SET withdrawn_by = ? WHERE agent_id = ? AND origin = ? AND filed_at >= ?"
    " AND withdrawn_by IS NULL RETURNING page_id"
)
_COVERING: Final = (  # a purge that stands covers all of its origin that was there when it was done
    "SELECT o.id FROM operations o WHERE o.agent_id = {0}.agent_id AND o.origin = {0}.origin AND o.kind = 'purged'"
    " AND o.undone_at IS NULL AND coalesce(o.since, '') <= {0}.{1} AND o.done_at >= {0}.{1} LIMIT 1"
)
_REINSTATE: Final = (
    f"UPDATE page_sources SET withdrawn_by = ({_COVERING.format('page_sources', 'filed_at')})"
    " WHERE withdrawn_by = ? RETURNING page_id"
)
_PROPOSALS: Final = (
    "SELECT id, page_id, origin, text, text_digest, proposed_at FROM page_proposals WHERE agent_id = ?"
    f" AND NOT EXISTS ({_COVERING.format('page_proposals', 'proposed_at')}) ORDER BY proposed_at, id"
)
_PROPOSE: Final = (
    "INSERT INTO page_proposals (agent_id, id, page_id, origin, text, text_digest, proposed_at)"
    " VALUES (?, ?, ?, ?, ?, ?, ?)"
)
_DROP_PROPOSAL: Final = "DELETE FROM page_proposals WHERE id = ?"
_UNINDEX: Final = "DELETE FROM page_index WHERE rowid = ?"
_INDEX: Final = "INSERT INTO page_index (rowid, title, text) VALUES (?, ?, ?)"
_WEIGHT_OF_TITLE: Final = 4.0
_FOUND: Final = (
    f"SELECT {_COLUMNS}, -bm25(page_index, {_WEIGHT_OF_TITLE}, 1.0) AS relevance FROM page_index f"
    " CROSS JOIN pages p ON p.ordinal = f.rowid WHERE f.page_index MATCH ? AND p.agent_id = ?"
    " AND p.state = 'live' AND p.problem IS NULL ORDER BY relevance DESC, p.doc_type, p.slug"
)


class Pages:
    """The pages of one file."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._execute: Execute = connection.execute

    def all(self, agent: str) -> list[StoredPage]:
        """The agent's pages, in the order of their names."""
        return [_page(row) for row in self._execute(_ALL, (agent,))]

    def get(self, agent: str, doc_type: str, slug: str) -> StoredPage | None:
        """The page of this name."""
        row = self._execute(_GET, (agent, doc_type, slug)).fetchone()
        return None if row is None else _page(row)

    def of_id(self, page_id: str) -> StoredPage | None:
        """The page that has this id, under whatever name."""
        row = self._execute(_OF_ID, (page_id,)).fetchone()
        return None if row is None else _page(row)

    def add(self, page: StoredPage) -> StoredPage:
        """Takes a new page in; gives it with its ordinal, which is the store's to choose."""
        values = {**_values(page), "ordinal": None}
        (ordinal,) = self._execute(_ADD, values).fetchone()
        return _page((ordinal, *(values[name] for name in _NAMES[1:])))

    def put(self, page: StoredPage) -> None:
        """Writes what has changed of a page."""
        self._execute(_PUT, _values(page))

    def pending(self) -> list[StoredPage]:
        """The pages of every agent whose file has not got its text yet."""
        return [_page(row) for row in self._execute(_PENDING)]

    def sources(self, page_id: str) -> tuple[PageSource, ...]:
        """Who filed the texts of a page, the first first."""
        return tuple(
            PageSource(page_id=page, origin=origin, text_digest=digest, filed_at=at, withdrawn_by=by)
            for page, origin, digest, at, by in self._execute(_SOURCES, (page_id,))
        )

    def add_source(self, agent: str, source: PageSource) -> None:
        """Notes who filed a text."""
        s = source
        self._execute(_ADD_SOURCE, (agent, s.page_id, s.origin, s.text_digest, s.filed_at, s.withdrawn_by))

    def withdraw(self, agent: str, origin: str, since: str, operation_id: str) -> list[str]:
        """Takes back what an origin filed; the ids of the pages."""
        return _ids(self._execute(_WITHDRAW, (operation_id, agent, origin, since)))

    def reinstate(self, operation_id: str) -> list[str]:
        """Lets what an operation took back count again; the ids of the pages."""
        return _ids(self._execute(_REINSTATE, (operation_id,)))

    def proposals(self, agent: str) -> list[StoredProposal]:
        """The texts that wait, the first first."""
        return [
            StoredProposal(id=id, page_id=page, origin=origin, text=text, text_digest=digest, proposed_at=at)
            for id, page, origin, text, digest, at in self._execute(_PROPOSALS, (agent,))
        ]

    def propose(self, agent: str, proposal: StoredProposal) -> None:
        """Lets a text wait."""
        p = proposal
        self._execute(_PROPOSE, (agent, p.id, p.page_id, p.origin, p.text, p.text_digest, p.proposed_at))

    def drop_proposal(self, id: str) -> None:
        """Lets a proposal go."""
        self._execute(_DROP_PROPOSAL, (id,))

    def index(self, ordinal: int, title: str, text: str) -> None:
        """Lets a page be found by these words, and no others."""
        self.unindex(ordinal)
        self._execute(_INDEX, (ordinal, index_text(title), index_text(text)))

    def unindex(self, ordinal: int) -> None:
        """Lets a page be found by no words."""
        self._execute(_UNINDEX, (ordinal,))

    def found(self, agent: str, query: TextQuery) -> list[tuple[StoredPage, float]]:
        """The live pages that hold words of a query, with their relevance (above 0), the best first."""
        expression = match_expression(query)
        if expression is None:
            return []
        return [(_page(row[:-1]), row[-1]) for row in self._execute(_FOUND, (expression, agent))]

    def doomed(self, agent: str, names: Iterable[str] | None) -> list[StoredPage]:
        """The pages that an erasure removes: all of an agent, or those of which a name is the subject."""
        wanted = None if names is None else {normalise(name) for name in names}
        return [
            page
            for page in self.all(agent)
            if wanted is None or normalise(f"wiki:auto/{page.doc_type}/{page.slug}") in wanted
        ]


def _ids(rows: Iterable[Any]) -> list[str]:
    return sorted({str(row[0]) for row in rows})


def _page(row: tuple[Any, ...]) -> StoredPage:
    values = dict(zip(_NAMES, row, strict=True))
    return StoredPage(**{**values, "tags": tuple(json.loads(values["tags"])), "state": PageState(values["state"])})


def _values(page: StoredPage) -> dict[str, Any]:
    values = {name: getattr(page, name) for name in _NAMES}
    return {**values, "tags": json.dumps(page.tags, ensure_ascii=False), "state": page.state.value}
