"""The notebook of mistakes: what is noted, what is read, and how three of a kind become one rule."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final, Literal

from karte.domain.drafts import checked_name
from karte.domain.events import EventKind, NewEvent
from karte.domain.mistakes import (
    MistakeCategory,
    MistakeEntry,
    category_of,
    checked_mistake,
    newest_first,
    plan_retention,
    resolved_horizon,
    trust_of,
)
from karte.domain.past_mistakes import past_mistakes_markdown
from karte.domain.reflexion import (
    DEFAULT_CONSOLIDATE_THRESHOLD,
    AlreadySaid,
    ExtendRule,
    NewRule,
    NothingToDo,
    plan_consolidation,
)
from karte.domain.rules import MistakeOutcome, RuleOutcome
from karte.domain.time import FIRST_INSTANT, to_datetime
from karte.domain.topics import by_topic, keywords_of
from karte.domain.trust import checked_number
from karte.errors import DuplicateId, InvalidInput
from karte.service.recall import checked_limit, storable
from karte.service.rules import rows_of_rule, version_of, write_version
from karte.service.scanning import Hit, guarded
from karte.service.services import Services
from karte.service.transactions import reading, writing
from karte.storage.protocol import Session

MOST_READ: Final = 1_000
SHOWN_IN_A_PROMPT: Final = 3


def record(
    services: Services, entry: MistakeEntry, *, threshold: int = DEFAULT_CONSOLIDATE_THRESHOLD
) -> MistakeOutcome:
    """Notes a mistake; where that makes ``threshold`` of its category, they become a rule in the same transaction."""
    least = checked_threshold(threshold)
    noted = looked_over(services, entry)
    with writing(services) as session:
        return note(services, session, noted, is_now=entry.timestamp is None, threshold=least)


def looked_over(services: Services, entry: MistakeEntry) -> MistakeEntry:
    """The mistake as it may be noted: checked, and let through by the scan."""
    noted = checked_mistake(entry, id=services.new_id(), now=FIRST_INSTANT, default_origin=services.default_origin)
    guarded(services, _texts(noted), noted.agent_id, noted.origin)
    return noted


def note(services: Services, session: Session, noted: MistakeEntry, *, is_now: bool, threshold: int) -> MistakeOutcome:
    """Notes what was looked over, in the transaction of the caller; ``is_now``: it happened just now."""
    id = noted.id or ""
    if session.mistakes.is_taken(id):
        raise DuplicateId(
            "a mistake has this id already", field="id", value=id, remedy="leave the id out, or use another"
        )
    if is_now:
        noted = replace(noted, timestamp=to_datetime(session.now))
    session.mistakes.add(noted, session.now)
    rule = consolidate(services, session, noted.agent_id, noted.category, threshold)
    going = plan_retention(session.mistakes.kept(noted.agent_id))
    session.mistakes.delete(going)
    session.mistakes.prune(noted.agent_id, resolved_horizon(session.now))
    return MistakeOutcome(id=id, rule=rule, kept=id not in going)


def maybe_consolidate(
    services: Services, agent: str, category: str, threshold: int = DEFAULT_CONSOLIDATE_THRESHOLD
) -> RuleOutcome:
    """Makes one rule of all unresolved mistakes of a category, if there are so many."""
    checked_name(agent, "agent")
    least = checked_threshold(threshold)
    with writing(services) as session:
        return consolidate(services, session, agent, category_of(category), least)


def consolidate(
    services: Services, session: Session, agent: str, category: MistakeCategory, threshold: int
) -> RuleOutcome:
    """The same in the transaction of the caller: the rule and the resolved mistakes, or neither."""
    if session.mistakes.count(agent).get(category, 0) < threshold:
        return RuleOutcome(status="waiting", category=category, waiting=session.mistakes.count(agent).get(category, 0))
    mistakes = [m for m, _ in session.mistakes.unresolved(agent) if m.category is category]
    versions = [version_of(row) for row in rows_of_rule(session, agent, category)]
    poisoned = session.mistakes.withdrawn(agent)
    waiting = len(mistakes)
    while True:
        plan = plan_consolidation(category, mistakes, versions, threshold=threshold, poisoned=poisoned)
        match plan:
            case NothingToDo():
                status: Literal["waiting", "refused"] = "waiting" if len(mistakes) == waiting else "refused"
                return RuleOutcome(status=status, category=category, waiting=waiting)
            case AlreadySaid():
                session.mistakes.resolve(agent, plan.resolved, session.now)
                return RuleOutcome(status="known", category=category, id=plan.standing, resolved=plan.resolved)
            case NewRule() | ExtendRule():
                written = _written(services, session, agent, category, plan)
        if written is not None:
            return written
        least = min(map(trust_of, mistakes))  # none of them did alone: whom we trust least waits, and holds up nobody
        mistakes = [mistake for mistake in mistakes if trust_of(mistake) > least]


def _written(
    services: Services, session: Session, agent: str, category: MistakeCategory, plan: NewRule | ExtendRule
) -> RuleOutcome | None:
    """The outcome of a rule that is written; None where all its lessons together read like an instruction."""
    status: Literal["new", "extended"] = "new" if isinstance(plan, NewRule) else "extended"
    try:
        id = write_version(
            services,
            session,
            agent,
            category,
            content=plan.content,
            metadata=plan.metadata,
            trust=plan.origin_trust,
        )
    except Hit as hit:
        session.events.emit(hit.event, session.now)
        return None
    session.mistakes.resolve(agent, plan.resolved, session.now)
    session.events.emit(
        NewEvent(
            kind=EventKind.RULE,
            agent_id=agent,
            subject=f"category:{category}",
            data={"id": id, "status": status, "mistakes": list(plan.resolved)},
        ),
        session.now,
    )
    return RuleOutcome(status=status, category=category, id=id, resolved=plan.resolved)


def query_by_agent(services: Services, agent: str, limit: int = 10) -> list[MistakeEntry]:
    """What no rule speaks for yet: the newest day first, within a day the more severe."""
    most = checked_limit(limit, MOST_READ)
    return newest_first(_unresolved(services, agent))[:most]


def query_by_topic(
    services: Services, keywords: str | Sequence[str], agent: str, limit: int = 10
) -> list[MistakeEntry]:
    """What bears on the keywords, best first."""
    most = checked_limit(limit, MOST_READ)
    words = keywords_of(keywords) if isinstance(keywords, str) else _checked_words(keywords, "keywords")
    checked_name(agent, "agent")
    with reading(services) as session:
        return list(by_topic(words, session.mistakes.unresolved(agent), most))


def count_unresolved_by_category(services: Services, agent: str) -> dict[MistakeCategory, int]:
    """How many wait for a rule, by category."""
    checked_name(agent, "agent")
    with reading(services) as session:
        found = session.mistakes.count(agent)
    return {category: found[category] for category in MistakeCategory if category in found}


def query_unresolved_by_category(services: Services, agent: str, category: str) -> list[MistakeEntry]:
    """What waits for a category's rule, newest first."""
    wanted = category_of(category)
    return newest_first(mistake for mistake in _unresolved(services, agent) if mistake.category is wanted)


