"""No table of a file can be overlooked when somebody is erased, exported, or a memory changes its owner."""

from contextlib import closing
from pathlib import Path

import apsw
import pytest

import karte
from karte.storage.sqlite.coverage import COVERAGE, INHERITED

TABLES = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"
COLUMNS = "SELECT name FROM pragma_table_info(?)"
KEYS = "SELECT name FROM pragma_table_info(?) WHERE pk > 0"


def layout(path: Path) -> dict[str, tuple[list[str], list[str]]]:
    """Tables of a new file, with their columns and their keys."""
    karte.SqliteMemoryEngine(path).close()
    with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as connection:
        names = [str(name) for (name,) in connection.execute(TABLES).fetchall()]
        return {
            name: (
                [str(column) for (column,) in connection.execute(COLUMNS, (name,))],
                [str(column) for (column,) in connection.execute(KEYS, (name,))],
            )
            for name in names
        }


@pytest.mark.requirement("erase.every-table", "transfer.every-table")
def test_every_table_of_a_new_file_says_how_it_is_treated(db_path: Path) -> None:
    assert sorted(COVERAGE) == sorted(layout(db_path))
    for name, each in (COVERAGE | INHERITED).items():
        assert each.erase, name
        assert each.export, name
        assert each.reassign, name
        if each.of_agent is None and each.of_subject is None:
            is_derived = each.erase.startswith("follows ")
            assert is_derived or each.erase.startswith("not: "), (
                f"{name}: nothing is erased, and no reason stands there"
            )
        if each.order is None and name != "karte_state":
            assert each.export.startswith("not: "), f"{name}: not exported, and no reason stands there"


@pytest.mark.requirement("erase.every-table")
def test_a_table_that_names_an_agent_is_erased_with_it_and_exported(db_path: Path) -> None:
    for name, (columns, _) in layout(db_path).items():
        if "agent_id" in columns and not COVERAGE[name].erase.startswith("follows "):
            assert COVERAGE[name].of_agent, name
            assert COVERAGE[name].order or COVERAGE[name].export.startswith("not: "), name


@pytest.mark.requirement("erase.every-table")
def test_a_table_that_names_a_memory_or_a_subject_forgets_it(db_path: Path) -> None:
    telling = {"subject", "entity", "memory_id", "learned_order", "alias", "row_id"}
    for name, (columns, _) in layout(db_path).items():
        if telling & set(columns):
            assert COVERAGE[name].of_subject, name


@pytest.mark.requirement("transfer.every-table")
def test_an_export_sorts_every_table_by_a_whole_key(db_path: Path) -> None:
    """Two exports of the same rows would otherwise be able to differ."""
    for name, (_, keys) in layout(db_path).items():
        order = COVERAGE[name].order
        if order is not None:
            assert set(keys) <= set(order.split(", ")), name
