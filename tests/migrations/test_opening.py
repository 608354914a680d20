"""Opening: a new file is laid out, a file that is not ours is refused without a trace."""

from contextlib import closing
from pathlib import Path

import apsw
import pytest

from karte.errors import CorruptFile, KarteError, NewerFile, NotAKarteFile, ReadOnlyFile, StorageError, shorten
from karte.storage.migrate import prepare
from karte.storage.sqlite import schema, steps
from tests.migrations.files import NOW, ROWS, change, connected, layout, older_file, open_file, query, traces

NAMED_INDEXES = {
    "idx_memories_agent",
    "idx_memories_timestamp",
    "idx_memories_layer",
    "idx_memories_importance",
    "idx_memories_triple",
    "idx_memories_valid",
}


@pytest.mark.requirement("file.fresh-schema")
def test_a_new_file_has_the_documented_columns_in_their_order(db_path: Path) -> None:
    open_file(db_path)
    columns = query(db_path, "SELECT name, type, \"notnull\", dflt_value FROM pragma_table_xinfo('memories')")
    assert columns[:29] == [
        ("id", "TEXT", 0, None),
        ("agent_id", "TEXT", 1, None),
        ("content", "TEXT", 1, None),
        ("timestamp", "TEXT", 1, None),
        ("tags", "TEXT", 1, "'[]'"),
        ("created_at", "TEXT", 1, "datetime('now')"),
        ("layer", "TEXT", 1, "'episodic'"),
        ("importance", "REAL", 1, "5.0"),
        ("access_count", "INTEGER", 1, "0"),
        ("last_accessed", "TEXT", 0, None),
        ("source_event", "TEXT", 0, "''"),
        ("valid_from", "TEXT", 0, None),
        ("valid_until", "TEXT", 0, None),
        ("superseded_by", "TEXT", 0, None),
        ("supersedes", "TEXT", 0, None),
        ("subject", "TEXT", 0, None),
        ("predicate", "TEXT", 0, None),
        ("object", "TEXT", 0, None),
        ("confidence", "REAL", 1, "1.0"),
        ("metadata", "TEXT", 1, "'{}'"),
        ("origin", "TEXT", 0, None),
        ("origin_trust", "REAL", 1, "1.0"),
        ("derived_from", "TEXT", 0, None),
        ("ingested_at", "TEXT", 0, None),
        ("invalidated_by_event", "TEXT", 0, None),
        ("invalidated_at", "TEXT", 0, None),
        ("embedding", "BLOB", 0, None),
        ("embedding_model", "TEXT", 0, None),
        ("quarantined", "INTEGER", 1, "0"),
    ]
    for name, _, is_required, default in columns[29:]:
        assert not is_required or default is not None, f"{name} could not be added to an older file"
    assert layout(db_path).keys() >= NAMED_INDEXES | {"memories_archive", "entity_alias", "entity_embedding"}


def test_an_empty_file_counts_as_new(db_path: Path) -> None:
    db_path.touch()
    open_file(db_path)
    assert query(db_path, "SELECT count(*) FROM memories") == [(0,)]


def test_a_new_file_uses_the_write_ahead_log_and_says_whose_it_is(db_path: Path) -> None:
    open_file(db_path)
    with connected(db_path) as connection:
        assert connection.pragma("journal_mode") == "wal"
        assert connection.pragma("application_id") == schema.APPLICATION_ID
        assert connection.pragma("user_version") == schema.SCHEMA_VERSION


def test_the_steps_of_the_layout_are_on_record_and_the_last_one_is_the_files_version(db_path: Path) -> None:
    open_file(db_path)
    known = steps.all_steps()
    assert query(db_path, "SELECT version, name, sha256, applied_at FROM schema_migration ORDER BY version") == [
        (step.version, step.name, step.checksum, NOW) for step in known
    ]
    assert [step.version for step in known] == list(range(1, schema.SCHEMA_VERSION + 1))


def test_a_step_that_is_another_than_ours_is_not_built_upon(db_path: Path) -> None:
    open_file(db_path)
    change(db_path, "UPDATE schema_migration SET sha256 = 'other'", "PRAGMA user_version = 0")
    before = traces(db_path)
    with pytest.raises(StorageError) as refused:
        open_file(db_path)
    assert "step 1" in str(refused.value)
    assert traces(db_path) == before


def test_columns_named_in_python_are_those_of_the_tables(db_path: Path) -> None:
    open_file(db_path)
    revisions = [name for (name,) in query(db_path, "SELECT name FROM pragma_table_xinfo('memory_revisions')")]
    assert tuple(revisions[-len(schema.BELIEF_COLUMNS) :]) == schema.BELIEF_COLUMNS
    memories = [name for (name,) in query(db_path, "SELECT name FROM pragma_table_xinfo('memories')")]
    assert tuple(memories) == schema.COLUMN_NAMES


@pytest.mark.requirement("file.not-a-karte-file")
@pytest.mark.parametrize("content", [b"x", b"just a text\n", b"\x00" * 100, b"PK\x03\x04" * 2_000])
def test_a_file_that_is_no_database_is_refused_untouched(db_path: Path, content: bytes) -> None:
    db_path.write_bytes(content)
    with pytest.raises(NotAKarteFile):
        open_file(db_path)
    assert traces(db_path) == {db_path.name: content}


