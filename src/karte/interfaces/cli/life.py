"""Commands about the life of memories: decay, stats, reembed, summarize and reassign."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from karte.domain.time import parse_instant
from karte.errors import ConfigError
from karte.interfaces.cli import options
from karte.interfaces.cli.exits import Exit
from karte.interfaces.cli.session import Session
from karte.interfaces.cli.text import number
from karte.interfaces.life_records import COUNTS, decay_report, reassignment_object, stats_object, summary_object

if TYPE_CHECKING:
    from karte.interfaces.cli.screen import Screen


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


@options.command("reembed")
def reembed_command(session: Session) -> None:
    """Give vectors of today's model to the memories that have none, and wait for the end.

    What was done stays where the embedder fails, and the next run goes on from there.
    """
    from karte.embedding.configured import configured_embedder  # noqa: PLC0415 (as any engine's parts)

    if configured_embedder(session.config.retrieval) is None:
        raise ConfigError(
            "no embedder is configured",
            field="retrieval.embedder",
            remedy='say "multilingual" or "endpoint" (KARTE_RETRIEVAL__EMBEDDER)',
        )
    show = session.progress()
    with session.engine() as engine:
        given = engine.reembed(session.agent, on_progress=None if show is None else partial(show, "embedding"))
        stats = engine.stats(session.agent)
    data = {"agent": stats.agent, "given": given, "embedded": stats.embedded, "memories": stats.memories}
    count = number(stats.memories, "memory", "memories")
    told = f"gave {number(given, 'vector')}; {stats.embedded:,} of {count} embedded"
    session.answer(data, lambda screen: screen.line(told))


@options.command("summarize")
@click.option("--days", type=float, default=7.0, show_default=True, help="So many days until now.")
@click.option("--from", "start", metavar="T", help="From T on, instead of --days.")
@click.option("--until", "end", metavar="T", help="Until T (with --from) [default: now].")
def summarize_command(session: Session, *, days: float, start: str | None, end: str | None) -> None:
    """A digest of what was observed, and of what changed, in a stretch of time."""
    if end is not None and start is None:
        raise click.UsageError("--until needs --from")
    options.not_both("days", "start")
    for given, option in ((start, "--from"), (end, "--until")):
        if given is not None:
            parse_instant(given, option)  # the engine knows both as the window
    with session.engine(reads_only=True) as engine:
        window = days if start is None else (start, engine.now() if end is None else end)
        data = summary_object(engine.summarize(session.agent, window))

    def draw(screen: Screen) -> None:
        for line in data["text"].splitlines():
            screen.line(line)

    session.answer(data, draw)


@options.command("reassign")
@click.argument("old")
@click.argument("new")
@click.option("--dry-run", is_flag=True, help="Only say what would go.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def reassign_command(session: Session, *, old: str, new: str, dry_run: bool, yes: bool) -> Exit:
    """Give all of the agent OLD to the agent NEW; what is held stays held.

    Asks first; where nobody can be asked it needs --yes. Ends in 1 where OLD has nothing, 3 where the answer was no.
    """
    if not (dry_run or yes):
        options.needs_somebody_to_ask(f"gives all of {old!r} to {new!r}")
    with session.engine() as engine:
        planned = engine.reassign_agent(old, new, dry_run=True)
        if any(planned.moved.values()) and not (dry_run or yes):
            count = number(planned.moved.get("memories", 0), "memory", "memories")
            if not click.confirm(f"Give {count} of {old} to {new}?", default=False, err=True):
                session.note("nothing was written")
                return Exit.REFUSED
        data = reassignment_object(planned if dry_run else engine.reassign_agent(old, new))
    would = "would give" if dry_run else "gave"
    count = number(data["moved"].get("memories", 0), "memory", "memories")
    told = f"{would} {count} of {old} to {new}, {number(data['merged'], 'fact')} of both became one timeline"
    session.answer(data, lambda screen: screen.line(told))
    if any(data["moved"].values()):
        return Exit.DONE
    session.note(f"note: the agent {old!r} has nothing in this file; is its name written right?")
    return Exit.ABSENT
