"""Which texts are taken for documents: a labelled set in four ways of writing, and talk that holds no document.

    scripts/bench documents [--data DIR] [--short] [--json FILE]

The labelled texts are those of ``_documents.py``; the rule is tuned on two of three and the third is held out. A *miss*
is a document that is no page, a *false alarm* another text that is one; what lies in the middle band is counted beside
them. Type and title are right among the documents. None of the turns of LoCoMo is a document; of LongMemEval the turns
of the user are none either, and an answer of the assistant may be one: these have no labels, and are counted only. The
floor is what a single pattern of document nouns finds. Nothing random, no model; time is of this machine.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from benchmarks import _injection_sets
from benchmarks._documents import LABELLED, LATER, Labelled
from karte.domain.page_recognition import Recognition, recognise
from karte.version import VERSION

DEFAULT_DATA = str(Path(__file__).parents[2] / "shared" / "data")
NAIVE = re.compile(
    r"policy|procedure|charter|specification|reference|規程|手順|仕様|契約|规范|制度|流程|章程|規格", re.IGNORECASE
)
EVERY_SHORT = 10

Report = dict[str, Any]


def main(arguments: Sequence[str] | None = None) -> int:
    wanted = _parsed(arguments)
    step = EVERY_SHORT if wanted.short else 1
    report: Report = {
        "benchmark": "documents",
        "is_short": wanted.short,
        "versions": {"karte": VERSION, "python": platform.python_version()},
        "labelled": _labelled(),
        "talk": [_talk(name, texts[::step]) for name, texts in _talks(Path(wanted.data).resolve()).items() if texts],
    }
    _print(report)
    if wanted.json:
        Path(wanted.json).write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0


def _parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--data", default=os.environ.get("KARTE_DATA") or DEFAULT_DATA, help="the folder with the data [KARTE_DATA]"
    )
    parser.add_argument("--short", action="store_true", help="one turn in ten")
    parser.add_argument("--json", metavar="FILE", help="write the results here too")
    return parser.parse_args(arguments)


def _labelled() -> list[Report]:
    lines: list[Report] = []
    for texts, prefix in ((LABELLED, ""), (LATER, "later, ")):
        for is_held_out in (False, True):
            part = [text for text in texts if text.is_held_out == is_held_out]
            name = f"{prefix}{'held out' if is_held_out else 'tuned on'}"
            for language in (*sorted({text.language for text in part}), "all"):
                chosen = [text for text in part if language in {text.language, "all"}]
                lines += [_line(name, language, chosen)]
    return lines


def _line(part: str, language: str, texts: Sequence[Labelled]) -> Report:
    judged = [(text, recognise(text.text)) for text in texts]
    documents = [(text, found) for text, found in judged if text.is_document]
    titled = [(text, found) for text, found in documents if text.title]
    return {
        "part": part,
        "language": language,
        "texts": len(texts),
        "documents": len(documents),
        "accuracy": _share([(found.band == "page") == text.is_document for text, found in judged]),
        "naive": _share([(NAIVE.search(text.text) is not None) == text.is_document for text in texts]),
        "misses": [found.title for _, found in documents if found.band != "page"],
        "false_alarms": [found.title for text, found in judged if not text.is_document and found.band == "page"],
        "middle": sum(found.band == "middle" for _, found in judged),
        "types": _share([found.doc_type == text.doc_type for text, found in documents]),
        "titles": _share([found.title.casefold() == text.title.casefold() for text, found in titled]),
    }


def _share(outcomes: Sequence[bool]) -> float:
    return round(sum(outcomes) / len(outcomes), 3) if outcomes else 1.0


def _talks(data: Path) -> dict[str, list[str]]:
    """Turns by where they come from; a source whose data is not there is left out."""
    readers: dict[str, Callable[[Path], list[str]]] = {
        "locomo": lambda folder: [text.text for text in _injection_sets.conversation_turns(folder)],
        "longmemeval user": lambda folder: _haystack(folder, "user"),
        "longmemeval assistant": lambda folder: _haystack(folder, "assistant"),
    }
    found: dict[str, list[str]] = {}
    for name, read in readers.items():
        try:
            found[name] = read(data)
        except FileNotFoundError:
            found[name] = []
    return found


def _haystack(data: Path, role: str) -> list[str]:
    told = json.loads((data / "longmemeval" / "one_instance.json").read_text(encoding="utf-8"))[0]
    return [turn["content"] for session in told["haystack_sessions"] for turn in session if turn["role"] == role]


def _talk(name: str, texts: Sequence[str]) -> Report:
    times: list[float] = []
    found: list[Recognition] = []
    for text in texts:
        begun = perf_counter()
        found.append(recognise(text))
        times.append(perf_counter() - begun)
    return {
        "name": name,
        "turns": len(texts),
        "pages": sum(each.band == "page" for each in found),
        "middle": sum(each.band == "middle" for each in found),
        "naive": sum(NAIVE.search(text) is not None for text in texts),
        "highest": max(each.score for each in found),
        "us_p50": round(median(times) * 1e6, 1),
    }


def _print(report: Report) -> None:
    print("documents   " + "   ".join(f"{name} {version}" for name, version in report["versions"].items()))
    print(
        f"\n{'part':<17}{'language':<10}{'texts':>6}{'documents':>11}{'accuracy':>10}{'naive':>7}{'misses':>8}"
        f"{'false alarms':>14}{'middle':>8}{'types':>7}{'titles':>8}"
    )
    for line in report["labelled"]:
        print(
            f"{line['part']:<17}{line['language']:<10}{line['texts']:>6}{line['documents']:>11}"
            f"{line['accuracy']:>10.3f}{line['naive']:>7.3f}{len(line['misses']):>8}{len(line['false_alarms']):>14}"
            f"{line['middle']:>8}{line['types']:>7.3f}{line['titles']:>8.3f}"
        )
        for kind in ("misses", "false_alarms"):
            for title in line[kind] if line["language"] != "all" else ():
                print(f"    {kind}: {title}")
    print(f"\n{'talk':<24}{'turns':>7}{'pages':>7}{'middle':>8}{'naive':>7}{'highest':>9}{'us a turn':>11}")
    for line in report["talk"]:
        print(
            f"{line['name']:<24}{line['turns']:>7}{line['pages']:>7}{line['middle']:>8}{line['naive']:>7}"
            f"{line['highest']:>9.3f}{line['us_p50']:>11}"
        )


if __name__ == "__main__":
    raise SystemExit(main())
