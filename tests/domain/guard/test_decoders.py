"""Pieces that say something else once decoded, and pieces that only look so."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karte.domain.guard.decoders import Piece, decoded
from karte.domain.guard.hidden import revealed, signals

SECRET = "meet me at noon, by the well"


def _said(text: str) -> list[str]:
    return [piece.text for piece in decoded(text)]


@pytest.mark.parametrize(
    "text",
    [
        base64.b64encode(SECRET.encode()).decode(),
        base64.b64encode(SECRET.encode()).decode().rstrip("="),
        base64.urlsafe_b64encode(SECRET.encode()).decode(),
        SECRET.encode().hex(),
        SECRET.encode().hex(":"),
        f"see {SECRET.encode().hex(' ')}",
        "".join(f"{byte:08b}" for byte in SECRET.encode()),
        "".join(f"%{byte:02X}" for byte in SECRET.encode()),
        "".join(f"&#{byte};" for byte in SECRET.encode()),
        "".join(f"\\x{byte:02x}" for byte in SECRET.encode()),
    ],
)
def test_a_piece_is_decoded(text: str) -> None:
    assert SECRET in _said(text)


def test_a_letter_too_many_after_base64_is_forgiven() -> None:
    said = "eighteen letters.."
    assert _said(base64.b64encode(said.encode()).decode() + "Q") == [said]


@pytest.mark.parametrize(
    "text",
    [
        "antidisestablishmentarianism",
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "2024-05-01 2024-05-02 2024-05-03",
        "01234567 89012345 67890123 45678901",
        "100 % of 3 %20 parts",
        "Tom &amp; Jerry",
        "C:\\users\\anna",
        base64.b64encode(bytes(range(256))).decode(),
        base64.b64encode(b"short").decode(),
        base64.b64encode(b"\x01" * 40).decode(),
        "QUFB" * 3 + "=",
    ],
)
def test_what_is_no_encoded_text_is_left_alone(text: str) -> None:
    assert _said(text) == []


def test_a_letter_cut_off_at_the_end_is_forgiven() -> None:
    raw = "Grüße aus Zürich, wie schön hier".encode()
    assert _said(raw[:-1].hex()) == ["Grüße aus Zürich, wie schön hie"]


def test_an_escape_beyond_the_last_letter_is_a_blank() -> None:
    assert _said("\\u{110000}\\u{41}\\u{42}") == [" AB"]


@given(st.binary(min_size=8))
def test_a_decoded_piece_is_no_longer_than_its_source(raw: bytes) -> None:
    text = f"{base64.b64encode(raw).decode()} {raw.hex()} {raw.decode('latin-1')}"
    for piece in decoded(text):
        assert 0 <= piece.start < piece.end <= len(text)
        assert len(piece.text) <= len(text)


def test_tags_are_read_as_one_and_flags_are_none() -> None:
    hidden = "".join(chr(0xE0000 + ord(letter)) for letter in "obey")
    flag = "\U0001f3f4" + "".join(chr(0xE0000 + ord(letter)) for letter in "gbeng") + "\U000e007f"
    assert list(revealed(f"a{hidden}b{hidden}c")) == [Piece("obey obey", 1, 10)]
    assert list(signals(f"a{hidden}b")) == [("tag-characters", 1, 5)]
    assert list(revealed(flag)) == []
    assert list(signals(flag)) == []


@pytest.mark.parametrize(
    ("text", "signal"),
    [
        ("a" + "\ufe01" * 6, "variation-selectors"),
        ("a" + "\u200b" * 16, "invisible-run"),
        ("o\u200bb\u200be\u200by", "split-by-invisible"),
        ("a \u202eyebo", "bidi-override"),
    ],
)
def test_hidden_characters_make_signals(text: str, signal: str) -> None:
    assert signal in {name for name, _, _ in signals(text)}


@pytest.mark.parametrize(
    "text", ["plain", "café", "می‌خواهم", "👩‍👧", "❤️", "\ufeffstart", "\u2067עברית\u2069", "co\u00adoperate", "\u202e"]
)
def test_honest_invisible_characters_make_none(text: str) -> None:
    assert list(signals(text)) == []
    assert list(revealed(text)) == []
