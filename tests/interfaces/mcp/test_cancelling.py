"""Cancelled calls and closed pipes: the server lives, nothing is half done, no lock stays."""

import os
import subprocess
import time
from pathlib import Path

import pytest

from tests.interfaces.mcp.wire import SLOW_SEARCH, SLOW_STORE, Wire, mcp_command, patched_command, serving

pytestmark = pytest.mark.requirement("mcp.cancel-and-close")

ITEMS = [{"content": f"row {i} of an import", "subject": f"s{i}", "predicate": "p"} for i in range(100)]


def cancel(wire: Wire, request_id: object) -> None:
    wire.notify("notifications/cancelled", {"requestId": request_id, "reason": "changed my mind"})


@pytest.mark.parametrize("pause", [0.0, 0.02, 0.1])
def test_a_cancelled_import_is_whole_or_absent_and_leaves_no_lock(db_path: Path, pause: float) -> None:
    with serving(db_path) as wire:
        cancelled = wire.start_call("memory_store_batch", items=ITEMS)
        time.sleep(pause)
        cancel(wire, cancelled)
        cancel(wire, cancelled)
        began = time.monotonic()
        wire.call("memory_store", content="stored right after")
        assert time.monotonic() - began < 1.0
        histories = [wire.call("memory_get_history", subject=f"s{i}", predicate="p")["total"] for i in range(100)]
        assert sum(histories) in (0, 100)
        late = [line for line in wire.lines if f'"id":{cancelled},'.encode() in line]
        assert len(late) <= 1


def test_a_call_cancelled_in_time_is_not_answered_and_others_are(db_path: Path) -> None:
    with Wire(*patched_command(db_path, SLOW_SEARCH)) as wire:
        wire.greet()
        slow = wire.start_call("memory_search", query="sleep 0.5")
        cancel(wire, slow)
        assert wire.ask("ping")["result"] == {}
        assert wire.is_silent(0.8)
        assert wire.call("memory_search", query="anything")["total"] == 0


def test_cancelling_what_is_over_or_never_was_changes_nothing(db_path: Path) -> None:
    with serving(db_path) as wire:
        done = wire.start_call("memory_store", content="over")
        wire.reply(done)
        for request_id in (done, done, 424_242, "unknown", None, 1.5):
            cancel(wire, request_id)
        assert wire.is_silent()
        assert wire.ask("ping")["result"] == {}


def test_a_write_that_waits_is_cancelled_before_it_begins(db_path: Path) -> None:
    with Wire(*patched_command(db_path, SLOW_STORE)) as wire:
        wire.greet()
        first = wire.start_call("memory_store", content="sleep 0.4 first")
        second = wire.start_call("memory_store", content="sleep 0 second")
        cancel(wire, second)
        assert "result" in wire.reply(first)
        contents = [each["content"] for each in wire.call("memory_search", query="first second")["memories"]]
        assert contents == ["sleep 0.4 first"]


def test_writes_happen_in_the_order_in_which_they_came(db_path: Path) -> None:
    with serving(db_path) as wire:
        fact = {"subject": "user", "predicate": "city", "valid_from": "2026-01-01"}
        ids = [wire.start_call("memory_store", content=f"City {i}", object=f"City {i}", **fact) for i in range(30)]
        for each in ids:
            wire.reply(each)
        assert wire.call("memory_get_at", subject="user", predicate="city")["record"]["object"] == "City 29"


@pytest.mark.parametrize("seconds", ["0.3", "30"])
def test_closed_input_ends_the_process_within_two_seconds(db_path: Path, seconds: str) -> None:
    with Wire(*patched_command(db_path, SLOW_STORE)) as wire:
        wire.greet()
        under_way = wire.start_call("memory_store", content=f"sleep {seconds} under way")
        time.sleep(0.1)
        wire.close()
        began = time.monotonic()
        assert wire.process.wait(5) == 0
        assert time.monotonic() - began < 2.0
        if seconds == "0.3":
            assert wire.reply(under_way)["result"]["structuredContent"]["status"] == "stored"
    with serving(db_path) as wire:
        assert wire.call("memory_search", query="under way")["total"] == (1 if seconds == "0.3" else 0)
        assert wire.call("memory_store", content="after")["status"] == "stored"


def test_a_client_that_reads_no_more_ends_the_process(db_path: Path) -> None:
    ours, theirs = os.pipe()
    process = subprocess.Popen(mcp_command(db_path), stdin=subprocess.PIPE, stdout=theirs, stderr=subprocess.DEVNULL)
    os.close(theirs)
    os.close(ours)
    with process:
        assert process.stdin is not None
        process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
        process.stdin.flush()
        assert process.wait(10) == 0  # although its input is still open
