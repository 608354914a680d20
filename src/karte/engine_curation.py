"""A curator's part of the engine: the calls that decide, take back, and give back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from karte.domain.approvals import TTL_SECS, Approval
from karte.domain.graph_export import GraphExport
from karte.domain.model import EndOutcome, Instant, Page
from karte.domain.retraction import Rollback
from karte.service import approvals as approving
from karte.service import graph_export, rollback, undo
from karte.service import retract as retraction
from karte.service.services import Services


class ApprovalBroker:
    """Requests for a person's decision, of any kind, over one engine.

    Karte's own kinds are opened by the guard; a program may ask for more with ``request``.
    """

    def __init__(self, engine: EngineCuration) -> None:
        self._engine = engine

    def request(
        self,
        agent: str,
        action_kind: str,
        summary: str,
        payload: Mapping[str, Any] | None = None,
        *,
        ttl_secs: float = TTL_SECS,
    ) -> Approval:
        """Asks; the request counts as rejected when its time is up."""
        return self._engine.request_approval(agent, action_kind, summary, payload, ttl_secs=ttl_secs)

    def list(self, agent: str | None = None, *, state: str | Sequence[str] | None = "pending") -> Page[Approval]:
        """The requests, newest first."""
        return self._engine.approvals(agent, state=state)

    def get(self, approval_id: str) -> Approval:
        """One request."""
        return self._engine.get_approval(approval_id)

    def approve(self, approval_id: str, *, by: str, reason: str = "") -> Approval:
        """Allows it, and does what hangs on it, in one transaction."""
        return self._engine.decide(approval_id, "approve", by=by, reason=reason)

    def reject(self, approval_id: str, *, by: str, reason: str = "") -> Approval:
        """Refuses it for good."""
        return self._engine.decide(approval_id, "reject", by=by, reason=reason)


class EngineCuration:
    """A curator's part of ``MemoryEngine``: every call names its agent."""

    _services: Services

    def export_graph(self, agent: str, limit: int = 1_000, *, include_quarantined: bool = False) -> GraphExport:
        """The entities and the facts that join them now, the newest first, at most ``limit`` (1 to 10,000) facts.

        ``include_quarantined`` adds facts that wait for a decision, flagged. ``written`` of
        ``karte.domain.graph_export`` gives it as GraphML, JSON or Mermaid.
        """
        return graph_export.export_graph(self._services, agent, limit, include_quarantined=include_quarantined)

    def retract(self, agent: str, id: str, *, event: str = "") -> EndOutcome:
        """Takes back the assertion that made a row; what it displaced returns."""
        return retraction.retract(self._services, agent, id, event=event)

    def invalidate_by_origin(
        self, agent: str, origin: str, *, since: Instant | None = None, dry_run: bool = False
    ) -> Rollback:
        """Takes back all of exactly this origin; what it displaced returns. ``dry_run`` writes nothing."""
        return rollback.invalidate_by_origin(self._services, agent, origin, since=since, dry_run=dry_run)

    def undo_operation(self, operation_id: str, *, agent: str | None = None) -> Rollback:
        """Lets what a purge or a retraction (of that agent) took back count again."""
        return undo.undo_operation(self._services, operation_id, agent=agent)

    def approvals(
        self,
        agent: str | None = None,
        *,
        state: str | Sequence[str] | None = "pending",
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page[Approval]:
        """Requests for a person's decision, newest first; ``agent`` None means everybody's."""
        return approving.approvals(self._services, agent, state=state, limit=limit, cursor=cursor)

    def get_approval(self, approval_id: str, *, agent: str | None = None) -> Approval:
        """One request with every held item, and what each would displace."""
        return approving.get_approval(self._services, approval_id, agent=agent)

    def decide(
        self,
        approval_id: str,
        decision: Literal["approve", "reject"],
        *,
        by: str = "operator",
        reason: str = "",
        agent: str | None = None,
    ) -> Approval:
        """Approves or rejects a request, once."""
        return approving.decide(self._services, approval_id, decision, by=by, reason=reason, agent=agent)

    def request_approval(
        self,
        agent: str,
        action_kind: str,
        summary: str,
        payload: Mapping[str, Any] | None = None,
        *,
        ttl_secs: float = TTL_SECS,
    ) -> Approval:
        """Asks a person to allow something of the caller's own."""
        return approving.request(self._services, agent, action_kind, summary, payload, ttl_secs=ttl_secs)
