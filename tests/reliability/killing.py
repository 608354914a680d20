"""A program: lets a child write to a file, kills it (SIGKILL) at a random instant, and looks at what is left.

Run as ``python -m tests.reliability.killing FILE SCENARIO SEED ROUNDS``. The child announces each operation and
acknowledges it afterwards. What the file then holds must be what the acknowledged ones made, with the last one that was
only announced either wholly there or not at all. Every engine is opened in a process of its own. Prints as JSON how
many kills there were, in how many an operation was under way, in how many of these it is there, and what was wrong.
"""

import copy
import json
import os
import random
import select
import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import karte
from tests.reliability.health import check, opened, query
from tests.reliability.processes import in_a_fork

AGENT = "default"
Operation = dict[str, Any]


@dataclass(slots=True)
class Known:
    """What the file must hold, by the operations that count."""

    rows: dict[str, str] = field(default_factory=dict)
    archive: dict[str, str] = field(default_factory=dict)
    tags: dict[str, list[str]] = field(default_factory=dict)
    retracted: set[str] = field(default_factory=set)
    ends: set[str] = field(default_factory=set)
    aliases: set[str] = field(default_factory=set)
    declared: dict[str, str] = field(default_factory=dict)
    held: set[str] = field(default_factory=set)
    decided: dict[str, str] = field(default_factory=dict)
    purges: dict[str, str] = field(default_factory=dict)

    def apply(self, operation: Operation) -> None:
        """What an operation makes of it."""
        id = operation.get("id", "")
        match operation["do"]:
            case "store" | "fact":
                self.rows[id] = operation["content"]
            case "many":
                self.rows |= {each["id"]: each["content"] for each in operation["items"]}
            case "update":
                self.tags[id] = operation["tags"]
            case "forget":
                self.archive[id] = self.rows.pop(id)
            case "restore":
                self.rows[id] = self.archive.pop(id)
            case "retract":
                self.retracted.add(id)
            case "end":
                self.ends.add(operation["event"])
            case "alias":
                self.aliases.add(operation["alias"])
            case "declare":
                self.declared[operation["predicate"]] = operation["cardinality"]
            case _:
                self.apply_a_doubt(operation, id)

    def apply_a_doubt(self, operation: Operation, id: str) -> None:
        """What an operation on doubted sources makes of it."""
        match operation["do"]:
            case "hold":
                self.rows[id] = operation["content"]
                self.held.add(id)
            case "decide":
                self.held.remove(id)
                self.decided[id] = operation["decision"]
            case "purge":
                self.purges[operation["origin"]] = "stands"
            case "undo":
                self.purges[operation["origin"]] = "undone"


def found(path: Path) -> Known:
    """What the file holds."""
    made = query(path, "SELECT id, content, tags, state FROM memories WHERE is_made = 1")
    archive = query(path, "SELECT id, content, tags, state FROM memories_archive WHERE is_made = 1")
    ends = query(path, "SELECT source_event FROM memory_assertions WHERE kind <> 'value' AND state = 'live'")
    held = query(path, "SELECT id FROM memories WHERE quarantined = 1 AND state IS NULL")
    decided = query(
        path,
        "SELECT i.memory_id, a.state FROM approvals a JOIN approval_items i ON i.approval_id = a.id"
        " WHERE a.state IN ('approved', 'rejected')",
    )
    purges = query(
        path, "SELECT origin, iif(undone_at IS NULL, 'stands', 'undone') FROM operations WHERE kind = 'purged'"
    )
    return Known(
        held={id for (id,) in held},
        decided=dict(decided),
        purges=dict(purges),
        rows={id: content for id, content, _, _ in made},
        archive={id: content for id, content, _, _ in archive},
        tags={id: json.loads(tags) for id, _, tags, _ in (*made, *archive) if tags != "[]"},
        retracted={id for id, _, _, state in (*made, *archive) if state == "retracted"},
        ends={event for (event,) in ends},
        aliases={alias for (alias,) in query(path, "SELECT alias FROM entity_alias")},
        declared=dict(query(path, "SELECT predicate, cardinality FROM predicate_cardinality")),
    )


def perform(engine: karte.MemoryEngine, operation: Operation) -> bool:  # noqa: C901 (a table of operations)
    """Does it; whether it did anything."""
    match operation["do"]:
        case "store":
            engine.store(karte.MemoryEntry(content=operation["content"], id=operation["id"]))
        case "fact":
            engine.store_temporal(*fact_of(operation))
        case "many":
            outcomes = engine.store_many([fact_of(each) for each in operation["items"]])
            return all(outcome.status == "stored" for outcome in outcomes)
        case "update":
            engine.update(AGENT, operation["id"], tags=operation["tags"])
        case "forget":
            return engine.forget(AGENT, operation["id"])
        case "restore":
            return engine.restore(AGENT, operation["id"])
        case "retract":
            engine.retract(AGENT, operation["id"])
        case "end":
            engine.end_fact(AGENT, operation["subject"], operation["predicate"], event=operation["event"])
        case "alias":
            engine.add_alias(AGENT, operation["canonical"], operation["alias"])
        case "declare":
            engine.declare_predicate(AGENT, operation["predicate"], operation["cardinality"])
        case _:
            perform_a_doubt(engine, operation)
    return True


