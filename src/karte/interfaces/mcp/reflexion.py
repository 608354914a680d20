"""What the tools of Reflexion do."""

from __future__ import annotations

from typing import Final

from karte.domain.context import estimate_tokens
from karte.domain.mistakes import Evidence, MistakeEntry
from karte.interfaces.mcp.arguments import Values
from karte.interfaces.mcp.handlers import Desk
from karte.interfaces.mcp.results import cut
from karte.interfaces.records import JsonObject
from karte.interfaces.reflexion_records import mistake_outcome, rule_object

DEFAULT_BUDGET: Final = 1_500
MOST_BUDGET: Final = 20_000
"""A reply has its own bound; so many tokens stay within it."""
LONGEST_SHOWN: Final = 10_000  # bytes; memory_read gives the whole
_OF_EVIDENCE: Final = ("tool", "error_kind", "excerpt")


def record_mistake(desk: Desk, values: Values) -> JsonObject:
    """``memory_record_mistake``."""
    evidence = {name: values[name] for name in _OF_EVIDENCE if name in values}
    fields = {name: value for name, value in values.items() if name not in _OF_EVIDENCE}
    entry = MistakeEntry(
        **fields,
        agent_id=desk.agent,
        origin=desk.principal.origin,
        evidence=Evidence(**evidence) if evidence else None,
    )
    return mistake_outcome(desk.engine.record_mistake(entry))


def context(desk: Desk, values: Values) -> JsonObject:
    """``memory_context``."""
    block = desk.engine.build_context(
        desk.agent,
        values["message"],
        values.get("budget_tokens", DEFAULT_BUDGET),
        user=values.get("user"),
        audience=values.get("audience", "private"),
        valid_at=values.get("valid_at"),
    )
    return {"context": block, "tokens": estimate_tokens(block)}


def rules(desk: Desk) -> JsonObject:
    """The resource ``karte://rules``: the standing rules."""
    found = [rule_object(rule) for rule in desk.engine.list_rules(desk.agent)]
    short = [{**rule, "content": cut(rule["content"], LONGEST_SHOWN)} for rule in found]
    return {"rules": short, "total": len(short)}
