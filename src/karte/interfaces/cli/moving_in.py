"""The command that takes in what others exported: import."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, Final

import click

from karte.interfaces.cli import options
from karte.interfaces.cli.exits import Exit, exit_of
from karte.interfaces.cli.session import Session
from karte.interfaces.cli.text import holds_no_turn, number, stem_of, text_of
from karte.interfaces.life_records import COUNTED, import_object
from karte.interfaces.records import JsonObject, exported_object

if TYPE_CHECKING:
    from karte.domain.conversations import ImportReport

MOST_TOLD: Final = 50


@options.command("import")
@click.argument("file", type=click.File("rb"))
@options.origin("Where it comes from [default: import:SOURCE, as chatgpt, claude, or the file's name].")
@click.option("--restore", is_flag=True, help="FILE is what `karte export` wrote; take all of it into an empty file.")
def import_command(session: Session, *, file: IO[bytes], origin: str | None, restore: bool) -> Exit:
    """Remember the conversations in FILE: an export of ChatGPT or Claude, or JSON of who said what (docs/transfer.md).

    Every turn is a memory, and goes through the guard. What was taken in before is known, and not taken in again. Ends
    in 4 where something is held for a decision, 2 or 3 where something could not be used and the rest was stored, 2
    with no answer where FILE holds no turn.
    """
    options.not_both("restore", "origin")
    text = text_of(file)
    if restore:
        with session.engine() as engine:
            done = engine.import_export(text.split("\n"))
        data = exported_object(done)
        session.answer(data, lambda screen: screen.line(f"restored {number(done.lines, 'line')}"))
        return Exit.DONE
    with session.engine() as engine:
        report = engine.import_conversations(session.agent, text, name=stem_of(file), origin=origin)
    for problem in report.problems[:MOST_TOLD]:
        click.echo(f"{problem.where}: {problem.error}", err=True)
    if not report.sessions:
        raise holds_no_turn(file, "an export of ChatGPT or Claude, or JSON of who said what")
    data = import_object(report)
    session.answer(data, lambda screen: screen.line(_sentence(data)))
    return _exit(report)


def _exit(report: ImportReport) -> Exit:
    """The gravest of what happened: something refused, something unusable, something held."""
    exits = [exit_of(problem.error) for problem in report.problems]
    if Exit.REFUSED in exits:
        return Exit.REFUSED
    if exits:
        return exits[-1]
    return Exit.HELD if report.held else Exit.DONE


def _sentence(report: JsonObject) -> str:
    parts = [f"{report[name]:,} {name}" for name in COUNTED if report[name]]
    sessions = number(report["sessions"], "session")
    return f"{', '.join(parts) or 'nothing to do'}; {sessions}; origin {report['origin']}"
