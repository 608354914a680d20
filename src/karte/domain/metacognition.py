"""How far off a prediction was, in four words, and the thresholds between them, which tune themselves.

An error in 0..1 is ``negligible`` below the first threshold, ``moderate`` below the second, ``significant`` below the
third, and else ``critical``. They begin at 0.2, 0.5 and 0.8. A word that is said of everything says nothing, nor does
one that is never said; so every ``EVERY`` outcomes, and whenever the level of the errors has changed
(``karte.domain.change``), each threshold goes to where only its share of the recent errors lies at or above it:

    threshold = the middle between the errors ranked k and k + 1 from above,  k = floor(share * n)

with the shares of ``SHARES``; where the two are equal, just above that error's value. Then it is brought within its
bounds (``BOUNDS``) and at least ``GAP`` below the next. The bounds keep the words honest: small errors never become
critical, however calm the rest, and what is wholly wrong is always critical, however often it happens.

The recent errors are the last ``WINDOW``; when the level has changed, those since it did. Few errors tell little, so
the next tuning comes when there are twice as many (``LEAST`` at least, ``EVERY`` at most). An error is judged by the
thresholds that stood before it.

What follows, and tests show on simulated streams: of a steady or a drifting stream at most a tenth is critical,
whatever its level (but for errors at or above the highest bound); of one that is spread over the bounds at least a
hundredth; and both hold again from 60 outcomes after a shock on. In nine of ten shocks the highest threshold is back
near its level by then, in half of them after 30.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Any, Final

from karte.domain.change import LEAST_SPREAD, LIMIT, Detector, detector_of, new_level, watch
from karte.domain.trust import checked_number, checked_share
from karte.errors import InvalidInput

EVERY: Final = 100
"""After so many outcomes at the latest the thresholds are tuned."""
LEAST: Final = 20
"""Fewer errors are no level."""
WINDOW: Final = 200

Thresholds = tuple[float, float, float]

START: Final[Thresholds] = (0.2, 0.5, 0.8)
SHARES: Final[Thresholds] = (0.5, 0.2, 0.05)
"""Of the recent errors, so much is meant to lie at or above each threshold."""
BOUNDS: Final = ((0.1, 0.4), (0.3, 0.7), (0.6, 0.95))
GAP: Final = 0.1
_DIGITS: Final = 4
_ABOVE: Final = 0.01
_VERSION: Final = 1


class ErrorCategory(StrEnum):
    """How far what was observed lay from what was predicted, the mildest first."""

    NEGLIGIBLE = "negligible"
    MODERATE = "moderate"
    SIGNIFICANT = "significant"
    CRITICAL = "critical"


RECORDED: Final = frozenset({ErrorCategory.SIGNIFICANT, ErrorCategory.CRITICAL})
"""An outcome of these is noted as a mistake."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MetaCognitionState:
    """What an agent's thresholds are and what they rest on: at most ``WINDOW`` recent errors and a few numbers.

    ``due`` outcomes from now they are tuned again. ``counts`` is how often each category was found, the mildest first;
    ``tunings`` how often the thresholds were tuned, ``changes`` how often a change of level was told.
    """

    thresholds: Thresholds = START
    window: tuple[float, ...] = ()
    due: int = EVERY
    detector: Detector | None = None
    counts: tuple[int, ...] = field(default=(0,) * len(ErrorCategory))
    tunings: int = 0
    changes: int = 0

    @property
    def outcomes(self) -> int:
        """How many outcomes were observed."""
        return sum(self.counts)

    def to_json(self) -> dict[str, Any]:
        """The state as a JSON object."""
        return {
            "version": _VERSION,
            "thresholds": list(self.thresholds),
            "window": list(self.window),
            "due": self.due,
            "detector": None if self.detector is None else asdict(self.detector),
            "counts": list(self.counts),
            "tunings": self.tunings,
            "changes": self.changes,
        }


def classify(error: float, thresholds: Thresholds) -> ErrorCategory:
    """The word for an error."""
    return tuple(ErrorCategory)[sum(error >= threshold for threshold in thresholds)]


