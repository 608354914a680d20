"""How much two texts say the same, for a report and nothing else: no write is dropped or merged for it.

The measure is the coefficient of Dice (1945) over the content tokens of both texts, with a veto: texts whose numbers
differ, of which only one denies, or that say opposites (``likes``, ``dislikes``) are not similar at all, however many
words they share. A wrong veto costs a report; a missing one would call a changed salary the same salary.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Final, NamedTuple

from karte.domain.entities import value_form
from karte.domain.text import content_tokens_of
from karte.domain.text.folding import fold, normalise
from karte.domain.text.stemming import stem

SIMILAR: Final = 0.8
"""Less than this is not worth a report, and counts as nothing."""
MOST_REPORTED: Final = 5
LONGEST_COMPARED: Final = 4_000
"""Letters; a longer text is a document, and is reported only where it is equal."""
_ALMOST: Final = 0.99
"""The same words, yet not the same text."""

_BEGINNING: Final = 4_000
_TELLING: Final = 3
"""Two texts of which most is the same share two of the longest words of either, nearly always."""

_WORD: Final = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)*")
_NUMBER: Final = re.compile(r"[-\u2212]?\d+(?:[.,:/]\d+)*")
_GROUPED: Final = re.compile(r"[-\u2212]?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_UNSPACED_NUMBER: Final = re.compile("[一二三四五六七八九十百千万億亿零两兩]")
_UNSPACED_DENIAL: Final = re.compile("[不没沒無无未非否않없못]|ない|なか|なく|なし|ませ|아니")
_NUMBER_WORDS: Final = {
    word: str(number)
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
        " seventeen eighteen nineteen twenty".split()
    )
} | {
    word: word
    for word in "thirty forty fifty sixty seventy eighty ninety hundred thousand million billion half twice".split()
}
_DENIALS: Final = frozenset(
    "not no never none nothing nobody nowhere neither nor without cannot hardly"
    " nicht kein keine keinen keiner nie niemals nichts ohne ne pas jamais sans aucun rien non mai senza"
    " nunca sin nada ninguno nem sem niet geen nooit inte ingen aldrig не нет никогда без".split()
)
_PREFIXES: Final = ("dis", "un", "in", "im", "ir", "non", "mis", "de")
_OPPOSITES: Final = tuple(
    tuple(pair.split("/"))
    for pair in (
        "on/off true/false enable/disable enabled/disabled always/never before/after above/below more/less most/least"
        " with/without accept/reject accepted/rejected allow/deny allowed/denied allow/forbid allowed/forbidden"
        " love/hate loves/hates increase/decrease increased/decreased start/stop started/stopped open/closed"
        " open/close opened/closed pass/fail passed/failed up/down first/last left/right buy/sell bought/sold"
        " am/pm yes/no and/or early/late higher/lower include/exclude includes/excludes included/excluded"
    ).split()
)


class _Said(NamedTuple):
    """What of a text can contradict another."""

    words: frozenset[str]
    numbers: Counter[str]
    denials: int


class Alike(NamedTuple):
    """What a text that says nearly the same has of this one: two of its longest words, and about its length."""

    tokens: tuple[str, ...]
    shortest: int
    longest: int


def alike_to(content: str) -> Alike:
    """What to look for; no tokens, where the text has no words that tell."""
    tokens = sorted(content_tokens_of(content[:_BEGINNING]), key=lambda token: (-len(token), token))
    return Alike(tuple(tokens[:_TELLING]), 3 * len(content) // 5, 5 * len(content) // 3)


def similarity(one: str, other: str) -> float:
    """0 for too little in common or a contradiction, else ``SIMILAR`` to 1.

    1 is text that is equal but for Unicode form and white space.
    """
    return _compared(one, value_form(one), _tokens(one), other)


def nearest(text: str, others: Iterable[tuple[str, str]]) -> tuple[tuple[str, float], ...]:
    """Those of the others (id, text) that say nearly the same, the nearest first, in the given order among equals."""
    form, tokens = value_form(text), _tokens(text)
    near = [(id, _compared(text, form, tokens, other)) for id, other in others]
    found = sorted((pair for pair in near if pair[1] >= SIMILAR), key=lambda pair: -pair[1])
    return tuple((id, round(value, 4)) for id, value in found[:MOST_REPORTED])


def _compared(one: str, form: str, tokens: frozenset[str], other: str) -> float:
    if form == value_form(other):
        return 1.0
    others = _tokens(other)
    shared = 2 * len(tokens & others) / (len(tokens) + len(others) or 1)
    if shared < SIMILAR or _contradict(_said(one), _said(other)):  # few come as far as the second, which costs more
        return 0.0
    return min(_ALMOST, shared)


def _tokens(text: str) -> frozenset[str]:
    return content_tokens_of(text) if len(text) <= LONGEST_COMPARED else frozenset()


def _said(text: str) -> _Said:
    plain = normalise(text)
    words = [fold(word).replace("\u2019", "'") for word in _WORD.findall(plain)]
    numbers = Counter(_number(number) for number in _NUMBER.findall(plain))
    numbers.update(_NUMBER_WORDS[word] for word in words if word in _NUMBER_WORDS)
    numbers.update(_UNSPACED_NUMBER.findall(plain))
    denials = sum(word in _DENIALS or word.endswith("n't") for word in words) + len(_UNSPACED_DENIAL.findall(plain))
    return _Said(frozenset(words), numbers, denials)


def _number(written: str) -> str:
    """A number without the commas that group its digits."""
    written = written.replace("\u2212", "-")
    return written.replace(",", "") if _GROUPED.fullmatch(written) else written


def _contradict(one: _Said, other: _Said) -> bool:
    if one.numbers != other.numbers or one.denials != other.denials:
        return True
    left, right = one.words - other.words, other.words - one.words
    if any((a in left and b in right) or (b in left and a in right) for a, b in _OPPOSITES):
        return True
    return _negates(left, right) or _negates(right, left)


def _negates(some: frozenset[str], others: frozenset[str]) -> bool:
    """Whether a word is another with a prefix that denies it, in any of its forms."""
    stems = {stem(word) for word in others}
    bare = (word[len(prefix) :] for word in some for prefix in _PREFIXES if word.startswith(prefix))
    return any(len(word) > 2 and stem(word) in stems for word in bare)
