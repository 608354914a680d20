"""The steps of a history in which sources are doubted, each held against what must come."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from hypothesis import strategies as st

import karte
from tests.oracle import Reading
from tests.properties.checks import check
from tests.properties.steps import (
    OBJECTS,
    Alias,
    Declare,
    Store,
    alias,
    content_of,
    declare,
    entry_of,
    meta_of,
    refused,
    spelled,
)
from tests.properties.trusting import Doubted, Doubter
from tests.properties.world import Identity, changed, instant

HOURS = (0.01, 0.01, 0.2, 0.2, 1.2, 1.2, 7, 25, 49)
PURGEABLE = ("channel:y", "channel:y", "mcp_external", "user_direct", "agent_derived", "import:x")
DOUBTED_ORIGINS = ("channel:y", "channel:y", "channel:y", "mcp_external", "user_direct", "agent_derived", "import:x")


@dataclass(frozen=True, slots=True, kw_only=True)
class Say:
    """One or more facts in one call."""

    items: tuple[Store, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finish:
    """``end_fact``, whatever the value was."""

    at: int | None = 4
    subject: str = "Atlas"
    origin: str = "unattributed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decide:
    """Approve or reject one of the requests, also those decided already."""

    which: int
    decision: Literal["approve", "reject"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Purge:
    """``invalidate_by_origin``, after its dry run; ``since`` picks an instant at which something was learned."""

    origin: str = "channel:y"
    since: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Undo:
    """Undo one of the operations that stand."""

    which: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelve:
    """Retract, forget or restore one of the rows there ever were."""

    how: Literal["retract", "forget", "restore"]
    which: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """Time passes."""

    hours: float = 1.2


Step = Say | Finish | Decide | Purge | Undo | Shelve | Wait | Alias | Declare

_origins = st.sampled_from(DOUBTED_ORIGINS)
_stores = st.builds(
    Store,
    subject=st.sampled_from(("Atlas", "Atlas", "Atlas", "Borea")),
    predicate=st.sampled_from(("office", "office", "office", "knows")),
    value=st.integers(0, 1),
    start=st.one_of(st.none(), st.integers(-2, 4)),
    length=st.sampled_from((None, None, None, 1, 2, 3)),
    origin=_origins,
    claim=st.sampled_from((None, None, None, 0.2)),
    cites=st.one_of(st.none(), st.none(), st.integers(0, 9)),
    spelling=st.integers(0, 2),
)
_says = st.one_of(
    _stores.map(lambda one: Say(items=(one,))),
    _stores.map(lambda one: Say(items=(one,))),
    st.lists(_stores, min_size=2, max_size=5).map(lambda items: Say(items=tuple(items))),
)
_which = st.integers(0, 9)
steps: st.SearchStrategy[Step] = st.one_of(
    _says,
    _says,
    _says,
    st.builds(Finish, at=st.one_of(st.none(), st.integers(-1, 4)), origin=_origins),
    st.builds(Decide, which=_which, decision=st.sampled_from(("approve", "approve", "reject"))),
    st.builds(Purge, origin=st.sampled_from(PURGEABLE), since=st.one_of(st.none(), st.none(), _which)),
    st.builds(Purge, origin=st.sampled_from(PURGEABLE), since=st.one_of(st.none(), st.none(), _which)),
    st.builds(Undo, which=_which),
    st.builds(Shelve, how=st.sampled_from(("retract", "retract", "forget", "restore")), which=_which),
    st.builds(Wait, hours=st.sampled_from(HOURS)),
    st.builds(Alias, canonical=st.one_of(st.none(), st.just("Atlas")), alias=st.just("Borea")),
    st.sampled_from((Declare(), Declare(cardinality="one"))),
)


def take(world: Doubter, step: Step) -> None:
    """Do the step to the engine, hold its answer against what must come, and keep what was said."""
    world.clock.now += timedelta(seconds=2)
    match step:
        case Say():
            say(world, step)
        case Finish():
            finish(world, step)
        case Decide():
            decide(world, step)
        case Purge():
            purge(world, step)
        case Undo():
            undo(world, step)
        case Shelve():
            shelve(world, step)
        case Wait():
            world.clock.now += timedelta(hours=step.hours)
            world.pass_time()
        case Alias():
            alias(world, step)
        case Declare():
            declare(world, step)


# ----------------------------------------------------------------------------------------------------------- saying


def prepared(world: Doubter, items: Sequence[Store]) -> list[Doubted]:
    """What the items say; those whose end is not after their start are left out."""
    found = []
    rows = [one for one in world.doubted() if one.id is not None]
    for item in items:
        start = world.clock.now if item.start is None else instant(item.start)
        until = None if item.length is None else instant((0 if item.start is None else item.start) + item.length)
        if until is not None and until <= start:
            continue
        cited = [] if item.cites is None or not rows else [rows[item.cites % len(rows)]]
        cites = tuple(one.name for one in cited)
        object_ = OBJECTS[item.predicate][item.value]
        learned = world.next_learned()
        found.append(
            Doubted(
                name=f"event-{learned}",
                subject=spelled(item.subject, item.spelling),
                predicate=item.predicate,
                object=object_,
                content=content_of(item.predicate, object_),
                start=start,
                until=until,
                origin=item.origin,
                claim=item.claim,
                trust=0.0,
                learned=learned,
                cites=cites,
                cited_ids=tuple(str(one.id) for one in cited),
                ingested=world.clock.now,
            )
        )
    return found


def say(world: Doubter, step: Say) -> None:
    """Store what is said: held exactly where it makes a burst, which takes its earlier writes with it."""
    said = prepared(world, step.items)
    if not said:
        return
    keys = [world.key(one.origin, one.subject) for one in said]
    bursts = {
        key for key, one in zip(keys, said, strict=True) if world.is_burst(one.origin, one.subject, keys.count(key))
    }
    before = {identity: world.reading(identity) for identity in world.identities()}
    pairs = [(entry_of(world, one), meta_of(one)) for one in said]
    outcomes = [world.engine.store_temporal(*pairs[0])] if len(pairs) == 1 else world.engine.store_many(pairs)
    for key, one in zip(keys, said, strict=True):
        if key in bursts:
            world.hold_earlier(one.origin, one.subject)
    for one in said:  # what the burst took with it cannot be cited
        one.trust, one.cut_trust = world.trust_unless_fallen(one.origin, one.claim, one.cites)
    for key, one, outcome in zip(keys, said, outcomes, strict=True):
        assert (outcome.status == "held") == (key in bursts), f"{one.name} of {one.origin}: {outcome}"
        one.decision = "held" if key in bursts else "accepted"
        one.settle()
        one.id = outcome.id if outcome.status in {"stored", "held"} else None
        world.count(one)
        world.written.append(one)
        if outcome.status == "held":
            assert outcome.approval_id in {request.id for request in world.pending()}
            assert not outcome.is_current
    if not bursts and all(one.until is None for one in said):
        loses_nothing(world, before)


def loses_nothing(world: Doubter, before: dict[Identity, Reading]) -> None:
    """Law 3: no instant that had a value loses it."""
    for identity in world.identities():
        old = before.get(identity)
        if old is not None:
            new = world.reading(identity)
            lost = [at for at in new.bounds() if old.value_at(at) is not None and new.value_at(at) is None]
            assert not lost, f"law 3: lost {lost}"


def finish(world: Doubter, step: Finish) -> None:
    """End the office; refused where nothing holds."""
    at = world.clock.now if step.at is None else instant(step.at)
    identity = world.identity(step.subject, "office", None)
    learned = world.next_learned()
    one = Doubted(
        name=f"event-{learned}",
        kind="end",
        subject=step.subject,
        predicate="office",
        object=None,
        start=at,
        origin=step.origin,
        trust=world.ceiling(step.origin, None),
        learned=learned,
        ingested=world.clock.now,
    )
    is_burst = world.is_burst(step.origin, step.subject, 1)
    # the burst's earlier writes are held before it is looked at whether a value stands
    standing = world.reading(identity).value_at(at)
    if is_burst:
        names = {each.name for each in world.in_window(world.key(step.origin, step.subject))}
        if any(each.name in names and each.state == "live" for each in world.doubted()):
            return  # whether a value stands then is anyone's guess

    def end() -> karte.EndOutcome:
        when = None if step.at is None else at
        return world.engine.end_fact(world.agent, step.subject, "office", when, one.name, origin=step.origin)

    if standing is None:
        refused(world, end)
        return
    outcome = end()
    assert outcome.held == is_burst
    one.decision = "held" if is_burst else "accepted"
    one.settle()
    world.count(one)
    world.written.append(one)


# --------------------------------------------------------------------------------------------------------- deciding


def decide(world: Doubter, step: Decide) -> None:
    """Decide a request: what was decided already, or too late, is refused and changes nothing."""
    requests = world.requests()
    if not requests:
        return
    request = requests[step.which % len(requests)]
    if request.state != "pending":
        refused(world, lambda: world.engine.decide(request.id, step.decision), karte.AlreadyDecided)
        return
    before = {identity: world.reading(identity) for identity in world.identities()}
    answer = world.engine.decide(request.id, step.decision, by="somebody")
    assert answer.state == ("approved" if step.decision == "approve" else "rejected")
    if step.decision == "approve":
        world.release(request)
        if all(one.kind == "value" and one.until is None for one in world.named_ones(request.names)):
            loses_nothing(world, before)
    else:
        world.reject(request)


# ------------------------------------------------------------------------------------------- taking back and giving


def purge(world: Doubter, step: Purge) -> None:
    """Take an origin back: the dry run writes nothing and foresees everything."""
    said = world.doubted()
    since = None if step.since is None or not said else said[step.since % len(said)].ingested
    engine, made, before = world.engine, world.made, world.dump()
    foreseen = engine.invalidate_by_origin(world.agent, step.origin, since=since, dry_run=True)
    assert changed(before, world.dump()) == [], "a dry run writes nothing"
    assert foreseen.operation_id is None
    world.made = made
    done = engine.invalidate_by_origin(world.agent, step.origin, since=since)
    assert done.operation_id is not None
    for part in ("falls", "returns", "cut", "survivors", "approvals"):
        assert getattr(foreseen, part) == getattr(done, part), f"a dry run foresees what {part}"
    what = [one for one in said if one.origin == step.origin and (since is None or one.ingested >= since)]
    fell = {one.id for one in what if one.id is not None and one.state not in {"purged", "retracted", "rejected"}}
    assert fell <= set(done.falls), "every row of the origin falls"
    world.cover(done.operation_id, "purged", what)


def undo(world: Doubter, step: Undo) -> None:
    """Give back what an operation took."""
    standing = sorted(world.operations)
    if not standing:
        return
    operation = standing[step.which % len(standing)]
    world.engine.undo_operation(operation)
    world.uncover(operation)
    waiting = {name for request in world.pending() for name in request.names}
    for one in world.doubted():  # what was rejected while it was taken back stays so
        if one.state == "held" and one.name not in waiting:
            one.decision = "rejected"
            one.settle()
    refused(world, lambda: world.engine.undo_operation(operation), karte.AlreadyDecided)


def shelve(world: Doubter, step: Shelve) -> None:
    """Retract, forget or restore a row, whatever became of it."""
    rows = [one for one in world.doubted() if one.id is not None]
    if not rows:
        return
    one = rows[step.which % len(rows)]
    engine, id = world.engine, str(one.id)
    if step.how == "restore":
        assert engine.restore(world.agent, id) == one.is_away
        one.is_away = False
    elif step.how == "forget":
        can = not one.is_away and one.state != "held"
        assert engine.forget(world.agent, id) == can, f"forgetting what is {one.state}"
        one.is_away = one.is_away or can
    elif one.is_away or one.state == "held":
        refused(world, lambda: engine.retract(world.agent, id), karte.NotFound)
    else:
        outcome = engine.retract(world.agent, id)
        assert (outcome.operation_id is None) == (one.state != "live")
        if outcome.operation_id is not None:
            world.cover(outcome.operation_id, "retracted", [one])
    one.settle()


# --------------------------------------------------------------------------------------------------------- checking


def check_doubts(world: Doubter) -> None:
    """Every timeline is what still counts makes of it; what is held shows nowhere; marks and requests agree."""
    world.pass_time()
    check(world)
    pending = world.pending()
    asked = {name for request in pending if request.kind == "knowledge_conflict" for name in request.names}
    assert world.contested() <= asked, "what is outvoted waits for a person"
    waiting = {name for request in pending if request.kind == "knowledge_quarantine" for name in request.names}
    held = {one.name for one in world.doubted() if one.state == "held"}
    assert held <= waiting, "what is held waits for a person"
    for one in world.doubted():
        check_row(world, one)


def check_row(world: Doubter, one: Doubted) -> None:
    """The row shows how its assertion stands."""
    if one.id is None:
        return
    row = world.engine.get_by_id(world.agent, one.id)
    if one.is_away or one.state == "held":
        assert row is None, f"{one.name} is put away or {one.state}"
        return
    assert row is not None
    assert row.state == one.state, one.name
    if one.state in {"purged", "rejected"}:
        assert row.valid_until is not None, f"{one.name} is {one.state}"
        event = {"purged": "origin_purge", "rejected": "quarantine_reject"}[one.state]
        assert row.invalidated_by_event == event, one.name
        assert row.invalidated_at is not None
    if one.state == "rejected":
        assert row.origin_trust <= 0.1
