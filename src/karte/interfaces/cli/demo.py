"""``karte demo``: the whole story on a temporary file, through the real MCP door.

It starts ``karte mcp`` as a child process, talks to it with the official SDK's client, shows what
was said, asked and answered, and holds every reply against the story.
"""

from __future__ import annotations

import asyncio
import os
import shlex
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import click

from karte.interfaces import entry
from karte.interfaces.cli import options
from karte.interfaces.cli.demo_story import SCENES
from karte.interfaces.cli.exits import Exit
from karte.interfaces.cli.session import Session
from karte.interfaces.cli.text import number, one_line
from karte.interfaces.cli.timeline import draw
from karte.interfaces.records import JsonObject, to_json

_STYLES: Final[dict[str, dict[str, Any]]] = {
    "value": {"bold": True},
    "now": {"fg": "green", "bold": True},
    "quiet": {"dim": True},
    "off": {"fg": "red"},
    "head": {"fg": "cyan", "bold": True},
    "right": {"fg": "green"},
}
_LABEL: Final = 8
_PROGRAM: Final = (sys.executable, "-m", "karte")


class Teller:
    """Calls the tools, shows what comes back as it comes, and keeps the whole transcript."""

    def __init__(
        self,
        talk: entry.Conversation,
        *,
        is_shown: bool,
        color: bool | None,
        web: entry.Conversation | None = None,
        command_line: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.scenes: list[JsonObject] = []
        self.wrong: list[str] = []
        self.checks = 0
        self.remembered: dict[str, str] = {}
        self._talk = talk
        self._web = web or talk
        self._command_line = tuple(command_line)
        self._environment = environment
        self._is_shown = is_shown
        self._color = color

    def scene(self, title: str) -> None:
        """Begin a scene."""
        self.scenes.append({"title": title, "steps": [], "checks": []})
        self._show()
        self._show(("head", f"{len(self.scenes)}  {title}"))

    def remember(self, **facts: str) -> None:
        """Keep something for a later scene."""
        self.remembered.update(facts)

    async def say(self, content: str, **fact: Any) -> JsonObject:
        """Store a memory and show it as it was said."""
        reply = await self._call("memory_store", {"content": content, **fact})
        when = f"   from {fact['valid_from']}" if "valid_from" in fact else ""
        until = f" until {fact['valid_until']}" if "valid_until" in fact else ""
        event = f"   ({fact['source_event']})" if "source_event" in fact else ""
        self._labelled("said", ("", content), ("quiet", f"{when}{until}{event}"))
        return reply

    async def ask(self, question: str, tool: str, **arguments: Any) -> JsonObject:
        """Call a tool and show the question."""
        reply = await self._call(tool, arguments)
        self._labelled("asked", ("", question), ("quiet", f"   {tool}"))
        return reply

    async def read_on_the_web(self, content: str, **fact: Any) -> JsonObject:
        """Store what a page says through the connection for pages; the error where it is refused."""
        self._labelled("page", ("off", content))
        return await self._from_web("memory_store", {"content": content, **fact})

    async def read_many_on_the_web(self, items: Sequence[JsonObject]) -> JsonObject:
        """Store several things that a page says at once."""
        self._labelled("page", ("off", "; ".join(item["content"] for item in items)))
        return await self._from_web("memory_store_batch", {"items": list(items)})

    async def run(self, *arguments: str, is_shown: bool = True) -> JsonObject:
        """Run a command line on the same file; what it prints, and its exit code."""
        self._labelled("$", ("value", shlex.join(["karte", *arguments])))
        child = await asyncio.create_subprocess_exec(
            *self._command_line,
            *arguments,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            env=self._environment,
        )
        printed, _ = await child.communicate()
        text = printed.decode("utf-8", "replace")
        done = {"printed": text, "code": child.returncode}
        self.scenes[-1]["steps"].append({"command": ["karte", *arguments], "reply": done})
        for line in text.splitlines() if is_shown else ():
            self._show(("", " " * _LABEL), ("quiet", line))
        return done

    async def _from_web(self, tool: str, arguments: JsonObject) -> JsonObject:
        try:
            reply = await self._web.call(tool, arguments)
        except Exception as error:  # noqa: BLE001 (the client's own error, which this door does not know)
            reply = {"status": "refused", "reason": str(error)}
        self.scenes[-1]["steps"].append({"tool": tool, "arguments": arguments, "reply": reply})
        return reply

    def answer(self, *texts: str) -> None:
        """Show what came back."""
        for text in texts or ("nothing",):
            self._labelled("  →", ("value", one_line(text)))

    def timeline(self, records: Sequence[JsonObject]) -> None:
        """Draw a history."""
        for line in draw(records, has_ids=False):
            self._show(("", " " * _LABEL), *((style, text) for text, style in line))

    def expect(self, what: str, is_so: bool) -> None:
        """Hold a reply against the story."""
        self.checks += 1
        self.scenes[-1]["checks"].append({"says": what, "ok": is_so})
        if is_so:
            self._labelled("  ✓", ("right", what))
        else:
            self.wrong.append(what)
            self._labelled("  ✗", ("off", f"not so: {what}"))

    async def _call(self, tool: str, arguments: dict[str, Any]) -> JsonObject:
        reply = await self._talk.call(tool, arguments)
        self.scenes[-1]["steps"].append({"tool": tool, "arguments": arguments, "reply": reply})
        return reply

    def _labelled(self, label: str, *spans: tuple[str, str]) -> None:
        self._show(("quiet", label.ljust(_LABEL)), *spans)

    def _show(self, *spans: tuple[str, str]) -> None:
        if not self._is_shown:
            return
        try:
            click.echo("".join(click.style(text, **_STYLES.get(style, {})) for style, text in spans), color=self._color)
        except BrokenPipeError:  # nobody looks any more; the replies are held against the story all the same
            self._is_shown = False


@options.command("demo")
def demo_command(session: Session) -> Exit:
    """Tell the whole story on a temporary file, through the real MCP door.

    Ends in 70 where a reply is not what the story says.
    """
    started = time.monotonic()
    color = False if session.no_color or "NO_COLOR" in os.environ else None
    with tempfile.TemporaryDirectory(prefix="karte-demo-") as folder:
        teller = asyncio.run(_tell(Path(folder), is_shown=not session.as_json, color=color))
    seconds = time.monotonic() - started
    if session.as_json:
        data = {"ok": not teller.wrong, "checks": teller.checks, "seconds": round(seconds, 3), "scenes": teller.scenes}
        click.echo(to_json(data))
    else:
        click.echo()
        click.echo(_ending(teller, seconds))
    return Exit.FAULT if teller.wrong else Exit.DONE


async def _tell(folder: Path, *, is_shown: bool, color: bool | None) -> Teller:
    database = folder / "memory.db"
    command = [*_PROGRAM, "--db", str(database), "mcp"]
    if is_shown:
        click.echo("Karte keeps facts over time. A client now talks to `karte mcp` over a pipe, on a temporary file:")
        click.echo(click.style(f"  {database}", dim=True), color=color)
    environment = _environment(folder)
    web_command = [*command, "--origin", "channel:web"]
    async with entry.converse(command, environment) as talk, entry.converse(web_command, environment) as web:
        teller = Teller(
            talk,
            is_shown=is_shown,
            color=color,
            web=web,
            command_line=[*_PROGRAM, "--db", str(database), "--no-color"],
            environment=environment,
        )
        for play in SCENES:
            await play(teller)
    return teller


def _environment(folder: Path) -> dict[str, str]:
    """This process's environment without the user's own settings, which the story must not meet."""
    settings = folder / "config.toml"
    settings.touch()
    kept = {name: value for name, value in os.environ.items() if not name.upper().startswith("KARTE_")}
    return {**kept, "KARTE_CONFIG": str(settings)}


def _ending(teller: Teller, seconds: float) -> str:
    if teller.wrong:
        return f"{number(len(teller.wrong), 'reply', 'replies')} not as the story says: {'; '.join(teller.wrong)}"
    return (
        f"All {teller.checks} checks as the story says, in {seconds:.1f} s. "
        "Try it: karte add, karte search, karte history; an MCP client starts `karte mcp`."
    )
