"""The command that gives out the graph of facts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from karte.domain.graph_export import written
from karte.errors import StorageError
from karte.interfaces.cli import options
from karte.interfaces.cli.session import Session
from karte.interfaces.cli.text import number
from karte.interfaces.records import graph_object

if TYPE_CHECKING:
    from karte.domain.graph_export import GraphExport, GraphFormat
    from karte.interfaces.cli.screen import Screen

SHOWN_EDGES: Final = 200


@options.command("graph")
@click.option("--limit", type=click.IntRange(min=1), default=SHOWN_EDGES, show_default=True, help="At most N facts.")
@click.option("--format", "form", type=click.Choice(["json", "graphml", "mermaid"]), help="Write it so.")
@click.option("--include-quarantined", is_flag=True, help="Also facts that wait for a decision, flagged.")
@click.option("-o", "--out", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path), help="To a file.")
def graph_command(
    session: Session, *, limit: int, form: GraphFormat | None, include_quarantined: bool, out: Path | None
) -> None:
    """Entities and the facts that join them now, the newest first.

    A table, unless a format is asked for.
    """
    with session.engine(reads_only=True) as engine:
        graph = engine.export_graph(session.agent, limit, include_quarantined=include_quarantined)
    if out is not None:
        _write(out, written(graph, form or "json"))
        session.note(f"note: {number(len(graph.edges), 'fact')} in {out}")
    elif form is not None:
        click.echo(written(graph, form), nl=False)
    else:
        session.answer(graph_object(graph), lambda screen: _draw(screen, graph))


def _write(out: Path, text: str) -> None:
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise StorageError(
            f"cannot be written ({error.strerror})", field="out", value=str(out), remedy="name another file"
        ) from error


def _draw(screen: Screen, graph: GraphExport) -> None:
    rows = [
        (edge.subject, edge.predicate, edge.object, f"{edge.trust:g}", "held" if edge.quarantined else "")
        for edge in graph.edges
    ]
    if not rows:
        screen.line("no facts with an object", "quiet")
        return
    screen.table(["subject", "predicate", "object", "trust", ""], rows)
    more = "; there are more" if graph.truncated else ""
    screen.line(f"{number(len(graph.nodes), 'entity', 'entities')}, {number(len(rows), 'fact')}{more}", "quiet")
