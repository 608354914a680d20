"""What is searched and what is asked: corpora with questions, each with its measures."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import Any

from benchmarks import _messages
from benchmarks._programs import module

SEED = 20_260
SAMPLE = 200
TUNED_ON = ("conv-26", "conv-41", "conv-43")
HELD_OUT = ("conv-47", "conv-49")
OWN = Path(__file__).parent / "sets"
Scores = dict[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One memory to store, with what a caller may know of it beside the text."""

    id: str
    text: str
    timestamp: str | None = None
    session: str | None = None
    turn: int | None = None
    speaker: str | None = None
    fact: tuple[str, str, str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked, and the ids that answer it."""

    id: str
    text: str
    group: str
    gold: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """Memories of one agent, and questions to them."""

    name: str
    items: tuple[Item, ...]
    questions: tuple[Question, ...]


Score = Callable[[Corpus, Question, Sequence[str]], Scores]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallSet:
    """Corpora with one way to score an answer; ``depth`` is how many hits are asked for."""

    name: str
    corpora: tuple[Corpus, ...]
    score: Score
    headline: str
    depth: int = 20
    has_metadata: bool = False
    targets: Mapping[str, float] = field(default_factory=dict)


def sets(data: Path, *, is_short: bool, is_full: bool, held_out: bool) -> Iterator[RecallSet]:
    """Every set that is measured, in the order of the table; a set whose data is not there is left out."""
    os.environ["MULTIHOP_DIR"] = str(data / "multihop")
    locomo = module(data.parent / "eval" / "locomo_eval.py")
    conversations = str(data / "locomo" / "locomo5.json")
    names = TUNED_ON[:1] if is_short else TUNED_ON
    yield _locomo(locomo, conversations, names, "locomo")
    if held_out:
        yield _locomo(locomo, conversations, HELD_OUT, "locomo_held_out")
    if not is_short:
        yield _sessions(locomo, conversations, (*TUNED_ON, *HELD_OUT) if held_out else TUNED_ON)
        multihop = module(data.parent / "eval" / "multihop_eval.py")
        yield _passages(locomo, multihop, "2wiki", 0.82)
        yield _passages(locomo, multihop, "musique", 0.56)
    sample = 20 if is_short else None if is_full else SAMPLE
    yield _paths(data, 2, sample, 0.99)
    if not is_short:
        yield _paths(data, 3, sample, 0.85)
        yield _paths(data, 2, sample, 0.99, spaced=True)
        yield _paths(data, 3, sample, 0.85, spaced=True)
        yield _haystack(data)
    yield _scripts("word")
    yield _scripts("natural")
    yield _talks()
    if not is_short and _messages.messages("ja"):
        yield message_words()


def _ranking(locomo: ModuleType, ks: Sequence[int]) -> Score:
    def score(_: Corpus, question: Question, ranked: Sequence[str]) -> Scores:
        found = locomo.score(ranked, question.gold, ks, 10)
        return {name: found[name] for name in (*(f"recall@{k}" for k in ks), "ndcg@10")}

    return score


def _conversation(locomo: ModuleType, made: Any) -> Corpus:
    turns: dict[int, int] = {}
    items = []
    for m in made.memories:
        turns[m.session] = turns.get(m.session, 0) + 1
        items.append(
            Item(
                id=m.id,
                text=m.text,
                timestamp=m.timestamp.replace(tzinfo=UTC).isoformat(),
                session=str(m.session),
                turn=turns[m.session],
                speaker=m.speaker,
            )
        )
    asked = tuple(
        Question(id=q.id, text=q.text, group=locomo.CATEGORY[q.category], gold=q.gold) for q in made.questions
    )
    return Corpus(name=made.id, items=tuple(items), questions=asked)


def _locomo(locomo: ModuleType, path: str, names: Sequence[str], name: str) -> RecallSet:
    made = tuple(_conversation(locomo, each) for each in locomo.load(path) if each.id in names)
    targets = {"recall@10": 0.75, "ndcg@10": 0.60}
    score = _ranking(locomo, (5, 10, 20))
    return RecallSet(name=name, corpora=made, score=score, headline="recall@10", has_metadata=True, targets=targets)


def _sessions(locomo: ModuleType, path: str, names: Sequence[str]) -> RecallSet:
    loaded = [each for each in locomo.load(path, categories=(1, 2, 3, 4, 5)) if each.id in names]
    made = tuple(_conversation(locomo, each) for each in loaded)
    return RecallSet(
        name="locomo_sessions",
        corpora=made,
        score=_by_session,
        headline="recall@10",
        depth=max(len(corpus.items) for corpus in made),
        has_metadata=True,
        targets={"recall@10": 0.95},
    )


def _by_session(corpus: Corpus, question: Question, ranked: Sequence[str]) -> Scores:
    session = {item.id: item.session for item in corpus.items}
    gold = {session[id] for id in question.gold}
    found = list(dict.fromkeys(session[id] for id in ranked))[:10]
    return {"recall@10": len(gold.intersection(found)) / len(gold)}


def _passages(locomo: ModuleType, multihop: ModuleType, name: str, target: float) -> RecallSet:
    passages, asked = multihop.load(name)
    items = tuple(Item(id=id, text=f"{title}: {text}") for id, title, text in passages)
    questions = tuple(Question(id=id, text=text, group=name, gold=gold) for id, text, gold, *_ in asked)
    made = Corpus(name=name, items=items, questions=questions)
    score = _ranking(locomo, (5, 10))
    return RecallSet(name=name, corpora=(made,), score=score, headline="recall@5", targets={"recall@5": target})


def _paths(data: Path, hops: int, sample: int | None, target: float, *, spaced: bool = False) -> RecallSet:
    """PathQuestion: the gold of a question are the facts whose object is an answer."""

    def named(name: str) -> str:
        return name.replace("_", " ") if spaced else name

    folder = data / "multihop" / "pathquestion"
    by_object: dict[str, set[str]] = {}
    items = []
    for number, line in enumerate((folder / f"{hops}H-kb.txt").read_text(encoding="utf-8").splitlines()):
        subject, predicate, value = map(named, line.split("\t"))
        items.append(Item(id=f"t{number}", text=f"{subject} {predicate} {value}", fact=(subject, predicate, value)))
        by_object.setdefault(value, set()).add(f"t{number}")
    lines = (folder / f"PQ-{hops}H.txt").read_text(encoding="utf-8").splitlines()
    if sample is not None:
        lines = random.Random(SEED).sample(lines, sample)
    questions = []
    for number, line in enumerate(lines):
        text, _, path = line.split("\t")
        gold = by_object.get(named(path.rpartition("#")[2]), set())
        questions.append(Question(id=f"q{number}", text=named(text), group=f"{hops} hops", gold=frozenset(gold)))
    made = Corpus(name=f"{hops}h", items=tuple(items), questions=tuple(questions))
    return RecallSet(
        name=f"path_{hops}h{'_spaced' if spaced else ''}",
        corpora=(made,),
        score=_any_within_10,
        headline="answer@10",
        depth=10,
        targets={"answer@10": target},
    )


def _any_within_10(_: Corpus, question: Question, ranked: Sequence[str]) -> Scores:
    return {"answer@10": float(not question.gold.isdisjoint(ranked[:10]))}


def _haystack(data: Path) -> RecallSet:
    told = json.loads((data / "longmemeval" / "one_instance.json").read_text(encoding="utf-8"))[0]
    items = []
    rows = zip(told["haystack_session_ids"], told["haystack_dates"], told["haystack_sessions"], strict=True)
    for session, date, turns in rows:
        at = datetime.strptime(date, "%Y/%m/%d (%a) %H:%M").replace(tzinfo=UTC).isoformat()
        for number, turn in enumerate(turns, 1):
            speaker, text = turn["role"], f"{turn['role']}: {turn['content']}"
            items.append(
                Item(
                    id=f"{session}#{number}",
                    text=text,
                    timestamp=at,
                    session=session,
                    turn=number,
                    speaker=speaker,
                )
            )
    wanted = set(told["answer_session_ids"])
    gold = frozenset(item.id for item in items if item.session in wanted)
    question = Question(id=told["question_id"], text=told["question"], group=told["question_type"], gold=gold)
    made = Corpus(name="longmemeval", items=tuple(items), questions=(question,))
    return RecallSet(
        name="longmemeval",
        corpora=(made,),
        score=lambda _, asked, ranked: {"session@10": float(not asked.gold.isdisjoint(ranked[:10]))},
        headline="session@10",
        depth=10,
        has_metadata=True,
    )


def _scripts(kind: str) -> RecallSet:
    """The set of our own (`benchmarks/sets`); all of it is one agent."""
    rows = [json.loads(line) for line in (OWN / "cjk.jsonl").read_text(encoding="utf-8").splitlines()]
    items = tuple(Item(id=row["memory"], text=row["text"]) for row in rows if "memory" in row)
    questions = tuple(
        Question(id=row["question"], text=row["question"], group=row["language"], gold=frozenset(row["gold"]))
        for row in rows
        if row.get("kind") == kind
    )
    made = Corpus(name="cjk", items=items, questions=questions)
    is_word = kind == "word"
    return RecallSet(
        name=f"cjk_{kind}",
        corpora=(made,),
        score=_word if is_word else _natural,
        headline="right" if is_word else "recall@10",
        depth=10,
        targets={"right": 1.0} if is_word else {},
    )


def _talks() -> RecallSet:
    """Conversations of our own in five scripts (`benchmarks/sets`); a language is an agent."""
    rows = [json.loads(line) for line in (OWN / "talks.jsonl").read_text(encoding="utf-8").splitlines()]
    made = []
    for language in dict.fromkeys(row["language"] for row in rows):
        own = [row for row in rows if row["language"] == language]
        items = tuple(
            Item(
                id=row["memory"],
                text=row["text"],
                timestamp=row["at"],
                session=row["session"],
                turn=row["turn"],
                speaker=row["speaker"],
            )
            for row in own
            if "memory" in row
        )
        asked = tuple(
            Question(id=row["question"], text=row["question"], group=language, gold=frozenset(row["gold"]))
            for row in own
            if "question" in row
        )
        made.append(Corpus(name=language, items=items, questions=asked))
    return RecallSet(
        name="cjk_talks", corpora=tuple(made), score=_found, headline="recall@5", depth=10, has_metadata=True
    )


def message_words() -> RecallSet:
    """Translated messages of a program; a language is an agent, and its short words are asked for."""
    made = []
    for language in _messages.LANGUAGES:
        texts = _messages.messages(language)
        asked = tuple(
            Question(id=word, text=word, group=f"{language} {kind}", gold=holders)
            for word, (kind, holders) in _messages.words(texts).items()
        )
        items = tuple(Item(id=id, text=text) for id, text in texts.items())
        made.append(Corpus(name=language, items=items, questions=asked))
    return RecallSet(
        name="cjk_messages",
        corpora=tuple(made),
        score=_word,
        headline="right",
        depth=10,
        targets={"right": 1.0},
    )


def _word(_: Corpus, question: Question, ranked: Sequence[str]) -> Scores:
    """Every hit holds the word, and where at most ten memories hold it all of them are found."""
    holds = question.gold.issuperset(ranked)
    finds = len(question.gold) > 10 or question.gold.issubset(ranked)
    return {"right": float(holds and finds), "every hit holds it": float(holds), "found": float(finds)}


def _found(_: Corpus, question: Question, ranked: Sequence[str]) -> Scores:
    return {f"recall@{k}": len(question.gold.intersection(ranked[:k])) / len(question.gold) for k in (1, 3, 5, 10)}


def _natural(_: Corpus, question: Question, ranked: Sequence[str]) -> Scores:
    return {f"recall@{k}": float(not question.gold.isdisjoint(ranked[:k])) for k in (1, 5, 10)}
