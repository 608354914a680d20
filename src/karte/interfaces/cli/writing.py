"""Commands that write memories: add, update, forget, restore."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from karte.errors import InvalidInput
from karte.interfaces.cli import options
from karte.interfaces.cli.exits import Exit
from karte.interfaces.cli.importing import Import
from karte.interfaces.cli.jsonl import checked, to_item
from karte.interfaces.cli.session import Session
from karte.interfaces.cli.text import number, one_line, short_time, text_of
from karte.interfaces.records import JsonObject, memory_record, store_outcome

if TYPE_CHECKING:
    from karte.interfaces.cli.screen import Screen


@options.command("add")
@click.argument("text", required=False)
@click.option("-s", "--subject", metavar="S", help="Whom or what it is about.")
@click.option("-p", "--predicate", metavar="P", help="What is said of the subject: with both it is a fact.")
@click.option("-o", "--object", metavar="O", help="The value.")
@click.option("--from", "valid_from", metavar="T", help="True from T on [default: now].")
@click.option("--until", "valid_until", metavar="T", help="True until T.")
@options.tags("A tag (more than one: all of them).")
@options.layer("Its layer [default: semantic for a fact, else episodic].")
@click.option("--importance", type=float, metavar="N", help="0 to 10 [default: 5].")
@click.option("--confidence", type=float, metavar="X", help="0 to 1 [default: 1].")
@click.option("--metadata", metavar="JSON", help="A JSON object to keep with it.")
@click.option("--source-event", metavar="E", help="The event, message or document it comes from.")
@click.option("--derived-from", multiple=True, metavar="ID", help="A memory it was concluded from.")
@click.option("--timestamp", metavar="T", help="When it was observed [default: now].")
@click.option("--id", metavar="ID", help="An id of your own [default: a new one].")
@options.origin("Where it comes from [default: operator; a file: import:NAME].")
@click.option("--jsonl", type=click.File("rb"), metavar="FILE", help="One JSON object a line; - is standard input.")
def add_command(
    session: Session, *, text: str | None, jsonl: IO[bytes] | None, origin: str | None, **said: Any
) -> Exit:
    """Remember TEXT (- reads it from standard input), or every line of a file.

    With -s and -p it is a fact: it holds from --from on, an earlier value of the same fact ends
    there, and nothing is overwritten. Ends in 4 where it is held for a decision, 3 where it is
    refused.
    """
    fields = {name: value for name, value in said.items() if value not in (None, ())}
    if jsonl is not None:
        if text is not None or fields:
            raise click.UsageError("--jsonl takes what its lines say; only --origin goes with it.")
        return _add_lines(session, jsonl, origin)
    if text is None:
        raise click.UsageError("Say what is to be remembered: TEXT, or --jsonl FILE.")
    fields["content"] = text_of(sys.stdin.buffer, field="TEXT") if text == "-" else text
    return _add_one(session, fields, origin or options.OPERATOR)


def _add_one(session: Session, fields: dict[str, Any], origin: str) -> Exit:
    for name in ("tags", "derived_from"):
        if name in fields:
            fields[name] = list(fields[name])
    if "metadata" in fields:
        fields["metadata"] = _json_object(fields["metadata"])
    entry, meta = to_item(checked(fields), agent=session.agent, origin=origin)
    with session.engine() as engine:
        is_fact = bool(meta.subject) and bool(meta.predicate)
        outcome = engine.store_temporal(entry, meta) if is_fact else engine.store(entry, meta)
    data = store_outcome(outcome)
    if session.quiet and not session.as_json:
        click.echo(data.get("id", ""))
    else:
        session.answer(data, lambda screen: _draw_outcome(screen, data))
    return {"held": Exit.HELD, "refused": Exit.REFUSED}.get(outcome.status, Exit.DONE)


def _add_lines(session: Session, file: IO[bytes], origin: str | None) -> Exit:
    name = getattr(file, "name", "-")
    stem = "stdin" if name in ("-", "<stdin>") else Path(str(name)).stem
    with session.engine() as engine:
        run = Import(engine, session.agent, origin or f"import:{stem}", keeps_results=session.as_json)
        try:
            run.take(file, shows_progress=not session.quiet and not session.as_json and sys.stderr.isatty())
        except BaseException:  # Ctrl-C or a full disk: what was stored stays, and is said
            session.note(f"stopped in line {run.line}; {number(run.written, 'memory', 'memories')} stored before it")
            raise
    for line, sentence in sorted(run.complaints):
        click.echo(f"line {line}: {sentence}", err=True)
    data = run.report()
    session.answer(data, lambda screen: screen.line(_counts(data)))
    return run.exit


def _counts(data: JsonObject) -> str:
    parts = [f"{data[name]:,} {name}" for name in ("stored", "reaffirmed", "held", "refused") if data[name]]
    return f"{', '.join(parts) or 'nothing to do'}; origin {data['origin']}"


@options.command("update")
@click.argument("id")
@click.option("--content", metavar="TEXT", help="A new text (plain memories only).")
@options.tags("A tag; all tags are replaced (more than one: all of them).")
@click.option("--no-tags", is_flag=True, help="Take all tags away.")
@click.option("--importance", type=float, metavar="N", help="0 to 10.")
@click.option("--metadata", metavar="JSON", help="A JSON object instead of the present one.")
def update_command(
    session: Session,
    *,
    id: str,
    content: str | None,
    tags: tuple[str, ...],
    no_tags: bool,
    importance: float | None,
    metadata: str | None,
) -> None:
    """Change tags, importance, metadata, or the text of a plain memory.

    A fact is not changed but said anew (karte add). What it was stays in the belief log.
    """
    options.not_both("tags", "no_tags")
    with session.engine() as engine:
        memory = engine.update(
            session.agent,
            id,
            content=content,
            tags=() if no_tags else (tags or None),
            importance=importance,
            metadata=None if metadata is None else _json_object(metadata),
        )
    data = {"found": True, "memory": memory_record(memory)}
    session.answer(data, lambda screen: screen.line(f"updated {one_line(id)}"))


@options.command("forget")
@click.argument("id")
@click.option("--reason", default="", metavar="TEXT", help="Why.")
def forget_command(session: Session, *, id: str, reason: str) -> Exit:
    """Move a memory to the archive; "karte restore" brings it back whole. Ends in 1 where there is none."""
    with session.engine() as engine:
        is_done = engine.forget(session.agent, id, reason=reason)
    told = f"forgotten {one_line(id)}" if is_done else f"no memory has the id {one_line(id)}"
    session.answer({"id": id, "forgotten": is_done}, lambda screen: screen.line(told))
    return Exit.DONE if is_done else Exit.ABSENT


@options.command("restore")
@click.argument("id")
def restore_command(session: Session, *, id: str) -> Exit:
    """Bring a memory back from the archive. Ends in 1 where it is not there."""
    with session.engine() as engine:
        is_done = engine.restore(session.agent, id)
    told = f"restored {one_line(id)}" if is_done else f"the archive has no {one_line(id)}"
    session.answer({"id": id, "restored": is_done}, lambda screen: screen.line(told))
    return Exit.DONE if is_done else Exit.ABSENT


def _draw_outcome(screen: Screen, data: JsonObject) -> None:
    status, id = data["status"], data.get("id", "")
    if status == "held":
        screen.line(f"held for a decision  {id}", "warn")
        screen.pairs([(name, data[name]) for name in ("reason", "approval_id") if name in data])
        screen.line(f"  to look at it: karte approvals show {data.get('approval_id', '')}", "quiet")
        return
    screen.line(f"{status}  {id}")
    if "approval_id" in data:
        screen.line("  contested: outvoted by the curated word, until a person decides", "warn")
        screen.line(f"  to look at it: karte approvals show {data['approval_id']}", "quiet")
    elif "valid_from" in data:
        until = f" to {short_time(data['valid_until'])}" if "valid_until" in data else ", no end known"
        screen.line(f"  true since {short_time(data['valid_from'])}{until}", "quiet")
    if data["superseded"]:
        screen.line(f"  shortened {', '.join(data['superseded'])}", "quiet")
    if "holds_now" in data:
        holding = data["holds_now"]
        screen.line(f"  holds now: {holding['id']}, since {short_time(holding['valid_from'])}", "warn")
    for near in data.get("similar", ()):
        screen.line(f"  much like {near['id']} ({near['similarity']:.2f})", "quiet")
    if "reason" in data:
        screen.line(f"  {one_line(data['reason'])}", "warn")


def _json_object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(
            f"not JSON ({error})", field="metadata", value=text, remedy='write {"key": "value"}'
        ) from error
    if not isinstance(value, dict):
        raise InvalidInput("not a JSON object", field="metadata", value=text, remedy='write {"key": "value"}')
    return value
