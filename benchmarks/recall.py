"""What search finds: evidence turns of conversations, passages and facts over several hops, words of every script.

    scripts/bench recall [--data DIR] [--short] [--full] [--held-out] [--rivals] [--sets NAMES] [--json FILE]

Every conversation is an agent of its own, every turn a memory "Speaker: text" with the time of its session, stored
twice: bare, and with `metadata` (session, turn, speaker). Passages are "Title: text"; triples are facts. Ablations add
one path after another: text, structure, graph, vectors (with `--embedder module:function` only). Intervals are
bootstraps over questions with a fixed seed, differences are paired. LoCoMo shows the conversations that search is tuned
on; `--held-out` adds the other two. See docs/recall.md. No model, no network.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import platform
import random
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks import _recall_rivals
from benchmarks._programs import DEFAULT_DATA
from benchmarks._recall_sets import SEED, RecallSet, Scores, sets
from benchmarks._recall_systems import Build, Stored, ablations, fts5
from karte.engine import SqliteMemoryEngine

FLOOR = 0.60
ROUNDS = 1_000
Report = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One system over one set: the scores of every question, in the order of the set."""

    system: str
    scores: list[Scores]
    groups: list[str]
    milliseconds: list[float]
    failures: list[str]


def main(arguments: Sequence[str] | None = None) -> int:
    wanted = _parsed(arguments)
    data = Path(wanted.data).resolve()
    embedder = _embedder(wanted.embedder)
    rivals, skipped = _recall_rivals.available() if wanted.rivals else ({}, {})
    with SqliteMemoryEngine(":memory:") as engine:
        status = engine.status()
    versions = {"karte": status.version, "sqlite": status.sqlite_version, "python": platform.python_version()}
    report: Report = {"benchmark": "recall", "is_short": wanted.short, "held_out": wanted.held_out, "seed": SEED}
    report["versions"] = versions | {rival.name: rival.version for rival in rivals.values()}
    report |= {"skipped": skipped, "sets": {}}
    print("recall   " + "   ".join(f"{name} {version}" for name, version in report["versions"].items()))
    for reason in skipped.values():
        print(f"not compared: {reason}")
    for each in sets(data, is_short=wanted.short, is_full=wanted.full, held_out=wanted.held_out):
        if wanted.sets and each.name not in wanted.sets.split(","):
            continue
        runs = _runs(each, {name: rival.build for name, rival in rivals.items()}, embedder)
        report["sets"][each.name] = _summary(each, runs)
        _print(each, report["sets"][each.name], shows_failures=wanted.failures)
    if wanted.json:
        Path(wanted.json).write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return _verdict(report, is_judged=not wanted.short)


def _verdict(report: Report, *, is_judged: bool) -> int:
    """1 where recall fell under what search by words alone gave; the targets are printed, and judged by people."""
    systems = report["sets"].get("locomo", {}).get("systems", {})
    ours = [row["scores"]["recall@10"] for name, row in systems.items() if name.startswith("karte")]
    return int(is_judged and bool(ours) and max(ours) < FLOOR)


def _parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = os.environ.get("KARTE_DATA") or DEFAULT_DATA
    parser.add_argument("--data", default=default, help="the folder with the data [KARTE_DATA]")
    parser.add_argument("--short", action="store_true", help="one conversation, few paths, no passages")
    parser.add_argument("--full", action="store_true", help="every question of PathQuestion, not a sample")
    parser.add_argument("--held-out", action="store_true", help="the conversations that nothing is tuned on, too")
    parser.add_argument("--rivals", action="store_true", help="other systems too, those that can be imported")
    parser.add_argument("--sets", metavar="NAMES", help="these sets only, with commas between")
    parser.add_argument("--embedder", metavar="MODULE:FUNCTION", help="what makes an embedder, for the vectors")
    parser.add_argument("--failures", action="store_true", help="name the questions that were not answered")
    parser.add_argument("--json", metavar="FILE", help="write the results here too")
    return parser.parse_args(arguments)


def _embedder(named: str | None) -> object | None:
    if named is None:
        return None
    place, _, function = named.partition(":")
    made: object = getattr(importlib.import_module(place), function)()
    return made


