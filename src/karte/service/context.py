"""The context block of a reply: rules, mistakes, core pages, profile and memories within the caller's budget."""

from __future__ import annotations

from typing import Final, Literal

from karte.domain.context import CountTokens, Section, block_of, estimate_tokens
from karte.domain.context_lines import (
    MEMORIES_HEADING,
    PAGES_HEADING,
    PROFILE_HEADING,
    PROFILE_SUBJECT,
    RULES_HEADING,
    has_private_tag,
    is_private,
    memory_line,
    page_lines,
    profile_line,
    rule_line,
)
from karte.domain.drafts import checked_name
from karte.domain.entities import names_of, normalise, subject_prefix
from karte.domain.knowledge_pages import KnowledgePage
from karte.domain.mistakes import MistakeCategory
from karte.domain.model import Instant, Memory
from karte.domain.past_mistakes import HEADING, NOTICE, past_mistake_line
from karte.domain.presenting import memory_of
from karte.domain.reserved import OWNERS, owner_of
from karte.domain.time import parse_instant
from karte.errors import InvalidInput
from karte.service.notebook import bearing_on
from karte.service.page_pointers import PREDICATE
from karte.service.page_reading import injected_pages
from karte.service.recall import search, storable
from karte.service.rules import OWNER as RULES
from karte.service.rules import standing_row
from karte.service.services import Services
from karte.service.transactions import reading

Audience = Literal["private", "group"]
LEAST_BUDGET: Final = 1
MOST_BUDGET: Final = 1_000_000
RECALLED: Final = 20
SHARE_OF_RULES: Final = 0.30
SHARE_OF_MISTAKES: Final = 0.12
SHARE_OF_PAGES: Final = 0.18
SHARE_OF_PROFILE: Final = 0.12
SHARE_OF_MEMORIES: Final = 0.28


def build_context(
    services: Services,
    agent: str,
    message: str,
    budget_tokens: int,
    *,
    user: str | None = None,
    audience: Audience = "private",
    valid_at: Instant | None = None,
    count_tokens: CountTokens | None = None,
) -> str:
    """The block for a message; leaves no trace, so that the same state gives the same bytes."""
    checked_name(agent, "agent")
    budget = _checked_budget(budget_tokens)
    if audience not in ("private", "group"):
        raise InvalidInput("no such audience", field="audience", value=audience, remedy='use "private" or "group"')
    if user is not None:
        checked_name(user, "user")
    if not isinstance(message, str):
        raise InvalidInput("not text", field="message", value=message, remedy="give text")
    sections = _sections(services, agent, storable(message), user, valid_at, is_group=audience == "group")
    return block_of(sections, budget, estimate_tokens if count_tokens is None else _checked_count(count_tokens))


def _sections(
    services: Services, agent: str, words: str, user: str | None, valid_at: Instant | None, *, is_group: bool
) -> list[Section]:
    """What bears on the words, in its order; nothing is told twice."""
    profile = [] if user is None or is_group else _profile(services, agent, user, valid_at)
    told = {fact.id for fact in profile}
    pages = _pages(services, agent, is_group=is_group)
    recalled = [
        memory
        for memory in _recalled(services, agent, words, valid_at, is_group=is_group)
        if memory.id not in told and not _points_to(memory, pages)
    ]
    return [
        Section(heading=RULES_HEADING, lines=_rules(services, agent), share=SHARE_OF_RULES),
        Section(
            heading=HEADING,
            notice=NOTICE,
            lines=[past_mistake_line(mistake) for mistake in bearing_on(services, agent, words)],
            share=SHARE_OF_MISTAKES,
        ),
        Section(
            heading=PAGES_HEADING,
            lines=[line for page, document in pages for line in page_lines(page, document)],
            share=SHARE_OF_PAGES,
        ),
        Section(heading=PROFILE_HEADING, lines=[profile_line(fact) for fact in profile], share=SHARE_OF_PROFILE),
        Section(heading=MEMORIES_HEADING, lines=[memory_line(memory) for memory in recalled], share=SHARE_OF_MEMORIES),
    ]


def _checked_count(count_tokens: CountTokens) -> CountTokens:
    """The caller's way of counting; an error where it gives no count. What it raises itself is the caller's own."""
    if not callable(count_tokens):
        raise InvalidInput(
            "cannot be called",
            field="count_tokens",
            value=count_tokens,
            remedy="give a function from a text to a count",
        )

    def count(text: str) -> int:
        found = count_tokens(text)
        if type(found) is not int or found < 0:
            raise InvalidInput("gave no count", field="count_tokens", value=found, remedy="give a whole number from 0")
        return found

    return count


def _rules(services: Services, agent: str) -> list[str]:
    """The standing rules, the most severe category first."""
    with reading(services) as session:
        standing = [(category, standing_row(session, agent, category)) for category in MistakeCategory]
    return [rule_line(category, row.content, row.origin_trust) for category, row in standing if row is not None]


Pages = list[tuple[KnowledgePage, str]]
"""Pages with what a reader sees of each."""


def _pages(services: Services, agent: str, *, is_group: bool) -> Pages:
    """The pages of the layers identity and core."""
    pages = injected_pages(services, agent)
    return [(page, document) for page, document in pages if not (is_group and has_private_tag(page.tags))]


def _points_to(memory: Memory, pages: Pages) -> bool:
    """Whether a memory is the pointer of a page that is told already."""
    return memory.predicate == PREDICATE and any(memory.object == page.path for page, _ in pages)


def _profile(services: Services, agent: str, user: str, valid_at: Instant | None) -> list[Memory]:
    """What is true of the user, in the order of the predicates."""
    at = None if valid_at is None else parse_instant(valid_at, "valid_at")
    with reading(services) as session:
        prefix = subject_prefix(_subject_of(user), session.names.resolve(agent))
        rows = session.timelines.all_at(agent, prefix, at or session.now)
        facts = [memory_of(row, session.now) for row in rows]
    return sorted(facts, key=lambda fact: (normalise(str(fact.predicate)), str(fact.object), fact.id))


def _subject_of(user: str) -> str:
    """The subject of a user's profile, whether he is named with or without its prefix."""
    name = user.strip()
    return name if owner_of(name) is OWNERS[PROFILE_SUBJECT] else f"{PROFILE_SUBJECT}{name}"


def _recalled(
    services: Services, agent: str, message: str, valid_at: Instant | None, *, is_group: bool
) -> list[Memory]:
    """The memories that bear on the message, best first; rules stand in a section of their own."""
    hits = search(services, agent, message, RECALLED, valid_at=valid_at, touch=False)
    if is_group:
        with reading(services) as session:
            aliases = session.names.aliases(agent)
        hits = [hit for hit in hits if not is_private(hit.memory, names_of(hit.memory.subject or "", aliases))]
    return [hit.memory for hit in hits if hit.memory.subject is None or owner_of(hit.memory.subject) is not RULES]


def _checked_budget(budget: int) -> int:
    if type(budget) is not int or not LEAST_BUDGET <= budget <= MOST_BUDGET:
        raise InvalidInput(
            "not a budget",
            field="budget_tokens",
            value=budget,
            remedy=f"give a whole number from {LEAST_BUDGET} to {MOST_BUDGET:,}",
        )
    return budget
