"""Whether a rule helps: what its users say of it, and when it retires by itself.

With *harmed* and *helped* judgements, n of both together, a rule retires when

    harmed - helped > Z * sqrt(n)    and    n >= LEAST_JUDGED

which is to say that the lower bound of Wilson's interval (1927, "Probable inference, the law of succession, and
statistical inference") for the share of harm lies above one half, at one-sided 90 %. Three harms without a help are
enough, and so are four of five; three of five are not. A few bad days do not retire a rule that mostly helps.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import sqrt
from typing import Final

Z: Final = 1.28
LEAST_JUDGED: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleFeedback:
    """How often a rule was put before a model, and how often that was said to help or to harm.

    A rule that is restored starts anew: what retired it once does not retire it again.
    """

    applied: int = 0
    helped: int = 0
    harmed: int = 0

    @property
    def judged(self) -> int:
        """How often somebody said whether it helped."""
        return self.helped + self.harmed


def with_use(feedback: RuleFeedback, times: int = 1) -> RuleFeedback:
    """After the rule was put before a model once more."""
    return replace(feedback, applied=feedback.applied + times)


def with_judgement(feedback: RuleFeedback, helped: bool) -> RuleFeedback:
    """After somebody said whether the rule helped."""
    if helped:
        return replace(feedback, helped=feedback.helped + 1)
    return replace(feedback, harmed=feedback.harmed + 1)


def has_failed(feedback: RuleFeedback) -> bool:
    """Whether the rule harms more than it helps, and retires."""
    margin = feedback.harmed - feedback.helped
    return feedback.judged >= LEAST_JUDGED and margin > Z * sqrt(feedback.judged)


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleLife:
    """What became of a rule: the feedback on it, when and why it was retired, and why a person should look at it.

    ``retired_at`` is a written instant.
    """

    feedback: RuleFeedback = field(default_factory=RuleFeedback)
    retired_at: str | None = None
    retired_because: str | None = None
    flagged_because: str | None = None


NEW_LIFE: Final = RuleLife()
"""Of a rule that was never applied, judged, retired or flagged."""
