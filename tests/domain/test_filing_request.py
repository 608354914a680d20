"""Who says "file this" has a text filed: which words are such an order, and which text they mean."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karte.domain.filing_request import Filing, filing_of

pytestmark = pytest.mark.requirement("pages.recognition")

ORDERS = """file this|File this.|Please file this|please save this as a page|Keep this document.|OK, file this please!
Can you file this?|could you please save this as a wiki page?|archive this document, thanks|file that under policies
Thanks. File this.|make this a page|turn this into a page|save the above as a reference page|file it as a policy
file the above|store this policy|Karte, file this as an SOP
これを文書として保存|これをファイルして|ページにして|これを文書として保存してください。|この文書を保存して|上記をページにしてください
これをページとして登録しておいて|以下の規程を保存してください|了解、これをファイルしておいて
把这个存档|归档这份文件|存成页面|请把这份文件归档|归档这份文件。谢谢|把上面的内容保存为文档|这个存档一下|能把这个存档吗？
把這個存檔|歸檔這份文件|存成頁面|請幫我把這個存成頁面，謝謝"""
MENTIONS = """I filed this yesterday|don't file this|do not file this|should I file this?|file this bug
Did you file this?|save this|keep this|I will file this|please don't file this|we should file this as a page
file a complaint|you can file this away tomorrow maybe|He said "file this"|keep it up|save it for later
Keep the message short|keep the note|store the text in a variable|never file this|if you file this, we lose
これは昨日ファイルした|これをファイルしないで|文書として保存しないでください|文書として保存すべき？|これを文書として保存しましたか
ファイルして失敗した|我昨天把这个存档了|不要把这个存档|别归档这份文件|要不要把这个存档？|已经归档这份文件了|這個已經存檔了
文件存成页面了吗"""
EARLIER = "The charter of the board."
LONG = "Doors must be locked at night. " * 10


@pytest.mark.parametrize("order", [each for line in ORDERS.splitlines() for each in line.split("|")])
def test_an_order_files_the_turn_before_it(order: str) -> None:
    assert filing_of([EARLIER, order], 1) == Filing(text=EARLIER, place=0)


@pytest.mark.parametrize("order", [each for line in ORDERS.splitlines() for each in line.split("|")])
def test_an_order_files_what_follows_on_the_next_lines(order: str) -> None:
    assert filing_of([EARLIER, f"{order}\n\n# Doors\nLocked."], 1) == Filing(text="# Doors\nLocked.", place=1)


@pytest.mark.parametrize("mention", [each for line in MENTIONS.splitlines() for each in line.split("|")])
def test_a_mention_is_no_order(mention: str) -> None:
    assert filing_of([EARLIER, mention], 1) is None


@pytest.mark.parametrize(
    ("turn", "body"),
    [
        ("File this: doors are locked.", "doors are locked."),
        ("Please file this as a policy:\n\nDoors are locked.", "Doors are locked."),
        ("これを文書として保存して：ドアは施錠する。", "ドアは施錠する。"),
        ("把这个存档：门必须上锁。", "门必须上锁。"),
    ],
)
def test_what_stands_after_a_colon_is_filed(turn: str, body: str) -> None:
    assert filing_of([EARLIER, turn], 1) == Filing(text=body, place=1)


@pytest.mark.parametrize(
    "turn", ["file this, please\nthanks!", "File this. I need it tomorrow.", "Looks good. File this."]
)
def test_a_courtesy_or_a_remark_is_no_body(turn: str) -> None:
    assert filing_of([EARLIER, turn], 1) == Filing(text=EARLIER, place=0)


@pytest.mark.parametrize(
    ("turn", "body"),
    [
        (f"{LONG}\nPlease file this.", LONG.strip()),
        (f"{LONG}File this.", LONG.strip()),
        (
            "ドアは夜間に施錠しなければならない。" * 5 + "\nこれをファイルして",
            "ドアは夜間に施錠しなければならない。" * 5,
        ),
    ],
)
def test_a_long_text_before_an_order_at_the_end_is_filed(turn: str, body: str) -> None:
    assert filing_of([EARLIER, turn], 1) == Filing(text=body, place=1)


def test_an_order_in_the_middle_of_a_sentence_is_none_however_long_the_line() -> None:
    assert filing_of([EARLIER, "x" * 300 + " file this"], 1) is None
    assert filing_of([EARLIER, "y" * 188 + "z file this."], 1) is None
    assert filing_of([EARLIER, "file this" + " " * 300 + "bug"], 1) is None
    assert filing_of([EARLIER, "never" + " " * 191 + "file this"], 1) is None


@pytest.mark.parametrize(
    ("texts", "place"), [(["file this"], 0), (["  ", "file this"], 1), ([], 0), (["a"], -1), (["a"], 1)]
)
def test_nothing_is_filed_where_there_is_nothing(texts: list[str], place: int) -> None:
    assert filing_of(texts, place) is None


def test_a_question_between_is_not_what_is_filed() -> None:
    texts = ["the text that is to be kept", "Shall I file this?", "file this"]
    assert filing_of(texts, 2) == Filing(text=texts[0], place=0)


def test_an_order_that_ends_with_a_colon_is_of_what_follows() -> None:
    texts = ["before", "File this:", "the text that follows"]
    assert filing_of(texts, 1) == Filing(text="the text that follows", place=2)
    assert filing_of(texts[:2], 1) == Filing(text="before", place=0)


@given(
    st.lists(
        st.one_of(st.text(), st.sampled_from(["file this", "File this:\n", "把这个存档", "ページにして"])), max_size=4
    )
)
def test_whatever_is_filed_stands_in_the_turns(texts: list[str]) -> None:
    for place in range(-1, len(texts) + 1):
        filing = filing_of(texts, place)
        assert filing is None or (filing.text.strip() and filing.text in texts[filing.place])


@pytest.mark.parametrize(
    "unit", ["a", "\n", " ", "file ", "file this ", ". file this", "ok ", "把", "请", "これ", "第", "."]
)
def test_a_megabyte_of_anything_is_read_to_its_end(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))  # a quadratic reading would take hours
    found = filing_of([EARLIER, text], 1)
    assert found is None or found.place in (0, 1)
