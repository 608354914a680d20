"""One form for every way of writing the same letters.

Two steps, because the shape of a name (``deployTarget``) is read between them:

* ``normalise`` works on a whole text and keeps its case: NFKC (full-width, half-width kana, ligatures,
  mathematical letters), invisible format characters away, one typographic apostrophe.
* ``fold`` works on one word: case folded, accents off, letters that Unicode does not take apart (``ł ø đ æ``)
  written with the letters a keyboard without them offers.

Folding is idempotent: ``fold(fold(x)) == fold(x)``.  What keeps its mark on purpose: Cyrillic ``й ї ў`` and the
voiced kana are letters of their own, and Indic vowel signs carry the vowel, whereas Cyrillic ``ё`` is written ``е``
by most Russian writers and is folded to it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

# Soft hyphen, bidirectional and zero-width marks, variation selectors, tags: invisible, so never part of a word.
_INVISIBLE: Final = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
# NFKC would glue these to the word before them (``Karte™`` -> ``KarteTM``).
_TRADE_SIGNS: Final = re.compile("[\u2120\u2122]")
# Apostrophes that are letters to Unicode (Ukrainian, Hawaiian), and the one that a word processor turns the wrong way.
_APOSTROPHES: Final = re.compile("[\u2018\u02bb\u02bc]")

# Letters without a canonical decomposition, by the ASCII letters that stand for them.
_PLAIN_LETTERS: Final = {
    "ł": "l", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ħ": "h", "ı": "i", "ĸ": "k", "ŋ": "ng",
    "ŧ": "t", "ƀ": "b", "ɓ": "b", "ƈ": "c", "ɖ": "d", "ɗ": "d", "ə": "e", "ɛ": "e", "ƒ": "f", "ɠ": "g", "ɨ": "i",
    "ƙ": "k", "ƚ": "l", "ɲ": "n", "ƞ": "n", "ɵ": "o", "ɔ": "o", "ƥ": "p", "ƭ": "t", "ʉ": "u", "ʋ": "v", "ƴ": "y",
    "ƶ": "z", "ǥ": "g", "ȷ": "j", "ɉ": "j", "ɍ": "r", "ɏ": "y", "ß": "ss", "ẞ": "ss", "ς": "σ",
    # Arabic and Persian spelling variants that writers mix freely.
    "أ": "ا", "إ": "ا", "آ": "ا", "ٱ": "ا", "ى": "ي", "ی": "ي", "ک": "ك", "ـ": "",
}  # fmt: skip
_KEEP_THEIR_MARK: Final = frozenset("йїў")
# Accents, Hebrew points and Arabic vowel signs: left out by most writers, so they must not tell words apart.
_OPTIONAL_MARKS: Final = (
    (0x0300, 0x036F),
    (0x0591, 0x05BD),
    (0x05BF, 0x05C2),
    (0x05C4, 0x05C5),
    (0x064B, 0x065F),
    (0x0670, 0x0670),
)
_ACCENTED_BLOCKS: Final = ((0x00C0, 0x024F), (0x0370, 0x052F), (0x1E00, 0x1FFF))
# The zeros of decimal digits that NFKC leaves alone: Arabic, Persian, and the scripts of India and South-East Asia.
_ZEROS: Final = (
    0x0660, 0x06F0, 0x0966, 0x09E6, 0x0A66, 0x0AE6, 0x0B66, 0x0BE6, 0x0C66, 0x0CE6, 0x0D66,
    0x0E50, 0x0ED0, 0x1040, 0x17E0,
)  # fmt: skip


def _pairs() -> Iterator[tuple[int, str]]:
    for first, last in _ACCENTED_BLOCKS:
        for code in range(first, last + 1):
            letter = chr(code)
            if letter not in _KEEP_THEIR_MARK:
                yield code, _without_marks(letter)
    for first, last in _OPTIONAL_MARKS:
        for code in range(first, last + 1):
            yield code, ""
    for zero in _ZEROS:
        for digit in range(10):
            yield zero + digit, str(digit)
    for letter, plain in _PLAIN_LETTERS.items():
        yield ord(letter), plain


def _without_marks(letter: str) -> str:
    bare = "".join(part for part in unicodedata.normalize("NFD", letter) if not unicodedata.combining(part))
    return "".join(_PLAIN_LETTERS.get(part, part) for part in bare)


_FOLDED: Final[dict[int, str]] = {code: plain for code, plain in _pairs() if chr(code) != plain}


def normalise(text: str) -> str:
    """The text in its compatibility form, case kept, without invisible characters."""
    if text.isascii():
        return text
    text = unicodedata.normalize("NFKC", _INVISIBLE.sub("", _TRADE_SIGNS.sub(" ", text)))
    return _APOSTROPHES.sub("\u2019", text)


def fold(word: str) -> str:
    """The word without case and accents, as it stands in the index (``Łukasz`` -> ``lukasz``)."""
    if word.isascii():
        return word.lower()
    # NFKC after casefold: folding case can leave a letter and its mark apart (``İ``, ``ΐ``).
    return unicodedata.normalize("NFKC", word.casefold()).translate(_FOLDED)
