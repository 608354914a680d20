"""The digest of a stretch of time: the same memories give the same text, and no model is needed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

MOST_NAMED: Final = 5
MOST_SHOWN: Final = 10
_LONGEST: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A fact whose value began in the window, with the value that it replaced, if it replaced one."""

    id: str
    subject: str
    predicate: str
    value: str
    since: datetime
    replaced: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sitting:
    """A conversation of the window: how many of its memories stand there, and from when to when."""

    session: str
    memories: int
    first: datetime
    last: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Notable:
    """One of the most important memories."""

    id: str
    content: str
    importance: float
    timestamp: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What an agent's memory holds of a window (``start`` inclusive, ``end`` exclusive); only what is current.

    ``memories`` were observed in it, ``facts`` of them are facts. ``changes`` began in it, latest first. ``subjects``
    and ``tags`` are the most frequent. ``text`` says all of this; ``phrased`` tells that the caller's ``phrase`` worded
    it.
    """

    agent: str
    start: datetime
    end: datetime
    memories: int = 0
    facts: int = 0
    changed: int = 0
    changes: tuple[Change, ...] = ()
    subjects: tuple[tuple[str, int], ...] = ()
    tags: tuple[tuple[str, int], ...] = ()
    sessions: tuple[Sitting, ...] = ()
    important: tuple[Notable, ...] = ()
    text: str = ""
    phrased: bool = False


def text_of(summary: Summary) -> str:
    """The digest in words."""
    held = f"{_count(summary.memories, 'memory', 'memories')}, {summary.facts} of them facts"
    lines = [f"From {_minute(summary.start)} until {_minute(summary.end)}: {held}."]
    lines += _section(f"Changed ({summary.changed})", [_change(change) for change in summary.changes])
    lines += _section("Most frequent subjects", _counted(summary.subjects))
    lines += _section("Most frequent tags", _counted(summary.tags))
    lines += _section(
        "Conversations",
        [
            f"{_line(sitting.session)}: {_count(sitting.memories, 'memory', 'memories')},"
            f" {_minute(sitting.first)} to {_minute(sitting.last)}"
            for sitting in summary.sessions
        ],
    )
    lines += _section("Most important", [f"{_line(memory.content)} [{memory.id}]" for memory in summary.important])
    return "\n".join(lines)


def _section(title: str, items: list[str]) -> list[str]:
    return [f"{title}:", *(f"- {item}" for item in items)] if items else []


def _counted(pairs: tuple[tuple[str, int], ...]) -> list[str]:
    return [f"{_line(name)} ({count})" for name, count in pairs]


def _change(change: Change) -> str:
    was = f" (was: {_line(change.replaced)})" if change.replaced is not None else ""
    return (
        f"{_line(change.subject)} | {_line(change.predicate)}: {_line(change.value)}{was}"
        f", since {_minute(change.since)} [{change.id}]"
    )


def _line(text: str) -> str:
    """The text on one line, and not too long: no memory can add a line of its own to the digest."""
    joined = " ".join(text.split())
    return joined if len(joined) <= _LONGEST else f"{joined[: _LONGEST - 1]}…"


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def _minute(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%d %H:%M")
