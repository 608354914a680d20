"""basic-memory: a note a memory, asked through its MCP server as an agent would.

It wants a newer Python than Karte, so that it is a command here and not an import: put it on the PATH, or name it in
BASIC_MEMORY. Its vectors need a Python whose SQLite loads extensions; it gets Karte's embedder through the endpoint
that its settings name (on the loopback interface).
"""

from __future__ import annotations

import atexit
import json
import os
import shutil
import subprocess
import tempfile
import threading
from contextlib import suppress
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from benchmarks._recall_embedder import shared
from benchmarks._recall_sets import Corpus
from benchmarks._recall_systems import Search
from benchmarks.mcp_start import HELLO, Server

COMMAND = shutil.which(os.environ.get("BASIC_MEMORY") or "basic-memory")


def version() -> str:
    """The version of the command."""
    return _run({**os.environ}, "--version").split()[-1]


def text(corpus: Corpus) -> Search:
    """Its search by words: all of them, and any of them where no note has all."""
    return _asked(corpus, "text")


def hybrid(corpus: Corpus) -> Search:
    """What it does by default: words and vectors."""
    return _asked(corpus, "hybrid")


def _asked(corpus: Corpus, kind: str) -> Search:
    server = _served(corpus)

    def search(query: str, k: int) -> list[str]:
        said = server.call(
            "search_notes", query=query, project="bench", page_size=k, search_type=kind, output_format="json"
        )
        found = json.loads(said["content"][0]["text"])
        return [corpus.items[int(Path(each["file_path"]).stem[1:])].id for each in found["results"]]

    return search


@cache
def _served(corpus: Corpus) -> Server:
    """A server that has the notes of a corpus, until the end."""
    folder = tempfile.TemporaryDirectory(prefix="karte-notes-")
    home = Path(folder.name)
    project = home / "project"
    project.mkdir()
    for number, item in enumerate(corpus.items):
        (project / f"m{number}.md").write_text(f"---\ntitle: m{number}\n---\n\n{item.text}\n", encoding="utf-8")
    env = {**os.environ, **_settings(home)}
    _run(env, "project", "add", "bench", str(project))
    _run(env, "reindex", "-p", "bench")
    server = Server(str(COMMAND), "mcp", env=env)
    server.ask("initialize", HELLO)
    server.tell("notifications/initialized")
    atexit.register(_ended, server, folder)
    return server


def _settings(home: Path) -> dict[str, str]:
    return {
        "HOME": str(home),
        "BASIC_MEMORY_HOME": str(home / "notes"),
        "BASIC_MEMORY_CONFIG_DIR": str(home),
        "BASIC_MEMORY_SEMANTIC_EMBEDDING_PROVIDER": "openai",
        "BASIC_MEMORY_SEMANTIC_EMBEDDING_MODEL": shared().name,
        "BASIC_MEMORY_SEMANTIC_EMBEDDING_DIMENSIONS": str(shared().dimension),
        "BASIC_MEMORY_SEMANTIC_EMBEDDING_API_BASE": _endpoint(),
        "BASIC_MEMORY_SEMANTIC_EMBEDDING_API_KEY": "none",
        "BASIC_MEMORY_SEMANTIC_MIN_SIMILARITY": "0",  # its floor of 0.55 is for another model, and lets nothing in here
    }


def _ended(server: Server, folder: tempfile.TemporaryDirectory[str]) -> None:
    with suppress(subprocess.TimeoutExpired):
        server.end()
    folder.cleanup()


def _run(env: dict[str, str], *arguments: str) -> str:
    done = subprocess.run([str(COMMAND), *arguments], env=env, check=True, capture_output=True, text=True)
    return done.stdout


class _Embeddings(BaseHTTPRequestHandler):
    """Karte's embedder as an endpoint of the kind that OpenAI has."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        texts = [asked["input"]] if isinstance(asked["input"], str) else asked["input"]
        made = [{"object": "embedding", "index": i, "embedding": each} for i, each in enumerate(shared().embed(texts))]
        usage = {"prompt_tokens": 0, "total_tokens": 0}
        body = json.dumps({"object": "list", "model": asked["model"], "data": made, "usage": usage}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_arguments: object) -> None:
        """Says nothing."""


@cache
def _endpoint() -> str:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Embeddings)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/v1"
