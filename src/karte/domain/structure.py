"""Conversations: memories that were said near each other lend each other relevance.

**Where a memory was said.** Its conversation is ``metadata.session``, else its ``source_event`` (a fact's only the
session); its place there is ``metadata.turn``, else its time; who spoke is ``metadata.speaker``, else a leading
``Name: ``. A plain memory that has a speaker and no conversation belongs to the one that its agent kept within the last
hour (``ONE_SITTING_SECS``); such an inferred conversation counts only where few speak in turns around most of its hits,
so that titles are not taken for people.

**What is lent.** With s the text score of a turn (times ``1 + w_question`` where it asks, for an answer follows), a
turn adds

    w_previous s(1 before) + w_next s(1 after) + w_second_previous s(2 before) + w_second_next s(2 after)
    + w_session max(s) S / max(S)         with S the sum of the SESSION_BEST greatest s of its conversation

to its own, and the whole is times ``1 + w_speaker`` where the query names who spoke, and times ``1 - w_asks`` where the
turn asks, as it tells little by itself. (Neighbours as context of a short text: Metzler and others, "passage context";
the values are measured, docs/search.md.) A memory of no conversation
says by itself what others say over several turns: it adds ``w_alone s`` instead, and S is ``SESSION_BEST s``.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from heapq import nlargest
from itertools import groupby
from typing import Any, Final, NamedTuple

from karte.domain.entities import Resolve, canonical_name, normalise
from karte.domain.text import index_text
from karte.domain.text.scripts import is_unspaced
from karte.domain.weights import RetrievalWeights

ONE_SITTING_SECS: Final = 3600.0
SESSION_BEST: Final = 2
MOST_IN_A_TALK: Final = 3
"""Among five turns in a row."""
FEWEST_TURNS: Final = 3
"""Who spoke so often is a speaker; a title may stand twice."""
REACH: Final = 2
"""So many turns before and after a hit are looked at."""

_IN_NO_NAME: Final = r"\s:：.!?,;\"()\[\]/<>{}%。！？、，；（）「」『』【】《》“”"
_LEADING_NAME: Final = re.compile(rf"\s*([^\W\d_][^{_IN_NO_NAME}]*(?: [^\W_][^{_IN_NO_NAME}]*){{0,3}})\s*(?::\s|：)")
_LONGEST_NAME: Final = 40
_FARTHEST: Final = 1e12
_ZERO: Final = 2e12  # so that what is before the first turn sorts before it
_QUESTION_MARKS: Final = ("?", "？", "؟", ";", "か。")


class Turn(NamedTuple):
    """Where a memory was said: in which conversation, at which place in it (as text that sorts), and by whom."""

    session: str | None
    place: str
    speaker: str | None
    is_question: bool
    is_inferred: bool


class Said(NamedTuple):
    """A hit or its neighbour, with what of it bears on its neighbours; ``text`` is 0.0 where no word matched."""

    ordinal: int
    text: float = 0.0
    session: str | None = None
    speaker: str | None = None
    is_question: bool = False
    is_inferred: bool = False


Around = Mapping[int, Sequence[int | None]]
"""For a hit's ordinal those of two turns before, one before, one after and two after it; None where there is none."""


def turn_of(content: str, metadata: Mapping[str, Any], source_event: str | None, said_at: str) -> Turn | None:
    """Where a memory was said, or None for one of no conversation that nobody spoke."""
    speaker = _text(metadata.get("speaker")) or leading_name(content)
    session = _text(metadata.get("session")) or (source_event or None)
    if session is None and speaker is None:
        return None
    return Turn(
        session=session,
        place=_place(metadata.get("turn"), said_at),
        speaker=speaker,
        is_question=content.rstrip().endswith(_QUESTION_MARKS),
        is_inferred=session is None,
    )


def turn_of_fact(metadata: Mapping[str, Any], said_at: str) -> Turn | None:
    """The same of a fact: it belongs to a conversation that its metadata names, and to no other.

    The event that facts came from may be a batch of thousands that have nothing to do with each other.
    """
    turn = turn_of("", metadata, None, said_at)
    return None if turn is None or turn.session is None else turn


def leading_name(content: str) -> str | None:
    """Who speaks in ``Name: what is said``; None where the text does not begin so."""
    found = _LEADING_NAME.match(content)
    return found[1] if found is not None and len(found[1]) <= _LONGEST_NAME else None


def _place(turn: object, said_at: str) -> str:
    if isinstance(turn, int | float) and not isinstance(turn, bool):
        return f"{_ZERO + min(_FARTHEST, max(-_FARTHEST, turn)):020.6f}"
    return said_at


def _text(value: object) -> str | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return value.strip() or None if isinstance(value, str) else None


def named_speakers(query: str, speakers: Iterable[str | None]) -> frozenset[str]:
    """Those of the speakers that the query names: by a word of the name, or by all of it where nothing is spaced."""
    words = frozenset(index_text(query).split())
    plain = normalise(query)
    return frozenset(speaker for speaker in set(speakers) if speaker and _is_named(speaker, words, plain))


