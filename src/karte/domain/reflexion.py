"""Mistakes of one category become one rule, a later round extends it, and a poisoned one is taken out again.

**One rule.** A category has one rule of an agent: the fact ``category:<name> requires_care``. ``plan_consolidation``
makes of all unresolved mistakes either that fact or its next version, and every one of them is then resolved. A mistake
that the rule was made of already (it was opened again) adds nothing; the plan only resolves it.

**Trust.** A version is trusted as little as the least of everything that it says, and of the version before it:

    trust = min(ceiling of agent_derived, trust of every source, trust of every live version that names no poison)

so no round raises it; a repair is trusted as little as its sources and what a person worded.

**Poison.** ``karte.domain.rule_versions`` tells which versions a poisoned source flags, and which fall with it.
``plan_restatement`` says the same rule without it, trusted as little as the least of what is left.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

from karte.domain.drafts import OWN_METADATA
from karte.domain.entities import normalise
from karte.domain.lessons import (
    SOURCES_KEY,
    RuleSources,
    digest_of,
    source_of,
    surviving,
    with_sources,
    within_room,
)
from karte.domain.mistakes import MistakeCategory, MistakeEntry
from karte.domain.reserved import OWNERS, owner_of
from karte.domain.rule_text import text_of
from karte.domain.rule_versions import RuleVersion, Soundness, soundness_of, standing_sources
from karte.domain.trust import origin_trust
from karte.errors import ReservedName

DEFAULT_CONSOLIDATE_THRESHOLD: Final = 3
"""So many unresolved mistakes of a category become a rule."""
RULE_EVENT: Final = "reflexion_consolidation"
RULE_ORIGIN: Final = "agent_derived"
RULE_LAYER: Final = "semantic"
RULE_PREDICATE: Final = "requires_care"


@dataclass(frozen=True, slots=True, kw_only=True)
class NothingToDo:
    """Too few mistakes wait: so many."""

    waiting: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AlreadySaid:
    """The standing rule was made of all of them: they are only resolved."""

    standing: str
    resolved: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NewRule:
    """The first version of a category's rule, and the mistakes that it speaks for from now on."""

    content: str
    metadata: Mapping[str, Any]
    origin_trust: float
    resolved: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtendRule:
    """The next version of the rule whose ``standing`` version has this id."""

    standing: str
    content: str
    metadata: Mapping[str, Any]
    origin_trust: float
    resolved: tuple[str, ...] = ()


Consolidation: TypeAlias = NothingToDo | AlreadySaid | NewRule | ExtendRule


def subject_of(category: MistakeCategory) -> str:
    """The subject of a category's rule."""
    return f"category:{category}"


def check_is_no_rule(subject: str | None, predicate: str | None) -> None:
    """Raises ``ReservedName`` for a row of a rule: its mistakes would stay resolved and nothing speak for them."""
    owner = None if subject is None else owner_of(subject)
    if owner is OWNERS["category:"] and normalise(predicate or "") == RULE_PREDICATE:
        raise ReservedName(
            "a rule is not taken back like a memory", field="id", remedy="retire the rule, or word it anew"
        )


def synthesize_rule(
    category: MistakeCategory, mistakes: Iterable[MistakeEntry], standing: RuleSources | None = None
) -> str:
    """The text of the rule that these mistakes make, over what a standing one was made of; in any order the same."""
    return text_of(category, with_sources(standing or RuleSources(), map(source_of, mistakes)))


def plan_consolidation(
    category: MistakeCategory,
    mistakes: Iterable[MistakeEntry],
    versions: Sequence[RuleVersion] = (),
    *,
    threshold: int = DEFAULT_CONSOLIDATE_THRESHOLD,
    poisoned: Collection[str] = (),
) -> Consolidation:
    """What becomes of an agent's unresolved mistakes of a category.

    ``versions`` are all live versions of its rule, the oldest first; ``poisoned`` are the ids of mistakes that do not
    count, here or as sources.
    """
    waiting = [each for each in mistakes if each.category is category and not each.resolved and each.id not in poisoned]
    if len(waiting) < max(1, threshold):
        return NothingToDo(waiting=len(waiting))
    before = surviving(standing_sources(versions, poisoned), poisoned)
    together = with_sources(before, map(source_of, waiting))
    resolved = tuple(sorted(each.id for each in waiting if each.id is not None))
    if versions and together.count == before.count:
        return AlreadySaid(standing=versions[-1].id, resolved=resolved)
    content = text_of(category, together)
    metadata = _metadata(content, together, versions, own=resolved)
    trusts = [source.trust for source in together.sources]
    sound = zip(versions, soundness_of(versions, poisoned), strict=True)
    trusts += [version.origin_trust for version, found in sound if found is Soundness.SOUND]
    trust = origin_trust(RULE_ORIGIN, None, trusts)
    if not versions:
        return NewRule(content=content, metadata=metadata, origin_trust=trust, resolved=resolved)
    return ExtendRule(
        standing=versions[-1].id, content=content, metadata=metadata, origin_trust=trust, resolved=resolved
    )


def plan_restatement(
    category: MistakeCategory,
    versions: Sequence[RuleVersion],
    standing: RuleVersion | None,
    poisoned: Collection[str] = (),
) -> ExtendRule | None:
    """The rule as all that counts now says it; None where the standing version says so, or nothing counts.

    ``versions`` are the live ones, the oldest first; ``standing`` is the one that holds, None where the rule is to be
    brought back.
    """
    before = standing_sources(versions, poisoned)
    left = surviving(before, poisoned)
    if not versions or not (left.sources or left.wording):
        return None
    is_latest = standing is not None and standing.id == versions[-1].id
    if is_latest and left.count == before.count and versions[-1].is_edited:
        return None
    content = text_of(category, left)
    if standing is not None and standing.content == content:
        return None
    return ExtendRule(
        standing=versions[-1].id,
        content=content,
        # Where no version stands, none but this one can name what it was made of.
        metadata=_metadata(content, left, versions, own=left.ids if standing is None else ()),
        origin_trust=origin_trust(
            RULE_ORIGIN,
            None,
            [*(source.trust for source in left.sources), *(v.origin_trust for v in versions if v.is_edited)],
        ),
    )


def _metadata(
    content: str, sources: RuleSources, versions: Sequence[RuleVersion], own: Collection[str]
) -> Mapping[str, Any]:
    """The metadata of the next version: what others keep with the rule stays with it."""
    kept = {key: value for key, value in versions[-1].metadata.items() if key not in OWN_METADATA} if versions else {}
    named = replace(within_room(sources, own), digest=digest_of(content))
    return {**kept, SOURCES_KEY: named.to_json()}
