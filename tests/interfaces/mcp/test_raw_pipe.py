"""Bytes over a real pipe: what odd clients send, and that nothing but protocol comes back."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.interfaces.mcp.wire import Wire, error_of, mcp_command, serving

KEY = "ключ хранится в сейфе 🔑 東京"


@pytest.fixture(scope="module")
def wire(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    with serving(tmp_path_factory.mktemp("mcp") / "memory.db") as started:
        yield started


@pytest.mark.requirement("mcp.every-request-answered")
@pytest.mark.parametrize("request_id", ["1", 1, 0, "0", "a-7", 9007199254740993, -1, 10**30, "東京"])
def test_a_reply_has_the_id_of_its_request_in_value_and_type(wire: Wire, request_id: object) -> None:
    wire.send({"jsonrpc": "2.0", "id": request_id, "method": "ping"})
    reply = wire.receive()
    assert reply == {"jsonrpc": "2.0", "id": request_id, "result": {}}
    assert type(reply["id"]) is type(request_id)


@pytest.mark.requirement("mcp.every-request-answered")
@pytest.mark.parametrize(
    ("raw", "code", "request_id"),
    [
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, None),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600, None),
        (b"[]", -32600, None),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping"', -32700, None),
        (b"hello", -32700, None),
        (b'{"jsonrpc":"2.0","id":"n","method":"no/such"}', -32601, "n"),
        (b'{"jsonrpc":"2.0","id":2,"method":"notifications/cancelled"}', -32601, 2),
        (b'{"jsonrpc":"2.0","id":3,"method":"tools/call","params":["memory_read"]}', -32602, 3),
        (b'{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"nope","arguments":{}}}', -32602, 4),
        (b'{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"arguments":{}}}', -32602, 5),
        (b'{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"memory_read","arguments":"x"}}', -32602, 6),
        (b'{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"cursor":"x"}}', -32602, 7),
        (b'{"jsonrpc":"2.0","id":"\\ud83e","method":"ping"}', -32600, "\ud83e"),
        (b'{"jsonrpc":"2.0","id":8,"method":"\\ud83e"}', -32601, 8),
        (b'{"jsonrpc":"2.0","id":9,"method":"resources/read","params":{"uri":"karte://\\ud83e"}}', -32602, 9),
        (b'{"jsonrpc":"2.0","id":10,"method":"ping","params":{"_meta":{"progressToken":[]}}}', -32602, 10),
    ],
)
def test_what_cannot_be_served_is_answered_and_the_server_goes_on(
    wire: Wire, raw: bytes, code: int, request_id: object
) -> None:
    wire.write(raw + b"\n")
    reply = wire.receive()
    assert (reply["error"]["code"], reply["id"]) == (code, request_id)
    assert wire.ask("ping")["result"] == {}


@pytest.mark.requirement("mcp.every-request-answered")
def test_a_true_notification_is_not_answered(wire: Wire) -> None:
    for raw in (
        b'{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}',
        b'{"jsonrpc":"2.0","method":"no/such"}',
        b'{"jsonrpc":"2.0","method":"notifications/initialized","params":["x"]}',
        b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":null}}',
        b'{"jsonrpc":"2.0","id":99,"result":{}}',
        b'{"jsonrpc":"2.0","id":99,"result":[1]}',
        b'{"jsonrpc":"2.0","id":99,"error":"bad"}',
        b"",
        b"\r",
    ):
        wire.write(raw + b"\n")
    assert wire.is_silent()
    assert wire.ask("ping")["result"] == {}


@pytest.mark.requirement("mcp.every-request-answered", "text.surrogates-and-nul")
@pytest.mark.parametrize(
    ("tool", "arguments", "field"),
    [
        ("memory_store", r'{"content":"status ok \ud83e"}', "content"),
        ("memory_store", r'{"content":"x","subject":"\udc00","predicate":"p"}', "subject"),
        ("memory_store", r'{"content":"x","subject":"s","predicate":"p","object":"\ud83e"}', "object"),
        ("memory_store", r'{"content":"x","metadata":{"\ud83e":1}}', "metadata"),
        ("memory_store", r'{"content":"x","metadata":{"k":"\ud83e"}}', "metadata.k"),
        ("memory_store", r'{"content":"x","tags":["\ud83e"]}', "tags[0]"),
        ("memory_search", r'{"query":"\ud83e"}', "query"),
        ("memory_fetch_batch", r'{"ids":["\ud83e"]}', "ids[0]"),
        ("memory_read", r'{"id":"\ud83e","cursor":"x"}', "id"),
    ],
)
def test_half_a_surrogate_pair_is_refused_by_name(wire: Wire, tool: str, arguments: str, field: str) -> None:
    call = f'{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments}}}}}\n'
    wire.write(call.encode())
    error = error_of(wire.reply(1))
    assert (error["code"], error["field"]) == ("invalid_text", field)


@pytest.mark.requirement("text.surrogates-and-nul")
@pytest.mark.parametrize("bad", ["half \ud83e", "nul \x00"])
def test_a_batch_goes_on_with_the_rest_and_names_the_refused_item(wire: Wire, bad: str) -> None:
    contents = ["row one", "row two", bad, "row four", "row five"]
    stored = wire.call("memory_store_batch", items=[{"content": content} for content in contents])
    assert [each["status"] for each in stored["results"]] == ["stored", "stored", "refused", "stored", "stored"]
    assert (stored["stored"], stored["refused"]) == (4, 1)
    error = stored["results"][2]["error"]
    assert error["code"] == "invalid_text"
    assert "content" in error["field"]
    assert stored["results"][2]["index"] == 2


@pytest.mark.requirement("text.surrogates-and-nul")
def test_a_nul_is_refused_by_name_and_odd_letters_are_kept(wire: Wire) -> None:
    assert wire.failed("memory_store", content="before\x00after")["code"] == "invalid_text"
    odd = "\ufeffmark and \uffff and \u2028 and \x1f"
    stored = wire.call("memory_store", content=odd)
    assert wire.call("memory_read", id=stored["id"])["memory"]["content"] == odd


@pytest.mark.requirement("mcp.framing")
@pytest.mark.parametrize(
    "env",
    [
        {"PYTHONIOENCODING": "cp1252"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"LC_ALL": "POSIX", "PYTHONIOENCODING": "ascii:strict"},
    ],
    ids=["cp1252", "C", "ascii"],
)
def test_text_is_utf8_whatever_the_locale(db_path: Path, env: dict[str, str]) -> None:
    content = f"{KEY}\r\nsecond line\nthird"
    call: dict[str, Any] = {"jsonrpc": "2.0", "method": "tools/call"}
    params = {"name": "memory_store", "arguments": {"content": content}}
    with serving(db_path, env=env) as wire:
        wire.write(json.dumps({**call, "id": 1, "params": params}, ensure_ascii=False).encode() + b"\r\n")
        wire.write(json.dumps({**call, "id": 2, "params": params}).encode() + b"\r\n")
        ids = [wire.reply(i)["result"]["structuredContent"]["id"] for i in (1, 2)]
        read = [wire.call("memory_read", id=each)["memory"]["content"] for each in ids]
        found = wire.call("memory_search", query="東京")["memories"]
        assert read == [content, content]
        assert {each["id"] for each in found} <= set(ids)
        assert found[0]["content"] == content
        assert KEY.encode() in wire.lines[-1]
        assert b"\\u" not in wire.lines[-1]


@pytest.mark.requirement("mcp.every-request-answered")
def test_a_line_without_end_is_bounded_and_answered(wire: Wire) -> None:
    call = (
        b'{"jsonrpc":"2.0","id":"long","method":"tools/call","params":{"name":"memory_store","arguments":{"content":"'
    )
    wire.write(call + b"x" * (17 * 1024 * 1024) + b'"}}}\n')
    error = wire.reply("long")["error"]
    assert error["code"] == -32600
    assert wire.ask("ping")["result"] == {}


@pytest.mark.requirement("mcp.every-request-answered")
def test_requests_read_before_the_input_ends_are_answered(db_path: Path) -> None:
    with serving(db_path) as wire:
        ids = [wire.start_call("memory_store", content=f"note {i}") for i in range(20)]
        wire.write(b'{"jsonrpc":"2.0","id":"last","method":"ping"}')  # no newline at the end of the file
        wire.close()
        assert all("result" in wire.reply(each) for each in [*ids, "last"])
        assert wire.process.wait(5) == 0


@pytest.mark.requirement("mcp.real-pipe")
def test_a_call_before_the_handshake_is_answered(db_path: Path) -> None:
    with Wire(*mcp_command(db_path)) as wire:
        assert "error" in wire.ask("tools/call", {"name": "memory_read", "arguments": {"id": "x"}})
        assert wire.ask("ping")["result"] == {}
