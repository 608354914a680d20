"""Doctor: what is wrong with a file is told, and what is derived is mended."""

from collections import Counter
from pathlib import Path

import pytest

from karte import DoctorReport, MemoryEntry, SqliteMemoryEngine, TemporalMeta
from karte.errors import ReadOnlyFile
from karte.storage.sqlite import inspection
from tests.conftest import FakeClock
from tests.migrations.files import change, connected, dump, older_file, open_file, query, real_file
from tests.migrations.test_conversion import fact, upgraded

pytestmark = pytest.mark.requirement("upgrade.derived-data-rebuilt")


def kinds(report: DoctorReport, *, repaired: bool = False) -> dict[str, int]:
    return dict(Counter(finding.kind for finding in report.findings if finding.repaired is repaired))


@pytest.fixture
def engine_file(db_path: Path, clock: FakeClock) -> Path:
    """A file in good health: facts that superseded each other, a bounded one in between, plain memories."""
    with SqliteMemoryEngine(db_path, clock=clock) as engine:
        for start, value in (("2026-01-01", "red"), ("2026-03-01", "blue"), ("2026-02-01", "green")):
            entry = MemoryEntry(content=f"the door is {value}", agent_id="alice")
            engine.store_temporal(entry, TemporalMeta(subject="door", predicate="is", object=value, valid_from=start))
        entry = MemoryEntry(content="the door is white for Easter", agent_id="alice")
        meta = TemporalMeta(
            subject="Door", predicate="is", object="white", valid_from="2026-04-05", valid_until="2026-04-06"
        )
        engine.store_temporal(entry, meta)
        plain = engine.store(MemoryEntry(content="a plain memory about tea", agent_id="alice"))
        forgotten = engine.store(MemoryEntry(content="a forgotten memory", agent_id="alice"))
        assert plain.id is not None
        assert forgotten.id is not None
        engine.forget("alice", forgotten.id)
    return db_path


def test_a_file_in_good_health_has_no_findings(engine_file: Path) -> None:
    with SqliteMemoryEngine(engine_file) as engine:
        report = engine.doctor()
    assert report.findings == ()
    assert report.is_healthy
    assert report.checked["memories"] == 6  # five that were written, and the tail of the blue one
    assert report.checked["archived"] == 1
    assert report.rebuilt == ()


def test_looking_changes_nothing_and_a_reader_may_do_it(engine_file: Path) -> None:
    before = dump(engine_file)
    with SqliteMemoryEngine(engine_file, read_only=True) as engine:
        assert engine.doctor().is_healthy
        with pytest.raises(ReadOnlyFile):
            engine.doctor(rebuild=True)
    assert dump(engine_file) == before


def test_rebuilding_a_healthy_file_gives_the_same_file(engine_file: Path) -> None:
    def rows() -> list[object]:
        return query(engine_file, "SELECT * FROM memories ORDER BY ordinal")

    before = rows()
    with SqliteMemoryEngine(engine_file) as engine:
        report = engine.doctor(rebuild=True)
        assert engine.search("alice", "tea", touch=False)
    assert report.findings == ()
    assert report.rebuilt == ("identity keys", "search index")
    assert rows() == before


DAMAGE = {
    "not_indexed": "DELETE FROM memory_index WHERE rowid = 1",
    "index_orphan": "INSERT INTO memory_index (rowid, text) VALUES (900, 'nobody')",
    "index_missing": "DROP INDEX idx_memories_identity",
    "stale_identity": "UPDATE memory_assertions SET value_key = x'00' WHERE learned_order = 1",
    "foreign_time": "UPDATE memories SET last_accessed = '2026-01-01 00:00:00' WHERE ordinal = 1",
    "not_taken_in": "INSERT INTO memories (id, agent_id, content, timestamp) VALUES ('x', 'a', 'c', '2026-01-01')",
    "overlap": "UPDATE memories SET valid_until = '2026-03-05T00:00:00.000000+00:00' WHERE ordinal = 1",
    "several_open": "UPDATE memories SET valid_until = NULL WHERE ordinal = 1",
    "inverted": "UPDATE memories SET valid_until = '2025-01-01T00:00:00.000000+00:00' WHERE ordinal = 1",
    "dangling_link": "UPDATE memories SET superseded_by = 'nobody' WHERE ordinal = 1",
}


@pytest.mark.parametrize(("kind", "statement"), DAMAGE.items(), ids=DAMAGE.keys())
def test_what_disagrees_is_told_and_mended(engine_file: Path, kind: str, statement: str) -> None:
    with SqliteMemoryEngine(engine_file) as engine:  # open all the while, as an opening would mend some by itself
        change(engine_file, statement)
        told = engine.doctor()
        assert kind in kinds(told)
        assert not told.is_healthy
        mended = engine.doctor(rebuild=True)
        assert kinds(mended) == {}
        assert kind in kinds(mended, repaired=True)
        assert mended.is_healthy
        assert engine.doctor().findings == ()


