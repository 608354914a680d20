"""What every use case works with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from karte.domain.trust import UNATTRIBUTED
from karte.domain.weights import RetrievalWeights
from karte.storage.protocol import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """The store, the maker of identifiers, and the rules in force.

    ``default_origin`` is the origin of a write that names none; ``weights`` are those of a search.
    """

    store: Store
    new_id: Callable[[], str]
    protect_curated: bool = True
    default_origin: str = UNATTRIBUTED
    embedding_model: str | None = None
    weights: RetrievalWeights = field(default_factory=RetrievalWeights)
