"""What the rules find in what people say: labelled sentences by language, and five long conversations.

    scripts/bench distill [--data DIR] [--short] [--show 50] [--json FILE]

Precision is the share of the facts found that a label names, recall the share of the labels that were found; a fact is
right when its predicate, object and dates are, and the thing that is due. The sentences stand in
``_distill_sentences.py`` and were written before the rules. The conversations have no labels: it is counted how many
facts they give, and ``--show`` prints a seeded sample beside its turns, for people to judge. Nothing is asserted.
"""

from __future__ import annotations

import argparse
import json
import os
import random
from collections import Counter
from collections.abc import Sequence
from datetime import UTC
from pathlib import Path
from typing import Any

from benchmarks._distill_sentences import Label, Labelled, sentences
from benchmarks._programs import DEFAULT_DATA, module
from karte.domain.distilling import ExtractedFact, SpokenTurn
from karte.extraction.rules import RuleExtractor

SEED = 7
Report = dict[str, Any]


def main(arguments: Sequence[str] | None = None) -> int:
    wanted = _parsed(arguments)
    labelled = sentences()
    report: Report = {"benchmark": "distill", "is_short": wanted.short, "seed": SEED}
    report["sentences"] = _of_sentences(labelled[:40] if wanted.short else labelled)
    report["conversations"] = _of_conversations(Path(wanted.data).resolve(), wanted.show, is_short=wanted.short)
    if wanted.json:
        Path(wanted.json).write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0


def _parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = os.environ.get("KARTE_DATA") or DEFAULT_DATA
    parser.add_argument("--data", default=default, help="the folder with the data [KARTE_DATA]")
    parser.add_argument("--short", action="store_true", help="only prove that it runs")
    parser.add_argument("--show", type=int, default=0, metavar="N", help="print so many facts beside their turns")
    parser.add_argument("--json", metavar="FILE", help="write the results here too")
    return parser.parse_args(arguments)


def _of_sentences(labelled: Sequence[Labelled]) -> Report:
    report: Report = {}
    print(f"{'language':<12}{'sentences':>10}{'facts':>8}{'found':>8}{'right':>8}{'precision':>11}{'recall':>8}")
    notes: list[str] = []
    for language in dict.fromkeys(each.language for each in labelled):
        of_language = [each for each in labelled if each.language == language]
        wanted = found = right = 0
        for each in of_language:
            labels, facts = set(each.facts), {_label(fact) for fact in _facts(each)}
            wanted, found, right = wanted + len(labels), found + len(facts), right + len(labels & facts)
            notes += [f"  missed    {each.text!r}: {_told(label)}" for label in each.facts if label not in facts]
            notes += [f"  invented  {each.text!r}: {_told(label)}" for label in facts - labels]
        row = {"sentences": len(of_language), "facts": wanted, "found": found, "right": right}
        row_scores = {"precision": right / found if found else 1.0, "recall": right / wanted if wanted else 1.0}
        report[language] = row | row_scores
        counts = f"{len(of_language):>10}{wanted:>8}{found:>8}{right:>8}"
        print(f"{language:<12}{counts}{row_scores['precision']:>11.3f}{row_scores['recall']:>8.3f}")
    print("\n".join(notes))
    return report


def _facts(each: Labelled) -> list[ExtractedFact]:
    return RuleExtractor().extract([SpokenTurn(text=each.text, speaker=each.speaker, time=each.time)])


def _label(fact: ExtractedFact) -> Label:
    return Label(
        predicate=fact.predicate,
        object=fact.object or "",
        valid_from=fact.valid_from,
        valid_until=fact.valid_until,
        due=fact.subject if fact.predicate == "deadline" else None,
    )


def _told(label: Label) -> str:
    dates = f" {label.valid_from or ''}..{label.valid_until or ''}" if label.valid_from or label.valid_until else ""
    return f"{label.due or ''} {label.predicate} {label.object}{dates}".strip()


def _of_conversations(data: Path, show: int, *, is_short: bool) -> Report | None:
    path = data / "locomo" / "locomo5.json"
    if not path.exists():
        print("conversations: skipped, their data is missing (--data, or KARTE_DATA)")
        return None
    loaded = module(data.parent / "eval" / "locomo_eval.py").load(str(path))
    turns: list[SpokenTurn] = []
    for conversation in loaded[:1] if is_short else loaded:
        for said in conversation.memories:
            text = said.text.removeprefix(f"{said.speaker}: ")
            turns.append(SpokenTurn(text=text, speaker=said.speaker, time=said.timestamp.replace(tzinfo=UTC)))
    facts = RuleExtractor().extract(turns)
    counts = Counter(
        fact.predicate.partition("_")[0] if "favourite" in fact.predicate else fact.predicate for fact in facts
    )
    with_facts = len({fact.turn for fact in facts})
    print(f"conversations: {len(facts)} facts of {with_facts} of {len(turns)} turns")
    print("  " + "  ".join(f"{name} {count}" for name, count in counts.most_common()))
    for fact in random.Random(SEED).sample(facts, min(show, len(facts))):
        turn = turns[fact.turn]
        dates = f" [{fact.valid_from or ''}..{fact.valid_until or ''}]" if fact.valid_from or fact.valid_until else ""
        print(f"\n  {fact.subject} {fact.predicate} {fact.object}{dates}\n    {turn.speaker}: {turn.text}")
    return {"facts": len(facts), "turns": len(turns), "turns_with_facts": with_facts, "predicates": dict(counts)}


if __name__ == "__main__":
    raise SystemExit(main())
