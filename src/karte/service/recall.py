"""Finding memories: by words, and the newest ones."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from karte.domain.drafts import checked_layer, checked_name, checked_tags
from karte.domain.fusion import Relevance
from karte.domain.model import Explanation, Instant, Memory, Page, SearchHit
from karte.domain.near_time import words_asked
from karte.domain.presenting import memory_of
from karte.domain.ranking import Ranked, rank, text_of
from karte.domain.stored import Filters, Place, StoredMemory
from karte.domain.text import TextQuery, matched_words, parse_query
from karte.domain.text.hyponyms import things_asked
from karte.domain.time import parse_instant, parse_known_at
from karte.domain.trust import checked_share
from karte.domain.weights import RetrievalWeights
from karte.errors import InvalidInput, InvalidText
from karte.service.gathering import Gathering
from karte.service.services import Services
from karte.service.transactions import reading, write_touches
from karte.storage.protocol import Session

if TYPE_CHECKING:
    from karte.embedding.vectors import Vectors

MOST_HITS: Final = 1_000
MOST_LISTED: Final = 1_000


def search(
    services: Services,
    agent: str,
    query: str,
    limit: int = 10,
    *,
    layer: str | None = None,
    tags: Sequence[str] = (),
    metadata: Mapping[str, Any] | None = None,
    valid_at: Instant | None = None,
    known_at: Instant | None = None,
    min_trust: float = 0.0,
    include_historical: bool = False,
    touch: bool = True,
    explain: bool = False,
) -> list[SearchHit]:
    """The memories that answer a query, best first; every filter acts before the first are taken."""
    if not isinstance(query, str):
        raise InvalidText("not text", field="query", value=query, remedy="give text")
    most = checked_limit(limit, MOST_HITS)
    words = storable(query)
    wanted = _checked_metadata(metadata)
    given = _given(agent, layer, tags, valid_at, known_at, min_trust, include_historical)
    meaning = None if known_at is not None else _meaning(services, words)  # before the snapshot: it may take its time
    with reading(services) as session:
        filters = _at_now(given, session)
        asked = _asked(services, session, words, filters)
        gathering = Gathering(
            services=services,
            session=session,
            query=words,
            asked=asked,
            things=_things(services.weights, words, asked, filters),
            filters=filters,
            wanted=wanted,
            limit=most,
            meaning=meaning,
        )
        ranked = rank(gathering.found(), most, services.weights, asked, gathering)
        now = session.now
    if services.vectors is not None and gathering.new_names is not None:
        services.vectors.keep_names(services.store, gathering.new_names)
    if known_at is None:
        for each in ranked:
            each.memory = services.touches.shown(each.memory)
    hits = [_hit(each, now, asked, gathering if explain else None) for each in ranked]
    if touch and hits and known_at is None and not services.store.is_read_only:
        touch_quietly(services, [hit.memory.id for hit in hits], now)
    return hits


def list_recent(
    services: Services,
    agent: str,
    limit: int = 50,
    *,
    layer: str | None = None,
    tags: Sequence[str] = (),
    valid_at: Instant | None = None,
    known_at: Instant | None = None,
    include_historical: bool = False,
    cursor: str | None = None,
) -> Page[Memory]:
    """The newest memories, a page at a time; each stands on one page, also while more arrive."""
    most = checked_limit(limit, MOST_LISTED)
    place = None if cursor is None else read_cursor(cursor)
    given = _given(agent, layer, tags, valid_at, known_at, 0.0, include_historical)
    with reading(services) as session:
        filters = _at_now(given, session)
        if filters.known_at is None:
            found = [services.touches.shown(each) for each in session.memories.newest(filters, most + 1, place)]
            total: int | Callable[[], int] = partial(_count, services, filters)
        else:
            known = sorted(session.memories.known(filters), key=_newest_first, reverse=True)
            found = [m for m in known if place is None or _newest_first(m) < _key(place)]
            total = len(known)
        now = session.now
    shown, rest = found[:most], found[most:]
    following = write_cursor(Place(shown[-1].timestamp, shown[-1].ordinal)) if rest else None
    return Page([memory_of(stored, now) for stored in shown], following, total)


def _count(services: Services, filters: Filters) -> int:
    with reading(services) as session:
        return session.memories.count(filters)


def _newest_first(memory: StoredMemory) -> tuple[str, int]:
    return memory.timestamp, memory.ordinal


def _key(place: Place) -> tuple[str, int]:
    return place.timestamp, place.ordinal


def touch_quietly(services: Services, ids: Sequence[str], now: str) -> None:
    """Counts memories as accessed, with the next write; the read that it follows never waits and never fails."""
    if services.touches.note(ids, now):
        write_touches(services)


def checked_limit(limit: object, most: int) -> int:
    """How many are asked for: 1 to ``most``; more is taken as ``most``."""
    if isinstance(limit, bool) or not isinstance(limit, int) or limit < 1:
        raise InvalidInput(
            "not a number of results", field="limit", value=limit, remedy=f"give 1 or more; at most {most:,} are given"
        )
    return min(limit, most)


def storable(query: str) -> str:
    """The query without what no memory can hold: NULs and halves of surrogate pairs."""
    return query.encode("utf-8", "replace").decode("utf-8").replace("\x00", " ")


def _asked(services: Services, session: Session, query: str, filters: Filters) -> TextQuery:
    """What of the query the index is asked for; where time counts, not the numerals of days that it names."""
    is_dated = services.weights.w_time > 0.0 and filters.known_at is None
    words = words_asked(query, filters.valid_at or session.now) if is_dated else query
    return parse_query(words, foreign=session.index.has_foreign_stems())


def _things(weights: RetrievalWeights, query: str, asked: TextQuery, filters: Filters) -> TextQuery:
    """What else it is asked for; an earlier belief is looked for by the words of the query."""
    return things_asked(query, asked) if weights.w_kind > 0.0 and filters.known_at is None else TextQuery()


def _meaning(services: Services, query: str) -> Vectors | None:
    """The vector of the query, where anything asks for it."""
    is_asked_for = services.weights.w_vector > 0.0 or services.weights.graph_embed_seed
    return services.vectors.of_query(query) if services.vectors is not None and is_asked_for else None


def _hit(ranked: Ranked, now: str, asked: TextQuery, gathering: Gathering | None) -> SearchHit:
    explanation = None
    if gathering is not None:
        ordinal = ranked.memory.ordinal
        gathering = gathering.that_found(ordinal, ranked.text)
        worth = gathering.relevance.get(ordinal) or Relevance(text=ranked.text)
        explanation = Explanation(
            text=worth.text,
            vector=worth.vector,
            graph=worth.graph,
            structure=worth.structure,
            recency=worth.recency,
            importance=worth.importance,
            trust=ranked.trust,
            terms=matched_words(asked, text_of(ranked.memory)),
            things=matched_words(gathering.things, text_of(ranked.memory)),
            path=gathering.walked.path(ordinal) if gathering.walked is not None else (),
            relations=gathering.walked.relations(ordinal) if gathering.walked is not None else (),
            asked=gathering.walked.asked(ordinal, gathering.query) if gathering.walked is not None else (),
            moves=ranked.moves,
            folded=tuple(ranked.folded),
        )
    return SearchHit(
        memory=memory_of(ranked.memory, now), score=ranked.score, similar=len(ranked.folded), explain=explanation
    )


def _given(
    agent: str,
    layer: str | None,
    tags: Sequence[str],
    valid_at: Instant | None,
    known_at: Instant | None,
    min_trust: float,
    include_historical: bool,
) -> Filters:
    return Filters(
        agent_id=checked_name(agent, "agent"),
        valid_at=None if valid_at is None else parse_instant(valid_at, "valid_at"),
        is_now=valid_at is None,
        known_at=None if known_at is None else parse_known_at(known_at),
        layer=None if layer is None else checked_layer(layer),
        tags=checked_tags(tags),
        min_trust=checked_share(min_trust, "min_trust"),
        include_historical=include_historical,
    )


def _at_now(filters: Filters, session: Session) -> Filters:
    """The filters with the present instant where the caller named none."""
    return filters if filters.valid_at is not None else replace(filters, valid_at=session.now)


def _checked_metadata(metadata: Mapping[str, Any] | None) -> Mapping[str, Any]:
    if metadata is None:
        return {}
    if not isinstance(metadata, Mapping):
        raise InvalidInput("not a JSON object", field="metadata", value=metadata, remedy='use {"key": "value"}')
    return metadata


def write_cursor(place: Place) -> str:
    """An opaque mark of where a page ended."""
    text = json.dumps([place.timestamp, place.ordinal])
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def read_cursor(cursor: str) -> Place:
    """Where the page before ended."""
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        timestamp, ordinal = json.loads(base64.urlsafe_b64decode(padded.encode("ascii")))
        if isinstance(timestamp, str) and isinstance(ordinal, int):
            return Place(timestamp, ordinal)
    except (ValueError, TypeError, AttributeError, binascii.Error):
        pass
    raise InvalidInput("not a cursor of ours", field="cursor", value=cursor, remedy="pass next_cursor unchanged")
