"""Commands that read memories: search, fetch, show, list."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from karte.interfaces.cli import options
from karte.interfaces.cli.exits import Exit
from karte.interfaces.cli.session import Session
from karte.interfaces.cli.text import one_line, short_time, visible
from karte.interfaces.cli.timeline import fact_name, interval
from karte.interfaces.records import (
    JsonObject,
    batch_result,
    memory_page,
    read_result,
    search_result,
    to_json,
)

if TYPE_CHECKING:
    from karte.interfaces.cli.screen import Screen


@options.command("search")
@click.argument("query")
@click.option("-n", "--limit", default=10, show_default=True, metavar="N", help="At most N hits.")
@options.layer()
@options.tags()
@options.as_of()
@options.known_at()
@click.option("--min-trust", default=0.0, metavar="X", help="Only what is trusted at least X (0 to 1).")
@click.option("--all", "is_all", is_flag=True, help="Past and future facts too.")
@click.option("--explain", is_flag=True, help="Say why each hit stands where it stands.")
def search_command(
    session: Session,
    *,
    query: str,
    limit: int,
    layer: str | None,
    tags: tuple[str, ...],
    as_of: str | None,
    known_at: str | None,
    min_trust: float,
    is_all: bool,
    explain: bool,
) -> None:
    """Find what is current by words, best first.

    Words are joined by "or" and ranked; "a quoted part" is a phrase. No query is an error.
    """
    with session.engine(reads_only=True) as engine:
        hits = engine.search(
            session.agent,
            query,
            limit,
            layer=layer,
            tags=tags,
            valid_at=as_of,
            known_at=known_at,
            min_trust=min_trust,
            include_historical=is_all,
            explain=explain,
        )
    data = search_result(hits)
    session.answer(data, lambda screen: _draw_list(screen, data, "nothing found"))


@options.command("list")
@click.option("-n", "--limit", default=50, show_default=True, metavar="N", help="At most N memories.")
@click.option("--all", "is_all", is_flag=True, help="Past and future facts too.")
@options.layer()
@options.tags()
@options.as_of()
@options.known_at()
@click.option("--cursor", metavar="C", help="Go on where an answer said next_cursor.")
def list_command(
    session: Session,
    *,
    limit: int,
    is_all: bool,
    layer: str | None,
    tags: tuple[str, ...],
    as_of: str | None,
    known_at: str | None,
    cursor: str | None,
) -> None:
    """The newest memories, newest first."""
    with session.engine(reads_only=True) as engine:
        page = engine.list_recent(
            session.agent,
            limit,
            layer=layer,
            tags=tags,
            valid_at=as_of,
            known_at=known_at,
            include_historical=is_all,
            cursor=cursor,
        )
        data = memory_page(page)  # counts its total while the file is open
    session.answer(data, lambda screen: _draw_list(screen, data, "nothing here yet"))


@options.command("fetch")
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
def fetch_command(session: Session, *, ids: tuple[str, ...]) -> Exit:
    """Several memories by id, in the order asked; those that are not there are named.

    Ends in 1 where none of them is there.
    """
    with session.engine(reads_only=True) as engine:
        found = engine.get_by_ids(session.agent, list(ids))
    data = batch_result(found)

    def draw(screen: Screen) -> None:
        screen.memories(data["memories"], total=data["total_found"], nothing="none of them is here")
        if data["missing_ids"]:
            screen.line(f"not here: {', '.join(one_line(id) for id in data['missing_ids'])}", "warn")

    session.answer(data, draw)
    return Exit.DONE if found.total_found else Exit.ABSENT


@options.command("show")
@click.argument("id")
def show_command(session: Session, *, id: str) -> Exit:
    """One memory by id, also one that is past, superseded or taken back."""
    with session.engine(reads_only=True) as engine:
        memory = engine.get_by_id(session.agent, id)
    data = read_result(memory)
    session.answer(data, lambda screen: _draw_memory(screen, data, id))
    return Exit.ABSENT if memory is None else Exit.DONE


def _draw_list(screen: Screen, data: JsonObject, nothing: str) -> None:
    screen.memories(data["memories"], total=data["total"], nothing=nothing)
    if "next_cursor" in data:
        screen.line(f"more: --cursor {data['next_cursor']}", "quiet")


def _draw_memory(screen: Screen, data: JsonObject, id: str) -> None:
    if not data["found"]:
        screen.line(f"no memory has the id {one_line(id)}", "quiet")
        return
    record = data["memory"]
    screen.line(visible(record["content"]), "value")
    screen.line()
    screen.pairs(_particulars(record))
    if "holds_now" in data and data["holds_now"]["id"] != record["id"]:
        holding = data["holds_now"]
        screen.line(f"holds now: {holding['id']}, since {short_time(holding['valid_from'])}", "warn")
    if "continued_by" in data:
        screen.line(f"its value goes on in {data['continued_by']}", "quiet")


def _particulars(record: JsonObject) -> list[tuple[str, str]]:
    """Everything known about a memory, in the order a reader asks."""
    pairs = [
        ("id", record["id"]),
        ("fact", fact_name(record)),
        ("true", interval(record) if "valid_from" in record else ""),
        ("state", record.get("state") or ("current" if record["is_current"] else "not current")),
        ("from", f"{record['origin']}, trust {record['origin_trust']:.2f}"),
    ]
    pairs += [(word, short_time(record[key])) for key, word in _TIMES.items() if key in record]
    pairs += [(word, record[key]) for key, word in _LINKS.items() if key in record]
    pairs += [(word, ", ".join(record[key])) for key, word in _LISTS.items() if key in record]
    pairs += [
        ("kind", f"{record['layer']}, importance {record['importance']:g}, confidence {record['confidence']:g}"),
        ("contested", "curated and unverified sources disagree" if record.get("contested") else ""),
        ("metadata", to_json(record["metadata"]) if "metadata" in record else ""),
    ]
    return [(word, value) for word, value in pairs if value]


_TIMES = {"timestamp": "observed", "ingested_at": "learned", "invalidated_at": "closed"}
_LINKS = {
    "source_event": "event",
    "invalidated_by_event": "closed by",
    "supersedes": "took over from",
    "superseded_by": "gave way to",
}
_LISTS = {"tags": "tags", "derived_from": "derived from", "reaffirmed_by": "confirmed by"}
