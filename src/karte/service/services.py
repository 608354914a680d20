"""What every use case works with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from karte.domain.trust import UNATTRIBUTED
from karte.storage.protocol import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """The store, the maker of identifiers, and the rules in force.

    ``default_origin`` is the origin of a write that names none.
    """

    store: Store
    new_id: Callable[[], str]
    protect_curated: bool = True
    default_origin: str = UNATTRIBUTED
    embedding_model: str | None = None
