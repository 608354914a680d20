"""Opening a file: a new one is laid out, an older one is upgraded in place, anything else is refused untouched.

The whole of an upgrade is one transaction: columns, tables, conversion of the rows, search index and version stamp.
Whatever interrupts it, the file is as it was before and the next opening begins anew.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from enum import Enum, auto
from pathlib import Path
from typing import Final
from urllib.parse import quote

import apsw

from karte.errors import CorruptFile, KarteError, NewerFile, NotAKarteFile, ReadOnlyFile
from karte.storage.sqlite import adoption, conversion, indexing, schema, steps
from karte.storage.sqlite.connection import MEMORY, translated
from karte.storage.sqlite.indexing import Progress

WAL_TRIES: Final = 40
WAL_PAUSE_SECS: Final = 0.025

_STAMP: Final = (
    f"PRAGMA application_id={schema.APPLICATION_ID}",
    f"PRAGMA user_version={schema.SCHEMA_VERSION}",
)
_HAS_TABLES: Final = "SELECT EXISTS (SELECT 1 FROM sqlite_schema)"


class Shape(Enum):
    """What an opened file is."""

    EMPTY = auto()
    OLDER = auto()
    OURS = auto()


def refuse_foreign(path: str) -> None:
    """Raises ``NotAKarteFile`` or ``NewerFile`` for a file that plainly is one, without a trace of having looked.

    To be called before a connection is opened: even a reading one leaves files beside another program's database. What
    only the write-ahead log could tell is left to ``prepare``.
    """
    file = Path(path)
    if path == MEMORY or not file.is_file():
        return
    log = Path(f"{path}-wal")
    has_log = log.exists() and log.stat().st_size > 0
    uri = f"file:{quote(str(file.absolute()))}?immutable=1"
    try:
        connection = apsw.Connection(uri, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
        try:
            _shape_of(connection, path)
        finally:
            connection.close()
    except (NotAKarteFile, NewerFile):
        if not has_log:
            raise
    except apsw.Error:
        return  # being written to, damaged, or no database: an ordinary connection sees it right and leaves no trace


def prepare(
    connection: apsw.Connection,
    *,
    path: str,
    now: str,
    is_read_only: bool,
    on_progress: Progress | None = None,
) -> None:
    """The file behind the connection can be used: it has the tables, columns and indexes of ours.

    A file of ours costs a few look-ups, whatever its size. Anything else that is not an older engine's file is refused
    with ``NotAKarteFile`` or ``NewerFile`` and left untouched.
    """
    report = on_progress or _no_progress
    with translated(path), _readable(path):
        try:
            shape = _shape_of(connection, path)
        except KarteError:
            _leave_untouched(connection, path)
            raise
        if is_read_only or connection.readonly("main"):
            _check_readable(shape, path)
            return
        if shape is not Shape.OURS or not _is_in_step(connection):
            _bring_up_to_date(connection, path, now, report)
        _use_log(connection)


def _no_progress(_stage: str, _done: int, _total: int) -> None:
    """Nobody listens."""


@contextlib.contextmanager
def _readable(path: str) -> Iterator[None]:
    try:
        yield
    except UnicodeDecodeError as error:
        raise CorruptFile(
            "a text in the file is not UTF-8",
            field="path",
            value=path,
            remedy="mend the text with the program that wrote it; the file was left as it was",
        ) from error


def _shape_of(connection: apsw.Connection, path: str) -> Shape:
    """What the file is; raises for one that is not for us."""
    owner = connection.pragma("application_id")
    version = connection.pragma("user_version")
    if owner == schema.APPLICATION_ID:
        if version > schema.SCHEMA_VERSION:
            raise _newer(path, version)
        return Shape.OURS if version == schema.SCHEMA_VERSION else Shape.OLDER
    if owner != 0:
        raise _foreign(path)
    if not connection.execute(_HAS_TABLES).get:
        if path != MEMORY and Path(path).exists() and Path(path).stat().st_size == 1:
            raise _foreign(path)  # SQLite takes a file of one byte for an empty one
        return Shape.EMPTY
    if not adoption.is_adoptable(connection):
        raise _foreign(path)
    if version > schema.SCHEMA_VERSION:
        raise _newer(path, version)
    return Shape.OLDER


def _newer(path: str, version: int) -> NewerFile:
    return NewerFile(
        f"written by a newer version (its layout is {version}, this version knows {schema.SCHEMA_VERSION})",
        field="path",
        value=path,
        remedy="open it with that version, or newer; it was left untouched",
    )


def _foreign(path: str) -> NotAKarteFile:
    return NotAKarteFile(
        "not a Karte file", field="path", value=path, remedy="name another file; this one was left untouched"
    )


def _leave_untouched(connection: apsw.Connection, path: str) -> None:
    """Closing the connection shall not move another program's write-ahead log into its file."""
    log = Path(f"{path}-wal")
    if log.exists() and log.stat().st_size > 0:
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)


def _check_readable(shape: Shape, path: str) -> None:
    if shape is Shape.OURS:
        return
    what = "holds nothing yet" if shape is Shape.EMPTY else "is of an older engine and must be upgraded first"
    raise ReadOnlyFile(
        f"the file {what}, and it cannot be written",
        field="path",
        value=path,
        remedy="open it once for writing, then read-only",
    )


def _is_in_step(connection: apsw.Connection) -> bool:
    """Whether derived data are of today and no older engine has written to the file since."""
    return indexing.is_index_fresh(connection) and not conversion.has_strangers(connection)


def _bring_up_to_date(connection: apsw.Connection, path: str, now: str, report: Progress) -> None:
    """Lays the file out, upgrades it, or rebuilds what is stale: in one transaction, or not at all."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        shape = _shape_of(connection, path)  # another process may have been here while we waited
        if shape is not Shape.OURS:
            _lay_out(connection, now)
            conversion.convert(connection, now, report)
            adoption.create_indexes(connection)
            _stamp(connection)
        elif conversion.has_strangers(connection):
            last = conversion.last_ordinal(connection)
            conversion.convert(connection, now, report)
            indexing.extend_index(connection, last, report)
        if not indexing.is_index_fresh(connection):
            indexing.build_index(connection, report)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _lay_out(connection: apsw.Connection, now: str) -> None:
    """Every table and column, from whatever is there; indexes wait until the rows are converted."""
    adoption.widen(connection)
    adoption.drop_indexes(connection)
    steps.apply_steps(connection, now)


def _stamp(connection: apsw.Connection) -> None:
    for statement in _STAMP:
        connection.execute(statement)


def _use_log(connection: apsw.Connection) -> None:
    """Switches to the write-ahead log; where another process is in the way, a later opening will."""
    for _ in range(WAL_TRIES):
        with contextlib.suppress(apsw.BusyError, apsw.LockedError):
            connection.pragma("journal_mode", "wal")
            return
        time.sleep(WAL_PAUSE_SECS)
