"""Commands about facts over time: at, history, end, expire, retract."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from karte.domain.entities import normalise
from karte.domain.model import TemporalRecord
from karte.domain.time import parse_instant
from karte.errors import AmbiguousValue
from karte.interfaces.cli import options
from karte.interfaces.cli.exits import Exit
from karte.interfaces.cli.session import Session
from karte.interfaces.cli.text import number, one_line, short_time
from karte.interfaces.cli.timeline import draw, interval, summary
from karte.interfaces.records import JsonObject, at_result, end_outcome, history_result

if TYPE_CHECKING:
    from karte.engine import SqliteMemoryEngine
    from karte.interfaces.cli.screen import Screen


@options.command("at")
@click.argument("subject")
@click.argument("predicate")
@click.argument("at", required=False, metavar="[T]")
@options.object_()
@options.known_at()
def at_command(
    session: Session, *, subject: str, predicate: str, at: str | None, object: str | None, known_at: str | None
) -> Exit:
    """What a fact was at the instant T (now, if none is given).

    Where several values hold (see "karte predicate"), all of them are the answer. Ends in 1
    where nothing holds.
    """
    with session.engine(reads_only=True) as engine:
        moment = engine.now() if at is None else parse_instant(at, "at")
        records, is_many = _holding(engine, session.agent, subject, predicate, at, object, known_at)
    data = at_result(subject, predicate, moment, records, is_many=is_many)

    def show(screen: Screen) -> None:
        when = f"on {short_time(data['at'])}" if at else "now"
        for record in data.get("records", [data["record"]] if "record" in data else []):
            screen.line(record.get("object", record["content"]), "value")
            if "object" in record:
                screen.line(one_line(record["content"]))
            screen.line(f"{interval(record)}, {record['origin']}, {record['id']}", "quiet")
        if not records:
            screen.line(f"nothing holds for {one_line(subject)} · {one_line(predicate)} {when}", "quiet")

    session.answer(data, show)
    return Exit.DONE if records else Exit.ABSENT


def _holding(
    engine: SqliteMemoryEngine,
    agent: str,
    subject: str,
    predicate: str,
    at: str | None,
    object: str | None,
    known_at: str | None,
) -> tuple[Sequence[TemporalRecord], bool]:
    """The records that hold, and whether the question may have many answers."""
    declared = {normalise(name): cardinality for name, cardinality in engine.list_predicates(agent).items()}
    is_many = object is None and declared.get(normalise(predicate)) == "many"
    if not is_many:
        try:
            record = engine.get_at(agent, subject, predicate, at, object=object, known_at=known_at)
        except AmbiguousValue:  # declared otherwise at known_at
            is_many = True
        else:
            return ([] if record is None else [record]), False
    return engine.get_all_at(agent, subject, predicate, at, known_at=known_at), is_many


@options.command("history")
@click.argument("subject")
@click.argument("predicate")
@options.object_()
@options.known_at()
@click.option("--held", "is_held_too", is_flag=True, help="Also what is held for a decision.")
def history_command(
    session: Session, *, subject: str, predicate: str, object: str | None, known_at: str | None, is_held_too: bool
) -> Exit:
    """A fact over time: every stretch, oldest first, who said so, and what took over.

    Ends in 1 where there is none.
    """
    with session.engine(reads_only=True) as engine:
        records = engine.get_history(
            session.agent, subject, predicate, object=object, known_at=known_at, include_quarantined=is_held_too
        )
    data = history_result(subject, predicate, records)

    def show(screen: Screen) -> None:
        name = f"{one_line(subject)} · {one_line(predicate)}"
        if not records:
            screen.line(f"nothing is known about {name}", "quiet")
            return
        screen.line(name, "head")
        screen.line(summary(data["records"]), "quiet")
        screen.line()
        for line in draw(data["records"]):
            screen.spans(line)

    session.answer(data, show)
    return Exit.DONE if records else Exit.ABSENT


@options.command("end")
@click.argument("subject")
@click.argument("predicate")
@options.object_()
@click.option("--at", metavar="T", help="From when on it is no longer true [default: now].")
@click.option("--event", default="", metavar="E", help="What ended it.")
@options.origin()
def end_command(
    session: Session,
    *,
    subject: str,
    predicate: str,
    object: str | None,
    at: str | None,
    event: str,
    origin: str | None,
) -> Exit:
    """Say that a fact is no longer true, and nothing took over.

    The fact ends, whatever its value was, and no earlier value comes back; with -o only that
    value ends.
    """
    with session.engine() as engine:
        outcome = engine.end_fact(
            session.agent, subject, predicate, at, event, object=object, origin=origin or options.OPERATOR
        )
    data = end_outcome(outcome)
    session.answer(data, lambda screen: _draw_end(screen, data))
    return Exit.HELD if outcome.held else Exit.DONE


@options.command("expire")
@click.argument("subject")
@click.option("--event", default="", metavar="E", help="What ended them.")
@options.origin()
def expire_command(session: Session, *, subject: str, event: str, origin: str | None) -> Exit:
    """End all current facts of exactly this subject, from now on.

    Ends in 1 where none was current.
    """
    with session.engine() as engine:
        count = engine.expire_by_subject(session.agent, subject, event=event, origin=origin or options.OPERATOR)
    data = {"subject": subject, "expired": count}
    session.answer(data, lambda screen: screen.line(f"ended {number(count, 'current fact')}"))
    return Exit.DONE if count else Exit.ABSENT


@options.command("retract")
@click.argument("id")
@click.option("--event", default="", metavar="E", help="Why it is taken back.")
def retract_command(session: Session, *, id: str, event: str) -> Exit:
    """Take back the assertion that made a row; what it displaced returns."""
    with session.engine() as engine:
        outcome = engine.retract(session.agent, id, event=event)
    data = end_outcome(outcome)
    session.answer(data, lambda screen: _draw_end(screen, data))
    return Exit.HELD if outcome.held else Exit.DONE


def _draw_end(screen: Screen, data: JsonObject) -> None:
    if data["held"]:
        screen.line(f"held for a decision: {data.get('approval_id', '')}", "warn")
        return
    screen.line(f"ended {number(len(data['ended']), 'stretch', 'stretches')}")
    for id in data["ended"]:
        screen.line(f"  {id}", "quiet")
    if "holds_now" in data:
        screen.line(f"holds now: {data['holds_now']['id']}, since {short_time(data['holds_now']['valid_from'])}")
    else:
        screen.line("nothing holds now", "quiet")
    if "operation_id" in data:
        screen.line(f"to undo it: karte undo {data['operation_id']}", "quiet")
