"""Front matter: the YAML between two lines of ``---`` at the beginning of a Markdown text.

Reading is safe (no tags, no anchors, no bombs) and never fails: what is broken is told as a problem. Writing edits only
the lines of the keys that change, so comments, order, quoting and keys that nobody here knows stay byte for byte.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import yaml

LONGEST_BLOCK: Final = 20_000
"""Characters; a longer block is not read."""

Value: TypeAlias = str | float | Sequence[str] | None
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_FENCE: Final = re.compile(r"---[ \t]*\r?\n")
_END: Final = re.compile(r"^(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.MULTILINE)
_LINE: Final = re.compile(r"[^\n]*\n|[^\n]+\Z")
_KEY: Final = re.compile(r"([A-Za-z_][A-Za-z0-9_-]*)[ \t]*:(?=\s|$)")
_PLAIN: Final = re.compile(
    r"[A-Za-z\u00c0-\u024f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af][^\x00-\x1f\x7f-\x9f:#\[\]{},&*!|>'\"%@`\u0085\u2028\u2029\ufeff]*"
)
_ESCAPES: Final = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Frontmatter:
    """The block as it stands between its fences, and what it says; nothing where it is broken."""

    block: str
    values: Mapping[str, Any]


def split(text: str) -> tuple[Frontmatter | None, str, str | None]:
    """The front matter, the body behind it, and what is wrong with it; None for a text that has none."""
    start, end, after = _place(text)
    if end < 0:
        return None, text.removeprefix("\ufeff"), "front matter without an end" if start >= 0 else None
    block = text[start:end]
    values, problem = _read(block)
    return Frontmatter(block=block, values=values), text[after:], problem


def with_values(text: str, values: Mapping[str, Value]) -> str:
    """The text with these keys set in its front matter (None takes one out); nothing else in it changes."""
    start, end, after = _place(text)
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    newline = _newline(text, after)
    if end < 0:
        made = [line for name, value in values.items() for line in _lines(name, value)]
        head = newline.join(["---", *made, "---", "", ""])
        return f"{mark}{head}{text.removeprefix(mark)}" if made else text
    entries = list(_entries(text[start:end]))
    left = dict(values)
    written: list[str] = []
    for name, lines in entries:
        if name in values:
            if name in left:
                written += [f"{line}{newline}" for line in _lines(name, left.pop(name))]
            continue  # a second one of the same key goes too
        written.append(lines)
    for key, value in left.items():
        if written and not written[-1].endswith("\n"):
            written[-1] += newline
        written += [f"{line}{newline}" for line in _lines(key, value)]
    return f"{text[:start]}{''.join(written)}{text[end:]}"


def line_end_of(text: str) -> str:
    """How most lines of a text end."""
    return "\r\n" if 2 * text.count("\r\n") > text.count("\n") else "\n"


def _newline(text: str, after: int) -> str:
    """How lines end in the front matter; where there is none, as the first line does above which it will stand."""
    head = text[:after] if after >= 0 else text[: text.find("\n") + 1]
    return line_end_of(head)


def _place(text: str) -> tuple[int, int, int]:
    """Where the block begins and ends and where the body begins; no block: (-1, -1, -1); no end: the end is -1."""
    at = 1 if text.startswith("\ufeff") else 0
    opened = _FENCE.match(text, at)
    if opened is None:
        return -1, -1, -1
    closed = _END.search(text, opened.end(), min(len(text), opened.end() + LONGEST_BLOCK))
    if closed is None:
        return opened.end(), -1, -1
    return opened.end(), closed.start(), closed.end()


def _read(block: str) -> tuple[dict[str, Any], str | None]:
    try:
        if any(isinstance(token, yaml.AnchorToken | yaml.AliasToken | yaml.TagToken) for token in _tokens(block)):
            return {}, "front matter with anchors, aliases or tags is not read"
        found = yaml.load(block, Loader=_Loader)  # noqa: S506 (a safe loader)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        return {}, f"broken front matter: {_said(error, block)}"
    if found is None:
        return {}, None
    if not isinstance(found, dict) or not all(isinstance(name, str) for name in found):
        return {}, "front matter is no list of keys and values"
    names = [name for name, _ in _entries(block) if name is not None]
    doubled = sorted({name for name in names if names.count(name) > 1})
    return found, f"front matter says {doubled[0]} twice" if doubled else None


def _tokens(block: str) -> Iterator[Any]:
    return yaml.scan(block, Loader=_Loader)


def _said(error: Exception, block: str) -> str:
    """What is wrong, and in which line of the file; the first is the fence."""
    mark = getattr(error, "problem_mark", None)
    if mark is not None:
        return f"{getattr(error, 'problem', None) or 'not YAML'} in line {mark.line + 2}"
    forbidden = yaml.reader.Reader.NON_PRINTABLE.search(block)
    if forbidden is not None:
        line = block.count("\n", 0, forbidden.start()) + 2
        return f"the character U+{ord(forbidden.group()):04X} must not stand in it as it is, in line {line}"
    if isinstance(error, RecursionError):
        return "nested too deeply"
    what = str(error) or type(error).__name__
    place = _line_of_bad_value(block)
    return what if place is None else f"{what} in line {place}"


def _line_of_bad_value(block: str) -> int | None:
    """Where the first key is whose value looks like a date or a number and is none."""
    line = 2
    for _, lines in _entries(block):
        try:
            yaml.load(lines, Loader=_Loader)  # noqa: S506 (a safe loader)
        except (yaml.YAMLError, ValueError):
            return line
        line += lines.count("\n")
    return None


def _entries(block: str) -> Iterator[tuple[str | None, str]]:
    """The lines of the block by the key at the left edge to which they belong; None before the first key."""
    name: str | None = None
    lines: list[str] = []
    for line in _LINE.findall(block):
        found = _KEY.match(line)
        is_own = line.strip() == "" or line.startswith("#")
        if found or is_own:
            if lines:
                yield name, "".join(lines)
            name, lines = (found.group(1) if found else None), [line]
        else:
            lines.append(line)
    if lines:
        yield name, "".join(lines)


def _lines(name: str, value: Value) -> list[str]:
    """A key with its value, as lines without their ends."""
    if value is None:
        return []
    if isinstance(value, str):
        return [f"{name}: {_scalar(str(value))}"]  # a member of an enumeration, too
    if isinstance(value, int | float):
        return [f"{name}: {value:.3f}"]
    return [f"{name}: [{', '.join(_quoted(each) for each in value)}]"]


def _scalar(text: str) -> str:
    """The text plain where YAML would read it as this text, else quoted."""
    if _PLAIN.fullmatch(text) and text == text.strip() and len(text) <= 200:
        try:
            if yaml.load(text, Loader=_Loader) == text:  # noqa: S506 (a safe loader)
                return text
        except yaml.YAMLError:
            pass
    return _quoted(text)


def _quoted(text: str) -> str:
    return f'"{"".join(_letter(letter) for letter in text)}"'


def _letter(letter: str) -> str:
    if letter in _ESCAPES:
        return _ESCAPES[letter]
    code = ord(letter)
    if letter.isprintable() and letter != "\ufeff":
        return letter
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
