"""A fact's timeline as lines of text: what held when, what took over, and the gaps.

Pure: ``record`` objects (as every door answers them) in, styled lines out.

::

    2024-01-01  ├─ Vercel
                │  Deploys go to Vercel
                │  operator, trust 1.00, learned 2024-01-01
    2024-03-03  ├─ Cloudflare Workers   ◀ now, took over from Vercel
                ▼  no end is known
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise
from typing import Final, TypeAlias

from karte.interfaces.cli.text import number, one_line, short_time
from karte.interfaces.records import JsonObject

Line: TypeAlias = list[tuple[str, str]]
"""Pieces of text, each with the name of a style; the first is the margin."""

MARGIN: Final = 19 + 2  # an instant to the second, and room
_NO_MARGIN: Final = " " * MARGIN


def fact_name(record: JsonObject) -> str:
    """``subject · predicate = object`` of a fact, or nothing."""
    if "subject" not in record or "predicate" not in record:
        return ""
    name = f"{one_line(record['subject'])} · {one_line(record['predicate'])}"
    return f"{name} = {one_line(record['object'])}" if "object" in record else name


def interval(record: JsonObject) -> str:
    """When a fact is true, in words."""
    start, end = short_time(record.get("valid_from")), record.get("valid_until")
    if end is None:
        return f"since {start}"
    if end == record.get("valid_from"):
        return f"never (corrected at {start})"
    return f"{start} to {short_time(end)}"


def draw(records: Sequence[JsonObject], *, has_ids: bool = True) -> list[Line]:
    """The whole timeline; values of a predicate that may have many each get their own."""
    lines: list[Line] = []
    for thread in _threads(records):
        if lines:
            lines.append([(_NO_MARGIN, "")])
        lines += _draw_thread(thread, has_ids)
    return lines


def _threads(records: Sequence[JsonObject]) -> list[list[JsonObject]]:
    """One thread where the stretches follow each other, one a value where they overlap."""
    holding = [record for record in records if _holds_some_time(record)]
    overlaps = any(_end(before) > _start(after) for before, after in pairwise(holding))
    if not overlaps:
        return [list(records)]
    threads: dict[str, list[JsonObject]] = {}
    for record in records:
        threads.setdefault(_value(record), []).append(record)
    return list(threads.values())


def _draw_thread(records: Sequence[JsonObject], has_ids: bool) -> list[Line]:
    lines: list[Line] = []
    holding = [record for record in records if _holds_some_time(record)]
    following = {id(before): after for before, after in pairwise(holding)}
    before: JsonObject | None = None
    for record in records:
        if not _holds_some_time(record):
            lines += _draw_aside(record, is_inside=before is not None, has_ids=has_ids)
            continue
        lines += _draw_stretch(record, before, has_ids)
        lines += _draw_end(record, following.get(id(record)))
        before = record
    return lines


def _draw_stretch(record: JsonObject, before: JsonObject | None, has_ids: bool) -> list[Line]:
    head: Line = [(f"{_margin(record['valid_from'])}├─ ", "quiet"), (_value(record), "value")]
    remarks = []
    if before is not None and before.get("superseded_by") == record["id"] and _end(before) == _start(record):
        remarks.append(f"took over from {_value(before)}")
    elif "continues" in record.get("metadata", {}):
        remarks.append("goes on")
    if record.get("contested"):
        remarks.append("contested")
    if record["is_current"]:
        head.append(("   ◀ now", "now"))
    if remarks:
        head.append((("   " if not record["is_current"] else ", ") + ", ".join(remarks), "quiet"))
    return [head, *_draw_details(record, "│  ", has_ids)]


def _draw_details(record: JsonObject, rule: str, has_ids: bool) -> list[Line]:
    lines: list[Line] = []
    if one_line(record["content"]) != _value(record):
        lines.append([(_NO_MARGIN + rule, "quiet"), (one_line(record["content"]), "")])
    event = f", {one_line(record['source_event'])}" if "source_event" in record else ""
    source = (
        f"{one_line(record['origin'])}, trust {record['origin_trust']:.2f}, "
        f"learned {short_time(record['ingested_at'])}{event}"
    )
    lines.append([(_NO_MARGIN + rule, "quiet"), (source, "quiet")])
    if has_ids:
        lines.append([(_NO_MARGIN + rule, "quiet"), (record["id"], "quiet")])
    lines += [[(_NO_MARGIN + rule, "quiet"), (f"confirmed by {who}", "quiet")] for who in _confirmations(record)]
    return lines


def _confirmations(record: JsonObject) -> list[str]:
    """Who said the same later, from the record's own view of it."""
    told = record.get("metadata", {}).get("reaffirmed_by", ())
    views = [each for each in told if isinstance(each, dict)] if isinstance(told, list | tuple) else []
    if not views:
        return [one_line(str(event)) for event in record.get("reaffirmed_by", ()) if event]
    named = []
    for view in views:
        origin, event, at = (str(view.get(key) or "") for key in ("origin", "source_event", "at"))
        when = f" on {_readable(at)}" if at else ""
        named.append(f"{one_line(origin)}{when}{f' ({one_line(event)})' if event else ''}".strip())
    return named


