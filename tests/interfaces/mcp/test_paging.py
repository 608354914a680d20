"""Large answers come in bounded pages that give each row once, also while rows are added."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from karte.interfaces.mcp.results import LARGEST_REPLY
from tests.interfaces.mcp.wire import Wire, serving

pytestmark = pytest.mark.requirement("mcp.bounded-replies")


@pytest.fixture
def wire(db_path: Path) -> Iterator[Wire]:
    with serving(db_path) as started:
        yield started
        assert max(len(line) for line in started.lines) < LARGEST_REPLY


def store_all(wire: Wire, items: list[dict[str, Any]]) -> list[str]:
    ids = []
    for i in range(0, len(items), 100):
        results = wire.call("memory_store_batch", items=items[i : i + 100])["results"]
        ids += [each["id"] for each in results]
    return ids


def walk(wire: Wire, tool: str, meanwhile: Any = None, **arguments: Any) -> Iterator[dict[str, Any]]:
    """The pages of an answer; `meanwhile` is called between two."""
    page = wire.call(tool, **arguments)
    yield page
    while "next_cursor" in page:
        assert page["truncated"] is True
        if meanwhile is not None:
            meanwhile()
        page = wire.call(tool, **{**arguments, "cursor": page["next_cursor"]})
        yield page
    assert page.get("truncated", False) is False


@pytest.mark.parametrize("letter", ["x", "東"])
def test_a_search_with_long_hits_gives_each_once_while_rows_are_added(wire: Wire, letter: str) -> None:
    ids = store_all(wire, [{"content": f"topic {i} " + letter * 4_000} for i in range(300)])

    def add() -> None:
        wire.call("memory_store", content=f"topic topic topic {letter * 50}")

    pages = list(walk(wire, "memory_search", add, query="topic", limit=50))
    given = [each["id"] for page in pages for each in page["memories"]]
    assert len(pages) > 1
    assert {page["total"] for page in pages} == {50}
    assert len(given) == len(set(given)) == 50
    assert set(given) <= set(ids)
    every = [
        each["id"] for page in walk(wire, "memory_search", query="topic", limit=1_000) for each in page["memories"]
    ]
    assert len(every) == len(set(every))
    assert set(ids) <= set(every)


def test_a_hit_that_is_no_longer_true_is_left_out_of_later_pages(wire: Wire) -> None:
    fact = {"predicate": "p", "valid_from": "2026-01-01"}
    store_all(wire, [{**fact, "content": f"topic {i} " + "x" * 8_000, "subject": f"s{i}"} for i in range(30)])
    first = wire.call("memory_search", query="topic", limit=30)
    shown = {each["subject"] for each in first["memories"]}
    ended, *others = sorted({f"s{i}" for i in range(30)} - shown)
    wire.call("memory_end_fact", subject=ended, predicate="p")
    later = []
    page = first
    while "next_cursor" in page:
        page = wire.call("memory_search", query="topic", cursor=page["next_cursor"])
        later += [each["subject"] for each in page["memories"]]
    assert sorted(later) == others


def test_a_long_history_gives_each_stretch_once_and_in_order_while_values_are_added(wire: Wire) -> None:
    fact = {"subject": "sensor", "predicate": "reading"}
    values = [
        {**fact, "content": f"Reading {i} {'東' * 40}", "object": str(i), "valid_from": 1_600_000_000 + i * 60}
        for i in range(2_000)
    ]
    ids = store_all(wire, values)
    added = iter(range(2_000, 3_000))

    def add() -> None:
        i = next(added)
        early = 1_600_000_000 - i
        for valid_from in (early, 1_600_000_000 + i * 60):
            wire.call("memory_store", **fact, content=f"Reading {valid_from}", valid_from=valid_from)

    pages = list(walk(wire, "memory_get_history", add, **fact))
    given = [each["id"] for page in pages for each in page["records"]]
    starts = [each["valid_from"] for page in pages for each in page["records"]]
    assert len(pages) > 5
    assert len(given) == len(set(given))
    assert set(ids) <= set(given)
    assert starts == sorted(starts)
    assert pages[0]["total"] == 2_000


def test_a_batch_of_long_memories_comes_in_pages(wire: Wire) -> None:
    ids = store_all(wire, [{"content": f"{i} " + "東" * 4_000} for i in range(60)])
    asked = [each for pair in zip(ids, [f"missing {i}" for i in range(40)], strict=False) for each in pair] + ids[40:]
    pages = list(walk(wire, "memory_fetch_batch", ids=asked))
    assert len(pages) > 1
    assert [each["id"] for page in pages for each in page["memories"]] == ids
    assert [each for page in pages for each in page["missing_ids"]] == [f"missing {i}" for i in range(40)]
    assert {(page["total_found"], page["total_missing"]) for page in pages} == {(60, 40)}


@pytest.mark.parametrize("letter", ["x", "東", "👨\u200d👩\u200d👧", '"'])
def test_a_content_larger_than_a_reply_is_read_in_whole_parts(wire: Wire, letter: str) -> None:
    content = letter * (150_000 // len(letter))
    stored = wire.call("memory_store", content=content)
    (hit,) = wire.call("memory_fetch_batch", ids=[stored["id"]])["memories"]
    assert hit["content_truncated"] is True
    assert content.startswith(hit["content"])
    parts: list[str] = []
    page = wire.call("memory_read", id=stored["id"])
    while True:
        part = page["memory"]["content"]
        assert page["memory"]["content_truncated"] is True
        assert page["content_offset"] == sum(len(each) for each in parts)
        assert len(part) % len(letter) == 0
        parts.append(part)
        if "next_cursor" not in page:
            break
        page = wire.call("memory_read", id=stored["id"], cursor=page["next_cursor"])
    assert "".join(parts) == content


def test_ids_of_ten_thousand_letters_are_missing_and_the_reply_stays_small(wire: Wire) -> None:
    ids = ["x" * 9_990 + f"{i:010}" for i in range(100)]
    given = [each for page in walk(wire, "memory_fetch_batch", ids=ids) for each in page["missing_ids"]]
    assert given == ids
    odd = ["\x01" * 20_000]
    (cut,) = wire.call("memory_fetch_batch", ids=odd)["missing_ids"]
    assert odd[0].startswith(cut)


def test_long_names_are_not_repeated_whole(wire: Wire) -> None:
    fact = {"subject": "東" * 9_000, "predicate": "西" * 9_000, "object": "南" * 9_000}
    stored = wire.call("memory_store", **fact, content="北" * 50_000, valid_from="2026-01-01")
    for tool, key in (("memory_get_history", "records"), ("memory_get_at", "record")):
        answer = wire.call(tool, subject=fact["subject"], predicate=fact["predicate"])
        record = answer[key][0] if key == "records" else answer[key]
        assert record["id"] == stored["id"]
        assert record["content_truncated"] is True
        assert record["omitted"]
        assert fact["subject"].startswith(answer["subject"])


def test_many_values_at_one_instant_come_in_pages(wire: Wire) -> None:
    fact = {"subject": "ada", "predicate": "knows", "cardinality": "many", "valid_from": "2026-01-01"}
    store_all(wire, [{**fact, "content": f"Ada knows {i} " + "x" * 2_000, "object": f"person {i}"} for i in range(80)])
    pages = list(walk(wire, "memory_get_at", subject="ada", predicate="knows", at="2026-02-01"))
    given = [each["object"] for page in pages for each in page["records"]]
    assert len(pages) > 1
    assert sorted(given) == sorted(f"person {i}" for i in range(80))


def test_a_cursor_of_another_question_is_refused_by_name(wire: Wire) -> None:
    store_all(wire, [{"content": f"topic {i} " + "x" * 8_000} for i in range(20)])
    cursor = wire.call("memory_search", query="topic", limit=20)["next_cursor"]
    for arguments in ({"query": "other", "cursor": cursor}, {"query": "topic", "cursor": "nonsense"}):
        assert wire.failed("memory_search", **arguments)["field"] == "cursor"
    assert wire.failed("memory_get_history", subject="s", predicate="p", cursor=cursor)["field"] == "cursor"


def test_a_search_of_another_time_is_walked_as_it_was_then(wire: Wire) -> None:
    fact = {"predicate": "p", "valid_from": "2026-01-01", "valid_until": "2026-02-01"}
    store_all(wire, [{**fact, "content": f"topic {i} " + "x" * 8_000, "subject": f"s{i}"} for i in range(30)])
    assert wire.call("memory_search", query="topic", limit=30)["memories"] == []
    pages = list(walk(wire, "memory_search", query="topic", limit=30, valid_at="2026-01-15"))
    assert len(pages) > 1
    given = [each["subject"] for page in pages for each in page["memories"]]
    assert sorted(given) == sorted(f"s{i}" for i in range(30))
