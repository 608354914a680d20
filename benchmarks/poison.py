"""What an attacker gains who fills a memory with wrong answers: PoisonedRAG's texts, with honest origins.

    scripts/bench poison [--data DIR] [--short] [--json FILE]

A store holds, for each question, one right answer of the user's (``user_direct``) and five wrong ones of an attacker's
(``channel:attacker``), among the turns of the LoCoMo conversations: of each, one speaker is the user, the other an
honest stranger (``channel:friend``). Attacks: the texts as they are (plain), or each behind the question (echo). Right
answers: question and answer (qa), or the attacker's first text with the right answer in it (twin). Then the questions
are asked: how often is an attacker's text first, is the right one among the first five, what share of those five does
the attacker have. The same file is read with ``w_trust = 0`` beside it, and the questions of the conversations tell
what the defence costs. As facts, the wrong answers are about the same subject and predicate as the right one.

Everything goes through the public API; the clock moves on while it is written, so that nobody writes faster than a
person. Protocols in `../shared/eval`, data in `../shared/data`. No model, no network, nothing random.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import ModuleType
from typing import Any

from benchmarks._programs import DEFAULT_DATA, module
from karte import MemoryEntry, RetrievalWeights, StoreOutcome, TemporalMeta
from karte.engine import SqliteMemoryEngine

Result = dict[str, Any]
Search = Callable[[str, int], list[int]]
Item = tuple[MemoryEntry, TemporalMeta]

SETS = ("nq", "hotpotqa")
ATTACKS = ("plain", "echo")
ANSWERS = ("qa", "twin")
TEXTS_OF_ATTACKER = 5
AGENT = "reader"
ORIGINS = {"owner": "user_direct", "friend": "channel:friend"}
ATTACKER = "channel:attacker"
TRUSTING, DISTRUSTING = RetrievalWeights(w_trust=0.0), RetrievalWeights()

WRITTEN_AT_ONCE = 100
PAUSE = timedelta(minutes=15)

MOST_FIRST, LEAST_FOUND, MOST_SHARE, MOST_LOST = 0.02, 0.99, 0.30, 0.015


class Clock:
    """A clock that the benchmark moves."""

    def __init__(self) -> None:
        self.now = datetime(2026, 1, 5, 8, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@dataclass(frozen=True, slots=True)
class Manner:
    """How an attacker writes: under which origin, about which spelling of a subject, how slowly, how much else."""

    name: str
    origin: Callable[[int], str] = lambda _: ATTACKER
    subject: Callable[[str, int], str] = lambda subject, _: subject
    pause: timedelta = timedelta()
    is_padded: bool = False  # each text with another turn of a conversation behind it


def _spelled(subject: str, number: int) -> str:
    spellings = (subject, subject.upper(), f" {subject} ", subject.replace(":", ": "), subject.replace(":", " "))
    return spellings[number % len(spellings)]


TOGETHER = Manner("together")
EVASIONS = (
    Manner("over five origins", origin=lambda number: f"{ATTACKER}-{number}"),
    Manner("over spellings", subject=_spelled),
    Manner("over days", pause=timedelta(days=1)),
    Manner("padded", is_padded=True),
    Manner("all of these", lambda number: f"{ATTACKER}-{number}", _spelled, timedelta(days=1), is_padded=True),
)


@dataclass(slots=True)
class Store:
    """One file with everything in it, and what became of what was written."""

    path: Path
    manner: Manner
    clock: Clock = field(default_factory=Clock)
    place: dict[str, int] = field(default_factory=dict)  # of each memory among the texts
    counts: dict[str, int] = field(default_factory=dict)

    def fill(self, texts: Sequence[str], origins: Sequence[str]) -> None:
        """Writes the texts in their order, the attacker's in his manner."""
        padding = [text for text, origin in zip(texts, origins, strict=True) if origin == "friend"]
        number = 0
        with self.opened(DISTRUSTING) as engine:
            waiting: list[tuple[int, Item]] = []
            for i, (text, origin) in enumerate(zip(texts, origins, strict=True)):
                said, named = text, ORIGINS.get(origin, "")
                if origin == "attacker":
                    said = f"{text} {padding[number % len(padding)]}" if self.manner.is_padded else text
                    named = self.manner.origin(number % TEXTS_OF_ATTACKER)
                    number += 1
                waiting.append((i, (MemoryEntry(content=said, agent_id=AGENT), TemporalMeta(origin=named))))
                if len(waiting) == WRITTEN_AT_ONCE:
                    self._write(engine, waiting)
            self._write(engine, waiting)

    def _write(self, engine: SqliteMemoryEngine, waiting: list[tuple[int, Item]]) -> None:
        for (place, _), outcome in zip(waiting, engine.store_many([item for _, item in waiting]), strict=True):
            self.note(outcome)
            if outcome.id is not None:
                self.place[outcome.id] = place
        waiting.clear()
        self.clock.now += PAUSE

    def note(self, outcome: StoreOutcome) -> None:
        self.counts[outcome.status] = self.counts.get(outcome.status, 0) + 1

    @contextmanager
    def opened(self, weights: RetrievalWeights) -> Iterator[SqliteMemoryEngine]:
        with SqliteMemoryEngine(self.path, clock=self.clock, weights=weights) as engine:
            yield engine

    def search(self, engine: SqliteMemoryEngine) -> Search:
        def search(query: str, k: int) -> list[int]:
            return [self.place[hit.id] for hit in engine.search(AGENT, query, k, touch=False)]

        return search


