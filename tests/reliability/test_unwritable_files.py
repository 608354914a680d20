"""Files that cannot be written, a disk without room, and files that are damaged or something else."""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest

import karte
from karte import MemoryEngine, MemoryEntry, TemporalMeta
from tests import needs
from tests.reliability.health import bytes_of, check, check_file, check_says, contents, dump, opened
from tests.reliability.processes import karte_command

AGENT = "default"


def _fact(value: str, **meta: Any) -> tuple[MemoryEntry, TemporalMeta]:
    return MemoryEntry(content=f"Ada lives in {value}"), TemporalMeta(
        **{"subject": "Ada", "predicate": "lives in", "object": value, **meta}
    )


def _furnish(path: Path) -> None:
    with opened(path) as engine:
        engine.store(MemoryEntry(content="a note", id="note"))
        engine.store_temporal(*_fact("London", valid_from="2020"))
        engine.store_temporal(*_fact("Paris", valid_from="2022"))
        engine.store(MemoryEntry(content="archived", id="archived"))
        engine.forget(AGENT, "archived")
        engine.add_alias(AGENT, "Ada", "A. L.")
        engine.declare_predicate(AGENT, "knows", "many")


WRITES: dict[str, Callable[[MemoryEngine], Any]] = {
    "store": lambda engine: engine.store(MemoryEntry(content="x")),
    "store_temporal": lambda engine: engine.store_temporal(*_fact("Rome")),
    "store_many": lambda engine: engine.store_many([_fact("Rome")]),
    "update": lambda engine: engine.update(AGENT, "note", tags=["t"]),
    "forget": lambda engine: engine.forget(AGENT, "note"),
    "restore": lambda engine: engine.restore(AGENT, "archived"),
    "retract": lambda engine: engine.retract(AGENT, "note"),
    "end_fact": lambda engine: engine.end_fact(AGENT, "Ada", "lives in"),
    "expire_by_subject": lambda engine: engine.expire_by_subject(AGENT, "Ada"),
    "declare_predicate": lambda engine: engine.declare_predicate(AGENT, "drinks", "many"),
    "add_alias": lambda engine: engine.add_alias(AGENT, "Ada", "Countess"),
    "remove_alias": lambda engine: engine.remove_alias(AGENT, "A. L."),
    "doctor with rebuild": lambda engine: engine.doctor(rebuild=True),
}


def _read_all(engine: MemoryEngine) -> None:
    """Every reading call, with what it must find."""
    note = engine.get_by_id(AGENT, "note")
    assert note is not None
    assert note.content == "a note"
    assert engine.get_by_ids(AGENT, ["note", "none"]).missing_ids == ("none",)
    page = engine.list_recent(AGENT)
    assert (len(page), page.total) == (2, 2)
    assert [hit.content for hit in engine.search(AGENT, "Paris")] == ["Ada lives in Paris"]
    assert engine.search_layer(AGENT, "episodic", "note")[0].id == "note"
    found = engine.get_at(AGENT, "A. L.", "lives in", "2021")
    assert found is not None
    assert found.object == "London"
    assert len(engine.get_all_at(AGENT, "Ada", "lives in")) == 1
    assert len(engine.get_history(AGENT, "Ada", "lives in")) == 2
    assert engine.list_predicates(AGENT) == {"knows": "many"}
    assert [alias.alias.casefold() for alias in engine.list_aliases(AGENT)] == ["a. l."]
    assert engine.doctor().findings == ()
    assert engine.status().memories == 3


def _refuses_all(engine: MemoryEngine) -> None:
    for name, write in WRITES.items():
        with pytest.raises(karte.ReadOnlyFile) as caught:
            write(engine)
        assert caught.value.field == "path", name
        assert caught.value.remedy, name


# ------------------------------------------------------------------------------------------------------- read only


@pytest.mark.requirement("process.read-only-file")
def test_an_engine_opened_read_only_reads_everything_and_refuses_each_write(db_path: Path) -> None:
    _furnish(db_path)
    before = db_path.read_bytes()
    with opened(db_path, read_only=True) as engine:
        assert engine.status().read_only
        _read_all(engine)
        _refuses_all(engine)
        _read_all(engine)
    assert db_path.read_bytes() == before
    check(db_path)


