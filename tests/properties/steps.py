"""The steps a random history is made of, drawn from small alphabets so that they collide often."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import pytest
from hypothesis import strategies as st

import karte
from tests.oracle import Reading, folded, value_of
from tests.properties.world import MARKER, Identity, World, Written, changed, instant

SUBJECTS = ("Atlas", "Borea", "Ceres")
SPELLED = {"Atlas": (" atlas ", "ＡＴＬＡＳ"), "Borea": ("borea", "BOREA\u00a0"), "Ceres": ("ceres", "CERES")}
PREDICATES = ("office", "knows")
OBJECTS = {"office": ("red", "blue", "Red"), "knows": ("Ben", "Cho", "Dan")}
ORIGINS = ("user_direct", "agent_derived", "import:x", "channel:y", "mcp_external", "tool_echo", "unattributed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Store:
    """A fact; ``cites`` picks a live row it is derived from, ``spelling`` how its names are spelled."""

    subject: str = "Atlas"
    predicate: str = "office"
    value: int = 0
    start: int | None = 4
    length: int | None = None
    origin: str = "unattributed"
    claim: float | None = None
    cites: int | None = None
    spelling: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Several facts in one call, a bad one among them if ``bad``."""

    items: tuple[Store, ...]
    bad: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Again:
    """Something said before, said again to the letter."""

    which: int


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """``end_fact``; with ``value``, said for that value only."""

    subject: str = "Atlas"
    predicate: str = "office"
    at: int | None = 4
    value: int | None = None
    origin: str = "unattributed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Expire:
    """``expire_by_subject``."""

    subject: str = "Atlas"
    origin: str = "unattributed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Take:
    """Retract or forget one of the live rows."""

    how: str
    which: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Restore:
    """Bring back what was forgotten first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Alias:
    """Make two subjects one, or, without a canonical name, part them again."""

    canonical: str | None
    alias: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Declare:
    """Declare a predicate's cardinality."""

    predicate: str = "knows"
    cardinality: Literal["one", "many"] = "many"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bad:
    """A write that must fail."""

    which: int


Step = Store | Batch | Again | End | Expire | Take | Restore | Alias | Declare | Bad

starts = st.one_of(st.none(), st.integers(-3, 6))
lengths = st.one_of(st.none(), st.none(), st.integers(1, 5))
origins = st.sampled_from(ORIGINS)
stores = st.builds(
    Store,
    subject=st.sampled_from((*SUBJECTS, "Atlas", "Atlas", "Atlas")),
    predicate=st.sampled_from(("office", "office", "knows")),
    value=st.integers(0, 2),
    start=starts,
    length=lengths,
    origin=origins,
    claim=st.sampled_from((None, None, None, 0.2)),
    cites=st.one_of(st.none(), st.none(), st.integers(0, 9)),
    spelling=st.integers(0, 2),
)
ends = st.builds(
    End,
    subject=st.sampled_from(("Atlas", "Atlas", "Borea")),
    predicate=st.sampled_from(("office", "office", "knows")),
    at=starts,
    value=st.one_of(st.none(), st.integers(0, 2)),
    origin=origins,
)
takes = st.builds(Take, how=st.sampled_from(("retract", "forget")), which=st.integers(0, 9))
aliases = st.builds(
    Alias,
    canonical=st.one_of(st.none(), st.sampled_from(SUBJECTS), st.sampled_from(SUBJECTS)),
    alias=st.sampled_from(SUBJECTS),
)
bads = st.builds(Bad, which=st.integers(0, 99))
steps = st.one_of(
    stores,
    stores,
    stores,
    stores,
    st.builds(Batch, items=st.lists(stores, min_size=1, max_size=4).map(tuple), bad=st.booleans()),
    st.builds(Again, which=st.integers(0, 9)),
    ends,
    ends,
    st.builds(Expire, subject=st.sampled_from(("Atlas", "Borea")), origin=origins),
    takes,
    takes,
    st.just(Restore()),
    aliases,
    st.sampled_from((Declare(), Declare(), Declare(cardinality="one"))),
    bads,
)

