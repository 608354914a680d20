"""The parts of a name: ``deployTarget``, ``cart_store_v2``, ``lib/parse.py``, ``8MB/s``.

A written piece (a run of letters and digits with connectors between them) becomes

* its *words*, in reading order: what stands between the connectors;
* its *wholes*: the piece as one token, and the last steps of a path, so that the exact name outranks its parts;
* its *inner parts*: the humps of camelCase, the two sides of ``8MB``, what stands between apostrophes, and the bare
  number of a version (``1.2.3`` of ``v1.2.3-rc.1``).

``-`` and ``_`` between letters are left out of a whole, so ``deployTarget``, ``deploy_target`` and ``deploy-target``
are one name, as are ``e-mail`` and ``email``; between digits they stay (``2026-01-02`` is not ``20260102``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from karte.domain.text.apostrophes import joined, parts_between, split_article, without_ending

# A longer name is cut here: nobody types more, and the index should not store it.
LONGEST_TOKEN: Final = 64

# What may stand between the words of one name, and what tells C++ from C.
JOINTS: Final = r"(?:://|::|[-./@&:\\'’]|(?<=\d),(?=\d{3}(?!\d)))"
SIGNS: Final = r"(?:\+\+?|#)(?!\w)"

_SPLIT: Final = re.compile(r"[-_./@&:\\,+#]+")
_ABBREVIATION: Final = re.compile(r"^[^\W\d_](?:\.[^\W\d_])+$")
_THOUSANDS: Final = re.compile(r"^\d{1,3}(?:,\d{3})+")
_SOFT_JOIN: Final = re.compile(r"(?<=[^\W\d_])[-_]+(?=\w)|(?<=[^\W_])[-_]+(?=[^\W\d_])")
_PLURAL_ACRONYM: Final = re.compile(r"^[A-Z]{2,}s$")
_NUMBER_AND_UNIT: Final = re.compile(r"^(\d+)([^\W\d_]{2,})$|^([^\W\d_]{2,})(\d+)$")
# Possessive: a number of 100,000 digits is no version, and is not tried from each of them.
_VERSION: Final = re.compile(r"(?<!\d)\d++(?:\.\d++)+")
_SIGNED: Final = re.compile(r"^([^\W\d_])(\+{1,2}|#)$")


@dataclass(frozen=True, slots=True)
class Pieces:
    """One written piece taken apart; the case of the letters is still that of the writer."""

    words: tuple[str, ...]
    wholes: tuple[str, ...]
    inner: tuple[str, ...]


def take_apart(piece: str) -> Pieces:
    """The words, the whole names and the inner parts of one written piece."""
    if _SIGNED.match(piece):  # C++, C#, A+: the sign is what tells it from C
        return Pieces((piece,), (), ())
    before, spelled = split_article(without_ending(piece.rstrip("+#")))
    piece = joined(spelled).strip("_")
    if _ABBREVIATION.match(piece):  # U.S.A., e.g.
        return Pieces((*before, piece.replace(".", "")), (), ())
    if _THOUSANDS.match(piece):
        piece = spelled = piece.replace(",", "")
    words = tuple(word for word in _SPLIT.split(piece) if word)
    inner = tuple(part for word in _SPLIT.split(spelled) if word for part in _parts(word))
    if len(words) < 2:
        return Pieces((*before, *words), (), inner)
    wholes = _wholes(piece)
    versions = (version for version in _VERSION.findall(piece) if version not in wholes)
    return Pieces((*before, *words), wholes, (*inner, *versions))


def _parts(word: str) -> tuple[str, ...]:
    between = parts_between(word)
    if between is None:
        return inner_parts(joined(word))
    return tuple(found for part in between for found in (part, *inner_parts(part)))


def _wholes(piece: str) -> tuple[str, ...]:
    """The name as a whole and what follows its first ``/``, ``@`` or ``:``s (``parse.py`` of ``lib/parse.py``)."""
    steps = [step for step in re.split(r"[/@:\\]+", piece) if _SPLIT.search(step)]
    names = [piece.replace("\\", "/"), *steps[-2:]]
    return tuple(dict.fromkeys(_SOFT_JOIN.sub("", name)[:LONGEST_TOKEN] for name in names))


def inner_parts(word: str) -> tuple[str, ...]:
    """The humps of camelCase and the two sides of ``8MB``; a plain word has none."""
    if word.isdigit() or (word.islower() and word.isalpha()):
        return ()
    if word.islower() or word.isupper() or _PLURAL_ACRONYM.match(word):
        measure = _NUMBER_AND_UNIT.match(word)
        return tuple(part for part in measure.groups() if part) if measure else ()
    humps = _humps(word)
    return tuple(hump for hump in humps if len(hump) > 1 or hump.isdigit()) if len(humps) > 1 else ()


def _humps(word: str) -> list[str]:
    """``parseHTTPReply2`` -> ``parse HTTP Reply 2``, in any script that has case."""
    starts = [0]
    for i in range(1, len(word)):
        before, here, after = word[i - 1], word[i], word[i + 1 : i + 2]
        rises = here.isupper() and (before.islower() or before.isdigit() or (before.isupper() and after.islower()))
        if rises or (here.isdigit() != before.isdigit() and not here.isupper()):
            starts.append(i)
    return [word[start:end] for start, end in zip(starts, [*starts[1:], len(word)], strict=True)]
