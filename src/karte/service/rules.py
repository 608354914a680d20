"""The versions of a category's rule on its timeline: read, written, ended, and settled from what still counts."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any, Final

from karte.domain.drafts import draft_of
from karte.domain.entities import identity_prefix
from karte.domain.mistakes import MistakeCategory
from karte.domain.model import MemoryEntry, TemporalMeta
from karte.domain.reflexion import (
    RULE_EVENT,
    RULE_LAYER,
    RULE_ORIGIN,
    RULE_PREDICATE,
    ExtendRule,
    NewRule,
    plan_restatement,
    subject_of,
)
from karte.domain.reserved import OWNERS
from karte.domain.retraction import ItemKind, OperationItem
from karte.domain.rule_feedback import RuleFeedback
from karte.domain.rule_versions import RuleVersion, Soundness, soundness_of, standing_sources, wordings_of
from karte.domain.stored import StoredMemory, read_object
from karte.service.ends import end_owned
from karte.service.remember import store_prepared
from karte.service.scanning import scan, texts_of
from karte.service.services import Services
from karte.service.withdrawing import Withdrawal
from karte.storage.protocol import Session

OWNER: Final = OWNERS["category:"]


def identity_of_rule(session: Session, agent: str, category: MistakeCategory) -> str:
    """What the identities of a rule's versions begin with."""
    return identity_prefix(subject_of(category), RULE_PREDICATE, session.names.resolve(agent))


def rows_of_rule(session: Session, agent: str, category: MistakeCategory) -> list[StoredMemory]:
    """The live versions of a rule, each once, the oldest first."""
    identity = identity_of_rule(session, agent, category)
    rows = session.timelines.history(agent, identity, is_prefix=True)
    made = {row.assertion: row for row in reversed(rows) if row.is_live and row.is_made}
    return [made[order] for order in sorted(made, key=lambda order: order or 0)]


def standing_row(session: Session, agent: str, category: MistakeCategory) -> StoredMemory | None:
    """The version that holds now, or None."""
    holding = session.timelines.all_at(agent, identity_of_rule(session, agent, category), session.now)
    return max(holding, key=lambda row: row.assertion or 0, default=None)


def version_of(row: StoredMemory) -> RuleVersion:
    """A row as the rules of Reflexion see it."""
    metadata = read_object(row.metadata_json)
    return RuleVersion(
        id=row.id,
        content=row.content,
        origin_trust=row.origin_trust,
        metadata=metadata,
        origin=row.origin,
        learned_at=row.ingested_at or "",
    )


def write_version(
    services: Services,
    session: Session,
    agent: str,
    category: MistakeCategory,
    *,
    content: str,
    metadata: Mapping[str, Any],
    trust: float,
    origin: str = RULE_ORIGIN,
    is_scanned: bool = False,
) -> str:
    """Writes the next version, true from now on; gives its id. Raises ``Hit`` where the scan matches."""
    entry = MemoryEntry(content=content, agent_id=agent, layer=RULE_LAYER, source_event=RULE_EVENT)
    meta = TemporalMeta(
        subject=subject_of(category),
        predicate=RULE_PREDICATE,
        origin=origin,
        origin_trust=trust,
    )
    draft = draft_of(entry, meta, services.default_origin)
    # not the caller's: his bound must not keep a lesson out
    draft = draft._replace(metadata=json.dumps(metadata, ensure_ascii=False, separators=(",", ":")))
    if not is_scanned:
        scan(services, texts_of(draft), agent, origin)
    if services.vectors is not None:
        services.vectors.left_behind()  # an embedder may take its time, and the file is held
    life = session.rules.life(agent, category)
    if life.retired_at is not None:
        back = replace(life, feedback=RuleFeedback(), retired_at=None, retired_because=None)
        session.rules.put_life(agent, category, back)
    return store_prepared(services, session, draft, owner=OWNER).id or ""


Versions = dict[MistakeCategory, list[RuleVersion]]
"""The live versions of rules, the oldest first."""


