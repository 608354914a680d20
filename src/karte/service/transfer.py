"""Giving out all that is held, line by line, and taking it into an empty file."""

from __future__ import annotations

import contextlib
import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from karte.domain.drafts import checked_name
from karte.domain.erasure import EXPORT_FORMAT, Exported, Extent
from karte.errors import Conflict, InvalidInput, KarteError, StorageError
from karte.service.erase import extent_of
from karte.service.page_files import complete, with_file
from karte.service.services import Services
from karte.storage.protocol import Session

Write = Callable[[str], object]
"""Takes one line after another, each with its line break: ``file.write``, ``lines.append``."""
Out = str | os.PathLike[str] | Write

STATE: Final = "karte_state"
PAGES: Final = "pages"
HEADER: Final = "karte_export"
_BREAKS: Final = {code: f"\\u{code:04x}" for code in (0x85, 0x2028, 0x2029)}
"""What some readers take for the end of a line, and JSON does not."""


def export(
    services: Services,
    out: Out,
    *,
    agent: str | None = None,
    subject: str | None = None,
    include_objects: bool = False,
) -> Exported:
    """Writes all that is held (about a subject, of an agent, or in the file), from one snapshot.

    ``out`` is a path, which appears once it is whole, or what takes the lines.
    """
    if agent is not None:
        checked_name(agent, "agent")
    if subject is not None:
        checked_name(subject, "subject")
        if agent is None:
            raise InvalidInput("a subject is one of an agent's", field="agent", remedy="name the agent too")
    complete(services)
    with _written(out) as write, services.store.read() as session:
        extent = Extent(agent=agent)
        if agent is not None:
            extent = extent_of(session, agent, subject, include_objects=include_objects)
        return _export(services, session, extent, write)


def import_export(services: Services, lines: Iterable[str]) -> Exported:
    """Takes what ``export`` wrote into an empty file, with both axes of time; all of it or nothing."""
    counts: Counter[str] = Counter()
    with services.store.write() as session:
        if not session.exporting.is_empty():
            raise Conflict("something is in the file already", field="lines", remedy="import into a new file")
        number = 0
        state = ("", 0, 0)
        for number, (table, row) in _read(lines):
            with _at_line(number):
                if table == STATE:
                    state = _state(row)
                else:
                    session.exporting.put(table, row)
            counts[table] += 1
        if not number:
            raise InvalidInput("no export", field="lines", remedy="give what `karte export` wrote")
        session.take_over(*state)
        session.exporting.finish()
    complete(services)
    return Exported(lines=sum(counts.values()) + 1, rows=dict(counts))


def _export(services: Services, session: Session, extent: Extent, write: Write) -> Exported:
    scope: dict[str, Any] = {} if extent.agent is None else {"agent": extent.agent}
    if extent.names is not None:
        scope |= {"names": sorted(extent.names), "include_objects": extent.with_objects}
    write(_line({HEADER: EXPORT_FORMAT, "scope": scope}))
    counts: Counter[str] = Counter()
    for table, row in session.exporting.rows(extent):
        write(_line({"table": table, "row": with_file(services, row) if table == PAGES else row}))
        counts[table] += 1
    return Exported(lines=sum(counts.values()) + 1, rows=dict(counts))


def _line(value: dict[str, Any]) -> str:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.translate(_BREAKS) + "\n"


@contextlib.contextmanager
def _written(out: Out) -> Iterator[Write]:
    """Where lines go; a file is written beside its place and moved there when it is whole."""
    if callable(out):
        yield out
        return
    path = Path(out)
    part = path.with_name(f"{path.name}.part")
    try:
        part.unlink(missing_ok=True)
        part.touch(mode=0o600)
        with part.open("w", encoding="utf-8", newline="\n") as file:
            yield file.write
        part.replace(path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise StorageError(
                f"cannot be written ({error.strerror})", field="out", value=out, remedy="name another file"
            ) from error
        raise


def _read(lines: Iterable[str]) -> Iterator[tuple[int, tuple[str, dict[str, Any]]]]:
    is_begun = False
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        with _at_line(number):
            value = _object(line)
            if not is_begun:
                _check_header(value)
                is_begun = True
                continue
            table, row = value.get("table"), value.get("row")
            if not isinstance(table, str) or not isinstance(row, dict):
                raise InvalidInput("not a row", remedy="give what `karte export` wrote")
        yield number, (table, row)


def _object(line: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise InvalidInput("not a JSON object", remedy="give what `karte export` wrote")
    return value


def _check_header(value: dict[str, Any]) -> None:
    version = value.get(HEADER)
    if not isinstance(version, int) or isinstance(version, bool):
        raise InvalidInput("no export begins like this", remedy="give what `karte export` wrote")
    if version > EXPORT_FORMAT:
        raise InvalidInput("written by a newer version", value=version, remedy="import it with that version")


def _state(row: dict[str, Any]) -> tuple[str, int, int]:
    match row:
        case {"last_instant": str(instant), "last_order": int(order), "last_ordinal": int(ordinal)}:
            return instant, order, ordinal
    raise InvalidInput("not the state of a file", remedy="give what `karte export` wrote")


@contextlib.contextmanager
def _at_line(number: int) -> Iterator[None]:
    """An error inside says which line it is about."""
    try:
        yield
    except KarteError as error:
        error.field = f"line {number}" if error.field is None else f"line {number}, {error.field}"
        raise
