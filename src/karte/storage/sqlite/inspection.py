"""What a file's health is: whether what it keeps twice agrees, and what an older engine left that needs a person's eye.

Each check is a query whose rows are findings: the first column is the id of a memory (or NULL), the others fill the
sentence. ``inspect`` with ``rebuild`` mends what can be computed anew, looks again, and marks what is gone as repaired.
"""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

import apsw

from karte.domain.model import DoctorReport, Finding
from karte.errors import shorten
from karte.storage.sqlite import adoption, conversion_names, mending, steps
from karte.storage.sqlite.conversion import TIMES, written
from karte.storage.sqlite.indexing import Progress, is_index_fresh

SHOWN_FINDINGS: Final = 1_000
"""The most findings of one kind that a report lists; one more then counts the rest."""
LARGE_LOG_BYTES: Final = 64 * 1024 * 1024

Settle = Callable[[str, str], None]
"""Plans one fact, named by agent and identity, anew."""
OddTime = tuple[str, str, str, str]
"""Table, column, id and our form of a time that was found in another form."""

_LIVE: Final = "m.identity IS NOT NULL AND m.state IS NULL AND m.quarantined = 0"
_IS_LIST: Final = "(json_valid({0}) AND json_type({0}) = 'array')"
_IS_OBJECT: Final = "(json_valid({0}) AND json_type({0}) = 'object')"
_DIGITS: Final = "[0-9][0-9]"
_CANONICAL: Final = f"{_DIGITS}{_DIGITS}-{_DIGITS}-{_DIGITS}T{_DIGITS}:{_DIGITS}:{_DIGITS}.{_DIGITS * 3}+00:00"
_ODD_TIME: Final = (
    "SELECT '{table}', '{column}', id, {column} FROM {table} WHERE {column} IS NOT NULL"
    f" AND ({{column}} NOT GLOB '{_CANONICAL}' OR julianday({{column}}) IS NULL)"
)
_ODD_TIMES: Final = " UNION ALL ".join(
    _ODD_TIME.format(table=table, column=column) for table in ("memories", "memories_archive") for column in TIMES
)


@dataclass(frozen=True, slots=True)
class _Check:
    """A kind of finding, the sentence that tells it, and the query that finds it."""

    kind: str
    sentence: str
    query: str


