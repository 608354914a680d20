r"""The line filter before the SDK's reader: what reaches it is a message it can answer.

The SDK drops what it cannot read, and a client then waits for ever. So every line is judged here
first, and what would be dropped is answered at once:

===========================================  ================================================
a line                                       becomes
===========================================  ================================================
blank; a byte order mark; ``\r`` at  the end  nothing; ignored; ignored
no JSON, not UTF-8, ``NaN``                  error -32700 (id null where none can be read)
a batch array, a bare value, no method       error -32600
``id`` null, true, a fraction, a list        error -32600
longer than ``LONGEST_LINE``, nested deeper  error -32600
``params`` that is a list or a bare value    error -32602
a notification with any of these faults      nothing
===========================================  ================================================

Pure functions: bytes in, values out.
"""

from __future__ import annotations

import contextlib
import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from karte.interfaces.mcp.jsontext import DEEPEST, HALF, Unreadable, healed, is_deeper, read_json

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
INVALID_PARAMS: Final = -32602

LONGEST_LINE: Final = 16 * 1024 * 1024
LONGEST_ID: Final = 1_000
KEPT_OF_LONG_LINE: Final = 64 * 1024
BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"

Id: TypeAlias = str | int | float
Body: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Message:
    """Something for the SDK: a well-formed request, notification or response."""

    body: Body


@dataclass(frozen=True, slots=True)
class Answer:
    """Something to send back at once."""

    body: Body


Judgement: TypeAlias = Message | Answer | None
"""What becomes of a line; None: nothing."""


class LineSplitter:
    """Judgements of whole lines out of chunks of bytes; what a line may cost is bounded."""

    def __init__(self, longest: int = LONGEST_LINE) -> None:
        self._longest = longest
        self._line = bytearray()
        self._is_too_long = False
        self._tail = b""

    def feed(self, chunk: bytes) -> Iterator[Judgement]:
        """Judgements of the lines that the chunk completes."""
        *ended, rest = chunk.split(b"\n")
        for piece in ended:
            self._take(piece)
            yield self._end_line()
        self._take(rest)

    def end(self) -> Judgement:
        """The judgement of a last line that nothing ended."""
        return self._end_line()

    def _take(self, piece: bytes) -> None:
        if self._is_too_long:
            self._tail = (self._tail + piece)[-KEPT_OF_LONG_LINE:]
            return
        self._line += piece
        if len(self._line) > self._longest:
            self._is_too_long = True
            self._tail = bytes(self._line[-KEPT_OF_LONG_LINE:])
            del self._line[KEPT_OF_LONG_LINE:]

    def _end_line(self) -> Judgement:
        line, tail, is_too_long = bytes(self._line), self._tail, self._is_too_long
        self._line, self._tail, self._is_too_long = bytearray(), b"", False
        if is_too_long:
            why = f"a line of more than {self._longest} bytes; send less in one call"
            return _refusal(INVALID_REQUEST, why, id_of_long_line(line, tail))
        return judge(line)


def judge(line: bytes) -> Judgement:
    """What becomes of one line."""
    line = line.strip(b" \t\r\n").removeprefix(BYTE_ORDER_MARK).strip(b" \t\r\n")
    if not line:
        return None
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError:
        return _refusal(PARSE_ERROR, "not UTF-8", _id_of(line))
    try:
        body = read_json(text)
    except Unreadable as error:
        return _refusal(PARSE_ERROR, f"not JSON: {error}", None)
    if isinstance(body, list):
        return _refusal(INVALID_REQUEST, "batches are not supported; send one message a line", None)
    if not isinstance(body, dict):
        return _refusal(INVALID_REQUEST, "a message is an object", None)
    return _judge_object(body, text)


def frame(body: Mapping[str, Any]) -> bytes:
    """The line that carries a message: UTF-8, letters as themselves, one bare newline.

    Half a surrogate pair, which UTF-8 has not, stays the escape it came as.
    """
    text = json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace") + b"\n"


def id_of_long_line(head: bytes, tail: bytes) -> Id | None:
    """The id of a line of which only both ends are known, if it stands beside plain members."""
    found = _ID_IN_HEAD.match(head.removeprefix(BYTE_ORDER_MARK)) or _ID_IN_TAIL.search(tail)
    return _id_of(b'{"id":' + found["id"] + b"}") if found else None


