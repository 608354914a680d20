"""``karte graph``: a table, data, and files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.interfaces.cli.conftest import Karte


@pytest.mark.requirement("graph.export", "cli.commands")
def test_the_graph_is_shown_as_a_table_as_data_and_written_to_a_file(karte: Karte, tmp_path: Path) -> None:
    assert "no facts" in karte("graph").out
    karte("add", "Ada works at Initech", "-s", "Ada", "-p", "works at", "-o", "Initech")
    shown = karte("graph").out
    assert "initech" in shown
    assert "2 entities" in shown
    data = json.loads(karte("--json", "graph").out)
    assert data["edges"][0]["predicate"] == "works at"
    assert data["truncated"] is False
    assert karte("graph", "--format", "mermaid").out.startswith("graph LR")
    target = tmp_path / "graph.xml"
    karte("graph", "--format", "graphml", "-o", str(target))
    assert target.read_text(encoding="utf-8").startswith("<?xml")
