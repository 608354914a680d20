"""The JSON shapes that all doors share: optional values absent, times RFC 3339, letters as themselves."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest

from karte.domain.model import (
    BatchResult,
    EndOutcome,
    Explanation,
    HoldsNow,
    Memory,
    Page,
    SearchHit,
    StoreOutcome,
    TemporalRecord,
)
from karte.errors import InvalidTime
from karte.interfaces import records

WHEN = datetime(2024, 1, 1, 12, 30, tzinfo=UTC)
WRITTEN = "2024-01-01T12:30:00.000000+00:00"
BARE = Memory(id="a", agent_id="default", content="x", timestamp=WHEN)
FULL = TemporalRecord(
    id="a", agent_id="default", content="x", timestamp=WHEN, tags=("t",), layer="semantic", importance=7.0,
    source_event="e", valid_from=WHEN, valid_until=WHEN, superseded_by="b", supersedes="c", subject="s", predicate="p",
    object="", confidence=0.5, metadata={"k": None}, origin="operator", origin_trust=0.9, derived_from=("d",),
    ingested_at=WHEN, invalidated_by_event="f", invalidated_at=WHEN, is_current=False, contested=True, state="purged",
    reaffirmed_by=("g",), quarantined=True, embedding=(1.0,), embedding_model="m",
)  # fmt: skip


def test_a_bare_memory_has_the_fixed_keys_and_no_other() -> None:
    assert records.memory_record(BARE) == {
        "id": "a", "content": "x", "is_current": True, "layer": "episodic", "tags": [], "importance": 5.0,
        "confidence": 1.0, "origin": "unattributed", "origin_trust": 1.0, "timestamp": WRITTEN, "ingested_at": WRITTEN,
    }  # fmt: skip


def test_a_full_record_has_every_key_in_the_documented_order() -> None:
    record = records.memory_record(FULL, score=1.5, explain=Explanation(text=1.5, terms=("x",)))
    assert (
        list(record)
        == (
            "id content subject predicate object valid_from valid_until is_current layer tags importance metadata "
            "derived_from confidence origin origin_trust source_event timestamp ingested_at superseded_by supersedes "
            "invalidated_by_event invalidated_at reaffirmed_by contested state score explain"
        ).split()
    )
    assert record["object"] == ""
    assert record["metadata"] == {"k": None}, "a caller's own null is data"
    assert record["reaffirmed_by"] == ["g"]


def test_times_are_utc_whatever_their_zone() -> None:
    tokyo = timezone(timedelta(hours=9))
    assert records.instant(WHEN.astimezone(tokyo)) == WRITTEN


def test_a_row_that_was_never_stamped_was_learned_when_it_was_made() -> None:
    made = WHEN + timedelta(days=1)
    assert records.memory_record(replace(BARE, created_at=made))["ingested_at"] == records.instant(made)


def test_a_refused_item_carries_its_error_and_a_held_one_its_approval() -> None:
    error = InvalidTime("not a time", field="valid_from", value="soon", remedy="give a date")
    batch = records.store_batch(
        [StoreOutcome(status="stored", id="a", is_current=True), StoreOutcome(status="refused", error=error)]
    )
    assert batch["results"][0] == {"index": 0, "status": "stored", "id": "a", "is_current": True, "superseded": []}
    assert batch["results"][1]["error"] == {
        "code": "invalid_time", "message": "not a time (got 'soon')", "field": "valid_from", "remedy": "give a date",
    }  # fmt: skip
    assert (batch["stored"], batch["reaffirmed"], batch["held"], batch["refused"]) == (1, 0, 0, 1)
    held = records.store_outcome(StoreOutcome(status="held", id="a", approval_id="b", reason="burst"))
    assert held == {
        "status": "held",
        "id": "a",
        "is_current": False,
        "superseded": [],
        "approval_id": "b",
        "reason": "burst",
    }


def test_outcomes_say_what_holds_now() -> None:
    holding = HoldsNow(id="b", valid_from=WHEN)
    told = {"id": "b", "valid_from": WRITTEN}
    assert records.store_outcome(StoreOutcome(status="stored", holds_now=holding))["holds_now"] == told
    assert records.end_outcome(EndOutcome(ended=("a",), holds_now=holding)) == {
        "ended": ["a"], "holds_now": told, "held": False,
    }  # fmt: skip
    assert records.read_result(replace(BARE, holds_now=holding))["holds_now"] == told
    assert records.read_result(None) == {"found": False}


def test_lists_have_their_counts() -> None:
    hit = SearchHit(memory=BARE, score=2.0, similar=3, explain=Explanation())
    found = records.search_result([hit])
    assert (found["total"], found["truncated"]) == (1, False)
    assert found["memories"][0]["explain"]["similar"] == 3
    page = records.memory_page(Page(items=(BARE,), next_cursor="c", total=9))
    assert (page["total"], page["truncated"], page["next_cursor"]) == (9, True, "c")
    batch = records.batch_result(BatchResult(memories=(BARE,), missing_ids=("z",), total_found=1, total_missing=1))
    assert (batch["missing_ids"], batch["total_found"], batch["total_missing"], batch["truncated"]) == (
        ["z"],
        1,
        1,
        False,
    )


def test_one_record_where_one_value_holds_and_a_list_where_many_may() -> None:
    one = records.at_result("s", "p", WHEN, [FULL])
    assert (one["at"], one["found"], "records" in one) == (WRITTEN, True, False)
    none = records.at_result("s", "p", WRITTEN, [])
    assert none == {"subject": "s", "predicate": "p", "at": WRITTEN, "found": False}
    many = records.at_result("s", "p", WHEN, [FULL], is_many=True)
    assert len(many["records"]) == 1


@pytest.mark.requirement("mcp.framing")
def test_json_keeps_letters_and_has_no_value_that_json_has_not() -> None:
    text = records.to_json({"a": "東京 🔑", "b": [float("nan"), 1.5], "c": {"d": float("inf")}})
    assert text == '{"a":"東京 🔑","b":[null,1.5],"c":{"d":null}}'
    assert json.loads(records.to_json({"half": "\ud83e"})) == {"half": "?"}
