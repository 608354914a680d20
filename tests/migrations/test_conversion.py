"""What an upgrade makes of an older engine's rows: assertions, states, times and names, and nothing planned anew."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from karte.domain.entities import no_alias, value_key
from tests.migrations.files import NOW, OLDER_COLUMNS, change, older_file, open_file, query, real_file

ALIASES = (
    "CREATE TABLE entity_alias (agent_id TEXT NOT NULL, canonical TEXT NOT NULL, alias TEXT NOT NULL,"
    " created_at TEXT NOT NULL DEFAULT (datetime('now')), PRIMARY KEY (agent_id, alias))"
)


def fact(id: str, **given: Any) -> dict[str, Any]:
    """A fact of an older engine, believed from its third second on."""
    return {
        "id": id,
        "agent_id": "alice",
        "content": f"words of {id}",
        "timestamp": "2026-01-01T00:00:00Z",
        "created_at": "2026-01-01 00:00:03",
        "subject": "door",
        "predicate": "is",
        "object": "open",
        "source_event": f"event of {id}",
        "valid_from": "2026-01-01T00:00:00Z",
        "ingested_at": "2026-01-01T00:00:03Z",
        **given,
    }


def upgraded(path: Path, *rows: Mapping[str, Any]) -> Path:
    older_file(path, rows=rows)
    open_file(path)
    return path


def assertions(path: Path, columns: str) -> list[Any]:
    return query(path, f"SELECT {columns} FROM memory_assertions ORDER BY learned_order")


@pytest.mark.requirement("upgrade.times-rewritten", "time-format.written")
@pytest.mark.parametrize(
    ("found", "rewritten"),
    [
        ("2026-05-01T10:00:00Z", "2026-05-01T10:00:00.000000+00:00"),
        ("2026-05-01T10:00:00.5+09:00", "2026-05-01T01:00:00.500000+00:00"),
        ("2026-05-01T10:00:00.123456789+00:00", "2026-05-01T10:00:00.123456+00:00"),
        ("2026-05-01 10:00:00", "2026-05-01T10:00:00.000000+00:00"),
        ("2026-05-01", "2026-05-01T00:00:00.000000+00:00"),
        ("2026-05-01T10:00:00.000001+00:00", "2026-05-01T10:00:00.000001+00:00"),
        ("last Tuesday", "last Tuesday"),
        ("2026-13-01T10:00:00.000000+00:00", "2026-13-01T10:00:00.000000+00:00"),
        ("", ""),
    ],
)
def test_times_become_the_same_instant_in_our_form_and_what_is_no_time_stays(
    db_path: Path, found: str, rewritten: str
) -> None:
    names = ("timestamp", "created_at", "last_accessed", "valid_from", "valid_until", "ingested_at", "invalidated_at")
    row = {"id": "m", "agent_id": "a", "content": "c", **dict.fromkeys(names, found)}
    upgraded(db_path, row)
    assert query(db_path, f"SELECT {', '.join(names)} FROM memories") == [(rewritten,) * len(names)]


@pytest.mark.requirement("upgrade.replans-nothing")
def test_a_superseded_row_is_an_open_assertion_and_every_other_end_is_the_writers(db_path: Path) -> None:
    upgraded(
        db_path,
        fact("closed by the engine", valid_until="2026-02-01T00:00:00Z", superseded_by="next"),
        fact("next", valid_from="2026-02-01T00:00:00Z", supersedes="closed by the engine"),
        fact("ended by its writer", subject="window", valid_until="2026-03-01T00:00:00Z"),
        fact("open", subject="gate"),
    )
    assert dict(assertions(db_path, "id, valid_until")) == {
        "closed by the engine": None,
        "next": None,
        "ended by its writer": "2026-03-01T00:00:00.000000+00:00",
        "open": None,
    }
    rows = query(db_path, "SELECT id, valid_until, superseded_by, supersedes, support, is_made FROM memories")
    assert rows[0] == ("closed by the engine", "2026-02-01T00:00:00.000000+00:00", "next", None, None, 1)


@pytest.mark.requirement("file.order-of-learning-counter")
def test_the_order_of_learning_is_that_of_ingestion_then_of_insertion(db_path: Path) -> None:
    upgraded(
        db_path,
        fact("third", ingested_at="2026-01-03T00:00:00.000000900+00:00"),
        fact("first", ingested_at=None, created_at="2026-01-01 00:00:00"),
        fact("second", ingested_at=None, created_at="no time", timestamp="2026-01-02T00:00:00Z"),
        fact("fourth", ingested_at="2026-01-03T00:00:00.000000100+00:00"),
    )
    learned = [
        ("first", "2026-01-01T00:00:00.000000+00:00"),
        ("second", "2026-01-02T00:00:00.000000+00:00"),
        ("third", "2026-01-03T00:00:00.000000+00:00"),
        ("fourth", "2026-01-03T00:00:00.000000+00:00"),
    ]
    assert assertions(db_path, "id, learned_at") == learned
    assert query(db_path, "SELECT id, ordinal, assertion FROM memories ORDER BY ordinal") == [
        ("third", 1, 3),
        ("first", 2, 1),
        ("second", 3, 2),
        ("fourth", 4, 4),
    ]
    assert query(db_path, "SELECT last_instant, last_order, last_ordinal FROM karte_state") == [(learned[3][1], 4, 4)]


def test_belief_goes_on_after_what_was_known_and_does_not_wait_for_a_clock_that_was_ahead(db_path: Path) -> None:
    upgraded(
        db_path,
        fact("known", invalidated_at="2026-06-01T00:00:00Z"),
        fact("from the future", subject="gate", ingested_at="2999-01-01T00:00:00Z"),
    )
    assert query(db_path, "SELECT last_instant FROM karte_state") == [("2026-06-01T00:00:00.000000+00:00",)]


@pytest.mark.requirement("upgrade.retractions-converted", "upgrade.quarantined-stay-inert")
def test_purged_rejected_and_held_rows_are_marked_so(db_path: Path) -> None:
    until = {"valid_until": "2026-02-01T00:00:00Z", "invalidated_at": "2026-02-01T00:00:00Z"}
    upgraded(
        db_path,
        fact("purged", invalidated_by_event="origin_purge", **until),
        fact("rejected", invalidated_by_event="human_reject", quarantined=1, **until),
        fact("late", invalidated_by_event="quarantine_reject", quarantined=1, **until),
        fact("held", quarantined=1),
        fact("live", invalidated_by_event="page_rollback", **until),
        {**fact("plain", invalidated_by_event="origin_purge"), "subject": None},
    )
    assert query(db_path, "SELECT id, state, quarantined FROM memories ORDER BY ordinal") == [
        ("purged", "purged", 0),
        ("rejected", "rejected", 1),
        ("late", "rejected", 1),
        ("held", None, 1),
        ("live", None, 0),
        ("plain", "purged", 0),
    ]
    assert assertions(db_path, "id, state, valid_until") == [
        ("purged", "purged", None),
        ("rejected", "rejected", None),
        ("late", "rejected", None),
        ("held", "held", None),
        ("live", "live", "2026-02-01T00:00:00.000000+00:00"),
    ]


@pytest.mark.requirement("upgrade.retractions-converted", "file.reserved-events")
def test_an_event_that_a_caller_named_like_a_purge_purges_nothing(db_path: Path) -> None:
    upgraded(
        db_path,
        fact("truth", superseded_by="attack", invalidated_by_event="origin_purge", valid_until="2026-02-01T00:00:00Z"),
        fact("attack", supersedes="truth", source_event="origin_purge", valid_from="2026-02-01T00:00:00Z"),
        fact("purged", subject="gate", superseded_by="next", invalidated_by_event="origin_purge"),
        fact("next", subject="gate", supersedes="purged"),
    )
    states = {"truth": "live", "attack": "live", "purged": "purged", "next": "live"}
    assert dict(assertions(db_path, "id, state")) == states


@pytest.mark.requirement("upgrade.oddities-tolerated")
def test_what_has_no_subject_or_no_predicate_is_no_fact(db_path: Path) -> None:
    upgraded(
        db_path,
        fact("no subject", subject=""),
        fact("blank subject", subject=" \t"),
        fact("no predicate", predicate=None),
        fact("plain", subject=None, predicate=None, valid_from=None),
        fact("fact", subject=" Ｄoor ", predicate="IS"),
    )
    rows = dict(query(db_path, "SELECT id, identity FROM memories WHERE identity IS NOT NULL"))
    assert rows == {"fact": "door\x1fis\x1f"}
    assert assertions(db_path, "id, subject, predicate") == [("fact", " Ｄoor ", "IS")]
    assert query(db_path, "SELECT valid_from FROM memories WHERE id = 'plain'") == [(None,)]


@pytest.mark.requirement("file.null-readings")
def test_a_fact_without_a_start_begins_when_it_was_observed(db_path: Path) -> None:
    upgraded(db_path, fact("m", valid_from=None, timestamp="2026-04-01T00:00:00Z"))
    start = "2026-04-01T00:00:00.000000+00:00"
    assert query(db_path, "SELECT valid_from FROM memories") == [(start,)]
    assert assertions(db_path, "valid_from") == [(start,)]


@pytest.mark.requirement("upgrade.oddities-tolerated")
def test_malformed_json_unreadable_starts_and_ends_before_starts_are_kept_as_found(db_path: Path) -> None:
    upgraded(
        db_path,
        fact("broken", tags="[", metadata='{"reaffirmed_by": 7}', derived_from="nothing"),
        fact("inverted", subject="gate", valid_until="2025-01-01T00:00:00Z"),
        fact("unreadable", subject="window", valid_from="once", valid_until="never"),
        fact("deep", subject="roof", metadata="[" * 100_000, derived_from='["broken", 3, null]'),
    )
    found = query(db_path, "SELECT tags, metadata, derived_from FROM memories WHERE id = 'broken'")
    assert found == [("[", '{"reaffirmed_by": 7}', "nothing")]
    ends = query(db_path, "SELECT id, valid_from, valid_until FROM memories WHERE id IN ('inverted', 'unreadable')")
    assert ends == [
        ("inverted", "2026-01-01T00:00:00.000000+00:00", "2025-01-01T00:00:00.000000+00:00"),
        ("unreadable", "once", "never"),
    ]
    assert dict(assertions(db_path, "id, valid_from")) == dict.fromkeys(
        ("broken", "inverted", "unreadable", "deep"), "2026-01-01T00:00:00.000000+00:00"
    )
    assert query(db_path, "SELECT source_id, memory_id FROM memory_sources") == [("broken", "deep")]


@pytest.mark.requirement("trust.ceilings")
def test_origin_and_trust_stay_and_tell_the_authority_and_the_voice(db_path: Path) -> None:
    upgraded(
        db_path,
        fact("nobody", origin=None, origin_trust=1.0),
        fact("owner", origin="user_direct", origin_trust=1.0),
        fact("doubted owner", origin="user_direct", origin_trust=0.5),
        fact("stranger", origin="channel:telegram:1", origin_trust=0.3),
        fact("tool", origin="tool_echo", origin_trust=0.5),
        fact("unknown", origin="channel-a", origin_trust=0.6),
    )
    assert assertions(db_path, "id, origin, origin_trust, authority, voice") == [
        ("nobody", None, 1.0, "plain", "unattributed"),
        ("owner", "user_direct", 1.0, "curated", "user_direct"),
        ("doubted owner", "user_direct", 0.5, "plain", "user_direct"),
        ("stranger", "channel:telegram:1", 0.3, "unverified", "channel"),
        ("tool", "tool_echo", 0.5, "unverified", None),
        ("unknown", "channel-a", 0.6, "plain", "unattributed"),
    ]
    assert query(db_path, "SELECT origin, origin_trust FROM memories WHERE id = 'nobody'") == [(None, 1.0)]


@pytest.mark.requirement("identity.equal-values")
def test_confirmations_noted_beside_a_row_become_assertions_with_no_more_trust_than_the_row(db_path: Path) -> None:
    noted = [
        {"origin": "channel", "source_event": "e1"},
        {"origin": "operator", "source_event": "e2"},
        {"source_event": "e3"},
        "e4",
        {"origin": "operator"},
        7,
    ]
    upgraded(
        db_path,
        fact(
            "m",
            origin="channel",
            origin_trust=0.3,
            confidence=0.7,
            valid_until="2027-01-01T00:00:00Z",
            metadata=json.dumps({"reaffirmed_by": noted}),
        ),
        fact("purged", subject="gate", invalidated_by_event="origin_purge", metadata='{"reaffirmed_by": ["e9"]}'),
    )
    found = assertions(db_path, "source_event, makes_row, row_id, origin, origin_trust, confidence, valid_until, state")
    assert found == [
        ("event of m", 1, "m", "channel", 0.3, 0.5, "2027-01-01T00:00:00.000000+00:00", "live"),
        ("e1", 0, "m", "channel", 0.3, 0.5, None, "live"),
        ("e2", 0, "m", "operator", 0.3, 0.5, None, "live"),
        ("e3", 0, "m", None, 0.3, 0.5, None, "live"),
        ("e4", 0, "m", None, 0.3, 0.5, None, "live"),
        ("event of purged", 1, "purged", None, 1.0, 1.0, None, "purged"),
        ("e9", 0, "purged", None, 0.6, 1.0, None, "purged"),
    ]
    keys = assertions(db_path, "DISTINCT value_key")
    assert keys[0] == (value_key("open", "words of m", no_alias),)
    assert len(keys) == 2
    assert len(set(assertions(db_path, "id"))) == 7


@pytest.mark.requirement("trust.derivation")
def test_what_was_derived_from_a_purged_row_over_any_number_of_steps_is_cut(db_path: Path) -> None:
    upgraded(
        db_path,
        fact("source", invalidated_by_event="origin_purge"),
        fact("conclusion", subject="a", derived_from='["source"]'),
        fact("note", subject=None, derived_from='["conclusion", "other"]'),
        fact("further conclusion", subject="b", derived_from='["note"]'),
        fact("other", subject="c", derived_from='["no such id"]'),
    )
    assert assertions(db_path, "id, is_cut") == [
        ("source", 0),
        ("conclusion", 1),
        ("further conclusion", 1),
        ("other", 0),
    ]


@pytest.mark.requirement("identity.aliases")
def test_aliases_are_normalised_and_flattened_and_one_that_leads_back_is_left_out(db_path: Path) -> None:
    older_file(db_path, rows=[fact("m1", subject="The Big One"), fact("m2", subject="P1"), fact("m3", agent_id="bob")])
    change(
        db_path,
        ALIASES,
        "INSERT INTO entity_alias VALUES ('alice', 'Project One', 'Big  One', '2026-01-01 00:00:00')",
        "INSERT INTO entity_alias VALUES ('alice', 'big one', 'The Big One', '2026-01-02T00:00:00.123456789Z')",
        "INSERT INTO entity_alias VALUES ('alice', 'P1', 'project one', '2026-01-03 00:00:00')",
        "INSERT INTO entity_alias VALUES ('alice', 'the big one', 'p1', '2026-01-04 00:00:00')",
        "INSERT INTO entity_alias VALUES ('alice', 'same', 'SAME', '2026-01-05 00:00:00')",
        "INSERT INTO entity_alias VALUES ('bob', 'gate', 'door', '2026-01-06 00:00:00')",
    )
    open_file(db_path)
    assert query(db_path, "SELECT agent_id, alias, canonical, created_at FROM entity_alias ORDER BY 4") == [
        ("alice", "big one", "p1", "2026-01-01T00:00:00.000000+00:00"),
        ("alice", "the big one", "p1", "2026-01-02T00:00:00.123456+00:00"),
        ("alice", "project one", "p1", "2026-01-03T00:00:00.000000+00:00"),
        ("bob", "door", "gate", "2026-01-06T00:00:00.000000+00:00"),
    ]
    assert query(db_path, "SELECT id, identity FROM memories ORDER BY id") == [
        ("m1", "p1\x1fis\x1f"),
        ("m2", "p1\x1fis\x1f"),
        ("m3", "gate\x1fis\x1f"),
    ]


def test_an_archived_fact_keeps_its_assertion_out_of_every_timeline(db_path: Path) -> None:
    older_file(db_path, rows=[fact("live")])
    names = ", ".join(f"{name} {kind}" for name, kind in OLDER_COLUMNS if name != "created_at")
    change(
        db_path,
        f"CREATE TABLE memories_archive ({names})",
        "INSERT INTO memories_archive (id, agent_id, content, timestamp, subject, predicate)"
        " VALUES ('gone', 'alice', 'words', '2026-01-01T00:00:00Z', 'door', 'is')",
    )
    open_file(db_path)
    assert assertions(db_path, "id, state") == [("gone", "archived"), ("live", "live")]
    assert query(db_path, "SELECT created_at, archived_at, ordinal, assertion FROM memories_archive") == [
        ("2026-01-01T00:00:00.000000+00:00", NOW, 2, 1)
    ]


@pytest.mark.requirement("upgrade.replans-nothing")
def test_the_rows_of_a_real_file_keep_every_value_they_had(data_dir: Path, tmp_path: Path) -> None:
    path = real_file(data_dir, "engine_1_62.db", tmp_path)
    columns = ", ".join(
        name
        for name, _ in OLDER_COLUMNS
        if name not in {"timestamp", "created_at", "last_accessed", "valid_from", "valid_until"}
        and name not in {"ingested_at", "invalidated_at"}
    )
    before = query(path, f"SELECT {columns} FROM memories ORDER BY rowid")
    open_file(path)
    assert query(path, f"SELECT {columns} FROM memories ORDER BY ordinal") == before
    counts = dict(query(path, "SELECT state, count(*) FROM memory_assertions GROUP BY state"))
    assert counts == {"held": 3, "live": 200, "purged": 6, "rejected": 3}
    assert query(path, "SELECT count(*) FROM memory_assertions WHERE makes_row = 1") == [(176,)]
    assert query(path, "SELECT count(*) FROM memories WHERE identity IS NOT NULL") == [(176,)]
