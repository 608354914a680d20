"""Faults of facts over time that people met in the field, each as the right behaviour."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import apsw
import pytest

import karte
from tests.conftest import FakeClock
from tests.domain.story import AGENT, Teller, check_chain, when

ROOT = Path(__file__).parents[2]
PACKAGE_HOME = str(Path(str(karte.__file__)).parents[1])


@pytest.fixture
def story(db_path: Path, clock: FakeClock) -> Iterator[Teller]:
    teller = Teller(db_path, clock)
    yield teller
    teller.engine.close()


def inverted_rows(path: Path) -> int:
    """How many stored rows end before they start."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        ((count,),) = connection.execute("SELECT count(*) FROM memories WHERE valid_until < valid_from")
        return int(str(count))
    finally:
        connection.close()


# -------------------------------------------------------------------------------------------- FB-01 naive and aware

NAIVE = ("2026-01-10T09:00:00", "2026-02-10T09:00:00")
AWARE = ("2026-01-10T09:00:00+00:00", "2026-02-10T10:00:00+01:00")


@pytest.mark.requirement("time-format.accepted", "time-format.no-process-zone")
@pytest.mark.parametrize(
    ("first", "second"),
    [
        (NAIVE[0], AWARE[1]),
        (AWARE[0], NAIVE[1]),
        (datetime.fromisoformat(NAIVE[0]), datetime.fromisoformat(AWARE[1])),
        (datetime.fromisoformat(AWARE[0]), datetime.fromisoformat(NAIVE[1])),
        (datetime.fromisoformat(NAIVE[0]), AWARE[1]),
    ],
    ids=["naive then aware", "aware then naive", "naive datetime first", "aware datetime first", "datetime then text"],
)
@pytest.mark.parametrize("backwards", [False, True], ids=["in order", "backwards"])
def test_times_without_a_zone_are_utc_and_mix_with_those_that_have_one(
    story: Teller, first: Any, second: Any, backwards: bool
) -> None:
    said = [("team-red", first), ("team-blue", second)]
    for value, start in reversed(said) if backwards else said:
        story.tell(value, start)
    asked: list[Any] = ["2026-01-20", "2026-01-20T00:00:00", "2026-01-20T00:00:00+00:00", date(2026, 1, 20)]
    asked += [datetime(2026, 1, 20), datetime(2026, 1, 20, tzinfo=UTC)]
    assert {story.at(moment) for moment in asked} == {"team-red"}
    assert {story.at(moment) for moment in ("2026-02-10T09:00:00", "2026-02-10T18:00:00+09:00")} == {"team-blue"}
    red, blue = story.history()
    assert red.valid_until == blue.valid_from == when("2026-02-10T09:00:00+00:00")


# ------------------------------------------------------------------------------------------ FB-03 order of learning

JOBS = (("Quarry", "2026-02-01"), ("Harbor", "2023-02-01"), ("Meadow", "2025-02-01"))


@pytest.mark.requirement("timeline.back-dated", "law.2-order-free")
@pytest.mark.parametrize("order", list(itertools.permutations(JOBS)), ids=lambda order: "-".join(j for j, _ in order))
def test_an_old_conversation_learned_late_gives_the_same_timeline_in_every_order(
    story: Teller, order: tuple[tuple[str, str], ...]
) -> None:
    for job, start in order:
        story.tell(job, start, subject="person", predicate="employer")
    assert story.line("person", "employer") == [
        ("Harbor", "2023-02-01", "2025-02-01"),
        ("Meadow", "2025-02-01", "2026-02-01"),
        ("Quarry", "2026-02-01", None),
    ]
    asked = [story.at(moment, "person", "employer") for moment in ("2024-06", "2025-06", "2026-06")]
    assert asked == ["Harbor", "Meadow", "Quarry"]
    assert story.found("employer of person") == ["Quarry"]
    learned = sorted(story.history("person", "employer"), key=lambda row: row.ingested_at or when("1000-01-01"))
    assert [row.object for row in learned] == [job for job, _ in order]
    check_chain(story.history("person", "employer"))


# ---------------------------------------------------------------------------------------------- FB-04 inverted, ended


@pytest.mark.requirement("time-format.inverted-refused", "law.9-failed-write")
def test_an_end_that_is_not_after_its_start_is_refused_by_an_error_that_names_both(story: Teller) -> None:
    for until in ("2021-05-01", "2025-04-29", "2025-05-01T00:00:00Z"):
        with pytest.raises(karte.InvalidInterval) as refusal:
            story.tell("red", "2025-05-01", until)
        assert "2025-05-01" in str(refusal.value)
        assert until[:7] in str(refusal.value)
    with pytest.raises(karte.InvalidInterval):
        story.tell("red", None, "2021-05-01")
    assert story.history() == []
    story.tell("red", "2025-05-01")
    with pytest.raises(karte.KarteError, match="2025-05-01"):
        story.end("2021-05-01")
    assert story.line() == [("red", "2025-05-01", None)]
    assert inverted_rows(story.path) == 0