_CHECKS: Final = (
    _Check(
        "not_taken_in",
        "an older engine wrote this memory after the upgrade",
        "SELECT id FROM memories WHERE ordinal IS NULL",
    ),
    _Check(
        "several_open",
        "{} rows of the fact {} / {} of {} are open at once",
        "SELECT max(m.id), count(*), m.subject, m.predicate, m.agent_id FROM memories m"
        f" WHERE {_LIVE} AND m.valid_until IS NULL GROUP BY m.agent_id, m.identity HAVING count(*) > 1",
    ),
    _Check(
        "overlap",
        "begins before an earlier stretch of {} / {} of {} has ended",
        "SELECT id, subject, predicate, agent_id FROM (SELECT m.id, m.subject, m.predicate, m.agent_id, m.valid_from,"
        " m.valid_until, max(coalesce(m.valid_until, '~')) OVER (PARTITION BY m.agent_id, m.identity"
        " ORDER BY m.valid_from, m.assertion ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS reach"
        f" FROM memories m WHERE {_LIVE} AND (m.valid_until IS NULL OR m.valid_until > m.valid_from))"
        " WHERE reach > valid_from",
    ),
    _Check(
        "inverted",
        "ends at {} before its start {}; it reads as an empty stretch",
        "SELECT id, valid_until, valid_from FROM memories WHERE valid_until < valid_from",
    ),
    _Check(
        "malformed_json",
        "{} is not the JSON it should be; it reads as empty",
        f"SELECT id, 'tags' FROM memories WHERE NOT {_IS_LIST.format('tags')}"
        f" UNION ALL SELECT id, 'metadata' FROM memories WHERE NOT {_IS_OBJECT.format('metadata')}"
        " UNION ALL SELECT id, 'derived_from' FROM memories WHERE derived_from IS NOT NULL"
        f" AND NOT {_IS_LIST.format('derived_from')}",
    ),
    _Check(
        "dangling_link",
        "{} names {}, which is no other memory of this agent",
        " UNION ALL ".join(
            f"SELECT m.id, '{link}', m.{link} FROM memories m WHERE m.state IS NULL AND m.{link} IS NOT NULL"
            f" AND (m.{link} = m.id OR NOT EXISTS (SELECT 1 FROM memories o WHERE o.id = m.{link}"
            " AND o.agent_id = m.agent_id))"
            for link in ("superseded_by", "supersedes")
        ),
    ),
    _Check(
        "assertion_without_row",
        "was said about {} / {}, and no memory shows it",
        "SELECT a.id, a.subject, a.predicate FROM memory_assertions a WHERE a.kind = 'value' AND a.makes_row = 1"
        " AND a.state = 'live' AND NOT EXISTS (SELECT 1 FROM memories m WHERE m.id = a.id)",
    ),
    _Check(
        "row_without_assertion",
        "shows the fact {} / {}, and nothing tells who said it",
        "SELECT m.id, m.subject, m.predicate FROM memories m WHERE m.identity IS NOT NULL"
        " AND NOT EXISTS (SELECT 1 FROM memory_assertions a WHERE a.learned_order = m.assertion)",
    ),
    _Check(
        "state_mismatch",
        "the memory and what it asserts disagree on whether it counts ({})",
        "SELECT m.id, a.state FROM memories m JOIN memory_assertions a ON a.learned_order = m.assertion"
        " AND a.id = m.id WHERE (m.state IS NULL AND m.quarantined = 0) <> (a.state = 'live')"
        " UNION ALL SELECT x.id, a.state FROM memories_archive x JOIN memory_assertions a"
        " ON a.learned_order = x.assertion AND a.id = x.id WHERE a.state = 'live'",
    ),
)
_INDEX_CHECKS: Final = (
    _Check(
        "not_indexed",
        "search cannot find it: number {} is not in the index",
        "SELECT m.id, m.ordinal FROM memories m WHERE m.ordinal IS NOT NULL"
        " AND NOT EXISTS (SELECT 1 FROM memory_index_docsize d WHERE d.id = m.ordinal)",
    ),
    _Check(
        "index_orphan",
        "the index holds number {}, which is no memory",
        "SELECT NULL, d.id FROM memory_index_docsize d WHERE NOT EXISTS"
        " (SELECT 1 FROM memories m WHERE m.ordinal = d.id)",
    ),
)
_COUNTS: Final = {
    "memories": "SELECT count(*) FROM memories",
    "archived": "SELECT count(*) FROM memories_archive",
    "assertions": "SELECT count(*) FROM memory_assertions",
    "held": "SELECT count(*) FROM memories WHERE quarantined <> 0 AND state IS NULL",
    "retracted": "SELECT count(*) FROM memories WHERE state IS NOT NULL",
    "aliases": "SELECT count(*) FROM entity_alias",
}
_STAGE: Final = "looking the file over"
_INTEGRITY: Final = "PRAGMA integrity_check(100)"
_FILE: Final = "SELECT file FROM pragma_database_list WHERE name = 'main'"
_DAMAGE: Final = (apsw.CorruptError, apsw.NotADBError, apsw.IOError, UnicodeDecodeError)
_TO_SETTLE: Final = frozenset({"several_open", "overlap", "inverted", "dangling_link"})


def inspect(
    connection: apsw.Connection,
    *,
    rebuild: bool = False,
    settle: Settle | None = None,
    on_progress: Progress | None = None,
) -> DoctorReport:
    """The health of the file; with ``rebuild``, after derived data were computed anew.

    ``settle`` then plans anew every fact whose rows contradict each other or point to nothing. It is called outside any
    transaction.
    """
    report = on_progress or _no_progress
    findings, odd_times = _look(connection, report)
    rebuilt: tuple[str, ...] = ()
    if rebuild:
        rebuilt, facts = mending.rebuild(connection, odd_times, report)
        if settle is not None:
            ids = [finding.id for finding in _look(connection, report)[0] if finding.kind in _TO_SETTLE and finding.id]
            if mending.settle_facts(connection, ids, facts, settle, report):
                rebuilt += ("timelines",)
        left = dict.fromkeys(_look(connection, report)[0])
        gone = [replace(finding, repaired=True) for finding in findings if finding not in left]
        findings = [*gone, *left]
    return DoctorReport(findings=_shown(findings), checked=_counts(connection), rebuilt=rebuilt)


def _no_progress(_stage: str, _done: int, _total: int) -> None:
    """Nobody listens."""


