"""Distillation: what is worth keeping of a conversation becomes facts, a document in it becomes a page.

First everything is found, then it is stored; so an extractor that fails has changed nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from karte.domain.distilling import (
    DEFAULT_ORIGIN,
    DISTILL_EVENT,
    DISTILLED_LAYER,
    DISTILLED_TRUST,
    MANY_VALUED,
    Distilled,
    DistillReport,
    ExtractedFact,
    SpokenTurn,
    at_most_a_turn,
    turns_of,
    what_is_wrong,
)
from karte.domain.drafts import checked_name, checked_origin
from karte.domain.entities import normalise
from karte.domain.filing_request import filing_of
from karte.domain.knowledge_pages import PageOutcome
from karte.domain.model import MemoryEntry, TemporalMeta
from karte.domain.page_recognition import recognise
from karte.domain.reserved import OWNERS
from karte.domain.text.sequences import has_sequences, without_sequences
from karte.errors import ConfigError, ExtractorError, KarteError, StorageError
from karte.extraction.protocol import Extractor
from karte.service.aliases import declare_many
from karte.service.pages import file_page
from karte.service.remember import store_many
from karte.service.services import Services

PROFILE: Final = OWNERS["user:"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """What is in the turns: documents by the place of their turn, and facts."""

    documents: dict[int, str]
    facts: list[ExtractedFact]
    rubbish: list[Distilled]


def distill(
    services: Services, agent: str, turns: object, *, origin: str | None = None, extractor: Extractor
) -> DistillReport:
    """Keeps what is worth keeping of the turns; one bad item never loses the others."""
    checked_name(agent, "agent")
    who = checked_origin(DEFAULT_ORIGIN if origin is None else origin)
    said = turns_of(turns)
    found = _find(said, extractor)
    items = [_file(services, agent, place, text, who) for place, text in found.documents.items()]
    items += [*found.rubbish, *_store(services, agent, found.facts, said, who)]
    return DistillReport(origin=who, turns=len(said), items=tuple(sorted(items, key=lambda item: item.turn)))


def _find(turns: Sequence[SpokenTurn], extractor: Extractor) -> _Found:
    texts = [turn.text for turn in turns]
    documents: dict[int, str] = {}
    spoken: list[int] = []
    for place, text in enumerate(texts):
        filing = filing_of(texts, place)
        if filing is not None:
            documents[filing.place] = filing.text
            spoken = [each for each in spoken if each != filing.place]
        elif place in documents:
            continue  # the turn before ordered it to be filed
        elif text and _is_document(text, extractor):
            documents[place] = text
        elif text:
            spoken.append(place)
    given = _extracted(extractor, [_as_shown(turns[place]) for place in spoken]) if spoken else []
    facts: list[ExtractedFact] = []
    rubbish: list[Distilled] = []
    for fact in given:
        wrong = what_is_wrong(fact, len(spoken))
        if wrong is None:
            facts.append(replace(fact, turn=spoken[fact.turn]))
        else:
            rubbish.append(Distilled(turn=spoken[0], error=wrong))
    return _Found(documents=documents, facts=at_most_a_turn(facts), rubbish=rubbish)


def _as_shown(turn: SpokenTurn) -> SpokenTurn:
    """The turn as a terminal shows it: what colours a word would keep a pattern from finding it."""
    return replace(turn, text=without_sequences(turn.text)) if has_sequences(turn.text) else turn


def _extracted(extractor: Extractor, turns: list[SpokenTurn]) -> Iterable[Any]:
    """What an extractor finds; whatever goes wrong in it is an ``ExtractorError``."""
    try:
        found = extractor.extract(turns)
    except KarteError:
        raise
    except Exception as error:
        raise ExtractorError(
            f"the extractor failed ({type(error).__name__})", field="extractor", remedy="use another, or mend it"
        ) from error
    if not isinstance(found, list | tuple):
        raise ExtractorError(
            "the extractor gave no list of facts", field="extractor", remedy="give a list of ExtractedFact"
        )
    return found


def _is_document(text: str, extractor: Extractor) -> bool:
    match recognise(text).band:
        case "page":
            return True
        case "middle":
            return extractor.is_document(text) is True
        case _:
            return False


def _file(services: Services, agent: str, place: int, text: str, origin: str) -> Distilled:
    try:
        page: PageOutcome = file_page(services, agent, text, origin=origin)
    except (StorageError, ConfigError):
        raise
    except KarteError as error:
        return Distilled(turn=place, error=error)
    return Distilled(turn=place, page=page)


def _store(
    services: Services, agent: str, facts: Sequence[ExtractedFact], turns: Sequence[SpokenTurn], origin: str
) -> list[Distilled]:
    if not facts:
        return []
    for predicate in sorted({fact.predicate for fact in facts if normalise(fact.predicate) in MANY_VALUED}):
        declare_many(services, agent, predicate)
    items = [_item(fact, turns[fact.turn], agent, origin) for fact in facts]
    outcomes = store_many(services, items, is_distilled=True, owner=PROFILE)
    return [
        Distilled(turn=fact.turn, fact=fact, outcome=outcome, error=outcome.error)
        for fact, outcome in zip(facts, outcomes, strict=True)
    ]


def _item(fact: ExtractedFact, turn: SpokenTurn, agent: str, origin: str) -> tuple[MemoryEntry, TemporalMeta]:
    """The fact as a write: true from when the text says, else from when it was said, else from now."""
    entry = MemoryEntry(
        content=fact.content, agent_id=agent, layer=DISTILLED_LAYER, source_event=DISTILL_EVENT, timestamp=turn.time
    )
    meta = TemporalMeta(
        subject=fact.subject,
        predicate=fact.predicate,
        object=fact.object,
        valid_from=turn.time if fact.valid_from is None else fact.valid_from,
        valid_until=fact.valid_until,
        origin=origin,
        origin_trust=DISTILLED_TRUST,
    )
    return entry, meta
