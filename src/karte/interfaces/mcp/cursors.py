"""Cursors: where the next page of an answer begins, opaque to the client and checked.

A cursor is bound to its tool, its agent and the arguments that say what was asked; anything else
is refused. It is no secret and grants nothing: a page is read with the caller's own rights.
"""

from __future__ import annotations

import base64
import binascii
import json
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import count
from typing import Any, Final, TypeAlias

from karte.domain.model import SearchHit
from karte.errors import InvalidInput

LONGEST_CURSOR: Final = 200
KEPT_WALKS: Final = 32
KEPT_LETTERS: Final = 16_000_000

Position: TypeAlias = Sequence[int | str]

_CHECK_BYTES: Final = 6


def make_cursor(asked: Mapping[str, Any], position: Position) -> str:
    """The cursor of a position in the answer to what was ``asked``."""
    place = json.dumps(position, separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(_check(asked, place) + place).decode().rstrip("=")


def read_cursor(asked: Mapping[str, Any], cursor: str) -> list[Any]:
    """The position that a cursor names; ``InvalidInput`` if it was not made for what is ``asked``."""
    try:
        held = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise not_a_cursor() from None
    check, place = held[:_CHECK_BYTES], held[_CHECK_BYTES:]
    if check != _check(asked, place):
        raise not_a_cursor()
    position = json.loads(place)
    if not isinstance(position, list):
        raise not_a_cursor()
    return position


def fingerprint(text: str) -> str:
    """Eight letters that tell one text from another."""
    return blake2b(text.encode("utf-8", "replace"), digest_size=4).hexdigest()


def not_a_cursor(why: str = "not a cursor of this question") -> InvalidInput:
    """The error for a cursor that leads nowhere."""
    return InvalidInput(
        why,
        field="cursor",
        remedy="send next_cursor as it was given, with the same arguments, or leave cursor out to begin again",
    )


def _check(asked: Mapping[str, Any], place: bytes) -> bytes:
    said = json.dumps(asked, sort_keys=True, default=str).encode()
    return blake2b(place + b"\x00" + said, digest_size=_CHECK_BYTES).digest()


@dataclass(frozen=True, slots=True)
class Walk:
    """The hits of one search whose reply did not hold them all.

    ``is_as_of``: it asked about another time than now, so what holds now is no measure of them.
    """

    hits: tuple[SearchHit, ...]
    is_as_of: bool

    @property
    def letters(self) -> int:
        """How much it takes to keep them."""
        return sum(len(hit.memory.content) for hit in self.hits)

    def for_keeping(self) -> Walk:
        """The walk without the contents, where each page reads them anew."""
        if self.is_as_of:
            return self
        return replace(self, hits=tuple(replace(hit, memory=replace(hit.memory, content="")) for hit in self.hits))


class Walks:
    """The searches that clients are paging through, so that a walk gives each row once.

    A search ranks anew with every write; walking its pages therefore goes over the hits that it
    had. Only the latest ``KEPT_WALKS`` are kept; a cursor of an older one says so.
    """

    def __init__(self, salt: str) -> None:
        self._salt = salt  # tells this process's walks from those of one before
        self._walks: OrderedDict[str, Walk] = OrderedDict()
        self._numbers = count(1)
        self._lock = threading.Lock()

    def keep(self, walk: Walk) -> str:
        """The name under which the hits can be had again."""
        with self._lock:
            name = fingerprint(f"{self._salt}/{next(self._numbers)}")
            self._walks[name] = walk.for_keeping()
            while len(self._walks) > KEPT_WALKS or (
                len(self._walks) > 1 and sum(walk.letters for walk in self._walks.values()) > KEPT_LETTERS
            ):
                self._walks.popitem(last=False)
        return name

    def get(self, name: str) -> Walk:
        """What was kept under the name; ``InvalidInput`` if it is gone."""
        with self._lock:
            walk = self._walks.get(name)
            if walk is None:
                raise not_a_cursor("the cursor has expired")
            self._walks.move_to_end(name)
            return walk