_PLAIN = rb'(?:"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*|true|false|null)'
_MEMBER = rb'"(?:[^"\\]|\\.)*"\s*:\s*' + _PLAIN
_ID = rb'"id"\s*:\s*(?P<id>' + _PLAIN + rb")"
_ID_IN_HEAD: Final = re.compile(rb"\s*\{\s*(?:" + _MEMBER + rb"\s*,\s*){0,8}?" + _ID)
_ID_IN_TAIL: Final = re.compile(_ID + rb"(?:\s*,\s*" + _MEMBER + rb"){0,8}\s*\}\s*$")
_HALF_ESCAPE: Final = re.compile(r"\\u[dD][89a-fA-F]")


def _judge_object(body: Body, text: str) -> Judgement:
    if "method" not in body:
        if "result" in body or "error" in body:
            return Message(body) if _is_usable_id(body.get("id")) else None
        return _refusal(INVALID_REQUEST, "a message has a method", _id_to_echo(body))
    fault = _fault(body, text)
    if fault is None:
        return Message(_mended(body, has_halves=_HALF_ESCAPE.search(text) is not None))
    if "id" not in body:
        return None
    code, why = fault
    return _refusal(code, why, _id_to_echo(body))


def _fault(body: Body, text: str) -> tuple[int, str] | None:
    if "id" in body and not _is_usable_id(body["id"]):
        return INVALID_REQUEST, f"an id is a text of at most {LONGEST_ID} letters or a whole number"
    if body.get("jsonrpc") != "2.0":
        return INVALID_REQUEST, 'a message says "jsonrpc": "2.0"'
    if not isinstance(body["method"], str):
        return INVALID_REQUEST, "a method is a text"
    if not isinstance(body.get("params"), dict | None):
        return INVALID_PARAMS, "params is an object of named values"
    if text.count("[") + text.count("{") > DEEPEST and is_deeper(body):
        return INVALID_REQUEST, f"nested more than {DEEPEST} deep"
    return None


def _is_usable_id(value: object) -> bool:
    if isinstance(value, str):
        return len(value) <= LONGEST_ID and not HALF.search(value)
    return isinstance(value, int) and not isinstance(value, bool) and value.bit_length() <= LONGEST_ID


def _id_of(line: bytes) -> Id | None:
    try:
        return _id_to_echo(read_json(line.decode("utf-8", "replace")))
    except Unreadable:
        return None


def _id_to_echo(body: object) -> Id | None:
    value = body.get("id") if isinstance(body, dict) else None
    if isinstance(value, str):
        return value if len(value) <= LONGEST_ID else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value.bit_length() <= LONGEST_ID else None


def _mended(body: Body, *, has_halves: bool) -> Body:
    """The message without members that JSON-RPC does not know, so that the SDK can carry it."""
    mended: Body = {key: body[key] for key in ("jsonrpc", "id", "method", "params") if key in body}
    params = mended.pop("params", None)
    if params is None:
        return mended
    is_call = mended["method"] == "tools/call"
    if has_halves:
        mended["method"] = healed(mended["method"])
        kept = {"arguments": params["arguments"]} if is_call and "arguments" in params else {}
        params = {**healed(params), **kept}
    if is_call:
        params = _with_arguments_as_object(params)
    return {**mended, "params": params}


def _with_arguments_as_object(params: Body) -> Body:
    """Some clients send the arguments as JSON text, and an empty object as an empty list.

    Halves of surrogate pairs stay in the values: the tool refuses them by name.
    """
    given = params.get("arguments")
    if isinstance(given, str):
        with contextlib.suppress(Unreadable):
            read = read_json(given)
            given = read if isinstance(read, dict) and not is_deeper(read) else given
    elif given == []:
        given = {}
    if isinstance(given, dict):
        given = {healed(key): value for key, value in given.items()}
    return {**params, "arguments": given} if "arguments" in params else params


def _refusal(code: int, message: str, id: Id | None) -> Answer:
    return Answer({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
