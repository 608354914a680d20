"""Outcomes against predictions: how far off, by thresholds that tune themselves; what is far off is a mistake."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from karte.domain.drafts import checked_name
from karte.domain.metacognition import RECORDED, ErrorCategory, MetaCognitionState, observe, read_state
from karte.domain.mistakes import MistakeEntry
from karte.domain.prediction import composite_error
from karte.domain.reflexion import DEFAULT_CONSOLIDATE_THRESHOLD
from karte.domain.rules import MistakeOutcome
from karte.errors import InvalidInput
from karte.service.notebook import looked_over, note
from karte.service.services import Services
from karte.service.transactions import reading, writing
from karte.storage.protocol import Session


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """What an outcome was: the error in 0..1, its word, and the mistake that was noted of it."""

    error: float
    category: ErrorCategory
    mistake: MistakeOutcome | None = None


def observe_outcome(
    services: Services,
    agent: str,
    predicted: Any,
    observed: Any,
    *,
    weights: Mapping[str, float] | None = None,
    mistake: MistakeEntry | None = None,
) -> Observation:
    """Judges an outcome; ``significant`` and ``critical`` are noted, as ``mistake`` tells them or by the two values.

    Judgement, tuning and note are one transaction; a mistake that may not be noted leaves all as it was.
    """
    checked_name(agent, "agent")
    error = composite_error(predicted, observed, weights)
    entry = MistakeEntry(what_went_wrong=_told(predicted, observed)) if mistake is None else mistake
    if not isinstance(entry, MistakeEntry):
        raise InvalidInput("not a mistake", field="mistake", value=mistake, remedy="give a MistakeEntry")
    entry = replace(entry, agent_id=agent)
    with reading(services) as session:
        expected = observe(_state(session, agent), error)[1]
    noted = looked_over(services, entry) if expected in RECORDED or mistake is not None else None
    with writing(services) as session:
        state, category = observe(_state(session, agent), error)
        session.rules.put_thresholds(agent, json.dumps(state.to_json(), separators=(",", ":")))
        if category not in RECORDED or noted is None:  # where another process has just tuned it, the next one is noted
            return Observation(error=error, category=category)
        judged = replace(noted, severity=category)
        is_now = entry.timestamp is None
        told = note(services, session, judged, is_now=is_now, threshold=DEFAULT_CONSOLIDATE_THRESHOLD)
    return Observation(error=error, category=category, mistake=told)


def metacognition(services: Services, agent: str) -> MetaCognitionState:
    """The agent's thresholds, and what they rest on."""
    checked_name(agent, "agent")
    with reading(services) as session:
        return _state(session, agent)


def reset_metacognition(services: Services, agent: str) -> None:
    """Starts over with the first thresholds."""
    checked_name(agent, "agent")
    with writing(services) as session:
        session.rules.put_thresholds(agent, None)


def _state(session: Session, agent: str) -> MetaCognitionState:
    written = session.rules.thresholds(agent)
    if written is None:
        return MetaCognitionState()
    try:
        return read_state(json.loads(written))
    except ValueError:
        return MetaCognitionState()


def _told(predicted: Any, observed: Any) -> str:
    return f"predicted {_short(predicted)}, observed {_short(observed)}"


def _short(value: Any) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)
    except (ValueError, TypeError, RecursionError):
        text = type(value).__name__
    return text if len(text) <= 1_000 else f"{text[:999]}…"