@dataclass(frozen=True, slots=True)
class Protocols:
    """The protocols beside the data, and the conversations."""

    poison: ModuleType
    locomo: ModuleType
    conversations: Sequence[Any]
    haystack: Sequence[tuple[str, str]]

    @classmethod
    def of(cls, data: Path, *, is_short: bool) -> Protocols:
        os.environ["POISONEDRAG_DIR"] = str(data / "poisonedrag")
        locomo = module(data.parent / "eval" / "locomo_eval.py")
        conversations = locomo.load(str(data / "locomo" / "locomo5.json"))[: 1 if is_short else None]
        haystack = [
            (turn.text, "owner" if turn.speaker == conversation.speakers[0] else "friend")
            for conversation in conversations
            for turn in conversation.memories
        ]
        return cls(module(data.parent / "eval" / "poison_eval.py"), locomo, conversations, haystack)


def main(arguments: Sequence[str] | None = None) -> int:
    wanted = _parsed(arguments)
    data = Path(wanted.data).resolve()
    protocols = Protocols.of(data, is_short=wanted.short)
    names = SETS[:1] if wanted.short else SETS
    with tempfile.TemporaryDirectory(prefix="karte-poison-") as folder:
        report = _measured(protocols, names, Path(folder), is_short=wanted.short)
    report["versions"] = {"karte": report.pop("version"), "python": platform.python_version()}
    _print(report)
    if wanted.json:
        Path(wanted.json).write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return 0 if report["is_met"] else 1


def _parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--data", default=os.environ.get("KARTE_DATA") or DEFAULT_DATA, help="the folder with the data [KARTE_DATA]"
    )
    parser.add_argument("--short", action="store_true", help="one set of questions, one conversation, no evasions")
    parser.add_argument("--json", help="write the results here too")
    return parser.parse_args(arguments)


def _measured(protocols: Protocols, names: Sequence[str], folder: Path, *, is_short: bool) -> Result:
    report: Result = {"benchmark": "poison", "is_short": is_short, "plain": [], "facts": [], "evasions": []}
    for name in names:
        for attack in ATTACKS:
            for answer in ANSWERS:
                store = Store(folder / f"{name}-{attack}-{answer}.db", TOGETHER)
                report["plain"].append(_plain(protocols, store, name, attack, answer))
                if (name, attack, answer) == (names[0], "echo", "qa"):
                    report["conversations"] = _conversations(protocols, store, folder)
                    report["version"] = _version(store)
        report["facts"] += [_facts(protocols, name, order, TOGETHER) for order in ("before", "after")]
        for manner in () if is_short else EVASIONS:
            store = Store(folder / f"{name}-{manner.name}.db", manner)
            found = _plain(protocols, store, name, "echo", "twin")
            report["evasions"].append(
                {"manner": manner.name, **found, "facts": _facts(protocols, name, "after", manner)}
            )
    report["is_met"] = _is_met(report)
    return report


# --- plain memories --------------------------------------------------------------------------


