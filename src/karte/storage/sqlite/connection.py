"""Connections to one file: one a thread, none shared over a fork, errors translated in one place.

Writers take the file's write lock at once (``BEGIN IMMEDIATE``) and wait for it up to the
time-out; inside one process they queue on a lock of ours first. No transaction stays open between
calls, so the write-ahead log can always be checkpointed.
"""

from __future__ import annotations

import contextlib
import os
import threading
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import apsw

from karte.errors import (
    Busy,
    CorruptFile,
    DiskFull,
    InvalidInput,
    KarteError,
    NotAKarteFile,
    ReadOnlyFile,
    StorageError,
)
from karte.storage.sqlite.forking import Gate, watch
from karte.storage.sqlite.log import KeepShort

MEMORY: Final = ":memory:"
WAL_LIMIT_BYTES: Final = 16 * 1024 * 1024
"""The write-ahead log is cut back to this size whenever it starts anew."""
CACHE_KIBIBYTES: Final = 3 * 1024
"""Of a connection. The system keeps the file's pages as well; more of our own brought nothing at a million rows."""
STATEMENTS_KEPT: Final = 200
SYNCHRONOUS: Final = {"normal": "PRAGMA synchronous=NORMAL", "full": "PRAGMA synchronous=FULL"}

Execute = Callable[..., Any]
"""A connection's ``execute``: what a row holds is known to the SQL beside its mapper, not to types."""

_FIRST_READ: Final = "SELECT count(*) FROM sqlite_schema"

_INHERITED: Final[list[apsw.Connection]] = []
"""Connections of a parent process: never used and never closed, or its locks might go with them."""


class Connections:
    """Gives each thread of each process its own connection to one file."""

    def __init__(
        self,
        path: str,
        *,
        busy_timeout_secs: float = 30.0,
        synchronous: str = "normal",
        is_read_only: bool = False,
    ) -> None:
        self.path = path
        self.is_read_only = is_read_only
        self.is_closed = False
        self.busy_timeout_secs = busy_timeout_secs
        self.timeout_ms = int(busy_timeout_secs * 1000)
        self._synchronous = SYNCHRONOUS[synchronous]
        self._is_inherited = False
        self.gate = Gate()
        self._start_over()
        watch(self)

    def _start_over(self) -> None:
        self._local = threading.local()
        self._opened: weakref.WeakSet[apsw.Connection] = weakref.WeakSet()
        self._guard = threading.Lock()
        self._keep: apsw.Connection | None = None
        self._write_lock = threading.Lock()

    def before_fork(self) -> None:
        """Closes every connection once no call is under way; those to memory have no locks to lose."""
        is_at_rest = self.gate.shut()
        if self.path == MEMORY:
            return
        if is_at_rest:
            self._close_all()
            self._local = threading.local()
        else:
            self._is_inherited = True

    def after_fork(self, *, is_child: bool) -> None:
        """Both processes go on; a child that divided in the middle of a call cannot use the file."""
        if not is_child:
            self._is_inherited = False
            self.gate.open()
            return
        self.gate = Gate()
        if self.path == MEMORY:
            self._write_lock = threading.Lock()
            return
        _INHERITED.extend(self._opened)
        self._start_over()

    def get(self) -> apsw.Connection:
        """This thread's connection."""
        connection: apsw.Connection | None = getattr(self._local, "connection", None)
        if connection is None or self.is_closed:
            connection = self._local.connection = self._open()
        return connection

    def _open(self) -> apsw.Connection:
        if self.is_closed:
            raise StorageError("the engine is closed", remedy="open it again")
        if self._is_inherited:
            raise StorageError(
                "this process was forked while its parent was in the middle of a call",
                field="path",
                value=self.path,
                remedy="fork when no other thread uses the engine, or start the process another way",
            )
        with translated(self.path):
            try:
                connection = self._connect(self._uri(), self._flags())
            except apsw.CantOpenError:
                if not self._is_at_rest():
                    raise
                connection = self._connect(*self._unchanging())
        with self._guard:
            self._opened.add(connection)
            if self.path == MEMORY and self._keep is None:
                self._keep = connection  # the data live as long as one connection does
        return connection

    def _connect(self, place: str, flags: int) -> apsw.Connection:
        connection = apsw.Connection(place, flags=flags, statementcachesize=STATEMENTS_KEPT)
        try:
            self._configure(connection)
            connection.execute(_FIRST_READ)
        except BaseException:
            connection.close()
            raise
        return connection

    def _is_at_rest(self) -> bool:
        """Whether the file lies where nobody can write and nothing waits in its log.

        Even a reader of a log needs a shared memory file beside it, which cannot be made there.
        """
        file, log = Path(self.path), Path(f"{self.path}-wal")
        has_log = log.exists() and log.stat().st_size > 0
        return file.is_file() and not has_log and not os.access(file.parent, os.W_OK)

    def _unchanging(self) -> tuple[str, int]:
        place = f"file:{quote(str(Path(self.path).absolute()))}?immutable=1"
        return place, apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI

    def _uri(self) -> str:
        if self.path == MEMORY:
            return f"file:/karte-{id(self):x}?vfs=memdb"
        return self.path

    def _flags(self) -> int:
        if self.path == MEMORY:
            uri = apsw.SQLITE_OPEN_URI
            return uri | apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
        if self.is_read_only:
            return apsw.SQLITE_OPEN_READONLY
        return apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE

    def _configure(self, connection: apsw.Connection) -> None:
        connection.set_busy_timeout(self.timeout_ms)
        connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
        connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
        # The planner must not look at bound values: this SQLite would otherwise compile a statement
        # anew whenever a bound is bound, which costs ten times the reading of a row.
        connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
        connection.execute(self._synchronous)
        connection.execute("PRAGMA foreign_keys=ON")
        connection.execute(f"PRAGMA cache_size=-{CACHE_KIBIBYTES}")
        connection.execute(f"PRAGMA journal_size_limit={WAL_LIMIT_BYTES}")
        connection.execute("PRAGMA temp_store=MEMORY")
        if self.path != MEMORY:
            connection.set_wal_hook(KeepShort(self.timeout_ms))

    def take_write_lock(self, *, wait: bool = True) -> None:
        """Waits for this process's other writers, as long as for those of other processes."""
        if not self._write_lock.acquire(timeout=self.busy_timeout_secs if wait else 0.0):
            raise Busy(
                "another thread held the file for longer than the time-out",
                field="path",
                value=self.path,
                remedy="try again; [engine] busy_timeout_secs sets how long to wait",
            )

    def release_write_lock(self) -> None:
        """Lets the next writer of this process go on."""
        self._write_lock.release()

    def close(self) -> None:
        """Closes every connection of this process; the last one tidies the log away."""
        self.is_closed = True
        self._close_all()
        self._local = threading.local()

    def _close_all(self) -> None:
        with self._guard:
            opened = list(self._opened)
            self._opened.clear()
            self._keep = None
        for connection in opened:
            with contextlib.suppress(apsw.Error):
                connection.close()


