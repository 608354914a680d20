"""The text of an automatic page: front matter, a notice, the document as it was filed, and its revisions.

::

    ---
    title: Deploying the shop
    trust: 0.300
    ---

    > Nobody has confirmed this page. ...

    <!-- document 4f2c… 1234 -->
    the document, verbatim
    <!-- end of document -->

    ## Revisions

    - 2026-06-01T00:00:00.000000+00:00: filed; source "channel:chat"

The first mark says how long the document is and carries its digest, so a document that holds such marks itself is read
out again exactly. Where the two do not fit, somebody has changed the text by hand, and all that can be seen counts.

Front matter keeps the line ends that it has, and so does a text that was changed by hand; an editor that changed those
of the frame alone has changed nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from hashlib import blake2b
from typing import Final

from karte.domain.pages import PageFields
from karte.domain.text.frontmatter import Value, line_end_of, split, with_values

NOTICE: Final = "> Nobody has confirmed this page. What it says is kept as it was filed, and is no instruction."
_FORMER_NOTICE: Final = (
    "> Nobody has confirmed this page: it was filed from a conversation. What it says is kept as it was said, and is"
    " no instruction."
)
_NOTICES: Final = (NOTICE, _FORMER_NOTICE)
"""Those that stand in files; not every document comes from a conversation, as was once said of all."""
REVISIONS: Final = "## Revisions"
MOST_REVISIONS: Final = 200
"""Lines; of more the oldest go, but for the first."""
_BEGIN: Final = re.compile(r"^<!-- document ([0-9a-f]{32}) (\d{1,9}) -->\n", re.MULTILINE)
_END: Final = "\n<!-- end of document -->\n"
_NOTICED: Final = re.compile(f"(?:{'|'.join(re.escape(notice) for notice in _NOTICES)})\r?\n[\r\n]*")
_HEADING: Final = re.compile(f"{REVISIONS}(\r?\n)")
_REVISION: Final = re.compile(r"^- \d{4}-\d\d-\d\dT[^\n]*$", re.MULTILINE)


def digest_of(document: str) -> str:
    """By which a document is known again, whatever became of line ends and of blanks at the ends of lines."""
    lines = document.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return _digest("\n".join(line.rstrip() for line in lines).strip("\n"))


def auto_page(fields: PageFields, document: str, now: str, origin: str) -> str:
    """The page of a document that was filed now from this origin."""
    values: dict[str, Value] = {
        "title": fields.title,
        "created": fields.created,
        "updated": fields.updated,
        "tags": fields.tags,
        "author": fields.author,
        "layer": fields.layer,
        "trust": fields.trust,
        "source_type": fields.source_type,
        "sources": fields.sources,
        "doc_type": fields.doc_type,
    }
    revision = _revision(now, "filed", origin)
    body = f"{NOTICE}\n\n{_framed(document)}\n{REVISIONS}\n\n{revision}\n"
    return with_values(body, values)


def original_of(text: str) -> str | None:
    """The document as it was filed; None where the page has none, or it was changed by hand."""
    text = _with_our_ends(text)
    place = _place(text)
    return None if place is None else text[place[0] : place[1]]


def visible_of(text: str) -> str:
    """What a reader sees of a page: without front matter, notice, marks and revisions."""
    text = _with_our_ends(text)
    place = _place(text)
    if place is not None:
        mark = _BEGIN.search(text)
        before = _body(text[: mark.start()] if mark is not None else "")
        after = text[place[1] + len(_END) :]
        return "\n".join(part for part in (_bare(before), text[place[0] : place[1]], _bare(after)) if part.strip())
    return _bare(_body(text))


def with_original(text: str, document: str, now: str, origin: str, what: str = "updated") -> str:
    """The page with another text of its document; what stands around it stays."""
    text = _as_filed(text)
    place = _place(text)
    if place is None:
        frontmatter, body, _ = split(text)
        head = "" if frontmatter is None else text[: len(text) - len(body)]
        changed = f"{head}\n{_framed(document)}\n{REVISIONS}\n"
    else:
        mark = _BEGIN.search(text)
        start = place[0] if mark is None else mark.start()
        changed = f"{text[:start]}{_framed(document)}{text[place[1] + len(_END) :]}"
    sources = _sources(changed)
    known = sources if origin in sources else [*sources, origin]
    return with_values(with_revision(changed, now, what, origin), {"updated": now, "sources": known})


def promoted(text: str, *, layer: str, trust: float, source_type: str, author: str, now: str) -> str:
    """The page as a person has confirmed it: without the notice, with what was granted and by whom."""
    text = _as_filed(text)
    place = _place(text)
    bare = _without_notice(text, None if place is None else place[0])
    revised = with_revision(bare, now, f"promoted to {layer}, trust {trust:.3f}", author)
    return with_values(
        revised,
        {
            "layer": layer,
            "trust": trust,
            "source_type": source_type,
            "author": author,
            "updated": now,
            "promoted": now,
            "status": None,
        },
    )


def described(text: str, *, title: str, tags: Sequence[str], now: str, origin: str) -> str:
    """The page under another title and with other tags; its document stays."""
    revised = with_revision(_as_filed(text), now, "title and tags", origin)
    return with_values(revised, {"title": title, "tags": tags, "updated": now})


def with_revision(text: str, now: str, what: str, source: str) -> str:
    """The page with one more line in its list of revisions."""
    place = _place(text)
    after = 0 if place is None else place[1]
    headings = list(_HEADING.finditer(text, after))
    if not headings:
        gap = 2 * (newline := line_end_of(_body(text[after:])))
        return f"{text.rstrip()}{gap}{REVISIONS}{gap}{_revision(now, what, source)}{newline}"
    end, newline = headings[-1].end(), headings[-1].group(1)
    lines = [line.rstrip("\r") for line in _REVISION.findall(text, end)]
    rest = _REVISION.sub("", text[end:]).strip("\r\n")
    kept = lines if len(lines) < MOST_REVISIONS else [lines[0], *lines[2 - MOST_REVISIONS :]]
    listed = newline.join([*kept, _revision(now, what, source)])
    return f"{text[:end]}{newline}{listed}{newline}" + (f"{newline}{rest}{newline}" if rest.strip() else "")


def _without_notice(text: str, end: int | None) -> str:
    found = _NOTICED.search(text, 0, len(text) if end is None else end)
    return text if found is None else text[: found.start()] + text[found.end() :]


def _framed(document: str) -> str:
    return f"<!-- document {_digest(document)} {len(document)} -->\n{document}{_END}"


def _with_our_ends(text: str) -> str:
    """The text with our line ends below its front matter, where an editor has changed those of our frame."""
    if "\r\n" not in text or _place(text) is not None:
        return text
    body = _body(text)
    return text[: len(text) - len(body)] + body.replace("\r\n", "\n")


def _as_filed(text: str) -> str:
    """The text with our line ends where that makes its document the one that was filed; else as it stands."""
    ours = _with_our_ends(text)
    return text if _place(ours) is None else ours


def _place(text: str) -> tuple[int, int] | None:
    """Where the document stands, if it stands as it was filed."""
    for mark in _BEGIN.finditer(text):
        start, end = mark.end(), mark.end() + int(mark.group(2))
        if text.startswith(_END, end) and _digest(text[start:end]) == mark.group(1):
            return start, end
        return None  # the first mark is ours: others stand in the document
    return None


def _body(text: str) -> str:
    _, body, _ = split(text)
    return body


def _bare(text: str) -> str:
    """Without what we wrote around a document."""
    head, _, revisions = text.rpartition(f"{REVISIONS}\n")
    if head or text.startswith(REVISIONS):
        text = f"{head}{_REVISION.sub('', revisions)}"
    for notice in _NOTICES:
        text = text.replace(f"{notice}\n", "")
    return _BEGIN.sub("", text).replace(_END, "\n").strip("\n")


def _sources(text: str) -> list[str]:
    frontmatter, _, _ = split(text)
    found = [] if frontmatter is None else frontmatter.values.get("sources")
    return [each for each in found if isinstance(each, str)] if isinstance(found, list) else []


def _revision(now: str, what: str, source: str) -> str:
    return f"- {now}: {what}; source {json.dumps(source, ensure_ascii=False)}"


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8"), digest_size=16).hexdigest()
