"""``karte reembed``, over a real endpoint."""

import socket

import pytest

from tests.interfaces.cli.conftest import Karte
from tests.service.test_endpoints import Endpoint, endpoint

__all__ = ["endpoint"]  # the fixture

pytestmark = pytest.mark.requirement("cli.commands", "vectors.one-model")


def at(url: str, model: str = "small") -> dict[str, str]:
    settings = {"EMBEDDER": "endpoint", "EMBEDDER_URL": url, "EMBEDDER_MODEL": model, "EMBEDDER_DIMENSION": "5"}
    return {f"KARTE_RETRIEVAL__{name}": value for name, value in settings.items()}


@pytest.fixture
def nowhere() -> str:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    return f"http://127.0.0.1:{port}/v1"


def test_a_change_of_model_is_seen_in_the_numbers_and_finished_by_a_command(
    karte: Karte, endpoint: tuple[str, type[Endpoint]]
) -> None:
    url, _ = endpoint
    karte("add", "a puppy sleeps")
    assert karte("--json", "reembed", env=at(url)).data == {
        "agent": "default",
        "given": 1,
        "embedded": 1,
        "memories": 1,
    }
    assert karte("--json", "stats").data["embedded"] == 1  # of any model, where no embedder is configured
    assert karte("--json", "reembed", env=at(url, "newer")).data["given"] == 1
    assert "gave 0 vectors; 1 of 1 memory embedded" in karte("reembed", env=at(url, "newer")).out


def test_an_endpoint_that_fails_is_told_once_and_ends_in_the_code_for_it(karte: Karte, nowhere: str) -> None:
    karte("add", "a note")
    done = karte("reembed", env=at(nowhere))
    assert done.code == 5
    assert done.err.count("Connection refused") == 1
    assert nowhere in done.err


def test_without_an_embedder_there_is_nothing_to_do_and_the_remedy_is_said(karte: Karte) -> None:
    done = karte("--json", "reembed")
    assert (done.code, done.error["field"]) == (2, "retrieval.embedder")
    assert "endpoint" in done.error["remedy"]
    assert karte("reembed", KARTE_RETRIEVAL__EMBEDDER="endpoint").code == 2