def mark_resolved(services: Services, ids: Sequence[str], agent: str) -> int:
    """They need no rule; how many of the agent's own were unresolved."""
    checked_name(agent, "agent")
    named = _checked_words(ids, "ids")
    with writing(services) as session:
        return session.mistakes.resolve(agent, named, session.now)


def reopen(services: Services, ids: Sequence[str], agent: str) -> int:
    """They count as unresolved again; how many of the agent's own were resolved."""
    checked_name(agent, "agent")
    named = _checked_words(ids, "ids")
    with writing(services) as session:
        return session.mistakes.reopen(agent, named)


def listed(services: Services, agent: str, limit: int = 50, *, with_resolved: bool = False) -> list[MistakeEntry]:
    """The latest mistakes, with those that a rule speaks for if wanted."""
    checked_name(agent, "agent")
    most = checked_limit(limit, MOST_READ)
    with reading(services) as session:
        return session.mistakes.recent(agent, most, with_resolved=bool(with_resolved))


def bearing_on(services: Services, agent: str, message: str) -> list[MistakeEntry]:
    """The mistakes that bear on a message: by its keywords, else the newest."""
    words = keywords_of(message)
    found = query_by_topic(services, words, agent, SHOWN_IN_A_PROMPT) if words else []
    return found or query_by_agent(services, agent, SHOWN_IN_A_PROMPT)


def past_mistakes_section(services: Services, agent: str, message: str) -> str:
    """The part of a prompt that tells of past mistakes; empty when there is none."""
    if not isinstance(message, str):
        raise InvalidInput("not text", field="message", value=message, remedy="give text")
    return past_mistakes_markdown(bearing_on(services, agent, storable(message)))


def checked_threshold(threshold: int) -> int:
    """How many mistakes make a rule: 1 or more."""
    if isinstance(threshold, bool) or not isinstance(threshold, int):
        raise InvalidInput("not a whole number", field="threshold", value=threshold, remedy="give 1 or more")
    return int(checked_number(threshold, "threshold", 1, 1_000_000))


def _unresolved(services: Services, agent: str) -> list[MistakeEntry]:
    checked_name(agent, "agent")
    with reading(services) as session:
        return [mistake for mistake, _ in session.mistakes.unresolved(agent)]


def _checked_words(words: Sequence[str], field: str) -> tuple[str, ...]:
    if isinstance(words, str) or not isinstance(words, Iterable):
        raise InvalidInput("not a list of texts", field=field, value=words, remedy="give a list of texts")
    return tuple(checked_name(word, field) for word in words)


def _texts(mistake: MistakeEntry) -> Iterator[tuple[str, str]]:
    """Every text of a mistake with the name of its field."""
    fields = (
        "what_went_wrong",
        "input_summary",
        "response_summary",
        "ground_truth",
        "corrective_insight",
        "session_id",
    )
    yield from ((name, text) for name in fields if (text := getattr(mistake, name)))
    if mistake.evidence is not None:
        evidence = mistake.evidence
        told = (("tool", evidence.tool), ("error_kind", evidence.error_kind), ("excerpt", evidence.excerpt))
        yield from ((f"evidence.{name}", text) for name, text in told if text)
