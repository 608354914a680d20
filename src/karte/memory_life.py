"""The life of memories as the calls of ``Karte``, for its one agent."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from karte.domain.conversations import ImportReport
from karte.domain.decisions import DEFAULT_TTL_DAYS, Decision
from karte.domain.life import DecayReport, Stats
from karte.domain.summary import Summary
from karte.engine import MemoryEngine
from karte.service.summarize import Window


class AgentLife:
    """The calls of ``Karte`` about the life of its agent's memories."""

    agent: str
    engine: MemoryEngine

    def forget(self, id: str, *, reason: str = "") -> bool:
        """Puts a memory away in the archive; False if it is not there."""
        return self.engine.forget(self.agent, id, reason=reason)

    def restore(self, id: str) -> bool:
        """Brings a memory back from the archive; False if it is not there."""
        return self.engine.restore(self.agent, id)

    def decay(
        self, *, dry_run: bool = False, on_progress: Callable[[str, int, int], None] | None = None
    ) -> DecayReport:
        """Puts what has faded away in the archive; ``restore`` brings it back whole."""
        return self.engine.decay(self.agent, dry_run=dry_run, on_progress=on_progress)

    def import_conversations(
        self,
        text: str,
        *,
        name: str,
        origin: str | None = None,
        on_progress: Callable[[int, int], None] | None = None,
    ) -> ImportReport:
        """Takes in the text of a conversation file; one that was taken in before is known."""
        return self.engine.import_conversations(self.agent, text, name=name, origin=origin, on_progress=on_progress)

    def reembed(self, *, on_progress: Callable[[int, int], None] | None = None) -> int:
        """Gives vectors of today's model to memories that have none; how many were given."""
        return self.engine.reembed(self.agent, on_progress=on_progress)

    def stats(self) -> Stats:
        """How much this memory holds, and of what."""
        return self.engine.stats(self.agent)

    def summarize(self, window: Window, *, phrase: Callable[[str], str] | None = None) -> Summary:
        """A digest of so many last days, or from (start until end); ``phrase`` may word it."""
        return self.engine.summarize(self.agent, window, phrase=phrase)

    def open_decision(
        self,
        question: str,
        *,
        options: Sequence[str] = (),
        ttl_days: float | None = DEFAULT_TTL_DAYS,
        id: str | None = None,
        origin: str | None = None,
        source_event: str = "",
    ) -> Decision:
        """Opens a question that waits for its answer, until ``ttl_days`` have passed."""
        return self.engine.open_decision(
            self.agent,
            question,
            options=options,
            ttl_days=ttl_days,
            id=id,
            origin=origin,
            source_event=source_event,
        )

    def list_open_decisions(self) -> list[Decision]:
        """The questions that wait for an answer, oldest first."""
        return self.engine.list_open_decisions(self.agent)

    def resolve_decision(
        self, id: str, resolution: str, *, origin: str | None = None, source_event: str = ""
    ) -> Decision:
        """Answers an open question, once."""
        return self.engine.resolve_decision(self.agent, id, resolution, origin=origin, source_event=source_event)
