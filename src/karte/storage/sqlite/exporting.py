"""Rows of every table out of the file and into an empty one, each as an object of JSON values."""

from __future__ import annotations

import base64
import binascii
import math
from collections.abc import Iterator, Mapping
from typing import Any, Final

import apsw

from karte.domain.erasure import Extent
from karte.errors import InvalidInput
from karte.storage.sqlite import indexing, schema
from karte.storage.sqlite.connection import Execute
from karte.storage.sqlite.coverage import COVERAGE
from karte.storage.sqlite.selecting import selected

STATE: Final = "karte_state"
_STATE: Final = "SELECT last_instant, last_order, last_ordinal FROM karte_state WHERE id = 1"
_COLUMNS: Final = "SELECT name FROM pragma_table_info(?) ORDER BY cid"
_IS_FILLED: Final = "SELECT EXISTS (SELECT 1 FROM {})"
_DERIVED_STATE: Final = (
    "UPDATE karte_state SET names_version = names_version + 1, next_expiry = coalesce((SELECT min(expires_at)"
    " FROM approvals WHERE state = 'pending'), '~') WHERE id = 1"
)

_WIDENED: Final = {
    "memories": schema.COLUMN_NAMES,
    "memories_archive": tuple(name for name, _ in schema.ARCHIVE_TABLE_COLUMNS),
}

JsonRow = dict[str, Any]
"""The columns of a row that are not NULL."""


class Exporting:
    """Giving out and taking in the rows of one file."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._execute: Execute = connection.execute

    def rows(self, extent: Extent) -> Iterator[tuple[str, JsonRow]]:
        """Every row of the extent with the name of its table, in an order that depends on the rows alone."""
        instant, order, ordinal = self._execute(_STATE).fetchone()
        yield STATE, {"last_instant": instant, "last_order": order, "last_ordinal": ordinal}
        if extent.agent is None:
            yield from self._rows(dict.fromkeys(COVERAGE, "1"), {})
            return
        with selected(self._connection, extent) as selection:
            taken = {name: each.taken(whole=selection.is_whole) for name, each in COVERAGE.items()}
            yield from self._rows({name: where for name, where in taken.items() if where}, selection.values)

    def _rows(self, conditions: Mapping[str, str], values: Mapping[str, Any]) -> Iterator[tuple[str, JsonRow]]:
        for name, where in conditions.items():
            order = COVERAGE[name].order
            if order is None:
                continue
            columns = self._columns(name)
            query = f"SELECT {_quoted(columns)} FROM {name} WHERE {where} ORDER BY {order}"
            for row in self._execute(query, values):
                pairs = zip(columns, row, strict=True)
                yield name, {column: _to_json(value) for column, value in pairs if value is not None}

    def is_empty(self) -> bool:
        """Whether nothing is in the file yet."""
        filled = (self._execute(_IS_FILLED.format(name)).get for name, each in COVERAGE.items() if each.order)
        return not any(filled)

    def put(self, table: str, row: Mapping[str, Any]) -> None:
        """Takes in one row, as ``rows`` gave it."""
        if table not in COVERAGE or COVERAGE[table].order is None:
            raise InvalidInput("no such table", field="table", value=table, remedy="give what `karte export` wrote")
        columns = self._columns(table)
        unknown = sorted(row.keys() - set(columns))
        if unknown:
            raise InvalidInput(f"no such column of {table}", field="row", value=unknown[0], remedy="use a newer Karte")
        values = [_from_json(row.get(column)) for column in columns]
        marks = ", ".join("?" * len(columns))
        try:
            self._execute(f"INSERT INTO {table} ({_quoted(columns)}) VALUES ({marks})", values)
        except apsw.ConstraintError as error:
            raise InvalidInput(
                f"not a row of {table}: {error}", field="row", remedy="give what `karte export` wrote"
            ) from error

    def finish(self) -> None:
        """Computes what an export leaves out."""
        self._execute(_DERIVED_STATE)
        indexing.build_index(self._connection, _quietly)

    def _columns(self, table: str) -> tuple[str, ...]:
        """The columns of ours, in our order; an older engine's file may have others, and another order."""
        if table in _WIDENED:
            return _WIDENED[table]
        return tuple(row[0] for row in self._execute(_COLUMNS, (table,)))


def _quoted(columns: tuple[str, ...]) -> str:
    return ", ".join(f'"{column}"' for column in columns)


def _quietly(_stage: str, _done: int, _total: int) -> None:
    """Nobody listens."""


def _to_json(value: Any) -> Any:
    if isinstance(value, bytes):
        return {"base64": base64.b64encode(value).decode("ascii")}
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": repr(value)}
    return value


def _from_json(value: Any) -> Any:
    if isinstance(value, dict):
        try:
            match value:
                case {"base64": str(text), **rest} if not rest:
                    return base64.b64decode(text, validate=True)
                case {"float": ("inf" | "-inf") as text, **rest} if not rest:
                    return float(text)
        except binascii.Error:
            pass
    elif value is None or (isinstance(value, str | int | float) and not isinstance(value, bool)):
        return value
    raise InvalidInput("not a value of a row", field="row", value=value, remedy="give what `karte export` wrote")
