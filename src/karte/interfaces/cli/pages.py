"""Commands about knowledge pages."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, Final

import click

from karte.interfaces.cli import options
from karte.interfaces.cli.exits import Exit
from karte.interfaces.cli.session import Session
from karte.interfaces.cli.text import number, one_line, short_time, text_of, visible
from karte.interfaces.page_records import finding_object, page_hit, page_object, page_outcome, proposal_object
from karte.interfaces.records import JsonObject

if TYPE_CHECKING:
    from karte.interfaces.cli.screen import Screen

DOC_TYPES: Final = ("charter", "sop", "spec", "policy", "reference")
LAYERS: Final = ("identity", "core", "context", "deep")
SOURCE_TYPES: Final = ("verified_fact", "user_statement", "tool_output", "raw_dialogue")
_STYLES: Final = {"live": "now", "held": "warn", "flagged": "warn", "broken": "warn"}


@click.group("pages")
def pages_command() -> None:
    """Long-lived texts, each a Markdown file, and what vouches for it."""


@options.command("list", pages_command)
@click.option("--all", "with_archived", is_flag=True, help="Also those that were put away.")
def list_pages(session: Session, *, with_archived: bool) -> None:
    """The pages, by their paths."""
    with session.engine() as engine:
        pages = [page_object(page) for page in engine.list_pages(session.agent, with_archived=with_archived)]

    def draw(screen: Screen) -> None:
        if not pages:
            screen.line("no page", "quiet")
            return
        rows = [
            (each["path"], each["layer"], f"{each['trust']:.2f}", each["state"], one_line(each["title"]))
            for each in pages
        ]
        screen.table(["path", "layer", "trust", "state", "title"], rows)

    session.answer({"pages": pages, "total": len(pages)}, draw)


@options.command("show", pages_command)
@click.argument("path")
def show_page(session: Session, *, path: str) -> None:
    """One page: what vouches for it, where it leads, and its text."""
    with session.engine() as engine:
        found = engine.read_page(session.agent, path)
        links = [{"to": link.target, "is_page": link.is_page} for link in engine.page_links(session.agent, path)]
        backlinks = list(engine.page_backlinks(session.agent, path))
    data: JsonObject = {**page_object(found.page), "links": links, "backlinks": backlinks, "text": found.text}

    def draw(screen: Screen) -> None:
        _draw_head(screen, data)
        for name, paths in (("leads to", [str(link["to"]) for link in links]), ("is led to by", backlinks)):
            if paths:
                screen.line(f"  {name}: {', '.join(map(one_line, paths))}", "quiet")
        screen.line()
        screen.line(visible(found.text))

    session.answer(data, draw)


@options.command("file", pages_command)
@click.argument("file", type=click.File("rb"))
@click.option("--title", metavar="TEXT", help="What it is called [default: its heading].")
@click.option("--type", "doc_type", type=click.Choice(DOC_TYPES), help="Of what kind [default: by its words].")
@options.tags("Mark it with this tag, as often as wanted.")
@options.origin()
def file_page(
    session: Session,
    *,
    file: IO[bytes],
    title: str | None,
    doc_type: str | None,
    tags: tuple[str, ...],
    origin: str | None,
) -> Exit:
    """File a document as a page, unconfirmed until it is promoted. Ends in 4 where it is held or waits."""
    text = text_of(file)
    with session.engine() as engine:
        outcome = engine.file_page(
            session.agent, text, title=title, doc_type=doc_type, tags=tags, origin=origin or options.OPERATOR
        )
    data = page_outcome(outcome)

    def draw(screen: Screen) -> None:
        screen.line(f"{data['status']}  {data['path']}", "now" if outcome.status in ("filed", "updated") else "warn")
        for name in ("reason", "proposal_id", "approval_id"):
            if name in data:
                screen.line(f"  {name.replace('_', ' ')}: {one_line(data[name])}", "warn")
        for note in outcome.notes:
            screen.line(f"  {one_line(note)}", "warn")

    session.answer(data, draw)
    return Exit.HELD if outcome.status in ("held", "proposed") else Exit.DONE


@options.command("search", pages_command)
@click.argument("query")
@click.option("-n", "limit", type=int, default=10, show_default=True, help="How many at most.")
def search_pages(session: Session, *, query: str, limit: int) -> None:
    """The pages that hold words of a query, best first, each with the part that answers."""
    with session.engine() as engine:
        hits = [page_hit(hit) for hit in engine.search_pages(session.agent, query, limit)]

    def draw(screen: Screen) -> None:
        if not hits:
            screen.line("no page", "quiet")
        for hit in hits:
            screen.line(f"{hit['path']}  {one_line(hit['title'])}", "value")
            screen.line(f"  {one_line(hit['excerpt'])}")
            screen.line(f"  {hit['layer']}, trust {hit['trust']:.2f}, {hit['source_type']}", "quiet")

    session.answer({"pages": hits, "total": len(hits)}, draw)


@options.command("promote", pages_command)
@click.argument("path")
@click.option("--layer", type=click.Choice(LAYERS), default="core", show_default=True, help="How near it is kept.")
@click.option("--trust", type=float, default=0.9, show_default=True, help="How far it is trusted, 0 to 1.")
@click.option(
    "--source-type", type=click.Choice(SOURCE_TYPES), default="verified_fact", show_default=True, help="What it is."
)
@click.option("--author", default="operator", show_default=True, help="Who confirms it.")
@options.origin()
def promote_page(
    session: Session, *, path: str, layer: str, trust: float, source_type: str, author: str, origin: str | None
) -> None:
    """Confirm a page. What is in the layers identity and core joins every context."""
    with session.engine() as engine:
        page = engine.promote_page(
            session.agent,
            path,
            author=author,
            layer=layer,
            trust=trust,
            source_type=source_type,
            origin=origin or options.OPERATOR,
        )
    _answer_page(session, page_object(page))


@options.command("archive", pages_command)
@click.argument("path")
def archive_page(session: Session, *, path: str) -> None:
    """Put a page away; nothing of it is lost."""
    with session.engine() as engine:
        page = engine.archive_page(session.agent, path)
    _answer_page(session, page_object(page))


@options.command("restore", pages_command)
@click.argument("path")
def restore_page(session: Session, *, path: str) -> None:
    """Bring a page back that was put away."""
    with session.engine() as engine:
        page = engine.restore_page(session.agent, path)
    _answer_page(session, page_object(page))


@options.command("proposals", pages_command)
def list_proposals(session: Session) -> None:
    """The texts that wait to replace a page's."""
    with session.engine() as engine:
        waiting = [proposal_object(each) for each in engine.list_page_proposals(session.agent)]

    def draw(screen: Screen) -> None:
        if not waiting:
            screen.line("nothing waits", "quiet")
        for each in waiting:
            screen.line(f"{each['path']}  {each['id']}", "value")
            screen.line(f"  from {one_line(each['origin'])}, {short_time(each['proposed_at'])}", "quiet")
            screen.line(visible(each["text"]))

    session.answer({"proposals": waiting, "total": len(waiting)}, draw)


