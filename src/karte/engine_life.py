"""The life of memories as the engine's calls: fading, numbers, and a change of owner."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from karte.domain.conversations import ImportReport
from karte.domain.decisions import DEFAULT_TTL_DAYS, Decision, Said
from karte.domain.life import DecayReport, Reassignment, Stats
from karte.domain.summary import Summary
from karte.domain.time import to_datetime
from karte.service import conversations, decisions, fading, maintenance, overview
from karte.service.reassigning import reassign_agent
from karte.service.services import Services
from karte.service.summarize import Window, summarize
from karte.service.vectors import reembed


class EngineLife:
    """The calls of ``MemoryEngine`` about the life of memories."""

    _services: Services

    def forget(self, agent: str, id: str, *, reason: str = "") -> bool:
        """Puts a memory away in the archive; False if it is not there."""
        return maintenance.forget(self._services, agent, id, reason=reason)

    def restore(self, agent: str, id: str) -> bool:
        """Brings a memory back from the archive, whole; False if it is not there."""
        return maintenance.restore(self._services, agent, id)

    def decay(
        self,
        agent: str | None = None,
        *,
        dry_run: bool = False,
        on_progress: Callable[[str, int, int], None] | None = None,
    ) -> DecayReport:
        """Puts what has faded away in the archive, of one agent or of all; ``restore`` brings it back whole.

        What may fade, and when, says ``karte.domain.decay``; ``[retrieval]`` sets the bounds.
        """
        return fading.decay(self._services, agent, dry_run=dry_run, on_progress=on_progress)

    def import_conversations(
        self,
        agent: str,
        text: str,
        *,
        name: str,
        origin: str | None = None,
        on_progress: Callable[[int, int], None] | None = None,
    ) -> ImportReport:
        """Takes in the text of a conversation file: an export of ChatGPT or Claude, or JSON of who said what.

        ``name`` is what the file is called, the session of turns that name none. Every turn goes through the guard; one
        that was taken in before is known. ``origin`` is ``import:`` and the source, unless it is given.
        """
        return conversations.import_conversations(
            self._services, agent, text, name=name, origin=origin, on_progress=on_progress
        )

    def reembed(self, agent: str | None = None, *, on_progress: Callable[[int, int], None] | None = None) -> int:
        """Gives vectors of today's model to memories that have none, of one agent or all; how many were given.

        An engine with an embedder does so by itself in the background; this waits for the end. 0 without an embedder.
        Raises ``EmbedderError`` where the embedder fails; what was done stays.
        """
        return reembed(self._services.store, self._services.vectors, agent, on_progress)

    def now(self) -> datetime:
        """The present as reads see it: the clock's, never before the last write."""
        with self._services.store.read() as session:
            return to_datetime(session.now)

    def stats(self, agent: str) -> Stats:
        """How much the agent's memory holds, and of what; ``embedded`` counts vectors of the embedder's model."""
        return overview.stats(self._services, agent)

    def summarize(self, agent: str, window: Window, *, phrase: Callable[[str], str] | None = None) -> Summary:
        """A digest of what was observed, and of what changed, in so many last days or from (start until end).

        The same memories give the same digest. ``phrase`` may word its text, which it is given; when it fails, or says
        nothing, the text is the digest itself.
        """
        return summarize(self._services, agent, window, phrase=phrase)

    def reassign_agent(self, old: str, new: str, *, dry_run: bool = False) -> Reassignment:
        """Gives everything of an agent to another in one transaction; what is held stays held.

        Facts of both become one timeline. Aliases and declarations join where the new owner has none that differ;
        events and attempts stay. Reads at an earlier ``known_at`` still see the old owner.
        """
        return reassign_agent(self._services, old, new, dry_run=dry_run)

    def open_decision(
        self,
        agent: str,
        question: str,
        *,
        options: Sequence[str] = (),
        ttl_days: float | None = DEFAULT_TTL_DAYS,
        id: str | None = None,
        origin: str | None = None,
        source_event: str = "",
    ) -> Decision:
        """Opens a question that waits for its answer, as a fact of ``decision:<id>``.

        Unanswered it expires after ``ttl_days`` (None: never), and may then be opened again. ``DuplicateId`` where the
        id is in use. From a source that nobody vouches for, in a burst, it may be held: ``state`` says so.
        """
        said = Said(agent=agent, origin=origin, source_event=source_event)
        return decisions.open_decision(self._services, said, question, options=options, ttl_days=ttl_days, id=id)

    def list_open_decisions(self, agent: str) -> list[Decision]:
        """The questions that wait for an answer, oldest first."""
        return decisions.list_open_decisions(self._services, agent)

    def resolve_decision(
        self, agent: str, id: str, resolution: str, *, origin: str | None = None, source_event: str = ""
    ) -> Decision:
        """Answers an open question, once: ``AlreadyDecided`` after an answer or the deadline, ``NotFound`` without one.

        An answer that a curated source outvotes leaves it open, with the ``approval_id`` of the request it made.
        """
        said = Said(agent=agent, origin=origin, source_event=source_event)
        return decisions.resolve_decision(self._services, said, id, resolution)