def perform_a_doubt(engine: karte.MemoryEngine, operation: Operation) -> None:
    """Does what concerns doubted sources."""
    match operation["do"]:
        case "hold":
            engine.store_temporal(*fact_of(operation))
        case "decide":
            (asked,) = [r for r in engine.approvals(limit=1000).items if r.items[0].memory_id == operation["id"]]
            engine.decide(asked.id, "approve" if operation["decision"] == "approved" else "reject")
        case "purge":
            engine.invalidate_by_origin(AGENT, operation["origin"])
        case "undo":
            undo(engine, operation["origin"])


def undo(engine: karte.MemoryEngine, origin: str) -> None:
    """Undoes the one purge of an origin."""
    connection = engine._store.connections.get()  # type: ignore[attr-defined]
    purge = connection.execute("SELECT id FROM operations WHERE kind = 'purged' AND origin = ?", (origin,)).get
    engine.undo_operation(purge)


def fact_of(operation: Operation) -> tuple[karte.MemoryEntry, karte.TemporalMeta]:
    """The entry of a fact, whose value nobody else says."""
    names = ("subject", "predicate", "object", "valid_from", "valid_until", "origin")
    meta: dict[str, Any] = {name: operation.get(name) for name in names}
    return karte.MemoryEntry(content=operation["content"], id=operation["id"]), karte.TemporalMeta(**meta)


# ------------------------------------------------------------------------------------------------------- scenarios


def a_fact(chance: random.Random, name: str, things: int = 3) -> Operation:
    subject = f"thing {chance.randrange(things)}"
    fact = {"do": "fact", "id": name, "content": f"{subject} is {name}", "subject": subject, "predicate": "state"}
    fact["object"] = name
    if chance.random() < 0.3:
        fact["valid_from"] = f"20{chance.randrange(10, 26)}-0{chance.randrange(1, 10)}-01"
        if chance.random() < 0.5:
            fact["valid_until"] = "2026-02-01"
    return fact


def superseding(chance: random.Random, name: str, _known: Known) -> Operation:
    """One new value after another of three facts, some of them about the past."""
    return a_fact(chance, name)


def importing(chance: random.Random, name: str, _known: Known) -> Operation:
    """Five hundred at once."""
    return {"do": "many", "items": [a_fact(chance, f"{name}.{n}", things=50) for n in range(500)]}


def everything(chance: random.Random, name: str, known: Known) -> Operation:
    """Every kind of write, each about what is there."""
    rows = sorted(known.rows.keys() - known.retracted)
    kind = chance.choice(("store", "fact", "fact", "end", "alias", "declare", "forget", "restore", "retract", "update"))
    match kind:
        case "store":
            return {"do": "store", "id": name, "content": f"a note called {name}"}
        case "end":
            return {"do": "end", "subject": f"thing {chance.randrange(3)}", "predicate": "state", "event": name}
        case "alias":
            return {"do": "alias", "canonical": f"thing {chance.randrange(3)}", "alias": f"nickname {name}"}
        case "declare":
            return {"do": "declare", "predicate": "state", "cardinality": chance.choice(("one", "many"))}
        case "restore" if known.archive:
            return {"do": "restore", "id": chance.choice(sorted(known.archive))}
        case "update" if rows:
            return {"do": "update", "id": chance.choice(rows), "tags": [name]}
        case "forget" | "retract" if rows:
            return {"do": kind, "id": chance.choice(rows)}
    return a_fact(chance, name)


def doubting(chance: random.Random, name: str, known: Known) -> Operation:
    """Writes that are held and decided, of sources that are taken back and given back."""
    standing = sorted(origin for origin, how in known.purges.items() if how == "stands")
    match chance.choice(("fact", "fact", "hold", "hold", "decide", "purge", "undo")):
        case "hold":
            held = a_fact(chance, name)
            return held | {"do": "hold", "subject": f"user:{name}", "origin": "tool_echo"}
        case "decide" if known.held:
            id = chance.choice(sorted(known.held))
            return {"do": "decide", "id": id, "decision": chance.choice(("approved", "rejected"))}
        case "purge":
            origin = f"import:{chance.randrange(9)}"
            if origin not in known.purges:
                return {"do": "purge", "origin": origin}
        case "undo" if standing:
            return {"do": "undo", "origin": chance.choice(standing)}
    return a_fact(chance, name) | {"origin": f"import:{chance.randrange(9)}"}