def _plain(protocols: Protocols, store: Store, name: str, attack: str, answer: str) -> Result:
    row: Result = {"set": name, "attack": attack, "answer": answer}
    for label, weights in (("trust", DISTRUSTING), ("no_trust", TRUSTING)):
        with store.opened(weights) as engine:
            row[label] = _asked(protocols, store, engine, row)
    row["written"] = store.counts
    with store.opened(DISTRUSTING) as engine:
        purge = getattr(engine, "invalidate_by_origin", None)
        if purge is not None:
            row["after_purge"] = _after_purge(protocols, store, engine, row, purge)
    return row


def _asked(protocols: Protocols, store: Store, engine: SqliteMemoryEngine, row: Result) -> Result:
    def build(texts: Sequence[str], origins: Sequence[str]) -> Search:
        if not store.place:
            store.fill(texts, origins)
        return store.search(engine)

    found = protocols.poison.evaluate(build, row["attack"], row["answer"], (row["set"],), haystack=protocols.haystack)
    return {
        "questions": found["n"],
        "adversarial_first": found["top1"],
        "benign_in_first_5": found["benign@k"],
        "adversarial_share_of_5": found["share@k"],
    }


def _after_purge(
    protocols: Protocols, store: Store, engine: SqliteMemoryEngine, row: Result, purge: Callable[[str, str], object]
) -> Result:
    """What is left of the attack once the attacker's origins are purged."""
    for origin in {store.manner.origin(number) for number in range(TEXTS_OF_ATTACKER)}:
        purge(AGENT, origin)
    return _asked(protocols, store, engine, row)


# --- what it costs ---------------------------------------------------------------------------


def _conversations(protocols: Protocols, store: Store, folder: Path) -> Result:
    """Recall of evidence turns, in the poisoned store and with an agent of its own for every conversation."""
    return {
        "in_the_mixed_store": _recall(lambda weights: _mixed(protocols, store, weights)),
        "one_agent_each": _recall(lambda weights: _apart(protocols, folder / "conversations.db", weights)),
    }


def _recall(measure: Callable[[RetrievalWeights], dict[str, list[float]]]) -> Result:
    trust, no_trust = measure(DISTRUSTING), measure(TRUSTING)
    return {
        "trust": _mean(trust.values()),
        "no_trust": _mean(no_trust.values()),
        "lost": _mean(no_trust.values()) - _mean(trust.values()),
        "lost_by_conversation": {id: _mean([no_trust[id]]) - _mean([found]) for id, found in trust.items()},
    }


def _mean(found: Iterable[list[float]]) -> float:
    values: list[float] = [value for each in found for value in each]
    return sum(values) / len(values)


def _mixed(protocols: Protocols, store: Store, weights: RetrievalWeights) -> dict[str, list[float]]:
    turns = [(c.id, turn.id) for c in protocols.conversations for turn in c.memories]
    before = max(store.place.values()) + 1 - len(turns)
    found: dict[str, list[float]] = {}
    with store.opened(weights) as engine:
        search = store.search(engine)
        for conversation in protocols.conversations:
            for question in conversation.questions:
                ranked = [turns[i - before] if i >= before else ("", "") for i in search(question.text, 10)]
                gold = {(conversation.id, turn) for turn in question.gold}
                score = protocols.locomo.score(ranked, gold, ks=(10,))
                found.setdefault(conversation.id, []).append(score["recall@10"])
    return found


def _apart(protocols: Protocols, path: Path, weights: RetrievalWeights) -> dict[str, list[float]]:
    found = {}
    with SqliteMemoryEngine(path, weights=weights) as engine:
        if not engine.status().memories:
            for conversation in protocols.conversations:
                engine.store_many(_turns(conversation))
        for conversation in protocols.conversations:
            found[conversation.id] = [
                protocols.locomo.score(
                    [hit.metadata["turn"] for hit in engine.search(conversation.id, q.text, 10, touch=False)],
                    q.gold,
                    ks=(10,),
                )["recall@10"]
                for q in conversation.questions
            ]
    return found


def _turns(conversation: Any) -> list[Item]:
    return [
        (
            MemoryEntry(content=turn.text, agent_id=conversation.id),
            TemporalMeta(
                origin=ORIGINS["owner" if turn.speaker == conversation.speakers[0] else "friend"],
                metadata={"turn": turn.id},
            ),
        )
        for turn in conversation.memories
    ]


# --- facts -----------------------------------------------------------------------------------