@pytest.mark.requirement("timeline.future-end", "time-format.spans")
def test_an_explicit_end_in_the_past_is_kept(story: Teller) -> None:
    story.tell("red", "2025-05-01", "2025-06-01")
    assert [story.at(moment) for moment in ("2025-05-15", "2025-06-01", "2025-06-02")] == ["red", "red", None]
    assert (story.at(), story.found("owner"), story.listed()) == (None, [], [])
    assert story.found("owner", include_historical=True) == ["red"]
    assert story.found("owner", valid_at="2025-05-15") == ["red"]


# ------------------------------------------------------------------------------------------------ FB-05 same start


@pytest.mark.requirement("timeline.same-start-correction", "stamp.one-chain", "law.1-disjoint")
@pytest.mark.parametrize("at_once", [True, False], ids=["in one batch", "one by one"])
def test_of_values_with_one_start_the_last_learned_holds_and_all_stay_in_a_steady_order(
    story: Teller, at_once: bool
) -> None:
    said = [story.item(plan, "2026-04-01T00:00:00Z") for plan in ("free", "pro", "team")]
    if at_once:
        story.engine.store_many(said)
    else:
        for entry, meta in said:  # the clock stands still
            story.engine.store_temporal(entry, meta)
    first = story.history()
    assert [row.object for row in first] == ["free", "pro", "team"]
    assert [row.is_current for row in first] == [False, False, True]
    check_chain(first)
    assert all(row.superseded_by for row in first[:-1])
    assert all(story.history() == first for _ in range(20))
    assert story.at("2026-04-01T00:00:00Z") == "team"
    story.reopen()
    assert story.history() == first
    assert (story.at(), story.found("owner")) == ("team", ["team"])


# ----------------------------------------------------------------------------------------------- FB-07 partial dates


@pytest.mark.requirement("time-format.spans", "time-format.accepted")
def test_a_bare_day_is_its_start_as_an_instant_and_its_end_as_an_upper_bound(story: Teller) -> None:
    story.clock.set("2026-05-11T14:05:00")
    story.tell("red", "2026-05-11T14:05:00Z", "2026-05-11")
    assert story.at("2026-05-11") is None
    assert [story.at(f"2026-05-11T{time}") for time in ("14:05:00", "23:59:59.999999")] == ["red", "red"]
    assert story.at("2026-05-12") is None
    assert story.at("2026-05-11T20:00:00", known_at="2026-05-11") == "red"
    assert story.at("2026-05-11T20:00:00", known_at="2026-05-10") is None
    assert story.listed(valid_at="2026-05-11T20:00:00", known_at="2026-05-11") == ["red"]
    assert story.found("owner", valid_at="2026-05-11T20:00:00", known_at="2026-05") == ["red"]


@pytest.mark.requirement("time-format.accepted", "time-format.spans")
@pytest.mark.parametrize(
    ("said", "start", "until"),
    [
        ("2019", "2019-01-01", "2020-01-01"),
        ("2019-07", "2019-07-01", "2019-08-01"),
        ("2019-12", "2019-12-01", "2020-01-01"),
        ("2020-02-29", "2020-02-29", "2020-03-01"),
        ("0044", "0044-01-01", "0045-01-01"),
        (1767225600, "2026-01-01", "2026-01-01"),
        (1767225600.25, "2026-01-01T00:00:00.250000", "2026-01-01T00:00:00.250000"),
        (date(2019, 7, 1), "2019-07-01", "2019-07-02"),
        ("9999-12-31", "9999-12-31", None),
        ("9999", "9999-01-01", None),
    ],
)
def test_partial_dates_are_spans_with_a_start_and_an_end(story: Teller, said: Any, start: str, until: str) -> None:
    story.tell("red", said, subject="start")
    story.tell("red", "0001", said, subject="end")
    assert story.line("start") == [("red", start, None)]
    assert story.line("end") == [("red", "0001-01-01", until)]