SCENARIOS: dict[str, Callable[[random.Random, str, Known], Operation]] = {
    "superseding": superseding,
    "importing": importing,
    "everything": everything,
    "doubting": doubting,
}

PACES = {"superseding": (14, 0.02), "importing": (4, 0.4), "everything": (14, 0.02), "doubting": (14, 0.02)}
"""After at most how many lines, and how many seconds more, a child is killed."""

# ------------------------------------------------------------------------------------------------- child and parent


def write(path: Path, scenario: str, seed: str, known: Known, pipe: int) -> None:
    """The child: writes until it is killed."""
    chance = random.Random(seed)
    number = 0
    with opened(path) as engine:
        while True:
            operation = SCENARIOS[scenario](chance, f"{seed}.{number}", known)
            tell(pipe, {"begin": operation})
            try:
                did = perform(engine, operation)
            except (karte.NotFound, karte.InvalidInput, karte.Conflict):
                did = False
            if did:
                known.apply(operation)
            tell(pipe, {"end": did})
            number += 1


def tell(pipe: int, what: object) -> None:
    line = json.dumps(what).encode() + b"\n"
    while line:
        line = line[os.write(pipe, line) :]


def heard(pipe: int, chance: random.Random, pace: tuple[int, float], kill: Callable[[], None]) -> Iterator[Any]:
    """What the child says until it is dead: it is killed a random moment after a random number of lines."""
    lines, longest = pace
    wanted, delay = chance.randrange(1, lines), chance.random() * longest
    text = b""
    until: float | None = None
    while True:
        wait = None if until is None else max(0.0, until - time.monotonic())
        can_read = select.select([pipe], [], [], wait)[0]
        if until is not None and time.monotonic() >= until:
            kill()
            until = None
        if not can_read:
            continue
        piece = os.read(pipe, 1 << 20)
        if not piece:
            break
        text += piece
        if text.count(b"\n") >= wanted:
            wanted, until = 1 << 60, time.monotonic() + delay
    yield from (json.loads(line) for line in text.split(b"\n")[:-1])


def kill_once(path: Path, scenario: str, seed: str, known: Known) -> tuple[Known, Operation | None]:
    """What the acknowledged operations made, and the one that was under way."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)  # so that it ends when its parent does
        try:
            write(path, scenario, seed, known, writing)
        except BaseException as error:  # noqa: BLE001 (the parent reports it)
            tell(writing, {"failed": f"{type(error).__name__}: {error}"})
        os._exit(1)
    os.close(writing)
    under_way: Operation | None = None
    kill = partial(os.kill, child, signal.SIGKILL)
    for said in heard(reading, random.Random(f"when {seed}"), PACES[scenario], kill):
        if "failed" in said:
            raise AssertionError(said["failed"])
        if "begin" in said:
            under_way = said["begin"]
            continue
        if said["end"] and under_way is not None:
            known.apply(under_way)
        under_way = None
    os.close(reading)
    os.waitpid(child, 0)
    return known, under_way


def main(path: Path, scenario: str, seed: int, rounds: int) -> None:
    """Kills one child after another; the file goes on from one to the next."""
    known, wrong = Known(), []
    counts = {"kills": 0, "under_way": 0, "there": 0}
    for number in range(rounds):
        if number % 5 == 0:
            known = Known()
            for left in path.parent.glob(f"{path.name}*"):
                left.unlink()
        known, under_way = kill_once(path, scenario, f"{seed}.{number}", known)
        counts["kills"] += 1
        try:
            in_a_fork(lambda: check(path))
            known = settled(path, known, under_way, counts)
        except AssertionError as error:
            wrong.append(f"{seed}.{number}: {error}")
            break
    print(json.dumps({**counts, "wrong": wrong}))


def settled(path: Path, known: Known, under_way: Operation | None, counts: dict[str, int]) -> Known:
    """What is there, which is what was acknowledged, with or without what was under way."""
    there: Known = Known(**in_a_fork(lambda: plain(found(path))))
    there.retracted, there.ends, there.aliases = set(there.retracted), set(there.ends), set(there.aliases)
    there.held = set(there.held)
    if under_way is not None:
        counts["under_way"] += 1
        after = copy.deepcopy(known)
        after.apply(under_way)
        if there == after and there != known:
            counts["there"] += 1
            return after
    assert there == known, f"with {str(under_way)[:200]} under way: {differences(known, there)}"
    return known


def plain(known: Known) -> dict[str, Any]:
    """As JSON has it."""
    values = {name: getattr(known, name) for name in Known.__slots__}
    return {name: sorted(value) if isinstance(value, set) else value for name, value in values.items()}


def differences(expected: Known, there: Known) -> str:
    """What differs, in short."""
    said, held = plain(expected), plain(there)
    return "; ".join(f"{name}: said {said[name]}, found {held[name]}" for name in said if said[name] != held[name])[
        :2000
    ]


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
