"""Scan a text for prompt injection: unfolded, decoded, judged by rules that are data."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Final, NamedTuple

from karte.domain.guard.confusables import has_lookalikes, has_stand_ins
from karte.domain.guard.decoders import Piece, decoded
from karte.domain.guard.hidden import has_hidden, revealed, signals
from karte.domain.guard.matching import OPENING, Match, Matcher
from karte.domain.guard.packs import Pack, Rule, built_in
from karte.domain.guard.pattern import mark_token
from karte.domain.guard.reading import folded
from karte.domain.guard.together import joined
from karte.domain.guard.verdict import CLEAN, ENOUGH, Span, Verdict
from karte.domain.guard.views import View, views
from karte.errors import ConfigError

DEPTH: Final = 4
"""How often what was decoded is decoded again."""
MOST_PIECES: Final = 200
"""How many pieces of one text are judged each by itself."""
WINDOW: Final = 60
"""Evidence of one rule adds up where it begins within so many words."""
REPORTED_WEIGHT: Final = 60
"""What evidence weighs at most where an attack is reported: a hint, whatever else is there."""
MOST_SPANS: Final = 4
"""How many stretches of one reading are shown for a rule."""


class _Part(NamedTuple):
    """The text itself, or something decoded from its stretch ``start:end``."""

    text: str
    start: int
    end: int
    depth: int


@dataclass(slots=True)
class _Found:
    rules: dict[int, list[tuple[int, int]]] = field(default_factory=lambda: defaultdict(list))
    hints: dict[int, list[tuple[int, int]]] = field(default_factory=lambda: defaultdict(list))
    score: int = 0


class Scanner:
    """The built-in rules together with those of a user's packs.

    Each pack has an engine of its own, so that nothing in it can get in the way of another one's rules.
    """

    def __init__(self, packs: Iterable[Pack] = ()) -> None:
        packs = tuple(packs)
        for name, times in Counter(rule.name for pack in packs for rule in pack.rules).items():
            if times > 1:
                raise ConfigError(
                    "two packs have a rule of this name", field=f"rule {name}", remedy="rename one of the rules"
                )
        self._engines = (_built_in_engine(), *(_Engine((built_in(), pack), pack.rules) for pack in packs))

    def scan(self, text: str) -> Verdict:
        """The verdict over a text, in time linear in it. Any string is judged, none raises."""
        if len(self._engines) == 1:
            return self._engines[0].scan(text)
        return _merged([engine.scan(text) for engine in self._engines])

    def scan_all(self, texts: Sequence[str]) -> list[Verdict]:
        """The verdict over each text; a look at all of them together settles most."""
        if len(texts) > 1:
            together = joined(texts)
            if not any(engine.may_find(together) for engine in self._engines):
                return [CLEAN] * len(texts)
        return [self.scan(text) for text in texts]


def _merged(verdicts: Sequence[Verdict]) -> Verdict:
    return Verdict(
        score=max(verdict.score for verdict in verdicts),
        rules=tuple(sorted(name for verdict in verdicts for name in verdict.rules)),
        spans=tuple(sorted(span for verdict in verdicts for span in verdict.spans)),
        hints=tuple(sorted(span for verdict in verdicts for span in verdict.hints)),
    )


class _Engine:
    def __init__(self, packs: Sequence[Pack], rules: tuple[Rule, ...]) -> None:
        marks = {key[1:] for rule in rules for pattern in rule.patterns for key in pattern.parsed.keys if key[0] == "`"}
        # The longest first: of two marks that begin alike, the text holds the longer one.
        longest_first = sorted(marks, key=lambda mark: (-len(mark), mark))
        self._mark_of = {mark: mark_token(number) for number, mark in enumerate(longest_first)}
        self._marks = re.compile("|".join(map(re.escape, longest_first)) or "(?!)")
        # One look for any letter of a set is a quarter of the time of a look for a mark.
        self._may_begin_mark = re.compile(f"[{re.escape(''.join({mark[0] for mark in marks}))}]" if marks else "(?!)")
        self._matcher = Matcher(packs, rules, self._mark_of)

    def scan(self, text: str) -> Verdict:
        """The verdict by the rules of this engine."""
        found = _Found()
        told: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for part in _parts(text, told):
            self._judge(part, found, is_decoded=part.depth > 0)
        if told:
            self._weigh_signals(told, found)
        return self._verdict(found)

    def may_find(self, text: str) -> bool:
        """Whether the text, or any piece of it by itself, may hold evidence; what could calm it is not looked at."""
        if has_hidden(text) or next(decoded(text), None) is not None:
            return True
        marked = self._marked(text)
        # A word in disguise weighs more where it stands nowhere else, which can be known of one text only.
        is_disguised = has_stand_ins(marked)
        return has_lookalikes(marked) or any(
            self._matcher.may_weigh(view, is_disguised=is_disguised) for view in self._views(text, marked)
        )

    def _views(self, text: str, marked: str) -> Iterator[View]:
        return views(text, marked, self._matcher.vocabulary, self._matcher.gate.opens)

    def _judge(self, part: _Part, found: _Found, *, is_decoded: bool) -> None:
        for view in self._views(part.text, self._marked(part.text)):
            if not self._matcher.may_weigh(view, is_disguised=bool(view.undisguised)):
                continue
            hits = self._matcher.vocabulary.hits(view.tokens)
            by_rule: dict[int, list[Match]] = defaultdict(list)
            decided = set(found.rules)
            for match in self._matcher.matches(view, hits, decided):
                by_rule[match.rule].append(match)
                if match.weight >= ENOUGH and not match.is_reported:
                    decided.add(match.rule)
            for rule, matches in by_rule.items():
                self._weigh(rule, matches, view, found, (part.start, part.end) if is_decoded else None)

    def _marked(self, text: str) -> str:
        marked = folded(text)
        return marked if self._may_begin_mark.search(marked) is None else self._marks.sub(self._mark, marked)

    def _mark(self, found: re.Match[str]) -> str:
        return f" {self._mark_of[found[0]]} {found[0]}"

    def _weigh(self, rule: int, matches: list[Match], view: View, found: _Found, place: tuple[int, int] | None) -> None:
        """Decide a rule by what holds in one view: the heaviest stretch of `WINDOW` words."""
        if self._matcher.rules[rule].is_instant:
            weight, shown = ENOUGH, matches
        else:
            weight, shown = _heaviest(sorted(matches, key=lambda match: match.first))
        if weight < OPENING:
            return
        into = found.rules if weight >= ENOUGH else found.hints
        if not into[rule]:
            into[rule] += [place] if place else [view.span(match.first, match.last) for match in shown[:MOST_SPANS]]
        found.score = max(found.score, min(weight, ENOUGH))

    def _weigh_signals(self, told: dict[str, list[tuple[int, int]]], found: _Found) -> None:
        for signal, rule, pattern in self._matcher.signals:
            spans = told.get(signal)
            if not spans:
                continue
            if self._matcher.rules[rule].is_instant or pattern.weight >= ENOUGH:
                found.rules[rule] += spans[:MOST_SPANS]
            else:
                found.hints[rule] += spans[:MOST_SPANS]
            found.score = max(found.score, pattern.weight)

    def _verdict(self, found: _Found) -> Verdict:
        if not found.score:
            return CLEAN
        rules = self._matcher.rules
        hints = {rule: spans for rule, spans in found.hints.items() if rule not in found.rules}
        return Verdict(
            score=ENOUGH if found.rules else min(found.score, ENOUGH - 1),
            rules=tuple(sorted(rules[number].name for number in found.rules)),
            spans=_spans((rules[number].name, spans) for number, spans in found.rules.items()),
            hints=_spans((rules[number].name, spans) for number, spans in hints.items()),
        )


def _parts(text: str, told: dict[str, list[tuple[int, int]]]) -> Iterator[_Part]:
    """The text and everything decoded from it; what hidden characters and encodings show goes to ``told``."""
    waiting = [_Part(text, 0, len(text), 0)]
    while waiting:
        part = waiting.pop()
        yield part
        for name, start, end in signals(part.text):
            told[name].append((part.start, part.end) if part.depth else (start, end))
        pieces = _joined([*revealed(part.text), *decoded(part.text)])
        for piece in pieces:
            span = (part.start, part.end) if part.depth else (piece.start, piece.end)
            if not piece.is_whole:
                told["encoded-text"].append(span)
            if part.depth == DEPTH:
                told["decoding-too-deep"].append(span)
            elif piece.text != part.text:
                waiting.append(_Part(piece.text, *span, part.depth + 1))


def _joined(pieces: list[Piece]) -> list[Piece]:
    """The pieces, those beyond `MOST_PIECES` as one: each alone would cost a scan of its own."""
    rest = pieces[MOST_PIECES:]
    if not rest:
        return pieces
    text = "\n".join(piece.text for piece in rest)
    start, end = min(piece.start for piece in rest), max(piece.end for piece in rest)
    return [*pieces[:MOST_PIECES], Piece(text, start, end)]


def _heaviest(matches: Sequence[Match]) -> tuple[int, list[Match]]:
    """The heaviest stretch of matches that begin within `WINDOW` words, and what it weighs.

    Each pattern counts once. What is reported is no evidence beyond a hint.
    """
    best, shown = 0, [matches[0]]
    weights: dict[int, list[int]] = defaultdict(list)
    begin = 0
    commands = [match for match in matches if not match.is_reported]
    for number, match in enumerate(commands):
        weights[match.pattern].append(match.weight)
        while match.first - commands[begin].first > WINDOW:
            weights[commands[begin].pattern].pop()
            begin += 1
        weight = sum(held[-1] for held in weights.values() if held)
        if weight > best:
            best, shown = weight, commands[begin : number + 1]
        if best >= ENOUGH:
            break
    if best < ENOUGH and len(commands) < len(matches):
        heaviest = max(matches, key=lambda match: match.weight)
        best = max(best, min(heaviest.weight, REPORTED_WEIGHT))
    return best, shown


def _spans(found: Iterable[tuple[str, list[tuple[int, int]]]]) -> tuple[Span, ...]:
    return tuple(sorted({Span(start, end, name) for name, spans in found for start, end in spans}))


@cache
def _built_in_engine() -> _Engine:
    return _Engine((built_in(),), built_in().rules)


@lru_cache(maxsize=8)
def _scanner(packs: tuple[Pack, ...]) -> Scanner:
    return Scanner(packs)


def scan(text: str, packs: Iterable[Pack] = ()) -> Verdict:
    """Whether a text tries to give an agent orders, by the built-in rules and those of a user's packs."""
    return _scanner(tuple(packs)).scan(text)


def scan_all(texts: Sequence[str]) -> list[Verdict]:
    """The same of each of several texts that are stored together, by the built-in rules."""
    return _scanner(()).scan_all(texts)