# All about one fact, two values and five instants.
few_starts = st.integers(0, 4)
few = st.one_of(
    *[
        st.builds(
            Store,
            value=st.integers(0, 1),
            start=few_starts,
            length=st.sampled_from((None, None, 1, 2, 3)),
            origin=origins,
            claim=st.sampled_from((None, None, None, None, 0.2)),
            cites=st.one_of(st.none(), st.none(), st.integers(0, 5)),
        )
    ]
    * 4,
    st.builds(End, at=few_starts, value=st.sampled_from((None, None, 0, 1)), origin=origins),
    st.builds(Take, how=st.sampled_from(("retract", "retract", "forget")), which=st.integers(0, 5)),
)


def spelled(name: str, spelling: int) -> str:
    """The subject in one of its spellings."""
    return (name, *SPELLED[name])[spelling]


def content_of(predicate: str, object_: str) -> str:
    """What the memory says; every one holds a common word that search can ask for."""
    return f"{MARKER} of {predicate} is {object_}"


def take(world: World, step: Step) -> None:
    """Do the step to the engine, hold its answer against what must come, and keep what was said."""
    match step:
        case Store() | Batch() | Again():
            take_saying(world, step)
        case End():
            end_value(world, step)
        case Expire():
            expire(world, step)
        case Take():
            take_row(world, step)
        case Restore() | Alias() | Declare() | Bad():
            take_other(world, step)


def take_saying(world: World, step: Store | Batch | Again) -> None:
    """Do a step that says values."""
    match step:
        case Store():
            store(world, step)
        case Batch():
            store_batch(world, step)
        case Again():
            again(world, step)


def take_other(world: World, step: Restore | Alias | Declare | Bad) -> None:
    """Do a step that says neither a value nor an end."""
    match step:
        case Restore():
            restore(world)
        case Alias():
            alias(world, step)
        case Declare():
            declare(world, step)
        case Bad():
            bad(world, step.which)


# ---------------------------------------------------------------------------------------------------------- storing


def prepare(world: World, step: Store, *, ahead: int = 0) -> Written | None:
    """What the step says, ``None`` where its end is not after its start."""
    start = world.clock.now if step.start is None else instant(step.start)
    until = None if step.length is None else instant((0 if step.start is None else step.start) + step.length)
    if until is not None and until <= start:
        return None
    rows = world.all_live_rows()
    cited = [] if step.cites is None or not rows else [rows[step.cites % len(rows)]]
    names = tuple(str(row.source_event) for row in cited)
    object_ = OBJECTS[step.predicate][step.value]
    content = content_of(step.predicate, object_)
    return Written(
        name=f"event-{world.next_learned() + ahead}",
        subject=spelled(step.subject, step.spelling),
        predicate=step.predicate if step.spelling == 0 else f" {step.predicate.upper()}",
        object=object_ if step.spelling == 0 else f"{object_} ",
        content=content if step.spelling == 0 else content.replace(" ", "\u3000"),
        start=start,
        until=until,
        origin=step.origin,
        claim=step.claim,
        trust=world.trust_for(step.origin, step.claim, names),
        learned=world.next_learned() + ahead,
        cites=names,
        cited_ids=tuple(row.id for row in cited),
    )


def entry_of(world: World, one: Written) -> karte.MemoryEntry:
    """The memory the engine is given."""
    return karte.MemoryEntry(content=one.content, agent_id=world.agent, source_event=one.name, layer="semantic")


def meta_of(one: Written, **changed: Any) -> karte.TemporalMeta:
    """The fact the engine is given."""
    given: dict[str, Any] = {
        "subject": one.subject,
        "predicate": one.predicate,
        "object": one.object,
        "valid_from": one.start,
        "valid_until": one.until,
        "origin": one.origin,
        "origin_trust": one.claim,
        "derived_from": one.cited_ids,
    }
    return karte.TemporalMeta(**{**given, **changed})


