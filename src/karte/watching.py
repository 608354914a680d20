"""What an engine and a memory tell of events: listing, auditing, subscribing, delivering.

The calls of ``MemoryEngine`` and ``Karte`` about events; each of the two takes its part in.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from karte.config import Config
from karte.domain.events import Audit, Event
from karte.domain.model import Page
from karte.errors import ConfigError
from karte.service import events, webhooks
from karte.service.services import Services

logger = logging.getLogger(__name__)


class EngineEvents:
    """The calls of ``MemoryEngine`` about events; ``agent`` None means all agents."""

    config: Config
    _services: Services

    def events(
        self,
        agent: str | None = None,
        *,
        kinds: Sequence[str] = (),
        after: int = 0,
        before: int | None = None,
        limit: int = 100,
        newest_first: bool = False,
        cursor: str | None = None,
    ) -> Page[Event]:
        """What happened, in order: events with a sequence above ``after`` and below ``before``.

        At most 1,000 a page; ``cursor`` takes the ``next_cursor`` of the page before.
        """
        return events.list_events(
            self._services,
            agent=agent,
            kinds=kinds,
            after=after,
            before=before,
            limit=limit,
            newest_first=newest_first,
            cursor=cursor,
        )

    def audit(
        self,
        agent: str | None = None,
        *,
        kinds: Sequence[str] = (),
        after: int = 0,
        before: int | None = None,
        limit: int = 100,
        newest_first: bool = True,
        cursor: str | None = None,
    ) -> Audit:
        """The security audit, newest first: attacks that were stopped, holds, decisions, purges, erasures.

        ``findings`` counts the attacks (above level ``info``) of all that was asked for.
        """
        return events.audit(
            self._services,
            agent=agent,
            kinds=kinds,
            after=after,
            before=before,
            limit=limit,
            newest_first=newest_first,
            cursor=cursor,
        )

    def subscribe(
        self, callback: Callable[[Event], object], *, agent: str | None = None, kinds: Sequence[str] = ()
    ) -> Callable[[], None]:
        """Calls ``callback`` with every event that this engine writes from now on; gives what ends that.

        It is called after the commit, in order, one at a time, by a thread that has written; what
        it raises is logged and harms nobody. Events of other processes are found by listing.
        """
        return events.subscribe(self._services, callback, agent=agent, kinds=kinds)

    def deliver_events(self) -> webhooks.Delivery:
        """Sends what is due to the configured webhook, now, on this thread.

        Raises ``ConfigError`` where no webhook, or no secret to sign with, is configured.
        """
        from karte.service.posting import Poster  # noqa: PLC0415 (few programs ever send)

        return webhooks.deliver_due(self._services, webhooks.required_webhook(self.config.server), Poster())

    @contextlib.contextmanager
    def delivering(self) -> Iterator[None]:
        """``with engine.delivering():`` a thread delivers meanwhile, if a webhook is configured.

        One that cannot be used (no secret to sign with, a read-only file) is warned of, and nothing is sent.
        """
        try:
            webhook = webhooks.webhook_of(self.config.server)
        except ConfigError as error:
            logger.warning("webhook: %s", error)
            webhook = None
        if webhook is None or self._services.store.is_read_only:
            yield
            return
        with webhooks.WebhookWorker(self._services, webhook):
            yield


class AgentEvents:
    """The calls of ``Karte`` about events: those of its agent."""

    agent: str
    engine: EngineEvents

    def events(self, **filters: Any) -> Page[Event]:
        """What happened to this memory, in order; takes the filters of ``MemoryEngine.events``."""
        return self.engine.events(self.agent, **filters)

    def audit(self, **filters: Any) -> Audit:
        """The security audit of this memory; takes the filters of ``MemoryEngine.audit``."""
        return self.engine.audit(self.agent, **filters)

    def subscribe(self, callback: Callable[[Event], object], *, kinds: Sequence[str] = ()) -> Callable[[], None]:
        """Calls ``callback`` with every event of this memory from now on; gives what ends that."""
        return self.engine.subscribe(callback, agent=self.agent, kinds=kinds)

    def deliver_events(self) -> webhooks.Delivery:
        """Sends what is due, of all agents of the file, to the configured webhook."""
        return self.engine.deliver_events()
