"""Scripts that put no space between words, and emoji: what is found by letters, not by words.

Chinese, Japanese, Korean, Thai, Lao, Khmer and Burmese run words together (Korean glues particles to them).  No
dictionary is needed to find them: a run of letters is indexed as its overlapping pairs (``大阪市`` -> ``大阪 阪市``),
in reading order so that a longer word is a phrase of pairs, and as its single letters, for words of one letter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

HIRAGANA: Final = "\u3041-\u3096\u3099\u309a\u309d-\u309f"
HAN: Final = (
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
HANGUL: Final = "\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff"
_KATAKANA_AND_BOPOMOFO: Final = "\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u31a0-\u31bf\u31f0-\u31ff"
_SOUTH_EAST_ASIA: Final = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u0edc-\u0edf"  # Thai, Lao
    "\u1000-\u103f\u1050-\u109d\ua9e0-\ua9ef\ua9fa-\ua9fe\uaa60-\uaa7f"  # Burmese
    "\u1780-\u17d3\u17d7\u17dc\u17dd"  # Khmer
)
UNSPACED: Final = HIRAGANA + HAN + HANGUL + _KATAKANA_AND_BOPOMOFO + _SOUTH_EAST_ASIA
# Accents, points and vowel signs continue a word, though ``\w`` leaves them out; the blocks of India and Tibet whole.
MARKS: Final = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc"
    "\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u07a6-\u07b0\u07eb-\u07f3\u07fd\u0816-\u082d\u0859-\u085b\u0897-\u089f"
    "\u08ca-\u08e1\u08e3-\u0963\u0966-\u096f\u0971-\u0df3\u0f18\u0f19\u0f35\u0f37\u0f39\u0f3e-\u0f84\u0f86-\u0fbc\u0fc6\u135d-\u135f"
    "\u1712-\u1734\u1752\u1753\u1772\u1773\u18a9\u1920-\u193b\u1a17-\u1a1b\u1a55-\u1a7f\u1ab0-\u1b44\u1b6b-\u1b73\u1b80-\u1bad"
    "\u1be6-\u1bf3\u1c24-\u1c37\u1cd0-\u1cf9\u1dc0-\u1dff\ua66f-\ua672\ua674-\ua67d\ua69e\ua69f\ua6f0\ua6f1\ua802-\ua827\ua82c"
    "\ua880-\ua8c5\ua8e0-\ua8f1\ua8ff\ua926-\ua92d\ua947-\ua953\ua980-\ua9c0\uaa29-\uaa36\uaaeb-\uaaef\uaaf5\uaaf6\uabe3-\uabea"
    "\uabec\uabed\ufe20-\ufe2f"
)
UNSPACED_RUN: Final = re.compile(f"[{UNSPACED}]+")

_LONGEST_LONE: Final = 2

# Pictures, a flag being two letters; joiners, skin tones and variation selectors are no tokens, so a family is its
# members and a waving hand is a waving hand.
EMOJI: Final = (
    "[\U0001f1e6-\U0001f1ff]{2}"
    "|[\u2300-\u23ff\u2600-\u27bf\u2b00-\u2bff"
    "\U0001f000-\U0001f1e5\U0001f200-\U0001f3fa\U0001f400-\U0001faff]"
)
_EMOJI_ONLY: Final = re.compile(EMOJI)
_OF_SOUTH_EAST_ASIA: Final = re.compile(f"[{_SOUTH_EAST_ASIA}]+")
_CONSONANT: Final = re.compile("[\u0e01-\u0e2e\u0e81-\u0eae\u1000-\u1021\u1780-\u17a2]")
_KATAKANA_WORD: Final = re.compile("[\u30a1-\u30fa\u30fc-\u30ff]{3,}")
_HIRAGANA_ONLY: Final = re.compile(f"[{HIRAGANA}\u30fc]+")


def is_emoji(piece: str) -> bool:
    """Whether the piece is a picture."""
    return _EMOJI_ONLY.match(piece) is not None


def is_unspaced(piece: str) -> bool:
    """Whether the piece is a run of letters of such a script (a piece never mixes them with others)."""
    return UNSPACED_RUN.match(piece) is not None


def touching_pairs(text: str) -> list[str]:
    """The pairs of letters where a run touches a word of other letters: ``社`` and ``A`` in ``A社``."""
    return [text[at : at + 2] for at in _borders(text)]


def _borders(text: str) -> Iterator[int]:
    for run in UNSPACED_RUN.finditer(text):
        start, end = run.span()
        if start > 0 and text[start - 1].isalnum():
            yield start - 1
        if end < len(text) and text[end].isalnum():
            yield end - 1


def is_short_word(run: str) -> bool:
    """Whether the run is a word of at most two consonants of South East Asia, its vowels and tones around them.

    A pair of its characters is no word: ``หม`` of ``หมา`` (dog) begins ``หมี`` (bear) too.
    """
    return _OF_SOUTH_EAST_ASIA.fullmatch(run) is not None and len(_CONSONANT.findall(run)) <= 2


def is_hiragana(run: str) -> bool:
    """Whether the run is Japanese syllables only."""
    return _HIRAGANA_ONLY.fullmatch(run) is not None


def katakana_threes(run: str) -> list[str]:
    """The overlapping threes of each stretch of three and more katakana: loanwords, or several in one.

    A pair of them tells nothing: ``ット`` of ``ペット`` (pet) ends ``ダイエット`` (diet) too.
    """
    return [stretch[0][at : at + 3] for stretch in _KATAKANA_WORD.finditer(run) for at in range(len(stretch[0]) - 2)]


def letter_pairs(run: str) -> list[str]:
    """The overlapping pairs of a run in reading order; a run of one letter is its own and only one."""
    if len(run) < 2:
        return [run]
    return [run[i : i + 2] for i in range(len(run) - 1)]


def is_lone_word(query: str) -> bool:
    """Whether a query is one word of one or two letters of a script without spaces: what it finds has to hold it."""
    word = query.strip()
    return 0 < len(word) <= _LONGEST_LONE and all(map(is_unspaced, word))
