"""Subjects that belong to a part of Karte, and who may write about them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from karte.domain.entities import normalise, without_invisible
from karte.errors import ReservedName


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """The part that owns a family of subjects; ``is_open`` to whoever is not unverified."""

    part: str
    remedy: str
    is_open: bool = False


OWNERS: Final = {
    "user:": Owner(part="the profile of a person", remedy="the profile", is_open=True),
    "category:": Owner(part="the rules of the mistake notebook", remedy="the mistake notebook"),
    "decision:": Owner(part="open decisions", remedy="the decisions"),
    "wiki:auto/": Owner(part="knowledge pages", remedy="the pages"),
}


def check_not_owned(name: str, field: str) -> None:
    """Raises ``ReservedName`` for a subject that only a part of Karte writes about."""
    owner = owner_of(name)
    if owner is not None and not owner.is_open:
        raise ReservedName(
            f"this subject belongs to {owner.part}",
            field=field,
            value=name,
            remedy=f"use {owner.remedy}, or another subject",
        )


def owner_of(subject: str) -> Owner | None:
    """Whom a subject belongs to, however it is spelled; None for an ordinary one."""
    if not subject.isascii():
        subject = normalise(without_invisible(subject))  # a full-width colon, letters that nobody sees
    if ":" not in subject:
        return None
    name = normalise(subject).replace(" :", ":").replace(": ", ":")
    return next((owner for prefix, owner in OWNERS.items() if name.startswith(prefix)), None)
