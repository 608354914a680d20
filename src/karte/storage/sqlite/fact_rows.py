"""How assertions and the rows of facts are read from the file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from karte.domain.assertions import OPEN, Assertion, Kind
from karte.domain.rows import Row, Support
from karte.domain.stored import read_support
from karte.domain.trust import CUT_TRUST, Authority

_CUT: Final = f"iif(a.is_cut, coalesce(a.cut_trust, {CUT_TRUST}), NULL)"
ASSERTION: Final = (
    "a.learned_order, a.kind, a.value_key, a.valid_from, a.valid_until, a.origin_trust,"
    f" a.authority, {_CUT}, a.confidence, a.voice, a.id, a.row_id, a.makes_row, a.origin,"
    " a.source_event, a.learned_at"
)
OF_IDENTITY: Final = "a.agent_id = ? AND a.identity = ? AND a.state = 'live'"
ROW: Final = (
    "SELECT m.id, m.valid_from, m.valid_until, m.is_made, m.supersedes, m.superseded_by,"
    " m.invalidated_by_event, m.invalidated_at, m.is_contested, m.support,"
    " iif(m.is_made, NULL, json_extract(m.metadata, '$.continues')), m.timestamp, m.origin_trust,"
    f" {ASSERTION} FROM memories m JOIN memory_assertions a ON a.learned_order = m.assertion"
)
_ROW_OWN: Final = 13
LIVE_ROW: Final = "m.agent_id = ? AND m.identity = ? AND m.state IS NULL AND m.quarantined = 0"
SHOWN: Final = "(m.is_made = 1 OR m.valid_until IS NULL OR m.valid_until > m.valid_from)"

_UNSETTLED: Final = Support(first=-1.0, first_order=0, voices=())
"""Stands for a row of an older engine that no plan has written yet: it differs from any plan."""


def to_assertion(row: Sequence[Any]) -> Assertion:
    """An assertion from the columns of ``ASSERTION``."""
    return Assertion(
        order=row[0],
        kind=Kind(row[1]),
        value=row[2],
        start=row[3],
        until=row[4],
        trust=row[5] if row[7] is None else min(row[5], row[7]),
        authority=Authority(row[6]),
        is_cut=row[7] is not None,
        confidence=row[8],
        voice=row[9],
        id=row[10],
        row_id=row[11],
        makes_row=bool(row[12]),
        origin=row[13],
        source_event=row[14],
        learned_at=row[15],
    )


def to_row(row: Sequence[Any]) -> Row:
    """A row of a fact from the columns of ``ROW``."""
    assertion = to_assertion(row[_ROW_OWN:])
    return Row(
        id=row[0],
        assertion=assertion,
        start=row[1] if row[1] is not None else row[11],
        end=OPEN if row[2] is None else row[2],
        is_made=bool(row[3]),
        trust=row[12],
        continues=row[10],
        supersedes=row[4],
        superseded_by=row[5],
        event=row[6],
        at=row[7],
        is_contested=bool(row[8]),
        support=read_support(row[9]) if row[9] else _UNSETTLED,
    )