@pytest.mark.requirement("time-format.refused", "law.9-failed-write")
@pytest.mark.parametrize(
    "said",
    [
        *("2019-", "2019-xx", "2019-13", "2019-02-30", "11/05/2026", "", " ", "now", "yesterday"),
        *("20190601", "2019-W10-1", "10000-01-01", "0000", "-0044", "2019-06-01T25:00", b"2019"),
        *(0, 5, -1, 99_999_999, True, float("nan"), float("inf")),
    ],
)
@pytest.mark.parametrize("field", ["valid_from", "valid_until"])
def test_what_is_no_time_is_refused_by_the_name_of_its_field(story: Teller, field: str, said: Any) -> None:
    start, until = (said, None) if field == "valid_from" else ("2001", said)
    with pytest.raises(karte.InvalidInput) as refusal:
        story.tell("red", start, until)
    assert refusal.value.field == field
    assert refusal.value.remedy
    assert story.history() == []
    with pytest.raises(karte.InvalidInput):
        story.at(said)


# ------------------------------------------------------------------------------------------------------ FB-08 future


@pytest.mark.requirement("timeline.future-end", "time-format.spans")
def test_an_end_in_the_future_is_no_expiry(story: Teller) -> None:
    story.tell("floor-3", "2026-01-01", "2026-09-01", subject="one", predicate="office")
    story.tell("floor-4", "2026-01-01", "2026-09-01T00:00:00Z", subject="two", predicate="office")
    assert story.found("office") == story.listed() == ["floor-3", "floor-4"]
    story.clock.set("2026-09-01")
    assert story.found("office") == story.listed() == ["floor-3"]
    story.clock.set("2026-09-02")
    assert story.found("office") == story.listed() == []
    assert story.at(None, "one", "office") is None


@pytest.mark.requirement("timeline.future-start", "read.current-only")
def test_a_fact_that_starts_in_the_future_does_not_displace_todays(story: Teller) -> None:
    story.tell("floor-2", "2026-01-01", subject="dana", predicate="office")
    story.tell("floor-5", "2026-08-01", subject="dana", predicate="office")
    assert story.found("office") == story.listed() == ["floor-2"]
    asked = [story.at(moment, "dana", "office") for moment in (None, "2026-07-31", "2026-08-01")]
    assert asked == ["floor-2", "floor-2", "floor-5"]
    assert story.line("dana", "office")[0] == ("floor-2", "2026-01-01", "2026-08-01")
    story.clock.set("2026-08-02")
    assert story.found("office") == story.listed() == ["floor-5"]
    assert story.at(None, "dana", "office") == "floor-5"


# --------------------------------------------------------------------------------------------------- FB-09 time zones

ZONED = """
import json, sys
import apsw
import karte
from tests.conftest import FakeClock
from tests.domain.story import Teller
path, write = sys.argv[1:]
teller = Teller(path, FakeClock())
ids = iter(f"01990000-0000-7000-8000-{number:012x}" for number in range(99))
if write == "write":
    for start in (
        "2026-01-15T12:00:00", "2026-07-15T12:00:00", "2026-11-01T01:30:00-04:00", "2026-11-01T01:30:00-05:00"
    ):
        teller.tell(start, start, id=next(ids))
answers = [teller.line(), [teller.at(at) for at in ("2026-01-15T12:00:00", "2026-11-01T06:00:00", "2026-11-01", None)]]
teller.engine.close()
columns = "id, timestamp, valid_from, valid_until, ingested_at, superseded_by, invalidated_at"
rows = list(apsw.Connection(path).execute(f"SELECT {columns} FROM memories ORDER BY id"))
print(json.dumps([answers, rows]))
"""


