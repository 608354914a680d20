"""How far an outcome lay from what was predicted: one number in 0..1.

The parts of a prediction are told apart by their names. Each part that one side has, or both, gives an error:

    two numbers       |p - o| / (|p| + |o|), 0 for two zeros (Canberra distance, Lance and Williams 1967)
    two truth values  0 where they are the same, else 1
    two texts         1 - |P and O| / |P or O| over their folded words (Jaccard 1901), 0 for two texts without words
    anything else     0 where they are equal, else 1; a part that one side lacks is 1

and the composite error is the mean of the parts by their weights, 1 where none is given. A probability in 0..1 of
something that happens or not is best given as two numbers in ``chance`` parts: their error is |p - o|.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any, Final

from karte.domain.text import index_text
from karte.domain.trust import checked_number
from karte.errors import InvalidInput

CHANCE: Final = "chance"
"""A part whose name begins so is a probability, or whether it happened (0 or 1)."""
WHOLE: Final = "outcome"
"""The name of the only part of what is no mapping."""
MOST_WEIGHT: Final = 1_000.0


def composite_error(predicted: Any, observed: Any, weights: Mapping[str, float] | None = None) -> float:
    """The error in 0..1 between what was predicted and what was observed, each a mapping of parts or a single value.

    Raises ``InvalidInput`` for no part at all, a number that is none, and weights that are none or are all zero.
    """
    before, after = _parts(predicted, "predicted"), _parts(observed, "observed")
    names = sorted(before.keys() | after.keys())
    given = {} if weights is None else weights
    if not isinstance(given, Mapping):
        raise InvalidInput("not weights", field="weights", value=weights, remedy="give a number for each part's name")
    weighed = [(checked_number(given.get(name, 1.0), f"weights.{name}", 0.0, MOST_WEIGHT), name) for name in names]
    total = sum(weight for weight, _ in weighed)
    if not total:
        raise InvalidInput("nothing to compare", field="predicted", remedy="predict at least one part that weighs")
    found = sum(weight * _part_error(name, before.get(name), after.get(name)) for weight, name in weighed if weight)
    return min(1.0, max(0.0, found / total))


def _parts(value: Any, field: str) -> dict[str, Any]:
    parts = dict(value) if isinstance(value, Mapping) else {WHOLE: value}
    for name, part in parts.items():
        if not isinstance(name, str):
            raise InvalidInput("a part has no name", field=field, value=name, remedy="name the parts with texts")
        if isinstance(part, float) and not isfinite(part):
            raise InvalidInput("not a number", field=f"{field}.{name}", value=part, remedy="give a finite number")
    return parts


def _part_error(name: str, predicted: Any, observed: Any) -> float:
    if isinstance(predicted, str) and isinstance(observed, str):
        return _text_error(predicted, observed)
    if _is_number(predicted) and _is_number(observed):
        apart = abs(predicted - observed)
        scale = 1.0 if name.startswith(CHANCE) else abs(predicted) + abs(observed)
        return min(1.0, apart / scale) if scale else 0.0
    return 0.0 if type(predicted) is type(observed) and predicted == observed else 1.0


def _text_error(predicted: str, observed: str) -> float:
    before, after = set(index_text(predicted).split()), set(index_text(observed).split())
    return 1.0 - len(before & after) / len(before | after) if before | after else 0.0


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
