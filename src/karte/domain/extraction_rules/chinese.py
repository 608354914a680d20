"""What Chinese clauses in the first person tell, in simplified and traditional characters.

A clause must begin with its subject; a clause without one has that of the clause before it, if that told a fact.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from typing import Final

from karte.domain.extraction_rules.places_cjk import is_place
from karte.domain.extraction_rules.reading import MARK, Clause, marked, split
from karte.domain.extraction_rules.telling import Told, due, has_begun, told

_HAN: Final = re.compile(r"[\u4e00-\u9fff]")
_DOUBT: Final = re.compile(
    r"如果|要是|假如|假设|假設|若是|也许|也許|或许|或許|可能|大概|应该|應該|希望|想要|我想|我们想|我們想|以前|曾经|曾經|过去|過去|从前"
    r"|從前|不再[是在用]|梦想|夢想|梦见|差点|差點|据说|據說|听说|聽說|打算|计划[去在]|吗|嗎|呢\Z|吧\Z|比如|例如|假装|假裝|开玩笑|開玩笑|会不会"
)
_BOUNDARY: Final = re.compile(r"[，,、;；：:（）()]\s?")
_LEAD: Final = rf"(?:(?:{MARK}|你好|您好|嗨|大家好|其实|其實|而且|另外|所以|因为|因為|但是|但|对|對|嗯)\s?){{0,3}}"
_ADVERB: Final = (
    rf"(?:{MARK}|现在|現在|目前|一直|都|也|还|還|正|就|平时|平時|主要|通常|非常|特别|特別|真的|超级|超級|超|很|比较|比較|从小就|從小就"
    r"|已经|已經|最终|最終|最后|最後|刚刚|剛剛|刚|剛|终于|終於|开始|開始|家|是){0,4}"
)
_WE: Final = r"(?:我们|我們|咱们|我)"
_LIKE: Final = r"(?:喜欢|喜歡|热爱|熱愛|爱|愛)"
_OBJECT: Final = rf"(?P<object>[^{MARK}]{{1,40}}?)"
_SURNAMES: Final = (
    "王李张張刘劉陈陳杨楊黄黃赵趙吴吳周徐孙孫马馬朱胡郭何高林罗羅郑鄭梁谢謝宋唐许許韩韓冯馮邓鄧曹彭曾肖田董袁潘蒋蔣蔡余杜叶葉程苏蘇魏"
    "吕呂丁任沈姚卢盧姜崔钟鍾谭譚陆陸汪范金石廖贾賈夏韦韋傅方白邹鄒孟熊秦邱江尹薛阎闫段雷侯龙龍史陶黎贺賀顾顧毛郝龚龔邵万萬钱錢严嚴洪武莫孔欧歐小阿"
)
_VAGUE: Final = re.compile(
    r"(?:它|他|她|你|您|这|這|那|哪|谁|誰|什么|什麼|上了|的|和你|跟你|这里|這裡|那里|那裡|自己|大家|听你|聽你|看你|我)|.{0,30}(?:的样子|的樣子|的感觉|的感覺|这样|這樣)\Z"
)
_NO_EMPLOYER: Final = re.compile(
    r"(?:努力|认真|認真|远程|遠程|拼命|全职|全職|兼职|兼職|加班|辛苦|专心|專心|安静|安靜|一起|线上|線上|晚上|白天|夜里|早上|下午|上午"
    r"|周末|週末|室内|办公室|辦公室|公司|单位|家|家里|家裡|外面|咖啡馆|不同|同一|一家|一个|一間|那边|那邊|楼上|每天|不停地?)"
)
_NO_HOME: Final = re.compile(
    r".{0,12}(?:房间|房間|房子|公寓|地方|城市|家|家里|家裡|一起|附近|楼|樓|酒店|宿舍|隔壁|里|裡|边|邊|上|下|这儿|那儿)\Z|.{0,14}(?:的|时|時|很|和|跟|过|過|了)|[一二两几哪自爸妈父母男女朋]"
)
_NO_CLUB: Final = re.compile(
    r".{0,30}(?:群|俱乐部|俱樂部|团队|團隊|会|會|党|黨|社团|社團|讨论|討論|队|隊|他们|你们|我们)\Z"
)
_TOOLS: Final = (
    r"(?P<object>[A-Za-z][A-Za-z0-9_.+#-]*(?: [A-Z0-9][A-Za-z0-9_.+#-]*){0,3}"
    r"|飞书|飛書|钉钉|釘釘|企业微信|企業微信|微信|腾讯文档|騰訊文檔|石墨文档|语雀|語雀|印象笔记|印象筆記)"
)
_THINGS: Final = {
    "颜色": "colour",
    "顏色": "colour",
    "食物": "food",
    "菜": "food",
    "饮料": "drink",
    "飲料": "drink",
    "电影": "movie",
    "電影": "movie",
    "书": "book",
    "書": "book",
    "音乐": "music",
    "音樂": "music",
    "歌": "song",
    "运动": "sport",
    "運動": "sport",
    "动物": "animal",
    "動物": "animal",
    "季节": "season",
    "季節": "season",
    "水果": "fruit",
    "游戏": "game",
    "遊戲": "game",
    "编程语言": "programming_language",
    "作家": "author",
    "城市": "city",
}

Tells = Callable[[Clause, re.Match[str]], list[Told]]
Rule = tuple[re.Pattern[str], Tells]


def _plain(predicate: str, *refused: re.Pattern[str], is_dated: bool = True) -> Tells:
    def tells(clause: Clause, match: re.Match[str]) -> list[Told]:
        value = match["object"].strip()
        if _VAGUE.match(value) or any(pattern.match(value) for pattern in refused):
            return []
        return told(clause, predicate, value, dated_before=None if is_dated else 0)

    return tells


def _works(clause: Clause, match: re.Match[str]) -> list[Told]:
    return [] if is_place(match["object"]) else _plain("works_at", _NO_EMPLOYER, _NO_CLUB)(clause, match)


def _moved(clause: Clause, match: re.Match[str]) -> list[Told]:
    """Moved is what has a date that is past, or the sign of what is done."""
    is_done = match["done"] or clause.spans
    return _plain("lives_in", _NO_HOME)(clause, match) if is_done else []


def _favourite(clause: Clause, match: re.Match[str]) -> list[Told]:
    thing = _THINGS.get(match["thing"])
    return _plain(f"favourite_{thing}", is_dated=False)(clause, match) if thing else []


def _decided(clause: Clause, match: re.Match[str]) -> list[Told]:
    begin = match.start("object")
    value = clause.original(begin)
    return [] if _VAGUE.match(value) else told(clause, "decided", value, dated_before=begin)


def _rule(pattern: str, tells: Tells, who: str = _WE) -> Rule:
    return re.compile(f"{_LEAD}{who}{_ADVERB}{pattern}"), tells


_RULES: Final[tuple[Rule, ...]] = (
    _rule(
        rf"(?:名叫|叫做|叫)(?P<object>[{_SURNAMES}][\u4e00-\u9fff]{{1,3}}(?<![了过過来來去])|[A-Z][A-Za-z]{{1,20}})",
        _plain("name", is_dated=False),
        "我",
    ),
    _rule(
        r"的名字(?:是|叫)(?P<object>[\u4e00-\u9fff·]{2,10}|[A-Z][A-Za-z ]{1,30})", _plain("name", is_dated=False), "我"
    ),
    _rule(r"在(?P<object>[\w·& ]{2,30}?)(?:工作|上班|任职|任職|就职|就職)", _works),
    _rule(r"(?:就职于|就職於|任职于|任職於)(?P<object>[\w·& ]{2,30})", _works),
    _rule(r"(?:加入了|入职了|入職了|入职|入職)(?P<object>[\w·& ]{2,30})", _works),
    _rule(r"(?:住在|住)(?P<object>[\w·]{2,15})", _plain("lives_in", _NO_HOME)),
    _rule(r"(?:搬到|搬去|搬家到)(?P<done>了)?(?P<object>[\w·]{2,15})", _moved),
    _rule(rf"最(?:喜欢|喜歡|爱|愛)的(?P<thing>[\w]{{1,5}}?)是{_OBJECT}", _favourite),
    _rule(
        rf"(?:更|比较|比較){_LIKE}{_OBJECT}(?:(?:而不是|胜过|勝過|多过|多過).{{1,30}})?",
        _plain("prefers", is_dated=False),
    ),
    _rule(
        rf"(?:最)?{_LIKE}{_OBJECT}(?:因为.{{1,60}}|(?:胜过|勝過|多过|多過).{{1,30}})?", _plain("likes", is_dated=False)
    ),
    _rule(rf"(?:最)?(?:讨厌|討厭|不太喜欢|不太喜歡|不喜欢|不喜歡){_OBJECT}", _plain("dislikes", is_dated=False)),
    _rule(rf"(?:在用|使用|采用|採用|用){_TOOLS}(?![A-Za-z]).{{0,30}}", _plain("uses")),
    _rule(r"(?:决定|決定)(?:了)?(?P<object>.{2,60})", _decided),
)
_DUE: Final = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?:(?P<thing>[^{MARK}的]{{1,40}})的)?(?:截止日期|截止时间|截止時間|截止日|截稿日期|期限)(?:是|为|為|在|就是){MARK}",
        rf"(?P<thing>[^{MARK}的我]{{1,20}}?)(?:必须|必須|需要|要|得)?在?{MARK}(?:要|必须|必須)?(?:提交|完成|交付|上交|交)",
    )
)


def is_chinese(text: str) -> bool:
    """Whether it has Chinese characters."""
    return _HAN.search(text) is not None


def facts_in(sentence: str, said_at: datetime | None) -> list[Told]:
    """What the sentence tells of its speaker, and of what is due."""
    if _DOUBT.search(sentence):
        return []
    facts: list[Told] = []
    has_told = False
    for _, clause in split(marked(sentence, said_at), _BOUNDARY):
        found = _facts_of(clause) if has_begun(clause, said_at) else []
        if not found and has_told and not clause.text.startswith(("我", "你", "他", "她", "它")):
            found = _facts_of(Clause(f"我{clause.text}", clause.pieces, clause.spans))
        has_told = bool(found)
        facts += found
    whole = marked(sentence, said_at, "deadline")
    for pattern in _DUE:
        if match := pattern.fullmatch(whole.text):
            return [*facts, *due(whole, match["thing"])]
    return facts


def _facts_of(clause: Clause) -> list[Told]:
    for pattern, tells in _RULES:
        if (match := pattern.fullmatch(clause.text)) and (found := tells(clause, match)):
            return found
    return []
