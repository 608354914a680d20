"""Erasing what is known of somebody, and giving it out: what is meant by a subject, and what is answered.

A subject is an exact name: normalised, and with every other name that is an alias of the same today. Nothing is ever
found by a part of a name or by words in a text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Final

from karte.domain.entities import SEPARATOR, normalise

EXPORT_FORMAT: Final = 1
"""The version of the JSONL that ``export`` writes and ``import_export`` reads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extent:
    """Whose memories are meant: of every agent, of one, or of one those about a subject.

    ``names`` None means all of them; ``with_objects`` takes in facts of others that name it as their object.
    """

    agent: str | None
    names: frozenset[str] | None = None
    with_objects: bool = False

    def is_named(self, text: object) -> bool:
        """Whether a text is one of the names, as names are compared."""
        return isinstance(text, str) and self.names is not None and normalise(text) in self.names

    def is_identity_named(self, identity: object) -> bool:
        """Whether the identity of a fact has one of the names as its subject (or object, where that counts)."""
        if not isinstance(identity, str) or self.names is None:
            return False
        subject, _, rest = identity.partition(SEPARATOR)
        if subject in self.names:
            return True
        _, is_many, name = rest.partition(f"{SEPARATOR}object{SEPARATOR}")
        return self.with_objects and bool(is_many) and name in self.names


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleaning:
    """Whether the bytes of what was deleted are gone from the file and its log; if not, why and what helps."""

    is_clean: bool
    remedy: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Erasure:
    """What erasing removed (a dry run: would remove).

    ``names`` are the normalised names that the subject goes by. ``removed`` counts rows by table, ``leftovers`` those
    that a search afterwards still found: there should be none. ``mentions`` counts the memories of other subjects that
    stay and name it as their object, ``derived`` are memories that were derived from erased ones and stay.
    ``unexamined`` are tables of other programs in the file, which were left alone. ``is_clean``: the bytes are gone
    too; where they are not, ``remedy`` says what to do. ``stopped`` counts the texts that are kept out from now on.
    """

    agent: str
    subject: str | None
    names: tuple[str, ...] = ()
    removed: Mapping[str, int] = field(default_factory=dict)
    leftovers: Mapping[str, int] = field(default_factory=dict)
    mentions: int = 0
    derived: tuple[str, ...] = ()
    unexamined: tuple[str, ...] = ()
    stopped: int = 0
    is_clean: bool = False
    remedy: str | None = None
    dry_run: bool = False

    @property
    def total(self) -> int:
        """How many rows of all tables."""
        return sum(self.removed.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """How many rows of which table an export gave (or an import took)."""

    lines: int
    rows: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Erased:
    """What tells a piece of stored JSON that it speaks of something erased."""

    ids: frozenset[str]
    texts: frozenset[str]
    extent: Extent

    def _is_gone(self, value: object) -> bool:
        is_name = self.extent.with_objects and self.extent.is_named(value)
        return is_name or (isinstance(value, str) and (value in self.ids or value in self.texts))

    def scrubbed(self, value: Any) -> Any:
        """The value without what speaks of something erased: list items, and whole objects with its id in them."""
        if isinstance(value, dict):
            if any(isinstance(one, str) and one in self.ids for one in value.values()):
                return {}
            return {key: self.scrubbed(one) for key, one in value.items() if not self._is_gone(one)}
        if isinstance(value, list):
            kept = [(one, self.scrubbed(one)) for one in value if not self._is_gone(one)]
            return [new for old, new in kept if new or not old]
        return value


def names_of(subject: str, aliases: Mapping[str, str]) -> frozenset[str]:
    """The normalised names that a subject goes by: its canonical name and every alias of that."""
    normal = normalise(subject)
    canonical = aliases.get(normal, normal)
    return frozenset({canonical, *(alias for alias, target in aliases.items() if target == canonical)})


def content_hash(content: str) -> bytes:
    """Thirty-two bytes that are equal where texts are, after NFKC, case folding and collapsing white space.

    The store keys them once more before it keeps them.
    """
    return blake2b(normalise(content).encode("utf-8"), digest_size=32).digest()
