"""What a file must be after anything that happened to it, looked at from outside the engine, and by its doctor too."""

import itertools
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw

import karte
from karte.config import Config, EngineSettings

Dump = dict[str, list[tuple[Any, ...]]]

NOT_INDEXED = (
    "SELECT m.id FROM memories m WHERE m.ordinal IS NULL"
    " OR NOT EXISTS (SELECT 1 FROM memory_index_docsize d WHERE d.id = m.ordinal)"
)
INDEX_ORPHANS = (
    "SELECT d.id FROM memory_index_docsize d WHERE NOT EXISTS (SELECT 1 FROM memories m WHERE m.ordinal = d.id)"
)
ROW_WITHOUT_ASSERTION = (
    "SELECT m.id FROM memories m WHERE m.identity IS NOT NULL"
    " AND NOT EXISTS (SELECT 1 FROM memory_assertions a WHERE a.learned_order = m.assertion)"
)
ASSERTION_WITHOUT_ROW = (
    "SELECT a.id FROM memory_assertions a WHERE a.makes_row = 1 AND a.state = 'live'"
    " AND NOT EXISTS (SELECT 1 FROM memories m WHERE m.id = a.id)"
)
IN_TWO_PLACES = "SELECT id FROM memories INTERSECT SELECT id FROM memories_archive"
LIVE_FACTS = (  # a stretch that no write made, and that has become empty, stays as a row and is no part of the history
    "SELECT agent_id, identity, id, valid_from, valid_until, supersedes, superseded_by FROM memories"
    " WHERE identity IS NOT NULL AND state IS NULL AND quarantined = 0"
    " AND (is_made = 1 OR valid_until IS NULL OR valid_until > valid_from)"
    " ORDER BY agent_id, identity, valid_from, assertion"
)
NEVER_EMPTY = {
    "a row that search cannot find": NOT_INDEXED,
    "an entry of the index without a row": INDEX_ORPHANS,
    "a row without an assertion": ROW_WITHOUT_ASSERTION,
    "an assertion without a row": ASSERTION_WITHOUT_ROW,
    "a row both here and in the archive": IN_TWO_PLACES,
}


def config(busy_timeout_secs: float = 30.0) -> Config:
    """Defaults, with another time-out."""
    return Config(engine=EngineSettings(busy_timeout_secs=busy_timeout_secs))


def opened(path: Path, **settings: Any) -> karte.SqliteMemoryEngine:
    """An engine over the file, whatever files and variables of configuration this machine has."""
    return karte.SqliteMemoryEngine(path, **{"config": config(), **settings})


def query(path: Path, sql: str, *values: Any) -> list[Any]:
    """All rows that a query gives, from a connection of its own that can write nothing."""
    with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as connection:
        connection.set_busy_timeout(30_000)
        return list(connection.execute(sql, values))


def dump(path: Path) -> Dump:
    """Every row of every table, those of the search index included."""
    sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name"
    with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as connection:
        connection.set_busy_timeout(30_000)
        connection.execute("BEGIN")
        tables = [str(name) for (name,) in connection.execute(sql).fetchall()]
        return {table: list(connection.execute(f'SELECT * FROM "{table}"')) for table in tables}


def bytes_of(folder: Path) -> dict[str, bytes]:
    """Every file of a folder and what is in it."""
    return {file.name: file.read_bytes() for file in sorted(folder.iterdir()) if file.is_file()}


def check_file(path: Path) -> None:
    """The file is whole, and what it keeps twice agrees."""
    assert query(path, "PRAGMA integrity_check") == [("ok",)]
    for what, sql in NEVER_EMPTY.items():
        assert query(path, sql) == [], what
    check_timelines(path)


def check_timelines(path: Path) -> None:
    """Every fact has at most one current row, no overlap, and one chain without a gap."""
    rows = query(path, LIVE_FACTS)
    for (agent, identity), group in itertools.groupby(rows, key=lambda row: row[:2]):
        stretches = [row[2:] for row in group]
        check_chain(f"{agent} {identity!r}", stretches)


def check_chain(fact: str, stretches: list[tuple[Any, ...]]) -> None:
    """The rows of one fact, in the order of their starts."""
    ids = {id for id, *_ in stretches}
    before = None
    for id, _, _, supersedes, superseded_by in stretches:
        assert supersedes == before, f"{fact}: {id} follows {before}, and says {supersedes}"
        assert superseded_by is None or superseded_by in ids - {id}, f"{fact}: {id} is superseded by {superseded_by}"
        before = id
    full = [(start, until) for _, start, until, *_ in stretches if until is None or until > start]
    for (_, until), (following, _) in itertools.pairwise(full):
        assert until is not None, f"{fact}: a stretch before the last one is open"
        assert until <= following, f"{fact}: two stretches overlap"


def check_engine(path: Path, **settings: Any) -> None:
    """It opens, the doctor finds nothing, and a write goes through."""
    with opened(path, **settings) as engine:
        report = engine.doctor()
        assert report.is_healthy, report.findings
        assert report.findings == ()


def check(path: Path) -> None:
    """The file is in good health, inside and out."""
    check_engine(path)
    check_file(path)


def contents(engine: karte.MemoryEngine, agent: str = "default") -> list[str]:
    """The words of every current memory."""
    return sorted(memory.content for memory in engine.list_recent(agent, limit=1000))


def check_says(error: karte.KarteError, *fields: str) -> None:
    """The error names a field (one of these, if any are given) in a sentence that can be written anywhere."""
    assert error.field is not None, f"{error!r} names no field"
    assert not fields or error.field in fields, f"{error.field} is none of {fields}: {error}"
    assert str(error).encode("utf-8")
    assert len(str(error)) < 1000
