"""Commands that take back and give back: purge, undo."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import click
from rich.text import Text

from karte.domain.trust import CUT_TRUST
from karte.interfaces.cli import options
from karte.interfaces.cli.exits import Exit
from karte.interfaces.cli.session import Session
from karte.interfaces.cli.text import number, one_line, short_time
from karte.interfaces.cli.timeline import interval
from karte.interfaces.curation import rollback_object
from karte.interfaces.records import JsonObject

if TYPE_CHECKING:
    from karte.engine import SqliteMemoryEngine
    from karte.interfaces.cli.screen import Screen

LONGEST_CONTENT: Final = 400


@options.command("purge")
@click.argument("origin")
@click.option("--since", metavar="T", help="Only what was learned at T or later.")
@click.option("--dry-run", is_flag=True, help="Only say what it would do.")
@click.option("--yes", "is_sure", is_flag=True, help="Do not ask.")
def purge_command(session: Session, *, origin: str, since: str | None, dry_run: bool, is_sure: bool) -> Exit:
    """Take back all that came from exactly this ORIGIN.

    Nothing is deleted: it counts no more, what it had displaced returns, and "karte undo" gives it
    back. Shows what would happen and asks; where nobody can be asked it needs --yes. Ends in 1
    where nothing stands that came from there, 3 where the answer was no.
    """
    if not (dry_run or is_sure):
        options.needs_somebody_to_ask("takes back what came from there")
    with session.engine() as engine:
        if not is_sure:
            data = rollback_object(engine.invalidate_by_origin(session.agent, origin, since=since, dry_run=True))
            closing = _closing(engine, session.agent, data)
            if dry_run or _is_empty(data):
                session.answer(data, lambda screen: _draw_dry_run(screen, session, data, since, closing))
                return Exit.ABSENT if _is_empty(data) else Exit.DONE
            if not session.as_json:
                session.answer(data, lambda screen: draw_document(screen, session.agent, data, closing))
            if not click.confirm(f"Take back {_counted(data)}?", default=False, err=True):
                session.note("nothing was written")
                return Exit.REFUSED
        done = rollback_object(engine.invalidate_by_origin(session.agent, origin, since=since))
        closed = None if not is_sure else _closing(engine, session.agent, done)
    session.answer(done, lambda screen: _draw_done(screen, session, done, closed))
    return Exit.ABSENT if _is_empty(done) else Exit.DONE


@options.command("undo")
@click.argument("operation")
def undo_command(session: Session, *, operation: str) -> Exit:
    """Let what OPERATION took back count again, unless another that stands took it back too.

    A purge and a retraction name their operation. Ends in 1 where there is none.
    """
    with session.engine() as engine:
        data = rollback_object(engine.undo_operation(operation, agent=session.agent))

    def draw(screen: Screen) -> None:
        screen.line(f"undone: {number(data['returns_total'], 'memory counts', 'memories count')} again", "value")
        _draw_touched(screen, data["returns"])
        if data["approvals"]:
            screen.line(f"open again: {', '.join(data['approvals'])}", "warn")
        if data["missing"]:
            screen.line(f"erased meanwhile, and gone: {', '.join(map(one_line, data['missing']))}", "off")

    session.answer(data, draw)
    return Exit.DONE


def _is_empty(data: JsonObject) -> bool:
    return not data["falls"] and not data["names"] and not data["pages"]


def _closing(engine: SqliteMemoryEngine, agent: str, data: JsonObject) -> list[str]:
    """The requests that close, in words."""
    return [f"{id}: {engine.get_approval(id, agent=agent).summary}" for id in data["approvals"]]


def _draw_dry_run(
    screen: Screen, session: Session, data: JsonObject, since: str | None, closing: Sequence[str]
) -> None:
    draw_document(screen, session.agent, data, closing)
    if _is_empty(data):
        screen.line("Nothing stands that came from exactly this origin; nothing was written.", "quiet")
        return
    screen.line("Nothing was written. To do it:", "value")
    learned = ["--since", since] if since else []
    screen.command(command_line(session, "purge", *learned, "--yes", "--", data["origin"]))


def _draw_done(screen: Screen, session: Session, data: JsonObject, closed: Sequence[str] | None) -> None:
    if closed is not None:
        draw_document(screen, session.agent, data, closed)
    screen.line(f"Done, as operation {data['operation_id']}. To undo it:", "value")
    screen.command(command_line(session, "undo", data["operation_id"]))


def draw_document(screen: Screen, agent: str, data: JsonObject, closing: Sequence[str]) -> None:
    """The blast radius as a document that one would sign: whose, from where, and every consequence."""
    screen.line("Dry run: taking an origin back" if data["dry_run"] else "An origin was taken back", "head")
    since = f"what was learned on {short_time(data['since'])} (UTC) or later" if "since" in data else "all of it"
    screen.pairs(
        [
            ("agent", agent),
            ("origin", f"{one_line(data['origin'])}  (exactly this text)"),
            ("since", since),
            ("in short", _counted(data)),
        ]
    )
    for key, title in _SECTIONS:
        if data[key]:
            screen.line()
            screen.line(f"{title} ({data[f'{key}_total']:,})", "head")
            _draw_touched(screen, data[key], has_origin=key != "falls")
    _draw_lines(screen, "Names that lose their meaning", [_name(change) for change in data["names"]])
    _draw_lines(screen, "Pages that nobody vouches for any more", data["pages"])
    _draw_lines(screen, "Requests that close", closing)
    screen.line()


_SECTIONS: Final = (
    ("falls", "Falls"),
    ("returns", "Returns, and holds where it did not"),
    ("survivors", "Survives, on another's word"),
    ("cut", f"Is cut to a trust of {CUT_TRUST:g} at most, since it was derived from what falls"),
)


def _counted(data: JsonObject) -> str:
    counts = [
        f"{number(data['falls_total'], 'memory falls', 'memories fall')}",
        f"{data['returns_total']:,} {'returns' if data['returns_total'] == 1 else 'return'}",
        f"{data['survivors_total']:,} {'survives' if data['survivors_total'] == 1 else 'survive'}",
        f"{data['cut_total']:,} {'is' if data['cut_total'] == 1 else 'are'} cut",
        f"{number(data['approvals_total'], 'request closes', 'requests close')}",
    ]
    if data["pages"]:
        counts.append(number(data["pages_total"], "page is flagged", "pages are flagged"))
    if data["names"]:
        counts.append(number(data["names_total"], "name changes", "names change"))
    return ", ".join(counts)


def _draw_lines(screen: Screen, title: str, lines: Sequence[str]) -> None:
    if lines:
        screen.line()
        screen.line(f"{title} ({len(lines):,})", "head")
        for line in lines:
            screen.line(f"  {one_line(line)}")


def _draw_touched(screen: Screen, elements: Sequence[JsonObject], *, has_origin: bool = True) -> None:
    if elements:
        width = 4 if has_origin else 3
        rows = [touched_row(element)[:width] for element in elements]
        screen.table(["value", "fact", "true", "on the word of"][:width], rows)


def touched_row(element: JsonObject) -> tuple[Text, Text, Text, Text]:
    """One thing that a decision touches: its value and words, its fact, when it is true, and from whom."""
    value, content = one_line(element.get("object", "")), one_line(element["content"])
    told = Text(value or _shortened(content), style="bold" if value else "")
    if value and content != value:
        told.append(f"\n{_shortened(content)}", style="not bold")
    for id in (element.get("id"), element.get("memory_id")):
        if id is not None:
            told.append(f"\n{one_line(id)}", style="not bold dim")
    named = [one_line(element[key]) for key in ("subject", "predicate") if key in element]
    trust = f"\ntrust {element['origin_trust']:.2f}" if "origin_trust" in element else ""
    origin = f"{one_line(element.get('origin', ''))}{trust}"
    return told, Text(" · ".join(named) or "a plain memory"), _when(element), Text(origin)


def _when(element: JsonObject) -> Text:
    if "valid_from" not in element:
        when = Text("")
    elif element.get("valid_until") == element["valid_from"]:
        when = Text("outvoted, never held")
    else:
        when = Text(interval(element))
    state = str(element.get("state", "live")).replace("quarantined", "held")
    return when if state == "live" else when.append(f"\n{state}" if len(when) else state, style="yellow")


def _shortened(content: str) -> str:
    return content if len(content) <= LONGEST_CONTENT else content[: LONGEST_CONTENT - 1] + "…"


def _name(change: JsonObject) -> str:
    said, before = change.get("said", "nothing"), change.get("before", "nothing")
    return f"{change['kind']} {change['name']}: no longer {said}, but {before}"


def command_line(session: Session, *words: str) -> str:
    """A command line that does this on the same file, for the same agent."""
    file = ["--db", session.db] if session.db else []
    agent = ["--agent", session.agent_option] if session.agent_option else []
    return shlex.join(["karte", *file, *agent, *words])
