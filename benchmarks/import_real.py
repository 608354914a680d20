"""Real conversations and real facts into one file, and their questions answered from it.

    scripts/bench import_real [--data DIR] [--db FILE] [--short] [--json FILE]

The five LoCoMo conversations are memories (one a turn, each conversation an agent of its own), the
YAGO facts are facts with since and until. Then every question is asked of the file: of the
conversations the share of evidence turns among the first ten hits (recall@10, protocol in
`../shared/eval/locomo_eval.py`), of the facts whether exactly the right objects hold in a year
(`../shared/eval/tkg_asof.py`, every relation declared many). No model, no network, nothing random.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import click

from karte import MemoryEntry, TemporalMeta
from karte.engine import SqliteMemoryEngine
from karte.memory import open_engine

DEFAULT_DATA = str(Path(__file__).parents[2] / "shared" / "data")

Item = tuple[MemoryEntry, TemporalMeta]
Result = dict[str, Any]

BATCH = 500
FACTS_AGENT = "yago11k"
SHORT_QUESTIONS = 300
LEAST_RECALL = 0.60  # with nothing but text
LEAST_RECALL_SHORT = 0.55  # one conversation says less


def main(arguments: Sequence[str] | None = None) -> int:
    wanted = _parsed(arguments)
    data = Path(wanted.data).resolve()
    if not data.is_dir():
        print(f"nothing measured: there is no data at {data}", file=sys.stderr)
        return 0 if wanted.short else 2  # the short form belongs to a run of everything, data or not
    locomo = _module(data.parent / "eval" / "locomo_eval.py")
    asof = _module(data.parent / "eval" / "tkg_asof.py")
    setattr(asof, "DATA", str(data / "timelines"))  # noqa: B010 (a module that is loaded by its path)
    with tempfile.TemporaryDirectory(prefix="karte-import-") as folder:
        path = wanted.db or str(Path(folder) / "memory.db")
        with open_engine(path) as engine:
            conversations = locomo.load(str(data / "locomo" / "locomo5.json"))
            results = {
                "conversations": _conversations(engine, locomo, conversations[:1] if wanted.short else conversations),
                "facts": _facts(engine, asof, is_short=wanted.short),
            }
            status = engine.status()
    report = {
        "benchmark": "import_real",
        "is_short": wanted.short,
        "data": str(data),
        "versions": {"karte": status.version, "sqlite": status.sqlite_version, "python": platform.python_version()},
        "file_bytes": status.file_bytes + status.wal_bytes,
        **results,
    }
    _print(report)
    if wanted.json:
        Path(wanted.json).write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    missed = _missed(report)
    print("\n".join(f"missed: {target}" for target in missed) or "targets met")
    return 1 if missed else 0


def _missed(report: Result) -> list[str]:
    """The targets that this run does not meet, in words."""
    talks, facts = report["conversations"], report["facts"]
    least = LEAST_RECALL_SHORT if report["is_short"] else LEAST_RECALL
    targets = {
        f"recall@10 of at least {least}": talks["recall@10"] >= least,
        "every as-of answer exact": facts["accuracy"] == 1.0,
        "nothing refused": not talks["refused"] + facts["refused"],
    }
    return [words for words, is_met in targets.items() if not is_met]


def _parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--data", default=os.environ.get("KARTE_DATA") or DEFAULT_DATA, help="the folder with the data [KARTE_DATA]"
    )
    parser.add_argument("--db", help="keep the file here (a new one) instead of a temporary one")
    parser.add_argument("--short", action="store_true", help="one conversation and a part of the facts")
    parser.add_argument("--json", help="write the results here too")
    wanted = parser.parse_args(arguments)
    if not wanted.data:
        parser.error("no data: give --data DIR or set KARTE_DATA")
    return wanted


def _module(path: Path) -> ModuleType:
    """A program beside the data, as a module."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise SystemExit(f"{path}: no such program")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def _import(engine: SqliteMemoryEngine, items: Sequence[Item], label: str) -> Result:
    """Everything stored, in batches, with a bar; how long it took and what was refused."""
    counts = {"stored": 0, "reaffirmed": 0, "held": 0, "refused": 0}
    started = time.perf_counter()
    with click.progressbar(length=len(items), label=label.ljust(14), file=sys.stderr) as bar:
        for start in range(0, len(items), BATCH):
            batch = items[start : start + BATCH]
            for outcome in engine.store_many(batch):
                counts[outcome.status] += 1
                if outcome.status == "refused" and counts["refused"] == 1:
                    print(f"\nfirst refusal: {outcome.reason}", file=sys.stderr)
            bar.update(len(batch))
    seconds = time.perf_counter() - started
    return {**counts, "import_s": round(seconds, 3), "per_second": round(len(items) / seconds) if seconds else 0}


# --- conversations ---------------------------------------------------------------------------


def _conversations(engine: SqliteMemoryEngine, locomo: ModuleType, conversations: Sequence[Any]) -> Result:
    items = [item for conversation in conversations for item in _turns(conversation)]
    imported = _import(engine, items, "conversations")
    by_first_turn = {_key(conversation.memories): conversation.id for conversation in conversations}

    def build(memories: Sequence[Any]) -> Callable[[str, int], list[str]]:
        agent = by_first_turn[_key(memories)]

        def search(query: str, k: int) -> list[str]:
            return [hit.memory.id.partition(":")[2] for hit in engine.search(agent, query, k, touch=False)]

        return search

    with_bar = _asking(conversations, build, locomo)
    overall = with_bar["overall"]
    return {
        **imported,
        "turns": len(items),
        "questions": with_bar["n"]["overall"],
        "recall@10": overall["recall@10"],
        "ndcg@10": overall["ndcg@10"],
        "hit@10": overall["hit@10"],
        "by_category": {
            locomo.CATEGORY[category]: round(scores["recall@10"], 4)
            for category, scores in with_bar["by_category"].items()
        },
        "by_conversation": {name: round(row["recall@10"], 4) for name, row in with_bar["by_conversation"].items()},
        "query_ms_p50": with_bar["query_ms_p50"],
        "query_ms_p95": with_bar["query_ms_p95"],
    }


