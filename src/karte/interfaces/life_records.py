"""The JSON shapes of the calls about the life of memories."""

from __future__ import annotations

from typing import Final

from karte.domain.conversations import ImportReport
from karte.domain.decisions import Decision
from karte.domain.life import DecayReport, Reassignment, Stats
from karte.domain.summary import Summary
from karte.interfaces.records import JsonObject, error_object, instant, without_absent


def decay_report(report: DecayReport) -> JsonObject:
    """What a decay put away, or would."""
    return {
        "examined": report.examined,
        "archived": report.archived,
        "ids": list(report.ids),
        "dry_run": report.dry_run,
    }


COUNTS = (
    "memories", "plain", "facts", "current", "superseded", "withdrawn", "quarantined", "archived", "embedded",
    "aliases", "approvals",
)  # fmt: skip


def stats_object(stats: Stats) -> JsonObject:
    """How much an agent's memory holds, and of what."""
    times = {"oldest": instant(stats.oldest), "newest": instant(stats.newest)}
    return {
        "agent": stats.agent,
        **{name: getattr(stats, name) for name in COUNTS},
        "layers": dict(stats.layers),
        "origins": dict(stats.origins),
        "predicates": dict(stats.predicates),
        **without_absent(times),
    }


COUNTED: Final = ("stored", "known", "held", "refused")


def import_object(report: ImportReport) -> JsonObject:
    """What became of a conversation file."""
    counts = {"stored": report.stored, "known": report.known, "held": report.held, "refused": len(report.problems)}
    problems = [{"where": problem.where, "error": error_object(problem.error)} for problem in report.problems]
    about: JsonObject = {"source": report.source, "origin": report.origin, "sessions": report.sessions}
    return about | counts | {"problems": problems}


def decision_object(decision: Decision) -> JsonObject:
    """A question, and what became of it."""
    optional = {
        "opened_at": instant(decision.opened_at),
        "expires_at": instant(decision.expires_at),
        "resolution": decision.resolution,
        "resolved_at": instant(decision.resolved_at),
        "origin": decision.origin,
        "memory_id": decision.memory_id,
        "approval_id": decision.approval_id,
    }
    told: JsonObject = {
        "id": decision.id,
        "question": decision.question,
        "options": list(decision.options),
        "state": decision.state,
    }
    return told | without_absent(optional)


def reassignment_object(moved: Reassignment) -> JsonObject:
    """What went from one agent to another, or would."""
    return {
        "old": moved.old,
        "new": moved.new,
        "moved": dict(moved.moved),
        "merged": moved.merged,
        "dry_run": moved.dry_run,
    }


def summary_object(summary: Summary) -> JsonObject:
    """What an agent's memory holds of a window."""
    return {
        "agent": summary.agent,
        "start": instant(summary.start),
        "end": instant(summary.end),
        "memories": summary.memories,
        "facts": summary.facts,
        "changed": summary.changed,
        "changes": [
            without_absent(
                {
                    "id": change.id,
                    "subject": change.subject,
                    "predicate": change.predicate,
                    "value": change.value,
                    "since": instant(change.since),
                    "replaced": change.replaced,
                }
            )
            for change in summary.changes
        ],
        "subjects": [{"subject": subject, "memories": count} for subject, count in summary.subjects],
        "tags": [{"tag": tag, "memories": count} for tag, count in summary.tags],
        "sessions": [
            {"session": s.session, "memories": s.memories, "first": instant(s.first), "last": instant(s.last)}
            for s in summary.sessions
        ],
        "important": [
            {"id": n.id, "content": n.content, "importance": n.importance, "timestamp": instant(n.timestamp)}
            for n in summary.important
        ],
        "text": summary.text,
    }
