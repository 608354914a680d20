"""The command that keeps what is worth keeping of a conversation: distill."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

import click

from karte.domain.conversations import Turn, Unusable, read_conversations
from karte.domain.distilling import Given, usable_turns
from karte.domain.page_recognition import recognise
from karte.errors import InvalidInput
from karte.interfaces.cli import options
from karte.interfaces.cli.exits import Exit
from karte.interfaces.cli.session import Session
from karte.interfaces.cli.text import holds_no_turn, name_of, number, one_line, stem_of, text_of
from karte.interfaces.page_records import COUNTED, distilled_object
from karte.interfaces.records import JsonObject

if TYPE_CHECKING:
    from karte.config import ExtractorName
    from karte.interfaces.cli.screen import Screen

JSON_ENDINGS: Final = frozenset({".json", ".jsonl", ".ndjson"})
TEXT_ENDINGS: Final = frozenset({".txt", ".text", ".md", ".markdown"})
MOST_TOLD: Final = 50
"""Parts that cannot be used; of more only the number is told."""


@options.command("distill")
@click.argument("file", type=click.File("rb"))
@options.origin("Where the conversation comes from [default: channel]; a rollback is by exactly this text.")
@click.option(
    "--extractor", type=click.Choice(["rules", "endpoint"]), help="What finds the facts [default: configured]."
)
def distill_command(session: Session, *, file: IO[bytes], origin: str | None, extractor: ExtractorName | None) -> Exit:
    """Keep what is worth keeping of the conversation in FILE: dated facts, and a page for each document in it.

    FILE is an export of ChatGPT or Claude, JSON of who said what, or plain text: a paragraph is then a turn. All of it
    is unconfirmed. A turn that cannot be used is named and left out. Ends in 4 where something is held, 3 where
    something was refused, 2 where no turn is left.
    """
    turns, skipped = usable_turns(_given(text_of(file), file))
    _tell(skipped)
    if not turns:
        raise holds_no_turn(file, "an export of ChatGPT or Claude, JSON of who said what, or plain text")
    with session.engine() as engine:
        chosen = None
        if extractor is not None:
            from karte.extraction.configured import configured_extractor  # noqa: PLC0415 (help needs none)

            chosen = configured_extractor(replace(engine.config.distill, extractor=extractor))
        report = engine.distill(session.agent, turns, origin, extractor=chosen)
    data = {**distilled_object(report), "skipped": [{"where": each.where, "why": each.why} for each in skipped]}
    session.answer(data, lambda screen: _draw(screen, data))
    if data["refused"]:
        return Exit.REFUSED
    return Exit.HELD if data["held"] else Exit.DONE


def _given(text: str, file: IO[bytes]) -> Iterator[Given]:
    """The turns of a file with their places, and what cannot be used; text that is no JSON has a turn a paragraph."""
    found = read_conversations(text, name=stem_of(file)) if _is_json(text, file) else None
    if found is not None and found.source == "karte":
        raise InvalidInput(
            f"{name_of(file)} is an export of Karte, not a conversation",
            field="FILE",
            remedy="take it into a new file with `karte import --restore`",
        )
    if found is not None:
        yield from (part if isinstance(part, Unusable) else (part.where, _said(part)) for part in found.parts)
    elif recognise(text).band == "page":  # one document, not a conversation
        yield "the document", text
    else:
        paragraphs = [part for part in text.split("\n\n") if part.strip()]
        yield from ((f"paragraph {number}", part) for number, part in enumerate(paragraphs, 1))


def _said(turn: Turn) -> JsonObject:
    return {"text": turn.text, "speaker": turn.speaker, "time": turn.time}


def _is_json(text: str, file: IO[bytes]) -> bool:
    """Whether a file is meant as JSON: by its name, else by how it begins, unless its name says that it is text."""
    ending = Path(name_of(file)).suffix.lower()
    if ending in JSON_ENDINGS or not text.lstrip().startswith(("{", "[")):
        return ending in JSON_ENDINGS
    return ending not in TEXT_ENDINGS or any(_is_json_value(line) for line in (text, *text.split("\n")))


def _is_json_value(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict | list)
    except (ValueError, RecursionError):
        return False


def _tell(skipped: list[Unusable]) -> None:
    for each in skipped[:MOST_TOLD]:
        click.echo(f"{one_line(each.where)}: {one_line(each.why)}", err=True)
    if len(skipped) > MOST_TOLD:
        click.echo(f"and {len(skipped) - MOST_TOLD:,} more that cannot be used", err=True)


def _draw(screen: Screen, data: JsonObject) -> None:
    counts = ", ".join(f"{data[name]:,} {name}" for name in COUNTED if data[name]) or "nothing worth keeping"
    if data["skipped"]:
        counts += f", {len(data['skipped']):,} skipped"
    screen.line(f"{number(data['turns'], 'turn')}: {counts}; origin {one_line(data['origin'])}")
    for item in data["items"]:
        what = item["page"]["path"] if "page" in item else one_line(item["fact"]["content"]) if "fact" in item else ""
        why = f": {one_line(item['error']['message'])}" if "error" in item else ""
        style = "now" if item["status"] in ("stored", "reaffirmed", "filed", "updated", "unchanged") else "warn"
        screen.line(f"  {item['status']}  {what}{why}", style)
