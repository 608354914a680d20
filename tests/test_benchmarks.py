"""The benchmarks run, and print and write what they say they do; no time is asserted."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
import unicodedata
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from benchmarks import _messages, _recall_embedder, _recall_rivals, _recall_rivals_notes, _workload, injection, recall
from benchmarks import distill as distill_benchmark
from benchmarks import documents as documents_benchmark
from benchmarks._speed_table import Line, compared, resident, table
from karte import MemoryEntry, SqliteMemoryEngine
from tests.needs import lacking

ROOT = Path(__file__).parent.parent

EXPECTED = (
    "store_many", "store_temporal", "store", "supersede", "value, forwards", "value, backwards", "value, shuffled",
    "reaffirmation", "get_at", "get_history", "get_by_ids", "list_recent", "search, p50", "search, p95",
    "the graph adds, first build", "the graph adds, p50", "the graph adds, after a write", "vectors add (hashed), p50",
    "opening a file", "memory of a process", "import karte", "karte --help",
)  # fmt: skip


@pytest.mark.slow
def test_the_speed_benchmark_prints_a_table_and_writes_the_same(tmp_path: Path) -> None:
    output = tmp_path / "speed.json"
    done = subprocess.run(
        [sys.executable, str(ROOT / "benchmarks" / "speed.py"), "--short", "--cpu", "--json", str(output)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, sys.path)])},
    )
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(output.read_text(encoding="utf-8"))
    assert report["benchmark"] == "speed"
    assert report["seed"] == _workload.SEED
    assert set(report["versions"]) == {"karte", "python", "apsw", "sqlite"}
    assert str(tmp_path) not in output.read_text(encoding="utf-8")
    lines = [Line(**{name: value for name, value in line.items() if name != "is_met"}) for line in report["lines"]]
    assert table(lines) in done.stdout
    for name in EXPECTED:
        assert any(name in line.operation for line in lines), name
    for line in lines:
        assert line.ours_us > 0 or line.base == "search without"  # a difference of two times
        assert line.base_us is None or line.base_us > 0


def test_the_injection_benchmark_prints_tables_and_writes_the_same(
    data_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "injection.json"
    assert injection.main(["--short", "--data", str(data_dir), "--json", str(output)]) == 0
    report: dict[str, Any] = json.loads(output.read_text(encoding="utf-8"))
    assert report["benchmark"] == "injection"
    assert report["is_short"]
    assert set(report["versions"]) == {"karte", "python"}
    printed = capsys.readouterr().out
    for line in (*report["sources"], *report["languages"]):
        assert line["name"] in printed
        assert 0 <= line["blocked"] <= 100
    assert {"locomo", "notinject", "deepset", "s-labs"} <= {line["name"] for line in report["sources"]}
    assert {line["text"] for line in report["time"]} == set(injection.TIMED)


@pytest.mark.requirement("pages.rules", "pages.recognition")
@pytest.mark.parametrize("name", ["distill", "documents"])
def test_the_benchmarks_of_conversations_print_what_they_write(
    name: str, data_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "report.json"
    program = {"distill": distill_benchmark, "documents": documents_benchmark}[name]
    assert program.main(["--short", "--data", str(data_dir), "--json", str(output)]) == 0
    report: dict[str, Any] = json.loads(output.read_text(encoding="utf-8"))
    assert (report["benchmark"], report["is_short"]) == (name, True)
    assert capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.requirement("trust.poisoned-answers")
def test_the_poison_benchmark_meets_its_targets_and_writes_what_it_prints(data_dir: Path, tmp_path: Path) -> None:
    output = tmp_path / "poison.json"
    done = subprocess.run(
        [sys.executable, str(ROOT / "benchmarks" / "poison.py"), "--data", str(data_dir), "--json", str(output)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, sys.path)])},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    report: dict[str, Any] = json.loads(output.read_text(encoding="utf-8"))
    assert str(tmp_path) not in output.read_text(encoding="utf-8")
    assert report["is_met"]
    assert len(report["plain"]) == 8
    for row in report["plain"]:
        assert row["trust"]["adversarial_first"] <= 0.02
        assert row["trust"]["benign_in_first_5"] >= 0.99
        assert row["trust"]["adversarial_share_of_5"] <= 0.30 < row["no_trust"]["adversarial_share_of_5"]
        assert f"{row['trust']['adversarial_share_of_5']:8.3f}" in done.stdout
    assert report["conversations"]["in_the_mixed_store"]["lost"] <= 0.015
    assert [row["holds"] + row["adversarial_share_of_5"] for row in report["facts"]] == [0.0] * 4


def test_the_table_says_what_is_met() -> None:
    rounds = [(200.0, 100.0), (500.0, 100.0), (250.0, 100.0)]
    lines = [
        compared("slow", 1_000, rounds, 2.0),
        compared("fast", 1_000, rounds, 3.0),
        compared("told", 1_000, rounds, None, "first"),
        resident("memory", 0, 50_000_000, 60_000_000),
    ]
    assert [line.is_met for line in lines] == [False, True, None, True]
    assert table(lines).splitlines() == [
        "operation   rows      ours  compared with         ratio   target  met",
        "slow       1,000  250.0 us       100.0 us  floor   2.50      2 x  MISSED",
        "fast       1,000  250.0 us       100.0 us  floor   2.50      3 x  met",
        "told       1,000  250.0 us       100.0 us  first   2.50",
        "memory             50.0 MB                               60.0 MB  met",
    ]


def test_the_rows_are_those_of_the_protocol(data_dir: Path, tmp_path: Path) -> None:
    program = data_dir.parent / "eval" / "synthetic_workload.py"
    subprocess.run([sys.executable, str(program), "--facts", "10000"], cwd=tmp_path, check=True, capture_output=True)
    told = [json.loads(line) for line in (tmp_path / "facts.jsonl").read_text(encoding="utf-8").splitlines()]
    made = list(islice(_workload.facts(), len(told)))
    assert [(f.id, f.content, f.timestamp, [f.tag], f.layer, f.importance) for f in made] == [
        (row["id"], row["content"], row["ts"], row["tags"], row["layer"], row["importance"]) for row in told
    ]
    assert [(f.subject, f.predicate, f.object) for f in made] == [
        (row["subject"], row["predicate"], row["object"]) for row in told
    ]
    asked = [json.loads(line)["q"] for line in (tmp_path / "queries.jsonl").read_text(encoding="utf-8").splitlines()]
    assert _workload.queries([fact.content for fact in made]) == asked


def test_the_recall_benchmark_prints_a_table_and_writes_the_same(
    data_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "recall.json"
    assert recall.main(["--short", "--data", str(data_dir), "--json", str(output)]) == 0
    report: dict[str, Any] = json.loads(output.read_text(encoding="utf-8"))
    assert report["benchmark"] == "recall"
    assert set(report["sets"]) == {"locomo", "path_2h", "cjk_word", "cjk_natural", "cjk_talks"}
    printed = capsys.readouterr().out
    for name, made in report["sets"].items():
        assert f"{name}: {made['questions']} questions" in printed
        for row in made["systems"].values():
            low, high = row["interval"]
            assert 0 <= low <= row["scores"][made["headline"]] <= high <= 1


def test_a_rival_that_is_not_installed_is_named_and_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    monkeypatch.setattr(_recall_rivals_notes, "COMMAND", None)
    found, skipped = _recall_rivals.available()
    assert found == {}
    assert {"bm25s", "txtai hybrid", "mem0", "langgraph store", "basic-memory text"} <= skipped.keys()
    assert all(reason == f"{name}: not installed" for name, reason in skipped.items())


def test_vectors_of_memories_are_kept_and_those_of_questions_are_not() -> None:
    class Counting:
        name, dimension = "counting", 1

        def __init__(self) -> None:
            self.asked: list[str] = []

        def embed(self, texts: Sequence[str]) -> list[list[float]]:
            self.asked += texts
            return [[float(len(text))] for text in texts]

    counting = Counting()
    embedder = _recall_embedder.Remembering(counting)
    assert embedder.embed(["a", "bb", "a"]) == [[1.0], [2.0], [1.0]]
    assert embedder.embed(["bb"]) == [[2.0]]
    assert embedder.embed(["ccc"]) == embedder.embed(["ccc"]) == [[3.0]]
    assert counting.asked == ["a", "bb", "ccc", "ccc"]


def test_the_interval_of_equal_scores_is_their_value() -> None:
    assert recall.interval([0.5] * 20) == (0.5, 0.5)


def test_the_words_of_our_own_set_are_held_by_exactly_the_memories_it_names() -> None:
    lines = (ROOT / "benchmarks" / "sets" / "cjk.jsonl").read_text(encoding="utf-8").splitlines()
    rows: list[dict[str, Any]] = [json.loads(line) for line in lines]
    texts = {row["memory"]: _folded(row["text"]) for row in rows if "memory" in row}
    questions = [row for row in rows if "question" in row]
    assert len(texts) == len(set(texts.values())) == len(rows) - len(questions)
    for row in questions:
        assert texts.keys() >= set(row["gold"])
        if row["kind"] == "word":
            held = [id for id, text in texts.items() if _holds(text, _folded(row["question"]))]
            assert held == row["gold"], row["question"]


@pytest.mark.requirement("search.scripts-without-spaces")
@pytest.mark.parametrize("language", _messages.LANGUAGES)
def test_every_short_word_of_translated_messages_is_found_and_every_hit_of_words_holds_it(
    language: str, db_path: Path
) -> None:
    texts = _messages.messages(language)
    if not texts:
        lacking("messages", "django is not installed, whose catalogues they are")
    words = _messages.words(texts)
    assert len(texts) > 400
    assert len(words) > 300
    with SqliteMemoryEngine(db_path) as engine:
        engine.store_many([MemoryEntry(content=text, id=id) for id, text in texts.items()])
        for word, (_, holders) in words.items():
            hits = engine.search("default", word, 10, touch=False, explain=True)
            assert holders <= {hit.id for hit in hits}, word
            for hit in hits:
                how = hit.explain
                assert how is not None
                if hit.id not in holders:  # what holds other words than those asked for, only a connection leads to
                    assert how.path, f"{word}: {hit.memory.content}"
                    assert how.text == how.structure == 0.0, f"{word}: {hit.memory.content}"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("サーバーの設定 A", "の 設定 サ ー バ サー ーバ バー 設 定"),
        ("ลบ", "ลบ ล บ"),
        ("ผู้", "ผ ผู"),
        ("뷰 문서", "뷰 문서 문 서"),
        ("abc", ""),
    ],
)
def test_the_words_of_a_message_lie_between_changes_of_script(text: str, words: str) -> None:
    assert set(_messages.words({"1": text})) == set(words.split())


def test_a_word_is_asked_for_where_at_most_ten_messages_hold_it() -> None:
    eleven = {str(number): f"犬 {number}" for number in range(11)}
    assert _messages.words(eleven) == {}
    assert _messages.words(dict(list(eleven.items())[:10])) == {"犬": ("whole", frozenset(map(str, range(10))))}


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _holds(text: str, word: str) -> bool:
    """Its letters in a row; a Latin letter or digit at an edge is the edge of a run of them."""
    before = "(?<![a-z0-9])" if word[0].isascii() and word[0].isalpha() else "(?<![0-9])" if word[0].isdigit() else ""
    after = "(?![a-z0-9])" if word[-1].isascii() and word[-1].isalpha() else "(?![0-9])" if word[-1].isdigit() else ""
    return re.search(before + re.escape(word) + after, text) is not None
