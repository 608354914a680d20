"""What every use case works with."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Final

from karte.config import KnowledgeGuardSettings, RetrievalSettings
from karte.domain.bursts import BurstRule
from karte.domain.decay import DecayRule
from karte.domain.guard.verdict import Verdict
from karte.domain.trust import UNATTRIBUTED
from karte.domain.weights import RetrievalWeights
from karte.errors import ConfigError
from karte.service.graph import GraphCache
from karte.service.touching import Touches
from karte.service.vectors import VectorSearch
from karte.storage.page_protocol import PageFolder
from karte.storage.protocol import Store

_LOADING: Final = threading.Lock()
"""Held while the rules are read, and over a fork: who divides in the middle of an import can never import it."""
os.register_at_fork(before=_LOADING.acquire, after_in_parent=_LOADING.release, after_in_child=_LOADING.release)


Scan = Callable[[Sequence[str]], Sequence[Verdict]]
"""Gives the verdict over each of the texts of one write."""


def scan_lazily(texts: Sequence[str]) -> Sequence[Verdict]:
    """The built-in rules, which are read when the first text is to be judged: readers never need them."""
    return _built_in_scan()(texts)


@lru_cache(maxsize=1)
def _built_in_scan() -> Scan:
    with _LOADING:
        from karte.domain.guard.scanner import scan_all  # noqa: PLC0415

        scan_all(("",))
        return scan_all


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """The store, the maker of identifiers, and the rules in force.

    ``default_origin`` is the origin of a write that names none; ``weights`` are those of a search.
    """

    store: Store
    new_id: Callable[[], str]
    protect_curated: bool = True
    default_origin: str = UNATTRIBUTED
    burst_rule: BurstRule = field(default_factory=BurstRule)
    scan: Scan = scan_lazily
    weights: RetrievalWeights = field(default_factory=RetrievalWeights)
    vectors: VectorSearch | None = None
    graphs: GraphCache = field(default_factory=GraphCache)
    decay_rule: DecayRule = field(default_factory=DecayRule)
    pages: PageFolder | None = None
    touches: Touches = field(default_factory=Touches, compare=False)


def scan_in_force(settings: KnowledgeGuardSettings) -> Scan:
    """The built-in rules, with those of ``[knowledge_guard] pack``.

    Raises ``ConfigError`` for a pack that cannot be used.
    """
    if not settings.pack:
        return scan_lazily
    from karte.domain.guard.packs import load_pack  # noqa: PLC0415 (as above)
    from karte.domain.guard.scanner import Scanner  # noqa: PLC0415

    try:
        text = Path(settings.pack).expanduser().read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"the pack of rules cannot be read ({error})",
            field="knowledge_guard.pack",
            value=settings.pack,
            remedy="name a readable file, or leave the setting out",
        ) from error
    return Scanner([load_pack(text, Path(settings.pack).stem)]).scan_all


def decay_in_force(settings: RetrievalSettings) -> DecayRule:
    """The rule of decay that ``[retrieval]`` sets."""
    return DecayRule(
        below=settings.decay_below,
        after_days=settings.decay_after_days,
        up_to_importance=settings.decay_up_to_importance,
    )


def rule_in_force(settings: KnowledgeGuardSettings) -> BurstRule:
    """The burst rule that ``[knowledge_guard]`` sets."""
    return BurstRule(
        enabled=settings.enabled, window_secs=settings.window_secs, max_per_subject=settings.max_per_subject
    )
