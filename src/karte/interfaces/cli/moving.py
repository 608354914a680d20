"""Commands that give out what is held, and remove it for good: export, erase."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from karte.interfaces.cli import options
from karte.interfaces.cli.exits import Exit
from karte.interfaces.cli.session import Session
from karte.interfaces.cli.text import number
from karte.interfaces.records import erasure_object, exported_object

if TYPE_CHECKING:
    from karte.domain.erasure import Erasure
    from karte.interfaces.cli.screen import Screen

STDOUT = "-"


def _include_objects() -> options.Decorator:
    says = "Also facts of others that name it as their object."
    return click.option("--include-objects", is_flag=True, help=says)


@options.command("export")
@click.option("--subject", metavar="S", help="Only what is held about S (and its aliases).")
@click.option("--out", metavar="FILE|-", default=STDOUT, help="Where to [default: -, standard output].")
@click.option("--all-agents", is_flag=True, help="The whole file, not this agent alone.")
@_include_objects()
def export_command(session: Session, *, subject: str | None, out: str, all_agents: bool, include_objects: bool) -> None:
    """Give out all that is held, losslessly, as JSON lines (docs/transfer.md).

    To a file, the answer says how many rows of which table were written.
    """
    if all_agents and subject is not None:
        raise click.UsageError("--subject is of one agent; leave out --all-agents")
    agent = None if all_agents else session.agent
    with session.engine(reads_only=True) as engine:
        to = sys.stdout.write if out == STDOUT else out
        done = engine.export(to, agent=agent, subject=subject, include_objects=include_objects)
    if out == STDOUT:
        session.note(f"note: {number(done.lines, 'line')}")
        return
    data = exported_object(done)
    session.answer(data, lambda screen: _draw_counts(screen, f"{number(done.lines, 'line')} in {out}", data["rows"]))


@options.command("erase")
@click.argument("subject", required=False)
@click.option("--everything", is_flag=True, help="All of this agent instead of one subject.")
@click.option("--dry-run", is_flag=True, help="Only say what would be removed.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--keep-stop-list", is_flag=True, help="Keep hashes of the texts, so that they are not stored again.")
@_include_objects()
def erase_command(
    session: Session,
    *,
    subject: str | None,
    everything: bool,
    dry_run: bool,
    yes: bool,
    keep_stop_list: bool,
    include_objects: bool,
) -> Exit:
    """Remove all that is held about SUBJECT, under every name it goes by, for good.

    An exact name, never a part of one. Nothing brings it back. Ends in 1 where nothing is held, in 3 where the
    answer was no, in 5 where the rows are gone and the file could not be cleaned of their bytes.
    """
    if (subject is None) is not everything:
        raise click.UsageError("name a SUBJECT, or give --everything")
    what = "everything" if subject is None else f"all about {subject!r}"
    if not (dry_run or yes or _is_confirmed(session, what)):
        session.note("nothing was written")
        return Exit.REFUSED
    with session.engine() as engine:
        if session.progress() is not None and not dry_run:
            session.note("erasing, then cleaning the file ...")
        done = engine.erase(
            session.agent,
            subject=subject,
            everything=everything,
            include_objects=include_objects,
            keep_stop_list=keep_stop_list,
            dry_run=dry_run,
        )
    session.answer(erasure_object(done), lambda screen: _draw_erasure(screen, done))
    if not dry_run and not done.is_clean:
        return Exit.STORAGE
    return Exit.DONE if done.removed else Exit.ABSENT


def _is_confirmed(session: Session, what: str) -> bool:
    options.needs_somebody_to_ask(f"removes {what} of {session.agent!r} for good")
    return click.confirm(f"Remove {what} of {session.agent!r} for good?", default=False, err=True)


def _draw_erasure(screen: Screen, done: Erasure) -> None:
    if not done.removed:
        screen.line("nothing is held", "quiet")
    else:
        verb = "would remove" if done.dry_run else "removed"
        _draw_counts(screen, f"{verb} {number(done.total, 'row')}", done.removed)
    if len(done.names) > 1:
        screen.line(f"names: {', '.join(done.names)}", "quiet")
    if done.mentions:
        others = number(done.mentions, "memory of others names", "memories of others name")
        screen.line(f"{others} it as object and would go with --include-objects", "warn")
    if done.derived:
        screen.line(f"derived from it, and left: {', '.join(done.derived)}", "warn")
    if done.stopped:
        screen.line(f"{number(done.stopped, 'text')} kept out from now on")
    for where, count in done.leftovers.items():
        screen.line(f"left over: {number(count, 'row')} in {where}", "off")
    if done.unexamined:
        screen.line(f"tables of other programs, left alone: {', '.join(done.unexamined)}", "warn")
    if done.remedy:
        screen.line(f"its bytes may still be in the file: {done.remedy}", "warn")


def _draw_counts(screen: Screen, head: str, rows: object) -> None:
    screen.line(head, "value")
    if isinstance(rows, dict):
        screen.pairs((name, f"{count:,}") for name, count in rows.items())
