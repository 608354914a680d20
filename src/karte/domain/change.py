"""Whether a stream of errors has changed its level: the cumulative sum of Page, to both sides.

With the level m and the spread s of the time before, and z = (error - m) / s, no further from 0 than ``FURTHEST``,

    rise' = max(0, rise + z - SLACK)        fall' = max(0, fall - z - SLACK)

and a change is told when either passes ``LIMIT`` (Page, 1954, "Continuous inspection schemes"). It began after the sum
was last 0. The slack is half of the smallest change worth telling (one spread); with these numbers a steady normal
stream raises a false alarm once in many thousand outcomes, a change of three spreads is told after four and of one
spread after about sixteen (Hawkins and Olwell, 1998, "Cumulative sum charts"). That z is bounded keeps a single
outlier from being taken for a change.
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
        found = [count for total, count in self._sums if total > LIMIT]
        return max(found, default=None)

    @property
    def _sums(self) -> tuple[tuple[float, int], tuple[float, int]]:
        return (self.rise, self.rising_for), (self.fall, self.falling_for)


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
