"""The command that keeps what is worth keeping of a conversation: distill."""

from __future__ import annotations

from dataclasses import replace
from typing import IO, TYPE_CHECKING

import click

from karte.domain.conversations import Turn, read_conversations
from karte.domain.page_recognition import recognise
from karte.errors import InvalidInput
from karte.interfaces.cli import options
from karte.interfaces.cli.exits import Exit
from karte.interfaces.cli.session import Session
from karte.interfaces.cli.text import decoded, number, one_line, stem_of
from karte.interfaces.page_records import COUNTED, distilled_object
from karte.interfaces.records import JsonObject

if TYPE_CHECKING:
    from karte.config import ExtractorName
    from karte.interfaces.cli.screen import Screen


@options.command("distill")
@click.argument("file", type=click.File("rb"))
@options.origin("Where the conversation comes from [default: channel]; a rollback is by exactly this text.")
@click.option(
    "--extractor", type=click.Choice(["rules", "endpoint"]), help="What finds the facts [default: configured]."
)
def distill_command(session: Session, *, file: IO[bytes], origin: str | None, extractor: ExtractorName | None) -> Exit:
    """Keep what is worth keeping of the conversation in FILE: dated facts, and a page for each document in it.

    FILE is an export of ChatGPT or Claude, JSON of who said what, or plain text: a paragraph is then a turn. All of it
    is unconfirmed. Ends in 4 where something is held, 3 where something was refused.
    """
    turns = _turns(decoded(file.read()), stem_of(file))
    with session.engine() as engine:
        chosen = None
        if extractor is not None:
            from karte.extraction.configured import configured_extractor  # noqa: PLC0415 (help needs none)

            chosen = configured_extractor(replace(engine.config.distill, extractor=extractor))
        report = engine.distill(session.agent, turns, origin, extractor=chosen)
    data = distilled_object(report)
    session.answer(data, lambda screen: _draw(screen, data))
    if data["refused"]:
        return Exit.REFUSED
    return Exit.HELD if data["held"] else Exit.DONE


def _turns(text: str, name: str) -> list[JsonObject]:
    """The turns of a file; a file that is no JSON is text, of which each paragraph is a turn."""
    if text.lstrip().startswith(("{", "[")):
        found = read_conversations(text, name=name)
        if found.source == "karte":
            raise InvalidInput("an export of Karte is no conversation", field="FILE")
        turns = [part for part in found.parts if isinstance(part, Turn)]
        for part in found.parts:
            if not isinstance(part, Turn):
                click.echo(f"{part.where}: {part.why}", err=True)
        return [{"text": each.text, "speaker": each.speaker, "time": each.time} for each in turns]
    if recognise(text).band == "page":  # one document, not a conversation
        return [{"text": text}]
    return [{"text": part} for part in text.split("\n\n") if part.strip()]


def _draw(screen: Screen, data: JsonObject) -> None:
    counts = ", ".join(f"{data[name]:,} {name}" for name in COUNTED if data[name]) or "nothing worth keeping"
    screen.line(f"{number(data['turns'], 'turn')}: {counts}; origin {one_line(data['origin'])}")
    for item in data["items"]:
        what = item["page"]["path"] if "page" in item else one_line(item["fact"]["content"]) if "fact" in item else ""
        why = f": {one_line(item['error']['message'])}" if "error" in item else ""
        style = "now" if item["status"] in ("stored", "reaffirmed", "filed", "updated", "unchanged") else "warn"
        screen.line(f"  {item['status']}  {what}{why}", style)
