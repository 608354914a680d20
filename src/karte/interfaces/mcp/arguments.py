"""What a model sent, read generously: what is meant is taken, what cannot be meant is named.

=========  ==============================================================================
declared   read
=========  ==============================================================================
string     text as it is, also when it looks like JSON or a number; a number by its digits
time       a string in the schema; a number is epoch seconds
integer    a whole number, ``5.0``, or text of one (``"5"``, ``"5.0"``)
number     a number, or text of one
boolean    ``true``, ``false``, or text of one
array      a list, JSON text of one, or one bare element
object     an object, or JSON text of one
=========  ==============================================================================

On an optional argument ``null``, ``"null"`` and ``""`` mean that it is absent. A truth value is
never a number. An unknown argument is refused by name. Caps hold for what was decoded.

Pure functions over plain values.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias, TypeVar

from karte.errors import InvalidInput, InvalidText, KarteError, TooMany
from karte.interfaces.mcp.jsontext import DEEPEST, HALF, Unreadable, healed, is_deeper, read_json

Kind: TypeAlias = Literal["string", "time", "integer", "number", "boolean", "array", "object"]
Values: TypeAlias = dict[str, Any]
Number = TypeVar("Number", int, float)

_WHOLE: Final = re.compile(r"[+-]?\d{1,300}", re.ASCII)
_EPOCH: Final = re.compile(r"\d{9,12}(\.\d{1,9})?", re.ASCII)
_DECIMAL: Final = re.compile(r"[+-]?(\d{1,300}(\.\d{0,300})?|\.\d{1,300})([eE][+-]?\d{1,3})?", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Param:
    """One argument of a tool: what its schema says, and what it may be.

    ``least`` and ``most`` bound a number, ``most`` also the elements of an array. ``choices`` are
    the texts that fit. ``fields`` are the members of an object (or of each object of an array);
    None takes any.
    """

    name: str
    kind: Kind
    says: str
    required: bool = False
    choices: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None
    items: Kind = "string"
    fields: tuple[Param, ...] | None = None


def read_arguments(params: Iterable[Param], given: Mapping[str, Any] | None, *, path: str = "") -> Values:
    """The values by name; what is absent is not in it.

    ``path`` goes before names in errors (``items[3].``). Raises ``InvalidInput`` (``TooMany``,
    ``InvalidText``), naming the argument.
    """
    known = {param.name: param for param in params}
    _refuse_unknown(known, given or {}, path)
    values: Values = {}
    for name, param in known.items():
        value = (given or {}).get(name)
        if value is None or (not param.required and value in ("", "null")):
            if param.required:
                raise InvalidInput("missing", field=f"{path}{name}", remedy=f"give {_wanted(param)}")
            continue
        values[name] = _READERS[param.kind](param, value, f"{path}{name}")
    return values


def _refuse_unknown(known: Mapping[str, Param], given: Mapping[str, Any], path: str) -> None:
    unknown = next((name for name in given if name not in known), None)
    if unknown is None:
        return
    shown = healed(unknown)[:80]
    raise InvalidInput(
        f"there is no argument {shown!r}",
        field=f"{path}{shown}",
        remedy=f"known arguments are {', '.join(known) or 'none'}",
    )


def _string(param: Param, value: object, path: str) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool) and is_finite(value):
        value = json.dumps(value)
    if not isinstance(value, str):
        raise _unfit(param, value, path)
    refuse_halves(value, path)
    if param.choices:
        return _choice(param, value, path)
    return value


def _choice(param: Param, value: str, path: str) -> str:
    if value in param.choices:
        return value
    folded = value.strip().lower()
    if folded in param.choices:
        return folded
    raise _unfit(param, value, path)


def _integer(param: Param, value: object, path: str) -> int:
    if isinstance(value, str):
        text = value.strip()
        value = int(text) if _WHOLE.fullmatch(text) else _decimal(text)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        raise _unfit(param, value, path)
    return _within(param, value, path)


def _number(param: Param, value: object, path: str) -> float:
    if isinstance(value, str):
        value = _decimal(value.strip())
    if not isinstance(value, int | float) or isinstance(value, bool) or not is_finite(value):
        raise _unfit(param, value, path)
    return _within(param, float(value), path)


def is_finite(value: float) -> bool:
    """Whether it is a number that a float can hold."""
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number of hundreds of digits
        return False


def _time(param: Param, value: object, path: str) -> str | int | float:
    """A time as the engine reads it: numbers stay numbers, and digits too long for a year are one."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and _EPOCH.fullmatch(value.strip()):
        return float(value)
    return _string(param, value, path)


