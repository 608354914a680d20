"""Standard output carries protocol only; a start that fails says why on standard error."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.interfaces.mcp.wire import Wire, mcp_command, patched_command, serving

pytestmark = pytest.mark.requirement("mcp.stdout-is-protocol")

NOISE = """
import os, subprocess, sys, threading, time, warnings
from karte import SqliteMemoryEngine
def noise():
    print("a banner")
    sys.stdout.write("no newline at the end")
    sys.stdout.flush()
    os.write(1, b"from a C library\\n")
    subprocess.run(["echo", "from a child"])
    warnings.warn("a warning")
quiet = SqliteMemoryEngine.store
def store(self, *args, **more):
    noise()
    if args[0].content == "fail":
        raise RuntimeError("inside")
    return quiet(self, *args, **more)
SqliteMemoryEngine.store = store
import karte.memory
opened = karte.memory.open_engine
def open_engine(*args, **more):
    noise()
    return opened(*args, **more)
karte.memory.open_engine = open_engine
"""


def talk(wire: Wire) -> None:
    """The same short conversation; `Wire` judges every line."""
    wire.greet()
    assert wire.ask("tools/list")["result"]["tools"]
    wire.call("memory_store", content="a note")
    assert wire.ask("tools/call", {"name": "memory_store", "arguments": {"content": ""}})["result"]["isError"]
    wire.close()
    assert wire.process.wait(5) == 0
    assert wire.is_silent()


@pytest.mark.parametrize(
    "env", [{}, {"PYTHONWARNINGS": "always"}, {"KARTE_LOG": "DEBUG"}], ids=["plain", "warnings", "verbose"]
)
def test_a_new_file_makes_no_noise(db_path: Path, env: dict[str, str]) -> None:
    with Wire(*mcp_command(db_path), env=env) as wire:
        talk(wire)


def test_a_server_that_is_well_leaks_nothing_and_says_nothing(db_path: Path) -> None:
    with Wire(*mcp_command(db_path), env={"PYTHONWARNINGS": "error", "PYTHONDEVMODE": "1"}) as wire:
        talk(wire)
        # A machine with other work makes asyncio note how long a step took; that is no leak.
        assert [line for line in wire.errors().splitlines() if not line.endswith(" seconds")] == []


def test_an_upgrade_makes_no_noise(db_path: Path, data_dir: Path) -> None:
    shutil.copy(data_dir / "legacy" / "engine_1_62.db", db_path)
    with Wire(*mcp_command(db_path)) as wire:
        talk(wire)


def test_prints_of_libraries_and_children_go_to_standard_error(db_path: Path) -> None:
    with Wire(*patched_command(db_path, NOISE)) as wire:
        talk(wire)
        said = wire.errors()
    for noise in ("a banner", "no newline at the end", "from a C library", "from a child"):
        assert noise in said


def test_a_fault_inside_is_told_on_standard_error_and_not_to_the_client(db_path: Path) -> None:
    with Wire(*patched_command(db_path, NOISE)) as wire:
        wire.greet()
        error = wire.failed("memory_store", content="fail")
        assert error["code"] == "internal_error"
        assert "inside" not in error["remedy"]
        assert "RuntimeError: inside" in wire.errors()
        assert wire.ask("ping")["result"] == {}


@pytest.mark.parametrize(
    ("content", "options"),
    [
        (b"this is a letter to my aunt\n" * 50, ()),
        (b"SQLite format 3\x00" + b"\xff" * 4_000, ()),
        (None, ("--scopes", "memory:read,everything")),
    ],
    ids=["no Karte file", "corrupt", "no such scope"],
)
def test_a_start_that_fails_says_why_on_standard_error(
    db_path: Path, content: bytes | None, options: tuple[str, ...]
) -> None:
    if content is not None:
        db_path.write_bytes(content)
    done = subprocess.run(
        mcp_command(db_path, *options), stdin=subprocess.DEVNULL, capture_output=True, timeout=20, check=False
    )
    assert done.returncode != 0
    assert done.stdout == b""
    assert done.stderr.strip()
    if content is not None:
        assert db_path.read_bytes() == content


def test_two_servers_on_one_file_do_not_mind_each_other(db_path: Path) -> None:
    with serving(db_path) as one, serving(db_path) as two:
        stored = one.call("memory_store", content="seen by both")
        assert two.call("memory_read", id=stored["id"])["found"]
