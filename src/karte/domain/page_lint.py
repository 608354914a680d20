"""What is wrong with pages, or may be: a list for a person to go through."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from karte.domain.entities import normalise
from karte.domain.knowledge_pages import KnowledgePage
from karte.domain.page_links import PageLink, backlinks
from karte.domain.pages import PageFields, PageLayer

_NEARNESS: Final = {layer: place for place, layer in enumerate(PageLayer)}
_SLACK: Final = 0.0005
"""Trust is written with three decimals."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFinding:
    """One thing to look at: the page, the rule it is found by, and what it is, as a sentence."""

    path: str
    rule: str
    says: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Linted:
    """A page as it is looked over. ``has_changed``: its document is another than the one a person confirmed."""

    page: KnowledgePage
    fields: PageFields | None = None
    problems: Sequence[str] = ()
    links: Sequence[PageLink] = ()
    has_changed: bool = False


def lint(
    pages: Sequence[Linted],
    alike: Sequence[tuple[str, str, float]] = (),
    strays: Mapping[str, str] | None = None,
) -> tuple[PageFinding, ...]:
    """What is found, by path and rule.

    ``alike`` are pairs that may be one document, ``strays`` files that are no page, and why.
    """
    found = [finding for linted in pages for finding in _of_one(linted)]
    found += _of_links(pages)
    found += _of_titles(pages)
    found += [
        PageFinding(path=a, rule="duplicate", says=f"may be the same document as {b} (alike {share:.2f})")
        for a, b, share in alike
    ]
    found += [PageFinding(path=path, rule="stray-file", says=why) for path, why in (strays or {}).items()]
    return tuple(sorted(found, key=lambda finding: (finding.path, finding.rule, finding.says)))


def _of_one(linted: Linted) -> Iterator[PageFinding]:
    page, fields = linted.page, linted.fields
    if page.state == "broken":
        yield PageFinding(path=page.path, rule="unusable-file", says=page.problem or "its file cannot be used")
    if page.state == "flagged":
        yield PageFinding(path=page.path, rule="flagged", says="its source was taken back: promote it, or put it away")
    if page.state == "held":
        yield PageFinding(
            path=page.path, rule="no-pointer", says="it waits in quarantine, or its pointer was taken back"
        )
    for problem in linted.problems:
        yield PageFinding(path=page.path, rule="front-matter", says=problem)
    if fields is not None:
        yield from _claims(page, fields)
    if linted.has_changed:
        yield PageFinding(
            path=page.path, rule="changed-since-promotion", says="it was changed after a person confirmed it"
        )


def _claims(page: KnowledgePage, fields: PageFields) -> Iterator[PageFinding]:
    if fields.trust > page.trust + _SLACK:
        says = f"it claims a trust of {fields.trust:.3f}; {page.trust:.3f} was granted"
        yield PageFinding(path=page.path, rule="claimed-trust", says=says)
    if _NEARNESS[PageLayer(fields.layer)] < _NEARNESS[PageLayer(page.layer)]:
        says = f"it claims the layer {fields.layer}; {page.layer} was granted"
        yield PageFinding(path=page.path, rule="claimed-layer", says=says)


def _of_links(pages: Sequence[Linted]) -> Iterator[PageFinding]:
    states = {linted.page.path: linted.page.state for linted in pages}
    links = {linted.page.path: linted.links for linted in pages if linted.page.state != "archived"}
    turned = backlinks(links)
    for path, targets in links.items():
        inner = [link.target for link in targets if link.is_page]
        for target in inner:
            if target not in states:
                yield PageFinding(path=path, rule="broken-link", says=f"leads to {target}, which is not there")
            elif states[target] == "archived":
                yield PageFinding(path=path, rule="link-to-archived", says=f"leads to {target}, which was put away")
        is_alone = not turned[path] and not any(target != path for target in inner)
        if len(links) > 1 and states[path] == "live" and is_alone:
            yield PageFinding(path=path, rule="orphan", says="leads to no other page, and no page leads to it")


def _of_titles(pages: Sequence[Linted]) -> Iterator[PageFinding]:
    named: defaultdict[str, list[str]] = defaultdict(list)
    for linted in pages:
        if linted.page.state != "archived":
            named[normalise(linted.page.title)].append(linted.page.path)
    for paths in named.values():
        for path in paths[1:]:
            yield PageFinding(path=path, rule="same-title", says=f"is called as {paths[0]} is")