def store(world: World, step: Store) -> None:
    """Store a fact: law 3 for what it may not take away, and whether it must merely reaffirm."""
    one = prepare(world, step)
    if one is None:
        return
    identity = world.identity(one.subject, one.predicate, one.object)
    before, rows_before = world.reading(identity), len(world.history(identity))
    said_start = None if step.start is None else one.start
    outcome = world.engine.store_temporal(entry_of(world, one), meta_of(one, valid_from=said_start))
    world.written.append(one)
    assert outcome.status in {"stored", "reaffirmed"}
    after = world.reading(identity)
    if one.until is None:
        lost = [at for at in world.grid(identity) if before.value_at(at) is not None and after.value_at(at) is None]
        assert not lost, f"law 3: lost {lost}"
    shown = before.believed_at(one.start)
    if shown is not None and shown.value == one.value and one.until is None and one.trust <= shown.believed_trust:
        if not shown.is_cut:
            assert outcome.status == "reaffirmed", "the timeline shows this very value at the write's start"
            assert len(world.history(identity)) == rows_before, "a reaffirmation makes no row"
    elif shown is None or shown.value != one.value:
        assert outcome.status == "stored"
    outcome_tells_what_holds(world, identity, one, outcome)


def outcome_tells_what_holds(world: World, identity: Identity, one: Written, outcome: karte.StoreOutcome) -> None:
    """The outcome names what holds now if that is not the value just written."""
    holding = world.engine.get_at(world.agent, identity.subject, identity.predicate, object=identity.object)
    if outcome.holds_now is not None:
        assert holding is not None
        assert (outcome.holds_now.id, outcome.holds_now.valid_from) == (holding.id, holding.valid_from)
    elif holding is not None:
        assert value_of(holding.object, holding.content) == one.value, "the outcome must say what holds now"
    row = next(row for row in world.history(identity) if row.id == outcome.id)
    family = {row.id, row.metadata.get("continues", row.id)}
    holds = holding is not None and (holding.id in family or holding.metadata.get("continues") in family)
    assert outcome.is_current == holds, "a stretch that continues the written one counts as it"


def store_batch(world: World, step: Batch) -> None:
    """Store several at once: one outcome each, in order, bad ones refused by themselves."""
    prepared: list[Written] = []
    for item in step.items:
        one = prepare(world, item, ahead=len(prepared))
        if one is not None:
            prepared.append(one)
    pairs = [(entry_of(world, one), meta_of(one)) for one in prepared]
    if step.bad:
        broken = karte.MemoryEntry(content="\ud83d", agent_id=world.agent)
        outcomes = world.engine.store_many([broken, *pairs])
        assert outcomes[0].status == "refused"
        assert outcomes[0].error is not None
        outcomes = outcomes[1:]
    else:
        outcomes = world.engine.store_many(pairs)
    assert len(outcomes) == len(pairs)
    assert all(outcome.status in {"stored", "reaffirmed"} for outcome in outcomes)
    world.written.extend(prepared)


def again(world: World, step: Again) -> None:
    """Say something live again to the letter: nothing changes."""
    values = [one for one in world.written if one.kind == "value" and one.state == "live"]
    if values:
        one = values[step.which % len(values)]
        before = world.dump()
        world.engine.store_temporal(entry_of(world, one), meta_of(one))
        differences = [
            line for line in changed(before, world.dump()) if not line.startswith(("karte_state:", "guard_attempts:"))
        ]
        assert differences == [], "an equal write changes nothing but the clock's last reading"


# ----------------------------------------------------------------------------------------------------------- ending


def ending(world: World, step: End, object_: str | None) -> Written:
    """The end the step says; of a many-valued predicate the object names the fact, not one value of it."""
    is_of_value = object_ is not None and folded(step.predicate) not in world.many
    return Written(
        name=f"event-{world.next_learned()}",
        kind="value-end" if is_of_value else "end",
        subject=step.subject,
        predicate=step.predicate,
        object=object_,
        content="" if object_ is None else content_of(step.predicate, object_),
        start=world.clock.now if step.at is None else instant(step.at),
        origin=step.origin,
        trust=world.trust_for(step.origin, None, ()),
        learned=world.next_learned(),
    )


