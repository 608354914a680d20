"""The names of pages and of their agents' folders: plain on every disk, and never two for one file.

A name is compared as a case-blind disk that keeps Unicode in one form would compare it; so every name that is made here
is folded already: NFKC, lower case, letters and digits of any script, one hyphen for anything else.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final

from karte.domain.pages import DocType
from karte.errors import InvalidInput, shorten

LONGEST_SLUG: Final = 60
MOST_BYTES: Final = 180
"""Of a name in UTF-8: with its ending and a mark before it, it stays under what file systems allow."""
NAMELESS: Final = "page"
LONGEST_PLAIN_AGENT: Final = 40
LONGEST_PATH: Final = 250

_DEVICES: Final = frozenset(
    {"con", "prn", "aux", "nul", "conin", "conout", "clock"}
    | {f"{port}{number}" for port in ("com", "lpt") for number in range(10)}
)
_PLAIN_AGENT: Final = re.compile(r"[a-z0-9][a-z0-9_-]*", re.ASCII)
_DIGEST_AT_END: Final = re.compile(r"-[0-9a-f]{12}$", re.ASCII)
_BEGINNINGS: Final = ("wiki:auto/", "auto/")
_ENDING: Final = ".md"


@dataclass(frozen=True, slots=True, kw_only=True)
class PagePath:
    """The name of a page: its kind and its slug."""

    doc_type: DocType
    slug: str

    @property
    def path(self) -> str:
        """Its path under the agent's folder."""
        return f"auto/{self.doc_type}/{self.slug}{_ENDING}"

    @property
    def subject(self) -> str:
        """The subject of its pointer in memory."""
        return f"wiki:auto/{self.doc_type}/{self.slug}"


def slug_of(title: str) -> str:
    """The name that a title gives; giving it again to this function changes nothing."""
    folded = _folded(title)
    words = "".join(letter if _is_kept(letter) else " " for letter in folded).split()
    slug = _cut("-".join(words))
    if not slug:
        return NAMELESS
    return f"{slug}-{NAMELESS}" if slug in _DEVICES else slug


def free_slug(slug: str, taken: Collection[str]) -> str:
    """The slug, or with the first number behind it that no other has."""
    used = {_folded(each) for each in taken}
    if slug not in used:
        return slug
    number = 2
    while (candidate := f"{_cut(slug, len(str(number)) + 1)}-{number}") in used:
        number += 1
    return candidate


def folder_of_agent(agent: str) -> str:
    """The folder of an agent: his name where it is plain, else what can be read of it and a digest.

    No two agents share one, on a disk that ignores case too.
    """
    is_plain = _PLAIN_AGENT.fullmatch(agent) and len(agent) <= LONGEST_PLAIN_AGENT and agent not in _DEVICES
    if is_plain and not _DIGEST_AT_END.search(agent):
        return agent
    digest = blake2b(agent.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
    return f"{_cut(slug_of(agent), len(digest) + 1)}-{digest}"


def read_page_path(path: object, field: str = "path") -> PagePath:
    """The page that a caller names: ``auto/spec/name.md``, ``spec/name``, or the subject of its pointer.

    Raises ``InvalidInput`` for anything that is no such name, above all for what would lead elsewhere.
    """
    named = path if isinstance(path, str) and len(path) <= LONGEST_PATH else ""
    for beginning in _BEGINNINGS:
        if named.startswith(beginning):
            named = named.removeprefix(beginning)
            break
    kind, slash, slug = named.removesuffix(_ENDING).partition("/")
    if not slash or kind not in list(DocType) or slug != slug_of(slug):
        raise InvalidInput(
            "no page has such a name",
            field=field,
            value=shorten(path) if isinstance(path, str) else path,
            remedy=f"name it as the list of pages does: auto/KIND/NAME.md, KIND one of {', '.join(DocType)}",
        )
    return PagePath(doc_type=DocType(kind), slug=slug)


def _folded(text: str) -> str:
    """One form for all spellings that a disk could take for one name; folding twice changes nothing more."""
    folded = text
    for _ in range(3):
        again = unicodedata.normalize("NFKC", folded.casefold().lower())
        if again == folded:
            break
        folded = again
    return unicodedata.normalize("NFC", folded)


def _is_kept(letter: str) -> bool:
    """Letters, digits, and the marks that belong to letters in many scripts."""
    return letter.isalnum() or unicodedata.category(letter) in ("Mn", "Mc")


def _cut(slug: str, room: int = 0) -> str:
    """The slug in so many characters and bytes, ending in a whole letter."""
    cut = slug[: LONGEST_SLUG - room]
    cut = cut.encode("utf-8", "ignore")[: MOST_BYTES - room].decode("utf-8", "ignore")
    return cut.strip("-")
