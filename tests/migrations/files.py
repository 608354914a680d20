"""Files to upgrade: built column by column, or copied from real ones; and ways to look at a file from outside."""

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import apsw

from karte.storage.migrate import prepare, refuse_foreign
from karte.storage.sqlite import schema
from karte.storage.sqlite.connection import Connections
from karte.storage.sqlite.indexing import Progress

NOW = "2026-12-02T00:00:00.000000+00:00"
OLDER_COLUMNS = (*schema.ORIGINAL_COLUMNS, *schema.ADDED_COLUMNS)
REAL_FILES = ("engine_0_5.db", "engine_1_18.db", "engine_1_62.db")

ROWS: tuple[Mapping[str, Any], ...] = (
    {
        "id": "m1",
        "agent_id": "alice",
        "content": "Project1 is in phase 0",
        "timestamp": "2026-01-05T10:17:00Z",
        "tags": '["work"]',
        "created_at": "2026-01-05 10:17:01",
        "layer": "semantic",
        "importance": 7.5,
        "access_count": 3,
        "last_accessed": "2026-02-01T00:00:00.123456789+02:00",
        "source_event": "ev-1",
        "valid_from": "2026-01-05T10:17:00.000000999+00:00",
        "valid_until": "2026-01-07T09:00:00.000001999+00:00",
        "superseded_by": "m2",
        "subject": "Project1",
        "predicate": "status",
        "object": "phase 0",
        "confidence": 0.8,
        "metadata": '{"k": "v"}',
        "origin": "user_direct",
        "ingested_at": "2026-01-05T10:17:02Z",
        "invalidated_by_event": "ev-2",
        "invalidated_at": "2026-01-07T09:00:02Z",
    },
    {
        "id": "m2",
        "agent_id": "alice",
        "content": "Project1 is in phase 1",
        "timestamp": "2026-01-07 09:00:00",
        "created_at": "2026-01-07 09:00:01",
        "source_event": "ev-2",
        "valid_from": "2026-01-07T09:00:00.000001999+00:00",
        "supersedes": "m1",
        "subject": "project1",
        "predicate": "Status",
        "object": "phase 1",
        "origin": "user_direct",
        "ingested_at": "2026-01-07T09:00:02Z",
        "embedding": b"\x00\x00\x80\x3f",
        "embedding_model": "small",
    },
    {
        "id": "m3",
        "agent_id": "alice",
        "content": "the café opens at eight",
        "timestamp": "2026-01-08T08:00:00+02:00",
        "tags": "not json",
        "created_at": "2026-01-08 06:00:01",
        "metadata": "{broken",
        "derived_from": '["m1"]',
    },
    {
        "id": "m4",
        "agent_id": "bob",
        "content": "会議は水曜日です",
        "timestamp": "some day",
        "created_at": "2026-01-09 00:00:00",
        "subject": "",
        "predicate": "status",
        "origin": "channel",
        "origin_trust": 0.3,
        "quarantined": 1,
    },
)


def older_file(
    path: Path,
    columns: Sequence[tuple[str, str]] = OLDER_COLUMNS,
    rows: Sequence[Mapping[str, Any]] = ROWS,
    *,
    journal: str = "delete",
) -> Path:
    """A file as an engine before ours left it, with these columns of the table, in this order."""
    names = [name for name, _ in columns]
    with closing(apsw.Connection(str(path))) as connection:
        connection.pragma("journal_mode", journal)
        connection.execute(f"CREATE TABLE memories ({', '.join(f'{name} {kind}' for name, kind in columns)})")
        connection.execute("CREATE INDEX idx_memories_agent ON memories(agent_id)")
        connection.execute("CREATE VIRTUAL TABLE memories_fts USING fts5(content, memory_id UNINDEXED)")
        with connection:
            for row in rows:
                given = {name: value for name, value in row.items() if name in names}
                connection.execute(
                    f"INSERT INTO memories ({', '.join(given)}) VALUES ({', '.join('?' * len(given))})",
                    tuple(given.values()),
                )
                connection.execute("INSERT INTO memories_fts VALUES (?, ?)", (row["content"], row["id"]))
    return path


def real_file(data_dir: Path, name: str, folder: Path) -> Path:
    """A copy that may be written of one of the real older files."""
    copy = folder / name
    shutil.copyfile(data_dir / "legacy" / name, copy)
    return copy


@contextmanager
def connected(path: Path, *, is_read_only: bool = False, busy_timeout_secs: float = 30.0) -> Iterator[apsw.Connection]:
    """A connection as the engine makes it, before anything was prepared."""
    connections = Connections(str(path), is_read_only=is_read_only, busy_timeout_secs=busy_timeout_secs)
    try:
        yield connections.get()
    finally:
        connections.close()


def open_file(path: Path, *, is_read_only: bool = False, now: str = NOW, on_progress: Progress | None = None) -> None:
    """Opens the file as the engine does, and closes it."""
    refuse_foreign(str(path))
    with connected(path, is_read_only=is_read_only) as connection:
        prepare(connection, path=str(path), now=now, is_read_only=is_read_only, on_progress=on_progress)


def query(path: Path, sql: str, *values: Any) -> list[Any]:
    """All rows that a query gives, from a connection of its own."""
    with closing(apsw.Connection(str(path))) as connection:
        return connection.execute(sql, values).fetchall()


def change(path: Path, *statements: str) -> None:
    """Changes a file behind the engine's back."""
    with closing(apsw.Connection(str(path))) as connection:
        for statement in statements:
            connection.execute(statement)


def layout(path: Path) -> dict[str, object]:
    """Tables with the definition of each column, and indexes with theirs; the order of columns is left out."""
    found: dict[str, object] = {}
    for kind, name, sql in query(path, "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL"):
        if kind == "index":
            found[name] = " ".join(sql.split())
        elif kind == "table":
            columns = 'SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_xinfo(?)'
            found[name] = sorted(query(path, columns, name), key=lambda column: column[0])
    return found


def dump(path: Path) -> dict[str, str]:
    """A digest of all rows of every table that holds rows of its own; where the tables lie in the file is left out."""
    tables = (
        "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'shadow')"
        " AND name <> 'sqlite_schema' ORDER BY name"
    )
    with closing(apsw.Connection(str(path))) as connection:
        names = [str(row[0]) for row in connection.execute(tables).fetchall()]
        rows = {name: connection.execute(f'SELECT * FROM "{name}"').fetchall() for name in names}
    return {name: sha256(repr(found).encode()).hexdigest() for name, found in rows.items()}


def traces(path: Path) -> dict[str, bytes]:
    """The file and everything that lies beside it under its name, byte for byte."""
    return {file.name: file.read_bytes() for file in sorted(path.parent.glob(f"{path.name}*"))}
