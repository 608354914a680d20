"""The numbered steps that lay out our own tables: files of SQL, each applied once, with its checksum on record.

A step that was ever shipped never changes; what comes later is a new step.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

import apsw

from karte.errors import StorageError

FOLDER: Final = Path(__file__).parent / "migrations"

_CREATE_LOG: Final = (
    "CREATE TABLE IF NOT EXISTS schema_migration ("
    "version INTEGER PRIMARY KEY, name TEXT NOT NULL, sha256 TEXT NOT NULL, applied_at TEXT NOT NULL)"
)
_APPLIED: Final = "SELECT version, sha256 FROM schema_migration"
_LOG: Final = "INSERT INTO schema_migration (version, name, sha256, applied_at) VALUES (?, ?, ?, ?)"


@dataclass(frozen=True, slots=True)
class Step:
    """One file of SQL, ``0001_name.sql``."""

    version: int
    name: str
    script: str

    @property
    def checksum(self) -> str:
        """The SHA-256 of its text."""
        return sha256(self.script.encode("utf-8")).hexdigest()


def all_steps() -> list[Step]:
    """Every step that this version knows, in order."""
    files = sorted(FOLDER.glob("[0-9][0-9][0-9][0-9]_*.sql"))
    return [Step(int(file.name[:4]), file.stem[5:], file.read_text(encoding="utf-8")) for file in files]


def apply_steps(connection: apsw.Connection, now: str) -> None:
    """Applies what is missing, inside the caller's transaction."""
    connection.execute(_CREATE_LOG)
    applied = _applied(connection)
    for step in all_steps():
        if step.version not in applied:
            for _ in connection.execute(step.script):
                pass
            connection.execute(_LOG, (step.version, step.name, step.checksum, now))
        elif applied[step.version] != step.checksum:
            raise StorageError(
                f"step {step.version} of the layout is not the one that this version knows",
                field="path",
                remedy="open the file with the version that laid it out, and export it",
            )


def strange_steps(connection: apsw.Connection) -> list[int]:
    """The steps of the file that are missing here, or are other than ours."""
    known = {step.version: step.checksum for step in all_steps()}
    applied = _applied(connection)
    return sorted(version for version in known.keys() | applied if known.get(version) != applied.get(version))


def _applied(connection: apsw.Connection) -> dict[int, str]:
    rows = connection.execute(_APPLIED).fetchall()
    return {int(str(version)): str(checksum) for version, checksum in rows}
