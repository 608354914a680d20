"""Commands about the file and the service: status, doctor, mcp."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from karte.interfaces import entry
from karte.interfaces.cli import options
from karte.interfaces.cli.exits import Exit
from karte.interfaces.cli.session import Session
from karte.interfaces.cli.text import number
from karte.interfaces.records import JsonObject, doctor_report, status_object

if TYPE_CHECKING:
    from karte.interfaces.cli.screen import Screen


@options.command("status")
def status_command(session: Session) -> None:
    """What is in force and where it came from; what is in the file."""
    with session.engine(reads_only=True) as engine:
        data = status_object(engine.status())
    session.answer(data, lambda screen: _draw_status(screen, data))


def _draw_status(screen: Screen, data: JsonObject) -> None:
    access = ", read-only" if data["read_only"] else ""
    screen.line(f"{data['path']}{access}", "value")
    screen.pairs(
        [
            ("karte", f"{data['version']}, schema {data['schema_version']}, SQLite {data['sqlite_version']}"),
            ("size", f"{_size(data['file_bytes'])}, write-ahead log {_size(data['wal_bytes'])}"),
            (
                "memories",
                f"{data['memories']:,}, of which {number(data['facts'], 'fact')}, {data['current']:,} current",
            ),
            ("set aside", f"{data['archived']:,} archived, {data['quarantined']:,} held for a decision"),
            ("agents", f"{data['agents']:,}"),
        ]
    )
    screen.line()
    rows = [(name, _value(value), data["settings_from"][name]) for name, value in data["settings"].items()]
    screen.table(["setting", "value", "from"], rows)
    for warning in data["warnings"]:
        screen.line(f"warning: {warning}", "warn")


@options.command("doctor")
@click.option("--rebuild", is_flag=True, help="Rebuild what is derived (search index, keys), settle what can be.")
def doctor_command(session: Session, *, rebuild: bool) -> Exit:
    """Check the file. Ends in 1 where something is left to mend."""
    with session.engine() as engine:
        report = engine.doctor(rebuild=rebuild, on_progress=session.progress())
    data = doctor_report(report)

    def draw(screen: Screen) -> None:
        for finding in data["findings"]:
            mended = "mended: " if finding["repaired"] else ""
            where = f" ({finding['id']})" if "id" in finding else ""
            screen.line(f"{mended}{finding['kind']}: {finding['detail']}{where}", "" if mended else "warn")
        screen.pairs((name, f"{count:,}") for name, count in data["checked"].items())
        if data["rebuilt"]:
            screen.line(f"rebuilt: {', '.join(data['rebuilt'])}")
        left = sum(not finding["repaired"] for finding in data["findings"])
        screen.line(
            "in good health" if not left else f"{number(left, 'finding')} left to mend", "now" if not left else "warn"
        )

    session.answer(data, draw)
    return Exit.DONE if report.is_healthy else Exit.ABSENT


@options.command("mcp")
@click.option("--scopes", metavar="S,S", help="What the client may do [default: memory:read,memory:write].")
@options.origin("Where its writes come from: CLASS or CLASS:x [default: agent_derived].")
def mcp_command(session: Session, *, scopes: str | None, origin: str | None) -> Exit:
    """Serve MCP over standard input and output, until the client closes.

    Standard output carries the protocol only.
    """
    said = None if scopes is None else scopes.replace(",", " ").split()
    config = session.configured({"server.scopes": said, "server.origin": origin})
    code = entry.serve_stdio(config=config)
    sys.stdout.flush()
    return Exit(code or Exit.DONE)


def _size(count: int) -> str:
    size = float(count)
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return str(value)
