"""``karte``: the command line.

Commands are looked up in a table and loaded one at a time, so that help and every single command
start quickly; whatever goes wrong ends in one sentence and one of the documented exit codes.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
import traceback
from collections.abc import Sequence
from typing import Final, NamedTuple, NoReturn

import click

from karte.errors import KarteError, shorten
from karte.interfaces.cli.exits import Exit, exit_of
from karte.interfaces.cli.options import takes_global_options
from karte.interfaces.cli.session import Session
from karte.interfaces.records import error_object, to_json
from karte.version import VERSION


class Entry(NamedTuple):
    """Where a command is, and its line in the help."""

    module: str
    says: str


COMMANDS: Final = {
    "add": Entry("writing", "Remember something: a text, a fact with a timeline, or a file of them."),
    "search": Entry("reading", "Find what is current by words, best first."),
    "at": Entry("timelines", "What a fact was at an instant."),
    "history": Entry("timelines", "A fact over time: every stretch, and what took over."),
    "fetch": Entry("reading", "Several memories by id, in one go."),
    "show": Entry("reading", "One memory, with all that is known about it."),
    "list": Entry("reading", "The newest memories."),
    "end": Entry("timelines", "Say that a fact is no longer true, and nothing took over."),
    "expire": Entry("timelines", "End all current facts of a subject."),
    "update": Entry("writing", "Change tags, importance, metadata or a plain memory's text."),
    "forget": Entry("writing", "Move a memory to the archive."),
    "restore": Entry("writing", "Bring a memory back from the archive."),
    "retract": Entry("timelines", "Take back an assertion; what it displaced returns."),
    "purge": Entry("rollback", "Take back all that came from one origin; what it displaced returns."),
    "undo": Entry("rollback", "Let what a purge or a retraction took back count again."),
    "approvals": Entry("approvals", "What waits for a decision: list, show, approve, reject."),
    "predicate": Entry("naming", "Which predicates may have many values at once."),
    "alias": Entry("naming", "Other names of the same thing."),
    "graph": Entry("graph", "Entities and the facts that join them, as GraphML, JSON or Mermaid."),
    "events": Entry("watching", "What happened to knowledge, as it happens if wanted."),
    "audit": Entry("watching", "The security audit: attacks, holds, decisions, purges."),
    "export": Entry("moving", "Give out all that is held, as JSON lines."),
    "import": Entry("moving_in", "Remember the conversations in a file: ChatGPT, Claude, or plain JSON."),
    "erase": Entry("moving", "Remove all about a subject, for good."),
    "status": Entry("upkeep", "What is in force and where it came from."),
    "decay": Entry("life", "Put what has faded in the archive."),
    "stats": Entry("life", "How much the agent's memory holds, and of what."),
    "summarize": Entry("life", "A digest of what was observed, and changed, in a stretch of time."),
    "decisions": Entry("decisions", "Questions that wait for their answer: list, open, resolve."),
    "mistakes": Entry("reflexion", "What went wrong: add, list, consolidate."),
    "rules": Entry("reflexion", "The rules that mistakes have become: list, judge, retire, restore, edit."),
    "distill": Entry("distilling", "Keep what is worth keeping of a conversation: facts, and pages."),
    "pages": Entry("pages", "Knowledge pages: list, show, file, search, promote, archive, restore, lint."),
    "context": Entry("reflexion", "What bears on a message, as one text for a prompt."),
    "reassign": Entry("life", "Give all of one agent to another."),
    "reembed": Entry("life", "Give vectors of today's model to the memories that have none."),
    "doctor": Entry("upkeep", "Check the file, and rebuild what can be rebuilt."),
    "mcp": Entry("upkeep", "Serve MCP over standard input and output."),
    "demo": Entry("demo", "Tell the whole story on a temporary file."),
}


class Commands(click.Group):
    """The commands of the table, each loaded when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 (click's signature)
        """The names in the order of the table, which is the order of use."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 (as above)
        """The command, loaded."""
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        module = importlib.import_module(f"karte.interfaces.cli.{entry.module}")
        found: click.Command = getattr(module, f"{cmd_name}_command")
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 (as above)
        """Names and lines of the table, without loading a command."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.says) for name, entry in COMMANDS.items()])


def _show_version(ctx: click.Context, _parameter: click.Parameter, is_wanted: bool) -> None:
    if is_wanted and not ctx.resilient_parsing:
        click.echo(f"karte {VERSION}")
        ctx.exit()


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@takes_global_options
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_show_version, help="Show the version."
)
@click.pass_context
def cli(ctx: click.Context, *, db: str | None, agent: str | None, as_json: bool, quiet: bool, no_color: bool) -> None:
    """Karte: a memory that knows since when, from whom, and how to take it back.

    Exit codes: 0 done, 1 asked and not there (or findings), 2 usage or bad input, 3 refused,
    4 held for a decision, 5 the file, 70 a fault of ours.
    """
    ctx.obj = Session(db=db, agent_option=agent, as_json=as_json, quiet=quiet, no_color=no_color)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and leave with its exit code."""
    _speak_utf8()
    sys.exit(run(sys.argv[1:] if arguments is None else arguments))


def run(arguments: Sequence[str]) -> int:
    """Run one command and give its exit code; errors are told on standard error."""
    told = _Told("--json" in arguments)
    try:
        with cli.make_context("karte", list(arguments)) as ctx:
            code = cli.invoke(ctx)
        sys.stdout.flush()
    except click.exceptions.Exit as error:  # after --help and --version
        return error.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        _to_stderr(error.format_message())
        return Exit.USAGE
    except click.UsageError as error:
        return told.usage(error)
    except click.ClickException as error:
        return told.sentence(Exit.USAGE, "usage", error.format_message())
    except (click.Abort, KeyboardInterrupt):
        return told.sentence(Exit.INTERRUPTED, "interrupted", "interrupted")
    except KarteError as error:
        return told.error(error)
    except BrokenPipeError:  # the reader has seen enough, as in `karte list | head`
        _forget_stdout()
        return Exit.DONE
    except OSError as error:
        _forget_stdout()
        return told.sentence(Exit.STORAGE, "storage_error", str(error))
    except Exception as error:  # noqa: BLE001 (the last line of defence: a fault of ours is one sentence too)
        return told.fault(error)
    return int(code or Exit.DONE)


class _Told:
    """How errors are told: a sentence, or with ``--json`` an object, on standard error."""

    def __init__(self, as_json: bool) -> None:
        self.as_json = as_json

    def usage(self, error: click.UsageError) -> Exit:
        if not self.as_json and error.ctx is not None:
            click.echo(error.ctx.get_usage(), err=True)
        return self.sentence(Exit.USAGE, "usage", error.format_message())

    def error(self, error: KarteError) -> Exit:
        code = exit_of(error)
        if self.as_json:
            _to_stderr(to_json({"error": error_object(error)}))
        else:
            _to_stderr(f"karte: {error}")
        return code

    def fault(self, error: Exception) -> Exit:
        if os.environ.get("KARTE_DEBUG"):
            traceback.print_exception(error)
        while isinstance(error, ExceptionGroup):  # asynchronous parts wrap what went wrong
            error = error.exceptions[0]
        what = f"{type(error).__name__}: {error}".replace("\n", " ")
        hint = "a fault of ours, please report it; KARTE_DEBUG=1 shows where"
        return self.sentence(Exit.FAULT, "fault", f"{shorten(what, 300)} ({hint})")

    def sentence(self, code: Exit, name: str, message: str) -> Exit:
        if self.as_json:
            _to_stderr(to_json({"error": {"code": name, "message": message}}))
        else:
            _to_stderr(f"karte: {message}")
        return code


def _to_stderr(line: str) -> None:
    with contextlib.suppress(OSError):  # nobody listens; the exit code still says it
        click.echo(line, err=True)


def _speak_utf8() -> None:
    """Text in and out is UTF-8, whatever the locale or code page says.

    Where Python has decoded arguments and file names by another locale, it starts over in its
    UTF-8 mode: the one way that reaches arguments, environment, paths and child processes alike.
    """
    if os.name == "posix" and not sys.flags.utf8_mode and sys.getfilesystemencoding().lower() != "utf-8":
        with contextlib.suppress(OSError):
            os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])  # noqa: S606
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if stream is not None and hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _forget_stdout() -> None:
    """Keep Python from failing once more when it flushes standard output at exit."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
