"""Karte: a memory that knows since when, from whom, and how to take it back."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from karte.version import VERSION

if TYPE_CHECKING:
    from karte.aio import AsyncKarte
    from karte.config import Config
    from karte.domain.approvals import Approval, ApprovalItem
    from karte.domain.decisions import Decision
    from karte.domain.distilling import Distilled, DistillReport, ExtractedFact, SpokenTurn
    from karte.domain.erasure import Erasure, Exported
    from karte.domain.events import Audit, Event, EventKind
    from karte.domain.guard.scanner import scan
    from karte.domain.guard.verdict import Verdict
    from karte.domain.knowledge_pages import KnowledgePage, PageHit, PageOutcome, PageProposal, PageText
    from karte.domain.metacognition import ErrorCategory
    from karte.domain.mistakes import Evidence, MistakeCategory, MistakeEntry
    from karte.domain.model import (
        Alias,
        BatchResult,
        DoctorReport,
        EndOutcome,
        Explanation,
        Finding,
        HoldsNow,
        Instant,
        Memory,
        MemoryEntry,
        Page,
        SearchHit,
        Status,
        StoreOutcome,
        TemporalMeta,
        TemporalRecord,
    )
    from karte.domain.page_links import PageLink
    from karte.domain.page_lint import PageFinding
    from karte.domain.retraction import Rollback, Survivor
    from karte.domain.rules import MistakeOutcome, Rule, RuleOutcome
    from karte.domain.weights import RetrievalWeights
    from karte.engine import MemoryEngine, SqliteMemoryEngine
    from karte.engine_curation import ApprovalBroker
    from karte.engine_reflexion import MetaCognition, MistakeNotebook
    from karte.errors import (
        AliasCycle,
        AlreadyDecided,
        AmbiguousValue,
        Busy,
        ConfigError,
        Conflict,
        CorruptFile,
        DiskFull,
        DuplicateId,
        EmbedderError,
        ExtractorError,
        InjectionRefused,
        InvalidInput,
        InvalidInterval,
        InvalidText,
        InvalidTime,
        KarteError,
        NewerFile,
        NotAKarteFile,
        NotAuthenticated,
        NotFound,
        QuotaExceeded,
        ReadOnlyFile,
        Refused,
        ReservedName,
        ScopeDenied,
        StorageError,
        TooMany,
    )
    from karte.extraction.openai_compatible import LlmExtractor
    from karte.extraction.rules import RuleExtractor
    from karte.memory import Karte


__version__ = VERSION

_HOMES: Final = {
    "karte.aio": ("AsyncKarte",),
    "karte.config": ("Config",),
    "karte.domain.approvals": ("Approval", "ApprovalItem"),
    "karte.domain.decisions": ("Decision",),
    "karte.domain.events": ("Audit", "Event", "EventKind"),
    "karte.domain.guard.scanner": ("scan",),
    "karte.domain.guard.verdict": ("Verdict",),
    "karte.domain.erasure": ("Erasure", "Exported"),
    "karte.domain.model": (
        "Alias",
        "BatchResult",
        "DoctorReport",
        "EndOutcome",
        "Explanation",
        "Finding",
        "HoldsNow",
        "Instant",
        "Memory",
        "MemoryEntry",
        "Page",
        "SearchHit",
        "Status",
        "StoreOutcome",
        "TemporalMeta",
        "TemporalRecord",
    ),
    "karte.domain.metacognition": ("ErrorCategory",),
    "karte.domain.mistakes": ("Evidence", "MistakeCategory", "MistakeEntry"),
    "karte.domain.retraction": ("Rollback", "Survivor"),
    "karte.domain.distilling": ("DistillReport", "Distilled", "ExtractedFact", "SpokenTurn"),
    "karte.domain.knowledge_pages": ("KnowledgePage", "PageHit", "PageOutcome", "PageProposal", "PageText"),
    "karte.domain.page_links": ("PageLink",),
    "karte.domain.page_lint": ("PageFinding",),
    "karte.extraction.openai_compatible": ("LlmExtractor",),
    "karte.extraction.rules": ("RuleExtractor",),
    "karte.domain.rules": ("MistakeOutcome", "Rule", "RuleOutcome"),
    "karte.engine_reflexion": ("MetaCognition", "MistakeNotebook"),
    "karte.engine_curation": ("ApprovalBroker",),
    "karte.domain.weights": ("RetrievalWeights",),
    "karte.engine": ("MemoryEngine", "SqliteMemoryEngine"),
    "karte.memory": ("Karte",),
}
"""Where the public names live; what is not here is an error class. They are imported when first
asked for, so that ``import karte`` costs next to nothing."""

__all__ = [
    "Alias",
    "AliasCycle",
    "AlreadyDecided",
    "AmbiguousValue",
    "Approval",
    "ApprovalBroker",
    "ApprovalItem",
    "AsyncKarte",
    "Audit",
    "BatchResult",
    "Busy",
    "Config",
    "ConfigError",
    "Conflict",
    "CorruptFile",
    "Decision",
    "DiskFull",
    "DistillReport",
    "Distilled",
    "DoctorReport",
    "DuplicateId",
    "EmbedderError",
    "EndOutcome",
    "Erasure",
    "ErrorCategory",
    "Event",
    "EventKind",
    "Evidence",
    "Explanation",
    "Exported",
    "ExtractedFact",
    "ExtractorError",
    "Finding",
    "HoldsNow",
    "InjectionRefused",
    "Instant",
    "InvalidInput",
    "InvalidInterval",
    "InvalidText",
    "InvalidTime",
    "Karte",
    "KarteError",
    "KnowledgePage",
    "LlmExtractor",
    "Memory",
    "MemoryEngine",
    "MemoryEntry",
    "MetaCognition",
    "MistakeCategory",
    "MistakeEntry",
    "MistakeNotebook",
    "MistakeOutcome",
    "NewerFile",
    "NotAKarteFile",
    "NotAuthenticated",
    "NotFound",
    "Page",
    "PageFinding",
    "PageHit",
    "PageLink",
    "PageOutcome",
    "PageProposal",
    "PageText",
    "QuotaExceeded",
    "ReadOnlyFile",
    "Refused",
    "ReservedName",
    "RetrievalWeights",
    "Rollback",
    "Rule",
    "RuleExtractor",
    "RuleOutcome",
    "ScopeDenied",
    "SearchHit",
    "SpokenTurn",
    "SqliteMemoryEngine",
    "Status",
    "StorageError",
    "StoreOutcome",
    "Survivor",
    "TemporalMeta",
    "TemporalRecord",
    "TooMany",
    "Verdict",
    "scan",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = next((home for home, names in _HOMES.items() if name in names), "karte.errors")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