def _decimal(text: str) -> float | str:
    return float(text) if _DECIMAL.fullmatch(text) else text


def _boolean(param: Param, value: object, path: str) -> bool:
    if isinstance(value, str):
        value = {"true": True, "false": False}.get(value.strip().lower(), value)
    if not isinstance(value, bool):
        raise _unfit(param, value, path)
    return value


def _array(param: Param, value: object, path: str) -> list[Any]:
    if isinstance(value, str) and value.lstrip().startswith("["):
        value = _decoded(param, value, path)
    elements = value if isinstance(value, list) else [value]
    if param.most is not None and len(elements) > param.most:
        raise TooMany(f"{len(elements)} elements", field=path, remedy=f"give at most {param.most:g} in one call")
    if param.items == "object":
        return elements  # each is read by itself, so that a bad one does not take the others along
    each = Param(name=param.name, kind=param.items, says=param.says)
    return [_READERS[param.items](each, element, f"{path}[{i}]") for i, element in enumerate(elements)]


def _object(param: Param, value: object, path: str) -> Values:
    if isinstance(value, str):
        value = _decoded(param, value, path)
    if not isinstance(value, dict):
        raise _unfit(param, value, path)
    if param.fields is not None:
        return read_arguments(param.fields, value, path=f"{path}.")
    refuse_halves(value, path)
    return value


def read_each(param: Param, elements: Iterable[object]) -> list[Values | KarteError]:
    """Every object of an array read by itself: its values, or what is wrong with it."""
    each = Param(name=param.name, kind="object", says=param.says, fields=param.fields)
    read: list[Values | KarteError] = []
    for i, element in enumerate(elements):
        try:
            read.append(_object(each, element, f"{param.name}[{i}]"))
        except KarteError as error:
            read.append(error)
    return read


def refuse_halves(value: object, path: str) -> None:
    """Nothing, or ``InvalidText`` where any text in the value has half a surrogate pair."""
    if isinstance(value, str):
        if HALF.search(value):
            raise InvalidText(
                "half a surrogate pair",
                field=path,
                value=value,
                remedy="send the whole letter, or leave it out",
            )
    elif isinstance(value, list):
        for i, element in enumerate(value):
            refuse_halves(element, f"{path}[{i}]")
    elif isinstance(value, dict):
        for key, element in value.items():
            refuse_halves(key, path)
            refuse_halves(element, f"{path}.{key[:80]}")
    elif isinstance(value, float) and not is_finite(value):
        raise InvalidInput("a number out of range", field=path, remedy="give a finite number")


_READERS: Final[dict[Kind, Callable[[Param, Any, str], Any]]] = {
    "string": _string,
    "time": _time,
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
    "array": _array,
    "object": _object,
}


def _decoded(param: Param, text: str, path: str) -> object:
    try:
        value = read_json(text)
    except Unreadable:
        raise _unfit(param, text, path) from None
    if is_deeper(value):
        raise TooMany("nested too deeply", field=path, remedy=f"nest at most {DEEPEST} deep")
    return value


def _within(param: Param, value: Number, path: str) -> Number:
    if (param.least is not None and value < param.least) or (param.most is not None and value > param.most):
        raise _unfit(param, value, path)
    return value


def _unfit(param: Param, value: object, path: str) -> InvalidInput:
    return InvalidInput(f"not {_wanted(param)}", field=path, value=value, remedy=f"give {_wanted(param)}")


def _wanted(param: Param) -> str:
    if param.choices:
        return f"one of {', '.join(param.choices)}"
    kind = {
        "string": "text",
        "time": "a time as text, such as 2026-05-11 or 2026-05-11T14:05:00Z",
        "integer": "a whole number",
        "number": "a number",
        "boolean": "true or false",
        "array": "a list of objects" if param.items == "object" else "a list of texts",
        "object": "an object",
    }[param.kind]
    return f"{kind}{_range(param)}" if param.kind in ("integer", "number") else kind


def _range(param: Param) -> str:
    match (param.least, param.most):
        case (None, None):
            return ""
        case (None, most):
            return f" of at most {most:g}"
        case (least, None):
            return f" of {least:g} or more"
        case (least, most):
            return f" from {least:g} to {most:g}"
