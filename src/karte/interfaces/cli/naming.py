"""Commands about names: which predicates may have many values, and aliases."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from karte.domain.entities import normalise
from karte.domain.model import Cardinality
from karte.interfaces.cli import options
from karte.interfaces.cli.session import Session
from karte.interfaces.cli.text import number, one_line
from karte.interfaces.records import alias_list, predicate_list

if TYPE_CHECKING:
    from karte.domain.model import Alias
    from karte.engine import SqliteMemoryEngine


@click.group("predicate")
def predicate_command() -> None:
    """Which predicates may have many values at once.

    A predicate has one value at a time unless it is declared otherwise: a person "knows"
    several people.
    """


@options.command("declare", predicate_command)
@click.argument("predicate")
@click.argument("cardinality", type=click.Choice(["one", "many"]))
@options.origin()
@click.option("--dry-run", is_flag=True, help="Only say how many current facts it would change.")
def declare_command(
    session: Session, *, predicate: str, cardinality: Cardinality, origin: str | None, dry_run: bool
) -> None:
    """Declare that a predicate has one value at a time, or many."""
    with session.engine() as engine:
        changed = engine.declare_predicate(
            session.agent, predicate, cardinality, origin=origin or options.OPERATOR, dry_run=dry_run
        )
    data = {"predicate": predicate, "cardinality": cardinality, "changed": changed, "dry_run": dry_run}
    session.answer(data, lambda screen: screen.line(_told(f"{predicate} has {cardinality}", changed, dry_run=dry_run)))


@options.command("list", predicate_command)
def predicate_list_command(session: Session) -> None:
    """The predicates that were declared."""
    with session.engine(reads_only=True) as engine:
        data = predicate_list(engine.list_predicates(session.agent))
    rows = [(pair["predicate"], pair["cardinality"]) for pair in data["predicates"]]
    session.answer(
        data, lambda screen: screen.table(["predicate", "values"], rows) if rows else screen.line(NONE, "quiet")
    )


@click.group("alias")
def alias_command() -> None:
    """Other names of the same thing: what is said of one is said of all."""


@options.command("add", alias_command)
@click.argument("canonical")
@click.argument("alias")
@options.origin()
@click.option("--dry-run", is_flag=True, help="Only say how many current facts it would change.")
def alias_add_command(session: Session, *, canonical: str, alias: str, origin: str | None, dry_run: bool) -> None:
    """Say that ALIAS is another name of CANONICAL.

    Timelines of both names become one; how many current facts that changes is said before it
    is done.
    """
    with session.engine() as engine:
        before = _named(engine, session.agent, alias)
        would_change = engine.add_alias(
            session.agent, canonical, alias, origin=origin or options.OPERATOR, dry_run=True
        )
        if would_change and not dry_run:
            session.note(f"note: this changes {number(would_change, 'current fact')}")
        changed = would_change
        if not dry_run:
            changed = engine.add_alias(session.agent, canonical, alias, origin=origin or options.OPERATOR)
        stored = _named(engine, session.agent, alias)
        after = canonical if dry_run or stored is None else stored.canonical
        if before is not None and normalise(before.canonical) != normalise(after):
            verb = "would mean" if dry_run else "means"
            session.note(
                f"note: {one_line(alias)} {verb} {one_line(after)} now, and meant {one_line(before.canonical)}"
            )
    data = {
        "canonical": stored.canonical if stored else canonical,
        "alias": stored.alias if stored else alias,
        "changed": changed,
        "dry_run": dry_run,
    }
    told = _told(f"{data['alias']} is {data['canonical']}", changed, dry_run=dry_run)
    session.answer(data, lambda screen: screen.line(told))


def _named(engine: SqliteMemoryEngine, agent: str, alias: str) -> Alias | None:
    return {normalise(each.alias): each for each in engine.list_aliases(agent)}.get(normalise(alias))


@options.command("remove", alias_command)
@click.argument("alias")
@options.origin()
@click.option("--dry-run", is_flag=True, help="Only say how many current facts it would change.")
def alias_remove_command(session: Session, *, alias: str, origin: str | None, dry_run: bool) -> None:
    """Say that ALIAS is a name of its own again. Ends in 1 where it was no alias."""
    with session.engine() as engine:
        changed = engine.remove_alias(session.agent, alias, origin=origin or options.OPERATOR, dry_run=dry_run)
    data = {"alias": alias, "removed": not dry_run, "changed": changed, "dry_run": dry_run}
    told = _told(f"{alias} is a name of its own", changed, dry_run=dry_run)
    session.answer(data, lambda screen: screen.line(told))


@options.command("list", alias_command)
def alias_list_command(session: Session) -> None:
    """The aliases, each with the name that it stands for."""
    with session.engine(reads_only=True) as engine:
        data = alias_list(engine.list_aliases(session.agent))
    rows = [(pair["alias"], pair["canonical"]) for pair in data["aliases"]]
    session.answer(data, lambda screen: screen.table(["alias", "is"], rows) if rows else screen.line(NONE, "quiet"))


NONE = "none yet"


def _told(what: str, changed: int, *, dry_run: bool) -> str:
    if dry_run:
        return f"would change {number(changed, 'current fact')}; nothing was written"
    return f"{what}; {number(changed, 'current fact')} changed"
