"""Commands about what happened: events, audit."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

import click

from karte.domain.events import AUDIT_KINDS, SECURITY_KINDS, Event, EventKind, event_object
from karte.interfaces.cli import options
from karte.interfaces.cli.exits import Exit
from karte.interfaces.cli.session import Session
from karte.interfaces.cli.text import number, one_line, short_time
from karte.interfaces.records import JsonObject, to_json, without_absent

if TYPE_CHECKING:
    from karte.domain.model import Page
    from karte.engine import SqliteMemoryEngine
    from karte.interfaces.cli.screen import Screen

LOOK_SECS: Final = 0.5
MOST_AT_ONCE: Final = 1_000
LONGEST_DETAIL: Final = 200


def _kinds(known: Iterable[EventKind]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    choice = click.Choice(sorted(kind.value for kind in known))
    return click.option(
        "--kind",
        "kinds",
        multiple=True,
        metavar="K",
        type=choice,
        help="Only this kind (may be repeated).",
    )


@options.command("events")
@_kinds(EventKind)
@click.option("-n", "--limit", default=20, show_default=True, metavar="N", help="At most N events.")
@click.option("--after", type=click.IntRange(min=0), metavar="SEQ", help="Those after this number, not the newest.")
@click.option("--follow", is_flag=True, help="Go on and show what happens, until Ctrl-C.")
def events_command(session: Session, *, kinds: tuple[str, ...], limit: int, after: int | None, follow: bool) -> None:
    """What happened to knowledge, the newest last.

    Of all agents, unless --agent names one.
    """
    with session.engine(reads_only=True) as engine:
        if follow:
            _follow(session, engine, kinds, limit, after)
            return
        page, items = _page(engine.events, session, kinds, limit, after)
        data = _data(page, items, after)
    session.answer(data, lambda screen: _draw(screen, data, "nothing has happened yet"))


@options.command("audit")
@_kinds(AUDIT_KINDS)
@click.option("-n", "--limit", default=50, show_default=True, metavar="N", help="At most N events.")
@click.option("--after", type=click.IntRange(min=0), metavar="SEQ", help="Those after this number, not the newest.")
def audit_command(session: Session, *, kinds: tuple[str, ...], limit: int, after: int | None) -> Exit:
    """The security audit: attacks that were stopped, holds, decisions, purges, erasures.

    Of all agents, unless --agent names one. Ends in 1 where an attack was found; --after looks
    only at what came later.
    """
    with session.engine(reads_only=True) as engine:
        found: list[int] = []

        def audit(agent: str | None, **asked: Any) -> Page[Event]:
            page = engine.audit(agent, **asked)
            found.append(page.findings)
            return page

        page, items = _page(audit, session, kinds, limit, after)
        data = {"findings": found[0], **_data(page, items, after)}

    def draw(screen: Screen) -> None:
        _draw(screen, data, "nothing to tell")
        findings = data["findings"]
        told = f"{number(findings, 'attack')} found and stopped" if findings else "no attack was found"
        screen.line(told, "warn" if findings else "now")

    session.answer(data, draw)
    return Exit.ABSENT if data["findings"] else Exit.DONE


def _page(
    ask: Callable[..., Page[Event]], session: Session, kinds: Sequence[str], limit: int, after: int | None
) -> tuple[Page[Event], list[Event]]:
    """The events after a number, or the newest; the newest stand last in either case."""
    is_tail = after is None
    page = ask(session.agent_option, kinds=kinds, after=after or 0, limit=limit, newest_first=is_tail)
    return page, sorted(page, key=lambda event: event.sequence)


def _data(page: Page[Event], items: Sequence[Event], after: int | None) -> JsonObject:
    goes_on = page.next_cursor is not None
    return without_absent(
        {
            "events": [event_object(event) for event in items],
            "total": page.total,
            "truncated": goes_on,
            "next_after": items[-1].sequence if goes_on and after is not None else None,
        }
    )


def _follow(session: Session, engine: SqliteMemoryEngine, kinds: Sequence[str], limit: int, after: int | None) -> None:
    """Shows what there is, one event a line, then looks again and again: other processes write too."""
    _, items = _page(engine.events, session, kinds, limit, after)
    last = after or 0
    while True:
        for event in items:
            said = event_object(event)
            click.echo(to_json(said) if session.as_json else "  ".join(_cells(said)))
            last = event.sequence
        if len(items) < MOST_AT_ONCE:
            time.sleep(LOOK_SECS)
        items = list(engine.events(session.agent_option, kinds=kinds, after=last, limit=MOST_AT_ONCE))


def _draw(screen: Screen, data: JsonObject, nothing: str) -> None:
    events = data["events"]
    if not events:
        screen.line(nothing, "quiet")
        return
    screen.table([">no", "when", "what"], map(_row, events))
    if data["total"] > len(events):
        screen.line(f"{len(events)} of {number(data['total'], 'event')}", "quiet")
    if "next_after" in data:
        screen.line(f"more: --after {data['next_after']}", "quiet")


def _row(event: JsonObject) -> list[str]:
    """An event of a table: its number, its time, and below each other what happened and to what."""
    number_, when, *told = _cells(event)
    return [number_, when, "\n".join(told)]


def _cells(event: JsonObject) -> list[str]:
    """An event in five parts: number, time, what happened, of whom and about what, and the rest."""
    kind = f"{event['kind']} ({event['level']})" if event["kind"] in SECURITY_KINDS else event["kind"]
    about = [event["agent"]]
    about += [f"from {event['origin']}"] if "origin" in event else []
    about += [f"about {event['subject']}"] if "subject" in event else []
    cells = [str(event["sequence"]), short_time(event["happened_at"]), kind, one_line(", ".join(about))]
    return cells + [detail for detail in (_detail(event["data"]),) if detail]


def _detail(data: JsonObject) -> str:
    told = one_line(
        "  ".join(f"{name}: {value if isinstance(value, str) else to_json(value)}" for name, value in data.items())
    )
    return told if len(told) <= LONGEST_DETAIL else f"{told[: LONGEST_DETAIL - 1]}…"
