"""From a memory to what it is about: the entities that a graph joins it with."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from karte.domain.entities import Resolve, canonical_name, normalise
from karte.domain.text import index_text
from karte.domain.text.identifiers import LONGEST_TOKEN
from karte.domain.text.scripts import is_unspaced
from karte.domain.text.stemming import stem
from karte.domain.text.stopwords import ENGLISH
from karte.domain.text.tokens import BARRIER, pieces

_TITLE: Final = re.compile(r"\s*([^\n:：]{1,80}?)\s*(?:\([^()\n]{1,40}\)\s*)?(?:[:：]\s|：|\n)")
_PLAIN: Final = re.compile("[a-z0-9]+(?: [a-z0-9]+)*")
_MOST_WORDS: Final = 8
LONGEST_NAME: Final = 80
"""An object longer than this is a sentence and names nothing."""
_SHORTEST: Final = 2
_CAPITALISED: Final = re.compile(r"\b[A-Z][a-z\u00df-\u00ff]{2,}(?![A-Za-z0-9])")
_OF_SELF: Final = re.compile(
    r"\b(?:my|mine|myself|me|I)\b|[私僕俺我]|(?<!\w)(?:나|저|내|제|나의|저의|나는|저는|내가|제가)(?!\w)|ของฉัน|ของผม"
)
_OF_IT: Final = re.compile("['’]s?$")
_MOST_TOGETHER: Final = 4
_MOST_LETTERS: Final = 8
MOST_WORDS_ASKED: Final = 24
MOST_PARTS: Final = 4
"""So many words of a query are tried as a part of a name."""


class Linked(NamedTuple):
    """What of a row the graph is made of."""

    ordinal: int
    content: str
    subject: str | None
    predicate: str | None
    object: str | None
    is_fact: int
    trust: float
    valid_from: str | None
    valid_until: str | None

    @property
    def text(self) -> str:
        """The text by which it is found."""
        return "\n".join(part for part in (self.content, self.subject, self.predicate, self.object) if part)

    def holds_at(self, now: str) -> bool:
        """Whether it holds already."""
        return self.valid_from is None or self.valid_from <= now


def about(row: Linked, resolve: Resolve) -> tuple[str, ...]:
    """The normalised entities that a memory is about: subject and object, or the name that it begins with."""
    names = [name for name in (row.subject, row.object) if name and len(name) <= LONGEST_NAME]
    if not row.is_fact and not row.subject:
        title = title_of(row.content)
        names += [title] if title else []
    found = dict.fromkeys([canonical_name(name, resolve) for name in names])
    found.pop("", None)
    return tuple(found)


def title_of(content: str) -> str | None:
    """The name before the colon or in the first line of a text, without what stands in brackets after it."""
    found = _TITLE.match(content)
    if found is None or len(found[1].split()) > _MOST_WORDS:
        return None
    return found[1]


def surely_held(row: Linked) -> set[str]:
    """Names whose tokens stand in the index for a row, if they are plain (``is_plain``)."""
    return {part.lower() for part in (row.subject, row.object) if part and part.isascii()}


def is_plain(name: str) -> bool:
    """Whether a name is nothing but words of ASCII letters and digits: its tokens are those words, cut and stemmed."""
    return _PLAIN.fullmatch(name) is not None


@lru_cache(maxsize=4096)
def tokens_of(name: str) -> tuple[str, ...]:
    """The tokens by which the index holds a normalised name; none for one that stands in texts by chance."""
    if (len(name) < _SHORTEST and not is_unspaced(name[:1] or " ")) or name in ENGLISH:
        return ()
    if is_plain(name):  # most names, in a tenth of the time
        words = (word[:LONGEST_TOKEN] for word in name.split(" "))
        return tuple(stem(word) if word.isalpha() else word for word in words)
    before, _, _ = index_text(name).partition(f" {BARRIER} ")
    return tuple(before.split())


def parts_asked(query: str) -> list[str]:
    """Tokens by which a query may name an entity in part: of its capitalised words, the first few."""
    words = [word.lower() for word in _CAPITALISED.findall(query)]
    asked = [found[0] for found in map(tokens_of, words) if len(found) == 1]
    return list(dict.fromkeys(asked))[:MOST_PARTS]


def possible_names(query: str) -> list[str]:
    """What a query may call an entity, normalised, the longest first: runs of words, and of letters without spaces."""
    plain = normalise(query)
    words = [(start, start + len(piece)) for start, piece in _placed(plain)][:MOST_WORDS_ASKED]
    found = {
        plain[start : words[last][1]]
        for first, (start, _) in enumerate(words)
        for last in range(first, min(first + _MOST_TOGETHER, len(words)))
    }
    found |= {
        plain[at : at + size]
        for start, end in words
        if is_unspaced(plain[start])
        for at in range(start, end)
        for size in range(_SHORTEST, min(_MOST_LETTERS, end - at) + 1)
    }
    return sorted((name for name in found if name not in ENGLISH), key=lambda name: (-len(name), name))


def _placed(plain: str) -> Iterator[tuple[int, str]]:
    at = 0
    for piece in pieces(plain):
        word = _OF_IT.sub("", piece)
        place = plain.find(word, at)
        if place >= 0:
            yield place, word
            at = place + len(word)


def speaks_of_self(query: str) -> bool:
    """Whether the query asks of who asks: my wife, where do I live."""
    return _OF_SELF.search(query) is not None


def bearer(token: str, names: Iterable[str]) -> str | None:
    """The one of the names that begins or ends with a token; None where several do, or one is that and nothing else."""
    called = {name: tokens for name in names if token in (tokens := tokens_of(name))[:1] + tokens[-1:]}
    [name, *others] = called or [None]
    return name if name is not None and not others and len(called[name]) > 1 else None


def tokens_in(text: str) -> list[str]:
    """The tokens of a text as the index holds them."""
    return index_text(text).split()