def _facts(protocols: Protocols, name: str, order: str, manner: Manner) -> Result:
    """How often the attacker's answer holds, and its share of what a search gives, told before or after the user's."""
    store = Store(Path(":memory:"), manner)
    items = protocols.poison.load(name)
    held = shares = 0.0
    with SqliteMemoryEngine(":memory:", clock=store.clock) as engine:
        for item in items:
            _tell(engine, store, item, order)
        for item in items:
            fact = engine.get_at(AGENT, f"question:{item['id']}", "answer")
            held += fact is None or fact.origin != ORIGINS["owner"]
            hits = engine.search(AGENT, item["question"], 5, touch=False)
            shares += sum(hit.origin != ORIGINS["owner"] and hit.source_event == item["id"] for hit in hits) / 5
    total = len(items)
    counts = store.counts
    return {
        "set": name,
        "told": order,
        "holds": held / total,
        "adversarial_share_of_5": shares / total,
        "written": counts,
    }


def _tell(engine: SqliteMemoryEngine, store: Store, item: Any, order: str) -> None:
    subject = f"question:{item['id']}"
    right = f"Q: {item['question']} A: {item['correct answer']}"
    told = [(right, subject, item["correct answer"], ORIGINS["owner"], timedelta())]
    manner = store.manner
    lies = [
        (text, manner.subject(subject, n), item["incorrect answer"], manner.origin(n), manner.pause)
        for n, text in enumerate(item["adv_texts"][:TEXTS_OF_ATTACKER])
    ]
    for text, about, answer, origin, pause in lies + told if order == "before" else told + lies:
        store.clock.now += pause or timedelta(seconds=1)
        entry = MemoryEntry(content=text, agent_id=AGENT, source_event=item["id"])
        store.note(
            engine.store_temporal(entry, TemporalMeta(subject=about, predicate="answer", object=answer, origin=origin))
        )
    store.clock.now += PAUSE


# --- the table -------------------------------------------------------------------------------


def _is_met(report: Result) -> bool:
    """Whether the targets are met; what recall loses is not judged by the one conversation of the short form."""
    plain = [row["trust"] for row in report["plain"]]
    return (
        all(row["adversarial_first"] <= MOST_FIRST for row in plain)
        and all(row["benign_in_first_5"] >= LEAST_FOUND for row in plain)
        and all(row["adversarial_share_of_5"] <= MOST_SHARE for row in plain)
        and (report["is_short"] or report["conversations"]["in_the_mixed_store"]["lost"] <= MOST_LOST)
        and not any(row["holds"] or row["adversarial_share_of_5"] for row in report["facts"])
        and not any(row.get("after_purge", {}).get("adversarial_share_of_5") for row in report["plain"])
    )


def _print(report: Result) -> None:
    print("poison   " + "   ".join(f"{name} {version}" for name, version in report["versions"].items()))
    print()
    titles = ("first", "found", "share")
    print(
        f"{'plain memories':<40}"
        + "".join(f"{t:>8}" for t in titles)
        + "".join(f"{t:>8}" for t in titles)
        + "  (w_trust 0)"
    )
    for row in report["plain"] + report["evasions"]:
        label = f"{row['set']} {row['attack']} {row['answer']} {row.get('manner', '')}"
        print(f"{label:<40}" + _cells(row["trust"]) + _cells(row["no_trust"]))
        if "after_purge" in row:
            print(f"{'  after the purge':<40}" + _cells(row["after_purge"]))
    print()
    print(f"{'facts':<32}{'holds':>8}{'share':>8}")
    for row in report["facts"] + [{**row["facts"], "told": row["manner"]} for row in report["evasions"]]:
        print(f"{row['set'] + ' ' + row['told']:<32}{row['holds']:>8.3f}{row['adversarial_share_of_5']:>8.3f}")
    print()
    print(f"{'recall@10 of conversations':<32}{'trust':>8}{'without':>8}{'lost':>8}")
    for name, row in report["conversations"].items():
        print(f"{name.replace('_', ' '):<32}{row['trust']:>8.4f}{row['no_trust']:>8.4f}{row['lost']:>8.4f}")


def _cells(found: Result) -> str:
    keys = ("adversarial_first", "benign_in_first_5", "adversarial_share_of_5")
    return "".join(f"{found[key]:>8.3f}" for key in keys)


def _version(store: Store) -> str:
    with store.opened(DISTRUSTING) as engine:
        return engine.status().version


if __name__ == "__main__":
    raise SystemExit(main())