@pytest.mark.requirement("process.read-only-file")
def test_a_read_only_engine_sees_what_another_engine_writes(db_path: Path) -> None:
    _furnish(db_path)
    with opened(db_path, read_only=True) as reader, opened(db_path) as writer:
        writer.store(MemoryEntry(content="written meanwhile"))
        assert [hit.content for hit in reader.search(AGENT, "meanwhile")] == ["written meanwhile"]
        writer.store_temporal(*_fact("Rome"))
        found = reader.get_at(AGENT, "Ada", "lives in")
        assert found is not None
        assert found.object == "Rome"


@pytest.mark.requirement("process.read-only-file")
def test_opening_read_only_makes_no_file_and_upgrades_none(db_path: Path) -> None:
    with pytest.raises(karte.StorageError):
        opened(db_path, read_only=True)
    assert list(db_path.parent.iterdir()) == []
    db_path.touch()
    with pytest.raises(karte.ReadOnlyFile):
        opened(db_path, read_only=True)
    assert bytes_of(db_path.parent) == {db_path.name: b""}


def _mount(*arguments: str) -> None:
    done = subprocess.run(["mount", *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        needs.lacking("mount", done.stderr.strip() or "mount failed")


@pytest.fixture
def read_only_folder(tmp_path: Path) -> Iterator[Callable[[Path], Path]]:
    """Shows a folder once more, where nothing can be written, not even by root."""
    if os.geteuid() or shutil.which("mount") is None:
        needs.lacking("mount", "only root can mount")
    mounted: list[Path] = []

    def show(folder: Path) -> Path:
        place = tmp_path / "read-only"
        place.mkdir()
        _mount("--bind", str(folder), str(place))
        mounted.append(place)
        _mount("-o", "remount,ro,bind", str(place))
        return place

    yield show
    for place in mounted:
        subprocess.run(["umount", str(place)], check=True)


@pytest.mark.requirement("process.read-only-file")
@pytest.mark.parametrize("read_only", [True, False])
def test_a_file_on_a_medium_that_cannot_be_written_is_read_and_each_write_is_a_clear_error(
    read_only: bool, tmp_path: Path, read_only_folder: Callable[[Path], Path]
) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    _furnish(folder / "memory.db")
    before = bytes_of(folder)
    place = read_only_folder(folder) / "memory.db"
    with opened(place, read_only=read_only) as engine:
        _read_all(engine)
        _refuses_all(engine)
        _read_all(engine)
    assert bytes_of(folder) == before
    done = karte_command(place, "add", "something")
    assert done.returncode == 5, done.stdout
    assert "read-only" in done.stderr or "cannot be written" in done.stderr
    done = karte_command(place, "search", "Paris")
    assert done.returncode == 0, done.stderr


@pytest.mark.requirement("process.read-only-file")
def test_a_file_in_use_elsewhere_is_read_through_a_medium_that_cannot_be_written_or_refused_clearly(
    tmp_path: Path, read_only_folder: Callable[[Path], Path]
) -> None:
    """Its log holds rows: an answer without them would be a silent loss."""
    folder = tmp_path / "data"
    folder.mkdir()
    with opened(folder / "memory.db") as writer:
        writer.store(MemoryEntry(content="only in the log"))
        place = read_only_folder(folder) / "memory.db"
        try:
            with opened(place, read_only=True) as engine:
                assert contents(engine) == ["only in the log"]
                writer.store(MemoryEntry(content="and later"))
                assert contents(engine) == ["and later", "only in the log"]
        except karte.StorageError as error:
            check_says(error, "path")


# ------------------------------------------------------------------------------------------------------- no room


def _fill(engine: MemoryEngine, most: int = 10_000) -> tuple[list[str], karte.KarteError]:
    """Writes until there is no room; gives what was acknowledged, and the error."""
    stored: list[str] = []
    for number in range(most):
        try:
            outcome = engine.store_temporal(*_fact(f"{number} " + "far away " * 100))
        except karte.KarteError as error:
            return stored, error
        stored.append(str(outcome.id))
    raise AssertionError("there is still room")


def _check_full(path: Path, engine: MemoryEngine) -> list[str]:
    stored, error = _fill(engine)
    assert type(error) is karte.DiskFull
    assert (error.code, error.field) == ("disk_full", "path")
    before = dump(path)
    full = 0
    for write in WRITES.values():
        try:
            write(engine)
        except karte.DiskFull:
            full += 1
            assert dump(path) == before, "a write that failed changed something"
        except karte.NotFound:
            pass
        before = dump(path)
    assert full
    with pytest.raises(karte.DiskFull):
        engine.store_many([_fact(f"{n} " + "far away " * 100) for n in range(200)])
    assert dump(path) == before
    found = engine.get_by_ids(AGENT, stored[-100:])
    assert found.missing_ids == ()
    assert len(engine.get_history(AGENT, "Ada", "lives in")) >= len(stored)
    check_file(path)
    return stored


@pytest.mark.requirement("process.disk-full", "law.9-failed-write")
def test_a_file_that_may_not_grow_is_a_clear_error_and_writing_goes_on_when_it_may(db_path: Path) -> None:
    _furnish(db_path)
    with opened(db_path) as engine:
        connection: apsw.Connection = engine._store.connections.get()  # type: ignore[attr-defined]
        pages = connection.pragma("page_count")
        connection.pragma("max_page_count", pages + 200)
        stored = _check_full(db_path, engine)
        connection.pragma("max_page_count", 1_000_000)
        assert engine.store_temporal(*_fact("Rome")).is_current
        assert len(engine.store_many([_fact(f"place {n}") for n in range(100)])) == 100
        assert engine.get_by_ids(AGENT, stored[-100:]).missing_ids == ()
    check(db_path)


@pytest.mark.requirement("process.disk-full", "law.9-failed-write")
def test_a_disk_without_room_is_a_clear_error_and_writing_goes_on_when_there_is_room(tmp_path: Path) -> None:
    if os.geteuid() or shutil.which("mount") is None:
        needs.lacking("mount", "only root can mount")
    place = tmp_path / "small"
    place.mkdir()
    _mount("-t", "tmpfs", "-o", "size=3m", "tmpfs", str(place))
    try:
        path = place / "memory.db"
        _furnish(path)
        with opened(path) as engine:
            stored = _check_full(path, engine)
            subprocess.run(["mount", "-o", "remount,size=40m", str(place)], check=True)
            assert engine.store_temporal(*_fact("Rome")).is_current
            assert len(engine.store_many([_fact(f"place {n}") for n in range(100)])) == 100
            assert engine.get_by_ids(AGENT, stored[-100:]).missing_ids == ()
        check(path)
    finally:
        subprocess.run(["umount", str(place)], check=True)


@pytest.mark.requirement("process.disk-full")
def test_a_disk_too_full_for_a_new_file_is_a_clear_error_and_a_later_opening_succeeds(tmp_path: Path) -> None:
    if os.geteuid() or shutil.which("mount") is None:
        needs.lacking("mount", "only root can mount")
    place = tmp_path / "small"
    place.mkdir()
    _mount("-t", "tmpfs", "-o", "size=64k", "tmpfs", str(place))
    try:
        with pytest.raises(karte.StorageError) as caught:
            opened(place / "memory.db")
        assert type(caught.value) is karte.DiskFull
        subprocess.run(["mount", "-o", "remount,size=40m", str(place)], check=True)
        _furnish(place / "memory.db")
        check(place / "memory.db")
    finally:
        subprocess.run(["umount", str(place)], check=True)


# ------------------------------------------------------------------------------------------------------- damaged


def _large(path: Path) -> None:
    with opened(path) as engine:
        engine.store_many([_fact(f"{n} " + f"word{n} " * 50) for n in range(300)])


def _overwrite(path: Path, page: int, size: int = 4096) -> None:
    with path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xa5" * size)


@pytest.mark.requirement("process.corrupt-file")
def test_whatever_page_is_damaged_no_call_gives_anything_but_an_answer_or_a_clear_error(
    db_path: Path, tmp_path: Path
) -> None:
    _large(db_path)
    pages = db_path.stat().st_size // 4096
    copy = tmp_path / "damaged.db"
    hurt = 0
    for page in range(1, pages + 1, max(1, pages // 40)):
        for left in tmp_path.glob("damaged.db*"):
            left.unlink()
        shutil.copyfile(db_path, copy)
        _overwrite(copy, page)
        hurt += _use_damaged(copy)
    assert hurt > 10, "most damage is noticed"


def _use_damaged(path: Path) -> int:
    """How many calls complained; each by an error that names the file and a remedy."""
    errors: list[karte.KarteError] = []
    try:
        engine = opened(path)
    except karte.KarteError as error:
        errors.append(error)
    else:
        calls: list[Callable[[], Any]] = [
            lambda: [(memory.content, memory.tags) for memory in engine.list_recent(AGENT, 1000)],
            lambda: engine.search(AGENT, "Ada word7 lives", 50, touch=False),
            lambda: engine.get_history(AGENT, "Ada", "lives in"),
            lambda: engine.get_at(AGENT, "Ada", "lives in"),
            lambda: engine.store_temporal(*_fact("Rome")),
            lambda: engine.store(MemoryEntry(content="word1 word2")),
            engine.status,
        ]
        for call in calls:
            try:
                call()
            except karte.KarteError as error:
                errors.append(error)
        report = engine.doctor()
        assert not errors or not report.is_healthy, errors
        engine.close()
    for one in errors:
        assert isinstance(one, karte.StorageError), repr(one)
        assert one.field == "path"
        assert one.remedy, str(one)
        assert str(path)[:40] in str(one)
    return len(errors)


@pytest.mark.requirement("process.corrupt-file")
@pytest.mark.parametrize("part", [0.99, 0.5, 0.1])
def test_a_file_cut_short_is_damaged_and_says_so(part: float, db_path: Path) -> None:
    _large(db_path)
    os.truncate(db_path, int(db_path.stat().st_size * part) // 512 * 512)
    assert _use_damaged(db_path) > 0


NO_FILES_OF_OURS = {
    "text": b"Dear diary,\n" * 1000,
    "a short text": b"hello",
    "one byte": b"x",
    "noise": bytes(range(256)) * 64,
    "zeros": bytes(8192),
    "a header and noise": b"SQLite format 3\x00" + b"\xff" * 5000,
    "a picture": b"\x89PNG\r\n\x1a\n" + b"\x00" * 500,
}


@pytest.mark.requirement("file.not-a-karte-file")
@pytest.mark.parametrize("name", NO_FILES_OF_OURS)
@pytest.mark.parametrize("read_only", [False, True])
def test_what_is_no_database_is_refused_and_left_untouched(name: str, read_only: bool, tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    path.write_bytes(NO_FILES_OF_OURS[name])
    with pytest.raises(karte.NotAKarteFile) as caught:
        opened(path, read_only=read_only)
    assert caught.value.field == "path"
    assert caught.value.remedy
    assert bytes_of(tmp_path) == {"memory.db": NO_FILES_OF_OURS[name]}


@pytest.mark.requirement("file.not-a-karte-file")
@pytest.mark.parametrize("journal", ["delete", "wal"])
def test_another_programs_database_is_refused_and_left_untouched(journal: str, tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with closing(apsw.Connection(str(path))) as connection:
        connection.pragma("journal_mode", journal)
        connection.execute("CREATE TABLE songs (title TEXT)")
        connection.execute("INSERT INTO songs VALUES ('one')")
    before = bytes_of(tmp_path)
    with pytest.raises(karte.NotAKarteFile):
        opened(path)
    assert bytes_of(tmp_path) == before


@pytest.mark.requirement("file.not-a-karte-file")
def test_a_folder_a_missing_folder_and_names_no_file_can_have_are_clear_errors(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    for path in (folder, tmp_path / "missing" / "memory.db", Path("/dev/null"), Path("/proc")):
        with pytest.raises(karte.StorageError) as caught:
            opened(path)
        assert caught.value.field == "path", path
        assert caught.value.remedy, path
    assert sorted(found.name for found in tmp_path.iterdir()) == ["folder"]


@pytest.mark.requirement("python.public-forms")
@pytest.mark.parametrize("name", ["x" * 300, "a\x00b", "half \ud800"])
def test_a_name_that_no_file_can_have_is_a_clear_error(name: str, tmp_path: Path) -> None:
    with pytest.raises(karte.KarteError) as caught:
        karte.SqliteMemoryEngine(f"{tmp_path}/{name}")
    assert caught.value.field == "path"
    assert list(tmp_path.iterdir()) == []
