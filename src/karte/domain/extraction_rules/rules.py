"""The facts of a turn: its sentences by the rules of their language, told in the third person where that is easy."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from karte.domain.distilling import ExtractedFact, SpokenTurn
from karte.domain.entities import USER
from karte.domain.extraction_rules import chinese, english, japanese
from karte.domain.extraction_rules.reading import sentences_of
from karte.domain.extraction_rules.telling import MANY, Told

LONGEST_CONTENT: Final = 300

_USERS: Final = frozenset({"", "user", "human", "customer", "client", "me"})
_OTHERS: Final = frozenset({"assistant", "system", "tool", "ai", "bot", "model", "agent", "function", "developer"})

# A joke takes back the sentence before it.
_JOKE: Final = re.compile(r"\b(?:kidding|joking|jk)\b|冗談|开玩笑|開玩笑", re.IGNORECASE)

_ENGLISH: Final = {
    "name": "{who}'s name is {object}.",
    "works_at": "{who} works at {object}.",
    "job": "{who} works as: {object}.",
    "lives_in": "{who} lives in {object}.",
    "likes": "{who} likes: {object}.",
    "dislikes": "{who} dislikes: {object}.",
    "prefers": "{who} prefers: {object}.",
    "uses": "{who} uses {object}.",
}
_JAPANESE: Final = {
    "name": "{who}の名前は{object}。",
    "works_at": "{who}は{object}に勤めている。",
    "job": "{who}は{object}として働いている。",
    "lives_in": "{who}は{object}に住んでいる。",
    "likes": "{who}は{object}が好き。",
    "dislikes": "{who}は{object}が嫌い。",
    "prefers": "{who}は{object}のほうが好き。",
    "uses": "{who}は{object}を使っている。",
}
_CHINESE: Final = {
    "name": "{who}的名字是{object}。",
    "works_at": "{who}在{object}工作。",
    "lives_in": "{who}住在{object}。",
    "likes": "{who}喜欢{object}。",
    "dislikes": "{who}不喜欢{object}。",
    "prefers": "{who}更喜欢{object}。",
    "uses": "{who}使用{object}。",
}


def facts_of(turn: SpokenTurn, place: int = 0) -> list[ExtractedFact]:
    """The facts that a turn tells in the first person; none of what an assistant, a system or a tool says."""
    speaker = (turn.speaker or "").strip()
    if speaker.casefold() in _OTHERS or _JOKE.search(turn.text):
        return []
    name = None if speaker.casefold() in _USERS else speaker
    found = [_fact(told, words, name, place) for told, words in _told(turn)]
    return list(dict.fromkeys(found))


def _told(turn: SpokenTurn) -> Iterator[tuple[Told, tuple[str, dict[str, str]]]]:
    """What the sentences tell, each with how its language calls the user and says it in the third person."""
    is_other = False
    for sentence in sentences_of(turn.text):
        if japanese.is_japanese(sentence):
            for told in japanese.facts_in(sentence, turn.time, is_other=is_other):
                yield told, ("ユーザー", _JAPANESE)
            is_other = japanese.topic_after(sentence, is_other)
        elif chinese.is_chinese(sentence):
            for told in chinese.facts_in(sentence, turn.time):
                yield told, ("用户", _CHINESE)
        for told in english.facts_in(sentence, turn.time):
            yield told, ("The user", _ENGLISH)


def _fact(told: Told, words: tuple[str, dict[str, str]], name: str | None, place: int) -> ExtractedFact:
    who, forms = words
    form = forms.get(told.predicate)
    # A past state keeps its own words: the third person would make it a present one.
    content = told.said if form is None or told.valid_until else form.format(who=name or who, object=told.object)
    if len(content) > LONGEST_CONTENT or told.object not in content:
        content = f"{told.predicate.replace('_', ' ')}: {told.object}" if told.due is None else told.said
    speaker = USER if name is None else f"{USER}:{name}"
    if told.predicate == "deadline":
        content = f"{told.said} ({told.object})"
    return ExtractedFact(
        content=content[:LONGEST_CONTENT] if told.predicate != "deadline" else content,
        subject=told.due or speaker,
        predicate=told.predicate,
        object=told.object,
        valid_from=told.valid_from,
        valid_until=told.valid_until,
        # A deadline of nothing in particular does not end another.
        is_many=told.predicate in MANY or (told.predicate == "deadline" and told.due is None),
        turn=place,
    )
