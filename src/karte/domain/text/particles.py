"""Question words and particles of languages written without spaces.

``配備先はどこですか`` asks about ``配備先``.  What is cut from a query run, so that the pairs that are left
carry its subject: stretches of Japanese kana made of nothing but particles, copulas and question words, Chinese
question words and 的, Thai question words, and the particles at the end of a Korean word.  Only a query is cut, and
only where something is left.
"""

from __future__ import annotations

import re
from typing import Final

from karte.domain.text.scripts import HANGUL, HIRAGANA

# Longest first, matched without backtracking: a stretch is cut whole or not at all, in linear time.
_JAPANESE_WORDS: Final = """
について において によって による でしょうか ましたか でしたか ですか ますか でした です ました ません ます
していました しています している していた された される した して する いました いますか います いた いる
ありますか あります あった ある なかった ない なった なる という とは には では から まで より など ため こと
もの それ これ あれ その この あの どこ どれ どの どうして どんな どちら どう いつ だれ なに なぜ いくつ
いくら ください は が を に で と の も へ や か よ ね な し
"""
_JAPANESE: Final = re.compile(
    rf"(?<![{HIRAGANA}])(?>{'|'.join(sorted(_JAPANESE_WORDS.split(), key=len, reverse=True))})++(?![{HIRAGANA}])"
)
_CHINESE_WORDS: Final = """
什么时候 什麼時候 为什么 為什麼 什么 什麼 哪里 哪裡 哪儿 哪兒 哪个 哪個 哪些 谁 誰 怎么样 怎麼樣 怎么 怎麼 如何
多少 是否 是不是 有没有 有沒有
"""
# 的 joins a word with what it belongs to, but for those that hold it.
_CHINESE: Final = re.compile(
    f"[是在]?(?:{'|'.join(_CHINESE_WORDS.split())})|[吗嗎呢]$|(?<=.)(?<![目标標有似])的(?![确確士])"
)
# Longest first; what begins another word is left (ใคร่ครวญ).
_THAI: Final = re.compile(
    "(?:เมื่อไหร่|เมื่อไร|เท่าไหร่|เท่าไร|อย่างไร|ที่ไหน|ยังไง|ทำไม|อะไร|ใคร(?!่))(?:บ้าง)?|หรือไม่$|หรือเปล่า$|ไหม$"
)
_QUESTION_KANJI: Final = frozenset("何 何時 何処 何故".split())
_KOREAN_QUESTIONS: Final = frozenset(
    """
    무엇 무엇을 무엇이 무엇인가요 무엇입니까 뭐 뭐야 누구 누구야 누구인가요 누구입니까 누가 언제 언제야
    언제인가요 언제입니까 어디 어디서 어디에 어디에서 어디야 어디인가요 어디입니까 어떻게 왜 어떤 어느 몇 얼마
    얼마나 있나요 있습니까 있어요 인가요 입니까 입니다 그리고 또는
    """.split()
)
_KOREAN_ENDINGS: Final = "에서는 에서 에게 으로 까지 부터 인가요 입니까 입니다 은 는 이 가 을 를 의 에 로 와 과 도"
# A word of two letters may be all noun: only what is longer loses its particle.
_KOREAN_ENDING: Final = re.compile(f"(?<=..)(?:{'|'.join(_KOREAN_ENDINGS.split())})$")
_KOREAN_LONE: Final = re.compile(f"([{HANGUL}])(?:{'|'.join(_KOREAN_ENDINGS.split())})")
_HANGUL_RUN: Final = re.compile(f"[{HANGUL}]+")


def lone_noun(word: str) -> str:
    """The noun of a Korean word that is one letter and a particle, which else keep together (약은); or nothing."""
    found = _KOREAN_LONE.fullmatch(word)
    return found[1] if found else ""


def subject_runs(run: str) -> list[str]:
    """The parts of a query run that carry its subject; none, when it is nothing but question and particles."""
    if _HANGUL_RUN.fullmatch(run):
        return [] if run in _KOREAN_QUESTIONS else [_KOREAN_ENDING.sub("", run)]
    cut = _THAI.sub(" ", _CHINESE.sub(" ", _JAPANESE.sub(" ", run))) if len(run) > 2 else run
    return [part for part in cut.split() if part not in _QUESTION_KANJI]
