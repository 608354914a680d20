"""Several processes on one file: library, command line and MCP server, with readers and somebody who holds the lock."""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

import karte
from tests.reliability.health import check, config, opened, query
from tests.reliability.processes import PATIENCE_SECS, ROOT, Child, environment, karte_command, running

SHARED = ("the shared thing", "state")
WRITERS = 4
EACH = 200

pytestmark = pytest.mark.requirement("process.several-on-one-file")


def _laid_out(path: Path) -> None:
    opened(path).close()


def _facts(name: str, numbers: range) -> list[dict[str, str]]:
    return [
        {"content": f"{SHARED[0]} is {name}-{number}", "subject": SHARED[0], "predicate": SHARED[1], "object": value}
        for number in numbers
        for value in [f"{name}-{number}"]
    ]


def _add_by_command(path: Path) -> list[str]:
    """The ids of what the command line stored, one command a fact and one command for many."""
    stored = []
    for fact in _facts("command", range(5)):
        parts = ["-s", fact["subject"], "-p", fact["predicate"], "-o", fact["object"]]
        done = karte_command(path, "add", fact["content"], *parts, "--json")
        assert done.returncode == 0, done.stderr
        stored.append(json.loads(done.stdout)["id"])
    lines = "".join(json.dumps(fact) + "\n" for fact in _facts("lines", range(50)))
    done = karte_command(path, "add", "--jsonl", "-", "--quiet", text=lines)
    assert done.returncode == 0, done.stderr
    return stored


