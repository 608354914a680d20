"""Scripts without spaces: pairs, single letters, particles."""

import unicodedata
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karte.domain.text import index_text, match_expression, parse_query
from karte.domain.text.particles import subject_runs
from karte.domain.text.scripts import is_emoji, is_hiragana, is_unspaced, letter_pairs

if TYPE_CHECKING:
    from tests.domain.text.conftest import Index

pytestmark = pytest.mark.requirement("search.scripts-without-spaces")

RUNS = {
    "Chinese": "部署目标是上海机房",
    "Japanese": "本番環境の配備先",
    "Korean": "배포대상은서울리전",
    "Thai": "ผู้ดูแลระบบคือสมชาย",
    "Lao": "ນະຄອນຫຼວງວຽງຈັນ",
    "Khmer": "រាជធានីភ្នំពេញ",
    "Burmese": "ရန်ကုန်မြို့",
}


def test_a_run_is_its_pairs_in_reading_order_and_beside_them_its_letters() -> None:
    assert index_text("大阪市") == "大阪 阪市 | 大 阪 市"


def test_one_letter_is_one_token() -> None:
    assert index_text("猫") == "猫"


def test_letters_of_other_scripts_end_a_run() -> None:
    assert index_text("東京Tower2階") == "東京 tower2 階 | 東 京 tower 2 京t 2階"


@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)
def test_every_word_of_one_or_two_letters_is_found_and_nothing_else_is(make_index: "type[Index]", run: str) -> None:
    run = unicodedata.normalize("NFKC", run)
    others = [unicodedata.normalize("NFKC", other) for other in RUNS.values() if other != run]
    index = make_index([run, *others])
    words = {run[i : i + n] for n in (1, 2) for i in range(len(run) - n + 1)}
    for word in words:
        assert index.search(word) == [run]


@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)
def test_a_longer_word_is_found_first_where_it_stands_whole(make_index: "type[Index]", run: str) -> None:
    run = unicodedata.normalize("NFKC", run)
    index = make_index([run[:2] + run[4:], run, run[2:]])
    assert index.search(run[1:6])[0] == run


def test_a_longer_word_need_not_stand_whole(make_index: "type[Index]") -> None:
    index = make_index(["設計のメモ", "データベースの設計", "データの整理", "天気"])
    assert index.search("データベース設計") == ["データベースの設計", "設計のメモ", "データの整理"]


@pytest.mark.parametrize("word", ["A社", "3月", "T恤", "社B"])
def test_a_word_of_two_scripts_is_found_and_nothing_else_is(make_index: "type[Index]", word: str) -> None:
    index = make_index([f"新{word}の話", "社の話", "月の話", "A B T 3", "恤", f"{word[0]} {word[1]}"])
    assert index.search(word) == [f"新{word}の話"]
    assert index.search(f'"{word}"') == [f"新{word}の話"]


def test_half_width_kana_are_kana(make_index: "type[Index]") -> None:
    assert make_index(["大阪リージョン"]).search("ﾘｰｼﾞｮﾝ") == ["大阪リージョン"]


@pytest.mark.parametrize(
    ("run", "subjects"),
    [
        ("配備先はどこですか", ["配備先"]),
        ("サーバーの設計について", ["サーバー", "設計"]),
        ("誰が決めましたか", ["決めましたか"]),
        ("何ですか", []),
        ("りんごを食べる", ["りんごを食べる"]),
        ("です", ["です"]),
        ("部署目标是什么", ["部署目标"]),
        ("为什么失败了吗", ["失败了"]),
        ("什么时候", []),
        ("대상은", ["대상"]),
        ("서울에서는", ["서울"]),
        ("나는", ["나는"]),
        ("무엇인가요", []),
        ("สมชาย", ["สมชาย"]),
        ("สมชายทำงานที่ไหน", ["สมชายทำงาน"]),
        ("อะไร", []),
        ("王明的老婆是做什么的", ["王明", "老婆是做"]),
        ("他的目的地在哪里", ["他", "目的地"]),
        ("的士司机的名字", ["的士司机", "名字"]),
        ("我的", ["我的"]),
    ],
)
def test_particles_and_question_words_are_cut_from_a_query(run: str, subjects: list[str]) -> None:
    assert subject_runs(run) == subjects


def test_single_letters_are_not_asked_for_beside_pairs() -> None:
    words = [term.word for term in parse_query("データベース設計").terms]
    assert all(len(word) > 1 for word in words)


def test_a_question_of_particles_alone_is_meant_as_it_stands(make_index: "type[Index]") -> None:
    index = make_index(["それは何ですか", "天気がいい"])
    assert index.search("何ですか") == ["それは何ですか"]
    assert make_index(["ですます調で書く", "天気"]).search("ですか") == ["ですます調で書く"]


def test_kana_pairs_are_left_out_beside_telling_ones() -> None:
    assert match_expression(parse_query("食べるりんご")) == '"食べ べる るり りん んご" OR "食べ"'


def test_a_run_in_quotes_must_stand_whole(make_index: "type[Index]") -> None:
    index = make_index(["データの設計", "データベース設計"])
    assert index.search('"データベース"') == ["データベース設計"]


def test_a_pasted_page_of_a_run_is_still_a_query(make_index: "type[Index]") -> None:
    page = "本番環境の配備先は大阪リージョンです。" * 40
    assert make_index(["天気", "配備先は大阪"]).search(page.replace("。", "")) == ["配備先は大阪"]


@given(st.text(alphabet=st.sampled_from("東京大阪タワーのはですか한국어서울สมชายAb1 "), min_size=1))
def test_a_run_is_found_by_each_of_its_pairs(text: str) -> None:
    tokens = set(index_text(text).split())
    for word in text.split():
        letters = [letter for letter in word if is_unspaced(letter)]
        assert tokens.issuperset(letters)


def test_emoji_are_tokens_without_their_joiners_and_tones(make_index: "type[Index]") -> None:
    assert index_text("👩‍👩‍👧 🎉 👍🏽 ❤️ 🇯🇵") == "👩 👩 👧 🎉 👍 ❤ 🇯🇵"
    index = make_index(["release party 🎉 on friday", "a family 👩‍👩‍👧", "quiet"])
    assert index.search("🎉") == ["release party 🎉 on friday"]
    assert index.search("👩‍👩‍👧") == ["a family 👩‍👩‍👧"]


def test_what_is_what() -> None:
    assert is_unspaced("東京")
    assert not is_unspaced("tower")
    assert is_emoji("🎉")
    assert not is_emoji("x")
    assert is_hiragana("です")
    assert not is_hiragana("先は")
    assert letter_pairs("猫") == ["猫"]
