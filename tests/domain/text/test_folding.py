"""One form for every way of writing the same letters."""

import unicodedata
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karte.domain.text.folding import fold, normalise

FORMS: tuple[Literal["NFC", "NFD", "NFKC", "NFKD"], ...] = ("NFC", "NFD", "NFKC", "NFKD")


@pytest.mark.requirement("search.folding")
@pytest.mark.parametrize(
    ("written", "folded"),
    [
        ("Jürgen", "jurgen"),
        ("JÜRGEN", "jurgen"),
        ("Łukasz", "lukasz"),
        ("Økland", "okland"),
        ("Đorđević", "dordevic"),
        ("Straße", "strasse"),
        ("STRASSE", "strasse"),
        ("Œuvre", "oeuvre"),
        ("Ærø", "aero"),
        ("İstanbul", "istanbul"),
        ("ısı", "isi"),
        ("Þór", "thor"),
        ("Αθήνα", "αθηνα"),
        ("ΑΘΗΝΑΣ", "αθηνασ"),
        ("Αθηνάς", "αθηνασ"),
        ("ΐ", "ι"),
        ("ведёт", "ведет"),
        ("ВЕДЁТ", "ведет"),
        ("шо́в", "шов"),
        ("שָׁלוֹם", "שלום"),
        ("مُحَمَّد", "محمد"),
        ("أحمد", "احمد"),
        ("Ｔｏｗｅｒ", "tower"),
        ("𝐇𝐞𝐥𝐥𝐨", "hello"),
        ("ﬁle", "file"),
        ("ﾘｰｼﾞｮﾝ", "リージョン"),
        ("٢٠٢٦", "2026"),
        ("२०२६", "2026"),
    ],
)
def test_one_word_has_one_form_however_it_is_written(written: str, folded: str) -> None:
    for form in FORMS:
        assert fold(normalise(unicodedata.normalize(form, written))) == folded


@pytest.mark.requirement("search.folding")
@pytest.mark.parametrize("word", ["чай", "їжак", "ў", "が", "パ", "한국", "हिन्दी", "ที่"])
def test_marks_that_make_another_letter_stay(word: str) -> None:
    assert fold(normalise(unicodedata.normalize("NFD", word))) == normalise(word)


def test_invisible_characters_do_not_cut_a_word() -> None:
    assert normalise("co\u00adop\u200berate\u2060d\ufeff\U000e0041") == "cooperated"


def test_a_trade_mark_sign_does_not_lengthen_the_word_before_it() -> None:
    assert normalise("Karte™ runs").split() == ["Karte", "runs"]


def test_plain_text_comes_back_as_it_is() -> None:
    text = "plain ASCII, any Case"
    assert normalise(text) is text


@pytest.mark.requirement("search.folding")
@given(st.text())
def test_folding_twice_is_folding_once(text: str) -> None:
    folded = fold(normalise(text))
    assert fold(normalise(folded)) == folded


@pytest.mark.requirement("search.folding")
@given(st.text())
def test_every_unicode_form_of_a_text_folds_alike(text: str) -> None:
    assert len({fold(normalise(unicodedata.normalize(form, text))) for form in ("NFC", "NFD")}) == 1
