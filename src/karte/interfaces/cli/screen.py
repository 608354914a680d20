"""What a person sees: lines and tables, as wide as their letters really are."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from typing import Final

import click
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from karte.interfaces.cli.text import number, one_line, short_time, visible
from karte.interfaces.cli.timeline import Line, fact_name, interval
from karte.interfaces.records import JsonObject

WIDTH_IN_A_PIPE: Final = 100
LONGEST_CONTENT_IN_A_TABLE: Final = 400

_STYLES: Final = {
    "value": "bold",
    "now": "bold green",
    "quiet": "dim",
    "off": "red",
    "warn": "yellow",
    "head": "bold cyan",
}


class Screen:
    """Collects what a command draws and shows it at once.

    Every text goes in as text: nothing stored is read as markup or as a control sequence.
    """

    def __init__(self, *, no_color: bool = False) -> None:
        self._parts: list[Text | Table] = []
        is_terminal = sys.stdout.isatty()
        width = None if is_terminal else _columns() or WIDTH_IN_A_PIPE
        self._console = Console(
            no_color=True if no_color else None,
            width=width,
            highlight=False,
            markup=False,
            emoji=False,
            soft_wrap=False,
        )

    def line(self, text: str = "", style: str = "") -> None:
        """One line (or more, where the text has them)."""
        self._parts.append(Text(visible(text), style=_STYLES.get(style, style)))

    def command(self, text: str) -> None:
        """A command line to copy: never broken, however long."""
        self._parts.append(Text(f"  {one_line(text)}", no_wrap=True))

    def spans(self, line: Line) -> None:
        """One line of several styles, continued under its own beginning where it is too long."""
        grid = Table.grid(padding=0)
        grid.add_column(no_wrap=True)
        grid.add_column(overflow="fold")
        (margin, margin_style), *rest = line
        head = Text(margin, style=_STYLES.get(margin_style, ""))
        tail = Text()
        for text, style in rest:
            tail.append(visible(text), style=_STYLES.get(style, ""))
        grid.add_row(head, tail)
        self._parts.append(grid)

    def pairs(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Names and values, aligned."""
        grid = Table.grid(padding=(0, 2))
        grid.add_column(style="dim", no_wrap=True)
        grid.add_column(overflow="fold")
        for name, value in pairs:
            grid.add_row(name, Text(visible(value)))
        self._parts.append(grid)

    def table(self, heads: Sequence[str], rows: Iterable[Sequence[str | Text]]) -> None:
        """A table; a head that begins with ``>`` is a column of numbers."""
        table = Table(box=box.SIMPLE_HEAD, header_style="dim", pad_edge=False, show_edge=False)
        for head in heads:
            is_number = head.startswith(">")
            table.add_column(
                head.removeprefix(">"), justify="right" if is_number else "left", no_wrap=is_number, overflow="fold"
            )
        for row in rows:
            table.add_row(*(cell if isinstance(cell, Text) else Text(visible(cell)) for cell in row))
        self._parts.append(table)

    def memories(self, records: Sequence[JsonObject], *, total: int, nothing: str) -> None:
        """A table of memories: what they say, when it is true, and below each its name and id."""
        if not records:
            self.line(nothing, "quiet")
            return
        rows: Iterable[Sequence[str | Text]]
        if "score" in records[0]:
            rows = ([f"{record['score']:.3g}", _told(record), _when(record)] for record in records)
            self.table([">score", "memory", "true"], rows)
        else:
            rows = ([_told(record), _when(record)] for record in records)
            self.table(["memory", "true"], rows)
        if total > len(records):
            self.line(f"{len(records)} of {number(total, 'memory', 'memories')}", "quiet")

    def show(self) -> None:
        """Print what was collected; in a pipe without the spaces that fill a terminal's lines."""
        if self._console.is_terminal:
            for part in self._parts:
                self._print(part)
            return
        with self._console.capture() as capture:
            for part in self._parts:
                self._print(part)
        for line in capture.get().split("\n")[:-1]:
            click.echo(line.rstrip(" "))

    def _print(self, part: Text | Table) -> None:
        self._console.print(part, soft_wrap=isinstance(part, Text) and bool(part.no_wrap))


def _columns() -> int | None:
    text = os.environ.get("COLUMNS", "")
    return int(text) if text.isascii() and text.isdigit() and 20 <= int(text) <= 1000 else None


def _told(record: JsonObject) -> Text:
    content = one_line(record["content"])
    if len(content) > LONGEST_CONTENT_IN_A_TABLE:
        content = content[: LONGEST_CONTENT_IN_A_TABLE - 1] + "…"
    told = Text(content)
    name = fact_name(record)
    if name:
        told.append(f"\n{name}", style="cyan")
    told.append(f"\n{record['id']}  {one_line(record['origin'])}", style="dim")
    if record["tags"]:
        told.append("  " + " ".join(f"#{one_line(tag)}" for tag in record["tags"]), style="dim")
    if "explain" in record:
        told.append(f"\n{why(record['explain'])}", style="dim")
    return told


def _when(record: JsonObject) -> Text:
    if "valid_from" not in record:
        return Text(short_time(record["timestamp"]), style="dim")
    when = Text(interval(record))
    flags = flags_of(record)
    if flags:
        when.append(f"\n{flags}", style="yellow")
    return when


def flags_of(record: JsonObject) -> str:
    """What sets a memory apart from a plain current one, in words."""
    flags = []
    if record.get("state"):
        flags.append(str(record["state"]))
    elif not record["is_current"]:
        flags.append("not current")
    if record.get("contested"):
        flags.append("contested")
    return ", ".join(flags)


def why(explain: JsonObject) -> str:
    """The parts of a score as a sum and a product, and the words that matched."""
    sums = " + ".join(
        f"{part} {explain[part]:.3g}" for part in ("text", "vector", "graph", "structure") if explain[part]
    )
    factors = "".join(f" × {part} {explain[part]:.3f}" for part in ("recency", "importance", "trust"))
    terms = f"  words: {one_line(' '.join(explain['terms']))}" if explain["terms"] else ""
    things = f"  of the kind: {one_line(', '.join(explain['things']))}" if explain.get("things") else ""
    path = f"  path: {one_line(' → '.join(explain['path']))}" if explain["path"] else ""
    relations = f"  by: {one_line(' → '.join(explain['relations']))}" if explain.get("relations") else ""
    relations += f"  for: {one_line(', '.join(explain['asked']))}" if explain.get("asked") else ""
    similar = f"  and {explain['similar']} that say the same" if explain.get("similar") else ""
    moves = "".join(f"  {move}" for move in explain.get("moves", ()))
    return f"({sums or 'nothing'}){factors}{terms}{things}{path}{relations}{moves}{similar}"
