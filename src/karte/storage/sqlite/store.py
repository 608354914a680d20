"""The store over one SQLite file: sessions, and the transactions that services open.

One write transaction is one operation: it takes the write lock at once, gets one belief instant
(later than any before), and leaves nothing when it fails.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Final

import apsw

from karte.domain.erasure import Cleaning
from karte.domain.events import Event
from karte.domain.model import DoctorReport
from karte.errors import InvalidInput, ReadOnlyFile, StorageError
from karte.storage.migrate import prepare, refuse_foreign
from karte.storage.protocol import Progress, StoreSize
from karte.storage.sqlite import cleaning
from karte.storage.sqlite.connection import MEMORY, Connections, Execute, translate, translated
from karte.storage.sqlite.forking import PASSAGE
from karte.storage.sqlite.inspection import inspect
from karte.storage.sqlite.listeners import Listeners
from karte.storage.sqlite.memories import HOLDS_NOW, LIVE
from karte.storage.sqlite.schema import SCHEMA_VERSION
from karte.storage.sqlite.session import Clock, Session

_COUNTS: Final = (
    "SELECT count(*), count(m.identity),"
    f" coalesce(sum({LIVE} AND {HOLDS_NOW.replace(':valid_at', ':now')}), 0),"
    " coalesce(sum(m.quarantined = 1 AND m.state IS NULL), 0) FROM memories m"
)
_ARCHIVED: Final = "SELECT count(*) FROM memories_archive"
_AGENTS: Final = "SELECT count(DISTINCT agent_id) FROM memories"


class ReadTransaction:
    """``with store.read() as session``: one snapshot."""

    def __init__(self, store: SqliteStore) -> None:
        self._store = store

    def __enter__(self) -> Session:
        store = self._store
        self._gate = gate = store.connections.gate
        gate.enter()
        session: Session | None = None
        try:
            begun = store.session()
            refuse_inside_another(begun)
            self._session = session = begun
            session.begin_read(store.clock)
        except BaseException as error:
            if session is not None:
                session.roll_back()
            gate.leave()
            if isinstance(error, apsw.Error):
                raise translate(error, store.path) from error
            raise
        return session

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if error is None:
                self._end()
                return
            self._session.roll_back()
        finally:
            self._gate.leave()
        if isinstance(error, apsw.Error):
            raise translate(error, self._store.path) from error

    def _end(self) -> None:
        try:
            self._session.end_read()
        except BaseException as failed:
            self._session.roll_back()
            if isinstance(failed, apsw.Error):
                raise translate(failed, self._store.path) from failed
            raise


class WriteTransaction:
    """``with store.write() as session``: one operation, whole or not at all."""

    def __init__(self, store: SqliteStore, *, is_note: bool = False, waits: bool = True) -> None:
        self._store = store
        self._is_note = is_note
        self._waits = waits

    def __enter__(self) -> Session:
        store = self._store
        if store.is_read_only:
            raise read_only(store.path)
        self._gate = gate = store.connections.gate
        gate.enter()
        session: Session | None = None
        is_locked = False
        try:
            begun = store.session()
            refuse_inside_another(begun)
            store.take_lock(wait=self._waits)
            is_locked = True
            self._session = session = begun
            if self._is_note:
                session.begin_note(store.clock, wait=self._waits)
            else:
                session.begin_write(store.clock)
        except BaseException as error:
            if session is not None:
                session.roll_back()
            if is_locked:
                store.release_lock()
            gate.leave()
            if isinstance(error, apsw.Error):
                raise translate(error, store.path) from error
            raise
        return session

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if error is None:
                try:
                    commit = self._session.end_read if self._is_note else self._session.commit_write
                    commit()
                    self._store.listeners.line_up(self._session.events.take_emitted())  # in the order of the commits
                except BaseException:
                    self._session.roll_back()
                    raise
            else:
                self._session.roll_back()
        except apsw.Error as failed:
            raise translate(failed, self._store.path) from failed
        finally:
            self._store.release_lock()
            self._gate.leave()
        if error is None:
            self._store.listeners.tell()
        if isinstance(error, apsw.Error):
            raise translate(error, self._store.path) from error


class SqliteStore:
    """One file, for all threads of a process."""

    def __init__(
        self,
        path: str,
        clock: Clock,
        *,
        busy_timeout_secs: float = 30.0,
        synchronous: str = "normal",
        is_read_only: bool = False,
        on_progress: Progress | None = None,
    ) -> None:
        self.path = path
        self.clock = clock
        self.is_read_only = is_read_only
        self.connections = Connections(
            path,
            busy_timeout_secs=busy_timeout_secs,
            synchronous=synchronous,
            is_read_only=is_read_only,
        )
        self._sessions = threading.local()
        self.listeners = Listeners()
        check_path(path)
        with PASSAGE.gate:
            refuse_foreign(path)
            try:
                with self.connections.gate:
                    prepare(
                        self.connections.get(),
                        path=path,
                        now=clock(),
                        is_read_only=is_read_only,
                        on_progress=on_progress,
                    )
            except BaseException:
                self.connections.close()
                raise

    def session(self) -> Session:
        """This thread's view of the file."""
        connection = self.connections.get()
        session: Session | None = getattr(self._sessions, "session", None)
        if session is None or session.connection is not connection:
            session = self._sessions.session = Session(connection, self.connections.timeout_ms)
        return session

    def read(self) -> ReadTransaction:
        """A snapshot to read from."""
        return ReadTransaction(self)

    def write(self) -> WriteTransaction:
        """An operation to write in."""
        return WriteTransaction(self)

    def note(self, *, wait: bool = False) -> WriteTransaction:
        """A write of what changes no belief; unless told to ``wait`` it fails with ``Busy`` at once."""
        return WriteTransaction(self, is_note=True, waits=wait)

    def subscribe(self, listener: Callable[[Event], None]) -> Callable[[], None]:
        """Tells a listener of this process of every event that is kept from now on; gives what ends that."""
        return self.listeners.add(listener)

    def take_lock(self, *, wait: bool = True) -> None:
        """Waits for this process's other writers."""
        self.connections.take_write_lock(wait=wait)

    def release_lock(self) -> None:
        """Lets the next writer of this process go on."""
        self.connections.release_write_lock()

    def inspect(
        self,
        *,
        rebuild: bool,
        settle: Callable[[str, str], None] | None,
        on_progress: Progress | None,
    ) -> DoctorReport:
        """Looks the file over; with ``rebuild`` mends what is derived."""
        if rebuild and self.is_read_only:
            raise read_only(self.path)
        with self.connections.gate, translated(self.path):
            return inspect(self.connections.get(), rebuild=rebuild, settle=settle, on_progress=on_progress)

    def clean(self) -> Cleaning:
        """Gets the bytes of what was deleted out of the file and its log, if nobody is in the way."""
        with self.connections.gate, translated(self.path):
            session = self.session()
            refuse_inside_another(session)
            self.take_lock()
            try:
                return cleaning.clean(session.connection, self.connections.timeout_ms)
            finally:
                self.release_lock()

    def size(self) -> StoreSize:
        """How much the file holds, and how large it is."""
        with self.read() as session:
            execute: Execute = session.connection.execute
            memories, facts, current, quarantined = execute(_COUNTS, {"now": session.now}).fetchone()
            return StoreSize(
                memories=memories,
                facts=facts,
                current=current,
                quarantined=quarantined,
                archived=execute(_ARCHIVED).get,
                agents=execute(_AGENTS).get,
                file_bytes=_bytes_of(self.path),
                wal_bytes=_bytes_of(f"{self.path}-wal"),
                schema_version=SCHEMA_VERSION,
                sqlite_version=apsw.sqlite_lib_version(),
            )

    def close(self) -> None:
        """Closes every connection; the last one of all processes tidies the log away."""
        with PASSAGE.gate:
            self.connections.close()


def check_path(path: str) -> None:
    """Refuses a name that no file can have."""
    try:
        if path != MEMORY:
            Path(path).exists()
            os.fsencode(path)
        is_usable = bool(path) and "\x00" not in path
    except (ValueError, OSError):
        is_usable = False
    if not is_usable:
        raise InvalidInput("no file can have this name", field="path", value=path, remedy="name another file")


def refuse_inside_another(session: Session) -> None:
    """Refuses a call from inside another of the same thread: it would wait for itself, or see half of it."""
    if session.connection.in_transaction:
        raise StorageError(
            "this thread is in the middle of another call",
            remedy="call it after that one has ended (a progress report only reports)",
        )


def read_only(path: str) -> ReadOnlyFile:
    """What a write gets where the caller asked for reading only."""
    return ReadOnlyFile(
        "the engine was opened read-only",
        field="path",
        value=path,
        remedy="open it without read_only to write",
    )


def _bytes_of(path: str) -> int:
    file = Path(path)
    return file.stat().st_size if file.is_file() else 0
