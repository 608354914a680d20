"""Options that several commands share, and the shape every command has."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, ParamSpec

import click
from click.core import ParameterSource

from karte.errors import KarteError
from karte.interfaces.cli.exits import Exit
from karte.interfaces.cli.session import Session, the_session

P = ParamSpec("P")
Handler = Callable[P, Exit | None]
Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

OPERATOR: Final = "operator"
"""The origin of what a person writes at this door."""
_OPTIONS_OF: Final[Mapping[str, tuple[str, ...]]] = {
    "valid_at": ("as_of",),
    "window": ("days", "start", "end"),
    "ttl_days": ("days",),
    "budget_tokens": ("budget",),
    "options": ("offered",),
}
"""Where a field of the engine has another name here than the option that gives it."""
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
            try:
                return function(session, **own) or Exit.DONE
            except KarteError as error:
                error.field = _as_typed(error.field)
                raise

        wrapped: Callable[..., Any] = run
        for option in _global_options(is_hidden=True):
            wrapped = option(wrapped)
        made = click.command(name, epilog="The global options (see karte --help) may stand here too.")(wrapped)
        if group is not None:
            group.add_command(made)
        return made

    return decorate


def needs_somebody_to_ask(what: str) -> None:
    """Refuses what a person has to confirm where nobody can be asked."""
    if not sys.stdin.isatty():
        raise click.UsageError(f"this {what}, and nobody can be asked here: say --yes, or look with --dry-run first")


def not_both(*names: str) -> None:
    """Refuses options that contradict each other, if more than one of these was typed."""
    typed = _typed(names)
    if len(typed) > 1:
        raise click.UsageError(f"{' and '.join(typed)} contradict each other; give one of them")


def _as_typed(field: str | None) -> str | None:
    """The options that a wrong field was typed as; the field itself where it was none."""
    return None if field is None else ", ".join(_typed(_OPTIONS_OF.get(field, (field,)))) or field


def _typed(names: Sequence[str]) -> list[str]:
    """Those of these options that stand on the command line, as ``-n/--limit``."""
    context = click.get_current_context()
    return [
        "/".join(parameter.opts)
        for parameter in context.command.params
        if isinstance(parameter, click.Option)
        and parameter.name in names
        and context.get_parameter_source(parameter.name) is ParameterSource.COMMANDLINE
    ]


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
