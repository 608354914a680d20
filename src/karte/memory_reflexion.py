"""Mistakes that become rules, and the context block, as the calls of ``Karte``, for its one agent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

from karte.domain.metacognition import ErrorCategory
from karte.domain.mistakes import MistakeEntry
from karte.domain.model import Instant
from karte.domain.reflexion import DEFAULT_CONSOLIDATE_THRESHOLD
from karte.domain.rules import MistakeOutcome, Rule, RuleOutcome
from karte.engine import MemoryEngine


class AgentReflexion:
    """The calls of ``Karte`` about mistakes, rules and what bears on a message."""

    agent: str
    engine: MemoryEngine

    def record_mistake(self, what_went_wrong: str, **fields: Any) -> MistakeOutcome:
        """Notes a mistake; takes the fields of ``MistakeEntry``. Three of a category become a rule."""
        return self.engine.record_mistake(MistakeEntry(what_went_wrong=what_went_wrong, agent_id=self.agent, **fields))

    def past_mistakes_section(self, message: str) -> str:
        """Markdown of the past mistakes that bear on a message; empty when there is none."""
        return self.engine.past_mistakes_section(self.agent, message)

    def maybe_consolidate(self, category: str, threshold: int = DEFAULT_CONSOLIDATE_THRESHOLD) -> RuleOutcome:
        """Makes one rule of all unresolved mistakes of a category, if there are so many."""
        return self.engine.maybe_consolidate(self.agent, category, threshold)

    def observe_outcome(
        self,
        predicted: Any,
        observed: Any,
        *,
        weights: Mapping[str, float] | None = None,
        mistake: MistakeEntry | None = None,
    ) -> ErrorCategory:
        """How far off a prediction was; what is far off is noted as a mistake."""
        return self.engine.observe_outcome(self.agent, predicted, observed, weights=weights, mistake=mistake)

    def list_rules(self, *, with_retired: bool = False) -> list[Rule]:
        """The rules, the most severe category first."""
        return self.engine.list_rules(self.agent, with_retired=with_retired)

    def rule_feedback(self, id: str, helped: bool) -> Rule:
        """Says that a rule was applied and whether that helped."""
        return self.engine.rule_feedback(self.agent, id, helped)

    def retire_rule(self, id: str, *, reason: str = "") -> Rule:
        """Takes a rule out of force."""
        return self.engine.retire_rule(self.agent, id, reason=reason)

    def restore_rule(self, id: str) -> Rule:
        """Puts a retired rule in force again."""
        return self.engine.restore_rule(self.agent, id)

    def edit_rule(self, id: str, text: str, *, origin: str | None = None) -> Rule:
        """Words a rule anew."""
        return self.engine.edit_rule(self.agent, id, text, origin=origin)

    def build_context(
        self,
        message: str,
        budget_tokens: int,
        *,
        user: str | None = None,
        audience: Literal["private", "group"] = "private",
        valid_at: Instant | None = None,
        count_tokens: Callable[[str], int] | None = None,
    ) -> str:
        """What bears on a message, for a prompt, within a budget of tokens."""
        return self.engine.build_context(
            self.agent,
            message,
            budget_tokens,
            user=user,
            audience=audience,
            valid_at=valid_at,
            count_tokens=count_tokens,
        )