def _shown(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """The findings, of each kind no more than a person reads."""
    of_kind: dict[tuple[str, bool], list[Finding]] = defaultdict(list)
    for finding in findings:
        of_kind[finding.kind, finding.repaired].append(finding)
    shown: list[Finding] = []
    for (kind, is_repaired), same in of_kind.items():
        shown += same[:SHOWN_FINDINGS]
        if len(same) > SHOWN_FINDINGS:
            rest = f"and {len(same) - SHOWN_FINDINGS} more of this kind"
            shown.append(Finding(kind=kind, detail=rest, repaired=is_repaired))
    return tuple(shown)


def _look(connection: apsw.Connection, report: Progress) -> tuple[list[Finding], list[OddTime]]:
    """All findings, from one snapshot; and the times that can be read but are not in our form."""
    odd: list[OddTime] = []
    with _snapshot(connection):
        return [*_found(connection, odd, report)], odd


@contextlib.contextmanager
def _snapshot(connection: apsw.Connection) -> Iterator[None]:
    connection.execute("BEGIN")
    try:
        yield
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")  # nothing was written, and a damaged file may refuse to commit even that


def _found(connection: apsw.Connection, odd: list[OddTime], report: Progress) -> Iterator[Finding]:
    checks: list[Callable[[], Iterator[Finding]]] = [lambda: _integrity(connection), lambda: _log(connection)]
    checks += [partial(_of_check, connection, check) for check in _CHECKS]
    checks += [
        lambda: _of_index(connection),
        lambda: _of_layout(connection),
        lambda: _of_times(connection, odd),
        lambda: _of_keys(connection),
    ]
    for done, check in enumerate(checks, 1):
        try:
            yield from check()
        except _DAMAGE as error:
            yield Finding(kind="damaged", detail=f"a part of the file cannot be read: {error}")
        report(_STAGE, done, len(checks))


def _integrity(connection: apsw.Connection) -> Iterator[Finding]:
    for (text,) in connection.execute(_INTEGRITY):
        if text != "ok":
            yield Finding(kind="damaged", detail=text)


def _log(connection: apsw.Connection) -> Iterator[Finding]:
    size = _log_bytes(connection)
    if size > LARGE_LOG_BYTES:
        yield Finding(
            kind="large_log", detail=f"the write-ahead log has {size} bytes: some reader keeps it from ending"
        )


def _log_bytes(connection: apsw.Connection) -> int:
    file = connection.execute(_FILE).get
    log = Path(f"{file}-wal")
    return log.stat().st_size if file and log.is_file() else 0


def _of_check(connection: apsw.Connection, check: _Check) -> Iterator[Finding]:
    for id, *words in connection.execute(check.query):
        yield Finding(kind=check.kind, detail=check.sentence.format(*words), id=id)


def _of_index(connection: apsw.Connection) -> Iterator[Finding]:
    if not is_index_fresh(connection):
        yield Finding(kind="index_stale", detail="the search index is missing or was built by other rules")
        return
    for check in _INDEX_CHECKS:
        yield from _of_check(connection, check)


def _of_layout(connection: apsw.Connection) -> Iterator[Finding]:
    for name in adoption.missing_indexes(connection):
        yield Finding(kind="index_missing", detail=f"the index {name} is missing; reads are slow without it")
    for version in steps.strange_steps(connection):
        yield Finding(
            kind="strange_layout", detail=f"step {version} of the layout is not the one that this version knows"
        )


def _of_times(connection: apsw.Connection, odd: list[OddTime]) -> Iterator[Finding]:
    for table, column, id, found in connection.execute(_ODD_TIMES):
        text = written(found)
        if text is None:
            yield Finding(kind="unreadable_time", detail=f"{column} is {shorten(found)!r}, which is no time", id=id)
        else:
            odd.append((table, column, id, text))
            yield Finding(kind="foreign_time", detail=f"{column} is {shorten(found)!r}, not in our form", id=id)


def _of_keys(connection: apsw.Connection) -> Iterator[Finding]:
    for stale in mending.stale_keys(connection, conversion_names.names_of(connection)):
        yield Finding(kind="stale_identity", detail="its fact has another identity by today's names", id=stale.row_id)


def _counts(connection: apsw.Connection) -> dict[str, int]:
    counts = {}
    for name, query in _COUNTS.items():
        with contextlib.suppress(*_DAMAGE):
            counts[name] = int(connection.execute(query).get)
    return {**counts, "wal_bytes": _log_bytes(connection)}
