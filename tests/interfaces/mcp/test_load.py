"""Small calls stay quick while long ones run."""

import time
from pathlib import Path

import pytest

from tests.interfaces.mcp.wire import SLOW_SEARCH, Wire, patched_command


@pytest.mark.requirement("mcp.quick-under-load")
def test_ping_and_fetch_stay_quick_while_an_import_and_searches_run(db_path: Path) -> None:
    with Wire(*patched_command(db_path, SLOW_SEARCH)) as wire:
        wire.greet()
        known = wire.call("memory_store", content="already there")["id"]
        rows = [{"content": f"row {i} about topic {i % 7}", "subject": f"s{i}", "predicate": "p"} for i in range(2_000)]
        imports = [wire.start_call("memory_store_batch", items=rows[i : i + 100]) for i in range(0, 2_000, 100)]
        searches = [wire.start_call("memory_search", query="sleep 0.5 topic row") for _ in range(10)]
        time.sleep(0.1)
        pings, fetches = [], []
        for _ in range(10):
            pings.append(timed(wire, wire.request("ping")))
            fetches.append(timed(wire, wire.start_call("memory_fetch_batch", ids=[known])))
        assert sorted(pings)[-2] < 0.2  # of ten, one may meet a pause of the machine
        assert sorted(fetches)[-2] < 1.0
        stored = [wire.reply(each, 60)["result"]["structuredContent"]["stored"] for each in imports]
        assert stored == [100] * 20
        for each in searches:
            assert not wire.reply(each, 60)["result"]["isError"]


def timed(wire: Wire, request_id: int) -> float:
    began = time.monotonic()
    assert "result" in wire.reply(request_id)
    return time.monotonic() - began
