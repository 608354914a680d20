"""Names: when two spellings are the same subject, predicate or value.

The identity of a fact is its normalised subject and predicate (and, where the predicate is
declared many-valued, its object). Aliases fold other names of a subject or object into the
canonical one before that.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping
from hashlib import blake2b
from typing import Final

from karte.errors import AliasCycle

USER: Final = "user"
"""The subject of what is known of the person who talks with the agent."""
SEPARATOR: Final = "\x1f"  # white space to Python, so no normalised name can contain it

Resolve = Callable[[str], str | None]
"""Gives the canonical name of a normalised name that is in an alias group, else None."""


def normalise(name: str) -> str:
    """The name in the form that identity compares: NFKC, case folded, white space collapsed."""
    if name.isascii():
        return " ".join(name.lower().split())
    folded = unicodedata.normalize("NFKC", name).casefold()
    return " ".join(unicodedata.normalize("NFKC", folded).split())


def without_invisible(name: str) -> str:
    """The name without characters that nobody sees (Unicode's format characters): for counting, not for identity."""
    if name.isascii():
        return name
    return "".join(letter for letter in name if unicodedata.category(letter) != "Cf")


def value_form(text: str) -> str:
    """The text in the form that value equality compares: NFKC, white space collapsed, case kept."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    return " ".join(text.split())


def no_alias(_name: str) -> str | None:
    """A ``Resolve`` for an agent without aliases."""
    return None


def resolver(aliases: Mapping[str, str]) -> Resolve:
    """A ``Resolve`` over ``{alias: canonical}``, both normalised and flattened."""
    canonical = frozenset(aliases.values())

    def resolve(name: str) -> str | None:
        return aliases.get(name) or (name if name in canonical else None)

    return resolve


def canonical_name(name: str, resolve: Resolve) -> str:
    """The normalised name, through aliases."""
    normal = normalise(name)
    return resolve(normal) or normal


def names_of(name: str, aliases: Mapping[str, str]) -> list[str]:
    """A name and all that are in one group with it, over ``{alias: canonical}``; normalised."""
    normal = normalise(name)
    target = aliases.get(normal, normal)
    return [normal, target, *(alias for alias, canonical in aliases.items() if canonical == target)]


def identity_of(
    subject: str,
    predicate: str,
    *,
    object: str | None,
    content: str,
    is_many: bool,
    resolve: Resolve,
) -> str:
    """The identity under which a fact's assertions share one timeline.

    For a many-valued predicate the object is part of it; a fact without object counts by its
    content.
    """
    head = identity_prefix(subject, predicate, resolve)
    if not is_many:
        return head
    if object is None:
        return f"{head}content{SEPARATOR}{normalise(content)}"
    return f"{head}object{SEPARATOR}{canonical_name(object, resolve)}"


def identity_prefix(subject: str, predicate: str, resolve: Resolve) -> str:
    """What the identities of all values of one subject and predicate begin with."""
    return f"{subject_prefix(subject, resolve)}{normalise(predicate)}{SEPARATOR}"


def subject_prefix(subject: str, resolve: Resolve) -> str:
    """What the identities of all facts of one subject begin with."""
    return f"{canonical_name(subject, resolve)}{SEPARATOR}"


def value_key(object: str | None, content: str, resolve: Resolve) -> bytes:
    """Sixteen bytes that are equal exactly when two values are.

    Two values are equal when object and content are equal after NFKC and collapsed white space,
    case kept; objects also through aliases.
    """
    form = "" if object is None else _object_form(object, resolve)
    return blake2b(f"{form}\x1f{value_form(content)}".encode(), digest_size=16).digest()


def is_value_named(object: str | None, content: str, name: str, resolve: Resolve) -> bool:
    """Whether a value is the named one, by its object, or by the content of one that has none.

    Compared as values are: NFKC, white space collapsed, case kept, objects through aliases.
    """
    if object is None:
        return value_form(content) == value_form(name)
    return _object_form(object, resolve) == _object_form(name, resolve)


def _object_form(object: str, resolve: Resolve) -> str:
    canonical = resolve(normalise(object))
    return f"a{canonical}" if canonical is not None else f"o{value_form(object)}"


def with_alias(aliases: Mapping[str, str], canonical: str, alias: str) -> dict[str, str]:
    """The alias table with one more pair, flattened in both directions.

    Names that pointed to ``alias`` now point where ``alias`` points, and a ``canonical`` that is
    itself an alias gives way to its own canonical name. Raises ``AliasCycle`` when the alias
    would lead back to itself.
    """
    target = aliases.get(canonical, canonical)
    if target == alias:
        raise AliasCycle(
            "the alias would lead back to itself",
            field="alias",
            value=alias,
            remedy="give another name" if canonical == alias else f"remove the alias {canonical!r} first",
        )
    flat = {name: target if old == alias else old for name, old in aliases.items()}
    flat[alias] = target
    return flat


def without_alias(aliases: Mapping[str, str], alias: str) -> dict[str, str]:
    """The alias table without one name; the other names of its group stay."""
    return {name: target for name, target in aliases.items() if name != alias}


def touched_names(before: Mapping[str, str], after: Mapping[str, str]) -> frozenset[str]:
    """The normalised names whose canonical name, or membership in a group, has changed."""
    old, new = resolver(before), resolver(after)
    names: Iterable[str] = {*before, *after, *before.values(), *after.values()}
    return frozenset(name for name in names if old(name) != new(name))
