"""Options that several commands share, and the shape every command has."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final, ParamSpec

import click

from karte.interfaces.cli.exits import Exit
from karte.interfaces.cli.session import Session, the_session

P = ParamSpec("P")
Handler = Callable[P, Exit | None]
Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

OPERATOR: Final = "operator"
"""The origin of what a person writes at this door."""
LAYERS: Final = ("episodic", "semantic", "procedural")


def _global_options(*, is_hidden: bool) -> list[Decorator]:
    return [
        click.option("--db", metavar="PATH", help="The memory file (KARTE_DB).", hidden=is_hidden),
        click.option("--agent", metavar="NAME", help="Whose memory it is (KARTE_AGENT).", hidden=is_hidden),
        click.option("--json", "as_json", is_flag=True, help="Answer in JSON, for machines.", hidden=is_hidden),
        click.option("--quiet", is_flag=True, help="Say nothing beside the answer.", hidden=is_hidden),
        click.option("--no-color", is_flag=True, help="Without colours.", hidden=is_hidden),
    ]


def takes_global_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The global options of ``karte`` itself, shown in its help."""
    for option in reversed(_global_options(is_hidden=False)):
        function = option(function)
    return function


def command(name: str, group: click.Group | None = None) -> Callable[[Callable[..., Exit | None]], click.Command]:
    """A sub-command: gets the session first, takes the global options too, ends in its exit code."""

    def decorate(function: Callable[..., Exit | None]) -> click.Command:
        @functools.wraps(function)
        def run(*, db: str | None, agent: str | None, as_json: bool, quiet: bool, no_color: bool, **own: Any) -> Exit:
            session: Session = the_session()
            session.take(db=db, agent=agent, as_json=as_json, quiet=quiet, no_color=no_color)
            return function(session, **own) or Exit.DONE

        wrapped: Callable[..., Any] = run
        for option in _global_options(is_hidden=True):
            wrapped = option(wrapped)
        made = click.command(name, epilog="The global options (see karte --help) may stand here too.")(wrapped)
        if group is not None:
            group.add_command(made)
        return made

    return decorate


def known_at() -> Decorator:
    """``--known-at``: ask what was believed then."""
    return click.option("--known-at", metavar="T", help="What was believed at T, not what is believed now.")


def as_of() -> Decorator:
    """``--as-of``: ask what was true then."""
    return click.option("--as-of", metavar="T", help="What was true at T, not what is true now.")


def layer(says: str = "Only this layer.") -> Decorator:
    """``--layer``: one of the three."""
    return click.option("--layer", type=click.Choice(LAYERS), help=says)


def tags(says: str = "Only with this tag (more than one: all of them).") -> Decorator:
    """``--tag``, as often as wanted."""
    return click.option("--tag", "tags", multiple=True, metavar="T", help=says)


def object_() -> Decorator:
    """``-o``: which value of a predicate that may have many."""
    return click.option("-o", "--object", metavar="O", help="Only this value.")


def origin(says: str = "Where it comes from [default: operator].") -> Decorator:
    """``--origin``: on whose word."""
    return click.option("--origin", metavar="O", help=says)
