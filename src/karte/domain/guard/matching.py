"""Whether the patterns of the rules hold in the tokens of a text, and whether what holds is a command.

Patterns are followed within a sentence. What is shorter than four words is no sentence here, so that full stops between
words hide nothing.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final, NamedTuple

from karte.domain.guard.gate import Gate, bits_of
from karte.domain.guard.packs import NOT_A_COMMAND, NOT_A_COMMAND_AFTER, REPORT, Pack, Pattern, Rule
from karte.domain.guard.pattern import Sequenced, compiled, term_words
from karte.domain.guard.reading import STOPS
from karte.domain.guard.verdict import ENOUGH
from karte.domain.guard.views import View
from karte.domain.guard.vocabulary import Hit, Vocabulary

OPENING: Final = 50
"""A pattern that weighs less adds to others, and is looked for only where one of them may hold."""
SHORTEST_SENTENCE: Final = 4
# "Do not | ignore ...", "they told me to | ignore ...": words that keep a command from being one stand right before it.
NEAR: Final = 1
LONGEST_TERM: Final = 6
LONG: Final = 80
"""After so many words of a text that is blocked already, only patterns that suffice alone are looked for."""
DISGUISE: Final = 50
"""What it adds to evidence that its words were written with foreign letters or digits."""
REPORT_REACH: Final = 40
_REMEMBERED: Final = 4096


class Match(NamedTuple):
    """A pattern that holds in a view, from token ``first`` to ``last`` (exclusive)."""

    rule: int
    pattern: int
    weight: int
    first: int
    last: int
    is_reported: bool = False


@dataclass(frozen=True, slots=True)
class _Candidate:
    rule: int
    pattern: int
    weight: int
    is_instant: bool
    sequence: Sequenced


class Matcher:
    """Some rules, over the words of some packs."""

    def __init__(self, packs: Sequence[Pack], rules: tuple[Rule, ...], mark_of: dict[str, str]) -> None:
        self.rules = rules
        bits: dict[str, int] = {}
        terms: dict[tuple[str, ...], int] = {}

        def bit(key: str) -> int:
            if key not in bits:
                bits[key] = 1 << len(bits)
                if key[0] == "=":
                    words = term_words(key[1:], key[1:])
                    terms[words] = terms.get(words, 0) | bits[key]
                elif key[0] == "`":
                    terms[mark_of[key[1:]],] = bits[key]
            return bits[key]

        for pack in packs:
            for concept, listed in pack.concepts:
                for words in listed:
                    terms[words] = terms.get(words, 0) | bit(concept)
        self._not_a_command = bit(NOT_A_COMMAND)
        self._not_a_command_after = bit(NOT_A_COMMAND_AFTER)
        self._report = bit(REPORT)
        candidates = (
            _Candidate(number, place, pattern.weight, rule.is_instant, sequence)
            for number, rule in enumerate(self.rules)
            for place, pattern in enumerate(rule.patterns)
            if pattern.parsed.signal is None
            for sequence in compiled(pattern.parsed, bit)
        )
        # The heaviest first: a rule that is decided is looked at no more.
        self._candidates = sorted(candidates, key=lambda candidate: -candidate.weight)
        self.signals: list[tuple[str, int, Pattern]] = [
            (pattern.parsed.signal, number, pattern)
            for number, rule in enumerate(self.rules)
            for pattern in rule.patterns
            if pattern.parsed.signal is not None
        ]
        self.vocabulary = Vocabulary(terms.items())
        opening = sum(candidate.weight >= OPENING for candidate in self._candidates)
        self.gate = Gate([candidate.sequence for candidate in self._candidates], terms, opening=opening)
        self._by_key: dict[int, list[int]] = {}
        for number, key in enumerate(self.gate.keys):
            for each in bits_of(key):
                self._by_key.setdefault(each, []).append(number)
        self._by_mask: dict[int, tuple[_Candidate, ...]] = {}
        self._may_weigh: dict[tuple[int, bool], bool] = {}

    def may_weigh(self, view: View, *, is_disguised: bool) -> bool:
        """Whether the patterns that may hold in a view weigh enough together to be looked for one by one.

        ``is_disguised``: some of its words were written otherwise, which makes any of them weigh enough.
        """
        known = self.gate.at_most(view.tokens), is_disguised
        may = self._may_weigh.get(known)
        if may is None:
            if len(self._may_weigh) >= _REMEMBERED:
                self._may_weigh.clear()
            may = self._may_weigh[known] = self._is_enough(*known)
        return may

    def _is_enough(self, mask: int, is_disguised: bool) -> bool:
        weights: dict[int, dict[int, int]] = {}
        for candidate in self._for(mask):
            if candidate.is_instant or is_disguised:
                return True
            of_rule = weights.setdefault(candidate.rule, {})
            of_rule[candidate.pattern] = candidate.weight
            if sum(of_rule.values()) >= OPENING:
                return True
        return False

    def matches(self, view: View, hits: Sequence[Hit], decided: AbstractSet[int]) -> Iterator[Match]:
        """Every pattern that holds and may be a command, at most once in each sentence; of rules not yet decided."""
        reports = [hit.start for hit in hits if hit.mask & self._report]
        quoted = view.quotations() if reports else []
        for sentence_start, sentence in _sentences(view.tokens, hits):
            mask = 0
            for hit in sentence:
                mask |= hit.mask
            is_settled = bool(decided) and sentence_start > LONG
            own_reports = [hit.start for hit in sentence if hit.mask & self._report] if mask & self._report else []
            for candidate in self._for(mask):
                if candidate.rule in decided or (is_settled and candidate.weight < ENOUGH):
                    continue
                match = self._held(candidate, sentence, sentence_start)
                if match is None:
                    continue
                if not view.undisguised.isdisjoint(view.tokens[match.first : match.last]):
                    match = match._replace(weight=match.weight + DISGUISE)
                if reports and not candidate.is_instant:
                    is_reported = _is_near(own_reports, match) or (
                        _is_quoted(match, quoted) and _is_near(reports, match)
                    )
                    match = match._replace(is_reported=is_reported)
                yield match

    def _for(self, mask: int) -> tuple[_Candidate, ...]:
        """The candidates whose concepts are all there; sentences have few different sets of concepts."""
        found = self._by_mask.get(mask)
        if found is None:
            numbers = {number for key in bits_of(mask) for number in self._by_key.get(key, ())}
            found = tuple(
                self._candidates[number]
                for number in sorted(numbers)
                if self._candidates[number].sequence.may_match(mask)
            )
            if len(self._by_mask) >= _REMEMBERED:
                self._by_mask.clear()
            self._by_mask[mask] = found
        return found

    def _held(self, candidate: _Candidate, sentence: Sequence[Hit], sentence_start: int) -> Match | None:
        for first, last in candidate.sequence.matches(sentence, sentence_start):
            if candidate.is_instant or not self._is_no_command(sentence, first, last):
                return Match(candidate.rule, candidate.pattern, candidate.weight, first, last)
        return None

    def _is_no_command(self, sentence: Sequence[Hit], first: int, last: int) -> bool:
        at = bisect_left(sentence, first, key=_start) - 1
        while at >= 0 and sentence[at].start >= first - NEAR - LONGEST_TERM:
            hit = sentence[at]
            if hit.mask & self._not_a_command and 0 <= first - hit.end <= NEAR:
                return True
            at -= 1
        at = bisect_left(sentence, last, key=_start)
        return at < len(sentence) and sentence[at].start == last and self._says_no(sentence[at])

    def _says_no(self, hit: Hit) -> bool:
        return bool(hit.mask & self._not_a_command_after)


def _start(hit: Hit) -> int:
    return hit.start


def _is_quoted(match: Match, quotations: Sequence[tuple[int, int]]) -> bool:
    at = bisect_left(quotations, (match.first + 1,)) - 1
    return at >= 0 and quotations[at][1] >= match.last


def _is_near(reports: Sequence[int], match: Match) -> bool:
    """Whether a word of a report stands within reach of the match."""
    at = bisect_left(reports, match.first - REPORT_REACH)
    return at < len(reports) and reports[at] <= match.last + REPORT_REACH


def _sentences(tokens: Sequence[str], hits: Sequence[Hit]) -> Iterator[tuple[int, list[Hit]]]:
    """The hits of each sentence that has any, with the token the sentence begins at."""
    if not hits:
        return
    start, at = 0, 0
    for end in (*_ends(tokens), len(tokens)):
        sentence: list[Hit] = []
        while at < len(hits) and hits[at].start < end:
            sentence.append(hits[at])
            at += 1
        if sentence:
            yield start, sentence
        start = end + 1


def _ends(tokens: Sequence[str]) -> Iterator[int]:
    """The stops that end a sentence: those with enough words on either side."""
    stops = [-1, *(i for i, token in enumerate(tokens) if token in STOPS), len(tokens)]
    for before, stop, after in zip(stops, stops[1:], stops[2:], strict=False):
        if stop - before > SHORTEST_SENTENCE and after - stop > SHORTEST_SENTENCE:
            yield stop
