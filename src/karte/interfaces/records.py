"""The JSON shapes that every door answers in, as pure functions of the engine's answers.

One mapping for the command line (``--json``) and for MCP: optional values are absent and never
null, times are RFC 3339 in UTC, lists are lists. Nothing here reads a clock or a file.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any, TypeAlias

from karte.domain.erasure import Erasure, Exported
from karte.domain.graph_export import GraphExport
from karte.domain.model import (
    Alias,
    BatchResult,
    DoctorReport,
    EndOutcome,
    Explanation,
    Finding,
    HoldsNow,
    Memory,
    Page,
    SearchHit,
    Status,
    StoreOutcome,
    TemporalRecord,
)
from karte.domain.time import format_instant
from karte.errors import KarteError

JsonObject: TypeAlias = dict[str, Any]

ORIGIN_WHEN_NONE = "unattributed"  # rows of an older engine have no origin and read as this class


def memory_record(memory: Memory, *, score: float | None = None, explain: Explanation | None = None) -> JsonObject:
    """A memory or a stretch of a timeline as ``record``, in the order the design lists the keys."""
    reaffirmed_by = memory.reaffirmed_by if isinstance(memory, TemporalRecord) else ()
    learned = memory.ingested_at or memory.created_at or memory.timestamp
    return without_absent(
        {
            "id": memory.id,
            "content": memory.content,
            "subject": memory.subject or None,
            "predicate": memory.predicate or None,
            "object": memory.object,
            "valid_from": instant(memory.valid_from),
            "valid_until": instant(memory.valid_until),
            "is_current": memory.is_current,
            "layer": memory.layer,
            "tags": list(memory.tags),
            "importance": memory.importance,
            "metadata": dict(memory.metadata) or None,
            "derived_from": list(memory.derived_from) or None,
            "confidence": memory.confidence,
            "origin": memory.origin or ORIGIN_WHEN_NONE,
            "origin_trust": memory.origin_trust,
            "source_event": memory.source_event or None,
            "timestamp": instant(memory.timestamp),
            "ingested_at": instant(learned),
            "superseded_by": memory.superseded_by,
            "supersedes": memory.supersedes,
            "invalidated_by_event": memory.invalidated_by_event or None,
            "invalidated_at": instant(memory.invalidated_at),
            "reaffirmed_by": list(reaffirmed_by) or None,
            "contested": memory.contested or None,
            "state": None if memory.state == "live" else memory.state,
            "score": score,
            "explain": None if explain is None else explanation(explain),
        }
    )


def hit_record(hit: SearchHit) -> JsonObject:
    """A search hit as ``record`` with its score and, where it was asked for, the explanation.

    Hits that were folded into this one are counted in ``explain.similar``.
    """
    record = memory_record(hit.memory, score=hit.score, explain=hit.explain)
    if hit.similar and "explain" in record:
        record["explain"]["similar"] = hit.similar
    return record


def explanation(explain: Explanation) -> JsonObject:
    """Why a hit stands where it stands: every part of its score, always all of them, and what else there is to say."""
    lists = {
        "things": list(explain.things),
        "relations": list(explain.relations),
        "asked": list(explain.asked),
        "moves": list(explain.moves),
        "folded": list(explain.folded),
    }
    return {
        "text": explain.text,
        "vector": explain.vector,
        "graph": explain.graph,
        "structure": explain.structure,
        "recency": explain.recency,
        "importance": explain.importance,
        "trust": explain.trust,
        "terms": list(explain.terms),
        "path": list(explain.path),
        **{name: items for name, items in lists.items() if items},
    }


def store_outcome(outcome: StoreOutcome) -> JsonObject:
    """What became of one write (``memory_store``; ``error`` only inside a batch)."""
    return without_absent(
        {
            "status": outcome.status,
            "id": outcome.id,
            "is_current": outcome.is_current,
            "valid_from": instant(outcome.valid_from),
            "valid_until": instant(outcome.valid_until),
            "superseded": list(outcome.superseded),
            "holds_now": holds_now(outcome.holds_now),
            "similar": [{"id": id, "similarity": near} for id, near in outcome.similar] or None,
            "approval_id": outcome.approval_id,
            "reason": outcome.reason or None,
            "error": None if outcome.error is None else error_object(outcome.error),
        }
    )


def store_batch(outcomes: Iterable[StoreOutcome]) -> JsonObject:
    """What became of several writes (``memory_store_batch``): each by index, and the counts."""
    listed = list(outcomes)
    counts = Counter(outcome.status for outcome in listed)
    return {
        "results": [{"index": i, **store_outcome(outcome)} for i, outcome in enumerate(listed)],
        "stored": counts["stored"],
        "reaffirmed": counts["reaffirmed"],
        "held": counts["held"],
        "refused": counts["refused"],
    }


def end_outcome(outcome: EndOutcome) -> JsonObject:
    """What an end or a retraction closed (``memory_end_fact``)."""
    return without_absent(
        {
            "ended": list(outcome.ended),
            "holds_now": holds_now(outcome.holds_now),
            "held": outcome.held,
            "approval_id": outcome.approval_id,
            "operation_id": outcome.operation_id,
        }
    )


def batch_result(result: BatchResult, *, truncated: bool = False, next_cursor: str | None = None) -> JsonObject:
    """What a batch fetch found and what is not there (``memory_fetch_batch``)."""
    return without_absent(
        {
            "memories": [memory_record(memory) for memory in result.memories],
            "missing_ids": list(result.missing_ids),
            "total_found": result.total_found,
            "total_missing": result.total_missing,
            "truncated": truncated,
            "next_cursor": next_cursor,
        }
    )


def search_result(hits: Sequence[SearchHit], *, truncated: bool = False, next_cursor: str | None = None) -> JsonObject:
    """The hits of a search, best first (``memory_search``)."""
    return without_absent(
        {
            "memories": [hit_record(hit) for hit in hits],
            "total": len(hits),
            "truncated": truncated,
            "next_cursor": next_cursor,
        }
    )


def memory_page(page: Page[Memory]) -> JsonObject:
    """Some of a list, and whether more follow (the shape of ``memory_search``)."""
    return without_absent(
        {
            "memories": [memory_record(memory) for memory in page.items],
            "total": page.total,
            "truncated": page.next_cursor is not None,
            "next_cursor": page.next_cursor,
        }
    )


def read_result(memory: Memory | None) -> JsonObject:
    """One memory by id, what holds for its fact now and where its value goes on."""
    if memory is None:
        return {"found": False}
    return without_absent(
        {
            "found": True,
            "memory": memory_record(memory),
            "holds_now": holds_now(memory.holds_now),
            "continued_by": memory.continued_by,
        }
    )


def history_result(
    subject: str,
    predicate: str,
    records: Sequence[TemporalRecord],
    *,
    total: int | None = None,
    truncated: bool = False,
    next_cursor: str | None = None,
) -> JsonObject:
    """Every stretch of a fact, oldest first (``memory_get_history``)."""
    return without_absent(
        {
            "subject": subject,
            "predicate": predicate,
            "records": [memory_record(record) for record in records],
            "total": len(records) if total is None else total,
            "truncated": truncated,
            "next_cursor": next_cursor,
        }
    )


def at_result(
    subject: str,
    predicate: str,
    at: datetime | str,
    records: Sequence[TemporalRecord],
    *,
    is_many: bool = False,
) -> JsonObject:
    """What holds at an instant (``memory_get_at``): one ``record``, or ``records`` if many may."""
    answer: JsonObject = {
        "subject": subject,
        "predicate": predicate,
        "at": at if isinstance(at, str) else format_instant(at),
        "found": bool(records),
    }
    if is_many:
        answer["records"] = [memory_record(record) for record in records]
    elif records:
        answer["record"] = memory_record(records[0])
    return answer


def alias_list(aliases: Sequence[Alias]) -> JsonObject:
    """The aliases of an agent (``memory_alias_list``)."""
    pairs = [{"canonical": alias.canonical, "alias": alias.alias} for alias in aliases]
    return {"aliases": pairs, "total": len(pairs)}


def graph_object(graph: GraphExport) -> JsonObject:
    """Nodes and edges of a graph."""
    data: JsonObject = asdict(graph)
    return data


def predicate_list(predicates: Mapping[str, str]) -> JsonObject:
    """The declared predicates of an agent."""
    pairs = [{"predicate": name, "cardinality": many} for name, many in sorted(predicates.items())]
    return {"predicates": pairs, "total": len(pairs)}


def doctor_report(report: DoctorReport) -> JsonObject:
    """The health of a file."""
    return {
        "healthy": report.is_healthy,
        "findings": [finding_object(finding) for finding in report.findings],
        "checked": dict(report.checked),
        "rebuilt": list(report.rebuilt),
    }


def finding_object(finding: Finding) -> JsonObject:
    """One thing that ``doctor`` found."""
    return without_absent(
        {
            "kind": finding.kind,
            "detail": finding.detail,
            "id": finding.id,
            "repaired": finding.repaired,
        }
    )


def erasure_object(done: Erasure) -> JsonObject:
    """What erasing removed, and whether its bytes are gone too."""
    return without_absent(
        {
            "agent": done.agent,
            "subject": done.subject,
            "names": list(done.names),
            "removed": dict(done.removed),
            "total": done.total,
            "mentions": done.mentions,
            "derived": list(done.derived),
            "stopped": done.stopped,
            "leftovers": dict(done.leftovers),
            "unexamined": list(done.unexamined),
            "is_clean": done.is_clean,
            "remedy": done.remedy,
            "dry_run": done.dry_run,
        }
    )


def exported_object(done: Exported) -> JsonObject:
    """How many rows an export gave."""
    return {"lines": done.lines, "rows": dict(done.rows)}


def status_object(status: Status) -> JsonObject:
    """What is in force, where each setting came from, and what could not be read."""
    return {
        "path": status.path,
        "version": status.version,
        "schema_version": status.schema_version,
        "sqlite_version": status.sqlite_version,
        "read_only": status.read_only,
        "file_bytes": status.file_bytes,
        "wal_bytes": status.wal_bytes,
        "memories": status.memories,
        "facts": status.facts,
        "current": status.current,
        "archived": status.archived,
        "quarantined": status.quarantined,
        "agents": status.agents,
        "settings": dict(status.settings),
        "settings_from": dict(status.settings_from),
        "warnings": list(status.warnings),
    }


def error_object(error: KarteError) -> JsonObject:
    """An error as a caller can act on it: a stable code, one sentence, the field, the remedy."""
    got = "" if error.value is None else f" (got {error.value!r})"
    return without_absent(
        {
            "code": error.code,
            "message": f"{error.message}{got}",
            "field": error.field,
            "remedy": error.remedy,
        }
    )


def holds_now(holding: HoldsNow | None) -> JsonObject | None:
    """What holds for a fact now: its row and its start."""
    if holding is None:
        return None
    return {"id": holding.id, "valid_from": format_instant(holding.valid_from)}


def instant(moment: datetime | None) -> str | None:
    """The written form of a time, or nothing."""
    return None if moment is None else format_instant(moment)


def without_absent(values: JsonObject) -> JsonObject:
    """The same object without the keys whose value is None."""
    return {key: value for key, value in values.items() if value is not None}


def to_json(value: object, *, indent: int | None = None) -> str:
    """Strict JSON as text that any UTF-8 stream takes: letters as themselves, no NaN.

    An older file's metadata may hold NaN or infinity, which JSON has not: they become null.
    """
    separators = (",", ":") if indent is None else None
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent, separators=separators)
    except ValueError:
        text = json.dumps(_finite(value), ensure_ascii=False, indent=indent, separators=separators)
    return text.encode("utf-8", "replace").decode("utf-8")


def _finite(value: object) -> object:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Mapping):
        return {str(key): _finite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    return value