def observe(state: MetaCognitionState, error: float) -> tuple[MetaCognitionState, ErrorCategory]:
    """The state after one more error, and the word for that error.

    Raises ``InvalidInput`` for what is no number within 0..1.
    """
    seen = round(checked_share(error, "error"), _DIGITS)
    category = classify(seen, state.thresholds)
    place = tuple(ErrorCategory).index(category)
    counts = tuple(count + (number == place) for number, count in enumerate(state.counts))
    window = (*state.window, seen)[-WINDOW:]
    detector = _watched(state.detector, window)
    following = replace(state, window=window, counts=counts, detector=detector, due=state.due - 1)
    changed_for = None if detector is None else detector.changed_for
    if changed_for is not None:
        recent = tuple(new_level(window[-(changed_for + LEAST) :]))
        following = replace(following, window=recent, detector=detector_of(recent), changes=state.changes + 1)
    if changed_for is not None or following.due <= 0:
        following = _tuned(following)
    return following, category


def tuned_thresholds(errors: Sequence[float]) -> Thresholds:
    """The thresholds for these recent errors, of which there is at least one."""
    falling = sorted(errors, reverse=True)
    found: list[float] = []
    ceiling = 1.0 + GAP
    for share, (least, most) in zip(reversed(SHARES), reversed(BOUNDS), strict=True):
        threshold = min(max(least, _exceeded_by(falling, share)), most, ceiling - GAP)
        found.append(round(threshold, _DIGITS))
        ceiling = threshold
    high, middle, low = found
    return low, middle, high


def read_state(written: object) -> MetaCognitionState:
    """The state that was written as JSON; a new one where it cannot be read: it is statistics, no knowledge is lost."""
    try:
        return _read(written)
    except (InvalidInput, KeyError, TypeError, ValueError):
        return MetaCognitionState()


def is_ordered(thresholds: Thresholds) -> bool:
    """Whether each lies within its bounds and below the next by the gap (but for rounding)."""
    within = all(least <= each <= most for each, (least, most) in zip(thresholds, BOUNDS, strict=True))
    low, middle, high = thresholds
    return within and min(middle - low, high - middle) >= GAP - 10**-_DIGITS


def _watched(detector: Detector | None, window: Sequence[float]) -> Detector | None:
    """The detector after the last error of the window; there is none before a level is known."""
    if detector is None:
        return detector_of(window) if len(window) >= LEAST else None
    return watch(detector, window[-1])


def _tuned(state: MetaCognitionState) -> MetaCognitionState:
    """The thresholds, and the level against which a change is told, from the recent errors."""
    level = detector_of(state.window)
    watched = state.detector or level
    return replace(
        state,
        thresholds=tuned_thresholds(state.window),
        detector=replace(watched, mean=level.mean, spread=level.spread),
        due=min(EVERY, max(LEAST, len(state.window))),
        tunings=state.tunings + 1,
    )


def _exceeded_by(falling: Sequence[float], share: float) -> float:
    """The threshold at or above which no more than that share of the errors lies."""
    above = int(share * len(falling))
    first_below = falling[above]
    larger = [error for error in falling[:above] if error > first_below]
    return (first_below + larger[-1]) / 2 if larger else first_below + _ABOVE


def _read(written: object) -> MetaCognitionState:
    if not isinstance(written, Mapping) or written["version"] != _VERSION:
        raise InvalidInput("not a state", field="state")
    low, middle, high = (checked_share(each, "threshold") for each in written["thresholds"])
    detector = written["detector"]
    state = MetaCognitionState(
        thresholds=(low, middle, high),
        window=tuple(checked_share(each, "error") for each in written["window"])[-WINDOW:],
        due=_whole(written["due"]),
        detector=None if detector is None else _read_detector(detector),
        counts=tuple(map(_whole, written["counts"])),
        tunings=_whole(written["tunings"]),
        changes=_whole(written["changes"]),
    )
    is_sound = is_ordered(state.thresholds) and len(state.counts) == len(ErrorCategory)
    return state if is_sound else MetaCognitionState()


def _read_detector(written: Mapping[str, Any]) -> Detector:
    return Detector(
        mean=checked_share(written["mean"], "mean"),
        spread=checked_number(written["spread"], "spread", LEAST_SPREAD, 1.0),
        rise=checked_number(written["rise"], "rise", 0.0, 2 * LIMIT),
        fall=checked_number(written["fall"], "fall", 0.0, 2 * LIMIT),
        rising_for=_whole(written["rising_for"]),
        falling_for=_whole(written["falling_for"]),
    )


def _whole(number: object) -> int:
    if type(number) is not int or number < 0:
        raise InvalidInput("not a count", field="state", value=number)
    return number
