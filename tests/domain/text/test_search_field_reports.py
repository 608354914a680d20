"""Faults that other memory engines shipped (field reports 15, 17, 18, 19, 20), against the index itself."""

import unicodedata
from typing import TYPE_CHECKING, Literal

import pytest

if TYPE_CHECKING:
    from tests.domain.text.conftest import Index

UNRELATED = [
    "毎朝七時に起きて散歩する", "昼休みにラーメンを食べた", "来週は京都へ旅行に行く",
    "新しい椅子が届いた", "猫が窓辺で寝ている",
    "오늘은 비가 많이 왔다", "점심에 김치찌개를 먹었다", "동생이 사진을 보냈다", "새 책상을 샀다", "주말에 등산을 간다",
    "昨天下了一整天的雨", "他喜欢喝绿茶", "孩子们在公园里玩", "新买的书还没看完", "明天去爬山",
    "วันนี้ฝนตกหนัก", "เขาชอบกินข้าวผัด", "แมวนอนอยู่ริมหน้าต่าง", "พรุ่งนี้จะไปทะเล", "หนังสือเล่มใหม่",
]  # fmt: skip
JAPANESE = "本番環境の配備先は大阪リージョンです"
KOREAN = "배포 대상은 서울 리전입니다"
CHINESE = "部署目标是上海机房"
THAI = "ผู้ดูแลระบบคือสมชาย"


@pytest.mark.requirement("search.scripts-without-spaces")
@pytest.mark.parametrize(
    ("query", "row"),
    [
        ("配備先", JAPANESE),
        ("大阪", JAPANESE),
        ("リージョン", JAPANESE),
        ("ﾘｰｼﾞｮﾝ", JAPANESE),
        ("阪", JAPANESE),
        ("配備先はどこですか？", JAPANESE),
        ("서울", KOREAN),
        ("대상", KOREAN),
        ("배포 대상은 무엇인가요?", KOREAN),
        ("上海", CHINESE),
        ("机房", CHINESE),
        ("部署目标是什么？", CHINESE),
        ("สมชาย", THAI),
    ],
)
def test_words_of_scripts_without_spaces_find_their_row_first(make_index: "type[Index]", query: str, row: str) -> None:
    assert make_index([*UNRELATED, JAPANESE, KOREAN, CHINESE, THAI]).search(query)[0] == row


PUNCTUATED = [
    "owner: kim, phase two",
    "the team's warm-up check",
    "path var/run.txt at 8MB/s",
    "uses C++ and vue.js 3.14",
    "call resume(3) OR stop",
]


@pytest.mark.requirement("search.no-input-is-an-error")
@pytest.mark.parametrize(
    ("query", "row"),
    [
        ("owner: kim", 0), ("team's", 1), ("warm-up", 1), ("-up", 1), ("var/run.txt", 2), ("8MB/s", 2), ("C++", 3),
        ("vue.js", 3), ("3.14", 3), ("resume(", 4), ("resume(3)", 4), ('say "resume', 4), ('"warm-up"', 1), ("OR", 4),
        ("resume OR", 4), ("^call", 4), ("AND AND", 3),
        ("*", None), ("res*", None), ("NOT", None), ("NEAR(a b)", None), ("{a b}:c", None), ("content:x", None),
        ("a+b", None), ("%", None), ("';--", None), ("\\\\", None), ("\u0000x", None),
    ],
)  # fmt: skip
def test_punctuation_is_text_and_the_stored_words_are_found(
    make_index: "type[Index]", query: str, row: int | None
) -> None:
    found = make_index(PUNCTUATED).search(query)
    assert found[:1] == ([] if row is None else [PUNCTUATED[row]])


@pytest.mark.requirement("search.words-apart", "search.identifiers")
@pytest.mark.parametrize(
    ("query", "row"),
    [
        ("booking gateway licence", 0), ("which licence does the booking gateway need?", 0), ("cart store", 1),
        ("loadCartByKey", 1), ("loadcartbykey", 1), ("load cart", 1), ("cart_store_v2", 1), ("cart-store-v2", 1),
        ("parse.py", 2), ("NOTES.md", 2), ("notes", 2), ("lib/parse.py", 2), ("nightly sync", 3), ("nightly-sy", 3),
        ("nightlysync", 3),
    ],
)  # fmt: skip
def test_words_apart_and_names_whole_or_in_part_find_their_row_first(
    make_index: "type[Index]", query: str, row: int
) -> None:
    rows = [
        "The gateway behind the booking form needs a licence",
        "loadCartByKey lives in cart_store_v2",
        "see NOTES.md and lib/parse.py",
        "run nightly-sync at two",
    ]
    assert make_index(rows).search(query)[0] == rows[row]


@pytest.mark.requirement("search.folding", "search.absent-word-is-empty")
@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize(
    ("query", "row"),
    [
        ("Jürgen", 0), ("jurgen", 0), ("JURGEN", 0), ("malmo", 0), ("lukasz", 0), ("Ольга", 1), ("ольга", 1),
        ("ведет", 1), ("Αθήνα", 2), ("αθηνα", 2), ("creme brulee", 3), ("синхрофазотрон", None),
    ],
)  # fmt: skip
def test_accents_case_and_form_do_not_matter_and_an_absent_word_finds_nothing(
    make_index: "type[Index]", query: str, row: int | None, form: Literal["NFC", "NFD"]
) -> None:
    rows = ["Jürgen met Łukasz in Malmö", "Ольга ведёт проект", "η σύσκεψη στην Αθήνα", "crème brûlée recipe"]
    found = make_index(rows).search(unicodedata.normalize(form, query))
    assert found == ([] if row is None else [rows[row]])


@pytest.mark.requirement("search.no-input-is-an-error", "search.absent-word-is-empty")
@pytest.mark.parametrize("query", ["", "   ", "\n\t", "???", "the of and", "🎉", "👩‍👩‍👧"])
def test_queries_without_words_are_answered(make_index: "type[Index]", query: str) -> None:
    party = "release party 🎉 on friday"
    rows = [*(f"note {i} about thing {i * 7}" for i in range(49)), party]
    assert make_index().search(query) == []
    assert make_index(rows).search(query) == ([party] if query == "🎉" else [])
