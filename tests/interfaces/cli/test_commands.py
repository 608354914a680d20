"""Every command, for machines and for people."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from karte.interfaces.cli.main import COMMANDS, cli
from tests.interfaces.cli.conftest import Karte

pytestmark = pytest.mark.requirement("cli.commands")

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")
RFC_3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00")
REQUIRED = {
    "id", "content", "is_current", "layer", "tags", "importance", "confidence", "origin", "origin_trust", "timestamp",
    "ingested_at",
}  # fmt: skip


def test_a_plain_memory_is_stored_and_found(karte: Karte) -> None:
    stored = karte("--json", "add", "The staging password is in the vault", "--tag", "ops", "--importance", "7")
    assert (stored.code, stored.err) == (0, "")
    assert stored.data["status"] == "stored"
    assert stored.data["is_current"] is True
    assert UUID.fullmatch(stored.data["id"])

    found = karte("--json", "search", "vault password")
    assert found.code == 0
    assert (found.data["total"], found.data["truncated"]) == (1, False)
    record = found.data["memories"][0]
    assert set(record) >= REQUIRED | {"score"}
    assert None not in record.values()
    assert (record["tags"], record["importance"], record["origin"], record["origin_trust"]) == (
        ["ops"],
        7,
        "operator",
        1,
    )
    assert record["layer"] == "episodic"
    assert RFC_3339.fullmatch(record["ingested_at"])


def test_a_fact_gives_way_to_the_next_and_the_past_stays(karte: Karte, deploys: Callable[[], list[str]]) -> None:
    vercel, workers = deploys()
    now = karte("--json", "at", "user", "deploy_target")
    assert now.code == 0
    assert now.data["found"] is True
    assert now.data["record"]["object"] == "Cloudflare Workers"
    assert now.data["record"]["layer"] == "semantic"
    then = karte("--json", "at", "user", "deploy_target", "2024-02-01")
    assert then.data["at"] == "2024-02-01T00:00:00.000000+00:00"
    assert then.data["record"]["id"] == vercel
    assert then.data["record"]["superseded_by"] == workers

    found = karte("--json", "search", "where do we deploy?")
    assert [record["id"] for record in found.data["memories"]] == [workers]
    past = karte("--json", "search", "deploy", "--as-of", "2024-02-01")
    assert [record["id"] for record in past.data["memories"]] == [vercel]
    everything = karte("--json", "search", "deploy", "--all")
    assert {record["id"] for record in everything.data["memories"]} == {vercel, workers}


def test_history_draws_every_stretch_and_what_took_over(karte: Karte, deploys: Callable[[], list[str]]) -> None:
    deploys()
    karte("end", "user", "deploy_target", "--at", "2024-06-01", "--event", "chat:99")
    drawn = karte("history", "user", "deploy_target")
    assert drawn.code == 0
    lines = [line.split("  ", 1)[0].ljust(1) + line[20:] for line in drawn.out.splitlines()]
    assert "2024-01-01 ├─ Vercel" in lines
    assert "2024-03-03 ├─ Cloudflare Workers   took over from Vercel" in lines
    assert "2024-06-01 ┴  ended (chat:99)" in lines
    assert "nothing holds now" in drawn.out
    data = karte("--json", "history", "user", "deploy_target").data
    assert [record["object"] for record in data["records"]] == ["Vercel", "Cloudflare Workers"]
    assert (data["subject"], data["predicate"], data["total"], data["truncated"]) == ("user", "deploy_target", 2, False)


def test_both_time_axes_are_asked_by_options(karte: Karte, deploys: Callable[[], list[str]]) -> None:
    deploys()
    before = karte("--json", "at", "user", "deploy_target").data["record"]["ingested_at"]
    karte(
        "add",
        "A trial",
        "-s",
        "user",
        "-p",
        "deploy_target",
        "-o",
        "Netlify",
        "--from",
        "2024-02-10",
        "--until",
        "2024-02-20",
    )
    at = ("--json", "at", "user", "deploy_target", "2024-02-20")
    assert karte(*at).data["record"]["object"] == "Netlify"
    assert karte(*at, "--known-at", before).data["record"]["object"] == "Vercel"
    history = karte("--json", "history", "user", "deploy_target").data["records"]
    assert [record["object"] for record in history] == ["Vercel", "Netlify", "Vercel", "Cloudflare Workers"]
    believed = karte("--json", "history", "user", "deploy_target", "--known-at", before).data["records"]
    assert [record["object"] for record in believed] == ["Vercel", "Cloudflare Workers"]


def test_a_batch_fetch_keeps_the_order_and_names_what_is_missing(
    karte: Karte, deploys: Callable[[], list[str]]
) -> None:
    vercel, workers = deploys()
    done = karte("--json", "fetch", workers, "no-such-id", vercel, "no-such-id")
    assert done.code == 0
    assert [record["id"] for record in done.data["memories"]] == [workers, vercel]
    assert done.data["missing_ids"] == ["no-such-id"]
    assert (done.data["total_found"], done.data["total_missing"], done.data["truncated"]) == (2, 1, False)
    shown = karte("fetch", workers, "no-such-id")
    assert "not here: no-such-id" in shown.out


def test_show_says_what_holds_now(karte: Karte, deploys: Callable[[], list[str]]) -> None:
    vercel, workers = deploys()
    data = karte("--json", "show", vercel).data
    assert data["found"] is True
    assert data["memory"]["valid_until"] == "2024-03-03T00:00:00.000000+00:00"
    assert data["holds_now"]["id"] == workers
    told = karte("show", vercel)
    assert "Deploys go to Vercel" in told.out
    assert f"holds now: {workers}" in told.out


def test_another_agents_memory_is_as_missing_as_one_that_never_was(karte: Karte) -> None:
    id = karte("--json", "add", "mine").data["id"]
    theirs = karte("--json", "--agent", "other", "show", id)
    assert (theirs.code, theirs.data) == (1, {"found": False})
    assert karte("--json", "list", "--agent", "other").data["memories"] == []
    assert karte("--json", "list", KARTE_AGENT="other").data["total"] == 0


def test_list_is_paged_by_its_cursor(karte: Karte) -> None:
    for number in range(3):
        karte("add", f"memory {number}")
    first = karte("--json", "list", "-n", "2").data
    assert (len(first["memories"]), first["total"], first["truncated"]) == (2, 3, True)
    rest = karte("--json", "list", "-n", "2", "--cursor", first["next_cursor"]).data
    assert len(rest["memories"]) == 1
    assert rest["truncated"] is False
    assert "2 of 3 memories" in karte("list", "-n", "2").out


def test_an_end_says_what_it_ended(karte: Karte, deploys: Callable[[], list[str]]) -> None:
    _, workers = deploys()
    done = karte("--json", "end", "user", "deploy_target", "--at", "2024-06-01", "--event", "chat:99")
    assert done.code == 0
    assert done.data == {"ended": [workers], "held": False}
    assert karte("--json", "at", "user", "deploy_target").data["found"] is False


def test_expire_ends_all_current_facts_of_a_subject(karte: Karte) -> None:
    for predicate in ("status", "mood"):
        karte("add", "x", "-s", "Ken", "-p", predicate, "-o", "fine")
    assert karte("--json", "expire", "Ken").data == {"subject": "Ken", "expired": 2}
    assert karte("expire", "Ken").code == 1


def test_retract_brings_back_what_was_displaced(karte: Karte, deploys: Callable[[], list[str]]) -> None:
    vercel, workers = deploys()
    done = karte("--json", "retract", workers, "--event", "it was wrong")
    assert done.code == 0
    assert done.data["holds_now"]["id"] == vercel
    assert karte("--json", "at", "user", "deploy_target").data["record"]["object"] == "Vercel"
    assert "retracted" in karte("history", "user", "deploy_target").out


def test_update_forget_and_restore(karte: Karte) -> None:
    karte("add", "A plain note", "--id", "note-1", "--metadata", '{"a": 1}')
    changed = karte("--json", "update", "note-1", "--content", "Better", "--tag", "x", "--metadata", '{"b": [2]}')
    assert changed.data["memory"]["content"] == "Better"
    assert changed.data["memory"]["metadata"] == {"b": [2]}
    assert karte("--json", "update", "note-1", "--no-tags").data["memory"]["tags"] == []
    assert karte("--json", "forget", "note-1").data == {"id": "note-1", "forgotten": True}
    assert karte("--json", "search", "Better").data["memories"] == []
    assert karte("--json", "restore", "note-1").data == {"id": "note-1", "restored": True}
    assert karte("--json", "show", "note-1").data["memory"]["content"] == "Better"


def test_a_predicate_declared_many_answers_with_all_its_values(karte: Karte) -> None:
    declared = karte("--json", "predicate", "declare", "knows", "many")
    assert declared.data == {"predicate": "knows", "cardinality": "many", "changed": 0, "dry_run": False}
    for name in ("Aiko", "Ken"):
        karte("add", f"knows {name}", "-s", "user", "-p", "knows", "-o", name, "--from", "2024")
    both = karte("--json", "at", "user", "knows")
    assert {record["object"] for record in both.data["records"]} == {"Aiko", "Ken"}
    assert "record" not in both.data
    one = karte("--json", "at", "user", "knows", "-o", "Ken")
    assert one.data["record"]["object"] == "Ken"
    assert karte("--json", "predicate", "list").data["predicates"] == [{"predicate": "knows", "cardinality": "many"}]
    drawn = karte("history", "user", "knows").out
    assert drawn.count("◀ now") == 2


def test_aliases_fold_names_and_say_what_they_change(karte: Karte) -> None:
    karte("add", "Ken is in Kyoto", "-s", "Ken", "-p", "city", "-o", "Kyoto", "--from", "2023")
    karte("add", "Sato is in Osaka", "-s", "Kenji Sato", "-p", "city", "-o", "Osaka", "--from", "2024")
    dry = karte("--json", "alias", "add", "Kenji Sato", "Ken", "--dry-run").data
    assert dry["changed"] > 0
    assert dry["dry_run"] is True
    assert karte("--json", "alias", "list").data == {"aliases": [], "total": 0}
    done = karte("--json", "alias", "add", "Kenji Sato", "Ken")
    assert done.code == 0
    assert done.data["changed"] == dry["changed"]
    assert "this changes" in done.err
    assert karte("--json", "at", "Ken", "city").data["record"]["object"] == "Osaka"
    assert karte("--json", "alias", "list").data["total"] == 1
    assert karte("--json", "alias", "remove", "Ken").data["removed"] is True
    assert karte("--json", "at", "Ken", "city").data["record"]["object"] == "Kyoto"
    assert karte("alias", "remove", "Ken").code == 1


@pytest.mark.requirement("config.precedence")
def test_status_shows_what_is_in_force_and_where_it_came_from(karte: Karte) -> None:
    karte("add", "x")
    status = karte("--json", "status", "--agent", "dudu", KARTE_KNOWLEDGE_GUARD__WINDOW_SECS="0").data
    assert status["memories"] == 1
    assert status["settings"]["engine.agent"] == "dudu"
    assert status["settings_from"]["engine.agent"] == "argument"
    assert status["settings_from"]["engine.path"] in {"environment", "argument"}
    assert status["settings"]["knowledge_guard.window_secs"] == 3600
    assert any("knowledge_guard.window_secs" in warning for warning in status["warnings"])
    told = karte("status")
    assert "authority.protect_curated" in told.out
    assert "in force" not in told.err


@pytest.mark.requirement("config.bad-key-falls-back")
def test_a_warning_about_a_setting_goes_to_standard_error_unless_quiet(karte: Karte) -> None:
    loud = karte("list", KARTE_ENGINE__SYNCHRONOUS="never")
    assert "engine.synchronous" in loud.err
    assert karte("--quiet", "list", KARTE_ENGINE__SYNCHRONOUS="never").err == ""


def test_doctor_finds_a_fresh_file_in_good_health(karte: Karte) -> None:
    karte("add", "x")
    report = karte("--json", "doctor")
    assert report.code == 0
    assert report.data["healthy"] is True
    assert report.data["findings"] == []
    assert karte("doctor", "--rebuild").code == 0


def test_quiet_add_gives_the_id_alone(karte: Karte) -> None:
    assert UUID.fullmatch(karte("--quiet", "add", "x").out.strip())


def test_a_text_comes_from_standard_input_where_it_is_a_dash(karte: Karte) -> None:
    id = karte("--json", "add", "-", stdin="改行\nもある".encode()).data["id"]
    assert karte("--json", "show", id).data["memory"]["content"] == "改行\nもある"


def test_global_options_stand_before_or_after_the_command(karte: Karte) -> None:
    karte("add", "x", "--agent", "a")
    assert karte("--agent", "a", "--json", "list").data == karte("list", "--json", "--agent", "a").data


def test_what_is_stored_is_shown_as_text(karte: Karte) -> None:
    karte("add", "[bold red]loud[/] \x1b[31mred\x07 \u202eturned", "--tag", "[x]")
    for command in (("list",), ("search", "loud")):
        out = karte(*command, FORCE_COLOR="1").out
        assert "[bold red]loud[/]" in out
        assert "\x1b[31mred" not in out
        assert not {"\x07", "\u202e"} & set(out)


@pytest.mark.parametrize(
    "name", [*COMMANDS, "predicate declare", "predicate list", "alias add", "alias remove", "alias list"]
)
def test_every_command_has_help(karte: Karte, name: str) -> None:
    done = karte(*name.split(), "--help")
    assert done.code == 0
    assert done.out.startswith(f"Usage: karte {name}")


def test_the_line_in_the_table_of_commands_is_that_of_the_command() -> None:
    import click

    for name, entry in COMMANDS.items():
        command = cli.get_command(click.Context(cli), name)
        assert command is not None
        assert command.help, name
        assert entry.says.endswith(".")


def test_help_names_every_command_and_starts_nothing_heavy(karte: Karte) -> None:
    out = karte("--help").out
    assert [
        line.split()[0] for line in out.partition("Commands:\n")[2].splitlines() if re.match(r"  \S", line)
    ] == list(COMMANDS)
