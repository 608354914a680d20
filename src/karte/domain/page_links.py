"""Links between pages: where a page leads to, what leads to it, and both as a picture.

A link is an entry of ``related`` in the front matter, or a link in the Markdown: ``[text](target)``, ``[text][name]``
with its definition, ``[[target]]``. What stands in code or in an HTML comment is no link. A target is a path beside the
page, or from ``auto/`` on; one that leads out of the pages is no page, wherever it leads.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote

from karte.domain.page_names import PagePath, read_page_path
from karte.errors import InvalidInput

MOST_LINKS: Final = 1_000
LONGEST_TARGET: Final = 500
LONGEST_LABEL: Final = 60

_FENCE: Final = re.compile(r"^ {0,3}(```+|~~~+)")
_SPAN: Final = re.compile(r"(?<!`)(`{1,8})(?!`)[^\n]{0,2000}?(?<!`)\1(?!`)")
_INLINE: Final = re.compile(r"\]\(\s{0,9}<?([^\s<>()]{1,500})>?(?:\s{1,9}[\"'(][^\n]{0,300}?[\"')])?\s{0,9}\)")
_DEFINITION: Final = re.compile(r"^ {0,3}\[([^\]\n]{1,200})\]:\s{0,9}<?([^\s<>]{1,500})>?", re.MULTILINE)
_REFERENCE: Final = re.compile(r"\[([^\[\]\n]{1,200})\](?:\[([^\[\]\n]{0,200})\])?")
_WIKI: Final = re.compile(r"\[\[([^\[\]|\n]{1,300})(?:\|[^\[\]\n]{0,300})?\]\]")
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


@dataclass(frozen=True, slots=True, kw_only=True)
class PageLink:
    """One link: the path of the page it leads to, or the address as it is written (``is_page`` false)."""

    target: str
    is_page: bool


def links_of(text: str, related: Sequence[str], here: PagePath) -> tuple[PageLink, ...]:
    """Where a page leads to, each target once, in the order in which they stand; ``text`` is its body."""
    targets = dict.fromkeys([*related, *_targets(_prose(text))])
    found: dict[PageLink, None] = {}
    for target in targets:
        link = _link(target, here)
        if link is not None:
            found[link] = None
    return tuple(found)[:MOST_LINKS]


def backlinks(links: Mapping[str, Sequence[PageLink]]) -> dict[str, tuple[str, ...]]:
    """The pages that lead to each page, by path; ``links`` are those of every page."""
    turned: dict[str, list[str]] = {path: [] for path in links}
    for path in sorted(links):
        for link in links[path]:
            if link.is_page and link.target in turned and link.target != path:
                turned[link.target].append(path)
    return {path: tuple(dict.fromkeys(paths)) for path, paths in turned.items()}


def mermaid(titles: Mapping[str, str], links: Mapping[str, Sequence[PageLink]]) -> str:
    """A flowchart of the pages (path to title) and the links between them, the same for the same pages."""
    names = {path: f"p{number}" for number, path in enumerate(sorted(titles))}
    lines = ["flowchart LR", *(f'    {name}["{_label(titles[path])}"]' for path, name in names.items())]
    for path, name in names.items():
        targets = (link.target for link in links.get(path, ()) if link.is_page and link.target in names)
        lines += [f"    {name} --> {names[target]}" for target in targets if target != path]
    return "\n".join(lines) + "\n"


def _targets(prose: str) -> Iterator[str]:
    yield from (found.group(1) for found in _INLINE.finditer(prose))
    yield from (found.group(1) for found in _WIKI.finditer(prose))
    defined = {found.group(1).casefold(): found.group(2) for found in _DEFINITION.finditer(prose)}
    if defined:
        for found in _REFERENCE.finditer(_DEFINITION.sub("", prose)):
            target = defined.get((found.group(2) or found.group(1)).casefold())
            if target is not None:
                yield target


def _prose(text: str) -> str:
    """The text without code and comments."""
    kept = []
    fence = ""
    for line in _without_comments(text).split("\n"):
        mark = _FENCE.match(line)
        if fence:
            if mark is not None and mark.group(1).startswith(fence) and not line.strip(" `~"):
                fence = ""
        elif mark is not None:
            fence = mark.group(1)
        else:
            kept.append(_SPAN.sub("", line))
    return "\n".join(kept)


def _without_comments(text: str) -> str:
    kept = []
    at = 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start)) >= 0:
        kept.append(text[at:start])
        at = end + 3
    return "".join(kept) + text[at:]


def _link(target: str, here: PagePath) -> PageLink | None:
    named = target.strip().removeprefix("wiki:")[:LONGEST_TARGET]
    if not named or named.startswith("#"):
        return None
    if _SCHEME.match(named) or named.startswith("//"):
        return PageLink(target=named, is_page=False)
    path = unquote(named.partition("#")[0].partition("?")[0])
    if "\\" in path or "\x00" in path or path.startswith("/"):
        return PageLink(target=named, is_page=False)
    base = f"auto/{here.doc_type}"
    beside = posixpath.normpath(path if path.startswith("auto/") else posixpath.join(base, path))
    for candidate in (beside, posixpath.normpath(posixpath.join("auto", path))):
        try:
            if candidate.startswith("auto/"):
                return PageLink(target=read_page_path(candidate).path, is_page=True)
        except InvalidInput:
            continue
    return PageLink(target=named, is_page=False)


def _label(title: str) -> str:
    """A title as Mermaid shows it as text: nothing in it is markup, a link, or the end of its place."""
    short = title if len(title) <= LONGEST_LABEL else f"{title[: LONGEST_LABEL - 1]}…"
    return "".join(letter if letter.isalnum() or letter in " -_.,…" else f"#{ord(letter)};" for letter in short)
