"""What a query asks for: stop words, phrases, names, caps."""

import random
from time import process_time
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from karte.domain.text import TextQuery, index_text, match_expression, matched_words, parse_query
from karte.domain.text.query import LONGEST_PHRASE, MOST_FORMS, Form, Term

if TYPE_CHECKING:
    from tests.domain.text.conftest import Index


def asked(query: str) -> str | None:
    """The expression in a store without foreign memories."""
    return match_expression(parse_query(query, foreign=False))


@pytest.mark.requirement("search.words-apart")
@pytest.mark.parametrize(
    ("query", "expression"),
    [
        ("which licence does the booking gateway need?", '"licenc" OR "book" OR "gateway" OR "need"'),
        ("What's the team's target?", '"team" OR "target"'),
        ("don't", '"dont"'),
        ("the of and", '"the" OR "of" OR "and"'),
        ("где живёт Ольга?", '"живет" OR "ольг"'),
        ("που είναι η Αθήνα", '"αθην"'),
        ("wo ist der Schlüssel", '"schlussel"'),
        ("cat cats cat", '"cat"'),
        ("which US holiday", '"us" OR "holiday"'),
        ("WHAT IS THE TARGET", '"target"'),
        ("配備先はどこですか", '"配備 備先 先は はど どこ こで です すか" OR "配備 備先" OR "配備" OR "備先"'),
        ("배포 대상은 무엇인가요?", '"배포" OR "대상 상은" OR "대상"'),
    ],
)
def test_the_words_that_carry_the_subject_are_left(query: str, expression: str) -> None:
    assert asked(query) == expression


@pytest.mark.requirement("search.absent-word-is-empty")
@pytest.mark.parametrize("query", ["", " ", "\n\t", "???", "* %", "';--", "\\\\", '"', '""', "___", "\u0301", "\x00"])
def test_a_query_without_a_word_asks_for_nothing(query: str) -> None:
    assert parse_query(query) == TextQuery()
    assert asked(query) is None


@pytest.mark.requirement("search.phrases")
@pytest.mark.parametrize(
    ("query", "expression"),
    [
        ('"warm-up check"', '"warm up check"'),
        ('say "to be or not to be"', '"to be or not to be" OR "say"'),
        ("say “the check”", '"the check" OR "say"'),
        ('say "resume', '"say" OR "resum"'),
        ('an "" empty one', '"empti"'),
        ('"lib/parse.py"', '"lib pars py"'),
        ('"東京Tower"', '"東京 tower"'),
    ],
)
def test_a_part_in_quotes_is_a_phrase_and_a_lone_quote_is_not(query: str, expression: str) -> None:
    assert asked(query) == expression


@pytest.mark.requirement("search.phrases")
@pytest.mark.parametrize(
    ("query", "expression"),
    [
        ('"2024年3月3日"', '"2024 年 3 月 3"'),
        ('"2024년 3월 3일"', '"2024 년 3 월 3"'),
        ('"3月3日に"', '"3 月 3 日に"'),
        ('"3日"', '"3日"'),
        ('"A社"', '"a社"'),
        ('"3 と B"', '"3" OR "と" OR "b"'),
    ],
)
def test_letters_between_numerals_stand_in_a_phrase_and_others_that_may_be_in_a_run_do_not(
    query: str, expression: str
) -> None:
    assert asked(query) == expression


def test_a_phrase_finds_neighbours_only(make_index: "type[Index]") -> None:
    index = make_index(["the team's warm-up check", "check the warm coat up there", "set upCheck in warm_up"])
    assert index.search('"warm-up check"') == ["the team's warm-up check"]


@pytest.mark.requirement("search.phrases")
def test_a_phrase_does_not_reach_over_the_bar(make_index: "type[Index]") -> None:
    index = make_index(["a deploy-target for loadCart"])
    assert index.search('"loadCart deploytarget"') == []
    assert index.search('"for loadCart"') == index.search('"load cart"') == index.rows


@pytest.mark.requirement("search.identifiers")
@pytest.mark.parametrize(
    ("query", "expression"),
    [
        ("cart_store_v2", '"cart" OR "store" OR "v2" OR "cartstorev2" OR "cartstorev2" *'),
        ("nightly-sy", '"night" OR "sy" OR "nightlysi" OR "nightlys" *'),
        ("R&D", '"r&d"'),
        ("a-z", '"az"'),
        ("8MB/s", '"8mb" OR "8mb/s" OR "8mb/s" * OR "mb"'),
        ("loadCartByKey", '"loadcartbykey" OR "load" OR "cart" OR "key"'),
        ("C++ or C#", '"c++" OR "c#"'),
        ("C", '"c"'),
        ("up-to-date", '"date" OR "uptod" OR "upto" *'),
    ],
)
def test_a_name_is_asked_for_whole_and_by_its_parts(query: str, expression: str) -> None:
    assert asked(query) == expression