FOREIGN = {
    "other tables": ["CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)", "INSERT INTO notes VALUES (1, 'x')"],
    "too few columns": ["CREATE TABLE memories (id TEXT PRIMARY KEY, agent_id TEXT, content TEXT, timestamp TEXT)"],
    "a view of that name": [
        "CREATE TABLE t (id, agent_id, content, timestamp, tags)",
        "CREATE VIEW memories AS SELECT * FROM t",
    ],
    "another program's mark": [
        "CREATE TABLE memories (id, agent_id, content, timestamp, tags, created_at)",
        "PRAGMA application_id = 1196444487",
    ],
    "only a mark": ["PRAGMA application_id = 1196444487"],
    "a version of its own": ["CREATE TABLE notes (id)", "PRAGMA user_version = 99"],
}


@pytest.mark.requirement("file.not-a-karte-file")
@pytest.mark.parametrize("journal", ["delete", "wal"])
@pytest.mark.parametrize("is_read_only", [False, True])
@pytest.mark.parametrize("statements", FOREIGN.values(), ids=FOREIGN.keys())
def test_another_programs_database_is_refused_untouched(
    db_path: Path, statements: list[str], is_read_only: bool, journal: str
) -> None:
    change(db_path, f"PRAGMA journal_mode = {journal}", *statements)
    before = traces(db_path)
    with pytest.raises(NotAKarteFile) as refused:
        open_file(db_path, is_read_only=is_read_only)
    assert traces(db_path) == before
    assert refused.value.value == shorten(str(db_path))
    assert refused.value.remedy


@pytest.mark.requirement("file.not-a-karte-file")
def test_another_programs_write_ahead_log_is_not_moved_into_its_file(db_path: Path, tmp_path: Path) -> None:
    live = tmp_path / "live.db"
    with closing(apsw.Connection(str(live))) as writer:
        writer.pragma("journal_mode", "wal")
        writer.execute("CREATE TABLE notes (text); INSERT INTO notes VALUES ('only in the log')")
        for suffix in ("", "-wal"):
            Path(f"{db_path}{suffix}").write_bytes(Path(f"{live}{suffix}").read_bytes())
    before = traces(db_path)
    with pytest.raises(NotAKarteFile):
        open_file(db_path)
    after = traces(db_path)
    assert {name: after[name] for name in before} == before
    assert query(db_path, "SELECT text FROM notes") == [("only in the log",)]


@pytest.mark.requirement("file.newer-refused")
@pytest.mark.parametrize("is_read_only", [False, True])
def test_a_file_of_a_newer_version_is_refused_untouched(db_path: Path, is_read_only: bool) -> None:
    open_file(db_path)
    change(db_path, f"PRAGMA user_version = {schema.SCHEMA_VERSION + 1}")
    before = traces(db_path)
    with pytest.raises(NewerFile) as refused:
        open_file(db_path, is_read_only=is_read_only)
    assert traces(db_path) == before
    assert "newer version" in str(refused.value)


@pytest.mark.requirement("file.newer-refused")
def test_memories_with_a_version_that_nobody_knows_are_refused_untouched(db_path: Path) -> None:
    older_file(db_path)
    change(db_path, f"PRAGMA user_version = {schema.SCHEMA_VERSION + 3}")
    before = traces(db_path)
    with pytest.raises(NewerFile):
        open_file(db_path)
    assert traces(db_path) == before


@pytest.mark.requirement("process.read-only-file")
def test_an_older_file_cannot_be_upgraded_by_a_reader(db_path: Path) -> None:
    older_file(db_path)
    before = traces(db_path)
    with pytest.raises(ReadOnlyFile) as refused:
        open_file(db_path, is_read_only=True)
    assert "open it once for writing" in str(refused.value)
    assert traces(db_path) == before


@pytest.mark.requirement("process.read-only-file")
def test_a_reader_can_open_an_upgraded_file(db_path: Path) -> None:
    older_file(db_path)
    open_file(db_path)
    open_file(db_path, is_read_only=True)


def test_a_reader_gets_a_clear_error_for_a_file_that_holds_nothing(db_path: Path) -> None:
    db_path.touch()
    with pytest.raises(ReadOnlyFile):
        open_file(db_path, is_read_only=True)
    assert traces(db_path) == {db_path.name: b""}


@pytest.mark.requirement("process.corrupt-file")
def test_a_damaged_older_file_is_a_clear_error_and_is_left_as_it_was(db_path: Path) -> None:
    older_file(db_path)
    ((root,),) = query(db_path, "SELECT rootpage FROM sqlite_schema WHERE name = 'memories'")
    content = bytearray(db_path.read_bytes())
    content[(root - 1) * 4096 : (root - 1) * 4096 + 200] = b"\xff" * 200
    db_path.write_bytes(content)
    with pytest.raises(CorruptFile) as refused:
        open_file(db_path)
    assert refused.value.value == shorten(str(db_path))
    assert refused.value.remedy
    assert traces(db_path) == {db_path.name: bytes(content)}


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(KarteError):
        open_file(tmp_path)


def test_opening_costs_a_few_looks_whatever_the_file_holds(db_path: Path) -> None:
    older_file(db_path, rows=[{**ROWS[0], "id": f"m{n}", "superseded_by": None} for n in range(500)])
    open_file(db_path)
    told: list[str] = []

    def listen(_cursor: object, sql: str, _values: object) -> bool:
        told.append(sql)
        return True

    with connected(db_path) as connection:
        connection.exec_trace = listen
        prepare(connection, path=str(db_path), now=NOW, is_read_only=False)
        connection.exec_trace = None
        plans = [
            str(row[3])
            for sql in told
            if sql.startswith("SELECT")
            for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}", (None,) * sql.count("?"))
        ]
    assert len(told) <= 6
    assert plans
    assert not [plan for plan in plans if "SCAN memories" in plan]
