"""What Japanese clauses tell of their speaker.

A clause without a topic speaks of the last one: after somebody else was the topic, nothing is told until the speaker
is it again. The predicate must end its clause, so that what is thought, said or wished of it tells nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from typing import Final

from karte.domain.extraction_rules.places_cjk import is_place
from karte.domain.extraction_rules.reading import MARK, Clause, marked, split
from karte.domain.extraction_rules.telling import Told, due, has_begun, told

_KANA: Final = re.compile(r"[\u3041-\u30ff]")
_DOUBT: Final = re.compile(
    r"もし|かもし|だろう|でしょう|と思|と言|って言|といって|と聞|つもり|予定|以前|昔|かつて|らしい|そうで|みたい|ください|のに"
    r"|たら|れば|なら[、ば]|たい(?:です|な|と|ん|けど|が|\Z)|ほしい|欲しい|夢|例えば|たとえば|と仮定|はず|とは限|わけ|ふり|と嘘|冗談"
    r"|ません(?:か|でし)|か\Z|かな\Z|かね\Z|っけ\Z"
)
_BOUNDARY: Final = re.compile(r"[、，,;；：:（）()]\s?")
_FIRST: Final = r"(?:私|わたし|僕|ぼく|俺|おれ|自分|うち|私たち|私達|僕ら|僕たち|我々|弊社|当社)"
_TOPIC: Final = re.compile(rf"{MARK}?(?P<topic>[^はがをで\s{MARK}]{{1,20}})(?:は|も|には|では|って)(?!い)")
_SOMEBODY: Final = re.compile(
    rf"{MARK}?(?P<who>[^はがを\s{MARK}]{{1,12}})が[^、]{{0,20}}(?:に住|に勤|で働|を使|が|に引)"
)
_IS_FIRST: Final = re.compile(rf"{_FIRST}\Z")
_NO_PERSON: Final = re.compile(
    r"(?:今|今日|今朝|最近|週末|普段|実|趣味|休日|こんにち|こんばん|本日|現在|いつも|好きな.{1,6}|.{0,12}(?:締め?切り?|期限|期日|名前))\Z"
)
_LEAD: Final = (
    rf"(?:(?:{_FIRST}(?:は|も)|今は|現在は?|今|実は|ちなみに|あと|また|そして|普段は|いつも|ずっと|最近は?|{MARK}(?:は|に|の)?"
    r"|とても|本当に|すごく|一番|特に|はじめまして|こんにちは)\s?){0,4}"
)
_END: Final = r"(?:ので|から|けど|けれど|し|が|よ|ね|よね|んです|のです|んだ|んですが|んですけど)?"
_OBJECT: Final = rf"(?P<object>[^はがを{MARK}]{{1,40}}?)"
_IS: Final = r"(?:です|だ|で|でして|なんです|なの|な)?"
_ING: Final = r"(?:います|いる|いて|いまして|ます|る|おります|おり)"
_VAGUE: Final = re.compile(
    r"(?:それ|これ|あれ|そこ|ここ|あそこ|どこ|何|なに|誰|だれ|どれ|あなた|君|きみ|彼|彼女|みんな|皆|こと|もの|の|そっち|こっち|こちら"
    r"|そちら|時間|言葉|お金|気|頭|家|自宅|夜|昼|朝|在宅|一人|ひとり|近く|その.{0,20}|この.{0,20}|あの.{0,20}|みんな.{0,20}|一緒|会社|アパート|マンション|実家|寮|田舎|都会|.{0,20}(?:の近く|のそば|の隣|のあたり|辺り)|皆.{0,20}|.{0,20}(?:の方|ところ|こと|みんな))\Z"
)
_THINGS: Final = {
    "色": "colour",
    "食べ物": "food",
    "料理": "food",
    "飲み物": "drink",
    "映画": "movie",
    "本": "book",
    "音楽": "music",
    "歌": "song",
    "曲": "song",
    "スポーツ": "sport",
    "動物": "animal",
    "季節": "season",
    "果物": "fruit",
    "ゲーム": "game",
    "アニメ": "anime",
    "言語": "language",
    "プログラミング言語": "programming_language",
    "作家": "author",
    "バンド": "band",
}

Rule = tuple[re.Pattern[str], Callable[[Clause, re.Match[str]], list[Told]]]


def _plain(predicate: str, *, is_dated: bool = True) -> Callable[[Clause, re.Match[str]], list[Told]]:
    def tells(clause: Clause, match: re.Match[str]) -> list[Told]:
        value = match["object"].strip()
        return [] if _VAGUE.match(value) else told(clause, predicate, value, dated_before=None if is_dated else 0)

    return tells


def _works(clause: Clause, match: re.Match[str]) -> list[Told]:
    """Where the verb may mean a place as well as an employer, a place is none."""
    return [] if is_place(match["object"]) else _plain("works_at")(clause, match)


def _favourite(clause: Clause, match: re.Match[str]) -> list[Told]:
    thing = _THINGS.get(match["thing"])
    return _plain(f"favourite_{thing}", is_dated=False)(clause, match) if thing else []


def _decided(clause: Clause, match: re.Match[str]) -> list[Told]:
    begin, stop = match.span("object")
    value = clause.original(begin, stop).removesuffix("という")
    return [] if _VAGUE.match(value) else told(clause, "decided", value, dated_before=begin)


def _rule(pattern: str, tells: Callable[[Clause, re.Match[str]], list[Told]]) -> Rule:
    return re.compile(f"{_LEAD}{pattern}"), tells


_RULES: Final[tuple[Rule, ...]] = (
    _rule(
        rf"(?:{_FIRST}の)?名前は{_OBJECT}(?:です|だ|といいます|と言います|と申します)", _plain("name", is_dated=False)
    ),
    _rule(rf"{_OBJECT}と申します", _plain("name", is_dated=False)),
    _rule(rf"{_OBJECT}として(?:働い|勤務し)て{_ING}{_END}", _plain("job")),
    _rule(rf"{_OBJECT}で働いて{_ING}{_END}", _works),
    _rule(rf"{_OBJECT}に(?:勤めて|勤務して){_ING}{_END}", _works),
    _rule(rf"{_OBJECT}に(?:入社|就職|転職)し(?:ました|た){_END}", _works),
    _rule(rf"(?P<object>[^はがをと{MARK}]{{1,40}}?)に住んで{_ING}{_END}", _plain("lives_in")),
    _rule(rf"{_OBJECT}(?:に|へ)引っ?越し(?:ました|た|てきました|てきた){_END}", _plain("lives_in")),
    _rule(
        rf"(?:{_FIRST}の)?(?:一番|最も)?好きな(?P<thing>[^はがを]{{1,10}})は{_OBJECT}(?:です|だ)(?:よ|ね)?", _favourite
    ),
    _rule(
        rf"[^はがを{MARK}]{{1,30}}より(?:も)?{_OBJECT}(?:のほう|の方)?が(?:大?好き|いい|良い){_IS}{_END}",
        _plain("prefers", is_dated=False),
    ),
    _rule(
        rf"(?!.{{0,40}}(?:より|ほう|方))(?:大?好き)?{_OBJECT}が(?:大?好き){_IS}{_END}", _plain("likes", is_dated=False)
    ),
    _rule(
        rf"{_OBJECT}(?:が|は)(?:(?:大)?嫌い{_IS}|好き(?:では|じゃ)(?:ありません|ない|ないです)){_END}",
        _plain("dislikes", is_dated=False),
    ),
    _rule(
        rf"(?:[^はがを、{MARK}]{{1,20}}(?:には|では|に|で)(?:は)?)?(?P<object>"
        rf"[A-Za-z][\w.+#]*(?: [A-Za-z0-9][\w.+#]*){{0,3}}"
        rf"|[ァ-ヶー]{{3,20}})を(?:[^、を]{{1,12}}に|[^、を]{{1,12}}として)?(?:使って|利用して|使用して){_ING}{_END}",
        _plain("uses"),
    ),
    (
        re.compile(
            rf"(?:(?:{_FIRST}(?:は|も)|{MARK}(?!に)は?|最終的に|結局)\s?){{0,3}}(?P<object>.{{1,70}}?)"
            rf"(?:こと)?(?:に決めました|に決めた|に決まりました|に決定しました|(?<=こと)にしました|(?<=こと)にした){_END}"
        ),
        _decided,
    ),
)
_DUE: Final = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?:(?P<thing>[^はがを{MARK}]{{1,40}}?)の)?(?:提出)?(?:締め?切り?|期限|期日|デッドライン)は{MARK}(?:まで)?(?:です|だ)?(?:よ|ね)?",
        rf"(?P<thing>[^はがを{MARK}]{{1,40}}?)は{MARK}が?(?:締め?切り?|期限|提出期限)(?:です|だ)?(?:よ|ね)?",
    )
)


def is_japanese(text: str) -> bool:
    """Whether it has a kana, as no Chinese has."""
    return _KANA.search(text) is not None


def topic_after(sentence: str, is_other: bool) -> bool:
    """Whether somebody else is the topic at the end of the sentence, given whether that was so before it."""
    for clause in _BOUNDARY.split(sentence):
        is_other = _is_other(clause, is_other)
    return is_other


def _is_other(clause: str, is_other: bool) -> bool:
    topic = _TOPIC.match(clause)
    if topic and _IS_FIRST.search(topic["topic"]):
        return False
    if topic and not _NO_PERSON.search(topic["topic"]) and "嫌い" not in clause and "好きでは" not in clause:
        return True
    return is_other or _SOMEBODY.match(clause) is not None


def facts_in(sentence: str, said_at: datetime | None, *, is_other: bool = False) -> list[Told]:
    """What the sentence tells of its speaker, and of what is due; ``is_other``: somebody else is the topic."""
    if _DOUBT.search(sentence):
        return []
    facts = []
    for _, clause in split(marked(sentence, said_at), _BOUNDARY):
        is_topic_kept = re.match(r"[^を]{1,30}(?:には|では)[^は]{1,40}を", clause.text) is not None
        is_other = is_other if is_topic_kept else _is_other(clause.text, is_other)
        if not is_other and has_begun(clause, said_at):
            facts += _facts_of(clause)
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