def versions_of(session: Session, agent: str) -> Versions:
    """The versions of all rules of an agent."""
    rows = {category: rows_of_rule(session, agent, category) for category in MistakeCategory}
    return {category: [version_of(row) for row in found] for category, found in rows.items()}


def write_plan(
    services: Services, session: Session, agent: str, category: MistakeCategory, plan: NewRule | ExtendRule
) -> str:
    """Writes what was planned out of lessons that the scan has let through already; gives the version's id."""
    return write_version(
        services,
        session,
        agent,
        category,
        content=plan.content,
        metadata=plan.metadata,
        trust=plan.origin_trust,
        is_scanned=True,
    )


def settle_rules(services: Services, session: Session, agent: str, versions_by_category: Versions) -> None:
    """Lets each rule say what counts now, and no more: after a purge, an undo or a change of owner.

    A rule that itself was taken back (it is of an origin too) is said again with the lessons that others taught; one
    that was retired stays so. What it says was scanned when it was noted, and all of it when it became a rule.
    """
    poisoned = session.mistakes.withdrawn(agent)
    for category, versions in versions_by_category.items():
        life = session.rules.life(agent, category)
        if life.flagged_because and not standing_sources(versions).ids & poisoned:  # all is given back
            life = replace(life, flagged_because=None)
            session.rules.put_life(agent, category, life)
        if life.retired_at is not None and rows_of_rule(session, agent, category):
            continue  # restoring it will ask what counts
        row = standing_row(session, agent, category)
        plan = plan_restatement(category, versions, None if row is None else version_of(row), poisoned)
        if plan is None:
            continue
        write_plan(services, session, agent, category, plan)
        if life.retired_at is not None:
            end_owned(services, session, agent, subject_of(category), RULE_PREDICATE, owner=OWNER)
            session.rules.put_life(agent, category, life)


def withdraw_mistakes(session: Session, withdrawal: Withdrawal, agent: str, origin: str, since: str) -> Versions:
    """Takes back what an origin told of mistakes; the rules that only it supported fall, the others are flagged.

    Gives the rules, as they were before, that have to be settled once the operation is on record.
    """
    gone = set(session.mistakes.of_origin(agent, origin, since))
    recorded = session.mistakes.recorded(agent, origin)
    touched: Versions = {}
    for category in MistakeCategory:
        rows = rows_of_rule(session, agent, category)
        versions = [version_of(row) for row in rows]
        standing = standing_sources(versions)
        told = [source for source in standing.sources if source.origin == origin and source.id]
        own_words = {each.mark for each in wordings_of(versions) if each.origin == origin and each.said_at >= since}
        gone |= own_words
        gone |= {source.id or "" for source in told if recorded.get(source.id or "", source.recorded_at) >= since}
        soundness = soundness_of(versions, gone | session.mistakes.withdrawn(agent))
        is_sound = all(each is Soundness.SOUND for each in soundness) and not own_words
        if is_sound and all(row.origin != origin for row in rows):
            continue
        own = (row.origin == origin and (row.ingested_at or "") >= since for row in rows)
        touched[category] = [v for v, is_own in zip(versions, own, strict=True) if not (is_own and v.is_edited)]
        _take_back(session, withdrawal, rows, soundness)
        life = session.rules.life(agent, category)
        flagged = f"a source of it was taken back: {origin}"
        session.rules.put_life(agent, category, replace(life, flagged_because=flagged))
    withdrawal.items += [OperationItem(kind=ItemKind.MISTAKE, before="noted", memory_id=id) for id in sorted(gone)]
    return touched


def _take_back(
    session: Session, withdrawal: Withdrawal, rows: list[StoredMemory], soundness: Collection[Soundness]
) -> None:
    for row, found in zip(rows, soundness, strict=True):
        if found is Soundness.FALLEN and row.assertion is not None:
            order = row.assertion
            withdrawal.cover(order, session.assertions.identity_of(order), "live", row.id)
