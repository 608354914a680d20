"""Commands about the life of memories: decay and stats."""

from __future__ import annotations

import click

from karte.interfaces.cli import options
from karte.interfaces.cli.session import Session
from karte.interfaces.cli.text import number
from karte.interfaces.life_records import COUNTS, decay_report, stats_object


@options.command("decay")
@click.option("--dry-run", is_flag=True, help="Only say what would go.")
def decay_command(session: Session, *, dry_run: bool) -> None:
    """Put what has faded and matters little in the archive; restore brings it back."""
    with session.engine() as engine:
        data = decay_report(engine.decay(session.agent, dry_run=dry_run, on_progress=session.progress()))
    count = number(data["archived"], "memory", "memories")
    told = f"would archive {count}; nothing was written" if dry_run else f"archived {count}"
    session.answer(data, lambda screen: screen.line(told))


@options.command("stats")
def stats_command(session: Session) -> None:
    """How much the agent's memory holds, and of what."""
    with session.engine(reads_only=True) as engine:
        data = stats_object(engine.stats(session.agent))
    session.answer(data, lambda screen: screen.pairs((name, f"{data[name]:,}") for name in COUNTS))
