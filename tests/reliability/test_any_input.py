"""Any text and any JSON in every field of every door: it works, or it is an error of ours that names a field."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

import karte
from karte import Karte, MemoryEntry, TemporalMeta
from tests.reliability.health import check, check_says, config, opened
from tests.reliability.odd import (
    DOORS,
    ENTRY_FIELDS,
    META_FIELDS,
    ODD_TEXTS,
    ODD_VALUES,
    anything,
    furnish,
    odd_calls,
)

pytestmark = pytest.mark.requirement("python.public-forms")

PARTNERS = {
    "valid_from": ("valid_until",),
    "timestamp": ("valid_until",),
    "at": ("valid_from",),
    "source_event": ("event",),
}
OTHER_NAMES = {"agent_id": "agent", "ids": "id"}


def _attempt(engine: karte.MemoryEngine, name: str, arguments: dict[str, Any]) -> karte.KarteError | None:
    """The error of a call, which must be one of ours and name a field."""
    try:
        answer = DOORS[name].call(engine, **arguments)
    except karte.KarteError as error:
        check_says(error)
        return error
    if name == "store_many":
        assert len(answer) == 2
        assert answer[1].status == "stored", "the other item is stored all the same"
        refused: karte.KarteError | None = answer[0].error
        assert refused is None or refused.field
        return refused
    return None


@pytest.mark.slow
@settings(max_examples=400)
@given(odd_calls())
def test_any_value_in_any_field_works_or_is_an_error_that_names_a_field(call: tuple[str, dict[str, Any]]) -> None:
    name, arguments = call
    with karte.SqliteMemoryEngine(":memory:", config=config()) as engine:
        furnish(engine)
        _attempt(engine, name, arguments)
        assert engine.doctor().findings == ()
        assert engine.store(MemoryEntry(content="afterwards")).status == "stored"
        assert engine.get_by_id("other", "foreign") is not None, "nobody else's memory is touched"


def _every_field() -> Iterator[Any]:
    for name, door in DOORS.items():
        for field in door.arguments:
            yield pytest.param(name, field, id=f"{name}-{field}")


@pytest.mark.parametrize(("name", "field"), list(_every_field()))
def test_every_field_of_every_door_takes_or_refuses_every_odd_value(name: str, field: str, db_path: Path) -> None:
    refused = 0
    with opened(db_path) as engine:
        furnish(engine)
        for value in (*ODD_TEXTS, *ODD_VALUES):
            arguments = {**DOORS[name].arguments, field: value}
            error = _attempt(engine, name, arguments)
            if isinstance(error, karte.InvalidInput):
                refused += 1
                named = field.removeprefix("meta_")
                right = {named, OTHER_NAMES.get(named, named), *PARTNERS.get(named, ())}
                assert error.field in right or (name, error.field) == ("end_fact", "at"), (value, error)
        report = engine.doctor()
        assert report.findings == ()
    assert refused > 0 or field == "include_historical", "some of these cannot be meant"
    check(db_path)


@pytest.mark.parametrize("field", sorted({*ENTRY_FIELDS, *META_FIELDS} - {"agent_id"}))
def test_the_door_of_karte_refuses_by_the_same_names(field: str, db_path: Path) -> None:
    with Karte(db_path, config=config()) as memory:
        for value in (*ODD_TEXTS, *ODD_VALUES):
            fields: dict[str, Any] = {"content": "a note", "subject": "it", "predicate": "is", field: value}
            try:
                memory.store(**fields)
            except karte.KarteError as error:
                check_says(error)
    check(db_path)


@pytest.mark.parametrize("agent", [*ODD_TEXTS, 1, None, b"x"])
def test_an_odd_agent_or_origin_is_refused_when_the_memory_is_opened_or_works(agent: Any, db_path: Path) -> None:
    for named in ({"agent": agent}, {"origin": agent}):
        try:
            with Karte(db_path, config=config(), **named) as memory:
                memory.store("a note")
                assert len(memory.list_recent()) >= 1
        except karte.KarteError as error:
            check_says(error, "agent", "agent_id", "origin")


@settings(max_examples=100)
@given(anything)
def test_any_item_in_a_batch_is_refused_by_itself(item: Any) -> None:
    with Karte(":memory:", config=config()) as memory:
        outcomes = memory.store_many(["first", item, "last"])
        assert len(outcomes) == 3
        assert [outcomes[0].status, outcomes[2].status] == ["stored", "stored"]
        assert outcomes[1].error is None or outcomes[1].error.field is not None
        engine_outcomes = memory.engine.store_many([MemoryEntry(content="first"), item, MemoryEntry(content="last")])
        assert [engine_outcomes[0].status, engine_outcomes[2].status] == ["stored", "stored"]
        assert memory.doctor().findings == ()


def test_what_is_no_list_of_items_is_refused_by_name(db_path: Path) -> None:
    with Karte(db_path, config=config()) as memory:
        items: Any
        for items in (None, 5, object()):
            for call in (memory.store_many, memory.engine.store_many):
                with pytest.raises(karte.KarteError) as caught:
                    call(items)
                assert caught.value.field == "items"
        pairs: list[tuple[Any, Any]] = [(None, TemporalMeta()), ("text", TemporalMeta())]
        pairs += [(MemoryEntry(content="x"), "meta"), (MemoryEntry(content="x"), {"subject": "it"})]
        for entry, meta in pairs:
            for store in (memory.engine.store, memory.engine.store_temporal):
                with pytest.raises(karte.KarteError) as refused:
                    store(entry, meta)
                assert refused.value.field
        assert memory.list_recent().items == ()
    check(db_path)


# ------------------------------------------------------------------------------------------- FB-31, by its letter

HALF = "status ok \ud83e"


@pytest.mark.requirement("batch.as-asked")
@pytest.mark.parametrize("bad", [HALF, "a \x00 b"])
def test_a_bad_text_in_any_field_of_the_third_of_five_is_refused_and_the_other_four_are_stored(
    bad: str, db_path: Path
) -> None:
    fields = ["content", "subject", "predicate", "object", "origin", "source_event"]
    with Karte(db_path, config=config()) as memory:
        for field in fields:
            items: list[dict[str, Any]] = [
                {"content": f"{field} {n}", "subject": f"{field} {n}", "predicate": "is", "object": "good"}
                for n in range(5)
            ]
            items[2][field] = bad
            _refuses_the_third(memory, items, field)
        for name, value in (("tags", [bad]), ("derived_from", [bad]), ("metadata", {bad: 1}), ("metadata", {"a": bad})):
            items = [{"content": f"{name} {n}"} for n in range(5)]
            items[2][name] = value
            _refuses_the_third(memory, items, name)
        items = [{"content": f"deep {n}"} for n in range(5)]
        items[2]["metadata"] = {"a": [{"b": bad}]}
        _refuses_the_third(memory, items, "metadata")
        assert memory.search(bad) is not None
    check(db_path)


def _refuses_the_third(memory: Karte, items: list[dict[str, Any]], field: str) -> None:
    outcomes = memory.store_many(items)
    assert [outcome.status for outcome in outcomes] == ["stored", "stored", "refused", "stored", "stored"]
    error = outcomes[2].error
    assert error is not None
    assert error.field == field
    assert str(error).encode("utf-8")


def test_a_mark_of_byte_order_and_the_last_letter_of_the_plane_are_kept_and_found(db_path: Path) -> None:
    with Karte(db_path, config=config()) as memory:
        for letter in ("\ufeff", "\uffff", "\ufffd", "\U0010ffff", "\u2028"):
            text = f"{letter}alpha{ord(letter)} {letter} omega{ord(letter)}{letter}"
            stored = memory.store_temporal(
                text, subject=f"s{letter}x{ord(letter)}", predicate="p", object=text, metadata={f"k{letter}": letter}
            )
            found = memory.get_by_id(str(stored.id))
            assert found is not None
            assert (found.content, found.object, found.metadata) == (text, text, {f"k{letter}": letter})
            assert memory.search(f"omega{ord(letter)}")[0].id == stored.id, "the text after it is found"
            assert memory.get_at(f"s{letter}x{ord(letter)}", "p") is not None
    check(db_path)