@options.command("accept", pages_command)
@click.argument("proposal")
@click.option("--author", default="operator", show_default=True, help="Who accepts it.")
def accept(session: Session, *, proposal: str, author: str) -> None:
    """Give a page the text that waits."""
    with session.engine() as engine:
        page = engine.accept_page_proposal(session.agent, proposal, author=author, origin=options.OPERATOR)
    _answer_page(session, page_object(page))


@options.command("decline", pages_command)
@click.argument("proposal")
def decline(session: Session, *, proposal: str) -> None:
    """Let the text that waits go."""
    with session.engine() as engine:
        page = engine.decline_page_proposal(session.agent, proposal)
    _answer_page(session, page_object(page))


@options.command("graph", pages_command)
def page_graph(session: Session) -> None:
    """The pages and the links between them, as a Mermaid flowchart."""
    with session.engine() as engine:
        drawn = engine.export_page_graph(session.agent)
    if session.as_json:
        session.answer({"mermaid": drawn}, lambda _screen: None)
    else:
        click.echo(drawn, nl=False)


@options.command("lint", pages_command)
def lint(session: Session) -> Exit:
    """What is wrong with the pages, or may be. Ends in 1 where anything is."""
    with session.engine() as engine:
        findings = [finding_object(each) for each in engine.lint_pages(session.agent)]

    def draw(screen: Screen) -> None:
        if not findings:
            screen.line("nothing to report", "now")
            return
        screen.table(
            ["path", "rule", "what"], [(each["path"], each["rule"], one_line(each["says"])) for each in findings]
        )
        screen.line(number(len(findings), "finding"), "quiet")

    session.answer({"findings": findings, "total": len(findings)}, draw)
    return Exit.ABSENT if findings else Exit.DONE


def _answer_page(session: Session, page: JsonObject) -> None:
    session.answer(page, lambda screen: _draw_head(screen, page))


def _draw_head(screen: Screen, page: JsonObject) -> None:
    screen.line(f"{page['path']}: {page['state']}", _STYLES.get(page["state"], "off"))
    screen.line(f"  {one_line(page['title'])}", "value")
    screen.line(f"  {page['layer']}, trust {page['trust']:.2f}, {page['source_type']}", "quiet")
    screen.line(f"  from {one_line(page['origin'])}, {short_time(page['updated'])}", "quiet")
    if "author" in page:
        screen.line(f"  confirmed by {one_line(page['author'])}", "quiet")
    if "problem" in page:
        screen.line(f"  {one_line(page['problem'])}", "warn")