def _runs(each: RecallSet, rivals: Mapping[str, Build], embedder: object | None) -> list[Run]:
    runs = [_run("fts5", fts5, each)]
    runs += [_run(name, build, each) for name, build in rivals.items()]
    for with_metadata in (False, True) if each.has_metadata else (False,):
        with tempfile.TemporaryDirectory(prefix="karte-recall-") as folder:
            path = Path(folder) / "memory.db"
            stored = Stored(path, each.corpora, with_metadata=with_metadata, embedder=embedder)
            for name, weights in ablations(with_vectors=embedder is not None).items():
                system = f"karte {name}{' (metadata)' if with_metadata else ''}"
                with stored.searched(weights) as build:
                    runs.append(_run(system, build, each))
    return runs


def _run(system: str, build: Build, each: RecallSet) -> Run:
    run = Run(system=system, scores=[], groups=[], milliseconds=[], failures=[])
    for corpus in each.corpora:
        search = build(corpus)
        for question in corpus.questions:
            begun = perf_counter()
            ranked = search(question.text, each.depth)
            run.milliseconds.append((perf_counter() - begun) * 1000)
            found = each.score(corpus, question, ranked)
            run.scores.append(found)
            run.groups.append(question.group)
            if not found[each.headline]:
                run.failures.append(f"{question.text} -> {', '.join(ranked[:5]) or 'nothing'}")
    return run


# --- what the scores say ---------------------------------------------------------------------


def _summary(each: RecallSet, runs: Sequence[Run]) -> Report:
    systems: Report = {}
    before: Run | None = None
    for run in runs:
        row: Report = {
            "scores": {name: _mean([scores[name] for scores in run.scores]) for name in run.scores[0]},
            "interval": interval([scores[each.headline] for scores in run.scores]),
            "groups": _by_group(run, each.headline),
            "ms_p50": _share(run.milliseconds, 0.50),
            "ms_p95": _share(run.milliseconds, 0.95),
            "failures": run.failures,
        }
        if before is not None and run.system.startswith("karte") and before.system.startswith("karte"):
            pairs = zip(run.scores, before.scores, strict=True)
            differences = [ours[each.headline] - theirs[each.headline] for ours, theirs in pairs]
            row["difference"] = {"from": before.system, "mean": _mean(differences), "interval": interval(differences)}
        systems[run.system] = row
        before = run
    count = sum(len(corpus.questions) for corpus in each.corpora)
    memories = sum(len(corpus.items) for corpus in each.corpora)
    return {
        "headline": each.headline,
        "targets": dict(each.targets),
        "questions": count,
        "memories": memories,
        "systems": systems,
    }


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _share(values: Sequence[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def _by_group(run: Run, measure: str) -> dict[str, float]:
    groups: dict[str, list[float]] = {}
    for group, scores in zip(run.groups, run.scores, strict=True):
        groups.setdefault(group, []).append(scores[measure])
    return {group: _mean(values) for group, values in sorted(groups.items())}


def interval(values: Sequence[float], rounds: int = ROUNDS) -> tuple[float, float]:
    """The middle 95 of 100 means of resampled questions."""
    generator = random.Random(SEED)
    means = sorted(_mean(generator.choices(values, k=len(values))) for _ in range(rounds))
    return means[int(0.025 * rounds)], means[int(0.975 * rounds)]


def _print(each: RecallSet, summary: Report, *, shows_failures: bool) -> None:
    targets = ", ".join(f"{name} {value}" for name, value in summary["targets"].items())
    print(
        f"\n{each.name}: {summary['questions']} questions, {summary['memories']} memories; target {targets or 'none'}"
    )
    for system, row in summary["systems"].items():
        scores = "  ".join(f"{name} {value:.3f}" for name, value in row["scores"].items())
        low, high = row["interval"]
        line = f"  {system:<28}{scores}  [{low:.3f} {high:.3f}]  {row['ms_p50']:.2f} ms"
        if "difference" in row:
            low, high = row["difference"]["interval"]
            line += f"  {row['difference']['mean']:+.3f} [{low:+.3f} {high:+.3f}]"
        print(line)
        if len(row["groups"]) > 1:
            print("    " + "  ".join(f"{group} {value:.3f}" for group, value in row["groups"].items()))
        if shows_failures and system.startswith("karte"):
            for failure in row["failures"]:
                print(f"      {failure}")


if __name__ == "__main__":
    raise SystemExit(main())
