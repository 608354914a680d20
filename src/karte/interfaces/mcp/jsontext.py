"""JSON as it comes from outside: read strictly, measured, and mended where that is safe."""

from __future__ import annotations

import json
import re
from typing import Any, Final, NoReturn

DEEPEST: Final = 100
HALF: Final = re.compile("[\ud800-\udfff]")
REPLACEMENT: Final = "\ufffd"


class Unreadable(ValueError):  # noqa: N818 (as in: raise Unreadable)
    """Text that is no JSON; says why."""


def read_json(text: str) -> Any:
    """The value of strict JSON text (no ``NaN``); raises ``Unreadable``."""
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise Unreadable(f"{error.msg} at letter {error.pos + 1}") from None
    except RecursionError:
        raise Unreadable("nested too deeply") from None
    except ValueError as error:  # a number of thousands of digits
        raise Unreadable(str(error)) from None


def is_deeper(value: object, levels: int = DEEPEST) -> bool:
    """Whether lists and objects nest more than ``levels`` deep."""
    layer = [value]
    for _ in range(levels + 1):
        layer = [each for each in layer if isinstance(each, dict | list)]
        if not layer:
            return False
        layer = [
            each
            for outer in layer
            for each in (outer.values() if isinstance(outer, dict) else outer)  # type: ignore[attr-defined]
        ]
    return True


def healed(value: Any) -> Any:
    """The same value with U+FFFD for each half of a surrogate pair, names of members included."""
    if isinstance(value, str):
        return HALF.sub(REPLACEMENT, value)
    if isinstance(value, list):
        return [healed(each) for each in value]
    if isinstance(value, dict):
        return {healed(key): healed(each) for key, each in value.items()}
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise Unreadable(f"{name} is no JSON")
