"""The JSON shapes of mistakes and rules."""

from __future__ import annotations

from dataclasses import asdict

from karte.domain.mistakes import MistakeEntry, instant_of
from karte.domain.rules import MistakeOutcome, Rule, RuleOutcome
from karte.domain.time import to_datetime
from karte.interfaces.records import JsonObject, instant, without_absent


def mistake_object(mistake: MistakeEntry) -> JsonObject:
    """One mistake."""
    optional = {
        "session_id": mistake.session_id,
        "input_summary": mistake.input_summary or None,
        "response_summary": mistake.response_summary or None,
        "ground_truth": mistake.ground_truth,
        "corrective_insight": mistake.corrective_insight,
        "evidence": None if mistake.evidence is None else without_absent(asdict(mistake.evidence)),
        "origin": mistake.origin,
    }
    told: JsonObject = {
        "id": mistake.id,
        "timestamp": instant(to_datetime(instant_of(mistake))),
        "category": mistake.category.value,
        "severity": mistake.severity.value,
        "what_went_wrong": mistake.what_went_wrong,
        "origin_trust": mistake.origin_trust,
        "resolved": mistake.resolved,
    }
    return told | without_absent(optional)


def mistake_outcome(outcome: MistakeOutcome) -> JsonObject:
    """What became of a recorded mistake."""
    return {"id": outcome.id, "kept": outcome.kept, "rule": rule_outcome(outcome.rule)}


def rule_outcome(outcome: RuleOutcome) -> JsonObject:
    """What became of the mistakes of a category."""
    told: JsonObject = {"status": outcome.status, "category": outcome.category.value, "waiting": outcome.waiting}
    return told | {"resolved": list(outcome.resolved)} | without_absent({"id": outcome.id})


def rule_object(rule: Rule) -> JsonObject:
    """One rule, and what became of it."""
    optional = {
        "since": instant(rule.since),
        "retired_at": instant(rule.retired_at),
        "retired_because": rule.retired_because,
        "flagged_because": rule.flagged_because,
    }
    told: JsonObject = {
        "id": rule.id,
        "category": rule.category.value,
        "content": rule.content,
        "state": rule.state,
        "origin_trust": rule.origin_trust,
        "sources": rule.sources,
        "applied": rule.applied,
        "helped": rule.helped,
        "harmed": rule.harmed,
    }
    return told | without_absent(optional)
