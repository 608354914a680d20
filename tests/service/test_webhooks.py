"""Webhooks over real sockets: at least once, in order, signed, tried again, and never in anybody's way."""

from __future__ import annotations

import base64
import hashlib
import hmac
import http.server
import json
import logging
import re
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from karte import Config, ConfigError, EventKind, MemoryEntry, ReadOnlyFile, SqliteMemoryEngine
from karte.config import ServerSettings, load
from karte.domain.webhooks import CLAIM_SECS, LONGEST_WAIT_SECS, Webhook, key_of, wait_secs
from karte.service import webhooks
from karte.service.posting import NotArrived, Poster, Stopped
from karte.service.webhooks import WebhookWorker, deliver_due
from tests.conftest import FakeClock
from tests.service.receiver import Receiver
from tests.service.test_events import emit, happened

SECRET = "correct-horse-battery"
PATH = "/hook/t0psecret?key=v"


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as receiver:
        yield receiver


def config_for(url: str, secret: str = SECRET) -> Config:
    return Config(server=ServerSettings(webhook_url=url, webhook_secret=secret))


def opened(path: Path, receiver: Receiver, clock: FakeClock | None = None) -> SqliteMemoryEngine:
    return SqliteMemoryEngine(path, clock=clock, config=config_for(receiver.url + PATH))


@pytest.fixture
def engine(db_path: Path, clock: FakeClock, receiver: Receiver) -> Iterator[SqliteMemoryEngine]:
    with opened(db_path, receiver, clock) as engine:
        yield engine


@pytest.mark.requirement("trust.webhook-delivery")
def test_every_event_arrives_once_and_in_order(engine: SqliteMemoryEngine, receiver: Receiver) -> None:
    emit(engine, happened(subject="s", origin="channel:x", data={"ids": ["1"], "text": "日本"}), happened(agent="b"))
    told = engine.deliver_events()
    assert (told.delivered, told.failures, told.next_try_at, told.error) == (2, 0, None, None)
    assert receiver.sequences == [1, 2]
    assert receiver.posted[0].path == PATH
    first = engine.events()[0]
    assert receiver.posted[0].data == {
        "id": first.id, "sequence": 1, "kind": "knowledge.purged", "level": "notice", "agent": "a",
        "happened_at": "2026-06-01T00:00:00.000000+00:00", "origin": "channel:x", "subject": "s",
        "data": {"ids": ["1"], "text": "日本"},
    }  # fmt: skip
    assert "subject" not in receiver.posted[1].data
    assert engine.deliver_events().delivered == 0
    emit(engine, happened())
    assert engine.deliver_events().delivered == 1
    assert receiver.sequences == [1, 2, 3]


@pytest.mark.requirement("trust.webhook-signature")
@pytest.mark.parametrize("secret", [SECRET, "whsec_" + base64.b64encode(bytes(range(32))).decode()])
def test_a_delivery_is_signed(db_path: Path, receiver: Receiver, clock: FakeClock, secret: str) -> None:
    key = bytes(range(32)) if secret.startswith("whsec_") else secret.encode()
    with SqliteMemoryEngine(db_path, clock=clock, config=config_for(receiver.url, secret)) as engine:
        emit(engine, happened())
        engine.deliver_events()
        event = engine.events()[0]
    [posted] = receiver.posted
    headers = posted.headers
    assert headers["webhook-id"] == event.id
    assert headers["karte-sequence"] == "1"
    assert headers["webhook-timestamp"] == str(int(clock.now.timestamp()))
    assert headers["content-type"] == "application/json; charset=utf-8"
    stamp = headers["webhook-timestamp"].encode()
    plain = hmac.new(key, stamp + b"." + posted.body, hashlib.sha256).hexdigest()
    assert headers["karte-signature"] == f"v1={plain}"
    standard = hmac.new(key, b".".join((event.id.encode(), stamp, posted.body)), hashlib.sha256).digest()
    assert headers["webhook-signature"] == f"v1,{base64.b64encode(standard).decode()}"


