"""The little language of patterns: concepts and words in order, with gaps of bounded length.

::

    {override} ..3 {prior|your} ..2 {directive}      in this order, at most 3 and 2 words between
    {directive} ~4 {override}                        in either order
    ^ {reveal} .. {your} {prompt}                    at the beginning of a sentence; `..` alone is `..4`
    from now on {you} ..2 must                       words stand for themselves
    `<|im_start|>` ..3 {system}                      between backticks: text with its punctuation
    !tag-characters                                  a signal that the scanner computes

There are no regular expressions in it, so a pattern cannot be made to take long: it is followed through the concepts
found in a sentence, once, remembering for each of its elements only where the match that reached it began.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Final, NoReturn

from karte.domain.guard.reading import FIRST_MARK, folded, tokens_of
from karte.domain.guard.vocabulary import SHORTEST_STEM, Hit
from karte.errors import ConfigError, shorten

GAP: Final = 4
LONGEST_GAP: Final = 40
MOST_IN_ANY_ORDER: Final = 4
MARK_LIMIT: Final = 4096

# A letter of a script without spaces is a token; about this many of them make a word.
LETTERS_PER_WIDE_WORD: Final = 3
# How many words may stand before a pattern that begins a sentence ("Please", "And now").
WORDS_BEFORE_START: Final = 2

_PIECE: Final = re.compile(
    r"\s*(?:\{(?P<concepts>[^{}]*)\}|`(?P<mark>[^`]+)`|(?P<gap>\.\.|~)(?P<most>\d{1,3})?(?=\s|$)"
    r"|(?P<start>\^)|!(?P<signal>[a-z][a-z-]*)(?=\s|$)|(?P<word>[^\s{}`^!~]+))"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sequenced:
    """Elements in a fixed order: any concept of ``masks[i]``, at most ``gaps[i]`` words after the one before."""

    masks: tuple[int, ...]
    gaps: tuple[int, ...]
    is_anchored: bool

    def may_match(self, mask: int) -> bool:
        """Whether concepts of every element are there at all."""
        return all(element & mask for element in self.masks)

    def matches(self, hits: Sequence[Hit], sentence_start: int) -> Iterator[tuple[int, int]]:
        """Where the pattern holds in a sentence: its first token, and the one after its last.

        For each element only the latest end matters, because a gap has no least length; so the work is bounded by
        hits times elements.
        """
        count = len(self.masks)
        starts, ends = [-1] * count, [-1] * count
        for start, end, mask, is_wide in hits:
            for i in range(count - 1, -1, -1):
                if not mask & self.masks[i]:
                    continue
                if i == 0:
                    if self.is_anchored and start - sentence_start > WORDS_BEFORE_START:
                        continue
                    starts[0], ends[0] = start, end
                elif starts[i - 1] >= 0 and self._reaches(i, ends[i - 1], start, is_wide):
                    starts[i], ends[i] = starts[i - 1], end
                else:
                    continue
                if i == count - 1:
                    yield starts[i], ends[i]

    def _reaches(self, i: int, end: int, start: int, is_wide: bool) -> bool:
        return 0 <= start - end <= self.gaps[i] * (LETTERS_PER_WIDE_WORD if is_wide else 1)


@dataclass(frozen=True, slots=True)
class Parsed:
    """A pattern as it was written: groups of element keys, one sequence each unless ``any_order``."""

    groups: tuple[tuple[tuple[str, ...], ...], ...]
    gaps: tuple[tuple[int, ...], ...]
    between: tuple[int, ...]
    is_anchored: bool
    signal: str | None = None

    @property
    def keys(self) -> Iterator[str]:
        """Every concept, word and mark that the pattern names."""
        return (key for group in self.groups for element in group for key in element)


def parse(text: str, field: str) -> Parsed:
    """The pattern that a text says; ``field`` says in errors where it stands."""
    pieces = list(_pieces(text, field))
    anchored = bool(pieces) and pieces[0][0] == "start"
    body = pieces[1:] if anchored else pieces
    if any(kind == "start" for kind, _ in body):
        _refuse(field, text, "^ stands in the middle", "put ^ first, or leave it out")
    signals = [value for kind, value in body if kind == "signal"]
    if signals:
        if len(body) > 1 or anchored:
            _refuse(field, text, "a signal stands with other things", "give the signal a pattern of its own")
        return Parsed((), (), (), False, signals[0])
    return _grouped(text, field, body, is_anchored=anchored)


def _pieces(text: str, field: str) -> Iterator[tuple[str, str]]:
    at, end = 0, len(text.rstrip())
    while at < end:
        found = _PIECE.match(text, at)
        if found is None:
            _refuse(field, text, f"it cannot be read from {shorten(text[at:], 20)!r} on", "see docs/guard.md")
        kind = found.lastgroup or ""
        if kind == "most":
            kind = "gap"
        value = found[0].strip() if kind == "gap" else found[kind]
        yield kind, value
        at = found.end()


def _grouped(text: str, field: str, body: Sequence[tuple[str, str]], *, is_anchored: bool) -> Parsed:
    groups: list[list[tuple[str, ...]]] = [[]]
    gaps: list[list[int]] = [[]]
    between: list[int] = []
    pending: int | None = 0
    last_kind = ""
    for kind, value in body:
        if kind == "gap":
            if last_kind in ("", "gap"):
                _refuse(field, text, "a gap stands first or after a gap", "put a concept or a word before it")
            most = _gap(value, field, text)
            pending = most
            if value.startswith("~"):
                between.append(most)
                groups.append([])
                gaps.append([])
        elif kind == "word" and last_kind == "word":
            groups[-1][-1] = (f"{groups[-1][-1][0]} {value}",)
        else:
            groups[-1].append(_element(kind, value, field, text))
            gaps[-1].append(pending or 0)
            pending = 0
        last_kind = kind
    if last_kind in ("", "gap"):
        _refuse(field, text, "it ends in nothing" if body else "it is empty", "name a concept or a word")
    if len(groups) > 1 and (len(groups) > MOST_IN_ANY_ORDER or is_anchored):
        _refuse(field, text, "too much in any order, or ^ with ~", f"at most {MOST_IN_ANY_ORDER} parts, without ^")
    for group in groups:
        for element in group:
            _check_words(element, field, text)
    return Parsed(
        tuple(tuple(group) for group in groups), tuple(tuple(each) for each in gaps), tuple(between), is_anchored
    )


def _gap(value: str, field: str, text: str) -> int:
    digits = value.lstrip(".~")
    most = int(digits) if digits else GAP
    if most > LONGEST_GAP:
        _refuse(field, text, f"a gap of {most} words", f"at most {LONGEST_GAP}")
    return most


def _element(kind: str, value: str, field: str, text: str) -> tuple[str, ...]:
    if kind == "word":
        return (f"={value}",)
    if kind == "mark":
        return (f"`{folded(value)}",)
    names = tuple(name.strip() for name in value.split("|"))
    if not all(names):
        _refuse(field, text, "a concept without a name", "write {name} or {name|other}")
    return names


def _check_words(element: tuple[str, ...], field: str, text: str) -> None:
    for key in element:
        if key.startswith("="):
            term_words(key[1:], field, text)


def term_words(term: str, field: str, text: str | None = None) -> tuple[str, ...]:
    """The tokens of a term as they stand in folded text; a final ``*`` of a word is kept."""
    if term.isascii() and term.islower() and term.replace(" ", "").isalpha():
        return tuple(term.split())  # as most are; the built-in pack has thousands
    words: list[str] = []
    for part in term.split():
        tokens = [token for token in tokens_of(folded(part.removesuffix("*"))) if token.isalnum()]
        if part.endswith("*") and tokens:
            if len(tokens[-1]) < SHORTEST_STEM:
                _refuse(field, text or term, f"the stem {part} is short", f"at least {SHORTEST_STEM} letters before *")
            tokens[-1] += "*"
        words += tokens
    if not words:
        _refuse(field, text or term, "there is no letter in it", "put punctuation between backticks in a pattern")
    return tuple(words)


def mark_token(number: int) -> str:
    """The token that stands for the mark of this number."""
    return chr(FIRST_MARK + number)


def compiled(parsed: Parsed, bit: Callable[[str], int]) -> list[Sequenced]:
    """The sequences that a pattern stands for, given the bit of each concept."""
    masks = [[_any(element, bit) for element in group] for group in parsed.groups]
    if len(masks) == 1:
        return [Sequenced(masks=tuple(masks[0]), gaps=parsed.gaps[0], is_anchored=parsed.is_anchored)]
    return [_in_order(order, masks, parsed) for order in permutations(range(len(masks)))]


def _in_order(order: Sequence[int], masks: Sequence[Sequence[int]], parsed: Parsed) -> Sequenced:
    joined: list[int] = []
    gaps: list[int] = []
    for place, number in enumerate(order):
        joined += masks[number]
        gaps += (parsed.between[place - 1] if place else 0, *parsed.gaps[number][1:])
    return Sequenced(masks=tuple(joined), gaps=tuple(gaps), is_anchored=False)


def _any(element: Sequence[str], bit: Callable[[str], int]) -> int:
    mask = 0
    for key in element:
        mask |= bit(key)
    return mask


def _refuse(field: str, text: str, message: str, remedy: str) -> NoReturn:
    raise ConfigError(f"this pattern cannot be used: {message}", field=field, value=text, remedy=remedy)
