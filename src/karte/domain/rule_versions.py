"""The live versions of a rule together: what they were made of, what a person said, and how each stands when poisoned.

A version whose text is not the one that was written with its sources, or that has no sources, is a person's: its text
is the wording of the rule from there on. All live versions have to be given, the oldest first, because a late one does
not name the sources of early ones for ever (``karte.domain.lessons``).

A version *adds* the sources that no version before it names. When all that it adds are poisoned, nothing else supported
it, and it falls; any other version that names a poisoned source is flagged. What a person worded never falls by itself.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from karte.domain.lessons import RuleSources, Wording, digest_of, joined, read_sources
from karte.domain.rule_text import wording_in


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleVersion:
    """A live version of a rule, as its row has it."""

    id: str
    content: str
    origin_trust: float
    metadata: Mapping[str, Any]
    origin: str | None = None
    learned_at: str = ""

    @property
    def sources(self) -> RuleSources | None:
        """What it was made of; None where a person wrote it."""
        return read_sources(self.metadata)

    @property
    def is_edited(self) -> bool:
        """Whether its text is a person's."""
        sources = self.sources
        return sources is None or sources.digest != digest_of(self.content)


class Soundness(StrEnum):
    """How a version stands once some of its sources are known to be poisoned."""

    SOUND = "sound"
    FLAGGED = "flagged"
    """It names a poisoned source beside others."""
    FALLEN = "fallen"
    """Only poisoned sources supported it."""


def standing_sources(versions: Sequence[RuleVersion], poisoned: Collection[str] = ()) -> RuleSources:
    """What the live versions of a rule together were made of, persons' wordings included.

    Of several wordings the one said last counts, of those that are not among what is ``poisoned``.
    """
    together: RuleSources | None = None
    said: list[Wording] = []
    for version in versions:
        own = version.sources
        if own is not None:
            # What the first version leaves out, no other of these names.
            together = own if together is None else joined(together, own, earlier=together.earlier)
            said += [own.wording] if own.wording is not None else []
        if version.is_edited:
            together = together or RuleSources()
            worded = tuple(replace(source, is_worded=True) for source in together.sources)
            together = replace(together, sources=worded)
            said.append(_wording_of(version))
    standing = [wording for wording in said if wording.mark not in poisoned]
    wording = max(reversed(standing), key=lambda each: each.said_at, default=None)
    return replace(together or RuleSources(), wording=wording or (said[-1] if said else None))


def wordings_of(versions: Sequence[RuleVersion]) -> tuple[Wording, ...]:
    """Every wording that a version says or carries on."""
    carried = [own.wording for version in versions if (own := version.sources) is not None and own.wording is not None]
    return (*carried, *(_wording_of(version) for version in versions if version.is_edited))


def _wording_of(version: RuleVersion) -> Wording:
    return Wording(
        text=wording_in(version.content), version=version.id, origin=version.origin, said_at=version.learned_at
    )


def soundness_of(versions: Sequence[RuleVersion], poisoned: Collection[str]) -> tuple[Soundness, ...]:
    """How each of the versions stands when these mistakes are poisoned."""
    known: frozenset[str] = frozenset()
    found = []
    for version in versions:
        named = (version.sources or RuleSources()).ids
        added = frozenset() if version.is_edited else named - known
        found.append(_soundness(named, added, frozenset(poisoned)))
        known |= named
    return tuple(found)


def _soundness(named: frozenset[str], added: frozenset[str], poisoned: frozenset[str]) -> Soundness:
    if not named & poisoned:
        return Soundness.SOUND
    return Soundness.FALLEN if added and added <= poisoned else Soundness.FLAGGED
