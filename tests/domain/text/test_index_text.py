"""What the index holds of a memory, and that FTS5 holds exactly that."""

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karte.domain.text import index_text
from karte.domain.text.scripts import MARKS
from karte.domain.text.tokens import BARRIER, pieces


@pytest.mark.requirement("search.identifiers", "search.folding")
@pytest.mark.parametrize(
    ("content", "folded"),
    [
        ("", ""),
        ("?! ___ \u0301", ""),
        ("The cats are running", "the cat are run"),
        ("loadCartByKey lives in cart_store_v2", "loadcartbykey live in cart store v2 | load cart by key cartstorev2"),
        ("see NOTES.md and lib/parse.py", "see note md and lib pars py | notes.md lib/parse.py parse.py"),
        ("run nightly-sync at 8MB/s", "run night sync at 8mb s | nightlysync 8mb/s 8 mb"),
        ("uses C++, C# and vue.js 3.14.", "use c++ c# and vue js 3 14 | vue.js 3.14"),
        ("https://example.com/a?b=c", "https exampl com a b c | https://example.com/a example.com"),
        ("東京Towerで", "東京 tower で | 東 京 京t rで"),
        ("Wo schläft der Kater", "wo schlaft der kater | ~schlaft ~kat"),
    ],
)
def test_a_memory_is_folded_into_these_tokens(content: str, folded: str) -> None:
    assert index_text(content) == folded


@pytest.mark.requirement("search.identifiers")
def test_a_name_is_one_name_in_every_convention() -> None:
    names = ("deployTarget", "deploy_target", "deploy-target", "DEPLOY_TARGET", "deploytarget")
    assert all("deploytarget" in index_text(name).split() for name in names)


def test_every_letter_and_mark_of_a_word_belongs_to_a_piece() -> None:
    assert pieces("हिन्दी में") == ["हिन्दी", "में"]
    assert pieces("שָׁלוֹם") == ["שָׁלוֹם"]
    assert "\u0300-\u036f" in MARKS


@given(st.text())
def test_folded_text_is_tokens_between_single_spaces(content: str) -> None:
    folded = index_text(content)
    assert folded == " ".join(folded.split())
    assert '"' not in folded
    assert "\x00" not in folded


@given(st.text())
def test_fts5_cuts_the_folded_text_exactly_at_its_spaces(content: str) -> None:
    from tests.domain.text.conftest import Index

    index = Index([content])
    assert index.tokens() == sorted(set(index_text(content).split()), key=lambda token: token.encode())


@given(st.lists(st.sampled_from(["Katze", "lib/parse.py", "東京", "C++", "don't", "🎉", "8MB/s", "x"]), max_size=6))
def test_the_bar_stands_once_between_reading_order_and_the_rest(words: list[str]) -> None:
    folded = index_text(" ".join(words)).split()
    assert folded.count(BARRIER) <= 1
    assert not folded or (folded[0] != BARRIER and folded[-1] != BARRIER)


UNITS = "word |camelCase1x_|a.|l'|all'|あ|대상은 |x|aB|-|é|🎉|1,000|社A".split("|")


def processor_seconds(text: str) -> float:
    """The least of three rounds, in time of the processor: a busy machine does not count."""
    times = []
    for _ in range(3):
        start = process_time()
        index_text(text)
        times.append(process_time() - start)
    return min(times)


@pytest.mark.parametrize("unit", UNITS)
def test_time_grows_with_the_length_and_no_faster(unit: str) -> None:
    short, long = (unit * (letters // len(unit)) for letters in (8_000, 64_000))
    # Eight times the text; a rule that looks back over all of it would take 64 times as long.
    assert processor_seconds(long) < 24 * processor_seconds(short) + 0.01


@given(st.text(alphabet="abcdefgstz0123456789", min_size=1, max_size=80))
def test_the_short_way_for_plain_words_gives_what_the_long_way_gives(piece: str) -> None:
    from karte.domain.text import tokens

    assert tokens._analyse(piece) == tokens._analyse_any(piece)
