"""The command that takes in what others exported: import."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

import click

from karte.domain.conversations import Conversations, Turn, Unusable, read_conversations
from karte.domain.model import MemoryEntry, TemporalMeta
from karte.errors import DuplicateId, InvalidInput, InvalidText, KarteError, Refused
from karte.interfaces.cli import options
from karte.interfaces.cli.exits import Exit, exit_of
from karte.interfaces.cli.session import Session
from karte.interfaces.cli.text import number
from karte.interfaces.records import JsonObject, error_object, exported_object

if TYPE_CHECKING:
    from karte.engine import SqliteMemoryEngine

BATCH: Final = 500
MOST_TOLD: Final = 50
COUNTED: Final = ("stored", "known", "held", "refused")


@options.command("import")
@click.argument("file", type=click.File("rb"))
@options.origin("Where it comes from [default: import:SOURCE, as chatgpt, claude, or the file's name].")
@click.option("--restore", is_flag=True, help="FILE is what `karte export` wrote; take all of it into an empty file.")
def import_command(session: Session, *, file: IO[bytes], origin: str | None, restore: bool) -> Exit:
    """Remember the conversations in FILE: an export of ChatGPT or Claude, or JSON of who said what (docs/transfer.md).

    Every turn is a memory, and goes through the guard. What was taken in before is known, and not taken in again. Ends
    in 4 where something is held for a decision, 2 or 3 where something could not be used.
    """
    text = _decoded(file.read())
    if restore:
        with session.engine() as engine:
            done = engine.import_export(text.split("\n"))
        data = exported_object(done)
        session.answer(data, lambda screen: screen.line(f"restored {number(done.lines, 'line')}"))
        return Exit.DONE
    name = getattr(file, "name", "-")
    stem = "stdin" if name in ("-", "<stdin>") else Path(str(name)).stem
    found = read_conversations(text, name=stem)
    if found.source == "karte":
        raise InvalidInput("an export of Karte", field="FILE", remedy="give --restore, with a new file as --db")
    run = _Run(found, session.agent, origin or f"import:{stem if found.source == 'chat' else found.source}")
    with session.engine() as engine:
        run.write(engine)
    for where, why in run.complaints[:MOST_TOLD]:
        click.echo(f"{where}: {why}", err=True)
    report = run.report()
    session.answer(report, lambda screen: screen.line(_sentence(report)))
    return run.exit


class _Run:
    """One file into one agent's memory; what became of every part of it."""

    def __init__(self, found: Conversations, agent: str, origin: str) -> None:
        self.exit = Exit.DONE
        self.complaints: list[tuple[str, str]] = []
        self._found = found
        self._agent = agent
        self._origin = origin
        self._counts: Counter[str] = Counter()
        self._problems: list[JsonObject] = []

    def write(self, engine: SqliteMemoryEngine) -> None:
        """Stores every turn, in batches; what cannot be used is told and the rest go on."""
        turns = [part for part in self._found.parts if isinstance(part, Turn)]
        for part in self._found.parts:
            if isinstance(part, Unusable):
                self._refuse(part.where, InvalidInput(part.why))
        for start in range(0, len(turns), BATCH):
            batch = turns[start : start + BATCH]
            outcomes = engine.store_many([self._draft(turn) for turn in batch])
            for turn, outcome in zip(batch, outcomes, strict=True):
                if isinstance(outcome.error, DuplicateId):
                    self._counts["known"] += 1
                elif outcome.status == "refused":
                    self._refuse(turn.where, outcome.error or Refused(outcome.reason or "refused"))
                else:
                    self._counts[outcome.status] += 1
                    if outcome.status == "held" and self.exit is Exit.DONE:
                        self.exit = Exit.HELD

    def report(self) -> JsonObject:
        """The counts, the sessions, and each part that could not be used."""
        turns = [part for part in self._found.parts if isinstance(part, Turn)]
        counts = {name: self._counts[name] for name in COUNTED}
        sessions = len({turn.session for turn in turns})
        return {
            "source": self._found.source,
            "origin": self._origin,
            "sessions": sessions,
            **counts,
            "problems": self._problems,
        }

    def _draft(self, turn: Turn) -> tuple[MemoryEntry, TemporalMeta]:
        entry = MemoryEntry(
            content=turn.content,
            agent_id=self._agent,
            id=turn.id_for(self._agent),
            timestamp=turn.time,
            source_event=turn.source_event,
        )
        return entry, TemporalMeta(origin=self._origin, metadata=turn.metadata)

    def _refuse(self, where: str, error: KarteError) -> None:
        self._counts["refused"] += 1
        if self.exit is not Exit.REFUSED:
            self.exit = exit_of(error)
        self.complaints.append((where, str(error)))
        self._problems.append({"where": where, "error": error_object(error)})


def _decoded(raw: bytes) -> str:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidText("not UTF-8", field="FILE", remedy="save the file as UTF-8") from error


def _sentence(report: JsonObject) -> str:
    parts = [f"{report[name]:,} {name}" for name in COUNTED if report[name]]
    sessions = number(report["sessions"], "session")
    return f"{', '.join(parts) or 'nothing to do'}; {sessions}; origin {report['origin']}"
