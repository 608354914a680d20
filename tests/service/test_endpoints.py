"""An embedder behind an endpoint, over real HTTP, and the one that the configuration names."""

import http.server
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from karte import Config, EmbedderError, Karte
from karte.config import RetrievalSettings
from karte.embedding.openai_compatible import OpenAiCompatibleEmbedder
from tests.conftest import FakeClock
from tests.service.test_vectors import Synonyms


class Endpoint(http.server.BaseHTTPRequestHandler):
    """Answers as OpenAI's does, or as told."""

    answers: list[tuple[int, Any]]
    seen: list[tuple[str, Any]]

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.seen.append((self.headers.get("Authorization", ""), body))
        status, answer = self.answers.pop(0) if self.answers else (200, None)
        if answer is None:
            vectors = Synonyms(str(body["model"])).embed(body["input"])
            data = [{"index": i, "embedding": vector} for i, vector in enumerate(vectors)]
            answer = {"data": data[::-1]}  # the order is told by the index
        text = answer if isinstance(answer, str) else json.dumps(answer)
        self.send_response(status)
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.fixture
def endpoint() -> Iterator[tuple[str, type[Endpoint]]]:
    handler = type("Handler", (Endpoint,), {"answers": [], "seen": []})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1", handler
    server.shutdown()
    server.server_close()


@pytest.mark.requirement("vectors.endpoint")
def test_an_endpoint_is_asked_with_the_key_and_a_passing_failure_is_tried_again(
    endpoint: tuple[str, type[Endpoint]], clock: FakeClock
) -> None:
    url, handler = endpoint
    handler.answers = [(503, "busy")]
    embedder = OpenAiCompatibleEmbedder(url, "a-model", 5, api_key="k-1", timeout_secs=5)
    memory = Karte(":memory:", clock=clock, embedder=embedder)
    memory.store_many(["a puppy sleeps", "take an umbrella", "call the bank"])
    assert memory.search("dog", touch=False)[0].memory.content == "a puppy sleeps"
    assert {seen[0] for seen in handler.seen} == {"Bearer k-1"}
    assert handler.seen[1][1]["model"] == "a-model"
    embedder.close()


@pytest.mark.requirement("vectors.endpoint")
@pytest.mark.parametrize("answer", [(401, "no"), (200, "not json"), (200, {"data": [{"index": 0}]}), (200, {})])
def test_a_bad_answer_of_an_endpoint_is_an_error_without_the_key(
    endpoint: tuple[str, type[Endpoint]], answer: tuple[int, Any]
) -> None:
    url, handler = endpoint
    handler.answers = [answer]
    with pytest.raises(EmbedderError) as refused:
        OpenAiCompatibleEmbedder(url, "a-model", 5, api_key="k-1", timeout_secs=5).embed(["x"])
    assert "k-1" not in str(refused.value)
    with pytest.raises(EmbedderError):
        OpenAiCompatibleEmbedder("http://127.0.0.1:1/v1", "a-model", 5, timeout_secs=1).embed(["x"])


# --- the configuration -----------------------------------------------------------------------


@pytest.mark.requirement("vectors.configured")
def test_the_configuration_names_the_endpoint_that_every_door_searches_with(
    endpoint: tuple[str, type[Endpoint]], db_path: Path
) -> None:
    url, handler = endpoint
    settings = RetrievalSettings(embedder="endpoint", embedder_url=url, embedder_model="small", embedder_dimension=5)
    config = Config(retrieval=settings)
    with Karte(db_path, config=config) as memory:
        stored = memory.store("a note")
        memory.reembed()
        assert memory.engine.get_by_id("default", stored.id or "").embedding_model == "small"  # type: ignore[union-attr]
        assert memory.status().warnings == ()
    assert handler.seen


@pytest.mark.requirement("vectors.configured")
@pytest.mark.parametrize(
    ("settings", "named"),
    [
        (RetrievalSettings(embedder="endpoint"), "embedder_url"),
        (RetrievalSettings(embedder="endpoint", embedder_url="http://127.0.0.1:9"), "embedder_model"),
    ],
)
def test_an_embedder_that_cannot_be_made_is_warned_of_and_missed(
    settings: RetrievalSettings, named: str, db_path: Path
) -> None:
    with Karte(db_path, config=Config(retrieval=settings)) as memory:
        memory.store("a note")
        assert [hit.content for hit in memory.search("note")] == ["a note"]
        assert named in memory.status().warnings[0]