LASTING = {
    "malformed_json": "UPDATE memories SET tags = '{}', metadata = '[]' WHERE ordinal = 5",
    "unreadable_time": "UPDATE memories SET timestamp = 'once' WHERE ordinal = 5",
    "assertion_without_row": "DELETE FROM memories WHERE ordinal = 1",
    "row_without_assertion": "DELETE FROM memory_assertions WHERE learned_order = 1",
    "strange_layout": "UPDATE schema_migration SET sha256 = 'other'",
    "state_mismatch": "UPDATE memory_assertions SET state = 'purged' WHERE learned_order = 1",
}


@pytest.mark.requirement("upgrade.oddities-tolerated")
@pytest.mark.parametrize(("kind", "statement"), LASTING.items(), ids=LASTING.keys())
def test_what_nobody_can_compute_is_told_and_stays(engine_file: Path, kind: str, statement: str) -> None:
    change(engine_file, statement)
    with SqliteMemoryEngine(engine_file) as engine:
        assert kind in kinds(engine.doctor())
        report = engine.doctor(rebuild=True)
    assert kind in kinds(report)
    assert not report.is_healthy


def test_a_damaged_page_is_told(engine_file: Path) -> None:
    ((root,),) = query(engine_file, "SELECT rootpage FROM sqlite_schema WHERE name = 'entity_embedding'")
    content = bytearray(engine_file.read_bytes())
    begin = (root - 1) * 4096
    content[begin : begin + 100] = b"\xff" * 100
    engine_file.write_bytes(content)
    with SqliteMemoryEngine(engine_file) as engine:
        report = engine.doctor()
    assert "damaged" in kinds(report)


@pytest.mark.requirement("upgrade.oddities-tolerated")
def test_oddities_of_an_older_file_are_told(db_path: Path) -> None:
    upgraded(
        db_path,
        fact("one"),
        fact("two", object="shut"),
        fact("three", subject="gate", valid_until="2025-01-01T00:00:00Z"),
        fact("four", subject="roof", tags="[", valid_from="once"),
    )
    with connected(db_path) as connection:
        report = inspection.inspect(connection)
    assert {finding.kind: finding.id for finding in report.findings} == {
        "several_open": "two",
        "overlap": "two",
        "inverted": "three",
        "malformed_json": "four",
        "unreadable_time": "four",
    }


@pytest.mark.requirement("upgrade.oddities-tolerated", "upgrade.replans-nothing")
def test_several_open_rows_of_one_fact_are_settled_on_request_with_revisions(db_path: Path, clock: FakeClock) -> None:
    clock.set("2026-12-02")
    upgraded(
        db_path,
        fact("one"),
        fact("two", object="shut", valid_from="2026-02-01T00:00:00Z", ingested_at="2026-02-01T00:00:03Z"),
        fact("other", subject="gate"),
    )
    untouched = query(db_path, "SELECT * FROM memories WHERE id = 'other'")
    with SqliteMemoryEngine(db_path, clock=clock) as engine:
        before = engine.get_history("alice", "door", "is")
        assert [record.valid_until for record in before] == [None, None]
        clock.advance(days=1)
        report = engine.doctor(rebuild=True)
        assert kinds(report, repaired=True) == {"several_open": 1, "overlap": 1}
        assert "timelines" in report.rebuilt
        first, second = engine.get_history("alice", "door", "is")
        assert first.valid_until == second.valid_from
        assert (first.superseded_by, second.supersedes) == ("two", "one")
        assert engine.get_history("alice", "door", "is", known_at="2026-12-02") == before
    assert query(db_path, "SELECT * FROM memories WHERE id = 'other'") == untouched


def test_a_real_older_file_is_told_and_settled(data_dir: Path, tmp_path: Path, clock: FakeClock) -> None:
    clock.set("2026-12-02")
    with SqliteMemoryEngine(real_file(data_dir, "engine_1_62.db", tmp_path), clock=clock) as engine:
        assert kinds(engine.doctor()) == {"overlap": 18, "inverted": 1}
        report = engine.doctor(rebuild=True)
        assert kinds(report, repaired=True) == {"overlap": 18}
        assert kinds(report) == {"inverted": 1}  # a plain memory: its writer has to say what was meant
        assert engine.doctor().checked["held"] == 3


def test_a_long_list_is_cut_and_counted(db_path: Path) -> None:
    older_file(db_path, rows=[fact(f"m{n}", subject=None, tags="[") for n in range(1_100)])
    open_file(db_path)
    with connected(db_path) as connection:
        report = inspection.inspect(connection)
    assert len(report.findings) == inspection.SHOWN_FINDINGS + 1
    assert report.findings[-1].detail == "and 100 more of this kind"


def test_rebuilding_says_how_far_it_is(engine_file: Path) -> None:
    heard: list[tuple[str, int, int]] = []
    with SqliteMemoryEngine(engine_file) as engine:
        engine.doctor(rebuild=True, on_progress=lambda stage, done, total: heard.append((stage, done, total)))
    assert ("building the search index", 6, 6) in heard
    looks = [(done, total) for stage, done, total in heard if stage == "looking the file over"]
    assert looks[0] == (1, looks[0][1])
    assert looks[-1][0] == looks[-1][1]