@contextlib.contextmanager
def translated(path: str) -> Iterator[None]:
    """Turns the driver's errors into ours: the one place that knows them."""
    try:
        yield
    except apsw.Error as error:
        raise translate(error, path) from error


def translate(error: apsw.Error, path: str) -> KarteError:
    """Our error for one of the driver's."""
    if isinstance(error, apsw.CantOpenError) and Path(path).is_dir():
        return StorageError("it is a folder", field="path", value=path, remedy="name a file in it")
    for kinds, make, message, remedy in _TABLE:
        if isinstance(error, kinds):
            return make(message, field="path", value=path, remedy=remedy)
    return StorageError(
        f"the file could not be used: {error}",
        field="path",
        value=path,
        remedy="check the disk and the rights of the file; nothing was half-written",
    )


_TABLE: Final[tuple[tuple[tuple[type[apsw.Error], ...], type[KarteError], str, str | None], ...]] = (
    (
        (apsw.BusyError, apsw.LockedError),
        Busy,
        "another process held the file for longer than the time-out",
        "try again; [engine] busy_timeout_secs sets how long to wait",
    ),
    (
        (apsw.ReadOnlyError, apsw.PermissionsError, apsw.AuthError),
        ReadOnlyFile,
        "the file cannot be written",
        "open a writable file, or use read-only calls",
    ),
    ((apsw.FullError,), DiskFull, "no room to write", "free some space; nothing was half-written"),
    ((apsw.NotADBError,), NotAKarteFile, "not a Karte file", "name another file"),
    (
        (apsw.CorruptError, apsw.FormatError),
        CorruptFile,
        "the file is damaged",
        "restore a copy; `karte doctor` tells what is left",
    ),
    (
        (apsw.CantOpenError,),
        StorageError,
        "the file cannot be opened",
        "check the folder and its rights",
    ),
    ((apsw.TooBigError,), InvalidInput, "a text is too large to store", "shorten it"),
)
