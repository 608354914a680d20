"""``karte mcp`` delivers events in the background, and its standard output stays protocol."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from karte import SqliteMemoryEngine
from tests.interfaces.mcp.wire import Wire
from tests.service.receiver import Receiver
from tests.service.test_events import emit, happened

SECRET = "correct-horse-battery"


def served(file: Path, **server: str) -> Wire:
    settings = {f"KARTE_SERVER__{name.upper()}": value for name, value in server.items()}
    return Wire(sys.executable, "-m", "karte", "--db", str(file), "mcp", env={"HOME": str(file.parent), **settings})


@pytest.mark.requirement("trust.webhook-delivery", "trust.webhook-signature", "mcp.stdout-is-protocol")
def test_a_server_delivers_what_is_there_and_ends_as_quickly_as_ever(db_path: Path) -> None:
    with Receiver() as receiver:
        receiver.answers = [500]
        with SqliteMemoryEngine(db_path) as engine:
            emit(engine, happened(), happened())
            with served(db_path, webhook_url=f"{receiver.url}/t0psecret", webhook_secret=SECRET) as wire:
                assert receiver.wait_for(3) == [1, 1, 2]
                wire.greet()
                wire.close()
                assert wire.process.wait(10) == 0
                told = wire.errors()
        assert "HTTP 500" in told
        assert "t0psecret" not in told
        assert SECRET not in told
        assert "karte-signature" in receiver.posted[0].headers


@pytest.mark.requirement("trust.webhook-signature")
def test_a_webhook_without_a_secret_is_warned_of_and_the_server_serves(db_path: Path) -> None:
    with Receiver() as receiver:
        with SqliteMemoryEngine(db_path) as engine:
            emit(engine, happened())
        with served(db_path, webhook_url=receiver.url) as wire:
            wire.greet()
            wire.close()
            assert wire.process.wait(10) == 0
            assert "webhook_secret" in wire.errors()
        assert receiver.posted == []
