"""What a tool is: what a client is told of it, who may call it, and what it does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from karte.domain.scopes import Scope
from karte.interfaces.mcp.arguments import Param, Values
from karte.interfaces.mcp.handlers import Desk
from karte.interfaces.mcp.schemas import Schema
from karte.interfaces.records import JsonObject

Lane: TypeAlias = Literal["write", "search", "read"]
"""Calls of one lane wait for each other, not for those of the others: see ``application``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One tool: what a client is told, who may call it, and what it does."""

    name: str
    title: str
    says: str
    scope: Scope
    lane: Lane
    params: tuple[Param, ...]
    answers: Schema
    run: Callable[[Desk, Values], JsonObject]
    is_read_only: bool = False
    is_destructive: bool = False
    is_idempotent: bool = False


def name(called: str, says: str, *, required: bool = False) -> Param:
    """An argument that is a text."""
    return Param(name=called, kind="string", says=says, required=required)
