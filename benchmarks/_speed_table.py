"""What the speed benchmark found: its lines, how they are judged, and the table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

Round = tuple[float, float]
"""Microseconds of ours and of what it is compared with, measured one after the other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One operation: how long it takes, beside what it is compared with."""

    operation: str
    rows: int
    ours_us: float
    base_us: float | None = None
    base: str = ""
    ratio: float | None = None
    most: float | None = None
    unit: str = "x"

    @property
    def is_met(self) -> bool | None:
        """Whether the target is met; None where there is none."""
        if self.most is None:
            return None
        return (self.ratio if self.ratio is not None else self.ours_us) <= self.most

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "is_met": self.is_met}


def compared(operation: str, rows: int, rounds: Sequence[Round], most: float | None, base: str = "floor") -> Line:
    """The line of alternating rounds: medians of both, and the median of the rounds' ratios."""
    return Line(
        operation=operation,
        rows=rows,
        ours_us=median(ours for ours, _ in rounds),
        base_us=median(other for _, other in rounds),
        base=base,
        ratio=median(ours / other for ours, other in rounds),
        most=most,
    )


def absolute(
    operation: str, rows: int, seconds: float, most_seconds: float, floor_seconds: float | None = None
) -> Line:
    """The line of something that has a target of its own: a time, reported and not asserted."""
    return Line(
        operation=operation,
        rows=rows,
        ours_us=seconds * 1e6,
        base_us=None if floor_seconds is None else floor_seconds * 1e6,
        base="" if floor_seconds is None else "floor",
        most=most_seconds * 1e6,
        unit="us",
    )


def resident(operation: str, rows: int, ours_bytes: int, most_bytes: int) -> Line:
    """The line of a size in memory."""
    return Line(operation=operation, rows=rows, ours_us=float(ours_bytes), most=float(most_bytes), unit="bytes")


HEADS = ("operation", "rows", "ours", "compared with", "", "ratio", "target", "met")


def table(lines: Iterable[Line]) -> str:
    """All lines as text, columns aligned."""
    cells = [HEADS, *(_cells(line) for line in lines)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(HEADS))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if i in (0, 4, 7) else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in cells
    )


def _cells(line: Line) -> tuple[str, ...]:
    return (
        line.operation,
        f"{line.rows:,}" if line.rows else "",
        _amount(line.ours_us, line.unit),
        "" if line.base_us is None else _amount(line.base_us, line.unit),
        line.base,
        "" if line.ratio is None else f"{line.ratio:.2f}",
        _target(line),
        {None: "", True: "met", False: "MISSED"}[line.is_met],
    )


def _target(line: Line) -> str:
    if line.most is None:
        return ""
    return f"{line.most:g} x" if line.unit == "x" else _amount(line.most, line.unit)


def _amount(value: float, unit: str) -> str:
    if unit == "bytes":
        return f"{value / 1e6:.1f} MB"
    return f"{value / 1000:,.1f} ms" if value >= 10_000 else f"{value:,.1f} us"
