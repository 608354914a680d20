"""The line filter: what the SDK would drop is answered, and nothing can break it."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karte.interfaces.mcp.lines import Answer, LineSplitter, Message, frame, id_of_long_line, judge
from karte.interfaces.mcp.stdio import to_line, to_message

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)


def line(body: object) -> bytes:
    return json.dumps(body).encode()


def answered(raw: bytes) -> tuple[int, Any]:
    """Code and id of the error that answers a line."""
    judged = judge(raw)
    assert isinstance(judged, Answer), judged
    return judged.body["error"]["code"], judged.body["id"]


def passed(raw: bytes) -> dict[str, Any]:
    judged = judge(raw)
    assert isinstance(judged, Message), judged
    return judged.body


@pytest.mark.requirement("mcp.framing")
@pytest.mark.parametrize("ending", [b"", b"\r\n", b"\n", b"  \t"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf", b"  "])
def test_line_ends_blanks_and_a_byte_order_mark_are_tolerated(mark: bytes, ending: bytes) -> None:
    assert passed(mark + line(PING) + ending) == PING


@pytest.mark.parametrize("raw", [b"", b"\r\n", b"  ", b"\xef\xbb\xbf"])
def test_a_blank_line_is_nothing(raw: bytes) -> None:
    assert judge(raw) is None


@pytest.mark.requirement("mcp.every-request-answered")
@pytest.mark.parametrize("raw", [b"{", b'{"id":1', b"nonsense", b'{"a":NaN}', b"\x00", b"[" * 100_000, b"1" * 5_000])
def test_broken_json_is_a_parse_error_without_an_id(raw: bytes) -> None:
    assert answered(raw) == (-32700, None)


@pytest.mark.requirement("mcp.every-request-answered")
def test_text_that_is_not_utf8_is_a_parse_error_with_the_id_that_can_be_read() -> None:
    assert answered(b'{"jsonrpc":"2.0","id":7,"method":"ping\xe9"}') == (-32700, 7)
    assert answered(b"\xff\xfe{") == (-32700, None)


@pytest.mark.requirement("mcp.every-request-answered")
@pytest.mark.parametrize("body", [[], [PING], [PING, PING], "ping", 5, True, None])
def test_a_batch_or_a_bare_value_is_no_request(body: object) -> None:
    assert answered(line(body)) == (-32600, None)


@pytest.mark.requirement("mcp.every-request-answered")
@pytest.mark.parametrize(
    ("given_id", "echoed"),
    [(None, None), (True, None), ([1], None), ({}, None), (1.5, 1.5), ("x" * 1_001, None), (1 << 1_001, None)],
)
def test_an_id_that_no_reply_can_carry_is_refused(given_id: object, echoed: object) -> None:
    assert answered(line({**PING, "id": given_id})) == (-32600, echoed)


@pytest.mark.requirement("mcp.every-request-answered")
@pytest.mark.parametrize("id_", ["1", 1, 0, "0", "a-7", 9007199254740993, -1, "", 10**200, "東京"])
def test_an_id_is_kept_in_value_and_type(id_: object) -> None:
    kept = passed(line({**PING, "id": id_}))["id"]
    assert kept == id_
    assert type(kept) is type(id_)


@pytest.mark.requirement("mcp.every-request-answered")
@pytest.mark.parametrize("params", [[], ["a"], "a", 5, False])
def test_params_that_are_no_object_are_invalid(params: object) -> None:
    assert answered(line({**PING, "params": params})) == (-32602, 1)


@pytest.mark.requirement("mcp.every-request-answered")
@pytest.mark.parametrize(
    "body",
    [
        {"id": 1, "method": "ping"},
        {"jsonrpc": "1.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "id": 1, "method": 5},
        {"jsonrpc": "2.0", "id": 1},
    ],
)
def test_what_is_not_json_rpc_2_is_no_request(body: object) -> None:
    assert answered(line(body)) == (-32600, 1)


@pytest.mark.requirement("mcp.every-request-answered")
@pytest.mark.parametrize(
    "fault", [{"params": [1]}, {"jsonrpc": "1.0"}, {"method": 5}, {"params": {"a": json.loads("[" * 150 + "]" * 150)}}]
)
def test_a_notification_is_never_answered(fault: dict[str, object]) -> None:
    notification = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    assert judge(line({**notification, **fault})) is None
    assert passed(line(notification)) == notification


def test_a_response_is_handed_on_and_a_broken_one_ignored() -> None:
    response = {"jsonrpc": "2.0", "id": 1, "result": {}}
    assert passed(line(response)) == response
    assert judge(line({**response, "id": None})) is None


def test_null_params_are_no_params() -> None:
    assert passed(line({**PING, "params": None})) == PING


def test_unknown_members_of_a_message_are_left_out() -> None:
    assert passed(line({**PING, "extra": 1})) == PING


@pytest.mark.requirement("mcp.every-request-answered")
def test_nesting_is_bounded() -> None:
    deep = {**PING, "params": {"a": json.loads("[" * 99 + "]" * 99)}}
    assert answered(line(deep)) == (-32600, 1)
    flat = {**PING, "params": {"a": [[]] * 500}}
    assert passed(line(flat)) == flat


@pytest.mark.requirement("mcp.every-request-answered")
def test_half_a_surrogate_pair_is_mended_everywhere_but_in_the_arguments_of_a_call() -> None:
    raw = (
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":'
        b'{"name":"x\\ud83e","_meta":{"\\udc00":1},"arguments":{"a\\ud83e":"b\\ud83e"}}}'
    )
    assert passed(raw)["params"] == {
        "name": "x\ufffd",
        "_meta": {"\ufffd": 1},
        "arguments": {"a\ufffd": "b\ud83e"},
    }


@pytest.mark.requirement("mcp.every-request-answered")
def test_half_a_surrogate_pair_in_an_id_is_refused_with_that_id() -> None:
    judged = judge(b'{"jsonrpc":"2.0","id":"\\ud83e","method":"ping"}')
    assert isinstance(judged, Answer)
    assert b'"id":"\\ud83e"' in frame(judged.body)


def test_a_whole_surrogate_pair_is_one_letter() -> None:
    raw = b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":"\\ud83d\\udd11"}}'
    assert passed(raw)["params"] == {"a": "🔑"}


@pytest.mark.requirement("mcp.generous-input")
@pytest.mark.parametrize(("sent", "read"), [('{"a": 1}', {"a": 1}), ([], {}), ({"a": 1}, {"a": 1}), ("x", "x")])
def test_arguments_sent_as_json_text_or_an_empty_list_become_an_object(sent: object, read: object) -> None:
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "x", "arguments": sent}}
    assert passed(line(call))["params"]["arguments"] == read


def test_a_frame_is_utf8_with_one_bare_newline_at_its_end() -> None:
    made = frame({"id": 1, "a": "東京 \r\n\u2028"})
    assert made == '{"id":1,"a":"東京 \\r\\n\u2028"}\n'.encode()


@pytest.mark.requirement("mcp.every-request-answered")
@pytest.mark.parametrize(
    ("head", "tail", "found"),
    [
        (b'{"jsonrpc":"2.0","id":"a-7","method":"x","params":{"c":"', b"", "a-7"),
        (b'\xef\xbb\xbf{ "id" : 12 , "params":', b"", 12),
        (b'{"jsonrpc":"2.0","params":{"id":5,"c":"', b'xx"},"method":"m","id":"z"}\r', "z"),
        (b'{"jsonrpc":"2.0","params":{"c":"', b'xx","id":5}}', None),
        (b'{"jsonrpc":"2.0","id":null,"params":{"c":"', b"", None),
        (b"[", b"]", None),
    ],
)
def test_the_id_of_a_line_that_is_too_long_is_found_at_either_end(head: bytes, tail: bytes, found: object) -> None:
    assert id_of_long_line(head, tail) == found


@pytest.mark.requirement("mcp.every-request-answered")
def test_a_line_that_is_too_long_is_answered_and_the_next_is_read() -> None:
    splitter = LineSplitter(longest=1_000)
    long = line({**PING, "id": "long", "params": {"c": "x" * 5_000}})
    stream = long + b"\n" + line(PING) + b"\n"
    judged = [each for i in range(0, len(stream), 7) for each in splitter.feed(stream[i : i + 7])]
    assert isinstance(judged[0], Answer)
    assert (judged[0].body["error"]["code"], judged[0].body["id"]) == (-32600, "long")
    assert judged[1:] == [Message(PING)]
    assert splitter.end() is None


@given(st.lists(json_values, max_size=5), st.integers(1, 20))
def test_chunks_make_no_difference(values: list[Any], size: int) -> None:
    bodies = [{"jsonrpc": "2.0", "id": i, "method": "m", "params": {"v": value}} for i, value in enumerate(values)]
    stream = b"".join(frame(body) for body in bodies)
    splitter = LineSplitter()
    judged = [each for i in range(0, len(stream), size) for each in splitter.feed(stream[i : i + size])]
    assert judged == [Message(body) for body in bodies]


@given(st.binary(max_size=300) | json_values.map(line) | st.dictionaries(
    st.sampled_from(["jsonrpc", "id", "method", "params", "result"]), json_values | st.sampled_from(["2.0", "\ud83e"])
).map(line))  # fmt: skip
def test_any_line_has_a_judgement_and_any_answer_a_frame(raw: bytes) -> None:
    judged = judge(raw)
    if isinstance(judged, Answer):
        sent = frame(judged.body)
        assert json.loads(sent)["error"]["code"] in (-32700, -32600, -32602)
        assert sent.endswith(b"\n")
        assert sent.count(b"\n") == 1


@given(
    st.fixed_dictionaries(
        {"jsonrpc": st.just("2.0"), "method": st.text() | st.just("tools/call\ud83e")},
        optional={
            "id": st.integers() | st.text(),
            "params": st.none() | st.dictionaries(st.text() | st.sampled_from(["\udfff", "arguments"]), json_values),
        },
    )
)
def test_whatever_is_handed_on_as_a_request_the_sdk_can_carry(body: dict[str, Any]) -> None:
    judged = judge(line(body))
    if isinstance(judged, Message):
        carried = to_message(judged.body)
        assert json.loads(to_line(carried).decode("utf-8"))["method"] == judged.body["method"]
    else:
        assert judged is not None or "id" not in body