def in_zone(zone: str, path: Path, what: str) -> Any:
    """What a process in this time zone stores and answers."""
    environment = {**os.environ, "TZ": zone, "PYTHONPATH": os.pathsep.join([PACKAGE_HOME, str(ROOT)])}
    done = subprocess.run(
        [sys.executable, "-c", ZONED, str(path), what], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.requirement("time-format.no-process-zone")
def test_the_time_zone_of_the_process_has_no_influence(tmp_path: Path) -> None:
    zones = ("UTC", "Asia/Tokyo", "America/New_York")
    written = [in_zone(zone, tmp_path / f"{number}.db", "write") for number, zone in enumerate(zones)]
    assert written[0] == written[1] == written[2]
    read = [in_zone(zone, tmp_path / "0.db", "read") for zone in zones]
    assert read == written
    (line, _), _ = written[0]
    starts = [start for _, start, _ in line]
    assert starts[2:] == ["2026-11-01T05:30:00", "2026-11-01T06:30:00"], "the repeated hour, one hour apart"


# ------------------------------------------------------------------------------------------------- FB-10 normalisation

SPELLINGS = (
    "Project Atlas",
    "project atlas",
    " Project  Atlas ",
    "Project\u00a0Atlas",
    "Ｐｒｏｊｅｃｔ　Ａｔｌａｓ",
    "PROJECT\tATLAS\n",
)


@pytest.mark.requirement("identity.normalised")
@pytest.mark.parametrize(
    "spellings",
    [SPELLINGS, ("Caf\u00e9 Nord", "Cafe\u0301 Nord", "CAFÉ NORD"), ("STRASSE 5", "Straße 5", "strasse 5")],
    ids=["white space, width and case", "composed and decomposed", "sharp s"],
)
def test_spellings_of_one_name_are_one_identity_on_every_path(story: Teller, spellings: tuple[str, ...]) -> None:
    for number, (name, predicate) in enumerate(zip(spellings, itertools.cycle(("timezone", "Timezone", "timezone ")))):
        story.tell(f"UTC+{number}", f"2026-01-0{number + 1}", subject=name, predicate=predicate)
    last = f"UTC+{len(spellings) - 1}"
    for name in spellings:
        rows = story.history(name, "TIMEZONE")
        assert [row.subject for row in rows] == list(spellings), "the caller's spelling is shown"
        assert [row.is_current for row in rows] == [False] * (len(spellings) - 1) + [True]
        assert story.at(None, name, " timezone") == last
    assert story.found("timezone") == story.listed() == [last]
    story.engine.add_alias(AGENT, spellings[0], "the alias")
    assert story.at(None, "The  Alias", "timezone") == last
    assert story.engine.expire_by_subject(AGENT, spellings[-1]) == 1
    assert story.at(None, spellings[0], "timezone") is None


@pytest.mark.requirement("identity.near-misses-apart")
def test_names_that_merely_look_alike_stay_apart(story: Teller) -> None:
    names = ("C", "C++", "C#", "D'Arcy", "Darcy", "re-sign", "resign")
    for name in names:
        story.tell(f"value of {name}", "2026-01-01", subject=name)
    for name in names:
        assert story.line(name) == [(f"value of {name}", "2026-01-01", None)]
    story.engine.expire_by_subject(AGENT, "C++")
    assert [story.at(None, name) is None for name in names] == [name == "C++" for name in names]


# ---------------------------------------------------------------------------------------------- FB-11 unrelated facts


@pytest.mark.requirement("identity.only-same-predicate-conflicts", "identity.many-valued")
def test_only_a_fact_of_the_same_subject_and_predicate_displaces_another(story: Teller) -> None:
    for subject, predicate, value in (
        ("dana", "employed_by", "Quarry"),
        ("dana", "maintains", "quarry-ci"),
        ("dana", "wrote", "policy-12"),
        ("svc-a", "calls", "svc-b"),
        ("svc-b", "calls", "svc-c"),
        ("dana", "lives_in", "Lyon"),
        ("dana", "lives_in", "Turin"),
    ):
        story.tell(value, subject=subject, predicate=predicate)
    story.tell("elsewhere", subject="dana", predicate="lives_in", agent="another agent")
    assert story.listed() == sorted(["Quarry", "quarry-ci", "policy-12", "svc-b", "svc-c", "Turin"])
    assert [row.object for row in story.history("dana", "lives_in")] == ["Lyon", "Turin"]
    story.tell("Ben", subject="dana", predicate="knows")
    story.tell("Cho", subject="dana", predicate="knows")
    assert story.at(None, "dana", "knows") == "Cho", "single-valued unless declared otherwise"
    assert len(story.history("dana", "knows")) == 2
    story.engine.declare_predicate(AGENT, "knows", "many")
    assert {"Ben", "Cho"} <= set(story.listed())


# --------------------------------------------------------------------------------------- FB-13 every default read path


@pytest.mark.requirement("read.current-only", "read.include-historical", "read.by-id-says-now", "batch.states")
def test_a_superseded_fact_is_absent_from_every_default_read_path(story: Teller) -> None:
    alpha = story.tell("alpha", subject="agent", predicate="search_tool")
    beta = story.tell("beta", subject="agent", predicate="search_tool")
    assert story.found("search tool") == story.listed() == ["beta"]
    assert story.found("alpha") == []
    layer = story.engine.search_layer(AGENT, "semantic", "search tool", touch=False)
    assert [hit.memory.id for hit in layer] == [beta.id]
    assert story.at(None, "agent", "search_tool") == "beta"
    assert story.found("search tool", include_historical=True) == ["alpha", "beta"]
    assert story.listed(include_historical=True) == ["alpha", "beta"]
    read = story.engine.get_by_id(AGENT, str(alpha.id))
    assert read is not None
    assert (read.is_current, read.superseded_by, read.valid_until) == (False, beta.id, beta.valid_from)
    assert read.holds_now is not None
    assert read.holds_now.id == beta.id
    batch = story.engine.get_by_ids(AGENT, [str(alpha.id), str(beta.id)])
    assert [memory.is_current for memory in batch.memories] == [False, True]
    assert [memory.superseded_by for memory in batch.memories] == [beta.id, None]