def _draw_end(record: JsonObject, after: JsonObject | None) -> list[Line]:
    end = record.get("valid_until")
    if end is None:
        return [[(_NO_MARGIN, ""), ("▼  no end is known", "quiet")]]
    if after is not None and _start(after) == end:
        return []
    event = f" ({one_line(record['invalidated_by_event'])})" if "invalidated_by_event" in record else ""
    lines: list[Line] = [[(_margin(end), "quiet"), (f"┴  ended{event}", "quiet")]]
    if after is not None:
        lines.append([(_NO_MARGIN, ""), ("┆  nothing holds", "quiet")])
    return lines


def _draw_aside(record: JsonObject, *, is_inside: bool, has_ids: bool) -> list[Line]:
    """A row that holds at no instant: corrected, taken back, or waiting for a decision."""
    rule = "│  " if is_inside else "   "
    state = record.get("state")
    if state is None and record.get("contested"):
        remark = "contested: outvoted by the curated word"
    elif state is None:
        remark = "corrected, never held"
    elif state == "quarantined":
        remark = "held for a decision"
    else:
        event = f": {one_line(record['invalidated_by_event'])}" if "invalidated_by_event" in record else ""
        when = f" on {short_time(record['invalidated_at'])}" if "invalidated_at" in record else ""
        remark = f"{state}{when}{event}"
    head: Line = [
        (f"{_margin(record.get('valid_from') or record['timestamp'])}{rule.rstrip() or ' '} × ", "quiet"),
        (_value(record), ""),
        (f"   {remark}", "off"),
    ]
    return [head, *_draw_details(record, f"{rule}   ", has_ids)]


def summary(records: Sequence[JsonObject]) -> str:
    """How many stretches there are and what holds now."""
    now = [_value(record) for record in records if record["is_current"]]
    holds = f"now {', '.join(now)}" if now else "nothing holds now"
    return f"{number(len(records), 'stretch', 'stretches')}, {holds}; times in UTC"


def _holds_some_time(record: JsonObject) -> bool:
    return "state" not in record and record.get("valid_from") != record.get("valid_until", "open")


def _start(record: JsonObject) -> str:
    return str(record.get("valid_from", ""))


def _end(record: JsonObject) -> str:
    return str(record.get("valid_until", "~"))  # after every digit: no end is known


def _value(record: JsonObject) -> str:
    return one_line(record["object"] if "object" in record else record["content"])


def _margin(moment: str) -> str:
    return short_time(moment).ljust(MARGIN)


def _readable(at: str) -> str:
    try:
        return short_time(datetime.fromisoformat(at))
    except ValueError:
        return one_line(at)