def _is_named(speaker: str, words: Collection[str], query: str) -> bool:
    if is_unspaced(speaker[0]):
        return normalise(speaker) in query
    return any(word in words for word in index_text(speaker).split() if len(word) > 1)


def with_neighbours(
    found: Sequence[Said], beside: Iterable[Said], around: Around, weights: RetrievalWeights, query: str
) -> dict[int, float]:
    """What structure adds to each of the hits found, and to their neighbours (``beside``), by ordinal.

    Nothing, where no hit belongs to a conversation.
    """
    said = {each.ordinal: each for each in (*beside, *found)}
    sessions = _sessions(found, said, around)
    if not any(sessions[each.ordinal] for each in found):
        return {}
    lent = _lent(found, sessions, around, weights)
    added: dict[int, float] = {}
    best = max(each.text for each in found)
    shares = _shares(found, sessions)
    greatest = max(shares.values())
    named = named_speakers(query, (each.speaker for each in said.values()))
    for each in said.values():
        if each.text == 0.0 and each.ordinal not in lent:
            continue
        share = shares.get(sessions[each.ordinal] or each.ordinal, 0.0)
        is_talk = sessions[each.ordinal] is not None
        own = lent.get(each.ordinal, 0.0) if is_talk else weights.w_alone * each.text
        more = own + weights.w_session * best * share / greatest
        if each.speaker in named:
            more += weights.w_speaker * (each.text + more)
        if each.is_question and is_talk:
            more -= weights.w_asks * (each.text + more)
        added[each.ordinal] = more * weights.w_structure
    return added


def _sessions(found: Sequence[Said], said: Mapping[int, Said], around: Around) -> dict[int, str | None]:
    """The conversation of each turn; an inferred one only if most of its hits look like people talking."""
    talks: dict[str, list[bool]] = {}
    for each in found:
        if each.session is not None and each.is_inferred:
            talks.setdefault(each.session, []).append(_is_talk(_speakers_near(each.ordinal, said, around)))
    titles = {session for session, is_talk in talks.items() if 2 * sum(is_talk) < len(is_talk)}
    return {ordinal: None if turn.session in titles else turn.session for ordinal, turn in said.items()}


def is_speaker(name: str, joined: Collection[int], said: Mapping[int, Said], around: Around, resolve: Resolve) -> bool:
    """Whether a normalised name tells who spoke rather than what it is about.

    Of the memories joined with it most, and at least three, are turns of that speaker in a talk.
    """
    own = [each for each in said.values() if each.ordinal in joined and _is_called(each.speaker, name, resolve)]
    if len(own) < FEWEST_TURNS or 2 * len(own) <= len(joined):
        return False
    sessions = _sessions(own, said, around)
    return any(sessions[each.ordinal] is not None for each in own)


def _is_called(speaker: str | None, name: str, resolve: Resolve) -> bool:
    return speaker is not None and canonical_name(speaker, resolve) == name


def _speakers_near(ordinal: int, said: Mapping[int, Said], around: Around) -> list[str | None]:
    beside = around.get(ordinal, ())
    near = (*beside[:REACH], ordinal, *beside[REACH:])
    return [said[each].speaker for each in near if each is not None and each in said]


def _is_talk(speakers: Sequence[str | None]) -> bool:
    """Whether a few speak in turns: somebody again after somebody else. Titles in a row seldom come again so."""
    turns = [speaker for speaker, _ in groupby(speakers)]
    people = len(set(turns))
    return people < len(turns) and people <= MOST_IN_A_TALK


def _lent(
    found: Sequence[Said], sessions: Mapping[int, str | None], around: Around, weights: RetrievalWeights
) -> dict[int, float]:
    # What comes two before a hit has the hit two after it, and so on.
    lending = (weights.w_second_next, weights.w_next, weights.w_previous, weights.w_second_previous)
    added: dict[int, float] = {}
    for each in found:
        if sessions[each.ordinal] is None:
            continue
        for place, (other, weight) in enumerate(zip(around.get(each.ordinal, ()), lending, strict=False)):
            if other is not None and weight:
                is_answer = place >= REACH and each.is_question
                more = weight * each.text * (1.0 + weights.w_question if is_answer else 1.0)
                added[other] = added.get(other, 0.0) + more
    return added


def _shares(found: Sequence[Said], sessions: Mapping[int, str | None]) -> dict[str | int, float]:
    scores: dict[str | int, list[float]] = {}
    for each in found:
        session = sessions[each.ordinal]
        if session is None:  # says by itself what a conversation says over several turns
            scores[each.ordinal] = [each.text] * SESSION_BEST
        else:
            scores.setdefault(session, []).append(each.text)
    return {session: sum(nlargest(SESSION_BEST, of_it)) for session, of_it in scores.items()}
