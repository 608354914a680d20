"""Mistakes that become rules, and the context block, as the engine's calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from karte.domain.metacognition import ErrorCategory, MetaCognitionState
from karte.domain.mistakes import MistakeCategory, MistakeEntry
from karte.domain.model import Instant
from karte.domain.reflexion import DEFAULT_CONSOLIDATE_THRESHOLD
from karte.domain.rules import MistakeOutcome, Rule, RuleOutcome
from karte.service import context, notebook, outcomes, rule_life
from karte.service.services import Services


class MistakeNotebook:
    """The notebook of mistakes over one engine."""

    def __init__(self, engine: EngineReflexion) -> None:
        self._services = engine._services  # noqa: SLF001 (the notebook is a part of the engine)

    def record(self, entry: MistakeEntry, *, consolidate_at: int = DEFAULT_CONSOLIDATE_THRESHOLD) -> MistakeOutcome:
        """Notes a mistake, after the scan; where that makes ``consolidate_at`` of its category, they become a rule.

        Of an agent 50 unresolved ones are kept: the oldest of the least severe category goes first.
        """
        return notebook.record(self._services, entry, threshold=consolidate_at)

    def query_by_agent(self, agent: str, limit: int = 10) -> list[MistakeEntry]:
        """What no rule speaks for yet: the newest day first, within a day the more severe."""
        return notebook.query_by_agent(self._services, agent, limit)

    def query_by_topic(self, keywords: str | Sequence[str], agent: str, limit: int = 10) -> list[MistakeEntry]:
        """What bears on keywords (or on a message) in any script, best first."""
        return notebook.query_by_topic(self._services, keywords, agent, limit)

    def count_unresolved_by_category(self, agent: str) -> dict[MistakeCategory, int]:
        """How many wait for a rule; a category without any is left out."""
        return notebook.count_unresolved_by_category(self._services, agent)

    def query_unresolved_by_category(self, agent: str, category: str) -> list[MistakeEntry]:
        """What waits for a category's rule."""
        return notebook.query_unresolved_by_category(self._services, agent, category)

    def mark_resolved(self, ids: Sequence[str], agent: str = "default") -> int:
        """They need no rule; how many of the agent's own were unresolved."""
        return notebook.mark_resolved(self._services, ids, agent)

    def reopen(self, ids: Sequence[str], agent: str = "default") -> int:
        """They wait for a rule again; how many of the agent's own were resolved."""
        return notebook.reopen(self._services, ids, agent)

    def list(self, agent: str, limit: int = 50, *, with_resolved: bool = False) -> list[MistakeEntry]:
        """The latest, with those that a rule speaks for if wanted."""
        return notebook.listed(self._services, agent, limit, with_resolved=with_resolved)


class MetaCognition:
    """How far off an agent's predictions are, over one engine: thresholds that tune themselves, kept in the file."""

    def __init__(self, engine: EngineReflexion) -> None:
        self._services = engine._services  # noqa: SLF001 (as above)

    def observe_outcome(
        self,
        agent: str,
        predicted: Any,
        observed: Any,
        *,
        weights: Mapping[str, float] | None = None,
        mistake: MistakeEntry | None = None,
    ) -> ErrorCategory:
        """The word for the outcome; ``significant`` and ``critical`` are noted as mistakes.

        Both sides are single values or mappings of parts (``karte.domain.prediction`` says how they are compared);
        ``weights`` says what a part counts. ``mistake`` tells in words what is noted.
        """
        return outcomes.observe_outcome(
            self._services, agent, predicted, observed, weights=weights, mistake=mistake
        ).category

    def state(self, agent: str) -> MetaCognitionState:
        """The thresholds, the recent errors, and how often each word was said."""
        return outcomes.metacognition(self._services, agent)

    def reset(self, agent: str) -> None:
        """Starts over."""
        outcomes.reset_metacognition(self._services, agent)


class EngineReflexion:
    """The calls of ``MemoryEngine`` about mistakes, rules and what bears on a message."""

    _services: Services

    def record_mistake(self, entry: MistakeEntry) -> MistakeOutcome:
        """Notes a mistake; three of a category become a rule."""
        return notebook.record(self._services, entry)

    def past_mistakes_section(self, agent: str, message: str) -> str:
        """Markdown of at most three past mistakes that bear on a message, quoted as data; empty when there is none."""
        return notebook.past_mistakes_section(self._services, agent, message)

    def maybe_consolidate(
        self, agent: str, category: str, threshold: int = DEFAULT_CONSOLIDATE_THRESHOLD
    ) -> RuleOutcome:
        """Makes one rule of all unresolved mistakes of a category, or extends it, if ``threshold`` of them wait."""
        return notebook.maybe_consolidate(self._services, agent, category, threshold)

    def observe_outcome(
        self,
        agent: str,
        predicted: Any,
        observed: Any,
        *,
        weights: Mapping[str, float] | None = None,
        mistake: MistakeEntry | None = None,
    ) -> ErrorCategory:
        """How far off a prediction was; what is far off is noted as a mistake (``MetaCognition`` says more)."""
        return MetaCognition(self).observe_outcome(agent, predicted, observed, weights=weights, mistake=mistake)

    def list_rules(self, agent: str, *, with_retired: bool = False) -> list[Rule]:
        """The agent's rules, the most severe category first."""
        return rule_life.list_rules(self._services, agent, with_retired=with_retired)

    def rule_feedback(self, agent: str, id: str, helped: bool) -> Rule:
        """Says that a rule was applied and whether that helped; one that harms more than it helps retires."""
        return rule_life.rule_feedback(self._services, agent, id, helped)

    def retire_rule(self, agent: str, id: str, *, reason: str = "") -> Rule:
        """Takes a rule out of force; ``restore_rule``, or new mistakes of its category, bring it back."""
        return rule_life.retire_rule(self._services, agent, id, reason=reason)

    def restore_rule(self, agent: str, id: str) -> Rule:
        """Puts a retired rule in force again, with all its lessons."""
        return rule_life.restore_rule(self._services, agent, id)

    def edit_rule(self, agent: str, id: str, text: str, *, origin: str | None = None) -> Rule:
        """Words a rule anew; what later mistakes teach is added behind, and its trust does not rise."""
        return rule_life.edit_rule(self._services, agent, id, text, origin=origin)

    def build_context(
        self,
        agent: str,
        message: str,
        budget_tokens: int,
        *,
        user: str | None = None,
        audience: Literal["private", "group"] = "private",
        valid_at: Instant | None = None,
        count_tokens: Callable[[str], int] | None = None,
    ) -> str:
        """What bears on a message, for a prompt: rules, past mistakes, the user's profile, memories.

        Every stored text is quoted and escaped as data. The budget is kept as ``count_tokens`` counts (else by
        ``karte.domain.context.estimate_tokens``); the same state gives the same bytes. For a ``group``, facts about
        users and what is tagged ``private`` stay out. Empty when nothing bears on it.
        """
        return context.build_context(
            self._services,
            agent,
            message,
            budget_tokens,
            user=user,
            audience=audience,
            valid_at=valid_at,
            count_tokens=count_tokens,
        )
