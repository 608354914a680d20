"""One run of the command line: its options, its settings, its file and its two voices.

What was asked for goes to standard output, everything else (warnings, notes, progress, errors)
to standard error, so that a pipe carries answers only.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from karte.config import Config, load
from karte.errors import KarteError
from karte.interfaces.records import JsonObject, to_json

if TYPE_CHECKING:
    from karte.engine import SqliteMemoryEngine
    from karte.interfaces.cli.screen import Screen


IN_MEMORY: Final = ":memory:"


@dataclass
class Session:
    """The global options of this run, and what follows from them."""

    db: str | None = None
    agent_option: str | None = None
    as_json: bool = False
    quiet: bool = False
    no_color: bool = False

    def take(self, *, db: str | None, agent: str | None, as_json: bool, quiet: bool, no_color: bool) -> None:
        """Merge options given once more after the sub-command; the later wins."""
        self.db = db or self.db
        self.agent_option = agent or self.agent_option
        self.as_json |= as_json
        self.quiet |= quiet
        self.no_color |= no_color

    @cached_property
    def config(self) -> Config:
        """What is in force; what could not be read has been told on standard error."""
        return self.configured({})

    def configured(self, arguments: Mapping[str, object]) -> Config:
        """What is in force with further arguments by ``section.key``; warnings are told at once."""
        config = load(arguments={"engine.path": self.db, "engine.agent": self.agent_option, **arguments})
        for warning in config.warnings:
            self.note(f"warning: {warning}")
        return config

    @property
    def agent(self) -> str:
        """Whose memory it is."""
        return self.config.engine.agent

    @contextmanager
    def engine(self, *, reads_only: bool = False) -> Iterator[SqliteMemoryEngine]:
        """The store over this run's file, closed again whatever happens."""
        from karte.memory import open_engine  # noqa: PLC0415 (help and usage errors need no engine)

        path = self.config.engine.path
        if "engine.path" not in self.config.sources:  # the platform's place is ours to make
            Path(path).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        is_new = reads_only and path != IN_MEMORY and not Path(path).exists()
        try:
            opened = open_engine(path, config=self.config, read_only=_is_read_only(path), on_progress=self.progress())
        except KarteError as error:
            if self.db is not None and error.field == "path":
                error.field = "--db"
            raise
        if is_new:
            self.note(f"note: {path} is new; nothing is in it yet")
        with opened as engine:
            for warning in engine.config.warnings[len(self.config.warnings) :]:
                self.note(f"warning: {warning}")
            yield engine

    def progress(self) -> Callable[[str, int, int], None] | None:
        """How a long job (an upgrade, a check) shows where it is: only to a person at a terminal."""
        return _show_progress if sys.stderr.isatty() and not self.quiet else None

    def note(self, sentence: str) -> None:
        """Tell a person something beside the answer."""
        if not self.quiet:
            click.echo(sentence, err=True)

    def answer(self, data: JsonObject, draw: Callable[[Screen], None]) -> None:
        """Give the answer: ``data`` as JSON for machines, or drawn for people."""
        if self.as_json:
            click.echo(to_json(data, indent=2 if sys.stdout.isatty() else None))
            return
        from karte.interfaces.cli.screen import Screen  # noqa: PLC0415 (machines need no tables)

        screen = Screen(no_color=self.no_color)
        draw(screen)
        screen.show()


def _is_read_only(path: str) -> bool:
    """Whether there is a file that may be read and not written, as on a read-only file system."""
    return Path(path).is_file() and not (os.access(path, os.W_OK) and os.access(Path(path).parent, os.W_OK))


def _show_progress(stage: str, done: int, total: int) -> None:
    click.echo(f"\r{stage}: {done:,} of {total:,}\x1b[K", err=True, nl=done >= total)


def the_session() -> Session:
    """The session of the command that runs."""
    return click.get_current_context().ensure_object(Session)
