"""No public read gives out a held row: every one is listed here, and a new one has to be."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import karte
from tests.conftest import FakeClock
from tests.service.saying import AGENT, CHANNEL, burst, say

SECRET = "Xanadu"
Read = Callable[[karte.MemoryEngine, str], object]

READS: dict[str, Read] = {
    "get_by_id": lambda engine, id: engine.get_by_id(AGENT, id),
    "get_by_ids": lambda engine, id: engine.get_by_ids(AGENT, [id]).memories,
    "list_recent": lambda engine, id: [
        engine.list_recent(AGENT, include_historical=past, known_at=known).items
        for past in (True, False)
        for known in (None, "2099")
    ],
    "search": lambda engine, id: [
        engine.search(AGENT, SECRET, include_historical=past, known_at=known)
        for past in (True, False)
        for known in (None, "2099")
    ],
    "search_layer": lambda engine, id: engine.search_layer(AGENT, "episodic", SECRET, include_historical=True),
    "get_at": lambda engine, id: [engine.get_at(AGENT, "Ada", "lives in", known_at=k) for k in (None, "2099")],
    "get_all_at": lambda engine, id: [engine.get_all_at(AGENT, "Ada", "lives in", known_at=k) for k in (None, "2099")],
    "get_history": lambda engine, id: [
        engine.get_history(AGENT, "Ada", "lives in", known_at=k) for k in (None, "2099")
    ],
    "export_graph": lambda engine, id: engine.export_graph(AGENT),
    "list_predicates": lambda engine, id: engine.list_predicates(AGENT),
    "list_aliases": lambda engine, id: engine.list_aliases(AGENT),
    "doctor": lambda engine, id: engine.doctor(),
    "stats": lambda engine, id: engine.stats(AGENT),
    "summarize": lambda engine, id: engine.summarize(AGENT, ("0001", "9999")),
    "status": lambda engine, id: engine.status(),
    "list_open_decisions": lambda engine, id: engine.list_open_decisions(AGENT),
    "list_rules": lambda engine, id: engine.list_rules(AGENT, with_retired=True),
    "past_mistakes_section": lambda engine, id: engine.past_mistakes_section(AGENT, SECRET),
    "build_context": lambda engine, id: [
        engine.build_context(AGENT, SECRET, 100_000, user=user) for user in (None, "Ada")
    ],
    "list_pages": lambda engine, id: engine.list_pages(AGENT, with_archived=True),
    "search_pages": lambda engine, id: engine.search_pages(AGENT, SECRET),
    "lint_pages": lambda engine, id: engine.lint_pages(AGENT),
    "page_duplicates": lambda engine, id: engine.page_duplicates(AGENT),
    "export_page_graph": lambda engine, id: engine.export_page_graph(AGENT),
}
"""What each read gives that could tell of the row with this id."""

FOR_REVIEWERS = {
    "approvals", "get_approval", "events", "audit", "subscribe", "export", "read_page", "page_links", "page_backlinks",
    "list_page_proposals",
}  # fmt: skip
"""What a person needs who decides, or asks for all that is held; no agent's credential has their scope."""

WRITES = {
    "store", "store_temporal", "store_many", "update", "forget", "restore", "retract", "end_fact", "expire_by_subject",
    "declare_predicate", "add_alias", "remove_alias", "invalidate_by_origin", "undo_operation", "decide",
    "request_approval", "decay", "reassign_agent", "close", "deliver_events", "delivering", "erase", "import_export",
    "import_conversations", "is_stopped", "now", "reembed", "open_decision", "resolve_decision", "record_mistake",
    "maybe_consolidate", "rule_feedback", "retire_rule", "restore_rule", "edit_rule", "observe_outcome",
    "distill", "file_page", "promote_page", "archive_page", "restore_page", "accept_page_proposal",
    "decline_page_proposal",
}  # fmt: skip


@pytest.mark.requirement("quarantine.inert", "law.7-held")
def test_every_public_call_of_the_engine_is_known_here() -> None:
    public = {name for name in dir(karte.MemoryEngine) if not name.startswith("_")}
    public = {name for name in public if callable(getattr(karte.MemoryEngine, name))}
    unknown = public - READS.keys() - FOR_REVIEWERS - WRITES
    assert not unknown, f"does any of {sorted(unknown)} give out a held row? Add it to this test"


@pytest.mark.requirement("quarantine.inert", "law.7-held")
@pytest.mark.parametrize("kind", ["fact", "of a burst that was live before", "plain", "reserved"])
@pytest.mark.parametrize("name", READS)
def test_no_read_gives_out_a_held_row(name: str, kind: str, db_path: Path, clock: FakeClock) -> None:
    with karte.SqliteMemoryEngine(db_path, clock=clock) as engine:
        id = _hold(engine, clock, kind)
        clock.advance(minutes=1)
        answer = READS[name](engine, id)
        assert SECRET not in repr(answer)
        assert id not in repr(answer)


def _hold(engine: karte.MemoryEngine, clock: FakeClock, kind: str) -> str:
    """The id of a held row that says the secret."""
    match kind:
        case "fact":
            burst(engine, size=4 + 1)
            outcome = say(engine, SECRET)
        case "of a burst that was live before":
            outcome = say(engine, SECRET)
            for n in range(4):
                clock.advance(seconds=1)
                assert say(engine, f"place {n}").status == ("stored" if n < 3 else "held")
        case "reserved":
            outcome = say(engine, SECRET, subject="user:ada")
        case _:
            notes = [
                (karte.MemoryEntry(content=f"{SECRET} {n}"), karte.TemporalMeta(origin=CHANNEL)) for n in range(500)
            ]
            outcome = engine.store_many(notes)[0]
    assert outcome.id is not None
    return outcome.id


@pytest.mark.requirement("quarantine.inert")
def test_what_is_held_can_be_seen_in_history_on_request_flagged(db_path: Path, clock: FakeClock) -> None:
    with karte.SqliteMemoryEngine(db_path, clock=clock) as engine:
        burst(engine)
        rows = engine.get_history(AGENT, "Ada", "lives in", include_quarantined=True)
        assert [row.state for row in rows] == ["quarantined"] * 5
        assert not any(row.is_current for row in rows)


@pytest.mark.requirement("quarantine.inert", "trust.derivation")
def test_a_held_row_cannot_be_changed_forgotten_taken_back_or_cited(db_path: Path, clock: FakeClock) -> None:
    with karte.SqliteMemoryEngine(db_path, clock=clock) as engine:
        id = str(burst(engine)[0].id)
        with pytest.raises(karte.NotFound):
            engine.update(AGENT, id, tags=["x"])
        with pytest.raises(karte.NotFound):
            engine.retract(AGENT, id)
        assert not engine.forget(AGENT, id)
        citing = say(engine, "Rome", origin="agent_derived", derived_from=[id])
        record = engine.get_by_id(AGENT, str(citing.id))
        assert record is not None
        assert record.origin_trust == 0.0
