"""What each tool does: read values in, the engine's answer in the shape of its results out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from karte.domain.entities import normalise
from karte.domain.model import Memory, MemoryEntry, SearchHit, StoreOutcome, TemporalMeta, TemporalRecord
from karte.domain.scopes import Principal
from karte.domain.time import parse_instant
from karte.errors import AmbiguousValue, KarteError
from karte.interfaces import records
from karte.interfaces.mcp.arguments import Param, Values, read_each
from karte.interfaces.mcp.cardinality import declared_for, refuse_strangers
from karte.interfaces.mcp.cursors import (
    LONGEST_CURSOR,
    Walk,
    Walks,
    fingerprint,
    make_cursor,
    not_a_cursor,
    read_cursor,
)
from karte.interfaces.mcp.results import (
    ROOM,
    Placed,
    cost,
    cut,
    fill,
    fit_list,
    fit_outcome,
    fit_outcomes,
    trimmed,
)
from karte.interfaces.page_records import page_hit
from karte.interfaces.records import JsonObject

if TYPE_CHECKING:
    from karte.engine import MemoryEngine

FETCHED_AT_ONCE = 100
LONGEST_ECHO = 10_000  # bytes
MOST_PAGES = 5
"""Knowledge pages beside the hits of a search."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """What a call works with: the engine, on whose behalf, and the walks that are under way."""

    engine: MemoryEngine
    principal: Principal
    walks: Walks

    @property
    def agent(self) -> str:
        """Whose memory it is."""
        return self.principal.agent


# --- writing -----------------------------------------------------------------------------------


def store(desk: Desk, values: Values) -> JsonObject:
    """``memory_store``."""
    with declared_for(desk.engine, desk.principal, [values]):
        entry, meta = _written(desk, values)
        is_fact = meta.subject is not None or meta.predicate is not None
        outcome = desk.engine.store_temporal(entry, meta) if is_fact else desk.engine.store(entry, meta)
    return fit_outcome(records.store_outcome(outcome))


def store_batch(desk: Desk, values: Values, items: Param) -> JsonObject:
    """``memory_store_batch``: items that cannot be read are refused by themselves."""
    read = read_each(items, values["items"])
    wanted = [each for each in read if not isinstance(each, KarteError)]
    with declared_for(desk.engine, desk.principal, wanted, each_by_itself=True) as denied:
        accepted = [each for each in wanted if id(each) not in denied]
        written = iter(desk.engine.store_many([_written(desk, each) for each in accepted]))
    outcomes = [
        _refused(each) if isinstance(each, KarteError)
        else _refused(denied[id(each)]) if id(each) in denied
        else next(written)
        for each in read
    ]  # fmt: skip
    return fit_outcomes(records.store_batch(outcomes), "results")


def end_fact(desk: Desk, values: Values) -> JsonObject:
    """``memory_end_fact``."""
    outcome = desk.engine.end_fact(
        desk.agent,
        values["subject"],
        values["predicate"],
        values.get("at"),
        values.get("source_event", ""),
        object=values.get("object"),
        origin=desk.principal.origin,
    )
    return fit_list(records.end_outcome(outcome), "ended")


def alias_add(desk: Desk, values: Values) -> JsonObject:
    """``memory_alias_add``: the pair as stored, where chains are flattened."""
    canonical, alias = values["canonical"], values["alias"]
    refuse_strangers(desk.principal)
    desk.engine.add_alias(desk.agent, canonical, alias, origin=desk.principal.origin)
    wanted = normalise(alias)
    listed = (each for each in desk.engine.list_aliases(desk.agent) if normalise(each.alias) == wanted)
    stored = next(listed, None)
    if stored is None:  # a name of itself is no alias
        return {"canonical": cut(normalise(canonical), LONGEST_ECHO), "alias": cut(wanted, LONGEST_ECHO)}
    return {"canonical": cut(stored.canonical, LONGEST_ECHO), "alias": cut(stored.alias, LONGEST_ECHO)}


def _written(desk: Desk, values: Values) -> tuple[MemoryEntry, TemporalMeta]:
    is_fact = "subject" in values and "predicate" in values
    entry = MemoryEntry(
        content=values["content"],
        agent_id=desk.agent,
        tags=values.get("tags", ()),
        layer=values.get("layer", "semantic" if is_fact else "episodic"),
        importance=values.get("importance", 5.0),
        source_event=values.get("source_event", ""),
    )
    meta = TemporalMeta(
        subject=values.get("subject"),
        predicate=values.get("predicate"),
        object=values.get("object"),
        valid_from=values.get("valid_from"),
        valid_until=values.get("valid_until"),
        confidence=values.get("confidence", 1.0),
        metadata=values.get("metadata", {}),
        derived_from=values.get("derived_from", ()),
        origin=desk.principal.origin,
    )
    return entry, meta


def _refused(error: KarteError) -> StoreOutcome:
    return StoreOutcome(status="refused", error=error)


# --- reading -----------------------------------------------------------------------------------


def search(desk: Desk, values: Values) -> JsonObject:
    """``memory_search``: hits best first; the pages of one search go over the hits that it had."""
    asked = {"tool": "memory_search", "agent": desk.agent, "query": values["query"]}
    if "cursor" in values:
        name, start = _position(asked, values["cursor"], 2)
        walk = desk.walks.get(name)
        placed = _still_standing(desk, walk, start)
    else:
        name = None
        walk = Walk(tuple(_hits(desk, values)), is_as_of="valid_at" in values or "known_at" in values)
        placed = ((i, records.hit_record(hit)) for i, hit in enumerate(walk.hits, 1))
    pages = _pages(desk, values) if values.get("pages", False) and "cursor" not in values else {}
    taken, rest = fill(placed, ROOM - cost(pages))
    result = {"memories": taken, "total": len(walk.hits), "truncated": rest is not None, **pages}
    if rest is None:
        return result
    return {**result, "next_cursor": make_cursor(asked, (name or desk.walks.keep(walk), rest))}


def _pages(desk: Desk, values: Values) -> JsonObject:
    """The knowledge pages that answer too, where they are asked for."""
    hits = desk.engine.search_pages(desk.agent, values["query"], MOST_PAGES)
    return {"pages": [page_hit(hit) for hit in hits]}


def _hits(desk: Desk, values: Values) -> Sequence[SearchHit]:
    return desk.engine.search(
        desk.agent,
        values["query"],
        values.get("limit", 10),
        layer=values.get("layer"),
        tags=values.get("tags", ()),
        valid_at=values.get("valid_at"),
        known_at=values.get("known_at"),
        min_trust=values.get("min_trust", 0.0),
        explain=values.get("explain", False),
    )


def _still_standing(desk: Desk, walk: Walk, start: int) -> Iterator[Placed]:
    """The hits from there on, as they are now; what fell since the search is left out."""
    for first in range(start, len(walk.hits), FETCHED_AT_ONCE):
        some = walk.hits[first : first + FETCHED_AT_ONCE]
        found = desk.engine.get_by_ids(desk.agent, [hit.memory.id for hit in some]).memories
        now = {memory.id: memory for memory in found}
        for position, hit in enumerate(some, first + 1):
            memory = now.get(hit.memory.id)
            if memory is None or memory.state != hit.memory.state:
                continue
            if walk.is_as_of:
                yield position, records.hit_record(hit)
            elif memory.is_current:
                yield position, records.hit_record(replace(hit, memory=memory))


def read(desk: Desk, values: Values) -> JsonObject:
    """``memory_read``: one memory whole; a long content in parts."""
    asked = {"tool": "memory_read", "agent": desk.agent, "id": values["id"]}
    memory = desk.engine.get_by_id(desk.agent, values["id"])
    if memory is None:
        return records.read_result(None)
    offset = 0
    if "cursor" in values:
        offset, version = _position(asked, values["cursor"], 2)
        if version != fingerprint(memory.content):
            raise not_a_cursor("the content has changed since")
    result = records.read_result(memory)
    whole = result["memory"]
    envelope = cost({**result, "memory": {}}) + LONGEST_CURSOR
    part = trimmed({**whole, "content": whole["content"][offset:]}, ROOM - envelope)
    given = len(part["content"])
    if offset or given < len(whole["content"]):
        part["content_truncated"] = True
        result |= {"content_offset": offset, "content_length": len(whole["content"])}
    if offset + given < len(whole["content"]):
        result["next_cursor"] = make_cursor(asked, (offset + max(given, 1), fingerprint(memory.content)))
    return {**result, "memory": part}


def fetch_batch(desk: Desk, values: Values) -> JsonObject:
    """``memory_fetch_batch``: in the order asked, each id once; missing ones by name."""
    ids = values["ids"]
    asked = {"tool": "memory_fetch_batch", "agent": desk.agent, "ids": ids}
    (start,) = _position(asked, values["cursor"], 1) if "cursor" in values else (0,)
    fetched = desk.engine.get_by_ids(desk.agent, ids)
    found = {memory.id: memory for memory in fetched.memories}
    distinct = list(dict.fromkeys(ids))
    taken, rest = fill(_found_or_missing(distinct, found, start), ROOM)
    result = {
        "memories": [each for each in taken if isinstance(each, dict)],
        "missing_ids": [each for each in taken if isinstance(each, str)],
        "total_found": fetched.total_found,
        "total_missing": fetched.total_missing,
        "truncated": rest is not None,
    }
    return result if rest is None else {**result, "next_cursor": make_cursor(asked, (rest,))}


def _found_or_missing(ids: Sequence[str], found: Mapping[str, Memory], start: int) -> Iterator[Placed]:
    for i, each in enumerate(ids[start:], start + 1):
        yield i, records.memory_record(found[each]) if each in found else each


def get_history(desk: Desk, values: Values) -> JsonObject:
    """``memory_get_history``: every stretch, oldest first."""
    asked = {"tool": "memory_get_history", "agent": desk.agent, **_asked_fact(values)}
    stretches = desk.engine.get_history(
        desk.agent,
        values["subject"],
        values["predicate"],
        object=values.get("object"),
        known_at=values.get("known_at"),
    )
    named = dict(zip(("subject", "predicate"), _named(values), strict=True))
    return {**named, **_page_of(asked, stretches, values.get("cursor"), ROOM - cost(named))}


def get_at(desk: Desk, values: Values) -> JsonObject:
    """``memory_get_at``: one ``record``, or ``records`` where the predicate may have many values."""
    at = values.get("at")
    moment = desk.engine.now() if at is None else parse_instant(at, "at")
    found, is_many = _holding(desk, values, moment if at is None else at)
    if not is_many:
        result = records.at_result(*_named(values), moment, found)
        if found:
            result["record"] = trimmed(result["record"], ROOM - cost({**result, "record": {}}))
        return result
    asked = {"tool": "memory_get_at", "agent": desk.agent, "at": at, **_asked_fact(values)}
    named = {**records.at_result(*_named(values), moment, ()), "found": bool(found)}
    return {**named, **_page_of(asked, found, values.get("cursor"), ROOM - cost(named))}


def _holding(desk: Desk, values: Values, at: Any) -> tuple[Sequence[TemporalRecord], bool]:
    agent, subject, predicate = desk.agent, values["subject"], values["predicate"]
    object_, known_at = values.get("object"), values.get("known_at")
    if object_ is not None or not _is_many(desk, predicate):
        try:
            record = desk.engine.get_at(agent, subject, predicate, at, object=object_, known_at=known_at)
        except AmbiguousValue:  # it was declared so at known_at
            pass
        else:
            return ([] if record is None else [record]), False
    return desk.engine.get_all_at(agent, subject, predicate, at, known_at=known_at), True


def _is_many(desk: Desk, predicate: str) -> bool:
    declared = desk.engine.list_predicates(desk.agent)
    wanted = normalise(predicate)
    return any(cardinality == "many" and normalise(name) == wanted for name, cardinality in declared.items())


def alias_list(desk: Desk, values: Values) -> JsonObject:
    """``memory_alias_list``."""
    del values
    return fit_list(records.alias_list(desk.engine.list_aliases(desk.agent)), "aliases")


# --- pages -------------------------------------------------------------------------------------


def _named(values: Values) -> tuple[str, str]:
    """Subject and predicate as a reply repeats them; a name as long as a page is cut."""
    return cut(values["subject"], LONGEST_ECHO), cut(values["predicate"], LONGEST_ECHO)


def _asked_fact(values: Values) -> dict[str, object]:
    return {name: values.get(name) for name in ("subject", "predicate", "object", "known_at")}


def _page_of(
    asked: Mapping[str, Any], stretches: Sequence[TemporalRecord], cursor: str | None, room: int
) -> JsonObject:
    """A page of a list in which rows may appear between two pages: it goes on after the last row given."""
    start = 0
    if cursor is not None:
        last, count = _position(asked, cursor, 2)
        given = (i for i, stretch in enumerate(stretches, 1) if fingerprint(stretch.id) == last)
        start = next(given, min(count, len(stretches)))
    placed = ((i, records.memory_record(each)) for i, each in enumerate(stretches[start:], start + 1))
    taken, rest = fill(placed, room)
    result: JsonObject = {"records": taken, "total": len(stretches), "truncated": rest is not None}
    if rest is None:
        return result
    return {**result, "next_cursor": make_cursor(asked, (fingerprint(stretches[rest - 1].id), rest))}


def _position(asked: Mapping[str, Any], cursor: str, parts: int) -> list[Any]:
    position = read_cursor(asked, cursor)
    if len(position) != parts:
        raise not_a_cursor()
    return position
