"""Whether a stream of errors has changed its level: the cumulative sum of Page, to both sides.

With the level m and the spread s of the time before, and z = (error - m) / s, no further from 0 than ``FURTHEST``,

    rise' = max(0, rise + z - SLACK)        fall' = max(0, fall - z - SLACK)

and a change is told when either passes ``LIMIT`` (Page, 1954, "Continuous inspection schemes"). The slack is half of
the smallest change worth telling, one spread; a change of three spreads is told after four outcomes, one of a single
spread after about sixteen (Hawkins and Olwell, 1998, "Cumulative sum charts and charting for quality improvement").
That z is bounded keeps up to three outliers from being taken for a change. A spread that rests on n errors is widened
by ``FEW / n``, because few errors lie closer together than what they come from.

The sum was last 0 some while before the change or at it. Where in the errors since then, and some before, the new level
begins is where the two parts lie the furthest apart (Hinkley, 1970, "Inference about the change-point in a sequence of
random variables"): the place k that makes greatest, with the sums A before and B from it on and n errors,

    A ** 2 / k + B ** 2 / (n - k)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import Final

SLACK: Final = 0.5
LIMIT: Final = 8.0
FURTHEST: Final = 3.0
LEAST_SPREAD: Final = 0.05
"""Errors closer together than this are one level."""
FEW: Final = 4
"""No change is told by fewer errors than these."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Detector:
    """The level before, and how much speaks for a rise or a fall since; each with for how many outcomes it has."""

    mean: float
    spread: float
    rise: float = 0.0
    fall: float = 0.0
    rising_for: int = 0
    falling_for: int = 0

    @property
    def changed_for(self) -> int | None:
        """For how many outcomes the level has been another; None while it has not."""
        if self.rise > LIMIT:
            return self.rising_for
        return self.falling_for if self.fall > LIMIT else None


def detector_of(errors: Sequence[float]) -> Detector:
    """The level of these errors, of which there is at least one."""
    mean = sum(errors) / len(errors)
    spread = sqrt(sum((error - mean) ** 2 for error in errors) / len(errors))
    return Detector(mean=mean, spread=max(LEAST_SPREAD, spread * (1.0 + FEW / len(errors))))


def watch(detector: Detector, error: float) -> Detector:
    """The detector after one more error."""
    z = max(-FURTHEST, min(FURTHEST, (error - detector.mean) / detector.spread))
    rise = max(0.0, detector.rise + z - SLACK)
    fall = max(0.0, detector.fall - z - SLACK)
    return replace(
        detector,
        rise=rise,
        fall=fall,
        rising_for=detector.rising_for + 1 if rise else 0,
        falling_for=detector.falling_for + 1 if fall else 0,
    )


def new_level(errors: Sequence[float]) -> Sequence[float]:
    """Those of the errors that are of the level they end with: the last ``FEW`` at least, or all there are."""
    total = sum(errors)
    before = 0.0
    best = (-1.0, 0)
    for place in range(1, len(errors) - FEW + 1):
        before += errors[place - 1]
        apart = before**2 / place + (total - before) ** 2 / (len(errors) - place)
        best = max(best, (apart, place))
    return errors[best[1] :]
