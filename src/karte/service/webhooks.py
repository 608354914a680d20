"""Delivers events to a webhook: at least once each, in their order, tried again until they arrive.

Nothing is sent inside a transaction. Several processes may deliver for one file: who has claimed
the webhook delivers, the others find it not due.
"""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass
from datetime import datetime
from types import TracebackType
from typing import TYPE_CHECKING, Final, NamedTuple, Self

from karte.config import ServerSettings
from karte.domain.events import Event, EventFilter
from karte.domain.time import to_datetime
from karte.domain.webhooks import Progress, Webhook, body_of, headers_of, key_of, wait_secs
from karte.errors import ConfigError, KarteError
from karte.service.services import Services

if TYPE_CHECKING:
    from karte.service.posting import Post
    from karte.storage.protocol import Session

logger = logging.getLogger(__name__)

POLL_SECS: Final = 5.0
"""How often a worker looks for events of other processes, and for a try that is due."""
GRACE_SECS: Final = 0.4
"""How long a worker that is to end may go on sending."""
BREAK_SECS: Final = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """What one pass did: how many events arrived, and why the next did not, if it did not.

    ``next_try_at`` is when an attempt is due again; None where nothing is waiting. ``failures``
    counts those in a row.
    """

    delivered: int = 0
    failures: int = 0
    next_try_at: datetime | None = None
    error: str | None = None


class Turn(NamedTuple):
    """The next event to send, under a claim of ours."""

    event: Event
    claim: Progress
    clock: str


def webhook_of(settings: ServerSettings) -> Webhook | None:
    """The webhook that the configuration names; None where it names none.

    Raises ``ConfigError`` for one without a secret: every delivery is signed.
    """
    if not settings.webhook_url:
        return None
    if not settings.webhook_secret:
        raise ConfigError(
            "a webhook needs a secret to sign with",
            field="server.webhook_secret",
            remedy="set KARTE_SERVER__WEBHOOK_SECRET, or webhook_secret in [server]",
        )
    return Webhook(url=settings.webhook_url, key=key_of(settings.webhook_secret))


def required_webhook(settings: ServerSettings) -> Webhook:
    """The webhook that the configuration names; ``ConfigError`` where it names none."""
    webhook = webhook_of(settings)
    if webhook is None:
        raise ConfigError(
            "no webhook is configured",
            field="server.webhook_url",
            remedy="set KARTE_SERVER__WEBHOOK_URL, or webhook_url in [server]",
        )
    return webhook


def deliver_due(services: Services, webhook: Webhook, post: Post) -> Delivery:
    """One pass: sends what is due, event after event, until all have arrived or one has not."""
    from karte.service.posting import NotArrived, Stopped  # noqa: PLC0415 (few programs ever send)

    turn = _claim(services, webhook)
    delivered = 0
    while isinstance(turn, Turn):
        body = body_of(turn.event)
        try:
            post(webhook.url, headers_of(turn.event, body, turn.clock, webhook.key), body)
        except Stopped:
            left = _settle(services, webhook, turn, None)
            return _told(delivered, left)
        except NotArrived as error:
            left = _settle(services, webhook, turn, str(error))
            return _told(delivered, left)
        delivered += 1
        turn = _go_on(services, webhook, turn)
    return _told(delivered, turn)


def _claim(services: Services, webhook: Webhook) -> Turn | Progress:
    """The first turn, if the webhook is due and has something to send; else how it stands."""
    store = services.store
    with store.read() as session:
        progress = session.webhooks.get(webhook.name)
        if not progress.is_due(session.clock) or _next(session, progress) is None:
            return progress
    with store.note(wait=True) as session:
        progress = session.webhooks.get(webhook.name)
        if not progress.is_due(session.clock):
            return progress
        return _turn(session, webhook, progress)


def _go_on(services: Services, webhook: Webhook, turn: Turn) -> Turn | Progress:
    """Keeps that an event arrived; gives the next turn, unless the claim has gone to another."""
    with services.store.note(wait=True) as session:
        progress = session.webhooks.get(webhook.name)
        if progress != turn.claim:
            return progress
        return _turn(session, webhook, progress.arrived(turn.event.sequence))


def _turn(session: Session, webhook: Webhook, progress: Progress) -> Turn | Progress:
    event = _next(session, progress)
    after = progress.released() if event is None else progress.claimed(session.clock)
    session.webhooks.put(webhook.name, after)
    return after if event is None else Turn(event, after, session.clock)


def _settle(services: Services, webhook: Webhook, turn: Turn, error: str | None) -> Progress:
    """Keeps that an event did not arrive (None: that it was not really tried)."""
    with services.store.note(wait=True) as session:
        progress = session.webhooks.get(webhook.name)
        if progress == turn.claim:
            progress = progress.released() if error is None else progress.failed(session.clock, error)
            session.webhooks.put(webhook.name, progress)
        return progress


def _next(session: Session, progress: Progress) -> Event | None:
    following = session.events.listed(EventFilter(after=progress.delivered), limit=1)
    return following[0] if following else None


def _told(delivered: int, left: Progress) -> Delivery:
    return Delivery(
        delivered=delivered,
        failures=left.failures,
        next_try_at=None if left.next_try_at is None else to_datetime(left.next_try_at),
        error=left.last_error,
    )


class WebhookWorker:
    """A thread that delivers: at once what this process writes, soon what others write.

    It never ends by an error and never writes to standard output.
    """

    def __init__(self, services: Services, webhook: Webhook, *, poll_secs: float = POLL_SECS) -> None:
        from karte.service.posting import Poster  # noqa: PLC0415 (few programs ever send)

        self._services = services
        self._webhook = webhook
        self._poll_secs = poll_secs
        self._post = Poster()
        self._wake = threading.Event()
        self._is_ending = False
        self._failures = 0
        self._thread = threading.Thread(target=self._run, name="karte-webhook", daemon=True)
        self._unsubscribe = services.store.subscribe(lambda _event: self._wake.set())

    def start(self) -> None:
        """Begins to deliver."""
        self._thread.start()

    def stop(self) -> None:
        """Sends what there is if that goes quickly, else breaks it off (it is sent anew another time), and ends.

        Stopping again does nothing.
        """
        self._unsubscribe()
        self._is_ending = True
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join(GRACE_SECS)
            self._post.stop()
            self._thread.join(BREAK_SECS)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _run(self) -> None:
        while True:
            self._wake.clear()
            is_last = self._is_ending
            self._pass()
            if is_last:
                return
            self._wake.wait(min(self._poll_secs, wait_secs(self._failures)) if self._failures else self._poll_secs)

    def _pass(self) -> None:
        try:
            told = deliver_due(self._services, self._webhook, self._post)
        except KarteError as error:  # the file is busy, or closed: another time
            logger.info("webhook %s: %s", self._webhook.shown, error)
        except Exception:  # the memory goes on, whatever becomes of its webhook
            logger.exception("webhook %s", self._webhook.shown)
        else:
            self._log(told)

    def _log(self, told: Delivery) -> None:
        if told.failures > self._failures:
            logger.warning("webhook %s: %s; it is tried again at %s", self._webhook.shown, told.error, told.next_try_at)
        elif self._failures and not told.failures:
            logger.warning("webhook %s: delivers again", self._webhook.shown)
        self._failures = told.failures
