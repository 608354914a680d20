"""What a rule was made of: the lessons of its mistakes, kept beside its text so that none is ever read out of it.

A rule's metadata holds a ``RuleSources`` under ``SOURCES_KEY``: one ``Source`` a mistake, with its lesson whole, where
it came from and how far it is trusted. It is cumulative: a later version names the sources of the earlier ones too, the
newest first, while all of it stays within ``ROOM``; ``earlier`` counts those that only earlier versions name. The
sources that a version adds are always in its own metadata, so all versions together never lose one, and no version
grows with the age of the rule.

A person may word a rule anew (``karte.domain.rule_versions``). That text is the rule's ``wording``, and the sources
until then are *worded*: it speaks for them, so their lessons are not said a second time. The wording is kept with the
version in which it was said, by whom and when, so that it can be taken back with its author. ``digest`` is that of the
text that was written with the sources: by it a text is known that a person has changed.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any, Final

from karte.domain.mistakes import MistakeEntry, instant_of, trust_of
from karte.domain.trust import UNATTRIBUTED, origin_trust
from karte.errors import InvalidInput

SOURCES_KEY: Final = "reflexion"
ROOM: Final = 60_000
"""Characters of JSON in which earlier sources are named again."""
_VERSION: Final = 1
_OF_WORDING: Final = "wording:"
"""Marks the id of a version among those of mistakes that were taken back: its wording counts no more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """The lesson of one mistake. ``is_worded``: a person's wording of the rule speaks for it."""

    id: str | None
    lesson: str
    ground_truth: str | None = None
    recorded_at: str = ""
    origin: str | None = None
    trust: float = 1.0
    is_worded: bool = False

    @property
    def order(self) -> tuple[str, str, str, str]:
        """Sorts by when it happened, and then by what never depends on the order of what was given."""
        return self.recorded_at, self.id or "", self.lesson, self.ground_truth or ""

    def to_json(self) -> dict[str, Any]:
        """The source as a JSON object; what is not known is left out."""
        written = {
            "id": self.id,
            "lesson": self.lesson,
            "ground_truth": self.ground_truth,
            "at": self.recorded_at or None,
            "origin": self.origin,
            "trust": self.trust,
            "worded": self.is_worded or None,
        }
        return {key: value for key, value in written.items() if value is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """What a person worded, in the version of this id, by whom, and when (where that is known)."""

    text: str
    version: str | None = None
    origin: str | None = None
    said_at: str = ""

    @property
    def mark(self) -> str:
        """What names it among the ids of mistakes that were taken back."""
        return f"{_OF_WORDING}{self.version}"

    def to_json(self) -> dict[str, str]:
        """The wording as a JSON object."""
        known = {"text": self.text, "version": self.version, "origin": self.origin, "at": self.said_at or None}
        return {name: value for name, value in known.items() if value is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSources:
    """What a rule was made of, the oldest source first."""

    sources: tuple[Source, ...] = ()
    wording: Wording | None = None
    earlier: int = 0
    digest: str = ""

    @property
    def count(self) -> int:
        """The mistakes of all versions."""
        return len(self.sources) + self.earlier

    @property
    def ids(self) -> frozenset[str]:
        """The ids of the mistakes that are named."""
        return frozenset(source.id for source in self.sources if source.id is not None)

    def of_origin(self, origin: str) -> frozenset[str]:
        """The ids of the mistakes that exactly this origin told of."""
        return frozenset(source.id for source in self.sources if source.id is not None and source.origin == origin)

    def to_json(self) -> dict[str, Any]:
        """What a rule's metadata holds under ``SOURCES_KEY``."""
        written: dict[str, Any] = {"version": _VERSION, "digest": self.digest}
        if self.earlier:
            written["earlier"] = self.earlier
        if self.wording is not None:
            written["wording"] = self.wording.to_json()
        return {**written, "sources": [source.to_json() for source in self.sources]}


def source_of(mistake: MistakeEntry) -> Source:
    """What a mistake gives to a rule: its corrective insight, or else what went wrong, on one line."""
    return Source(
        id=mistake.id,
        lesson=_line(mistake.corrective_insight) or _line(mistake.what_went_wrong),
        ground_truth=_line(mistake.ground_truth) or None,
        recorded_at=instant_of(mistake),
        origin=mistake.origin,
        trust=trust_of(mistake),
    )


def digest_of(content: str) -> str:
    """By which a text that was written with its sources is known again."""
    return blake2b(content.encode("utf-8"), digest_size=16).hexdigest()


def read_sources(metadata: Mapping[str, Any]) -> RuleSources | None:
    """What the metadata of a rule says that it was made of; None where nothing or nothing readable is there."""
    written = metadata.get(SOURCES_KEY)
    if not isinstance(written, Mapping) or written.get("version") != _VERSION:
        return None
    wording, earlier = _read_wording(written.get("wording")), written.get("earlier", 0)
    named, digest = written.get("sources"), written.get("digest")
    if not isinstance(named, list | tuple) or not isinstance(digest, str):
        return None
    if wording is None and written.get("wording") is not None:
        return None
    sources = [_read_source(each) for each in named]
    if type(earlier) is not int or earlier < 0 or None in sources:
        return None
    known = tuple(source for source in sources if source is not None)
    return RuleSources(sources=known, wording=wording, earlier=earlier, digest=digest)


def with_sources(sources: RuleSources, added: Iterable[Source]) -> RuleSources:
    """With further sources, each mistake once; one that is known already stays as it is."""
    known = set(sources.ids)
    fresh = []
    for source in added:
        if source.id is None or source.id not in known:
            fresh.append(source)
            known |= {source.id} if source.id is not None else set()
    return replace(sources, sources=tuple(sorted((*sources.sources, *fresh), key=lambda each: each.order)))


def joined(older: RuleSources, later: RuleSources, *, earlier: int) -> RuleSources:
    """A later version's sources over those of earlier ones; the later knows best what is worded.

    A version without a wording takes none away: where one is not said any more, it was taken back (``surviving``).
    """
    known = later.ids
    kept = (source for source in older.sources if source.id is not None and source.id not in known)
    sources = tuple(sorted((*kept, *later.sources), key=lambda each: each.order))
    return RuleSources(sources=sources, wording=later.wording or older.wording, earlier=earlier)


def surviving(sources: RuleSources, poisoned: Collection[str]) -> RuleSources:
    """Without the mistakes that a poisoned origin told of, and without its wording: what is still supported.

    The lessons for which such a wording spoke speak for themselves again.
    """
    kept = tuple(source for source in sources.sources if source.id not in poisoned)
    if sources.wording is None or sources.wording.mark not in poisoned:
        return replace(sources, sources=kept)
    return replace(sources, sources=tuple(replace(source, is_worded=False) for source in kept), wording=None)


def within_room(sources: RuleSources, own: Collection[str | None]) -> RuleSources:
    """The sources that a version names: its own, and as many of the earlier ones as there is room for, newest first."""
    kept: list[Source] = []
    room = ROOM
    is_full = False
    for source in reversed(sources.sources):
        size = len(json.dumps(source.to_json(), ensure_ascii=False)) + 2
        is_own = source.id is None or source.id in own
        is_full = is_full or (not is_own and size > room)
        if is_own or not is_full:
            kept.append(source)
            room -= size
    left_out = len(sources.sources) - len(kept)
    return replace(sources, sources=tuple(reversed(kept)), earlier=sources.earlier + left_out)


def _read_wording(written: object) -> Wording | None:
    if not isinstance(written, Mapping) or not isinstance(written.get("text"), str):
        return None
    version, origin, at = (written.get(name) for name in ("version", "origin", "at"))
    if not all(isinstance(each, str | None) for each in (version, origin, at)):
        return None
    return Wording(text=written["text"], version=version, origin=origin, said_at=at or "")


def _read_source(written: object) -> Source | None:
    if not isinstance(written, Mapping):
        return None
    lesson, trust = written.get("lesson"), written.get("trust")
    rest = [written.get(key) for key in ("id", "ground_truth", "at", "origin")]
    if not isinstance(lesson, str) or not all(isinstance(each, str | None) for each in rest):
        return None
    id, truth, at, origin = rest
    try:
        counted = origin_trust(origin or UNATTRIBUTED, trust, ())
    except InvalidInput:
        return None
    return Source(
        id=id,
        lesson=lesson,
        ground_truth=truth,
        recorded_at=at or "",
        origin=origin,
        trust=counted,
        is_worded=written.get("worded") is True,
    )


def _line(text: str | None) -> str:
    return " ".join((text or "").split())
