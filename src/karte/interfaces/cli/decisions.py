"""``karte decisions``: questions that wait for their answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from karte.domain.decisions import DEFAULT_TTL_DAYS
from karte.interfaces.cli import options
from karte.interfaces.cli.exits import Exit
from karte.interfaces.cli.session import Session
from karte.interfaces.cli.text import short_time
from karte.interfaces.life_records import decision_object
from karte.interfaces.records import JsonObject

if TYPE_CHECKING:
    from karte.interfaces.cli.screen import Screen


@click.group("decisions")
def decisions_command() -> None:
    """Questions that wait for their answer; an unanswered one expires."""


@options.command("list", decisions_command)
def list_decisions(session: Session) -> None:
    """What is open, oldest first."""
    with session.engine(reads_only=True) as engine:
        found = [decision_object(decision) for decision in engine.list_open_decisions(session.agent)]

    def draw(screen: Screen) -> None:
        if not found:
            screen.line("no decision is open", "quiet")
            return
        rows = [
            (each["id"], _asked(each), short_time(each["expires_at"]) if "expires_at" in each else "never")
            for each in found
        ]
        screen.table(["id", "question", "expires"], rows)

    session.answer({"decisions": found, "total": len(found)}, draw)


@options.command("open", decisions_command)
@click.argument("question")
@click.option("--option", "offered", multiple=True, metavar="TEXT", help="A possible answer; as often as wanted.")
@click.option("--id", "id", metavar="NAME", help="A name for it [default: a new id].")
@click.option("--days", type=float, default=DEFAULT_TTL_DAYS, show_default=True, help="How long it waits.")
@click.option("--never-expires", is_flag=True, help="It waits for ever.")
@options.origin()
def open_decision(
    session: Session,
    *,
    question: str,
    offered: tuple[str, ...],
    id: str | None,
    days: float,
    never_expires: bool,
    origin: str | None,
) -> Exit:
    """Ask a question that is to be decided. Ends in 4 where it is held for a curator."""
    options.not_both("days", "never_expires")
    with session.engine() as engine:
        opened = engine.open_decision(
            session.agent,
            question,
            options=offered,
            ttl_days=None if never_expires else days,
            id=id,
            origin=origin or options.OPERATOR,
        )
    return _tell(session, decision_object(opened))


@options.command("resolve", decisions_command)
@click.argument("id")
@click.argument("resolution")
@options.origin()
def resolve_decision(session: Session, *, id: str, resolution: str, origin: str | None) -> Exit:
    """Answer an open question. Ends in 4 where the answer is held, or outvoted by a curated one."""
    with session.engine() as engine:
        resolved = engine.resolve_decision(session.agent, id, resolution, origin=origin or options.OPERATOR)
    return _tell(session, decision_object(resolved))


def _tell(session: Session, data: JsonObject) -> Exit:
    def draw(screen: Screen) -> None:
        screen.line(f"{data['state']}  {data['id']}", "warn" if "approval_id" in data else "now")
        screen.line(_asked(data))
        if "resolution" in data:
            screen.line(f"decided: {data['resolution']}", "value")
        if "approval_id" in data:
            screen.line(f"waits for a curator: {data['approval_id']}", "warn")

    session.answer(data, draw)
    return Exit.HELD if "approval_id" in data else Exit.DONE


def _asked(data: JsonObject) -> str:
    offered = " / ".join(data["options"])
    return f"{data['question']}  ({offered})" if offered else str(data["question"])
