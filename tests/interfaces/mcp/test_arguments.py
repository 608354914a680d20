"""Arguments are read generously, and what cannot be meant is named."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karte.errors import InvalidInput, InvalidText, KarteError, TooMany
from karte.interfaces.mcp.arguments import Param, read_arguments, read_each
from karte.interfaces.mcp.tools import BY_NAME

pytestmark = pytest.mark.requirement("mcp.generous-input")

IDS = Param(name="ids", kind="array", says="", required=True, most=100)
LIMIT = Param(name="limit", kind="integer", says="", least=1, most=50)
CONFIDENCE = Param(name="confidence", kind="number", says="", least=0, most=1)
METADATA = Param(name="metadata", kind="object", says="")
TEXT = Param(name="text", kind="string", says="")
QUERY = Param(name="query", kind="string", says="", required=True)
EXPLAIN = Param(name="explain", kind="boolean", says="")
SINCE = Param(name="since", kind="time", says="")
LAYER = Param(name="layer", kind="string", says="", choices=("episodic", "semantic"))
ALL = (IDS, LIMIT, CONFIDENCE, METADATA, TEXT, QUERY, EXPLAIN, SINCE, LAYER)


def read_one(param: Param, value: object) -> Any:
    return read_arguments([param], {param.name: value}).get(param.name, "absent")


@pytest.mark.parametrize(
    ("sent", "meant"),
    [
        ('["m1","m2"]', ["m1", "m2"]),
        (' [ "m1" ] ', ["m1"]),
        (["m1", "m2"], ["m1", "m2"]),
        ("m1", ["m1"]),
        ("[]", []),
        ([], []),
        (5, ["5"]),
        ([5, "6"], ["5", "6"]),
        ("m1,m2", ["m1,m2"]),
        ("", [""]),
    ],
)
def test_a_list_may_come_as_json_text_or_as_one_bare_element(sent: object, meant: list[str]) -> None:
    assert read_one(IDS, sent) == meant


@pytest.mark.parametrize("sent", ['["m1"', "[m1]", True, {"a": 1}, [True], [["a"]], [None]])
def test_a_list_that_cannot_be_read_is_named(sent: object) -> None:
    with pytest.raises(InvalidInput) as raised:
        read_one(IDS, sent)
    assert raised.value.field in ("ids", "ids[0]")


@pytest.mark.parametrize("sent", [[f"m{i}" for i in range(101)], json.dumps([f"m{i}" for i in range(101)])])
def test_the_cap_holds_after_decoding(sent: object) -> None:
    with pytest.raises(TooMany) as raised:
        read_one(IDS, sent)
    assert raised.value.field == "ids"
    assert "100" in str(raised.value)


@pytest.mark.parametrize("sent", ["5", "5.0", 5, 5.0, " 5 ", "+5", "5e0"])
def test_a_whole_number_may_come_as_text_or_with_a_fraction_of_nothing(sent: object) -> None:
    read = read_one(LIMIT, sent)
    assert read == 5
    assert type(read) is int


@pytest.mark.parametrize("sent", ["ten", True, False, 5.5, "5.5", [5], {}, 0, 51, "51", 1e400, 10**400, "1" * 500])
def test_what_is_no_number_or_out_of_bounds_is_named_with_what_is_wanted(sent: object) -> None:
    with pytest.raises(InvalidInput) as raised:
        read_one(LIMIT, sent)
    assert raised.value.field == "limit"
    assert "whole number from 1 to 50" in str(raised.value)


@pytest.mark.parametrize(
    ("sent", "meant"), [("0.8", 0.8), (0.8, 0.8), (1, 1.0), ("1", 1.0), (".5", 0.5), ("5e-1", 0.5)]
)
def test_a_number_may_come_as_text(sent: object, meant: float) -> None:
    assert read_one(CONFIDENCE, sent) == meant


@pytest.mark.parametrize("sent", ["NaN", "inf", "1_0", "２", True, float("inf"), 10**400, "sure"])
def test_what_is_no_finite_number_is_named(sent: object) -> None:
    with pytest.raises(InvalidInput) as raised:
        read_one(CONFIDENCE, sent)
    assert raised.value.field == "confidence"


@pytest.mark.parametrize(("sent", "meant"), [("true", True), ("False", False), (True, True), (False, False)])
def test_a_truth_value_may_come_as_text(sent: object, meant: bool) -> None:
    assert read_one(EXPLAIN, sent) is meant


@pytest.mark.parametrize("sent", [1, 0, "yes", [True]])
def test_a_number_is_no_truth_value(sent: object) -> None:
    with pytest.raises(InvalidInput, match="true or false"):
        read_one(EXPLAIN, sent)


def test_an_object_may_come_as_json_text_and_its_texts_stay_texts() -> None:
    assert read_one(METADATA, '{"a": "[1]", "b": {"c": "5"}}') == {"a": "[1]", "b": {"c": "5"}}


@pytest.mark.parametrize(
    "sent", ["[1]", "{", "x", 5, [1], True, '{"a": NaN}', '{"a": 1e999}', '{"a":' * 200 + "1" + "}" * 200]
)
def test_an_object_that_cannot_be_read_is_named(sent: object) -> None:
    with pytest.raises(InvalidInput) as raised:
        read_one(METADATA, sent)
    assert str(raised.value.field).startswith("metadata")


@pytest.mark.parametrize("text", ['["m1"]', '{"a":1}', "5", "5.0", "true", "NULL", " null", "  "])
def test_text_that_looks_like_json_or_a_number_stays_text(text: str) -> None:
    assert read_one(TEXT, text) == text


def test_a_required_text_is_never_absent() -> None:
    assert read_one(QUERY, "null") == "null"
    assert read_one(QUERY, "") == ""


@pytest.mark.parametrize(("sent", "meant"), [(42, "42"), (1.5, "1.5"), (-1, "-1")])
def test_a_number_for_a_text_is_its_digits(sent: object, meant: str) -> None:
    assert read_one(TEXT, sent) == meant


@pytest.mark.parametrize("sent", [True, ["a"], {"a": 1}, float("inf")])
def test_what_is_no_text_is_named(sent: object) -> None:
    with pytest.raises(InvalidInput) as raised:
        read_one(TEXT, sent)
    assert raised.value.field == "text"


@pytest.mark.parametrize(
    ("sent", "meant"),
    [("2026", "2026"), ("2026-05", "2026-05"), (1_767_225_600, 1_767_225_600), ("1767225600", 1_767_225_600.0)],
)
def test_a_time_is_text_or_epoch_seconds(sent: object, meant: object) -> None:
    assert read_one(SINCE, sent) == meant


def test_a_choice_is_read_whatever_its_case() -> None:
    assert read_one(LAYER, " Semantic ") == "semantic"
    with pytest.raises(InvalidInput, match="one of episodic, semantic"):
        read_one(LAYER, "other")


@pytest.mark.parametrize(
    "param", [LIMIT, CONFIDENCE, METADATA, TEXT, EXPLAIN, SINCE, LAYER], ids=lambda each: each.name
)
@pytest.mark.parametrize("nothing", [None, "null", ""])
def test_null_and_nothing_on_an_optional_argument_mean_absent(param: Param, nothing: object) -> None:
    assert read_one(param, nothing) == "absent"


@pytest.mark.parametrize("given_", [None, {}, {"ids": None}])
def test_a_missing_argument_is_named(given_: dict[str, object] | None) -> None:
    with pytest.raises(InvalidInput) as raised:
        read_arguments([IDS, LIMIT], given_)
    assert raised.value.field == "ids"


def test_an_unknown_argument_is_refused_by_name_with_the_known_ones() -> None:
    with pytest.raises(InvalidInput) as raised:
        read_arguments(ALL, {"ids": ["a"], "query": "x", "agent_id": "eve"})
    assert raised.value.field == "agent_id"
    assert "limit" in str(raised.value.remedy)


@pytest.mark.requirement("text.surrogates-and-nul")
@pytest.mark.parametrize(
    ("param", "sent", "field"),
    [
        (TEXT, "status ok \ud83e", "text"),
        (IDS, ["a", "\ud83e"], "ids[1]"),
        (IDS, '["a", "\\ud83e"]', "ids[1]"),
        (METADATA, {"\ud83e": 1}, "metadata"),
        (METADATA, {"a": ["\udc00"]}, "metadata.a[0]"),
        (SINCE, "\ud83e", "since"),
    ],
)
def test_half_a_surrogate_pair_is_refused_by_name(param: Param, sent: object, field: str) -> None:
    with pytest.raises(InvalidText) as raised:
        read_one(param, sent)
    assert raised.value.field == field
    assert str(raised.value).encode()


@pytest.mark.requirement("text.surrogates-and-nul")
def test_a_bad_item_is_refused_by_itself() -> None:
    items = Param(name="items", kind="array", items="object", fields=(QUERY, TEXT), says="", required=True, most=5)
    sent = json.dumps(
        [{"query": "a"}, {"query": "b\ud83e"}, {"query": "c", "bad": 1}, 5, '{"query": "e"}', {"text": "f"}]
    )
    with pytest.raises(TooMany):
        read_arguments([items], {"items": sent})
    read = read_each(items, json.loads(sent))
    fields = [each.field if isinstance(each, KarteError) else each for each in read]
    assert fields == [{"query": "a"}, "items[1].query", "items[2].bad", "items[3]", {"query": "e"}, "items[5].query"]


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()) | st.just("\ud83e"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.data())
def test_whatever_is_sent_is_read_or_refused_by_name(data: st.DataObject) -> None:
    tool = BY_NAME[data.draw(st.sampled_from(sorted(BY_NAME)))]
    names = st.sampled_from([*(param.name for param in tool.params), "unknown"]) | st.text(max_size=3)
    sent = data.draw(st.dictionaries(names, anything | anything.map(lambda each: json.dumps(each, default=str))))
    read, error = attempt(tool.params, sent)
    if error is not None:
        assert error.field is not None
        assert str(error).encode()
    else:
        assert set(read) <= {param.name for param in tool.params}
        assert all(param.name in read for param in tool.params if param.required)


def attempt(params: tuple[Param, ...], sent: Mapping[str, object]) -> tuple[dict[str, Any], InvalidInput | None]:
    try:
        return read_arguments(params, sent), None
    except InvalidInput as error:
        return {}, error