def say_end(world: World, step: End, one: Written) -> karte.EndOutcome:
    """Say the end to the engine."""
    at = None if step.at is None else one.start
    return world.engine.end_fact(
        world.agent, step.subject, step.predicate, at, one.name, object=one.object, origin=step.origin
    )


def end_fact(world: World, step: End) -> None:
    """End a fact, whatever its value: refused where none stands."""
    is_many = folded(step.predicate) in world.many
    if is_many and step.value is None:
        return
    one = ending(world, step, None if step.value is None else OBJECTS[step.predicate][step.value])
    identity = world.identity(one.subject, one.predicate, one.object)
    if world.reading(identity).value_at(one.start) is None:
        refused(world, lambda: say_end(world, step, one))
        return
    say_end(world, step, one)
    world.written.append(one)


def end_value(world: World, step: End) -> None:
    """End one value: as a ``valid_until`` said for it.

    Where the value does not show but is covered by another, the design leaves it to the door whether it takes the end.
    """
    if step.value is None or folded(step.predicate) in world.many:
        end_fact(world, step)
        return
    one = ending(world, step, OBJECTS[step.predicate][step.value])
    identity = world.identity(one.subject, one.predicate, one.object)
    reading = world.reading(identity)
    same = [other for other in reading.live if other.kind == "value" and other.value == one.value]
    if any(other.start == one.start for other in same):
        return
    alone = Reading([*same, *(other for other in reading.live if other.kind == "value-end")])
    if alone.value_at(one.start) is None:
        refused(world, lambda: say_end(world, step, one))
        return
    try:
        say_end(world, step, one)
    except karte.KarteError:
        assert reading.value_at(one.start) != one.value, "the value stands there: its end must be taken"
        return
    world.written.append(one)


def expire(world: World, step: Expire) -> None:
    """End all facts of a subject from now on; those without a value now are left as they are."""
    subject, now = world.resolve(step.subject), world.clock.now
    name = f"event-{world.next_learned()}"
    current = [
        identity
        for identity in world.identities()
        if identity.subject == subject and world.reading(identity).value_at(now) is not None
    ]
    assert world.engine.expire_by_subject(world.agent, step.subject, event=name, origin=step.origin) == len(current)
    for identity in current:
        world.written.append(
            Written(
                name=f"event-{world.next_learned()}",
                event=name,
                kind="end",
                subject=step.subject,
                predicate=identity.predicate,
                object=identity.object,
                start=now,
                origin=step.origin,
                trust=world.trust_for(step.origin, None, ()),
                learned=world.next_learned(),
            )
        )


# ------------------------------------------------------------------------------------------- taking back and bringing


def take_row(world: World, step: Take) -> None:
    """Retract or forget the assertion that made a row."""
    rows = world.all_live_rows()
    if not rows:
        return
    row = rows[step.which % len(rows)]
    one = world.named(str(row.source_event))
    if step.how == "retract":
        world.engine.retract(world.agent, row.id)
        one.state = "retracted"
    else:
        assert world.engine.forget(world.agent, row.id)
        one.state = "archived"
        world.forgotten.append((row.id, one.name))


def restore(world: World) -> None:
    """Bring back what was forgotten first."""
    if world.forgotten:
        id, name = world.forgotten.pop(0)
        assert world.engine.restore(world.agent, id)
        world.named(name).state = "live"


# ------------------------------------------------------------------------------------------- names and declarations


def unchanged_by(world: World, action: Callable[[], int]) -> int:
    """What a dry run answers, which writes nothing."""
    before = world.dump()
    answer = action()
    assert changed(before, world.dump()) == [], "a dry run writes nothing"
    return answer


def alias(world: World, step: Alias) -> None:
    """Make two subjects one, or part them again."""
    name, engine = step.alias, world.engine
    if step.canonical is None:
        if folded(name) in world.aliases:
            foreseen = unchanged_by(world, lambda: engine.remove_alias(world.agent, name, dry_run=True))
            assert engine.remove_alias(world.agent, name) == foreseen
            del world.aliases[folded(name)]
        return
    canonical = step.canonical
    if world.resolve(canonical) == folded(name):
        error = karte.KarteError if folded(canonical) == folded(name) else karte.AliasCycle
        refused(world, lambda: engine.add_alias(world.agent, canonical, name), error)
    elif folded(name) not in world.aliases:
        foreseen = unchanged_by(world, lambda: engine.add_alias(world.agent, canonical, name, dry_run=True))
        assert engine.add_alias(world.agent, canonical, name) == foreseen
        target = world.resolve(canonical)
        flattened = {alias: target for alias, goal in world.aliases.items() if goal == folded(name)}
        world.aliases.update({**flattened, folded(name): target})


