"""The sentences of a turn that its speaker says in their own name, and the clauses of a sentence with dates marked.

Left out: fenced code, quoted and indented lines, rows of tables, lines that begin with somebody's name and a colon,
what stands between quotation marks that hold a whole sentence, questions, and sentences too long to be one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from karte.domain.dating import DatedSpan, Role, spans_in

MARK: Final = "\x02"
"""Stands for a date in a clause; a control character that is no white space."""

LONGEST_SENTENCE: Final = 400

_FENCE: Final = ("```", "~~~")
_NOT_PROSE: Final = re.compile(r"\s{0,3}[>|＞│]|\t| {4}|[^|\n]{1,80}\|[^|\n]{1,80}\|")
_TRANSCRIPT: Final = re.compile(r"\s{0,3}[*_\[]{0,3}[^\W\d][^:：,，。.!?！？]{0,40}[:：]")
_TITLE: Final = re.compile(r"(?:\b(?:St|Mr|Mrs|Ms|Dr|Prof|Mt|Ft|No|Inc|Ltd|Co|vs|Jr|Sr|e\.g|i\.e)|\b[A-Z])\Z")
_STOP: Final = re.compile(r"[.!?…]{1,8}[\"'”’)\]]{0,3}(?=\s|\Z)|[。！？｡]{1,8}[」』”’）]{0,3}|\Z")
_QUOTES: Final = (
    re.compile(r'"[^"]{0,400}"'),
    re.compile(r"“[^“”]{0,400}”"),
    re.compile(r"「[^「」]{0,400}」"),
    re.compile(r"『[^『』]{0,400}』"),
    re.compile(r"«[^«»]{0,400}»"),
)
_LEAD_IN: Final = re.compile(r"\b(?:(?:back|early|late) )?(?:in|on|at|during|around) \Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a sentence: ``text`` has a ``MARK`` for each date; ``pieces`` are the words that it stands for."""

    text: str
    pieces: tuple[str, ...] = ()
    spans: tuple[DatedSpan, ...] = ()

    def original(self, begin: int = 0, stop: int | None = None) -> str:
        """The words as they were said, of a stretch of the text."""
        parts = self.text[begin:stop].split(MARK)
        place = self.text.count(MARK, 0, begin)
        said = [parts[0]]
        for offset, part in enumerate(parts[1:]):
            said += [self.pieces[place + offset], part]
        return "".join(said)

    def bounds(self, stop: int | None = None) -> tuple[str | None, str | None]:
        """From when and until when the dates before ``stop`` say that it holds."""
        spans = self.spans[: self.text.count(MARK, 0, len(self.text) if stop is None else stop)]
        starts = [span.span for span in spans if span.role == "start"]
        ends = [span.span for span in spans if span.role == "end"]
        return next(iter(starts), None), next(iter(ends), None)


def sentences_of(text: str) -> Iterator[str]:
    """The sentences of the text that may tell something of its speaker, without what ends them."""
    for line in _prose(text.replace(MARK, " ")):
        quoted = _quoted(line)
        begin = 0
        for stop in _STOP.finditer(line):
            end = stop.start()
            if stop[0].startswith(".") and _TITLE.search(line, max(begin, end - 6), end):
                continue
            sentence, first = line[begin:end], begin + _indent(line[begin:end])
            begin = stop.end()
            if not _is_asked(sentence, stop[0]) and not (first < len(quoted) and quoted[first]):
                yield sentence.strip()


def _quoted(line: str) -> bytearray:
    """For each place whether it stands in quotation marks; a sentence that begins there is somebody else's."""
    marks = bytearray(len(line))
    for pattern in _QUOTES:
        for match in pattern.finditer(line):
            marks[match.start() : match.end()] = b"\1" * (match.end() - match.start())
    return marks


def _is_asked(sentence: str, stop: str) -> bool:
    """Whether it is a question, or nothing that can be read."""
    return "?" in stop or "？" in stop or "?" in sentence or "？" in sentence or len(sentence) > LONGEST_SENTENCE


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())


def _prose(text: str) -> Iterator[str]:
    is_code = False
    for line in text.splitlines():
        if line.lstrip().startswith(_FENCE):
            is_code = not is_code
        elif not is_code and not _NOT_PROSE.match(line) and not _TRANSCRIPT.match(line):
            yield line


def marked(sentence: str, said_at: datetime | None, plain: Role = "start") -> Clause:
    """The sentence as one clause, with its dates marked; the word that leads to a date goes with it."""
    parts, pieces, spans = [], [], []
    at = 0
    for span in spans_in(sentence, said_at, plain=plain):
        lead = _LEAD_IN.search(sentence, max(at, span.begin - 16), span.begin)
        begin = max(at, lead.start() if lead else span.begin)
        parts.append(sentence[at:begin])
        pieces.append(sentence[begin : span.stop])
        spans.append(span)
        at = span.stop
    return Clause(MARK.join([*parts, sentence[at:]]), tuple(pieces), tuple(spans))


def split(whole: Clause, boundary: re.Pattern[str]) -> list[tuple[str, Clause]]:
    """The clauses of a sentence, each with the words of the boundary before it."""
    found = []
    begin, before = 0, ""
    for match in [*boundary.finditer(whole.text), None]:
        stop = match.start() if match else len(whole.text)
        place = whole.text.count(MARK, 0, begin)
        count = whole.text.count(MARK, begin, stop)
        dates = slice(place, place + count)
        found.append((before, Clause(whole.text[begin:stop], whole.pieces[dates], whole.spans[dates])))
        if match:
            begin, before = match.end(), match[0]
    return found
