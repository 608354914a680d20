"""An embedder behind an endpoint, over real HTTP, and the one that the configuration names."""

import http.server
import json
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from karte import Config, EmbedderError, InvalidInput, Karte
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


# --- an endpoint that fails ------------------------------------------------------------------


@pytest.fixture
def stalled() -> Iterator[str]:
    """An endpoint that takes every connection and never answers."""
    with socket.create_server(("127.0.0.1", 0), backlog=16) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}/v1"


def with_endpoint(url: str, **more: Any) -> Config:
    settings: dict[str, Any] = {"embedder_model": "small", "embedder_dimension": 5, **more}
    return Config(retrieval=RetrievalSettings(embedder="endpoint", embedder_url=url, **settings))


@pytest.mark.requirement("vectors.endpoint-waits")
def test_neither_a_write_nor_a_search_nor_the_end_waits_for_an_endpoint_that_never_answers(
    stalled: str, db_path: Path, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    with Karte(db_path) as plain:
        plain.store("an old note")
    began = time.monotonic()
    with Karte(db_path, clock=clock, config=with_endpoint(stalled, embedder_timeout_secs=0.2)) as memory:
        memory.store("a new note")
        for _ in range(50):
            assert len(memory.search("note", touch=False)) == 2
    assert time.monotonic() - began < 8.0  # one query and the background would take 30 s each
    [told] = [record.getMessage() for record in caplog.records]
    cause, remedy = told.split("; ")
    assert cause == f"embedder: the endpoint {stalled}/embeddings timed out after 0.2 s"
    assert remedy == "check that it runs, or allow it more time (embedder_timeout_secs)"


@pytest.mark.requirement("vectors.endpoint-waits")
def test_a_memory_closes_though_its_background_waits_for_an_endpoint_that_never_answers(
    stalled: str, db_path: Path
) -> None:
    with Karte(db_path) as plain:
        plain.store("an old note")
    began = time.monotonic()
    with Karte(db_path, config=with_endpoint(stalled)):
        pass
    assert time.monotonic() - began < 8.0
    with Karte(db_path) as plain:
        assert plain.stats().embedded == 0


@pytest.mark.requirement("vectors.endpoint-waits")
def test_an_endpoint_that_failed_is_left_alone_twice_as_long_each_time_until_it_answers(
    endpoint: tuple[str, type[Endpoint]], clock: FakeClock
) -> None:
    url, handler = endpoint
    memory = Karte(":memory:", clock=clock, config=with_endpoint(url))
    memory.store("a puppy sleeps", id="puppy")
    handler.seen.clear()
    handler.answers = [(401, "no")] * 7

    def asked_after(seconds: float) -> int:
        clock.advance(seconds=seconds)
        before = len(handler.seen)
        memory.search("dog", touch=False)
        memory.search("dog", touch=False)
        return len(handler.seen) - before

    assert [asked_after(0), asked_after(29), asked_after(1)] == [1, 0, 1]
    assert [asked_after(59), asked_after(1)] == [0, 1]
    assert [asked_after(120), asked_after(240), asked_after(480), asked_after(480)] == [1, 1, 1, 1]  # 8 minutes at most
    clock.advance(days=-1)
    assert [hit.memory.id for hit in memory.search("dog", touch=False)] == ["puppy"]  # a clock set back ends the rest
    assert asked_after(0) == 2


@pytest.mark.requirement("vectors.endpoint-waits")
def test_a_batch_that_is_written_may_take_longer_than_a_query_and_what_is_asked_for_longer_still(
    stalled: str, caplog: pytest.LogCaptureFixture
) -> None:
    embedder = OpenAiCompatibleEmbedder(stalled, "small", 5, timeout_secs=0.5, query_timeout_secs=0.1)
    memory = Karte(":memory:", embedder=embedder)
    memory.store_many(f"note {i}" for i in range(32))
    assert "timed out after 0.2 s" in caplog.text
    with pytest.raises(EmbedderError, match=r"timed out after 0\.5 s"):
        memory.reembed()


@pytest.mark.requirement("vectors.endpoint")
@pytest.mark.parametrize(
    ("answer", "cause", "remedy"),
    [
        ((401, "no"), "answered HTTP 401", "embedder_key"),
        ((404, "no"), "answered HTTP 404", "the model's name"),
        ((302, "no"), "answered HTTP 302", "a redirect is not followed"),
        ((501, "no"), "answered HTTP 501", "try again later"),
        ((200, "not json"), "gave an answer that is not JSON", "URL"),
        ((200, {"error": "no"}), "gave an answer that is no list of embeddings", "the model is one of embeddings"),
        ((200, {"data": []}), "gave 0 vectors for 1 texts", "one for each"),
        ((200, {"data": [{"index": 0, "embedding": [1.0] * 4}]}), "gave a vector of 4 numbers instead of 5", "= 4?"),
        ((200, {"data": [{"index": 0, "embedding": "AAAA"}]}), "something else than numbers", "float"),
        ((200, {"data": [{"index": 0, "embedding": ["1"] * 5}]}), "something else than numbers", "float"),
        ((200, {"data": [{"index": 0, "embedding": [0] * 5}]}), "nothing but zeros", "model is loaded"),
        ((200, {"data": [{"index": 0, "embedding": [float("nan")] * 5}]}), "not finite", "another model"),
    ],
)
def test_a_failure_names_its_cause_the_endpoint_and_the_remedy_and_no_secret(
    endpoint: tuple[str, type[Endpoint]],
    answer: tuple[int, Any],
    cause: str,
    remedy: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    url, handler = endpoint
    handler.answers = [answer, answer]
    with_password = url.replace("://", "://ann:pass-1@")
    memory = Karte(":memory:", embedder=OpenAiCompatibleEmbedder(with_password, "small", 5, api_key="k-1"))
    memory.store("a note")
    with pytest.raises(EmbedderError) as refused:
        memory.reembed()
    [told] = [record.getMessage() for record in caplog.records if record.name.startswith("karte")]
    assert told == str(refused.value)
    assert cause in told
    assert f"{url}" in told
    assert remedy in (refused.value.remedy or "")
    assert "k-1" not in told
    assert "pass-1" not in told
    assert memory.stats().embedded == 0


@pytest.mark.requirement("vectors.endpoint")
def test_an_endpoint_that_is_not_there_is_told_as_that() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(EmbedderError, match="cannot be reached: Connection refused; check that it runs"):
        OpenAiCompatibleEmbedder(f"http://127.0.0.1:{port}/v1", "small", 5).embed(["x"])


@pytest.mark.requirement("vectors.endpoint")
@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(("base_url", value) for value in ("nonsense", "", "ftp://host/v1", "http://", "http://host:99999/v1", 3)),
        *(("base_url", value) for value in ("http://host/v1?key=k", "http://host/v1#part", "http://[bad/v1")),
        *(("model", value) for value in ("", "  ", None)),
        *(("dimension", value) for value in (0, -1, "x", "3", True, 2.5)),
        *(("timeout_secs", value) for value in (0, -1, float("nan"), "x")),
        *(("query_timeout_secs", value) for value in (0, None)),
        *(("api_key", value) for value in ("späce", "two words", None)),
    ],
)
def test_an_endpoint_that_cannot_be_meant_is_refused_by_the_name_of_what_is_wrong(field: str, value: Any) -> None:
    given: dict[str, Any] = {"base_url": "http://127.0.0.1:9/v1", "model": "m", "dimension": 3}
    with pytest.raises(InvalidInput) as refused:
        OpenAiCompatibleEmbedder(**{**given, field: value})
    assert refused.value.field == field
    assert "give " in (refused.value.remedy or "")


@pytest.mark.requirement("vectors.endpoint")
def test_the_secret_of_an_endpoint_that_is_refused_is_not_shown() -> None:
    with pytest.raises(InvalidInput) as key:
        OpenAiCompatibleEmbedder("http://127.0.0.1:9/v1", "m", 3, api_key="ä-secret")
    with pytest.raises(InvalidInput) as password:
        OpenAiCompatibleEmbedder("ftp://ann:a-secret@host/v1", "m", 3)
    assert "secret" not in f"{key.value}{password.value}"


@pytest.mark.requirement("vectors.configured")
def test_a_configured_endpoint_that_cannot_be_meant_is_warned_of_by_the_name_of_its_setting() -> None:
    memory = Karte(":memory:", config=with_endpoint("nonsense"))
    assert "retrieval.embedder_url: not the address of an endpoint" in memory.status().warnings[0]
