"""The JSON shapes of the calls about the life of memories."""

from __future__ import annotations

from typing import Final

from karte.domain.conversations import ImportReport
from karte.domain.life import DecayReport, Stats
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