def _request(number: int, method: str, params: dict[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def _add_by_mcp(path: Path) -> list[str]:
    """The ids of what an MCP server stored, over its pipe."""
    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    messages: list[dict[str, Any]] = [
        _request(0, "initialize", client),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
    ]
    server = subprocess.Popen(
        [sys.executable, "-m", "karte", "--db", str(path), "mcp"],
        cwd=ROOT,
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
    )
    try:
        assert server.stdin is not None
        assert server.stdout is not None
        for message in messages:
            server.stdin.write(json.dumps(message) + "\n")
        server.stdin.flush()
        assert json.loads(server.stdout.readline())["id"] == 0
        stored = []
        for number, fact in enumerate(_facts("server", range(20)), 1):
            call = _request(number, "tools/call", {"name": "memory_store", "arguments": fact})
            server.stdin.write(json.dumps(call) + "\n")
            server.stdin.flush()
            answer = json.loads(server.stdout.readline())
            assert answer["id"] == number
            result = answer["result"]
            assert not result.get("isError"), result
            stored.append(str(result["structuredContent"]["id"]))
        server.communicate(timeout=PATIENCE_SECS)
    finally:
        server.kill()
        server.communicate()
    return stored


@pytest.mark.slow
@pytest.mark.requirement("law.8-racing-writers")
def test_four_writing_processes_two_readers_and_a_lock_holder_lose_no_write(db_path: Path) -> None:
    _laid_out(db_path)
    with ExitStack() as stack:
        readers = [stack.enter_context(running("read", db_path)) for _ in range(2)]
        writers = [stack.enter_context(running("write", db_path, f"w{n}", EACH)) for n in range(WRITERS)]
        for child in (*readers, *writers):
            assert child.hear() == "ready"
        holder = stack.enter_context(running("hold", db_path, 3))
        assert holder.hear() == "held"
        for writer in writers:
            writer.tell()
        with ThreadPoolExecutor(len(writers)) as pool:
            said = [line for lines in pool.map(Child.rest, writers) for line in lines]
        Path(f"{db_path}.stop").touch()
        looked = [reader.rest()[0] for reader in readers]
        assert holder.rest() == ["let go"]
    assert [line for line in said if "error" in line] == []
    assert len(said) == WRITERS * EACH
    assert all(one["wrong"] == [] and one["reads"] > 5 for one in looked), looked
    stored = {id for (id,) in query(db_path, "SELECT id FROM memories")}
    assert stored == {line["id"] for line in said}
    check(db_path)
    _check_shared(db_path, {line["value"] for line in said if line["shared"]})


def _check_shared(path: Path, values: set[str]) -> None:
    """One current row, and one chain of every value that was ever acknowledged."""
    with opened(path) as engine:
        history = engine.get_history("default", *SHARED)
    assert {record.object for record in history} == values
    assert len(history) == len(values)
    assert [record.is_current for record in history] == [False] * (len(history) - 1) + [True]
    assert [record.supersedes for record in history] == [None, *(record.id for record in history[:-1])]
    assert [record.superseded_by for record in history] == [*(record.id for record in history[1:]), None]


@pytest.mark.slow
@pytest.mark.requirement("law.8-racing-writers")
def test_library_command_line_and_mcp_server_write_to_one_fact_at_once(db_path: Path) -> None:
    _laid_out(db_path)
    with running("write", db_path, "library", 100) as writer, ThreadPoolExecutor(2) as pool:
        assert writer.hear() == "ready"
        by_command = pool.submit(_add_by_command, db_path)
        by_mcp = pool.submit(_add_by_mcp, db_path)
        writer.tell()
        said = writer.rest()
        ids = {*by_command.result(PATIENCE_SECS), *by_mcp.result(PATIENCE_SECS), *(line["id"] for line in said)}
    stored = {id for (id,) in query(db_path, "SELECT id FROM memories")}
    assert ids <= stored
    assert len(stored) == 100 + 55 + 20
    check(db_path)
    values = {line["value"] for line in said if line["shared"]}
    values |= {fact["object"] for name, count in MADE.items() for fact in _facts(name, range(count))}
    _check_shared(db_path, values)


MADE = {"command": 5, "lines": 50, "server": 20}


def test_a_true_time_out_is_a_clear_error_and_the_process_stays_usable(db_path: Path) -> None:
    with opened(db_path, config=config(busy_timeout_secs=0.2)) as engine:
        before = engine.store(karte.MemoryEntry(content="before"))
        with running("hold", db_path, 0) as holder:
            assert holder.hear() == "held"
            with pytest.raises(karte.Busy) as caught:
                engine.store(karte.MemoryEntry(content="while it is held"))
            assert caught.value.code == "busy"
            assert caught.value.field == "path"
            assert "busy_timeout_secs" in str(caught.value)
            for write in _writes(engine, str(before.id)):
                with pytest.raises(karte.Busy):
                    write()
            assert [memory.content for memory in engine.list_recent("default")] == ["before"]
            assert [hit.content for hit in engine.search("default", "before")] == ["before"]
            holder.tell()
            assert holder.hear() == "let go"
        assert engine.store(karte.MemoryEntry(content="after")).status == "stored"
        assert [memory.content for memory in engine.list_recent("default")] == ["after", "before"]
    check(db_path)


def _writes(engine: karte.MemoryEngine, id: str) -> list[Any]:
    """A call of each kind that writes."""
    fact = karte.MemoryEntry(content="x"), karte.TemporalMeta(subject="s", predicate="p")
    return [
        lambda: engine.store_temporal(*fact),
        lambda: engine.store_many([fact]),
        lambda: engine.update("default", id, tags=["t"]),
        lambda: engine.forget("default", id),
        lambda: engine.restore("default", id),
        lambda: engine.retract("default", id),
        lambda: engine.end_fact("default", "s", "p"),
        lambda: engine.expire_by_subject("default", "s"),
        lambda: engine.declare_predicate("default", "p", "many"),
        lambda: engine.add_alias("default", "a", "b"),
        lambda: engine.remove_alias("default", "b"),
    ]


def test_the_command_line_says_that_the_file_is_busy_and_ends_with_the_code_for_the_file(db_path: Path) -> None:
    _laid_out(db_path)
    with running("hold", db_path, 0) as holder:
        assert holder.hear() == "held"
        done = karte_command(db_path, "add", "something", KARTE_ENGINE__BUSY_TIMEOUT_SECS="0.2")
        assert done.returncode == 5, done.stderr
        assert "held the file" in done.stderr
        holder.tell()
        holder.rest()
    done = karte_command(db_path, "add", "something")
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_processes_that_all_find_no_file_lay_it_out_once_and_all_write(db_path: Path) -> None:
    with ExitStack() as stack:
        writers = [stack.enter_context(running("write", db_path, f"w{n}", 20)) for n in range(6)]
        for writer in writers:
            assert writer.hear() == "ready"
            writer.tell()
        said = [line for writer in writers for line in writer.rest()]
    assert [line for line in said if "error" in line] == []
    assert query(db_path, "SELECT count(*) FROM memories") == [(120,)]
    assert query(db_path, "PRAGMA journal_mode") == [("wal",)]
    check(db_path)


def test_a_process_that_is_stopped_while_it_holds_the_lock_is_waited_for(db_path: Path) -> None:
    _laid_out(db_path)
    with running("hold", db_path, 0.5) as holder, opened(db_path) as engine:
        assert holder.hear() == "held"
        assert engine.store(karte.MemoryEntry(content="after it")).status == "stored"
        assert holder.hear() == "let go"
    assert db_path.stat().st_size
    check(db_path)
