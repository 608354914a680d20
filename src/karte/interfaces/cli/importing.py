"""A file of JSON lines into the engine: in batches, with progress, every bad line told by number."""

from __future__ import annotations

import os
import stat
import sys
from collections import Counter
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING, Final

import click

from karte.errors import KarteError, Refused
from karte.interfaces.cli.exits import Exit, exit_of
from karte.interfaces.cli.jsonl import Item, read_line, to_item
from karte.interfaces.records import JsonObject, error_object, store_outcome

if TYPE_CHECKING:
    from karte.engine import SqliteMemoryEngine

BATCH: Final = 500
MOST_TOLD: Final = 50
BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


class Import:
    """One run over one file; ``line`` is where it is, ``written`` what it has stored."""

    def __init__(self, engine: SqliteMemoryEngine, agent: str, origin: str, *, keeps_results: bool) -> None:
        self.line = 0
        self.exit = Exit.DONE
        self.complaints: list[tuple[int, str]] = []
        self._engine = engine
        self._agent = agent
        self._origin = origin
        self._keeps_results = keeps_results
        self._results: list[JsonObject] = []
        self._counts: Counter[str] = Counter()
        self._waiting: list[tuple[int, Item]] = []

    @property
    def written(self) -> int:
        """How many memories were stored or confirmed."""
        return self._counts["stored"] + self._counts["reaffirmed"] + self._counts["held"]

    def take(self, file: IO[bytes], *, shows_progress: bool) -> None:
        """Read the file to its end; a line that cannot be used is told and the rest go on."""
        for line in _with_progress(file, shows_progress):
            self.line += 1
            self._take_line(line.removeprefix(BYTE_ORDER_MARK) if self.line == 1 else line)
            if len(self._waiting) >= BATCH:
                self._write()
        self._write()

    def report(self) -> JsonObject:
        """The counts, and with ``keeps_results`` what became of each line."""
        counts = {status: self._counts[status] for status in ("stored", "reaffirmed", "held", "refused")}
        results = sorted(self._results, key=lambda result: int(result["line"]))
        return {"results": results, **counts, "origin": self._origin}

    def _take_line(self, line: bytes) -> None:
        try:
            fields = read_line(line)
            if fields is not None:
                self._waiting.append((self.line, to_item(fields, agent=self._agent, origin=self._origin)))
        except KarteError as error:
            self._refuse(self.line, error)

    def _write(self) -> None:
        waiting, self._waiting = self._waiting, []
        if not waiting:
            return
        outcomes = self._engine.store_many([item for _, item in waiting])
        for (line, _), outcome in zip(waiting, outcomes, strict=True):
            if outcome.status == "refused":
                self._refuse(line, outcome.error or Refused(outcome.reason or "refused"))
                continue
            self._counts[outcome.status] += 1
            if outcome.status == "held" and self.exit is Exit.DONE:
                self.exit = Exit.HELD
            if self._keeps_results:
                self._results.append({"line": line, **store_outcome(outcome)})

    def _refuse(self, line: int, error: KarteError) -> None:
        self._counts["refused"] += 1
        code = exit_of(error)
        if self.exit is not Exit.REFUSED:  # a refusal weighs more than a slip, a slip more than a wait
            self.exit = code
        if self._keeps_results:
            self._results.append({"line": line, "status": "refused", "error": error_object(error)})
        elif len(self.complaints) < MOST_TOLD:
            self.complaints.append((line, str(error)))


def _with_progress(file: IO[bytes], shows_progress: bool) -> Iterator[bytes]:
    size = _size(file) if shows_progress else None
    if size is None:
        yield from file
        return
    with click.progressbar(length=size, label="remembering", file=sys.stderr) as bar:
        for line in file:
            yield line
            bar.update(len(line))


def _size(file: IO[bytes]) -> int | None:
    """The size of a regular file; None for a pipe."""
    try:
        found = os.fstat(file.fileno())
    except (OSError, ValueError):
        return None
    return found.st_size if stat.S_ISREG(found.st_mode) and found.st_size else None
