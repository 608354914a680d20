"""Stems: English for Latin letters, by script elsewhere, and the other European languages beside."""

from typing import TYPE_CHECKING

import pytest

from karte.domain.text import index_text, match_expression, parse_query
from karte.domain.text.irregular import REGULAR_FORM
from karte.domain.text.languages import ALL, foreign_stems, recognise, votes
from karte.domain.text.stemming import stem
from karte.domain.text.stopwords import ENGLISH, LATIN_LANGUAGES, OTHER_SCRIPTS
from karte.domain.text.tokens import can_be_foreign, pieces

if TYPE_CHECKING:
    from tests.domain.text.conftest import Index

pytestmark = pytest.mark.requirement("search.folding")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("organise", "organised"),
        ("deploy", "deployments"),
        ("draw", "drew"),
        ("child", "children"),
        ("buy", "bought"),
        ("проект", "проекты"),
        ("συσκεψη", "συσκεψεισ"),
        ("كتاب", "الكتاب"),
    ],
)
def test_forms_of_one_word_have_one_stem(one: str, other: str) -> None:
    assert stem(one) == stem(other)


@pytest.mark.parametrize("word", ["ab", "2026", "x" * 100, "שלום", "ქართული"])
def test_what_has_no_ending_to_cut_stays(word: str) -> None:
    assert stem(word) == word


def test_an_irregular_form_leads_to_a_regular_one() -> None:
    assert not set(REGULAR_FORM) & set(REGULAR_FORM.values())


@pytest.mark.parametrize(
    ("memory", "query"),
    [
        ("Die Katze schläft auf dem Sofa", "Katzen"),
        ("Der Vertrag mit den Häusern ist unterschrieben", "Haus"),
        ("Los niños juegan con el gato en el jardín", "gatos"),
        ("La biblioteca no está abierta hoy", "¿Cuándo abren las bibliotecas?"),
        ("Les contrats sont signés par la mairie", "contrat signe"),
        ("Il ragazzo ha comprato una macchina", "ragazzi"),
        ("O relatório foi enviado para as empresas", "empresa"),
        ("De katten zijn in het huis", "Waar is de kat?"),
        ("crème brûlée recipe", "crèmes brûlées"),
    ],
)
def test_other_european_languages_find_their_word_forms(make_index: "type[Index]", memory: str, query: str) -> None:
    index = make_index(["nothing of the kind", memory, "Wetter", "tiempo"])
    assert index.search(query) == [memory]


def test_an_english_memory_carries_no_foreign_stems() -> None:
    for text in ("the cats are in the garden", "Jürgen saw Łukasz in Malmö", "release party friday"):
        assert "~" not in index_text(text)


def test_an_english_question_asks_for_no_foreign_stems() -> None:
    assert "~" not in str(match_expression(parse_query("where are the cats?")))


def test_a_long_query_of_no_known_language_is_not_guessed_at() -> None:
    words = "alpha beta gamma delta epsilon zeta theta kappa lambda"
    assert "~" not in str(match_expression(parse_query(words)))
    assert "~" in str(match_expression(parse_query(words[:10])))


def test_a_store_without_foreign_memories_need_not_be_asked_for_them() -> None:
    assert match_expression(parse_query("Katzen", foreign=False)) == '"katzen"'


@pytest.mark.parametrize(
    ("text", "languages"),
    [
        ("wo ist der Schlüssel", ("german",)),
        ("où est la clé", ("french",)),
        ("in an", ()),
        ("the key", ()),
        ("Schlüssel", None),
    ],
)
def test_a_language_is_known_by_its_stop_words(text: str, languages: tuple[str, ...] | None) -> None:
    folded = text.replace("ü", "u").replace("ù", "u").replace("é", "e").lower()
    assert recognise(votes(word) for word in pieces(folded)) == languages


def test_one_letter_tells_no_language() -> None:
    assert votes("y") == ()


def test_foreign_stems_are_marked_and_each_stands_once() -> None:
    assert foreign_stems("katzen", ("german",)) == ("~katz",)
    assert len(foreign_stems("vertrag", ALL)) == 1
    assert foreign_stems("vertrag", ()) == ()


def test_only_words_of_latin_letters_can_be_foreign() -> None:
    assert can_be_foreign("katzen")
    assert not any(map(can_be_foreign, ("ab", "v2x", "проект", "東京")))


def test_stop_words_are_written_as_folding_leaves_them() -> None:
    from karte.domain.text.folding import fold

    for word in ENGLISH.union(*LATIN_LANGUAGES.values(), OTHER_SCRIPTS):
        assert fold(word) == word


def test_one_word_that_is_a_stop_word_elsewhere_does_not_make_a_dozen_words_foreign() -> None:
    assert "~" not in index_text("agrees bringing door rocks modern appeared adds spacing weighting metal boys feed")
    assert "~" in index_text("het huis door de poort")
