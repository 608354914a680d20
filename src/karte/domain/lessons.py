"""What a rule was made of: the lessons of its mistakes, kept beside its text so that none is ever read out of it.

A rule's metadata holds a ``RuleSources`` under ``SOURCES_KEY``: one ``Source`` a mistake, with its lesson whole, where
it came from and how far it is trusted. It is cumulative: a later version names the sources of the earlier ones too, the
newest first, while all of it stays within ``ROOM``; ``earlier`` counts those that only earlier versions name. The
sources that a version adds are always in its own metadata, so all versions together never lose one, and no version
grows with the age of the rule.

A person may word a rule anew (``karte.domain.rule_versions``). That text is the rule's ``wording``, and the sources
until then are *worded*: it speaks for them, so their lessons are not said a second time. ``digest`` is that of the text
that was written with the sources: by it a text is known that a person has changed.
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
class RuleSources:
    """What a rule was made of, the oldest source first."""

    sources: tuple[Source, ...] = ()
    wording: str | None = None
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
            written["wording"] = self.wording
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
    wording, earlier = written.get("wording"), written.get("earlier", 0)
    named, digest = written.get("sources"), written.get("digest")
    if not isinstance(named, list | tuple) or not isinstance(digest, str) or not isinstance(wording, str | None):
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
    """A later version's sources over those of earlier ones; the later knows best what is worded."""
    known = later.ids
    kept = (source for source in older.sources if source.id is not None and source.id not in known)
    sources = tuple(sorted((*kept, *later.sources), key=lambda each: each.order))
    return RuleSources(sources=sources, wording=later.wording, earlier=earlier)


def surviving(sources: RuleSources, poisoned: Collection[str]) -> RuleSources:
    """Without the mistakes that a poisoned origin told of: the lessons that are still supported."""
    return replace(sources, sources=tuple(source for source in sources.sources if source.id not in poisoned))


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
