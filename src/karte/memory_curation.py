"""A curator's part of ``Karte``: the calls of the engine's curation, for its one agent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from karte.domain.approvals import Approval
from karte.domain.graph_export import GraphExport
from karte.domain.model import Instant, Page
from karte.domain.retraction import Rollback
from karte.engine import MemoryEngine


class AgentCuration:
    """A curator's part of ``Karte``, for its one agent."""

    agent: str
    engine: MemoryEngine

    def export_graph(self, limit: int = 1_000, *, include_quarantined: bool = False) -> GraphExport:
        """The entities and the facts that join them now, the newest first, at most ``limit`` facts."""
        return self.engine.export_graph(self.agent, limit, include_quarantined=include_quarantined)

    def invalidate_by_origin(self, origin: str, *, since: Instant | None = None, dry_run: bool = False) -> Rollback:
        """Takes back all of exactly this origin; what it displaced returns. ``dry_run`` writes nothing."""
        return self.engine.invalidate_by_origin(self.agent, origin, since=since, dry_run=dry_run)

    def undo_operation(self, operation_id: str) -> Rollback:
        """Lets what a purge or a retraction took back count again."""
        return self.engine.undo_operation(operation_id, agent=self.agent)

    def approvals(
        self,
        *,
        state: str | Sequence[str] | None = "pending",
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page[Approval]:
        """Requests for a person's decision, newest first."""
        return self.engine.approvals(self.agent, state=state, limit=limit, cursor=cursor)

    def get_approval(self, approval_id: str) -> Approval:
        """One request with every held item, and what each would displace."""
        return self.engine.get_approval(approval_id, agent=self.agent)

    def decide(
        self, approval_id: str, decision: Literal["approve", "reject"], *, by: str = "operator", reason: str = ""
    ) -> Approval:
        """Approves or rejects a request, once."""
        return self.engine.decide(approval_id, decision, by=by, reason=reason, agent=self.agent)
