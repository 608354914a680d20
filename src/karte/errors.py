"""Every error that Karte raises, each with a stable code.

::

    KarteError
    |- InvalidInput (also ValueError)      what was said cannot be meant
    |  |- InvalidTime                      not an instant, or out of years 1 to 9999
    |  |- InvalidInterval                  an end that is not after its start
    |  |- InvalidText                      half a surrogate pair, a NUL, or no text at all
    |  |- TooMany                          more items than one call takes
    |  |- ReservedName                     a name that belongs to a part of Karte
    |  `- AmbiguousValue                   several values hold and the call wants one
    |- Conflict                            it clashes with what is stored
    |  |- DuplicateId
    |  |- AlreadyDecided
    |  `- AliasCycle
    |- Refused                             understood, and not allowed
    |  |- InjectionRefused
    |  |- ScopeDenied
    |  |- QuotaExceeded
    |  `- NotAuthenticated
    |- NotFound
    |- StorageError                        the file, not the caller
    |  |- NotAKarteFile
    |  |- NewerFile
    |  |- Busy
    |  |- ReadOnlyFile
    |  |- DiskFull
    |  `- CorruptFile
    |- ConfigError
    |- EmbedderError
    `- ExtractorError

An error says which ``field`` was wrong, what ``value`` it had (shortened) and which
``remedy`` helps; ``str(error)`` is one sentence of all three.
"""

from __future__ import annotations

from typing import ClassVar

SHOWN_VALUE_LENGTH = 80


def shorten(value: object, length: int = SHOWN_VALUE_LENGTH) -> str:
    """The value as a person can read it in an error: at most ``length`` characters, printable."""
    text = value if isinstance(value, str) else _shown(value)
    text = text.encode("utf-8", "backslashreplace").decode("utf-8").replace("\x00", "\\x00")
    if len(text) <= length:
        return text
    tail = length // 3  # the end of a path or an identifier tells more than its middle
    return f"{text[: length - tail - 1]}…{text[-tail:]}"


def _shown(value: object) -> str:
    try:
        return repr(value)
    except (ValueError, RecursionError):  # a number of thousands of digits; lists nested without end
        return f"a {type(value).__name__} too large to show"


class KarteError(Exception):
    """Anything that Karte raises on purpose."""

    code: ClassVar[str] = "error"

    def __init__(
        self,
        message: str,
        *,
        field: str | None = None,
        value: object = None,
        remedy: str | None = None,
    ) -> None:
        self.message = message
        self.field = field
        self.value = None if value is None else shorten(value)
        self.remedy = remedy
        super().__init__(message)

    def __str__(self) -> str:
        where = f"{self.field}: " if self.field else ""
        what = f" (got {self.value!r})" if self.value is not None else ""
        mend = f"; {self.remedy}" if self.remedy else ""
        return f"{where}{self.message}{what}{mend}"


class InvalidInput(KarteError, ValueError):
    """An argument that cannot be meant."""

    code = "invalid_input"


class InvalidTime(InvalidInput):
    """A time that cannot be read, or outside the years 1 to 9999."""

    code = "invalid_time"


class InvalidInterval(InvalidInput):
    """An end that is not after its start."""

    code = "invalid_interval"


class InvalidText(InvalidInput):
    """Text with half a surrogate pair or a NUL, or none where some is needed."""

    code = "invalid_text"


class TooMany(InvalidInput):
    """More items, or a larger item, than one call takes."""

    code = "too_many"


class ReservedName(InvalidInput):
    """A name that belongs to a part of Karte."""

    code = "reserved_name"


class AmbiguousValue(InvalidInput):
    """Several values hold where the call wants one."""

    code = "ambiguous_value"


class Conflict(KarteError):
    """A clash with what is stored."""

    code = "conflict"


class DuplicateId(Conflict):
    """The identifier is taken."""

    code = "duplicate_id"


class AlreadyDecided(Conflict):
    """The approval has been decided or has expired."""

    code = "already_decided"


class AliasCycle(Conflict):
    """The alias would lead back to itself."""

    code = "alias_cycle"


class Refused(KarteError):
    """Understood, and not allowed."""

    code = "refused"


class InjectionRefused(Refused):
    """The injection scan matched."""

    code = "injection_refused"


class ScopeDenied(Refused):
    """The caller lacks the scope that the operation needs."""

    code = "scope_denied"


class QuotaExceeded(Refused):
    """The caller's quota or rate limit is used up."""

    code = "quota_exceeded"


class NotAuthenticated(Refused):
    """No credential, or one that does not hold."""

    code = "not_authenticated"


class NotFound(KarteError):
    """What was named is not there (or not the caller's)."""

    code = "not_found"


class StorageError(KarteError):
    """The file could not be read or written."""

    code = "storage_error"


class NotAKarteFile(StorageError):
    """The file is something else; it was left untouched."""

    code = "not_a_karte_file"


class NewerFile(StorageError):
    """The file was written by a newer version; it was left untouched."""

    code = "newer_file"


class Busy(StorageError):
    """Another process held the file for longer than the time-out."""

    code = "busy"


class ReadOnlyFile(StorageError):
    """The file, or the way it was opened, allows no writing."""

    code = "read_only_file"


class DiskFull(StorageError):
    """No room to write; nothing of the operation was kept."""

    code = "disk_full"


class CorruptFile(StorageError):
    """The file is damaged."""

    code = "corrupt_file"


class ConfigError(KarteError):
    """A setting that the engine cannot work with."""

    code = "config_error"


class EmbedderError(KarteError):
    """The embedder failed or gave vectors of the wrong shape."""

    code = "embedder_error"


class ExtractorError(KarteError):
    """The extractor failed."""

    code = "extractor_error"
