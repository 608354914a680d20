"""Commands for what waits for a person: approvals list, show, approve, reject."""

from __future__ import annotations

import getpass
from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

import click
from rich.text import Text

from karte.domain.approvals import ApprovalState
from karte.interfaces.cli import options
from karte.interfaces.cli.rollback import command_line, touched_row
from karte.interfaces.cli.session import Session
from karte.interfaces.cli.text import number, one_line, short_time
from karte.interfaces.curation import approval_object, approval_page
from karte.interfaces.records import JsonObject

if TYPE_CHECKING:
    from karte.engine import SqliteMemoryEngine
    from karte.interfaces.cli.screen import Screen

ALL = "all"
STATES = (*(state.value for state in ApprovalState), ALL)
MOST_AT_ONCE = 100


@click.group("approvals")
def approvals_command() -> None:
    """What waits for a decision: held memories, and words against a curated fact.

    What nobody decides in time counts as rejected.
    """


@options.command("list", approvals_command)
@click.option("--state", type=click.Choice(STATES), default="pending", help="Which [default: pending].")
@click.option("-n", "--limit", type=click.IntRange(1), default=50, metavar="N", help="At most so many [default: 50].")
@click.option("--cursor", metavar="C", help="Where the list before ended.")
def approvals_list_command(session: Session, *, state: str, limit: int, cursor: str | None) -> None:
    """The requests, newest first."""
    with session.engine(reads_only=True) as engine:
        states = None if state == ALL else state
        data = approval_page(engine.approvals(session.agent, state=states, limit=limit, cursor=cursor))

    def draw(screen: Screen) -> None:
        if not data["approvals"]:
            screen.line("nothing waits for a decision" if state == "pending" else "none", "quiet")
            return
        screen.table(["request", ">items", "state"], [_row(approval) for approval in data["approvals"]])
        if data["truncated"]:
            screen.line(f"{len(data['approvals'])} of {number(data['total'], 'request')}", "quiet")
            rest = ["--state", state, "-n", str(limit), "--cursor", data["next_cursor"]]
            screen.command(command_line(session, "approvals", "list", *rest))

    session.answer(data, draw)


@options.command("show", approvals_command)
@click.argument("id")
def approvals_show_command(session: Session, *, id: str) -> None:
    """One request: every item, what it would displace, and what stands against it."""
    with session.engine(reads_only=True) as engine:
        data = approval_object(engine.get_approval(id, agent=session.agent))
        displaced = {} if session.as_json else _displaced(engine, session.agent, data)
    session.answer(data, lambda screen: _draw_request(screen, session, data, displaced))


@options.command("approve", approvals_command)
@click.argument("id")
@click.option("--reason", default="", metavar="TEXT", help="Why.")
def approvals_approve_command(session: Session, *, id: str, reason: str) -> None:
    """Let in what is held, or make a contested value count."""
    _decide(session, id, "approve", reason)


@options.command("reject", approvals_command)
@click.argument("id")
@click.option("--reason", default="", metavar="TEXT", help="Why.")
def approvals_reject_command(session: Session, *, id: str, reason: str) -> None:
    """Keep out for good what is held or contested."""
    _decide(session, id, "reject", reason)


def _decide(session: Session, id: str, decision: Literal["approve", "reject"], reason: str) -> None:
    with session.engine() as engine:
        decided = engine.decide(id, decision, by=who(), reason=reason, agent=session.agent)
    data = approval_object(decided)
    told = f"{data['state']} {data['id']} ({number(data['items_total'], 'item')}), by {one_line(data['decided_by'])}"
    session.answer(data, lambda screen: screen.line(told))


def who() -> str:
    """Who decides: the user of this machine, as far as it knows one."""
    try:
        return getpass.getuser().strip() or options.OPERATOR
    except (OSError, KeyError, ImportError):  # a process without a user's name, as in some containers
        return options.OPERATOR


def _row(approval: JsonObject) -> tuple[Text, str, Text]:
    told = Text(one_line(approval["summary"]))
    told.append(f"\n{approval['id']}  {one_line(approval.get('origin', ''))}", style="dim")
    state = Text(approval["state"], style="yellow" if approval["state"] == "pending" else "")
    state.append(f"\n{_until(approval)}", style="dim")
    return told, f"{approval['items_total']:,}", state


def _until(approval: JsonObject) -> str:
    if approval["state"] == "pending":
        return f"until {short_time(approval['expires_at'])}"
    return short_time(approval.get("decided_at", approval["expires_at"]))


def _displaced(engine: SqliteMemoryEngine, agent: str, data: JsonObject) -> Mapping[str, str]:
    """What the ids that would be displaced say."""
    ids = list(dict.fromkeys(id for item in data["items"] for id in item["displaces"]))
    said: dict[str, str] = {}
    for first in range(0, len(ids), MOST_AT_ONCE):
        found = engine.get_by_ids(agent, ids[first : first + MOST_AT_ONCE]).memories
        said |= {memory.id: memory.object or memory.content for memory in found}
    return said


def _draw_request(screen: Screen, session: Session, data: JsonObject, displaced: Mapping[str, str]) -> None:
    screen.line(one_line(data["summary"]), "value")
    screen.pairs(
        (name, one_line(str(data[key])))
        for name, key in (("id", "id"), ("kind", "action_kind"), ("from", "origin"), ("subject", "subject"))
        if key in data
    )
    decided = f", by {one_line(data['decided_by'])}" if "decided_by" in data else ""
    reason = f": {one_line(data['reason'])}" if "reason" in data else ""
    screen.pairs(
        [
            ("asked", short_time(data["created_at"])),
            ("state", f"{data['state']} {_until(data)}{decided}{reason}"),
        ]
    )
    if not data["items"]:
        return
    screen.line()
    rows = []
    for item in data["items"]:
        told, fact, when, _ = touched_row(item)
        rows.append((told, fact, when, _effect(item, displaced)))
    screen.table(["value", "fact", "true", "effect"], rows)
    if data["state"] == "pending":
        screen.line("To decide (or reject, with --reason):", "quiet")
        screen.command(command_line(session, "approvals", "approve", data["id"]))


def _effect(item: JsonObject, displaced: Mapping[str, str]) -> Text:
    lines = [f"against {one_line(item['against'])}"] if "against" in item else []
    lines += [f"would displace {one_line(displaced.get(id, ''))} {one_line(id)}" for id in item["displaces"]]
    return Text("\n".join(lines))
