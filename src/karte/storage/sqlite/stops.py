"""The stop-list: texts that were erased and shall not be stored again, as keyed hashes."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from typing import Final

import apsw

from karte.storage.sqlite.connection import Execute

_KEY: Final = "SELECT key FROM erased_key WHERE id = 1"
_MAKE_KEY: Final = "INSERT OR IGNORE INTO erased_key (id, key) VALUES (1, randomblob(32))"
_ADD: Final = "INSERT OR IGNORE INTO erased_content (agent_id, content_hash, erased_at) VALUES (?, ?, ?)"
_IS_STOPPED: Final = "SELECT EXISTS (SELECT 1 FROM erased_content WHERE agent_id = ? AND content_hash = ?)"


class Stops:
    """The stop-list of one file.

    What is kept is BLAKE2b of ``karte.domain.erasure.content_hash`` under a random key of the file: two files cannot
    be compared, and a list of likely texts must be tried against each file anew. Whoever has the file has the key.
    """

    def __init__(self, connection: apsw.Connection) -> None:
        self._execute: Execute = connection.execute
        self._has_any = True

    def begin(self, *, has_any: bool) -> None:
        """Takes note, at the beginning of a transaction that writes, whether the file has a stop-list."""
        self._has_any = has_any

    def has_any(self) -> bool:
        """Whether the file has a stop-list at all, in a transaction that writes; most have none."""
        return self._has_any

    def is_stopped(self, agent: str, content_hash: bytes) -> bool:
        """Whether a text with this hash was erased and is to be kept out."""
        key: bytes | None = self._execute(_KEY).get
        return key is not None and bool(self._execute(_IS_STOPPED, (agent, _keyed(content_hash, key))).get)

    def add(self, agent: str, hashes: Iterable[bytes], now: str) -> int:
        """Keeps texts out from now on; gives how many."""
        distinct = set(hashes)
        if not distinct:
            return 0
        self._execute(_MAKE_KEY)
        self._has_any = True
        key: bytes = self._execute(_KEY).get
        for one in sorted(distinct):
            self._execute(_ADD, (agent, _keyed(one, key), now))
        return len(distinct)


def _keyed(content_hash: bytes, key: bytes) -> bytes:
    return blake2b(content_hash, key=key, digest_size=32).digest()
