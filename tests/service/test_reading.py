"""What reads give: filters, explanations, records, and the forms of the Python door."""

from __future__ import annotations

import asyncio
import inspect
from dataclasses import fields

import pytest

import karte
from karte import AsyncKarte, InvalidInput, Karte, KarteError, MemoryEntry, SqliteMemoryEngine, TemporalMeta
from tests.conftest import FakeClock


@pytest.fixture
def engine(clock: FakeClock) -> SqliteMemoryEngine:
    return SqliteMemoryEngine(":memory:", clock=clock)


@pytest.mark.requirement("search.filters-before-top-k")
def test_filters_act_before_the_first_hits_are_taken(engine: SqliteMemoryEngine, clock: FakeClock) -> None:
    """A hundred better hits that each filter excludes do not crowd out the one that passes."""
    wanted = MemoryEntry(
        content="the harbour light is green on some nights of the year",
        agent_id="a",
        id="w",
        layer="semantic",
        tags=["t", "u"],
    )
    engine.store(wanted, TemporalMeta(metadata={"k": "v"}, origin="user_direct"))
    loud = "harbour light harbour light"
    noise = {
        "owner": (MemoryEntry(content=loud, agent_id="b", layer="semantic"), TemporalMeta()),
        "layer": (MemoryEntry(content=loud, agent_id="a", layer="episodic", tags=["t"]), TemporalMeta()),
        "tags": (MemoryEntry(content=loud, agent_id="a", layer="semantic", tags=["t"]), TemporalMeta()),
        "trust": (MemoryEntry(content=loud, agent_id="a", layer="semantic"), TemporalMeta(origin="channel:x")),
        "time": (
            MemoryEntry(content=loud, agent_id="a", layer="semantic"),
            TemporalMeta(subject="s", predicate="p", valid_from="2020", valid_until="2021"),
        ),
    }
    engine.store_many([item for item in noise.values() for _ in range(100)])
    [first, *_] = engine.search("a", "harbour light", 5)
    assert first.content == loud
    assert first.similar > 50  # word for word from one origin is one hit
    assert [h.id for h in engine.search("a", "harbour light", 1, min_trust=0.9)] == ["w"]
    assert [h.id for h in engine.search("a", "harbour light", 1, tags=["t", "u"])] == ["w"]
    assert [h.id for h in engine.search("a", "harbour light", 1, metadata={"k": "v"})] == ["w"]
    assert [h.id for h in engine.search_layer("a", "semantic", "harbour light", 1, tags=["u"])] == ["w"]
    assert engine.search("c", "harbour light") == []
    old = engine.search("a", "harbour light", 1, valid_at="2020-06-01")
    assert [hit.subject for hit in old] == ["s"]


@pytest.mark.requirement("search.metadata-keys-are-data")
@pytest.mark.parametrize(
    "key",
    ["a' OR '1'='1", "x') OR 1=1 --", "$.a", "a.b", "content-type", 'a"b', "日本", "[0]", "", "%"],
)
def test_odd_metadata_keys_match_exactly_the_rows_that_have_them(engine: SqliteMemoryEngine, key: str) -> None:
    engine.store(MemoryEntry(content="lantern", agent_id="a", id="has"), TemporalMeta(metadata={key: "v'\"%"}))
    engine.store(MemoryEntry(content="lantern", agent_id="a", id="not"), TemporalMeta(metadata={"a": {"b": "v'\"%"}}))
    engine.store(MemoryEntry(content="lantern", agent_id="b", id="theirs"), TemporalMeta(metadata={key: "v'\"%"}))
    assert [hit.id for hit in engine.search("a", "lantern", metadata={key: "v'\"%"})] == ["has"]
    assert engine.search("a", "lantern", metadata={key: "v"}) == []


@pytest.mark.requirement("search.metadata-keys-are-data")
def test_true_is_not_one_and_large_numbers_are_themselves(engine: SqliteMemoryEngine) -> None:
    values = [True, 1, 1.5, None, 10**400, [1, {"a": False}], {"n": [0]}, 2**53 + 1]
    for i, value in enumerate(values):
        engine.store(MemoryEntry(content="lantern", agent_id="a", id=f"v{i}"), TemporalMeta(metadata={"k": value}))
    for i, value in enumerate(values):
        assert [hit.id for hit in engine.search("a", "lantern", metadata={"k": value})] == [f"v{i}"]
    assert engine.search("a", "lantern", metadata={"k": [1, {"a": 0}]}) == []


@pytest.mark.requirement("search.explain")
def test_the_parts_of_an_explanation_give_the_score_again(engine: SqliteMemoryEngine) -> None:
    for text in ("the harbour light is green", "a green lamp", "harbours at night"):
        engine.store(MemoryEntry(content=text, agent_id="a"))
    hits = engine.search("a", "green harbour", explain=True)
    assert len(hits) == 3
    assert [h.score for h in hits] == sorted((h.score for h in hits), reverse=True)
    for hit in hits:
        why = hit.explain
        assert why is not None
        again = (why.text + why.vector + why.graph + why.structure) * why.recency * why.importance * why.trust
        assert abs(again - hit.score) < 1e-9
    assert hits[0].explain is not None
    assert set(hits[0].explain.terms) == {"green", "harbour"}
    assert all(hit.explain is None for hit in engine.search("a", "green"))