def declare(world: World, step: Declare) -> None:
    """Declare a cardinality, unless an end was said whose reach would then be anyone's guess."""
    key = folded(step.predicate)
    ends = [one for one in world.written if one.kind == "end" and folded(one.predicate) == key]
    if ends and (step.cardinality == "many") != (key in world.many):
        return
    declare = world.engine.declare_predicate
    foreseen = unchanged_by(world, lambda: declare(world.agent, step.predicate, step.cardinality, dry_run=True))
    assert declare(world.agent, step.predicate, step.cardinality) == foreseen
    (world.many.add if step.cardinality == "many" else world.many.discard)(key)


# -------------------------------------------------------------------------------------------------------- failing


def refused(world: World, action: Callable[[], object], error: type[Exception] = karte.KarteError) -> None:
    """Law 9: the action fails with an error of ours and leaves every table as it was."""
    before = world.dump()
    with pytest.raises(error):
        action()
    assert changed(before, world.dump()) == [], "law 9: a failed write changes nothing"


def bad(world: World, which: int) -> None:
    """One of the writes that must fail, each with its error."""
    engine = world.engine
    rows = world.all_live_rows()
    taken = rows[which % len(rows)].id if rows else None
    fact: dict[str, Any] = {"subject": "Atlas", "predicate": "office", "object": "red"}

    def fails(error: type[Exception], *, content: str = "bad", id: str | None = None, **meta: Any) -> None:
        def write() -> None:
            entry = karte.MemoryEntry(content=content, agent_id=world.agent, id=id)
            engine.store_temporal(entry, karte.TemporalMeta(**{**fact, **meta}))

        refused(world, write, error)

    cases: list[Callable[[], None]] = [
        lambda: fails(karte.InvalidInterval, valid_from=instant(3), valid_until=instant(2)),
        lambda: fails(karte.InvalidInterval, valid_from=instant(3), valid_until=instant(3)),
        lambda: fails(karte.InvalidInterval, valid_until=instant(-9)),
        lambda: fails(karte.InvalidInput, confidence=math.nan),
        lambda: fails(karte.InvalidInput, confidence=1.5),
        lambda: fails(karte.InvalidInput, origin_trust=math.nan),
        lambda: fails(karte.InvalidInput, origin_trust=-0.1),
        lambda: fails(karte.InvalidText, content="half \ud83d"),
        lambda: fails(karte.InvalidText, content="nul \x00"),
        lambda: fails(karte.InvalidText, object="half \ude00"),
        lambda: fails(karte.InvalidText, subject="half \ud83d"),
        lambda: fails(karte.InvalidTime, valid_from="2019-xx"),
        lambda: fails(karte.InvalidTime, valid_from=""),
        lambda: fails(karte.InvalidTime, valid_from="11/05/2026"),
        lambda: fails(karte.InvalidTime, valid_until=5),
        lambda: fails(karte.InvalidInput, source_event="origin_purge"),
        lambda: fails(karte.InvalidInput, metadata={"continues": "x"}),
        lambda: fails(karte.InvalidInput, metadata={"reaffirmed_by": []}),
        lambda: refused(world, lambda: engine.retract(world.agent, "no such id"), karte.NotFound),
        lambda: refused(world, lambda: engine.end_fact(world.agent, "Nobody", "office"), karte.KarteError),
        lambda: refused(world, lambda: engine.end_fact(world.agent, "Atlas", "office", "2026-13"), karte.InvalidTime),
    ]
    if taken is not None:
        cases += [lambda: fails(karte.DuplicateId, id=taken, valid_from=instant(which % 7))] * 3
    cases[which % len(cases)]()
