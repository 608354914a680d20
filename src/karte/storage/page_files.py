"""The files of pages: confined to one folder, written whole or not at all, never through a symbolic link.

The caller holds the write lock of the memory file, so no two processes write here at once. The root itself may be a
link: where it leads is the owner's choice; below it nothing is followed.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from karte.errors import DiskFull, InvalidInput, StorageError

MOST_BYTES: Final = 4_000_000
_PART: Final = ".part"
_PAGE: Final = ".md"
_LINKED: Final = "it is a symbolic link, and those are not followed"
_NO_LINK: Final = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_FULL: Final = frozenset({28, 122})  # ENOSPC, EDQUOT


class PageFiles:
    """The folder of all pages; it is made when the first page is written."""

    def __init__(self, root: str | os.PathLike[str]) -> None:
        self._root = Path(root).absolute()

    @property
    def root(self) -> str:
        """Where the pages are."""
        return str(self._root)

    def read(self, place: str) -> str | None:
        """The text of a file; None where there is none. Raises ``StorageError`` for one that is no plain text file."""
        path = self._path(place)
        if not self._is_free_of_links(path):
            raise _unreadable(place, "a symbolic link is in its way")
        try:
            descriptor = os.open(path, os.O_RDONLY | _NO_LINK)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _unreadable(place, error.strerror) from error
        with os.fdopen(descriptor, "rb") as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode) or found.st_nlink > 1:
                raise _unreadable(place, "it is no plain file of its own")
            data = file.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise _unreadable(place, f"it has more than {MOST_BYTES:,} bytes")
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise _unreadable(place, "it is not UTF-8") from error

    def write(self, place: str, text: str) -> str:
        """Gives a file its text, whole; gives its sign."""
        path = self._path(place)
        part = path.with_name(f".{path.name[:80]}{_PART}")
        try:
            self._make_folder(path.parent)
            with contextlib.suppress(FileNotFoundError):
                part.unlink()
            descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(text.encode("utf-8"))
                file.flush()
                os.fsync(file.fileno())
            part.replace(path)
            _keep_name(path.parent)
            return _sign(path.stat())
        except OSError as error:
            with contextlib.suppress(OSError):
                part.unlink(missing_ok=True)
            kind = DiskFull if error.errno in _FULL else StorageError
            raise kind(
                f"the page cannot be written ({error.strerror})",
                field="pages.root",
                value=self._root,
                remedy="make the folder writable; the text is kept and written with the next page call",
            ) from error

    def remove(self, place: str) -> None:
        """Removes a file, if it is there; a link is removed, not what it leads to."""
        path = self._path(place)
        if not self._is_free_of_links(path.parent):
            raise _unreadable(place, "a symbolic link is in its way")
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise StorageError(
                f"the page cannot be removed ({error.strerror})", field="pages.root", value=self._root
            ) from error

    def signs(self, place: str) -> Mapping[str, str]:
        """The Markdown files in the folders of a folder (one deep), each with a sign that changes with it."""
        found = {}
        for folder in _entries(self._path(place)):
            if folder.is_dir(follow_symlinks=False):
                found.update({f"{place}/{folder.name}/{name}": sign for name, sign in _pages_in(folder)})
        return found

    def ignored(self, place: str) -> Mapping[str, str]:
        """What lies in a folder, or in the folders in it, and is never looked at, with the reason: links above all."""
        path = self._path(place)
        if not self._is_free_of_links(path):
            return {place: _LINKED}
        found = {}
        for entry in _entries(path):
            name = f"{place}/{entry.name}"
            if entry.is_symlink():
                found[name] = _LINKED
            elif entry.is_dir(follow_symlinks=False):
                found.update({f"{name}/{each}": why for each, why in _ignored_in(entry)})
            elif entry.name.endswith(_PAGE):
                found[name] = "it lies in no folder of a kind"
        return found

    def _path(self, place: str) -> Path:
        """Where a place is. Every place is made of checked names; this is the wall behind that."""
        names = place.split("/")
        if any(not name or name in (".", "..") or {"\\", "\x00", ":"} & set(name) for name in names):
            raise InvalidInput("leads out of the pages", field="path", value=place, remedy="name a page")
        return self._root.joinpath(*names)

    def _is_free_of_links(self, path: Path) -> bool:
        """Whether nothing between the root and the end of a path is a symbolic link."""
        below = path.relative_to(self._root).parts
        return not any(self._root.joinpath(*below[:count]).is_symlink() for count in range(1, len(below) + 1))

    def _make_folder(self, folder: Path) -> None:
        if not self._is_free_of_links(folder):
            raise _unreadable(folder.relative_to(self._root).as_posix(), "a symbolic link is in its way")
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)


def _pages_in(folder: os.DirEntry[str]) -> Iterator[tuple[str, str]]:
    for file in _entries(Path(folder.path)):
        is_page = file.name.endswith(_PAGE) and not file.name.startswith(".")
        if is_page and file.is_file(follow_symlinks=False):
            yield file.name, _sign(file.stat(follow_symlinks=False))


def _ignored_in(folder: os.DirEntry[str]) -> Iterator[tuple[str, str]]:
    """What lies in the folder of a kind and is not looked at; folders of other programs (``.git``) are none of ours."""
    for each in _entries(Path(folder.path)):
        if each.is_symlink():
            yield each.name, _LINKED
        elif each.is_dir(follow_symlinks=False) and not each.name.startswith("."):
            yield each.name, "it is a folder, and pages lie in the folder of their kind itself"


def _entries(folder: Path) -> Iterator[os.DirEntry[str]]:
    if folder.is_symlink():
        return
    try:
        with os.scandir(folder) as entries:
            yield from sorted(entries, key=lambda entry: entry.name)
    except (FileNotFoundError, NotADirectoryError):
        return


def _keep_name(folder: Path) -> None:
    """Makes the name of a file outlive a loss of power, where folders can be synced."""
    if hasattr(os, "O_DIRECTORY"):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _sign(found: os.stat_result) -> str:
    return f"{found.st_mtime_ns}:{found.st_size}:{found.st_ino}"


def _unreadable(place: str, why: str | None) -> StorageError:
    named = place.partition("/")[2] or place  # as everywhere: under the agent's folder
    return StorageError(f"the page cannot be read ({why})", field="path", value=named, remedy="look at the file")