@pytest.mark.requirement("read.get-at", "read.history")
def test_point_reads_and_history_agree_and_carry_provenance(engine: SqliteMemoryEngine, clock: FakeClock) -> None:
    for value, start in (("red", "2026-01"), ("blue", "2026-03")):
        engine.store_temporal(
            MemoryEntry(content=f"{value} owns it", agent_id="a", source_event=f"said-{value}"),
            TemporalMeta(subject="Svc", predicate="owner", object=value, valid_from=start, origin="user_direct"),
        )
        clock.advance(seconds=1)
    red, blue = engine.get_history("a", "svc", "OWNER")
    assert (red.object, blue.object, red.subject) == ("red", "blue", "Svc")
    assert red.valid_until == blue.valid_from
    assert (red.superseded_by, blue.supersedes) == (blue.id, red.id)
    assert (red.invalidated_by_event, red.invalidated_at) == ("said-blue", blue.ingested_at)
    assert (blue.superseded_by, blue.invalidated_at, blue.valid_until) == (None, None, None)
    assert (red.origin, red.origin_trust, red.state, red.is_current, blue.is_current) == (
        "user_direct", 1.0, "live", False, True,
    )  # fmt: skip
    assert engine.get_at("a", "svc", "owner", "2026-02") == red
    assert engine.get_at("a", "svc", "owner") == blue
    assert engine.get_at("a", "svc", "owner", "2025-12-31") is None
    assert engine.get_at("a", "svc", "owner", "2026-02", object="blue") is None
    assert engine.get_history("b", "svc", "owner") == []


@pytest.mark.requirement("trust.refused-claims")
@pytest.mark.parametrize("claim", [float("nan"), -0.1, 1.1, float("inf"), "1", True])
def test_a_trust_that_is_no_share_is_refused(engine: SqliteMemoryEngine, claim: float) -> None:
    with pytest.raises(InvalidInput) as refused:
        engine.store(MemoryEntry(content="x", agent_id="a"), TemporalMeta(origin_trust=claim))
    assert refused.value.field == "origin_trust"
    assert refused.value.remedy
    assert len(engine.list_recent("a")) == 0


@pytest.mark.requirement("python.public-forms")
def test_the_public_forms_are_those_documented() -> None:
    assert [field.name for field in fields(MemoryEntry)] == [
        "content", "agent_id", "id", "timestamp", "tags", "embedding", "layer", "importance", "access_count",
        "last_accessed", "source_event",
    ]  # fmt: skip
    assert [field.name for field in fields(TemporalMeta)] == [
        "subject", "predicate", "object", "valid_from", "valid_until", "confidence", "metadata", "origin",
        "origin_trust", "derived_from", "source_event",
    ]  # fmt: skip
    end = inspect.signature(SqliteMemoryEngine.end_fact)
    assert str(end).startswith("(self, agent: 'str', subject: 'str', predicate: 'str', at:")
    codes = [cls.code for cls in vars(karte.errors).values() if inspect.isclass(cls) and issubclass(cls, KarteError)]
    assert len(codes) == len(set(codes))
    error = karte.InvalidTime("not a time", field="at", value="x" * 500, remedy="give one")
    assert isinstance(error, ValueError)
    assert (error.code, error.field, error.remedy, len(error.value or "")) == ("invalid_time", "at", "give one", 80)


@pytest.mark.requirement("python.public-forms")
def test_a_memory_that_was_read_is_an_ordinary_value(engine: SqliteMemoryEngine) -> None:
    import copy
    import pickle

    engine.store(MemoryEntry(content="x", agent_id="a", id="m", tags=["t"]))
    memory = engine.get_by_id("a", "m")
    assert memory == engine.get_by_id("a", "m")
    assert copy.copy(memory) == memory
    assert pickle.loads(pickle.dumps(memory)) == memory
    assert "content='x'" in repr(memory)
    with pytest.raises(AttributeError):
        memory.colour  # type: ignore[union-attr]  # noqa: B018


@pytest.mark.requirement("python.async-same-calls")
def test_async_karte_has_every_call_of_karte() -> None:
    calls = {name for name, value in vars(Karte).items() if callable(value) and not name.startswith("_")}
    assert calls <= set(dir(AsyncKarte()))

    async def story() -> None:
        async with AsyncKarte(":memory:", agent="dudu") as memory:
            for value, start in (("red", "2026-01"), ("blue", "2026-03")):
                await memory.store_temporal(value, subject="svc", predicate="owner", object=value, valid_from=start)
            found = await asyncio.gather(*(memory.search("blue") for _ in range(20)))
            assert all([hit.object for hit in hits] == ["blue"] for hits in found)
            record = await memory.get_at("svc", "owner", "2026-02")
            assert record.object == "red"

    asyncio.run(story())


@pytest.mark.requirement("python.injected-clock-and-ids")
def test_everything_that_asks_for_now_asks_the_injected_clock(clock: FakeClock) -> None:
    ids = iter(f"id-{i}" for i in range(100))
    engine = SqliteMemoryEngine(":memory:", clock=clock, ids=lambda: next(ids))
    outcome = engine.store_temporal(
        MemoryEntry(content="x", agent_id="a"), TemporalMeta(subject="s", predicate="p", valid_until="2026-08-01")
    )
    assert outcome.id == "id-0"
    assert (outcome.valid_from, engine.now()) == (clock.now, clock.now)
    assert engine.get_at("a", "s", "p") is not None
    clock.set("2026-08-02")
    assert engine.get_at("a", "s", "p") is None
    assert engine.search("a", "x") == []
    assert len(engine.list_recent("a", include_historical=True)) == 1
