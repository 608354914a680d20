"""JSON values, compared as JSON compares them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def has_metadata(metadata: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Whether the metadata has these keys with exactly these values (true is not 1)."""
    return all(key in metadata and same_json(metadata[key], value) for key, value in wanted.items())


def same_json(left: Any, right: Any) -> bool:
    """Whether two JSON values are the same, types included."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return left.keys() == right.keys() and all(same_json(left[k], right[k]) for k in left)
    if isinstance(left, list | tuple) and isinstance(right, list | tuple):
        return len(left) == len(right) and all(map(same_json, left, right))
    return type(left) is type(right) and bool(left == right)