@pytest.mark.requirement("search.identifiers")
def test_the_sign_tells_one_letter_names_apart(make_index: "type[Index]") -> None:
    index = make_index(["written in C", "written in C++", "written in C#"])
    assert index.search("C") == ["written in C"]
    assert index.search("c++") == ["written in C++"]
    assert index.search("c#") == ["written in C#"]


def test_what_is_asked_for_is_bounded_and_the_long_and_repeated_words_stay() -> None:
    words = [f"ab{chr(97 + i % 26)}{chr(97 + i // 26)}" for i in range(500)]
    query = parse_query(" ".join([*words, "extraordinarily", "zzz " * 50]))
    kept = [term.word for term in query.terms]
    assert sum(len(term.forms) for term in query.terms) <= MOST_FORMS
    assert kept[:2] == ["zzz", "extraordinarily"]


def test_a_term_that_does_not_fit_is_left_out_whole() -> None:
    letters = "abcdefghijklmnopqrstuvwxyz"
    query = parse_query(" ".join(f"{letter}lpha_{letter}eta_{letter}amma" for letter in letters))
    assert MOST_FORMS - 4 < sum(len(term.forms) for term in query.terms) <= MOST_FORMS


def test_a_phrase_is_bounded() -> None:
    (term,) = parse_query('"' + "word " * 100 + '"').terms
    assert len(term.forms[0].tokens) == LONGEST_PHRASE


def test_the_words_that_a_memory_answers_are_told() -> None:
    query = parse_query('which "booking form" needs a Licence nightly-sy in 大阪市?')
    folded = index_text("The booking form runs nightly-sync in 大阪")
    assert matched_words(query, folded) == ("booking form", "nightly", "nightlysi", "大阪")
    assert matched_words(query, "") == ()


def test_a_form_writes_itself_as_fts5_reads_it() -> None:
    assert str(Form(("a", "b"))) == '"a b"'
    assert str(Form(("a",), is_prefix=True)) == '"a" *'
    assert match_expression(TextQuery((Term("x", (Form(("a",)), Form(("b",)))), Term("y", (Form(("c",)),))))) == (
        '"a" OR "b" OR "c"'
    )


@pytest.mark.requirement("search.no-input-is-an-error")
@given(st.text() | st.text(alphabet="\"'*()^:{}+-NEARORTab 東は🎉\\%\x00"))
@example("\ud800")
@example('"' * 99)
def test_no_text_makes_an_expression_that_fts5_refuses(query: str) -> None:
    from tests.domain.text.conftest import Index

    index = Index(["some row"])
    expression = match_expression(parse_query(query))
    if expression is not None:
        index.match(expression)


@pytest.mark.requirement("search.folding")
@given(st.text(min_size=1))
def test_a_memory_is_found_by_its_own_words(content: str) -> None:
    from tests.domain.text.conftest import Index

    index = Index(["nothing of the kind", content])
    if index_text(content):
        assert content in index.search(content)


SEED = random.Random(7)
LONG_QUERIES = {
    "a row repeated to 200 KB": "note 7 about thing 49 " * 9_000,
    "5,000 words": " ".join("".join(SEED.choices("abcdefghijklmnopqrstuvwxyz", k=7)) for _ in range(5_000)),
    "5,000 letters": "".join(chr(0x4E00 + i) for i in range(5_000)),
    "one word of 100,000": "x" * 100_000,
    "5,000 kana": "ですは" * 1_600 + "ら",
    "quotes": '"' * 5_000,
    "a long phrase": '"' + "word " * 40_000 + '"',
    "a long name": "aB_" * 10_000,
    "many joints": "a." * 50_000,
    "many articles": "all'" * 50_000,
    "many apostrophes": "rock'" * 50_000,
    "many versions": "1.2-" * 50_000,
    "one number of 100,000": "v" + "1" * 100_000,
    "one version of 100,000": "1." * 50_000 + "1",
}


@pytest.mark.requirement("search.no-input-is-an-error")
@pytest.mark.parametrize("query", LONG_QUERIES.values(), ids=LONG_QUERIES)
def test_a_query_of_any_length_answers_within_a_second(make_index: "type[Index]", query: str) -> None:
    index = make_index([f"note {i} about thing {i * 7}" for i in range(50)])
    start = process_time()
    found = index.search(query)
    assert process_time() - start < 1.0
    if query.startswith("note 7"):
        assert found[0] == "note 7 about thing 49"
    assert make_index().search(query) == []


@pytest.mark.requirement("search.words-apart")
@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("What did I say about oats?", ["say", "oats"]),
        ("A puppy called Coco", ["puppy", "called", "coco"]),
        ("vitamin A", ["vitamin", "a"]),
        ("who runs the WHO in the US", ["runs", "who", "us"]),
    ],
)
def test_the_pronoun_and_the_article_are_no_names_though_they_are_capitals(query: str, words: list[str]) -> None:
    assert [term.word for term in parse_query(query, foreign=False).terms] == words
