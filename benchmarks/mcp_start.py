"""How long a client waits: `karte mcp` from its start to its first answer, and for small calls after.

    scripts/bench mcp_start [--rounds 7] [--rows 1000] [--json FILE]

A real child process over a real pipe. Target: the first answer in under 1.5 s. Nothing is asserted.
The floor is an empty Python that answers one line.
"""

import argparse
import json
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import IO, Any

FLOOR = "import sys; sys.stdin.readline(); print('{}', flush=True); sys.stdin.readline()"
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}


class Server:
    def __init__(self, *command: str, env: Mapping[str, str] | None = None) -> None:
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env)
        self.id = 0

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self.id += 1
        self._send({"id": self.id, "method": method, "params": params})
        answer: dict[str, Any] = {}
        while answer.get("id") != self.id:  # notifications may come before
            answer = json.loads(self._pipe(self.process.stdout).readline())
        return answer

    def tell(self, method: str) -> None:
        self._send({"method": method})

    def _send(self, message: dict[str, Any]) -> None:
        self._pipe(self.process.stdin).write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self._pipe(self.process.stdin).flush()

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        result: dict[str, Any] = self.ask("tools/call", {"name": tool, "arguments": arguments})["result"]
        return result

    def end(self) -> None:
        self._pipe(self.process.stdin).close()
        self.process.wait(5)
        self._pipe(self.process.stdout).close()

    @staticmethod
    def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
        assert pipe is not None
        return pipe


def seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def first_answer(*command: str) -> float:
    server = Server(sys.executable, *command)
    waited = seconds(lambda: server.ask("initialize", HELLO))
    server.end()
    return waited


def small_calls(db: Path, rows: int) -> dict[str, float]:
    server = Server(sys.executable, "-m", "karte", "--db", str(db), "mcp")
    server.ask("initialize", HELLO)
    items = [{"content": f"note {i} about topic {i % 97}", "subject": f"s{i}", "predicate": "p"} for i in range(rows)]
    for i in range(0, rows, 100):
        server.call("memory_store_batch", items=items[i : i + 100])
    fact = {"subject": "s1", "predicate": "p"}
    calls: dict[str, Callable[[], object]] = {
        "ping": lambda: server.ask("ping", {}),
        "memory_get_at": lambda: server.call("memory_get_at", **fact),
        "memory_get_history": lambda: server.call("memory_get_history", **fact),
        "memory_search": lambda: server.call("memory_search", query="topic 13"),
        "memory_store": lambda: server.call("memory_store", content="one more note"),
    }
    taken = {name: statistics.median(seconds(call) for _ in range(200)) for name, call in calls.items()}
    server.end()
    return taken


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--rows", type=int, default=1_000)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        db = Path(folder) / "memory.db"
        rows = {
            "floor: an empty Python": statistics.median(first_answer("-c", FLOOR) for _ in range(options.rounds)),
            "floor: the SDK loaded": statistics.median(
                first_answer("-c", f"import mcp.server.lowlevel\n{FLOOR}") for _ in range(options.rounds)
            ),
            "start to first answer": statistics.median(
                first_answer("-m", "karte", "--db", str(db), "mcp") for _ in range(options.rounds)
            ),
            **small_calls(db, options.rows),
        }
    for name, taken in rows.items():
        print(f"{name:28} {taken * 1000:9.2f} ms")
    if options.json:
        versions = {"python": platform.python_version(), "mcp": version("mcp")}
        options.json.write_text(
            json.dumps(
                {"benchmark": "mcp_start", "rounds": options.rounds, "rows": options.rows, "versions": versions}
                | {"seconds": rows},
                indent=2,
            )
        )


if __name__ == "__main__":
    main()