@pytest.mark.requirement("trust.webhook-signature", "house.documentation-runs")
def test_the_documented_check_knows_our_deliveries_from_others(
    engine: SqliteMemoryEngine, receiver: Receiver, clock: FakeClock
) -> None:
    page = (Path(__file__).parents[2] / "docs" / "events.md").read_text(encoding="utf-8")
    [check] = [block for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "def is_from_karte" in block]
    names: dict[str, Any] = {}
    exec(check, names)
    emit(engine, happened())
    engine.deliver_events()
    [posted] = receiver.posted
    key, now = SECRET.encode(), clock.now.timestamp()
    judge = names["is_from_karte"]
    assert judge(posted.headers, posted.body, key, now + 299)
    assert not judge(posted.headers, posted.body, key, now + 301)
    assert not judge(posted.headers, posted.body + b" ", key, now)
    assert not judge(posted.headers, posted.body, b"another", now)


def test_a_secret_that_only_looks_like_base64_is_its_own_letters() -> None:
    assert key_of("whsec_not base64!") == b"whsec_not base64!"


@pytest.mark.requirement("trust.webhook-delivery")
def test_a_failure_is_tried_again_after_a_growing_wait_and_holds_the_order(
    engine: SqliteMemoryEngine, receiver: Receiver, clock: FakeClock
) -> None:
    emit(engine, happened(), happened())
    receiver.answers = [500, 503]
    told = engine.deliver_events()
    assert (told.delivered, told.failures, told.error) == (0, 1, "HTTP 500")
    assert told.next_try_at == clock.now + timedelta(seconds=2)
    clock.advance(seconds=1.9)
    assert engine.deliver_events().failures == 1
    assert receiver.sequences == [1]
    clock.advance(seconds=0.1)
    told = engine.deliver_events()
    assert (told.failures, told.error, told.next_try_at) == (2, "HTTP 503", clock.now + timedelta(seconds=4))
    clock.advance(seconds=4)
    told = engine.deliver_events()
    assert (told.delivered, told.failures, told.error, told.next_try_at) == (2, 0, None, None)
    assert receiver.sequences == [1, 1, 1, 2]
    assert len({posted.headers["webhook-id"] for posted in receiver.posted[:3]}) == 1


@pytest.mark.requirement("trust.webhook-delivery")
def test_waits_double_up_to_a_quarter_of_an_hour() -> None:
    assert [wait_secs(n) for n in (1, 2, 3, 9, 10, 1000)] == [2, 4, 8, 512, 900, 900]


@pytest.mark.requirement("trust.webhook-delivery")
def test_where_it_stands_survives_the_process(db_path: Path, receiver: Receiver, clock: FakeClock) -> None:
    with opened(db_path, receiver, clock) as engine:
        emit(engine, happened(), happened(), happened())
        receiver.answers = [200, 500]
        assert engine.deliver_events().delivered == 1
    with opened(db_path, receiver, clock) as engine:
        assert (engine.deliver_events().delivered, engine.deliver_events().failures) == (0, 1)
        clock.advance(seconds=2)
        assert engine.deliver_events().delivered == 2
    assert receiver.sequences == [1, 2, 2, 3]


@pytest.mark.requirement("trust.webhook-delivery")
def test_a_redirect_is_a_failure_and_not_followed(engine: SqliteMemoryEngine, receiver: Receiver) -> None:
    emit(engine, happened())
    receiver.answers = [307]
    assert engine.deliver_events().error == "HTTP 307 (redirects are not followed)"
    assert [posted.path for posted in receiver.posted] == [PATH]


