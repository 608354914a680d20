"""What the order of search results is weighed by."""

from __future__ import annotations

from dataclasses import dataclass

from karte.domain.trust import checked_share
from karte.errors import InvalidInput


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalWeights:
    """The weights of a search, set per engine in code; there is no configuration key for them.

    ``w_trust`` (0.0 to 1.0) is how much of a score hangs on trust: a hit's score is multiplied by
    ``(1 - w_trust) + w_trust * origin_trust``. 0.0 switches off every effect of trust on the order.

    Raises ``InvalidInput`` naming the weight that is not a number within its range.
    """

    w_trust: float = 0.10

    def __post_init__(self) -> None:
        object.__setattr__(self, "w_trust", checked_share(self.w_trust, "w_trust"))


def checked_weights(weights: object) -> RetrievalWeights:
    """The weights given, or the defaults for None."""
    if weights is None:
        return RetrievalWeights()
    if not isinstance(weights, RetrievalWeights):
        raise InvalidInput("not weights", field="weights", value=weights, remedy="give karte.RetrievalWeights(...)")
    return weights