def _turns(conversation: Any) -> Iterable[Item]:
    turn_of: dict[int, int] = {}
    for memory in conversation.memories:
        turn_of[memory.session] = turn_of.get(memory.session, 0) + 1
        yield (
            MemoryEntry(
                content=memory.text,
                agent_id=conversation.id,
                id=f"{conversation.id}:{memory.id}",
                timestamp=memory.timestamp,
            ),
            TemporalMeta(
                metadata={"session": memory.session, "speaker": memory.speaker, "turn": turn_of[memory.session]},
                origin="import:locomo",
                source_event=f"{conversation.id}/session-{memory.session}",
            ),
        )


def _key(memories: Sequence[Any]) -> tuple[str, int]:
    return memories[0].text, len(memories)


def _asking(conversations: Sequence[Any], build: Callable[..., Any], locomo: ModuleType) -> Any:
    count = sum(len(conversation.questions) for conversation in conversations)
    with click.progressbar(length=count, label="asking".ljust(14), file=sys.stderr) as bar:

        def building(memories: Sequence[Any]) -> Callable[[str, int], list[str]]:
            search = build(memories)

            def asked(query: str, k: int) -> list[str]:
                bar.update(1)
                found: list[str] = search(query, k)
                return found

            return asked

        return locomo.evaluate(building, conversations)


# --- facts -----------------------------------------------------------------------------------


def _facts(engine: SqliteMemoryEngine, asof: ModuleType, *, is_short: bool) -> Result:
    facts = asof.facts(FACTS_AGENT)
    questions = [each for each in asof.questions(facts, SHORT_QUESTIONS if is_short else 0) if each[2] >= 1]
    if is_short:
        subjects = {question[0] for question in questions}
        facts = [fact for fact in facts if fact.subject in subjects]
    items = [_item(fact) for fact in facts if _is_dated(fact)]
    for relation in sorted({fact.relation for fact in facts}):
        engine.declare_predicate(FACTS_AGENT, relation, "many", origin="import:yago11k")
    imported = _import(engine, items, "facts")
    return {**imported, "facts": len(items), "left_out": len(facts) - len(items), **_as_of(engine, questions)}


def _is_dated(fact: Any) -> bool:
    """Whether a file can hold it: it has a beginning, in the years 1 to 9999."""
    return fact.since is not None and fact.since >= 1 and (fact.until is None or fact.until >= 1)


def _item(fact: Any) -> Item:
    return (
        MemoryEntry(content=f"{fact.subject} {fact.relation} {fact.object}", agent_id=FACTS_AGENT, layer="semantic"),
        TemporalMeta(
            subject=fact.subject,
            predicate=fact.relation,
            object=fact.object,
            valid_from=f"{fact.since:04d}",
            valid_until=None if fact.until is None else f"{fact.until:04d}",
            origin="import:yago11k",
        ),
    )


def _as_of(engine: SqliteMemoryEngine, questions: Sequence[Any]) -> Result:
    wrong, times = [], []
    with click.progressbar(questions, label="asking".ljust(14), file=sys.stderr) as bar:
        for subject, relation, year, gold in bar:
            started = time.perf_counter()
            records = engine.get_all_at(FACTS_AGENT, subject, relation, f"{year:04d}")
            times.append((time.perf_counter() - started) * 1000)
            found = {record.object for record in records}
            if found != gold:
                wrong.append(
                    {"asked": [subject, relation, year], "found": sorted(map(str, found)), "gold": sorted(gold)}
                )
    times.sort()
    return {
        "questions": len(questions),
        "accuracy": 1 - len(wrong) / len(questions),
        "wrong": wrong[:20],
        "query_ms_p50": times[len(times) // 2],
        "query_ms_p95": times[int(len(times) * 0.95)],
    }


# --- the table -------------------------------------------------------------------------------


def _print(report: Result) -> None:
    talks, facts = report["conversations"], report["facts"]
    rows = [
        ("", "conversations", "facts"),
        ("imported", f"{talks['turns']:,} turns", f"{facts['facts']:,} facts ({facts['left_out']:,} undated left out)"),
        ("refused", talks["refused"], facts["refused"]),
        ("a second", f"{talks['per_second']:,}", f"{facts['per_second']:,}"),
        ("questions", f"{talks['questions']:,}", f"{facts['questions']:,}"),
        ("right", f"recall@10 {talks['recall@10']:.3f}, nDCG@10 {talks['ndcg@10']:.3f}", f"{facts['accuracy']:.4f}"),
        ("ms, median", f"{talks['query_ms_p50']:.2f}", f"{facts['query_ms_p50']:.3f}"),
    ]
    widths = [max(len(str(row[column])) for row in rows) for column in range(3)]
    for row in rows:
        print("  ".join(str(cell).ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    print("recall@10 by category: " + ", ".join(f"{name} {value:.3f}" for name, value in talks["by_category"].items()))
    print(
        "recall@10 by conversation: " + ", ".join(f"{n} {value:.3f}" for n, value in talks["by_conversation"].items())
    )
    versions = ", ".join(f"{name} {version}" for name, version in report["versions"].items())
    print(f"file {report['file_bytes'] / 1e6:.1f} MB; {versions}; data {report['data']}")


if __name__ == "__main__":
    sys.exit(main())
