"""What stands between apostrophes is found by itself, and a version by its bare number."""

from typing import TYPE_CHECKING

import pytest

from karte.domain.text import index_text, match_expression, parse_query
from karte.domain.text.apostrophes import parts_between

if TYPE_CHECKING:
    from tests.domain.text.conftest import Index

pytestmark = pytest.mark.requirement("search.identifiers")

APOSTROPHES = ["'", "’", "‘", "\u02bc", "\u02bb", "\uff07"]


@pytest.mark.parametrize("sign", APOSTROPHES)
@pytest.mark.parametrize(
    ("written", "query"),
    [
        ("rock'n'roll", "rock"), ("rock'n'roll", "roll"), ("rock'n'roll", "rocknroll"), ("rock'n'roll", "rock n roll"),
        ("İstanbul'da", "istanbul"), ("İstanbul'da", "İstanbul"), ("İSTANBUL'DAN", "istanbul"), ("2024'te", "2024"),
        ("5'te", "5"), ("iPhone'dan", "iphone"), ("iPhone'dan", "phone"),
        ("l'amour", "amour"), ("L'Amour", "amour"), ("aujourd'hui", "aujourd'hui"), ("aujourd'hui", "aujourdhui"),
        ("d'aujourd'hui", "aujourd"), ("presqu'île", "ile"), ("chef-d'œuvre", "oeuvre"), ("quest'anno", "anno"),
        ("Caroline's", "Caroline"), ("Caroline's-dress", "Caroline"), ("Caroline'll", "Caroline"), ("o'clock", "clock"),
        ("O'Brien's", "brien"), ("rock'n'roll/blues", "roll"), ("GitHub'ом", "github"), ("д'Артаньян", "Артаньян"),
        ("απ'όλα", "ολα"), ("don't", "dont"), ("п'ять", "пять"),
    ],
)  # fmt: skip
def test_a_word_with_apostrophes_is_found_by_each_part_and_whole(
    make_index: "type[Index]", written: str, query: str, sign: str
) -> None:
    row = "they like " + written.replace("'", sign) + " a lot"
    index = make_index(["nothing of the kind", row])
    assert index.search(query.replace("'", sign)) == [row]


@pytest.mark.parametrize("sign", APOSTROPHES)
@pytest.mark.parametrize("word", ["rock'n'roll", "İstanbul'da", "l'amour", "aujourd'hui", "don't", "м'який", "Hawai'i"])
def test_every_apostrophe_is_the_same_in_a_memory_and_in_a_query(word: str, sign: str) -> None:
    assert index_text(word.replace("'", sign)) == index_text(word)
    assert parse_query(word.replace("'", sign)) == parse_query(word)


@pytest.mark.parametrize(
    ("written", "query"),
    [
        ("I don't", "don"), ("she couldn't've", "couldn"), ("HAVEN'T", "haven"), ("they're", "re"), ("we'll", "ll"),
        ("дев'ять", "п'ять"), ("ג'ירפה", "ירפה"), ("1'000'000", "000"), ("6'2", "6"),
    ],
)  # fmt: skip
def test_an_apostrophe_within_a_word_leaves_no_part(make_index: "type[Index]", written: str, query: str) -> None:
    assert make_index([written]).search(query) == []


@pytest.mark.parametrize(
    ("contraction", "folded"),
    [
        ("don't", "dont"), ("it's", "it"), ("they're", "theyr"), ("we've", "weve"), ("you'll", "youll"), ("I'd", "id"),
        ("I'm", "im"), ("Caroline's", "carolin"),
    ],
)  # fmt: skip
def test_an_english_contraction_is_one_word(contraction: str, folded: str) -> None:
    assert index_text(contraction) == folded


def test_a_word_with_apostrophes_is_asked_for_whole_and_by_its_parts() -> None:
    asked = match_expression(parse_query("we love rock'n'roll, don't we", foreign=False))
    assert asked == '"love" OR "rocknrol" OR "rock" OR "roll"'


def test_the_whole_word_comes_before_its_parts(make_index: "type[Index]") -> None:
    index = make_index(["rock and stone", "a roll of paper", "rock'n'roll", "a rock, a roll"])
    assert index.search("rock'n'roll")[0] == "rock'n'roll"


def test_a_word_without_apostrophes_has_none_between() -> None:
    assert parts_between("rock") is None
    assert parts_between("6'2") is None
    assert parts_between("a'b") == ()


@pytest.mark.parametrize(
    ("query", "written"),
    [
        ("1.2.3", "v1.2.3-rc.1"), ("1.2.3", "V1.2.3"), ("1.2.3", "1.2.3-rc.1"), ("1.2.3", "1.2.3rc1"),
        ("1.2.3", "v1.2.3+build5"), ("1.2.3", "karte-1.2.3.tar.gz"), ("1.2.3", "libkarte.so.1.2.3"),
        ("1.2.3", "karte@v1.2.3"), ("1.2.3", "1.2.3.4"), ("1.2", "v1.2.3-rc.1"), ("v1.2.3", "1.2.3"),
        ("v1.2.3", "v1.2.3-rc.1"), ("v1.2.3-rc.1", "v1.2.3-rc.1"), ("3.11", "python3.11"), ("2026.05", "2026.05.11"),
        ("2026-05", "2026-05-11"),
    ],
)  # fmt: skip
def test_a_version_is_found_by_its_bare_number(make_index: "type[Index]", query: str, written: str) -> None:
    assert make_index(["nothing", f"we run {written} now"]).search(query) == [f"we run {written} now"]


@pytest.mark.parametrize("query", ["1.2.3", "v1.2.3"])
@pytest.mark.parametrize(
    "written", ["11.2.3", "v11.2.3-rc.1", "1.2.34", "v1.2.34", "v1.2.34-rc.1", "1.22.3", "4.1.2.3", "v4.1.2.3", "1.2"]
)
def test_a_version_does_not_find_a_number_that_holds_it(make_index: "type[Index]", query: str, written: str) -> None:
    found = make_index([f"we run {written} now"]).search(query)
    # "v1" is a word of "v1.2.3" by itself, so it may find another "v1".
    assert found == [] or (query.startswith("v") and written.startswith("v1."))


def test_the_very_version_comes_first(make_index: "type[Index]") -> None:
    index = make_index(["v1.2.34 is out", "v1.9.0 is out", "v1.2.3-rc.1 is out", "v1.2.3 is out"])
    assert index.search("v1.2.3")[0] == "v1.2.3 is out"
    assert set(index.search("1.2.3")) == {"v1.2.3-rc.1 is out", "v1.2.3 is out"}
