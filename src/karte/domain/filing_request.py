"""Whether a turn orders that a text be filed as a page, and which text it means: English, Japanese, Chinese.

An order is a whole clause, from its beginning to a colon, the end of the sentence or of the line; so a mention ("I
filed this", "do not file this", "should I file this?") is none, and neither is "file this bug". ``file`` and
``archive`` need no more than "this"; ``save``, ``keep`` and ``store`` need a document ("this policy") or "as a page".

The text meant is, in this order:

1. what follows in the same turn after a colon or on the next lines;
2. what stands before an order at the end of the turn, where that has 200 characters (80 of scripts with wide letters);
3. the turn before it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

SHORTEST_BODY: Final = 200
SHORTEST_WIDE_BODY: Final = 80
_LONGEST_ORDER: Final = 200
_LOOKED_BACK: Final = 3
_A_WORD_BETWEEN: Final = 12
"""Letters; a shorter turn is no text to be kept."""
"""Characters at either end of a line in which an order is looked for."""

_THING: Final = (
    r"(?:documents?|docs?|texts?|pages?|polic(?:y|ies)|charter|procedures?|sop|spec(?:ification)?s?|contract|agreement|"
    r"reference|guide|guidelines|checklist|manual|message|note)"
)
_BEFORE: Final = (
    r"(?:(?:ok|okay|great|good|perfect|thanks|thank you|yes|yeah|nice|hey|hi|alright|right|so|now|and|then|also|please|"
    r"karte|@\w{1,30})[,.!]{0,3} ){0,4}(?:(?:can|could|would|will) you (?:please )?)?"
)
_WHAT: Final = (
    rf"(?:(?:this|that|the (?:above|following|attached|next|last))(?: {_THING})?|it|the {_THING}(?: above| below)?)"
)
_AS: Final = r"(?: (?:as|under|into|to) (?:an? |the |my |our )?(?:\w{1,20} ){0,2}\w{1,20})"
_TO_A_PAGE: Final = (
    rf" (?:as|into|to) (?:an? |the |my |our )?(?:(?:new|wiki|reference|knowledge) ){{0,2}}(?:pages?|wiki|{_THING})"
)
_AFTER: Final = r"(?:,? (?:please|thanks|thank you|for me|for later|for reference|for the record|now)){0,3}"
_ENGLISH: Final = (
    rf"{_BEFORE}(?:"
    rf"(?:file|archive) {_WHAT}{_AS}?"
    rf"|(?:save|keep|store) (?:(?:this|that|the following|the above) {_THING}(?: above| below)?{_AS}?"
    rf"|{_WHAT}{_TO_A_PAGE})"
    rf"|(?:make|turn) {_WHAT}(?: into)? (?:a|an) (?:\w{{1,20}} )?page"
    rf"){_AFTER}"
)

_THING_JAPANESE: Final = "(?:文書|文章|資料|規程|規則|手順書|仕様書|方針|契約書|内容|書類|ドキュメント|メッセージ)"
_WHAT_JAPANESE: Final = (
    f"(?:これ|それ|こちら|上記|以下|次|(?:この|その|上の|下の|次の|以下の|上記の){_THING_JAPANESE}|{_THING_JAPANESE})"
)
_SAVE_JAPANESE: Final = "(?:保存|保管|登録|記録)"
_DO_JAPANESE: Final = (
    "(?:して(?:ください|下さい|おいて(?:ください|下さい|ね)?|くれる|くれますか|くれませんか|もらえますか|いただけますか|ほしい|ね)?|"
    "しといて|しておいて|しろ|せよ|をお願いします|お願いします|願います|をお願い|お願い|(?=[。！!：:\n]|$))"
)
_JAPANESE: Final = (
    "(?:(?:では|じゃあ|はい|了解|ありがとう|すみませんが|あと|どうか)[、,。]? ?){0,2}(?:"
    f"(?:{_WHAT_JAPANESE}[をは]?)?(?:(?:文書|ページ|資料|ドキュメント|[規手仕方][^\\s、。]{{1,3}})として{_SAVE_JAPANESE}|ページに|ページ化|"
    f"文書に)(?:{_DO_JAPANESE})"
    f"|{_WHAT_JAPANESE}[をは]?(?:ファイル|ファイリング|アーカイブ)(?:{_DO_JAPANESE})"
    f"|(?:この|その|上の|下の|次の|以下の|上記の){_THING_JAPANESE}[をは]?{_SAVE_JAPANESE}(?:{_DO_JAPANESE})"
    ")"
)

_THING_CHINESE: Final = (
    "(?:文件|文档|文檔|文本|资料|資料|内容|內容|制度|规范|規範|流程|章程|政策|合同|合約|规定|規定|消息|訊息)"
)
_WHAT_CHINESE: Final = (
    "(?:[这這]个|這份|这份|此|上面的?|下面的?|以下|以上|[这這](?:个|個|份|篇|段|条|條)?|那[个個份篇])?"
    f"{_THING_CHINESE}?"
)
_FILE_CHINESE: Final = (
    "(?:存档|存檔|归档|歸檔|建档|建檔|(?:保存|存|另存|儲存|整理|收录|收錄|归档|歸檔)(?:成|为|為|作|到)(?:一[个個份篇])?"
    "(?:页面|頁面|文档|文檔|文件|知识页|知識頁|知识库|知識庫|资料|資料))"
)
_CHINESE: Final = (
    "(?:(?:好的?|谢谢|謝謝|那|那么|那麼|嗯|可以|对|對)[，,。！!]? ?){0,2}"
    "(?:请|請|麻烦|麻煩|帮我|幫我|帮忙|幫忙|能不能|能|可以|你|您){0,4}"
    f"(?:(?:把|将|將){_WHAT_CHINESE}{_FILE_CHINESE}|{_FILE_CHINESE}(?:[这這]个|這份|这份|此|以下|上面的?){_THING_CHINESE}?|"
    "(?:保存|存)(?:成|为|為)(?:一[个個份篇])?(?:页面|頁面|文档|文檔)|"
    f"(?:[这這]个|[这這]份|以下|上面的?|此){_THING_CHINESE}?(?:请|請|帮我|幫我)?{_FILE_CHINESE})"
    "(?:一下|下来|下來|吧|谢谢|謝謝|好吗|好嗎|吗|嗎|，){0,3}"
)

_ORDER: Final = rf"(?:{_ENGLISH}|{_JAPANESE}|{_CHINESE})"
_CLOSED: Final = rf"\s*{_ORDER}\s{{0,3}}(?P<end>[:：]|[。！？]+|[.!?]+(?=\s|$)|$)"
_AT_THE_END: Final = rf"(?:^|[.。!！?？]\s{{0,3}})(?P<order>{_ORDER}[.。!！?？]{{0,3}})$"
_COURTESY: Final = re.compile(
    r"(?:thanks?|thank you|please|cheers|ありがとう(?:ございます)?|お願いします"
    r"|よろしく(?:お願いします)?|谢谢|謝謝|多谢|多謝)"
    r"[\s.!。！,~]{0,5}",
    re.IGNORECASE,
)
_WIDE: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Filing:
    """The text to be filed, and the place of the turn that it stands in."""

    text: str
    place: int


def filing_of(texts: Sequence[str], place: int) -> Filing | None:
    """What the turn at a place orders to be filed, None where it orders nothing or there is nothing to file."""
    if not 0 <= place < len(texts):
        return None
    turn = texts[place].strip()
    body = _ordered_at_the_beginning(turn)
    if body is None:
        body = _ordered_at_the_end(turn)
    if body is None:
        return None
    if body:
        return Filing(text=body, place=place)
    later = texts[place + 1].strip() if turn.endswith((":", "：")) and place + 1 < len(texts) else ""
    if later:  # a colon says that it follows
        return Filing(text=later, place=place + 1)
    return _earlier(texts, place)


def _earlier(texts: Sequence[str], place: int) -> Filing | None:
    """The turn before; where that is a question or a word between, the nearest one of the three before that is not."""
    before = [at for at in range(place - 1, max(place - 1 - _LOOKED_BACK, -1), -1) if texts[at].strip()]
    telling = [at for at in before if not texts[at].strip().endswith(("?", "？")) and len(texts[at]) >= _A_WORD_BETWEEN]
    chosen = next(iter(telling or before), None)
    return None if chosen is None else Filing(text=texts[chosen].strip(), place=chosen)


def _ordered_at_the_beginning(turn: str) -> str | None:
    """The body behind an order with which the turn begins, empty where there is none; None without an order."""
    line, _, following = turn.partition("\n")
    found = _compiled(_CLOSED).match(line[:_LONGEST_ORDER])
    if found is None or (found.end() == _LONGEST_ORDER < len(line)):
        return None
    same = line[found.end() :] if found["end"] in {":", "："} else ""
    body = f"{same}\n{following}".strip()
    return "" if _COURTESY.fullmatch(body[:_LONGEST_ORDER]) else body


def _ordered_at_the_end(turn: str) -> str | None:
    """The body before an order with which the turn ends, empty where it is too short; None without an order."""
    tail = turn[-_LONGEST_ORDER:]
    start = tail.rfind("\n") + 1
    found = _compiled(_AT_THE_END).search(tail[start:].strip())
    if found is None:
        return None
    if start == 0 and len(turn) > _LONGEST_ORDER and found.start("order") == 0:
        return None  # the beginning of the cut, not of a sentence
    before = turn[: len(turn) - len(found["order"])].strip()
    return before if len(before) >= _least(before) else ""


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compiled when the first turn is looked at: it takes a twentieth of the time that importing the engine does."""
    return re.compile(pattern, re.IGNORECASE)


def _least(body: str) -> int:
    return SHORTEST_WIDE_BODY if _WIDE.search(body[:SHORTEST_WIDE_BODY]) else SHORTEST_BODY
