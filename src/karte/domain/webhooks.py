"""Webhooks: what is sent, how it is signed, and when it is tried again. Pure: nothing here sends.

Progress is one value for each webhook. Who wants to deliver *claims* it, by putting the next try
ahead of itself; while the claim lasts nobody else delivers, and a process that dies with it is
waited for no longer than ``CLAIM_SECS``. After n failures in a row the next try waits

    min(LONGEST_WAIT_SECS, FIRST_WAIT_SECS * 2 ** (n - 1))

The signatures are those of Standard Webhooks (https://www.standardwebhooks.com) and a plainer one:

    webhook-signature: v1,base64(HMAC-SHA256(key, id + "." + timestamp + "." + body))
    karte-signature:   v1=hex(HMAC-SHA256(key, timestamp + "." + body))
"""

from __future__ import annotations

import base64
import binascii
import hmac
import json
from dataclasses import dataclass, field, replace
from datetime import timedelta
from hashlib import blake2b, sha256
from typing import Final
from urllib.parse import urlsplit

from karte.domain.events import Event, event_object
from karte.domain.time import after, to_datetime

CLAIM_SECS: Final = 60
FIRST_WAIT_SECS: Final = 2
LONGEST_WAIT_SECS: Final = 900
LONGEST_ERROR: Final = 200
STANDARD_PREFIX: Final = "whsec_"


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook:
    """Where events are sent, and with which key they are signed. Neither is ever shown."""

    url: str = field(repr=False)
    key: bytes = field(repr=False)

    @property
    def shown(self) -> str:
        """The address as a log may show it: what follows the host is often a secret."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc}"

    @property
    def name(self) -> str:
        """What its progress is kept under."""
        return f"{self.shown}#{blake2b(self.url.encode(), digest_size=8).hexdigest()}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a webhook has come: all events up to ``delivered`` have arrived."""

    delivered: int = 0
    failures: int = 0
    next_try_at: str | None = None
    last_error: str | None = None

    def is_due(self, clock: str) -> bool:
        """Whether it may be tried; a clock that has stepped back holds nothing up."""
        if self.next_try_at is None or self.next_try_at <= clock:
            return True
        return self.next_try_at > _later(clock, LONGEST_WAIT_SECS + CLAIM_SECS)

    def claimed(self, clock: str) -> Progress:
        """The progress while somebody delivers."""
        return replace(self, next_try_at=_later(clock, CLAIM_SECS))

    def released(self) -> Progress:
        """The progress when nobody delivers any more."""
        return replace(self, next_try_at=None)

    def arrived(self, sequence: int) -> Progress:
        """The progress once an event has arrived."""
        return Progress(delivered=sequence, next_try_at=self.next_try_at)

    def failed(self, clock: str, error: str) -> Progress:
        """The progress once an event has not arrived."""
        failures = self.failures + 1
        next_try_at = _later(clock, wait_secs(failures))
        return replace(self, failures=failures, next_try_at=next_try_at, last_error=error[:LONGEST_ERROR])


def wait_secs(failures: int) -> int:
    """How long to wait after so many failures in a row."""
    return min(LONGEST_WAIT_SECS, FIRST_WAIT_SECS << min(failures - 1, 20))


def key_of(secret: str) -> bytes:
    """The key that a secret stands for: what ``whsec_`` and base64 say, else its own letters."""
    if secret.startswith(STANDARD_PREFIX):
        try:
            return base64.b64decode(secret.removeprefix(STANDARD_PREFIX), validate=True)
        except (binascii.Error, ValueError):
            pass
    return secret.encode()


def body_of(event: Event) -> bytes:
    """What is sent of an event."""
    text = json.dumps(event_object(event), ensure_ascii=False, separators=(",", ":"), default=str)
    return text.encode("utf-8", "replace")


def headers_of(event: Event, body: bytes, clock: str, key: bytes) -> dict[str, str]:
    """The headers that tell of an event, and prove that it is from us and from now."""
    timestamp = str(int(to_datetime(clock).timestamp()))
    signed = b".".join((event.id.encode(), timestamp.encode(), body))
    standard = base64.b64encode(hmac.digest(key, signed, sha256)).decode()
    plain = hmac.digest(key, timestamp.encode() + b"." + body, sha256).hex()
    return {
        "content-type": "application/json; charset=utf-8",
        "webhook-id": event.id,
        "webhook-timestamp": timestamp,
        "webhook-signature": f"v1,{standard}",
        "karte-sequence": str(event.sequence),
        "karte-signature": f"v1={plain}",
    }


def _later(clock: str, seconds: int) -> str:
    return after(clock, timedelta(seconds=seconds))
