"""Upgrading in place: from any prefix of the columns, over and over, together, and with too little room."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from karte.domain.time import read_stored
from karte.errors import Busy, CorruptFile, DiskFull, StorageError
from karte.storage.migrate import prepare
from karte.storage.sqlite import schema
from karte.storage.sqlite.conversion import TIMES
from karte.storage.sqlite.inspection import inspect
from tests.migrations.files import (
    NOW,
    OLDER_COLUMNS,
    REAL_FILES,
    ROWS,
    change,
    connected,
    dump,
    layout,
    older_file,
    open_file,
    query,
    real_file,
    traces,
)

ROOT = Path(__file__).parents[2]
PREFIXES = range(len(schema.ORIGINAL_COLUMNS), len(schema.COLUMNS) + 1)


@pytest.fixture(scope="module")
def fresh_layout(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    path = tmp_path_factory.mktemp("fresh") / "fresh.db"
    open_file(path)
    return layout(path)


def _as_upgraded(name: str, value: object) -> object:
    return (read_stored(value) or value) if name in TIMES and isinstance(value, str) else value


def _check_rows(path: Path, columns: Sequence[tuple[str, str]]) -> None:
    names = [name for name, _ in columns if name not in dict(schema.OWN_COLUMNS)]
    found = query(path, f"SELECT {', '.join(names)} FROM memories ORDER BY ordinal")
    assert len(found) == len(ROWS)
    for row, given in zip(found, ROWS, strict=True):
        read = dict(zip(names, row, strict=True))
        assert {name: read[name] for name in given if name in read} == {
            name: _as_upgraded(name, value) for name, value in given.items() if name in read
        }


@pytest.mark.requirement("upgrade.every-prefix")
@pytest.mark.parametrize("count", PREFIXES)
def test_a_file_with_any_prefix_of_the_columns_is_upgraded(
    db_path: Path, count: int, fresh_layout: dict[str, object]
) -> None:
    columns = schema.COLUMNS[:count]
    older_file(db_path, columns)
    open_file(db_path)
    found = layout(db_path)
    assert {name: found.get(name) for name in fresh_layout} == fresh_layout
    _check_rows(db_path, columns)
    with connected(db_path) as connection:
        kinds = {finding.kind for finding in inspect(connection).findings}
        assert connection.execute("SELECT rowid FROM memory_index WHERE memory_index MATCH '\"phase\"'").fetchall()
    assert kinds <= {"malformed_json", "unreadable_time", "dangling_link"}


@pytest.mark.requirement("upgrade.every-prefix")
def test_the_order_of_the_columns_does_not_matter(db_path: Path, fresh_layout: dict[str, object]) -> None:
    columns = OLDER_COLUMNS[::-1]
    older_file(db_path, columns)
    open_file(db_path)
    found = layout(db_path)
    assert {name: found.get(name) for name in fresh_layout} == fresh_layout
    _check_rows(db_path, columns)


@pytest.mark.requirement("upgrade.every-prefix")
def test_columns_that_nobody_knows_stay(db_path: Path) -> None:
    older_file(db_path, (*OLDER_COLUMNS[:8], ("mood", "TEXT DEFAULT 'calm'"), *OLDER_COLUMNS[10:]))
    open_file(db_path)
    assert query(db_path, "SELECT DISTINCT mood FROM memories") == [("calm",)]


@pytest.mark.requirement("upgrade.every-prefix")
@pytest.mark.parametrize("name", REAL_FILES)
def test_a_real_older_file_gets_the_layout_of_a_new_one(
    data_dir: Path, tmp_path: Path, name: str, fresh_layout: dict[str, object]
) -> None:
    path = real_file(data_dir, name, tmp_path)
    before = query(path, "SELECT id, agent_id, content, tags FROM memories ORDER BY rowid")
    open_file(path)
    found = layout(path)
    assert {table: found.get(table) for table in fresh_layout} == fresh_layout
    assert query(path, "SELECT id, agent_id, content, tags FROM memories ORDER BY ordinal") == before


@pytest.mark.requirement("upgrade.idempotent")
@pytest.mark.parametrize("journal", ["delete", "wal"])
def test_opening_an_upgraded_file_again_changes_no_byte(db_path: Path, journal: str) -> None:
    older_file(db_path, journal=journal)
    open_file(db_path)
    before = traces(db_path)
    open_file(db_path, now="2027-01-01T00:00:00.000000+00:00")
    assert traces(db_path) == before
    assert before.keys() == {db_path.name}


@pytest.mark.requirement("upgrade.idempotent")
def test_a_column_that_is_there_already_is_no_error_and_any_other_error_is(db_path: Path) -> None:
    older_file(db_path, (*OLDER_COLUMNS[:6], ("Subject", "TEXT"), ("ORDINAL", "INTEGER")))
    open_file(db_path)
    other = older_file(db_path.with_name("other.db"), OLDER_COLUMNS[:6])
    change(other, "CREATE TABLE karte_state (something TEXT)")
    before = traces(other)
    with pytest.raises(StorageError):
        open_file(other)
    assert traces(other) == before


@pytest.mark.requirement("upgrade.foreign-tables-kept")
@pytest.mark.parametrize("name", REAL_FILES)
def test_tables_of_the_older_engine_stay_as_found(data_dir: Path, tmp_path: Path, name: str) -> None:
    path = real_file(data_dir, name, tmp_path)
    before = {table: digest for table, digest in dump(path).items() if table.startswith(("key_facts", "memories_fts"))}
    open_file(path)
    after = dump(path)
    assert {table: after[table] for table in before} == before
    assert len(before) >= 5


@pytest.mark.requirement("upgrade.foreign-tables-kept")
def test_the_archive_is_widened_like_the_memories_and_its_rows_stay(data_dir: Path, tmp_path: Path) -> None:
    path = real_file(data_dir, "engine_1_62.db", tmp_path)
    open_file(path)
    rows = query(path, "SELECT content, timestamp, created_at, archived_at, ordinal FROM memories_archive ORDER BY id")
    assert rows == [
        (
            "please forget this secret phrase",
            "2026-04-01T02:57:00.250000+00:00",
            "2026-04-01T02:57:00.250000+00:00",
            "2026-12-01T23:59:02.000000+00:00",
            195,
        ),
        (
            "forget this triple too",
            "2026-04-01T13:14:00.000000+00:00",
            "2026-04-01T13:14:00.000000+00:00",
            "2026-12-01T23:59:02.000000+00:00",
            196,
        ),
    ]
    names = {name for (name,) in query(path, "SELECT name FROM pragma_table_xinfo('memories_archive')")}
    assert names == {*schema.COLUMN_NAMES, "archived_at", "archive_reason"}


@pytest.mark.requirement("upgrade.two-at-once")
@pytest.mark.parametrize("journal", ["delete", "wal", None])
def test_processes_that_upgrade_one_file_at_once_all_succeed(tmp_path: Path, journal: str | None) -> None:
    alone, shared = tmp_path / "alone.db", tmp_path / "shared.db"
    if journal is not None:
        rows = [{**row, "id": f"{row['id']}-{n}", "superseded_by": None} for n in range(100) for row in ROWS]
        for path in (alone, shared):
            older_file(path, rows=rows, journal=journal)
    open_file(alone)
    gate = tmp_path / "gate"
    command = [sys.executable, "-m", "tests.migrations.opener", str(shared), str(gate)]
    children = [
        subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUTF8": "1"})
        for _ in range(4)
    ]
    for child in children:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
    gate.touch()
    for child in children:
        with child:
            assert child.stdout is not None
            assert child.stdout.read() == "opened wal\n"
        assert child.returncode == 0
    assert dump(shared) == dump(alone)


@pytest.mark.requirement("process.disk-full")
@pytest.mark.parametrize("journal", ["delete", "wal"])
def test_an_upgrade_that_finds_no_room_leaves_the_file_as_it_was(db_path: Path, journal: str) -> None:
    older_file(db_path, journal=journal)
    before = traces(db_path)
    refusals = 0
    for extra in range(200):
        with connected(db_path) as connection:
            connection.pragma("max_page_count", connection.pragma("page_count") + extra)
            try:
                prepare(connection, path=str(db_path), now=NOW, is_read_only=False)
            except DiskFull:
                refusals += 1
            else:
                break
        assert traces(db_path) == before
    assert refusals > 10
    with connected(db_path) as connection:
        assert not {finding.kind for finding in inspect(connection).findings} & {"damaged", "not_indexed"}
    _check_rows(db_path, OLDER_COLUMNS)


@pytest.mark.requirement("upgrade.derived-data-rebuilt")
def test_an_upgrade_says_how_far_it_is(db_path: Path) -> None:
    heard: list[tuple[str, int, int]] = []
    rows = [{**ROWS[2], "id": f"plain-{n}"} for n in range(1_500)]
    older_file(db_path, rows=[*rows, *ROWS[:2]])
    open_file(db_path, on_progress=lambda stage, done, total: heard.append((stage, done, total)))
    stages = dict.fromkeys(stage for stage, _, _ in heard)
    assert list(stages) == ["upgrading memories", "upgrading facts", "building the search index"]
    for stage in stages:
        told = [(done, total) for name, done, total in heard if name == stage]
        assert told[-1][0] == told[-1][1]
        assert told == sorted(told)
    assert len(heard) > len(stages)


@pytest.mark.requirement("upgrade.interrupted-anywhere")
def test_an_upgrade_that_a_caller_stops_leaves_the_file_as_it_was(db_path: Path) -> None:
    def stop(_stage: str, _done: int, _total: int) -> None:
        raise KeyboardInterrupt

    older_file(db_path)
    before = traces(db_path)
    with pytest.raises(KeyboardInterrupt):
        open_file(db_path, on_progress=stop)
    assert traces(db_path) == before


@pytest.mark.requirement("upgrade.derived-data-rebuilt")
@pytest.mark.parametrize(
    "damage",
    [
        "DROP TABLE memory_index",
        "UPDATE karte_state SET index_version = 'rules of last year'",
    ],
)
def test_a_missing_or_stale_search_index_is_built_anew_at_opening(db_path: Path, damage: str) -> None:
    older_file(db_path)
    open_file(db_path)
    whole = dump(db_path)
    change(db_path, damage)
    heard: list[str] = []
    open_file(db_path, on_progress=lambda stage, _done, _total: heard.append(stage))
    assert set(heard) == {"building the search index"}
    assert dump(db_path) == whole


@pytest.mark.requirement("upgrade.derived-data-rebuilt")
def test_memories_that_an_older_engine_adds_afterwards_are_taken_in_at_the_next_opening(db_path: Path) -> None:
    older_file(db_path)
    open_file(db_path)
    change(
        db_path,
        "INSERT INTO memories (id, agent_id, content, timestamp, subject, predicate) VALUES"
        " ('late', 'alice', 'latecomers welcome', '2026-03-01T00:00:00Z', 'door', 'is')",
    )
    open_file(db_path)
    with connected(db_path) as connection:
        found = connection.execute(
            "SELECT m.id, m.timestamp FROM memory_index f JOIN memories m ON m.ordinal = f.rowid"
            ' WHERE memory_index MATCH \'"latecom" OR "latecomers" OR "latecomer"\''
        ).fetchall()
        assert found == [("late", "2026-03-01T00:00:00.000000+00:00")]
        assert connection.execute("SELECT kind, state FROM memory_assertions WHERE row_id = 'late'").fetchall() == [
            ("value", "live")
        ]


def test_the_work_of_an_upgrade_grows_with_its_rows_and_no_faster(tmp_path: Path) -> None:
    def statements(count: int) -> int:
        path = tmp_path / f"{count}.db"
        older_file(path, rows=[{**ROWS[n % 3], "id": f"m{n}", "superseded_by": None} for n in range(count)])
        told = 0

        def listen(_cursor: object, _sql: str, _values: object) -> bool:
            nonlocal told
            told += 1
            return True

        with connected(path) as connection:
            connection.exec_trace = listen
            prepare(connection, path=str(path), now=NOW, is_read_only=False)
        return told

    assert statements(3_000) - statements(1_000) < 6 * 2_000


def test_an_upgrade_waits_for_another_writer_and_says_so_when_it_takes_too_long(db_path: Path) -> None:
    older_file(db_path)
    with connected(db_path) as other:
        other.execute("BEGIN IMMEDIATE")
        with connected(db_path, busy_timeout_secs=0.1) as connection, pytest.raises(Busy):
            prepare(connection, path=str(db_path), now=NOW, is_read_only=False)
        other.execute("ROLLBACK")
    open_file(db_path)


def test_text_that_is_not_utf8_is_a_clear_error(db_path: Path) -> None:
    older_file(db_path)
    change(db_path, "UPDATE memories SET content = CAST(x'ff80ff' AS TEXT) WHERE id = 'm2'")
    before = traces(db_path)
    with pytest.raises(CorruptFile):
        open_file(db_path)
    assert traces(db_path) == before
