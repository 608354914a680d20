"""What search finds: evidence turns of conversations, and passages of questions with several hops.

    scripts/bench recall [--data DIR] [--short] [--json FILE]

LoCoMo: every conversation is an agent of its own, every turn a plain memory "Speaker: text"; recall of the turns that
the annotators named as evidence (categories 1 to 4), recall of sessions (all categories). 2WikiMultiHopQA and MuSiQue:
every paragraph is a memory "Title: text". Each set has a file of its own. Protocols in `../shared/eval`, data in
`../shared/data`. The floor is what SQLite gives by itself: FTS5 with its own tokenizer, every word of the question
joined by OR. No model, no network, nothing random.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import apsw

from benchmarks._programs import DEFAULT_DATA, module
from karte import MemoryEntry
from karte.engine import SqliteMemoryEngine
from karte.memory import open_engine

Search = Callable[[str, int], list[str]]
Build = Callable[[Sequence[tuple[str, str]]], Search]
Result = dict[str, Any]

PASSAGE_SETS = ("2wiki", "musique")
TARGET = 0.60
ANY_WORD = re.compile(r"\w+")


def main(arguments: Sequence[str] | None = None) -> int:
    wanted = _parsed(arguments)
    data = Path(wanted.data).resolve()
    os.environ["MULTIHOP_DIR"] = str(data / "multihop")
    locomo = module(data.parent / "eval" / "locomo_eval.py")
    multihop = module(data.parent / "eval" / "multihop_eval.py")
    path = str(data / "locomo" / "locomo5.json")
    conversations = locomo.load(path)[: 1 if wanted.short else None]
    every_category = locomo.load(path, categories=(1, 2, 3, 4, 5))[: 1 if wanted.short else None]
    sets: dict[str, Callable[[Build], Result]] = {
        "locomo": lambda build: _turns(locomo, conversations, build),
        "locomo_sessions": lambda build: _sessions(locomo, every_category, build),
    }
    for name in () if wanted.short else PASSAGE_SETS:
        sets[name] = partial(_passages, multihop, name)
    report: Result = {"benchmark": "recall", "is_short": wanted.short, "data": str(data), "floor": {}, "karte": {}}
    for name, measure in sets.items():
        report["floor"][name] = measure(_floor)
        with (
            tempfile.TemporaryDirectory(prefix="karte-recall-") as folder,
            open_engine(f"{folder}/memory.db") as engine,
        ):
            status = engine.status()
            report["karte"][name] = measure(_Agents(engine).build)
    report["versions"] = {"karte": status.version, "sqlite": status.sqlite_version, "python": platform.python_version()}
    _print(report)
    if wanted.json:
        Path(wanted.json).write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return 0 if report["karte"]["locomo"]["recall@10"] >= TARGET or wanted.short else 1


def _parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--data", default=os.environ.get("KARTE_DATA") or DEFAULT_DATA, help="the folder with the data [KARTE_DATA]"
    )
    parser.add_argument("--short", action="store_true", help="one conversation, no passages")
    parser.add_argument("--json", help="write the results here too")
    wanted = parser.parse_args(arguments)
    if not wanted.data:
        parser.error("no data: give --data DIR or set KARTE_DATA")
    return wanted


# --- the systems -----------------------------------------------------------------------------


class _Agents:
    """One engine; whatever is to be searched becomes an agent of its own."""

    def __init__(self, engine: SqliteMemoryEngine) -> None:
        self._engine = engine
        self._count = 0

    def build(self, texts: Sequence[tuple[str, str]]) -> Search:
        self._count += 1
        agent = f"set-{self._count}"
        outcomes = self._engine.store_many([MemoryEntry(content=text, agent_id=agent) for _, text in texts])
        name = {outcome.id: id for outcome, (id, _) in zip(outcomes, texts, strict=True)}

        def search(query: str, k: int) -> list[str]:
            return [name[hit.memory.id] for hit in self._engine.search(agent, query, k, touch=False)]

        return search


def _floor(texts: Sequence[tuple[str, str]]) -> Search:
    db = apsw.Connection(":memory:")
    db.execute("CREATE VIRTUAL TABLE floor USING fts5(text)")
    with db:
        db.executemany("INSERT INTO floor(rowid, text) VALUES (?, ?)", enumerate(text for _, text in texts))

    def search(query: str, k: int) -> list[str]:
        expression = " OR ".join(f'"{word}"' for word in ANY_WORD.findall(query))
        found = db.execute("SELECT rowid FROM floor WHERE floor MATCH ? ORDER BY rank LIMIT ?", (expression, k))
        return [texts[int(str(row))][0] for (row,) in found]

    return search


# --- the questions ---------------------------------------------------------------------------


def _turns(locomo: ModuleType, conversations: Sequence[Any], build: Build) -> Result:
    found = locomo.evaluate(lambda memories: build([(m.id, m.text) for m in memories]), conversations)
    return {
        "recall@10": found["overall"]["recall@10"],
        "ndcg@10": found["overall"]["ndcg@10"],
        "by_category": {locomo.CATEGORY[n]: row["recall@10"] for n, row in found["by_category"].items()},
        "by_conversation": {name: row["recall@10"] for name, row in found["by_conversation"].items()},
        "questions": found["n"]["overall"],
        "query_ms_p50": found["query_ms_p50"],
        "query_ms_p95": found["query_ms_p95"],
    }


def _sessions(locomo: ModuleType, conversations: Sequence[Any], build: Build) -> Result:
    recall = locomo.session_recall(
        lambda memories: build([(m.id, m.text) for m in memories]), conversations=conversations
    )
    return {"recall@10": recall}


def _passages(multihop: ModuleType, name: str, build: Build) -> Result:
    found = multihop.evaluate(lambda passages: build([(id, f"{title}: {text}") for id, title, text in passages]), name)
    return {key: found[key] for key in ("recall@5", "recall@10", "ndcg@10", "n")}


def _print(report: Result) -> None:
    print("recall   " + "   ".join(f"{name} {version}" for name, version in report["versions"].items()))
    for set_name in report["karte"]:
        print()
        print(f"{set_name:<16}{'floor':>8}{'karte':>8}")
        for key, value in report["karte"][set_name].items():
            floor = report["floor"][set_name][key]
            rows = {f"  {part}": (floor[part], each) for part, each in value.items()} if isinstance(value, dict) else {}
            for label, (a, b) in (rows or {key: (floor, value)}).items():
                print(f"{label:<16}{a:>8.3f}{b:>8.3f}" if isinstance(b, float) else f"{label:<16}{a:>8}{b:>8}")


if __name__ == "__main__":
    raise SystemExit(main())
