"""What becomes of rules: listed, judged, retired, restored, and worded anew by a person."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from karte.domain.drafts import checked_name, checked_origin, checked_text
from karte.domain.events import EventKind, NewEvent
from karte.domain.mistakes import MistakeCategory
from karte.domain.reflexion import RULE_PREDICATE, plan_restatement, subject_of
from karte.domain.rule_feedback import has_failed, with_judgement, with_use
from karte.domain.rule_versions import standing_sources
from karte.domain.rules import Rule
from karte.domain.stored import StoredMemory
from karte.domain.time import to_datetime
from karte.domain.trust import Authority, authority_of
from karte.errors import Conflict, InvalidInput, NotFound, Refused
from karte.service.ends import end_owned
from karte.service.rules import OWNER, rows_of_rule, standing_row, version_of, write_plan, write_version
from karte.service.scanning import guarded
from karte.service.services import Services
from karte.service.transactions import reading, writing
from karte.storage.protocol import Session

LONGEST_WORDING: Final = 10_000
HARMS: Final = "it harmed more than it helped"


def list_rules(services: Services, agent: str, *, with_retired: bool = False) -> list[Rule]:
    """The agent's rules, the most severe category first."""
    checked_name(agent, "agent")
    with reading(services) as session:
        found = [_rule(session, agent, category) for category in MistakeCategory]
    return [rule for rule in found if rule is not None and (with_retired or rule.state == "standing")]


def rule_feedback(services: Services, agent: str, id: str, helped: bool) -> Rule:
    """Says that a rule was applied, and whether that helped; one that harms more than it helps retires."""
    if not isinstance(helped, bool):
        raise InvalidInput("neither true nor false", field="helped", value=helped, remedy="say True or False")
    with writing(services) as session:
        category = _category_of(session, agent, id)
        life = session.rules.life(agent, category)
        life = replace(life, feedback=with_judgement(with_use(life.feedback), helped=helped))
        session.rules.put_life(agent, category, life)
        if has_failed(life.feedback) and life.retired_at is None:
            _retire(services, session, agent, category, HARMS)
        return _expect(session, agent, category)


def retire_rule(services: Services, agent: str, id: str, *, reason: str = "") -> Rule:
    """Takes a rule out of force; its lessons stay, and ``restore_rule`` or its next mistakes bring it back."""
    why = checked_text(reason, "reason") if reason else "retired by a person"
    guarded(services, [("reason", why)], agent, None)
    with writing(services) as session:
        category = _category_of(session, agent, id)
        if session.rules.life(agent, category).retired_at is not None:
            raise Conflict("the rule is retired already", field="id", value=id)
        _retire(services, session, agent, category, why)
        return _expect(session, agent, category)


def restore_rule(services: Services, agent: str, id: str) -> Rule:
    """Puts a retired rule in force again with all its lessons; its feedback starts anew."""
    with writing(services) as session:
        category = _category_of(session, agent, id)
        if session.rules.life(agent, category).retired_at is None:
            raise Conflict("the rule is in force", field="id", value=id)
        versions = [version_of(row) for row in rows_of_rule(session, agent, category)]
        plan = plan_restatement(category, versions, None, session.mistakes.withdrawn(agent))
        if plan is None:
            raise Conflict("nothing is left that supports the rule", field="id", value=id)
        write_plan(services, session, agent, category, plan)
        return _expect(session, agent, category)


def edit_rule(services: Services, agent: str, id: str, text: str, *, origin: str | None = None) -> Rule:
    """Words a rule anew, on a person's account; later mistakes are added behind. No more trusted than before.

    Looking at it settles why it was flagged.
    """
    worded = checked_text(text, "text", LONGEST_WORDING)
    who = checked_origin(services.default_origin if origin is None else origin)
    if authority_of(who, 1.0) is Authority.UNVERIFIED:
        raise Refused(
            "nobody vouches for this source", field="origin", value=who, remedy="let a person word the rule anew"
        )
    guarded(services, [("text", worded)], agent, who)
    with writing(services) as session:
        category = _category_of(session, agent, id)
        row = standing_row(session, agent, category)
        if row is None:
            raise Conflict("the rule is retired", field="id", value=id, remedy="restore it first")
        version = version_of(row)
        metadata = {key: value for key, value in version.metadata.items() if key not in ("reaffirmed_by", "continues")}
        write_version(
            services,
            session,
            agent,
            category,
            content=worded,
            metadata=metadata,
            trust=row.origin_trust,
            origin=who,
            is_scanned=True,
        )
        life = session.rules.life(agent, category)
        session.rules.put_life(agent, category, replace(life, flagged_because=None))
        return _expect(session, agent, category)


def _retire(services: Services, session: Session, agent: str, category: MistakeCategory, why: str) -> None:
    end_owned(services, session, agent, subject_of(category), RULE_PREDICATE, owner=OWNER)
    life = session.rules.life(agent, category)
    session.rules.put_life(agent, category, replace(life, retired_at=session.now, retired_because=why))
    session.events.emit(
        NewEvent(
            kind=EventKind.RULE,
            agent_id=agent,
            subject=subject_of(category),
            data={"status": "retired", "reason": why},
        ),
        session.now,
    )


def _category_of(session: Session, agent: str, id: str) -> MistakeCategory:
    """The category of the rule of which a version has this id."""
    checked_name(agent, "agent")
    row = session.memories.get(agent, checked_name(id, "id"))
    if row is not None:
        for category in MistakeCategory:
            if any(version.id == id for version in rows_of_rule(session, agent, category)):
                return category
    raise NotFound("no such rule", field="id", value=id, remedy="look at the list of rules")


def _expect(session: Session, agent: str, category: MistakeCategory) -> Rule:
    rule = _rule(session, agent, category)
    if rule is None:
        raise NotFound("no such rule", field="category", value=category.value)
    return rule


def _rule(session: Session, agent: str, category: MistakeCategory) -> Rule | None:
    rows = rows_of_rule(session, agent, category)
    life = session.rules.life(agent, category)
    shown: StoredMemory | None = standing_row(session, agent, category)
    if shown is None and life.retired_at is not None and rows:
        shown = rows[-1]
    if shown is None:
        return None
    return Rule(
        id=shown.id,
        category=category,
        content=shown.content,
        origin_trust=shown.origin_trust,
        sources=standing_sources([version_of(row) for row in rows]).count,
        state="standing" if life.retired_at is None else "retired",
        since=to_datetime(shown.starts_at),
        applied=life.feedback.applied,
        helped=life.feedback.helped,
        harmed=life.feedback.harmed,
        retired_at=None if life.retired_at is None else to_datetime(life.retired_at),
        retired_because=life.retired_because,
        flagged_because=life.flagged_because,
    )
