"""How far off a prediction was, in four words."""

from __future__ import annotations

from enum import StrEnum


class ErrorCategory(StrEnum):
    """How far what was observed lay from what was predicted, the mildest first."""

    NEGLIGIBLE = "negligible"
    MODERATE = "moderate"
    SIGNIFICANT = "significant"
    CRITICAL = "critical"