@pytest.mark.requirement("trust.webhook-delivery")
def test_nobody_there_is_a_failure(db_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/t0psecret"
        with SqliteMemoryEngine(db_path, config=config_for(url)) as engine:
            emit(engine, happened())
            told = engine.deliver_events()
    assert told.error is not None
    assert told.error.startswith("ConnectionRefusedError")
    assert "t0psecret" not in told.error


def test_an_answer_that_is_no_http_and_a_handshake_that_fails_are_failures(receiver: Receiver) -> None:
    def nonsense(handler: http.server.BaseHTTPRequestHandler) -> None:
        handler.wfile.write(b"\x00nonsense\r\n\r\n")

    receiver.answers = [nonsense]
    with pytest.raises(NotArrived, match="BadStatusLine"):
        Poster()(receiver.url, {}, b"{}")
    with pytest.raises(NotArrived, match="SSLError"):
        Poster(5.0)(receiver.url.replace("http:", "https:"), {}, b"{}")


@pytest.mark.requirement("trust.webhook-delivery")
def test_a_slow_answer_is_given_up_however_it_trickles_in(receiver: Receiver) -> None:
    is_done = threading.Event()

    def trickle(handler: http.server.BaseHTTPRequestHandler) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
        while not is_done.wait(0.05):
            try:
                handler.wfile.write(b"x: y\r\n")
            except OSError:
                return

    receiver.answers = [trickle]
    begun = time.perf_counter()
    with pytest.raises(NotArrived, match=r"no answer within 0\.4 s"):
        Poster(0.4)(receiver.url, {}, b"{}")
    assert time.perf_counter() - begun < 3
    is_done.set()


@pytest.mark.requirement("trust.webhook-delivery")
def test_nothing_is_sent_inside_a_transaction(engine: SqliteMemoryEngine, receiver: Receiver) -> None:
    """Others read and write while the other side takes its time."""
    written = threading.Event()

    def wait(handler: http.server.BaseHTTPRequestHandler) -> None:
        assert written.wait(20)
        handler.send_response(200)
        handler.end_headers()

    receiver.answers = [wait]
    emit(engine, happened())
    thread = threading.Thread(target=engine.deliver_events)
    thread.start()
    receiver.wait_for(1)
    engine.store(MemoryEntry(content="meanwhile"))
    written.set()
    thread.join(20)
    assert engine.deliver_events().next_try_at is None


@pytest.mark.requirement("trust.webhook-delivery")
def test_one_delivers_at_a_time_and_who_died_with_it_is_waited_for_a_minute(
    db_path: Path, engine: SqliteMemoryEngine, receiver: Receiver, clock: FakeClock
) -> None:
    emit(engine, happened(), happened())
    webhook = webhooks.required_webhook(engine.config.server)
    with opened(db_path, receiver, clock) as other:

        def post(url: str, headers: object, body: bytes) -> None:
            assert other.deliver_events().delivered == 0
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            deliver_due(engine._services, webhook, post)
        assert other.deliver_events().delivered == 0
        clock.advance(seconds=CLAIM_SECS)
        assert other.deliver_events().delivered == 2
    assert receiver.sequences == [1, 2]


@pytest.mark.requirement("trust.webhook-delivery")
def test_who_lost_its_claim_leaves_the_rest_to_the_other(
    db_path: Path, engine: SqliteMemoryEngine, receiver: Receiver, clock: FakeClock
) -> None:
    emit(engine, happened(), happened(), happened())
    webhook = webhooks.required_webhook(engine.config.server)
    with opened(db_path, receiver, clock) as other:

        def post(url: str, headers: object, body: bytes) -> None:
            clock.advance(seconds=CLAIM_SECS + 1)
            assert other.deliver_events().delivered == 3

        assert deliver_due(engine._services, webhook, post).delivered == 1
    assert receiver.sequences == [1, 2, 3]


@pytest.mark.requirement("trust.webhook-delivery")
def test_a_clock_that_steps_back_holds_nothing_up(
    engine: SqliteMemoryEngine, receiver: Receiver, clock: FakeClock
) -> None:
    emit(engine, happened())
    receiver.answers = [500]
    engine.deliver_events()
    clock.advance(days=-30)
    assert engine.deliver_events().delivered == 1


@pytest.mark.requirement("trust.webhook-delivery")
def test_racing_processes_deliver_each_event_once(db_path: Path, receiver: Receiver) -> None:
    engines = [opened(db_path, receiver) for _ in range(4)]
    emit(engines[0], *(happened() for _ in range(30)))

    def deliver(engine: SqliteMemoryEngine) -> None:
        while engine.deliver_events().next_try_at is not None:
            time.sleep(0.01)

    threads = [threading.Thread(target=deliver, args=(engine,)) for engine in engines]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert receiver.sequences == list(range(1, 31))
    for engine in engines:
        engine.close()


@pytest.mark.requirement("trust.webhook-delivery")
def test_delivering_changes_no_belief(engine: SqliteMemoryEngine, clock: FakeClock) -> None:
    engine.store(MemoryEntry(content="x"))
    emit(engine, happened())
    before = engine.now()
    engine.deliver_events()
    assert engine.now() == before


@pytest.mark.requirement("trust.webhook-signature")
def test_without_a_secret_or_an_address_nothing_is_sent(db_path: Path, receiver: Receiver) -> None:
    with SqliteMemoryEngine(db_path, config=config_for(receiver.url, "")) as engine:
        emit(engine, happened())
        with pytest.raises(ConfigError) as refused:
            engine.deliver_events()
        assert refused.value.field == "server.webhook_secret"
        with engine.delivering():
            pass
    with SqliteMemoryEngine(db_path) as engine:
        with pytest.raises(ConfigError) as refused:
            engine.deliver_events()
        assert refused.value.field == "server.webhook_url"
    assert receiver.posted == []


def test_a_read_only_file_delivers_nothing(db_path: Path, receiver: Receiver) -> None:
    with opened(db_path, receiver) as engine:
        emit(engine, happened())
    reading = SqliteMemoryEngine(db_path, read_only=True, config=config_for(receiver.url))
    with reading as engine:
        with pytest.raises(ReadOnlyFile):
            engine.deliver_events()
        with engine.delivering():
            pass
    assert receiver.posted == []


@pytest.mark.requirement("trust.webhook-delivery")
def test_the_thread_delivers_at_once_what_is_written_here_and_soon_what_others_write(
    db_path: Path, receiver: Receiver
) -> None:
    with opened(db_path, receiver) as engine, opened(db_path, receiver) as other:
        webhook = webhooks.required_webhook(engine.config.server)
        emit(engine, happened())
        with WebhookWorker(engine._services, webhook, poll_secs=600) as worker:
            receiver.wait_for(1)
            emit(engine, happened())
            assert receiver.wait_for(2) == [1, 2]
        worker.stop()
        with WebhookWorker(engine._services, webhook, poll_secs=0.05):
            emit(other, happened())
            assert receiver.wait_for(3) == [1, 2, 3]
        emit(engine, happened())
        assert receiver.sequences == [1, 2, 3]


@pytest.mark.requirement("trust.webhook-delivery")
def test_the_thread_ends_soon_also_while_it_sends_and_the_event_is_sent_anew(db_path: Path, receiver: Receiver) -> None:
    is_done = threading.Event()

    def never_answer(_handler: http.server.BaseHTTPRequestHandler) -> None:
        is_done.wait(20)

    receiver.answers = [never_answer]
    with opened(db_path, receiver) as engine:
        emit(engine, happened())
        with engine.delivering():
            receiver.wait_for(1)
            begun = time.perf_counter()
        assert time.perf_counter() - begun < 2
        is_done.set()
        for _ in range(200):
            if not [thread for thread in threading.enumerate() if thread.name == "karte-webhook"]:
                break
            time.sleep(0.01)
        told = engine.deliver_events()
        assert (told.delivered, told.failures) == (1, 0)
    assert receiver.sequences == [1, 1]


@pytest.mark.requirement("trust.webhook-delivery")
def test_the_thread_outlives_every_error(db_path: Path, receiver: Receiver, caplog: pytest.LogCaptureFixture) -> None:
    with opened(db_path, receiver) as engine:
        webhook = webhooks.required_webhook(engine.config.server)
        worker = WebhookWorker(engine._services, webhook, poll_secs=0.02)
        kept = worker._post
        failing = iter([ZeroDivisionError(), ConfigError("no")])

        def post(*arguments: object) -> None:
            raise next(failing, Stopped("x"))

        worker._post = post  # type: ignore[assignment]
        emit(engine, happened())
        with caplog.at_level(logging.INFO), worker:
            for _ in range(500):
                if "ZeroDivisionError" in caplog.text:
                    break
                time.sleep(0.01)
            worker._post = kept
            assert worker._thread.is_alive()
    assert "ZeroDivisionError" in caplog.text


@pytest.mark.requirement("trust.webhook-signature")
def test_no_secret_is_logged_shown_or_kept(
    db_path: Path, receiver: Receiver, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    secrets = (SECRET, "t0psecret")
    with opened(db_path, receiver, clock) as engine:
        receiver.answers = [500]
        emit(engine, happened())
        webhook = webhooks.required_webhook(engine.config.server)
        with caplog.at_level(logging.DEBUG), WebhookWorker(engine._services, webhook):
            receiver.wait_for(1)
            for _ in range(500):
                if "HTTP 500" in caplog.text:
                    break
                time.sleep(0.01)
        status = engine.status()
        shown = f"{caplog.text}{status}{engine.config!r}{webhook!r}"
        assert "HTTP 500; it is tried again at" in caplog.text
        assert status.settings["server.webhook_url"] == f"{receiver.url}/…"
        assert status.settings["server.webhook_secret"] == "(set)"
        assert not [secret for secret in secrets if secret in shown]
    for file in db_path.parent.iterdir():
        assert not [secret for secret in secrets if secret.encode() in file.read_bytes()]


def test_another_address_begins_anew_and_the_old_one_is_remembered(
    engine: SqliteMemoryEngine, receiver: Receiver, clock: FakeClock
) -> None:
    emit(engine, happened())
    engine.deliver_events()
    old = webhooks.required_webhook(engine.config.server)
    new = Webhook(url=receiver.url + "/other", key=old.key)
    assert deliver_due(engine._services, new, Poster()).delivered == 1
    assert deliver_due(engine._services, replace(old), Poster()).delivered == 0
    assert [posted.path for posted in receiver.posted] == [PATH, "/other"]


@pytest.mark.requirement("config.bad-key-falls-back")
@pytest.mark.parametrize(
    "url",
    [
        "ftp://host/x", "file:///etc/passwd", "http://", "https:///x", "host/x", "http://bob:s3cr3t@host/", "http://h:0/",
        "http://h:99999/", "http://h:x/", "http://h/ x", "http://h/#f", "http://h/é", "http://[::1/",
        "http://h/\r\nx: y",
    ],
)  # fmt: skip
def test_an_address_that_is_none_falls_back_to_none_and_is_not_shown(tmp_path: Path, url: str) -> None:
    file = tmp_path / "config.toml"
    file.write_text(f"[server]\nwebhook_url = {json.dumps(url)}\nwebhook_secret = {json.dumps(SECRET)}\n")
    config = load(file, environment={})
    assert config.server.webhook_url == ""
    [warning] = config.warnings
    assert "server.webhook_url is not an http or https URL" in warning
    assert "s3cr3t" not in warning
    with pytest.raises(ConfigError) as refused:
        load(environment={}, arguments={"server.webhook_url": url})
    assert "s3cr3t" not in str(refused.value)


@pytest.mark.parametrize("secret", ["short", "with a space in it, long", "ümlauts-and-more-of-it", "x" * 1001])
def test_a_secret_that_is_none_falls_back_and_is_not_shown(secret: str) -> None:
    config = load(
        environment={"KARTE_SERVER__WEBHOOK_URL": "http://[::1]:80/x", "KARTE_SERVER__WEBHOOK_SECRET": secret}
    )
    assert (config.server.webhook_url, config.server.webhook_secret) == ("http://[::1]:80/x", "")
    assert len(config.warnings) == 2
    assert "nothing is sent there" in config.warnings[1]
    assert secret not in " ".join(config.warnings)


def test_the_longest_wait_is_no_stepped_back_clock(
    engine: SqliteMemoryEngine, receiver: Receiver, clock: FakeClock
) -> None:
    emit(engine, happened(EventKind.ERASED))
    for failures in range(1, 13):
        receiver.answers = [500]
        assert engine.deliver_events().failures == failures
        clock.advance(seconds=LONGEST_WAIT_SECS)
    clock.advance(seconds=-1)
    receiver.answers = []
    assert engine.deliver_events().delivered == 0
    clock.advance(seconds=1)
    assert engine.deliver_events().delivered == 1
