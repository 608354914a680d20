"""The calls of the engine for what a person may ask: to be forgotten, and to be given all that is held."""

from __future__ import annotations

from collections.abc import Iterable

from karte.domain.erasure import Erasure, Exported
from karte.service import erase as erasing
from karte.service import transfer
from karte.service.services import Services
from karte.service.transfer import Out


class Rights:
    """Erasing and exporting; a part of ``MemoryEngine``."""

    _services: Services

    def erase(
        self,
        agent: str,
        *,
        subject: str | None = None,
        everything: bool = False,
        include_objects: bool = False,
        keep_stop_list: bool = False,
        dry_run: bool = False,
    ) -> Erasure:
        """Removes everything about an exact subject (its aliases too), or ``everything`` of the agent, for good.

        Facts of others that name the subject as their object stay and are counted in ``mentions``, unless
        ``include_objects``. ``keep_stop_list`` keeps hashes of the texts, so that they are not stored again.
        """
        return erasing.erase(
            self._services,
            agent,
            subject=subject,
            everything=everything,
            include_objects=include_objects,
            keep_stop_list=keep_stop_list,
            dry_run=dry_run,
        )

    def is_stopped(self, agent: str, content: str) -> bool:
        """Whether a text was erased with ``keep_stop_list``."""
        return erasing.is_stopped(self._services, agent, content)

    def export(
        self, out: Out, *, agent: str | None = None, subject: str | None = None, include_objects: bool = False
    ) -> Exported:
        """Writes all that is held as JSONL (``docs/transfer.md``): of the file, an agent, or about a subject.

        ``out`` is a path, or a function that takes a line, as ``file.write`` does.
        """
        return transfer.export(self._services, out, agent=agent, subject=subject, include_objects=include_objects)

    def import_export(self, lines: Iterable[str]) -> Exported:
        """Takes the lines that ``export`` wrote into this file, which must be empty; all of them or none."""
        return transfer.import_export(self._services, lines)
