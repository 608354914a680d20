"""The words by which ``page_recognition`` tells documents from talk: English, Japanese, Chinese of both scripts.

Every pattern is a plain alternation with bounded gaps, so a search over a text is linear in its length. A Chinese word
stands in both scripts where they differ; ``我们`` and ``we`` are left out of the first person, for policies say them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final


def _words(english: str, others: str = "") -> re.Pattern[str]:
    parts = [rf"\b(?:{english})\b", *([others] if others else [])]
    return re.compile("|".join(parts), re.IGNORECASE)


NOUNS: Final[Mapping[str, re.Pattern[str]]] = {
    "charter": _words(
        "charters?|bylaws|by-laws|articles of association|constitution|terms of reference", "憲章|会則|定款|章程|宪章"
    ),
    "sop": _words(
        "procedures?|sops?|runbooks?|playbooks?|work instructions?|operating instructions?|instructions|how to",
        "手順|マニュアル|作業要領|実施要領|流程|作業程序|操作程序|作业指导书|作業指導書|操作规程|操作規程|操作手册|操作手冊|步骤|步驟",
    ),
    "spec": _words(
        "specifications?|specs?|requirements|design documents?|interface definitions?",
        "仕様|要件|設計書|定義書|规格(?:说明书)?|規格(?:說明書)?|需求|接口定义|介面定義|设计文档|設計文件|技术标准|技術標準",
    ),
    "policy": _words(
        "polic(?:y|ies)|codes? of (?:conduct|ethics|practice)|regulations?|rules|guidelines?|standards?|"
        "privacy notices?",
        "方針|規程|規則|規約|規定|細則|ポリシー|ガイドライン|きまり|心得|须知|須知|通知|制度|政策|规范|規範|规定|规程|规则|办法|辦法|细则|守则|守則|"
        "准则|準則|条例|條例|方针|方針",
    ),
    "reference": _words(
        "references?|handbooks?|glossar(?:y|ies)|checklists?|agreements?|contracts?|licen[cs]es?|guides?|manuals?|catalogu?es?|"
        "terms of service|documentation|installation|configuration|data dictionar(?:y|ies)|cheat ?sheets?",
        "リファレンス|用語集|契約書|チェックリスト|点検表|一覧表|便覧|説明書|说明(?!书)|說明(?!書)|约定书|术语表|術語表|詞彙表|合同|合約|契約|协议|協議|"
        "清单|清單|检查表|檢查表|检查清单|手册|手冊|参考|指南",
    ),
}
"""What a document of each type is called."""

MODAL: Final = _words(
    "shall|must|may not|is required to|are required to|is prohibited|are prohibited|is responsible for|"
    "are responsible for|(?:is|are) (?:governed|retained|appointed|entitled|treated as|defined as)|consists? of|"
    "applies to|apply to|in writing|written (?:consent|approval|notice)|in accordance with|pursuant to|"
    "hereinafter",
    "なければならない|てはならない|ものとする|とする[。)）\n]|することができる|により|すること(?:[。\n]|$)|"
    "(?:できる|ない|いる|得る|れる|置く|する)こと(?:[。\n]|$)|に定める|を定める|を定義する|を遵守|から構成|を要する|を妨げない|という。|"
    "を目的とする|を対象とする|当社は|本(?:書|規程|規則|方針|契約|会則|会は|手順)|"
    "应当|不得|必须|應當|必須|(?<![反适適供相响響对對效])[应應](?![该該用付急对對当當])|不超过|不低于|不超過|"
    "[须須](?![要知])|禁止|请勿|請勿|严禁|嚴禁|必要(?:です|がある|とする)|を返す|を返します|適用する|适用于|適用於|施行|负责|負責|承担|承擔|至少|由[^\n。，,]{1,12}(?:组成|組成|批准|審閱|管辖|管轄|解释)|特訂定|制定本|宗旨|本(?:制度|规范|流程|章程|政策|文档|合同|會|办法)|"
    "用于|定义|规定(?:各|了)|均已|自[^\n。，,]{1,12}起",
)
"""Wording that binds or defines."""

FIRST_PERSON: Final = _words(
    "i|i'm|i’m|i've|i’ve|i'd|i’d|i'll|i’ll|me|my|mine|myself",
    "私(?!人|立|有|自|密|信|募|営|企)|僕|俺|わたし|あたし|うち(?:に|の|来)|我(?!们|們|司|国|國|公司|方)|你|咱",
)

TIME_BOUND: Final = _words(
    r"today|yesterday|tomorrow|tonight|this (?:week|weekend|morning|afternoon|evening)|"
    r"(?:last|next) (?:week|weekend|night|month|year|time|summer|winter)|right now|"
    r"(?:on|last|next|this|since|until|by|for) (?:mon|tues|wednes|thurs|fri|satur|sun)day|"
    r"\d{1,2}(?::\d\d)? ?[ap]m",
    "今日|昨日|明日|今夜|今朝|本日|先週|来週|今週|先月|来月|さっき|(?:月|火|水|木|金|土|日)曜に|"
    "第[一二三四五六七]天|傍晚|晚上|下次|今天|昨天|明天|今晚|昨晚|这周|這週|上周|上週|下周|下週|下禮拜|上禮拜|上个月|上個月|刚才|剛才|周[一二三四五六日]|週[一二三四五六日]|星期[一二三四五六日天]",
)

CHAT: Final = _words(
    "hey|hi|hello|dear|thanks|thank you|lol|haha+|hehe|wow|yeah|yep|nope|okay|ok|btw|by the way|anyway|honestly|sorry|"
    "best regards|kind regards|cheers|you know|i mean|sounds good|let me know|come on|gonna|wanna|oh|so here's|"
    "i think|i guess|sure|certainly|of course|absolutely|here (?:are|is)|great question|hope this|"
    "don't|didn't|can't|couldn't|what's",
    "笑|ｗｗ|ありがと|おはよう|こんにちは|お世話になって|よろしく|ごめん|ですか|ますか|よね|だよ|けど|かな|んだ|ちゃ[うっ]|じゃあ|"
    "めっちゃ|ほんとに|本当に|思います|思う|てくれる|たいです|しました|でした|った。|だった|嬉しい|ください！|"
    "哈|呀|啊|呢|嘛|吧|哦|喔|欸|您好|你好|谢谢|謝謝|祝好|不好意思|早上好|吗|嗎|真的|好不好|觉得|覺得|对了|對了|"
    "[!！]|[\U0001f300-\U0001faff]",
)
"""Greetings, fillers, and the endings of spoken sentences."""

QUESTION: Final = re.compile(r"[?？](?=\s|$|[\"'”’」』)）])")

ARTICLE: Final = re.compile(
    r"(?:article|section|step|clause|chapter|annex|appendix|part) ?(?:\d{1,3}|[ivxlc]{1,6})\b"
    r"|\d{1,3}\.\d{1,3}(?:\.\d{1,3}){0,3}\.?\s|[A-Z]{1,5}-\d{1,4}[:.)\s]|§ ?\d"
    r"|第 ?[0-9０-９〇零一二三四五六七八九十百]{1,5} ?[条條章节節款編编項项]"
    r"|(?:手順|ステップ|步骤|步驟) ?[0-9０-９一二三四五六七八九十]{1,3}"
    r"|[一二三四五六七八九十]{1,3}、",
    re.IGNORECASE,
)
"""The number before an article, a section, a step or a requirement, at the beginning of a line."""

STEP: Final = re.compile(r"(?:step|手順|ステップ|步骤|步驟) ?[0-9０-９一二三四五六七八九十]", re.IGNORECASE)

ITEM: Final = re.compile(r"\d{1,3}[.)．）]?\s|\d{1,3}[.)．）]|[-*•・□☐]\s?|\[[ xX]?\]")
"""An item of a list, or a heading with one number."""

LABEL: Final = re.compile(r"[^\s:：|][^:：|\n]{0,40}(?:: |：)\S")
"""A term and its definition, or a name and its value."""

TABLE_OR_CALL: Final = re.compile(r"\|[^|\n]{0,200}\|[^|\n]{0,200}\||(?:#+ )?`?(?:GET|POST|PUT|PATCH|DELETE) /")

HEADING: Final = re.compile(r" {0,3}#{1,6}[ \t]+(?=\S)")

CODE_OR_LOG: Final = re.compile(
    r"[-+](?=[^\s\-+])|@@ |diff |\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d|Traceback |\s+File \""
    r"|\s*(?:def|class|import|from|return|if|for|while|function|const|let|var|raise|print|public|private|elif|else)\b"
    r"[^\n]{0,200}[:;({]$"
    r"|\s*(?:import|from|return|const|raise) \S"
    r"|\s{2,}[\w.\[\]]{1,60}(?: = |\()|\s*[\w.]{1,60}(?:Error|Exception):|[^\n]{0,300}(?:[{}]|\);)$"
    r"|\s*(?:>>>|\$|#!|//|</?\w)"
)
"""A line of code or of a log, where it stands outside of a fence."""
